"""What does not fit into memory is refused in a sentence, before anything is taken."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import feint
from feint.forms.library import form_of
from feint.runs import resources
from feint.runs.config import RunConfig, resolve
from feint.tree import memory
from feint.tree.compiled import Compiled

PAPER = {"preset": "paper", "steps": 1}


@pytest.mark.parametrize(
    ("algorithm", "asked", "sentence"),
    [
        (
            "cfr+",
            {"seeds": 10**9},
            r"^cfr\+ on kuhn with 1,000,000,000 seeds needs .* GB of memory \(state\..* fewer seeds",
        ),
        (
            "nfsp",
            {"settings": {"network.hidden": "1000000,1000000"}},
            r"^nfsp on kuhn needs .*\.weight most of all\), but",
        ),
        ("nfsp", {"settings": {"replay.capacity": 10**13}, **PAPER}, r"needs .* \(state.*replay\.rows.* most of all\)"),
        (
            "nfsp",
            {"settings": {"batch": 10**18}, **PAPER},
            r"needs .* GB of memory \(its steps most of all\), but .* free;",
        ),
        (
            "nfsp",
            {"settings": {"batch": 10**30}, **PAPER},
            r"^nfsp (needs|cannot be set up with these settings \(Ov).* smaller",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, algorithm, asked, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        feint.train(algorithm, "kuhn", **{"steps": 1} | asked, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_steps_need_on_their_way_is_counted(monkeypatch):
    needed = Compiled(lambda x: jnp.sort(jnp.sort(x) @ x) @ x).prepare(jnp.ones((100, 100)))
    config = RunConfig("kuhn", "cfr+", {}, 0, 1, 1, None, None, None)
    resources.check_steps(needed, config)
    monkeypatch.setattr(resources, "memory", lambda: 1000)
    with pytest.raises(feint.BadInput, match=r"^cfr\+ on kuhn needs 0\.0 GB of memory \(its steps"):
        resources.check_steps(needed, config)


def test_a_container_may_leave_less_than_the_machine_has(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "CONTAINER", tmp_path)
    assert memory.memory() > 1e8
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    assert memory.memory() == 2_000_000
    (tmp_path / "memory.stat").write_text("anon 600000\ninactive_file 400000\nslab 7\n")
    assert memory.memory() == 2_400_000, "files that were read take room only until someone needs it"
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.memory() > 1e8


@pytest.mark.parametrize(
    ("backend", "sweeps", "nodes", "moved"),
    [
        ("gpu", True, 1_939, True),
        ("gpu", True, 294_883, False),
        ("gpu", False, 1_939, False),
        ("gpu", False, None, False),
        ("cpu", True, 1_939, False),
    ],
)
def test_small_trees_are_swept_by_the_processor(backend, sweeps, nodes, moved):
    assert resources.on_processor(backend, sweeps, nodes) == moved


def test_a_run_is_where_it_is_at_home(tmp_path, monkeypatch):
    """A stand-in for an accelerator, of which there is none here: the processor is then asked for by name."""
    form = form_of("kuhn")
    assert resources.device_for(resolve("cfr+", {}), form) is None
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert resources.device_for(resolve("cfr+", {}), form).platform == "cpu"
    assert resources.device_for(resolve("nfsp", {}), form) is None
    assert feint.train("cfr+", "kuhn", steps=10, out=tmp_path / "run").metrics[-1]["step"] == 10
