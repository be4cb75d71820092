"""Compiled code is used again for arguments of the same kind, and what is no longer needed is freed."""

from __future__ import annotations

import gc
from functools import lru_cache
from pathlib import Path
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import monitoring

import feint
from conftest import algorithm_on, random_game
from feint.forms.unrolled import TreeForm
from feint.games.library import load_game
from feint.public.build import build_public_tree
from feint.runs.config import algorithms
from feint.search.oracle import NEARLY
from feint.search.situations import drawing_of
from feint.tree import compiled as kept
from feint.tree.arrays import on_device
from feint.tree.compiled import KEPT, MANY, Compiled, compiled, options

COMPILED = "/jax/core/compile/backend_compile_duration"


def alive() -> int:
    """Compiled programs that the process holds."""
    gc.collect()
    return len(jax.local_devices()[0].client.live_executables())


@pytest.fixture
def compilations():
    """The names of what is compiled, while a test runs."""
    seen: list[str] = []

    def listen(event: str, seconds: float, **more: object) -> None:
        if event == COMPILED:
            seen.append(str(more.get("fun_name", event)))

    monitoring.register_event_duration_secs_listener(listen)
    yield seen
    monitoring.unregister_event_duration_listener(listen)


def test_training_again_compiles_nothing_and_holds_no_more(tmp_path, compilations):
    kept._code.cache_clear()  # another test may have trained the same
    jax.clear_caches()
    feint.train("cfr+", "kuhn", steps=10, out=tmp_path / "first")
    assert compilations
    compilations.clear()
    held = alive()
    for number in range(3):
        feint.train("cfr+", "kuhn", steps=10 + number, out=tmp_path / str(number))
    assert compilations == []
    assert alive() == held


@pytest.mark.parametrize("name", sorted({*algorithms()} - {"deepstack", "fictitious-play"}))
def test_algorithms_made_again_are_the_same_to_the_compiler(name):
    first, again = (algorithm_on(feint.unroll(load_game("kuhn")), name) for _ in range(2))
    assert jax.tree.structure(first) == jax.tree.structure(again)


def test_situations_and_public_trees_made_again_are_the_same_to_the_compiler():
    game = load_game("leduc")
    first, again = (drawing_of(game, NEARLY, 12, met=0.5) for _ in range(2))
    assert jax.tree.structure(first) == jax.tree.structure(again)
    assert jax.tree.structure(first) != jax.tree.structure(drawing_of(game, NEARLY, 13, met=0.5))
    first, again, other = (build_public_tree(load_game(f"leduc_no_limit(stack={stack})")) for stack in (500, 500, 600))
    assert jax.tree.structure(first) == jax.tree.structure(again)
    assert jax.tree.structure(first) != jax.tree.structure(other)


def test_what_is_known_is_put_on_the_device_as_it_is(compilations):
    form = TreeForm(feint.unroll(random_game(Random(20261118), 4, 2)))
    assert len(form.tree.form.sides) == 2
    assert len(form.arena.actor) > 1
    assert form.situations(0, "").listing is not None
    assert compilations == []
    numbers = np.arange(5.0)
    there = on_device(numbers, np.float32)
    numbers[:] = 7.0
    assert (there.dtype, there.tolist()) == (jnp.float32, [0.0, 1.0, 2.0, 3.0, 4.0])


def test_what_comes_out_need_not_be_arrays_and_what_goes_in_may_be_anything():
    scaled = compiled(lambda given, times=1: {"name": given["name"], "sum": given["numbers"].sum() * times})
    told = scaled({"name": "two", "numbers": np.arange(3)}, times=2)
    assert told == {"name": "two", "sum": 6}
    assert scaled({"name": "one", "numbers": np.arange(3)}) == {"name": "one", "sum": 3}
    # 2, 2.0 and True are told apart.
    assert scaled({"name": "two", "numbers": np.arange(3)}, times=2.0)["sum"].dtype == jnp.float64
    assert scaled({"name": "one", "numbers": np.arange(3)}, times=True)["sum"].dtype == jnp.int64


def test_memory_that_is_reused_is_gone():
    add = Compiled(lambda kept, given, number: given + number * kept, reused=(1,))
    kept, given = jnp.ones(1000), jnp.ones(1000)
    assert add(kept, given, 2)[0] == 3
    assert given.is_deleted()
    assert not kept.is_deleted()


def test_code_is_prepared_without_a_call(compilations):
    twice = compiled(lambda given: jnp.sort(given * 2))
    numbers = jnp.arange(5.0)
    compilations.clear()
    assert twice.prepare(numbers) >= 0
    assert len(compilations) == 1
    doubled = twice(numbers)
    assert len(compilations) == 1
    assert doubled[-1] == 8


def test_only_so_much_is_kept_and_the_rest_is_freed(monkeypatch):
    assert kept._code.cache_info().maxsize == KEPT
    monkeypatch.setattr(kept, "_code", lru_cache(maxsize=2)(kept._code.__wrapped__))
    add = compiled(lambda given, number: given + number)
    numbers = jnp.arange(3.0)
    add(numbers, -1)
    held = alive()
    for number in range(6):
        add(numbers, number)
    assert alive() == held + 1


def test_what_is_compiled_goes_before_memory_maps_run_out(monkeypatch):
    """Even what is compiled by others."""
    elsewhere = [jax.jit(lambda given, number=number: given * number) for number in range(3)]
    for each in elsewhere:
        each(jnp.arange(4.0))
    compiled(lambda given: given * 7)(jnp.arange(4.0))
    held = alive()
    monkeypatch.setattr(kept, "crowded", lambda: True)
    compiled(lambda given: given * 8)(jnp.arange(4.0))
    assert alive() < held - len(elsewhere)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux counts memory maps")
def test_memory_maps_are_counted(monkeypatch):
    assert not kept.crowded()
    monkeypatch.setattr(Path, "read_text", lambda path: "20")
    assert kept.crowded()


def test_programs_over_many_arrays_are_compiled_the_shorter_way_and_compute_the_same():
    assert options(MANY) is None
    assert (
        options(MANY + 1) is not None
    )  # if not: the compiler no longer knows it, and liar's dice compiles twice as long
    many = [jnp.arange(4.0) + number for number in range(MANY + 1)]
    assert float(_total(many)) == sum(float(each.sum()) for each in many)


@compiled
def _total(many):
    return sum(each[::-1].sum() for each in many)
