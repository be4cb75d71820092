"""The shapes in annotations are checked while the tests run."""

from __future__ import annotations

import jax.numpy as jnp
import jaxtyping
import pytest

from feint.tree.best_response import response_gap
from feint.tree.sequence_form import SequenceForm


def test_arrays_of_other_shapes_are_refused(tree_of):
    tree = tree_of("kuhn")
    table = jnp.asarray(tree.uniform())
    assert response_gap(tree.form, table, table) > 0
    with pytest.raises(jaxtyping.TypeCheckError, match="responses"):
        response_gap(tree.form, table, table[1:])
    with pytest.raises(jaxtyping.TypeCheckError, match="vectors"):
        SequenceForm.table(tree.form, [table])
