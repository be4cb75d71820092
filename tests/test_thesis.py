"""What a thesis on NFSP in Leduc asks of learners, and whether what is measured of them is what it is called."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import algorithm_on
from feint.games.poker import FOLD
from feint.learners.experience import Lesson
from feint.learners.networks import Design
from feint.learners.self_play import SelfPlay
from feint.learners.settings import Exploration, PolicyTraining, ValueTraining
from feint.papers import leduc_thesis, thesis_claims, thesis_samples, thesis_sixteen
from feint.papers.leduc_nfsp import paper_value
from feint.papers.thesis_measures import NUMBERS, Snapshot, measured, reaches
from feint.papers.thesis_trials import EXPERIMENTS, KNOWN, RECORDS, Experiment, marks, records, run
from feint.runs.config import resolve
from feint.runs.loop import Unwatched

PAGES = Path(__file__).parents[1] / "docs" / "results"


def test_epochs_go_down_the_same_loss_again():
    """Two epochs are two updates on one lesson, and count as one."""
    network = Design((3,))(2, 2, jax.random.key(0))
    rows = jnp.asarray([[0.0, 1.0], [1.0, 0.5]])

    def loss(network):
        return ((network(rows) - 1.0) ** 2).sum()

    once, twice = (ValueTraining("sgd", 0.1, epochs=epochs) for epochs in (1, 2))
    stepped = once.start(network)
    for _ in range(2):
        stepped, last = once.update(stepped, loss, jnp.asarray(True))
    at_once, said = twice.update(twice.start(network), loss, jnp.asarray(True))
    assert (int(stepped.updates), int(at_once.updates)) == (2, 1)
    assert float(said) == float(last)
    jax.tree.map(np.testing.assert_array_equal, at_once.network, stepped.network)


def test_exploration_falls_as_asked():
    steps = jnp.asarray([0.0, 1.0, 2.0, 4.0, 50.0])
    shares = {fall: jax.vmap(Exploration(0.06, fall=fall).share)(steps) for fall in ("root", "factorial", "power")}
    np.testing.assert_allclose(shares["root"], 0.06 / (1 + 0.01 * np.sqrt(steps)), rtol=1e-6)
    np.testing.assert_allclose(shares["factorial"][:4], 0.06 / np.asarray([1, 1, 2, 24]), rtol=1e-5)
    assert shares["factorial"][4] < 1e-30
    np.testing.assert_allclose(shares["power"], 0.06 ** (1 / np.maximum(steps, 1)), rtol=1e-6)


def test_moves_not_made_are_held_where_asked():
    taken = jnp.asarray([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    lesson = Lesson(None, 7.0 * taken, taken / 2).anchored(jnp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    np.testing.assert_array_equal(lesson.targets, [[1, 7, 3], [7, 5, 6]])
    np.testing.assert_array_equal(lesson.weights, np.full((2, 3), 0.5))


def test_values_are_coded_as_distributions():
    values = jnp.asarray([[0.0, 1.0, 3.0], [2.0, 2.0, 2.0]])
    every = jnp.ones((2, 3), bool)
    codings = {kind: PolicyTraining(imitate=kind).wished(values, every) for kind in ("values", "shares", "greedy")}
    np.testing.assert_allclose(codings["values"], jax.nn.softmax(values), rtol=1e-6)
    np.testing.assert_allclose(codings["shares"], [[0, 0.25, 0.75], [1 / 3] * 3], atol=1e-5)
    np.testing.assert_array_equal(codings["greedy"], [[0, 0, 1], [1, 0, 0]])
    sharp = PolicyTraining(imitate="values", temperature=0.5).wished(values, every)
    np.testing.assert_allclose(sharp, jax.nn.softmax(2 * values), rtol=1e-6)


@pytest.mark.parametrize("kind", ["values", "shares", "greedy"])
def test_values_of_moves_that_are_not_considered_have_no_share(kind):
    """Nothing is ever learned of these values."""
    values, allowed = jnp.asarray([[9.0, 1.0, 3.0], [-9.0, 1.0, 3.0]]), jnp.asarray([[False, True, True]] * 2)
    wished = np.asarray(PolicyTraining(imitate=kind).wished(values, allowed))
    assert not wished[:, 0].any()
    alone = PolicyTraining(imitate=kind).wished(values[:, 1:], allowed[:, 1:])
    np.testing.assert_allclose(wished[:, 1:], alone, rtol=1e-6)


def test_networks_start_as_kerass_do():
    first, last = Design((400,), initial="keras")(30, 3, jax.random.key(0)).layers
    for layer, most in ((first, (6 / 430) ** 0.5), (last, (6 / 403) ** 0.5)):
        assert 0.97 * most < float(jnp.abs(layer.weight).max()) <= most
        np.testing.assert_array_equal(layer.bias, 0)


def test_an_average_may_have_a_network_of_its_own(tree_of):
    settings = {"network.hidden": (5,), "policy.hidden": (9,), "policy.flat": False}
    learner = algorithm_on(tree_of("kuhn"), "nfsp", **settings).learners[0]
    seat = learner.new(jax.random.key(0))
    assert [part.network.layers[0].weight.shape[0] for part in (seat.values, seat.policy)] == [5, 9]
    assert np.ptp(learner.average(seat, None)[0]) > 0


def test_rewards_are_clipped(tree_of):
    """With two chips at stake and a clip of one, nothing larger is learned from."""
    settings = {"values.reward_scale": 1.0, "replay.kind": "rows", "tables": 64, "anticipation": 1.0}
    seen = {}
    for clip in (np.inf, 1.0):
        learner = algorithm_on(tree_of("kuhn"), "nfsp", **settings | {"values.reward_clip": clip})
        state, rewards = eqx.filter_jit(SelfPlay.init)(learner, jax.random.key(0)), []
        for key in jax.random.split(jax.random.key(1), 6):
            state, happened = eqx.filter_jit(SelfPlay._play)(learner, state, key)
            rewards += [np.asarray(each.reward)[np.asarray(each.offered & each.ended)] for each in happened]
        seen[clip] = np.abs(np.concatenate(rewards)).max()
    assert seen == {np.inf: 2.0, 1.0: 1.0}


PRINTED = {
    "network.hidden": (64,),  # 7.2.1: "one hidden layer, which contains 64 hidden neurons"
    "network.activation": "relu",  # Listings 2 and 3: Dense(self.n_hidden, activation='relu')
    "network.output": "linear",  # Listing 2: Dense(3, activation='linear')
    "network.initial": "keras",  # Listings 2 to 4: Dense as Keras makes it, copied to the target network
    "policy.flat": False,
    "policy.hidden": None,  # Listing 3: self.n_hidden too
    "network.bias": True,
    "values.rate": 0.1 * 2 / 3,  # Listing 2: loss='mse', a mean over three outputs; the paper's rate
    "values.optimiser": "sgd",  # Listing 2: self.sgd_br …
    "policy.optimiser": "sgd",  # … and Listing 3: self.sgd_ar
    "policy.rate": 0.005,  # the paper's
    "values.epochs": 2,  # Listing 5: epochs=2
    "policy.epochs": 2,  # Listing 6: the same
    "batch": 128,  # Listing 6: batch_size=128
    "warmup": 129,  # Listing 5: if self._rl_memory.size() > self.minibatch_size
    "values.anchored": True,  # Listing 5: target = self.target_br_model.predict(s_batch), but for the move made
    "values.target_every": 300,  # 7.2.2: "every 300 steps"
    "values.double": False,  # Listing 5: np.max of what the target network says
    "values.reward_scale": 1.0,  # Listing 5: r_batch[k] as it is
    "values.reward_clip": np.inf,  # 7.2.1: "Clipping Reward will be omitted"
    "values.error_clip": np.inf,
    "values.by_target": False,  # Listing 7: act_best_response is of the best-response network
    "values.discount": 1.0,  # the paper's, as all below but where a Listing is named
    "exploration.epsilon": 0.06,
    "exploration.fall": "factorial",  # Listing 5: self.epsilon = self.epsilon ** 1/self.iteration
    "masked": False,  # Listings 5 and 7: the largest of all three
    "tables": 2,  # Listing 7: self.update_strategy() after every move, so with two seats one for each …
    "values.updates": 1,
    "policy.updates": 1,
    "policy.imitate": "moves",  # Listing 7: self.remember_best_response(s2, a)
    "anticipation": 0.1,  # Listing 8: eta
    "replay.kind": "rows",  # Listing 5: self._rl_memory.sample_batch(self.minibatch_size)
    "replay.capacity": 200_000,
    "average.kind": "reservoir",
    "average.capacity": 2_000_000,
}
"""What Listings 2 to 8 of the thesis print, and what they leave to the paper."""


@pytest.mark.parametrize("name", PRINTED)
def test_preset_thesis_is_what_its_listings_print(name):
    found = resolve("nfsp", {}, "thesis")
    for part in name.split("."):
        found = getattr(found, part)
    assert found == PRINTED[name]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_experiments_are_settings_of_the_command_line(experiment):
    assert experiment.config() == resolve("nfsp", experiment.settings, experiment.preset)


def test_every_claim_is_about_an_experiment():
    asked = [name for claim in thesis_claims.CLAIMS for name in (claim.name, claim.reference)]
    assert {name for name in asked if name} | set(thesis_sixteen.CAUSES) <= set(KNOWN)
    assert all(claim.number in NUMBERS for claim in thesis_claims.CLAIMS)


def test_reaches_are_probabilities(tree_of):
    tree = tree_of("leduc")
    table = np.random.default_rng(0).dirichlet(np.ones(3), len(tree.legal)) * tree.legal
    table /= table.sum(1, keepdims=True)
    reach = reaches(tree, table)
    ends = reach[tree.terminal]
    assert ends.sum() == pytest.approx(1.0)
    values = feint.expected_values(tree, feint.TabularStrategy(tree.fingerprint, table))
    np.testing.assert_allclose(ends @ tree.payoff[tree.terminal], values, atol=1e-9)


def test_folds_are_weighed_by_how_often_they_come(tree_of):
    """In Kuhn poker, best responses that bet everything, or fold to every bet, against players who check and call."""
    tree = tree_of("kuhn")
    faced = tree.legal[:, FOLD]
    calling = np.where(np.arange(3) == 1, 1.0, 0.0) * np.ones((len(tree.legal), 1))
    folding = np.where(faced[:, None], np.eye(3)[FOLD], calling)
    values = np.zeros((len(tree.legal), 3))

    def look(response, average, wished=None):
        wished = response if wished is None else wished
        seen = Snapshot(1.0, 0.25, average, response, wished, values, np.asarray([0.5, 0.0]))
        return measured(tree, seen, np.random.default_rng(0))

    betting = np.where(tree.legal[:, [2]], np.eye(3)[2], calling)
    never = look(calling, calling, wished=np.eye(3)[np.zeros(len(tree.legal), int)])
    assert (never["mute"], never["wishes_fold"], never["average_folds"]) == (1.0, 1.0, 0.0)
    against = look(folding, betting)
    # The first seat checks and folds to the bet, the second folds at once: two of three decisions face a bet.
    assert against["folds"] == 1.0
    assert against["wishes_fold"] == pytest.approx(2 / 3, abs=1e-4)
    assert against["hands"] == -1.0
    assert against["hands_spread"] == pytest.approx(0.0, abs=1e-6)
    assert set(against) == set(NUMBERS)


def test_marks_end_with_the_last_step():
    assert marks(1) == [1]
    assert marks(1000)[-1] == 1000
    assert marks(1000) == sorted(set(marks(1000)))


def made_up(name: str, change: float = 1.0, **numbers: float) -> dict:
    """A record of two seeds whose exploitability falls to 0.1 after 600,000 steps, times `change`."""
    steps = KNOWN[name].steps
    rows = [
        {"step": step}
        | {number: [0.5, 0.5] for number in NUMBERS}
        | {"exploitability": [change * 60_000 / step, change * 66_667 / step]}
        | {number: [value, value] for number, value in numbers.items()}
        for step in (steps // 4, steps // 2, steps)
    ]
    head = {"name": name, "seeds": [0, 1], "steps": steps, "asked": steps, "seconds": 3600.0, "made_with": ["here"]}
    return head | {"rows": rows}


def test_claims_are_answered_from_records():
    kept = {name: made_up(name) for name in KNOWN}
    kept["author-relu"] = made_up("author-relu", 3.0, mute=0.95, wishes_fold=0.95, folds=0.3)
    kept["clipped"]["asked"] = 10
    verdicts = {claim.text: thesis_claims.answered(kept, claim)[2] for claim in thesis_claims.CLAIMS}
    assert verdicts["A ReLU output soon says 0 of every move (the author's settings)"] == "holds"
    assert verdicts["… and always folds to a bet"] == "does not hold"
    assert verdicts["A linear output does better (the author's settings)"] == "holds"
    assert verdicts["Fitted Q iteration is better than a copy every 300"] == "not decided"
    assert verdicts["Clipping rewards does harm"] == "too short to decide"
    del kept["shares"]
    shares = next(claim for claim in thesis_claims.CLAIMS if claim.name == "shares")
    assert thesis_claims.answered(kept, shares)[2] == "not run"


@pytest.mark.parametrize(
    ("ours", "verdict"), [([1.0, 1.01], "holds"), ([1.0, 1.5], "not decided"), ([3.0, 3.01], "does not hold")]
)
def test_two_are_the_same_where_their_interval_is_about_1(ours, verdict):
    claim = thesis_claims.Claim("The same", "thesis-leduc", reference="moves", same=True)
    kept = {
        name: {"asked": 100_000, "rows": [{"step": step, "exploitability": seeds} for step in (1, 100_000)]}
        for name, seeds in (("thesis-leduc", ours), ("moves", [1.0, 1.01]))
    }
    assert thesis_claims.answered(kept, claim)[2] == verdict


def test_a_ratio_has_students_interval():
    """By hand: means of logarithms 0 and log 2, deviations 0.1 and 0.1 around them, two degrees of freedom."""
    ones, others = np.exp([-0.1, 0.1]), 2 * np.exp([0.1, -0.1])
    ratio = thesis_claims.ratio_of(ones, others)
    reach = 4.302653 * 0.1 * 2**0.5  # pooled variance 0.02, over two seeds twice
    np.testing.assert_allclose(ratio, [0.5, 0.5 * np.exp(-reach), 0.5 * np.exp(reach)], rtol=1e-6)
    assert str(ratio) == "0.50 times (0.27 to 0.92)"


def test_a_ratio_to_a_known_number_has_students_interval():
    """By hand: a mean of logarithms of log 2, a deviation of 0.1 √2 of two seeds, one degree of freedom."""
    ratio = thesis_claims.ratio_to(2 * np.exp([-0.1, 0.1]), 1.0)
    reach = 12.7062 * 0.1
    np.testing.assert_allclose(ratio, [2, 2 * np.exp(-reach), 2 * np.exp(reach)], rtol=1e-5)


def test_one_more_seed_is_expected_where_student_says():
    """By hand: six seeds of which the logarithms are -1 and 1 three times each, so that their variance is 6 / 5."""
    reach = 2.570582 * (6 / 5 * 7 / 6) ** 0.5
    np.testing.assert_allclose(
        thesis_sixteen.next_seed(np.exp([-1, 1] * 3)), [1, np.exp(-reach), np.exp(reach)], rtol=1e-6
    )


def test_seeds_of_16_units_before_are_those_on_the_papers_page():
    curve = json.loads((PAGES / "leduc_nfsp" / "curves.json").read_text())["16-units"]
    assert tuple(curve[f"seed {seed}"][-1] for seed in range(3)) == thesis_sixteen.BEFORE


def test_when_networks_with_a_relu_output_fold_is_said():
    def folding(*rows):
        return {"seeds": [0, 1], "rows": [{"step": step, "folds": list(folds)} for step, *folds in rows]}

    kept = {
        "thesis-relu": folding((90, 0.8, 0.4), (122, 0.8, 0.4), (165, 0.3, 0.1), (223, 0.26, 0.2)),
        "author-relu": folding((90, 0.95, 0.1), (122, 0.5, 0.2), (1495, 0.93, 0.9), (2019, 0.92, 0.9)),
    }
    told = " ".join(thesis_claims.folding(kept).split())
    assert "folds to 40% and 80% of bets at step 90, before it learns anything" in told
    assert "and to at most 30% at every evaluation from step 165 on." in told
    assert "By the author's settings 1 of 2 seeds folds to over 90% at the end and from step 1,495 on." in told
    assert thesis_claims.folding({}) == ""


@pytest.mark.parametrize(("times", "verdict"), [(1.0, "holds"), (1.15, "not decided"), (3.0, "does not hold")])
def test_whether_a_curve_is_the_papers_is_said_of_every_mark(times, verdict):
    steps = (1_000, 10_000, 100_000)
    spread = 1.1 if verdict == "not decided" else 1.001
    rows = [
        {"step": step, "exploitability": [paper_value(64, step) * last, paper_value(64, step) * spread * last]}
        for step, last in zip(steps, (1.0, 1.0, times), strict=True)
    ]
    rows = [row | {"promised": [5.0, 5.1]} for row in rows]
    told = thesis_samples.same_curve({"thesis-leduc": {"asked": 100_000, "rows": rows}})
    assert f"The same curve as in Figure 8: exact **{verdict}**; as sampled" in told
    assert "in the mean **does not hold**." in " ".join(told.split())
    cut = thesis_samples.same_curve({"thesis-leduc": {"asked": 10, "rows": rows}})
    assert "exact **too short to decide**" in cut


def test_experiments_are_compared_after_as_many_steps():
    rows = [{"step": step, "gap": [value, 2 * value]} for step, value in ((10, 4.0), (1000, 2.0))]
    assert thesis_claims.seeds_at({"rows": rows}, "gap", 100) == pytest.approx([3.0, 6.0])
    assert thesis_claims.seeds_at({"rows": rows}, "gap", 1000) == pytest.approx([2.0, 4.0])
    kept = {"one": {"rows": rows}, "other": {"rows": rows[:1]}}
    assert thesis_claims.last_common(kept, "one", "other") == 10


def test_what_16_units_lack_is_said_from_records():
    kept = {name: made_up(name) for name in KNOWN}
    assert thesis_sixteen.lack(kept).startswith("Nothing that was given to 16 units is seen to help")
    better = kept | {name: made_up(name, 0.1) for name in thesis_sixteen.CAUSES}
    assert "seen to help" not in thesis_sixteen.lack(better)  # where all of them help there is no other
    kept["16-units"] = made_up("16-units", silent_values=0.75)
    kept["16-tanh"], kept["16-slow"] = made_up("16-tanh", 0.25), made_up("16-slow", 9.0)
    told = " ".join(thesis_sixteen.lack(kept).split())
    assert "What 16 units lack is **units that cannot die**: with that they come to 0.025 and 0.028" in told
    assert "At most 75% of a seed's units are silent at the end, and with units that cannot die 16 come to 0.24" in told
    assert thesis_sixteen.given(kept, "16-slow").verdict == "harms"
    assert thesis_sixteen.given(kept, "16-quick").verdict == "not decided"
    kept["16-direct"]["asked"] = 10
    rows = thesis_sixteen.changes(kept, thesis_sixteen.CAUSES, thesis_sixteen.PLAIN, "given").splitlines()
    assert [row.endswith("| too short to decide |") for row in rows] == [False] * 9 + [True, False]
    assert "not decided here" in thesis_sixteen.lack(kept)


def test_the_page_is_made_of_records():
    kept = {name: made_up(name, gap=0.02, promised=0.9, hands_spread=0.03) for name in KNOWN}
    kept["thesis"]["steps"] -= 1
    kept["16-units"]["seeds"] = [0, 1, 2]
    kept["16-tanh"]["made_with"] = ["there"]
    del kept["rules-fast"]
    page = leduc_thesis.page_of(kept)
    assert "Ended by the clock: as printed after 99,999 of 100,000 steps." in page
    assert "Not run: `fast` (ours) (fast on leduc_thesis)." in page
    assert "here.\nthere (for tanh: no unit can die)." in page
    assert (
        "With fewer seeds than they should have: the author's whole program (2 of 3); 64 units for values (2 of 4);"
        in page
    )
    assert "| 16 units | 1,000,000 | 0.060 and 0.067 |" in page
    assert f"beside: {len(kept) - 1} experiments with 2 seeds, 1 experiments with 3 seeds." in page
    assert "too little by 0.020 (-0.020 and -0.020 for each seed)" in " ".join(page.split())
    assert "| `thesis` | `paper` | 200,000 and 12,800,000 | 1.00 times" in page


@pytest.mark.slow
def test_experiments_are_run_recorded_and_read_back(tmp_path, monkeypatch):
    monkeypatch.setitem(KNOWN, "thesis", replace(KNOWN["thesis"], steps=150))
    monkeypatch.setattr(leduc_thesis, "FEW", ("thesis",))
    monkeypatch.setattr(leduc_thesis, "QUICK", 150)
    page = leduc_thesis.reproduce(tmp_path, True, lambda title: Unwatched()).read_text()
    kept = (tmp_path / RECORDS).read_text()
    assert json.loads(kept)["rows"][-1]["step"] == 150
    assert "quick look" in page
    for name in ("figure-7", "sixteen"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000
    assert leduc_thesis.reproduce(tmp_path, True, lambda title: Unwatched()).read_text() == page
    assert (tmp_path / RECORDS).read_text() == kept
    assert list(records(tmp_path)) == ["thesis"]


@pytest.mark.slow
def test_a_run_ends_when_its_time_is_up():
    """It keeps what it has: one piece, judged. Nearly all of it is compilation, which the page's own run has too."""
    experiment = Experiment("try", "a try", "thesis", {"network.hidden": (4,)}, "kuhn", seeds=1)
    record = run(experiment, 10**9, until=0.0)
    assert (record["steps"], record["asked"], len(record["rows"])) == (marks(10**9)[0], 10**9, 1)
    assert set(record["rows"][0]) == {"step", *NUMBERS}
