"""Several devices train what one does: shown on a processor that is made to be four, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import feint
from feint.arena.devices import TABLES, shared, whole
from feint.forms.unrolled import TreeForm
from feint.runs.config import RunConfig, resolve
from feint.runs.sharing import SEEDS, Sharing
from feint.runs.trainer import Trainer

FOUR = "--xla_force_host_platform_device_count=4"
PAPER = {"tables": 32, "batch": 32, "warmup": 100, "replay.capacity": 1000, "average.capacity": 5000}
"""NFSP with minibatches, small enough for a test."""

PROGRAM = """
import json, sys, warnings
import numpy as np
import feint
warnings.simplefilter("error")
SETTINGS = json.loads(sys.argv[1])
laid = []

def follow(now):
    state = now.trainer.state
    laid.append([str(leaf.sharding.spec) for leaf in (state.where, state.pending.move, state.seats[0].replay.seen)])

def refused(*asked, **more):
    try:
        feint.train(*asked, steps=1, **more)
    except feint.BadInput as error:
        return str(error)

runs = {
    "seeds": feint.train("fsp", "kuhn", steps=20, seeds=4, out="seeds", devices=4),
    "tables": feint.train("nfsp", "kuhn", steps=40, preset="paper", settings=SETTINGS, out="tables", devices=2),
}
runs["tables"] = feint.train("nfsp", "kuhn", steps=60, resume=True, out="tables", devices=4, callback=follow)
refusals = [
    refused("fsp", "kuhn", seeds=6, devices=4),
    refused("nfsp", "kuhn", settings={"tables": 30}, devices=4),
    refused("nfsp", "kuhn", preset="paper", settings={"batch": 30}, devices=4),
    refused("cfr+", "kuhn", devices=4),
    refused("cfr+", "kuhn", seeds=8, devices=8),
]
print(json.dumps({"laid": laid, "refusals": refusals}))
"""


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """Where a process with four devices has trained, and what it said."""
    folder = tmp_path_factory.mktemp("four")
    flags = f"{os.environ.get('XLA_FLAGS', '')} {FOUR}"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(PAPER)],
        cwd=folder,
        env=os.environ | {"XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def same(run, other):
    """What two runs came to at every evaluation, and last of all, is the same up to rounding."""
    for one, two in zip(run.metrics, other.metrics, strict=True):
        assert one.keys() == two.keys()
        for name, value in one.items():
            assert value == pytest.approx(two[name], rel=1e-5, abs=1e-9), (one["step"], name)
    both = (each.strategy.arrays()["probabilities"] for each in (run, other))
    np.testing.assert_allclose(*both, atol=1e-6)


@pytest.mark.slow
def test_seeds_on_devices_of_their_own_learn_what_they_learn_side_by_side(four, tmp_path):
    folder, _ = four
    same(feint.load_run(folder / "seeds"), feint.train("fsp", "kuhn", steps=20, seeds=4, out=tmp_path / "one"))


@pytest.mark.slow
def test_tables_and_minibatches_that_devices_share_come_to_the_same(four, tmp_path):
    """Begun on two devices, gone on with on four; on one it is the same run."""
    folder, told = four
    shared = feint.load_run(folder / "tables")
    same(shared, feint.train("nfsp", "kuhn", steps=60, preset="paper", settings=PAPER, out=tmp_path / "one"))
    # Tables are on four devices and memories on all, and stay there, so that nothing is compiled twice.
    assert {tuple(each) for each in told["laid"]} == {("P('tables',)", "P('tables',)", "P()")}
    assert shared.config.devices == 4
    assert shared.provenance[0].startswith("4 × ")
    assert "--devices 4" in shared.config.command(shared.metrics[-1])
    # It goes on with one device, too.
    again = feint.train("nfsp", "kuhn", steps=70, resume=True, out=folder / "tables")
    assert again.config.devices == 1
    assert again.metrics[-1]["step"] == 70


@pytest.mark.slow
def test_what_cannot_be_shared_out_is_refused_in_a_sentence(four):
    seeds, tables, batch, nothing, few = four[1]["refusals"]
    assert seeds == "--seeds must be a multiple of the 4 devices that share it, but it is 6."
    assert tables == "tables must be a multiple of the 4 devices that share it, but it is 30."
    assert batch == "batch must be a multiple of the 4 devices that share it, but it is 30."
    assert nothing.startswith("cfr+ on kuhn plays no tables that 4 devices could share; give --seeds 4")
    assert few.startswith("--devices 8 needs 8 devices, but there are 4 (cpu); ask for no more; XLA_FLAGS=")


def test_seeds_that_are_shared_out_step_as_they_do_side_by_side(tree_of):
    """The same code with a single device, which a processor has without being told to."""
    form = TreeForm(tree_of("kuhn"))
    solver, config = resolve("cfr+", {}).on(form), RunConfig("kuhn", "cfr+", {}, seeds=2)
    mesh = Mesh(np.array(jax.devices()[:1]), (SEEDS,))
    trainers = [Trainer(solver, form.gauge(True), config, Sharing(True, each)) for each in (None, mesh)]
    for trainer in trainers:
        trainer.advance(3)
    plain, apart = (trainer.evaluate() for trainer in trainers)
    assert plain == apart
    assert trainers[1].state.iteration.sharding.mesh == mesh


def test_batches_are_laid_over_devices_only_where_someone_asks_for_it():
    def laid(rows):
        return shared(rows), whole(rows)

    rows = np.arange(4.0)
    assert not jax.jit(laid).trace(rows).jaxpr.eqns
    with jax.set_mesh(Mesh(np.array(jax.devices()[:1]), (TABLES,))):
        over, everywhere = (line.params["sharding"].spec for line in jax.jit(laid).trace(rows).jaxpr.eqns)
    assert (over, everywhere) == (PartitionSpec(TABLES), PartitionSpec())


def test_the_command_says_where_there_are_fewer_devices(call):
    code, _, err = call("train", "fsp", "kuhn", "--seeds", "1000", "--devices", "1000", "--steps", "1")
    assert code == 2
    assert "--devices 1000 needs 1000 devices, but there " in err
    code, _, err = call("train", "fsp", "kuhn", "--devices", "0", "--steps", "1")
    assert code == 2
    assert "devices must be 1 or more, but devices=0 was given" in err
