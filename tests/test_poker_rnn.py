"""The claims of "Poker-RNN" are answered from numbers, and its report from runs."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from conftest import advance
from feint.forms.dealt import CardForm
from feint.forms.leaves import leaves_of, restored
from feint.games.errors import BadInput, RunStopped
from feint.papers import poker_rnn, trials
from feint.papers.library import papers
from feint.papers.poker_rnn_claims import BUDGET, OURS, THEIRS, answer, hands_to, swing
from feint.papers.poker_rnn_hands import Estimate, Sense, sense
from feint.papers.poker_rnn_judge import AGENTS, RANDOM, Judged, on_leduc, starting_values
from feint.papers.records import Records, where
from feint.papers.trials import Trial, provenance, trained, value_networks
from feint.report.starting_hands import by_ranks
from feint.runs.checkpoint import save_checkpoint
from feint.runs.config import resolve
from feint.runs.files import write_whole
from feint.runs.loop import Unwatched
from feint.runs.provenance import provenance as made_here

NAMES = [*AGENTS, RANDOM]
TINY = {"tables": 16, "replay.capacity": 200, "warmup": 20, "batch": 8}
TINY_NFSP = TINY | {"average.capacity": 200}


def curve(best: float, end: float, wiggle: float = 0.0, rise: int = 10_000) -> list[dict[str, float]]:
    """Winnings that rise to their best, fall evenly to where they end, and wiggle all the way."""
    hands = [int(1.3**number) for number in range(20, 54)]
    falls = np.linspace(best, end, len(hands))
    return [
        {
            "hands": played,
            "winnings": (fall if played >= rise else 0.0) + wiggle * (-1) ** number,
            "winnings_error": 50.0,
            "updates": 50.0 * number,
        }
        for number, (played, fall) in enumerate(zip(hands, falls, strict=True))
    ]


def against(strength: dict[str, float], reach: float = 20.0) -> dict[tuple[str, str], Estimate]:
    """Who is stronger wins the difference."""
    return {
        (one, other): Estimate(strength[one] - strength[other], reach)
        for one in NAMES
        for other in NAMES
        if one != other
    }


def judged(strength: dict[str, float], bounds: dict[str, float], senses: dict[str, Sense], **curves) -> Judged:
    drawn = {name: curves.get(name, curve(2500, 2500)) for name in AGENTS}
    table = against(strength | {RANDOM: 0.0})
    spread = {name: Estimate(value, 100.0) for name, value in bounds.items()}
    return Judged(2.0 * BUDGET, drawn, table, table, spread, (Estimate(2900, 20), Estimate(3700, 100)), senses)


BLIND = Sense(Estimate(0.0, 0.1), 0.1, Estimate(0.0, 0.1), 0.0)
KEEN = Sense(Estimate(1.0, 0.1), 0.9, Estimate(0.2, 0.1), 2.0)
AS_THEY_SAY = judged(
    {"linear-q": 2900.0, "dqn": 2800.0, "drqn": 2600.0, "nfsp": 2200.0, "rnfsp": 2300.0},
    {"linear-q": 1000.0, "dqn": 4000.0, "drqn": 3000.0, "nfsp": 900.0, "rnfsp": 500.0},
    {"dqn": KEEN._replace(suited=Estimate(0.0, 0.05)), "nfsp": BLIND, "rnfsp": BLIND},
    dqn=curve(2500, 2500, wiggle=400.0),
    drqn=curve(2500, 2500, wiggle=400.0, rise=100_000),
    rnfsp=curve(2500, 2500, rise=100_000),
)
OTHERWISE = judged(
    {"linear-q": 1000.0, "dqn": 1500.0, "drqn": 1700.0, "nfsp": 2700.0, "rnfsp": 2600.0},
    {"linear-q": 4000.0, "dqn": 900.0, "drqn": 800.0, "nfsp": 1200.0, "rnfsp": 1500.0},
    {"dqn": Sense(Estimate(-1.0, 0.1), 0.1, Estimate(0.3, 0.1), 1.0), "nfsp": KEEN, "rnfsp": KEEN},
    **{name: curve(2500, 2500, wiggle=400.0) for name in ("linear-q", "nfsp", "rnfsp")},
    drqn=curve(2500, 1700, rise=2_000),
)


def verdicts(numbers: Judged) -> dict[str, str]:
    return {claim.words: answer(claim, numbers).verdict for claim in (*THEIRS, *OURS)}


def test_claims_hold_where_the_numbers_say_so():
    found = verdicts(AS_THEY_SAY)
    but_for_this = "Recurrence does worse: NFSP beats RNFSP"  # here RNFSP does better against all, as the paper has it
    assert found.pop(but_for_this) == "does not hold"
    assert set(found.values()) == {"holds"}, found


def test_claims_do_not_hold_where_the_numbers_say_otherwise():
    found = verdicts(OTHERWISE)
    holds = {words for words, verdict in found.items() if verdict == "holds"}
    assert holds == {"Recurrence does worse: NFSP beats RNFSP"}
    assert found["Recurrence is slower: RNFSP takes longer than NFSP"] == "does not hold"
    assert found["DQN's values do not show suits"] == "does not hold"
    assert "not decided" not in found.values(), found


def test_orders_differ_where_most_pairs_of_agents_do():
    """None of ten pairs is turned round, then one, then all."""
    claim, strength = OURS[0], {name: 1000.0 * number for number, name in enumerate(AGENTS)}
    for orders, verdict in (
        ((4, 3, 2, 1, 0), "does not hold"),
        ((3, 4, 2, 1, 0), "does not hold"),
        ((0, 1, 2, 3, 4), "holds"),
    ):
        bounds = {name: 1000.0 * place for name, place in zip(AGENTS, orders, strict=True)}
        assert answer(claim, judged(strength, bounds, {})).verdict == verdict
    assert answer(claim, judged(strength, dict.fromkeys(AGENTS, 0.0), {})).verdict == "not decided"


def test_what_errors_hide_is_not_decided():
    wide = AS_THEY_SAY._replace(cross=against(dict.fromkeys(NAMES, 0.0) | {"dqn": 10.0, "nfsp": 2450.0}, reach=100.0))
    found = verdicts(wide)
    assert found["Recurrence does worse: DQN beats DRQN"] == "not decided"
    assert found["NFSP comes to about 2 big blinds a hand against random play (1.5 to 2.5)"] == "not decided"


def test_fewer_hands_than_the_paper_s_decide_nothing():
    assert set(verdicts(AS_THEY_SAY._replace(hands=BUDGET - 1)).values()) == {"not decided at this length"}


def test_who_falls_short_of_random_is_told_with_its_best():
    measured = answer(OURS[-1], OTHERWISE).measured
    assert "linear wins 1,000 ± 20" in measured
    assert "DRQN wins 1,700 ± 20 (its best was 2,282 after 2,015 hands)" in measured
    assert "RNFSP" not in measured


def test_a_number_without_an_interval_is_told_without():
    assert str(Estimate(391.4, math.nan)) == "391"
    assert str(Estimate(1391.4, 20.0)) == "1,391 ± 20"


def test_steady_curves_do_not_swing():
    assert swing(curve(3000, 1000)) < 1
    assert swing(curve(3000, 1000, wiggle=100.0)) == pytest.approx(200, abs=1)


def test_curves_too_short_to_swing_decide_nothing():
    short = AS_THEY_SAY._replace(curves={name: curve(2500, 2500)[-2:] for name in AGENTS})
    assert math.isnan(swing(short.curves["dqn"]))
    assert verdicts(short)["DQN's curve swings more than NFSP's"] == "not decided"


def test_how_long_a_curve_takes_counts_from_the_first_update_and_to_where_it_stays():
    won = [0, 0, 2000, 2000, 2000, 0, 900, 2000, 1500, 1200, 1100]
    rows = [{"hands": 10 * at, "winnings": each, "updates": 50 * max(0, at - 1)} for at, each in enumerate(won)]
    assert hands_to(rows, 1000) == 70 - 10
    assert hands_to(rows, 1200) == 70 - 10
    assert hands_to(rows, 1201) == math.inf


@pytest.fixture(scope="module")
def holdem():
    return poker_rnn.limit_holdem()


def cards(holdem) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    deck = holdem.game.deck
    ranks = np.array([deck.rank(card) for card in range(deck.kinds)])
    suits = np.array([deck.suit(card) for card in range(deck.kinds)])
    return ranks[:, None], ranks[None], suits[:, None], suits[None]


def read(holdem, values: np.ndarray) -> Sense:
    values = values.astype(float).copy()
    np.fill_diagonal(values, np.nan)
    return sense(by_ranks(values[..., None], holdem.game.deck.copies)[..., 0])


def test_values_are_read_for_what_they_show(holdem):
    first, second, suit, other = cards(holdem)
    pairs = read(holdem, 0.5 * (first == second))
    assert pairs.pairs.low == pytest.approx(0.5)
    assert pairs.high == pairs.suited.value == 0
    high = read(holdem, 0.1 * (first + second))
    assert high.high == pytest.approx(1)
    assert high.pairs.low < 0 < high.pairs.high
    assert high.suited.value == pytest.approx(0)
    assert high.spread == pytest.approx(0.1 * 2 * 12)
    same = read(holdem, np.full((52, 52), 0.3))
    assert same.high == 0
    assert same.spread == pytest.approx(0)
    suited = read(holdem, 0.2 * ((suit == other) & (first != second)))
    assert suited.suited.low == pytest.approx(0.2)
    assert read(holdem, -0.1 * (first + second)).high == pytest.approx(-1)


def test_values_without_a_pattern_show_none(holdem):
    noise = np.random.default_rng(0).normal(size=(52, 52))
    found = read(holdem, noise + noise.T)
    assert abs(found.high) < 0.3
    assert found.pairs.low < 0 < found.pairs.high
    assert found.suited.low < 0 < found.suited.high


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nfsp", "rnfsp"])
def test_value_networks_come_from_the_checkpoint(holdem, name, tmp_path):
    """They are those that the same training has, and stay when the checkpoints go."""
    settings = TINY_NFSP | {"network": {"hidden": [8], "cell_units": 8}}
    run = trained(Trial(tmp_path / name, name, name, "holdem", "poker-rnn", settings, steps=40), Unwatched())
    solver = resolve(name, settings, "poker-rnn").on(CardForm(holdem))
    first = eqx.filter_jit(lambda solver, key: solver.init(key))(solver, jax.random.key(0))
    state = advance(solver, first, 40)
    for kept in (value_networks(run, solver), value_networks(run, solver)):
        for network, seat in zip(kept, solver.seats(state), strict=True):
            one, two = jax.tree.leaves(network), jax.tree.leaves(seat.values.network)
            assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(one, two, strict=True))
        for file in (run.path / "checkpoints").iterdir():
            file.unlink()
    values = starting_values(run, holdem)
    cell = solver.learners[0]
    assert holdem.actor[0] == 0
    assert np.isnan(values[3, 3])
    np.testing.assert_allclose(values, values.T)
    seen = cell.here.blank()._replace(cards=jnp.array([3, 40, 255, 255, 255, 255, 255], jnp.uint8))
    seen = jax.tree.map(lambda leaf: leaf[None], seen)
    told = np.asarray(solver.seats(state)[0].values.network.at(cell.here, seen, None))[0]
    assert values[3, 40] == pytest.approx(told.max(), abs=1e-5)  # rewards are in big blinds, and all moves legal
    (run.path / "values.safetensors").unlink()
    with pytest.raises(BadInput, match="no checkpoint of its last step"):
        value_networks(run, solver)


def test_value_networks_come_from_the_checkpoints_of_seats_that_learn_at_once(holdem, tmp_path):
    solver = resolve("linear-q", TINY, "poker-rnn").on(CardForm(holdem))
    solver = replace(solver, seating=replace(solver.seating, alike=True))
    state = solver.init(jax.random.key(0))
    networks = tuple(seat.values.network for seat in solver.seats(state))
    found = trials._values_in(save_checkpoint(tmp_path, 1, state, write_whole), leaves_of(networks), alike=True)
    kept = restored(found, networks)
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(kept), jax.tree.leaves(networks), strict=True))
    assert not np.array_equal(*(network.layers[0].weight for network in kept))


def test_winnings_off_random_play_do_not_tell_who_plays_well_on_leduc():
    """All exact: an equilibrium wins less than a third of what can be won, and raising blindly most of it."""
    found = on_leduc()
    assert found.most == pytest.approx(2.373611, abs=1e-6)  # half of NashConv 4.747222, since Leduc is zero-sum
    assert found.raising == pytest.approx(1.899306, abs=1e-6)
    assert found.lost == pytest.approx(2.366667, abs=1e-6)
    assert 0.6 < found.equilibrium < 0.8  # there are several


@pytest.mark.slow
def test_just_enough_hands_are_played_and_none_again(tmp_path, monkeypatch):
    trial = Trial(tmp_path / "q", "linear", "linear-q", "holdem", "poker-rnn", TINY, hands=40)
    whole = trials.train
    monkeypatch.setattr(trials, "train", lambda *of, hands, **how: whole(*of, hands=hands // 2, **how))
    with pytest.raises(RunStopped, match=r"at 2\d of 40 hands of linear, seed 0; the same command goes on"):
        trained(trial, Unwatched())
    monkeypatch.setattr(trials, "train", whole)
    run = trained(trial, Unwatched())
    assert 40 <= run.metrics[-1]["hands"] < 40 + TINY["tables"]
    assert [row["step"] for row in run.metrics] == sorted({row["step"] for row in run.metrics})
    monkeypatch.setattr(trials, "train", lambda *_, **__: pytest.fail("ran again"))
    assert trained(trial, Unwatched()).metrics == run.metrics
    assert "feint" in provenance([("linear", run)])
    with pytest.raises(BadInput, match="keeps another run than linear is now"):
        trained(replace(trial, seed=1), Unwatched())


def test_numbers_are_found_once_and_kept_with_what_they_were_made_with(tmp_path):
    notes = Records(tmp_path / "notes.jsonl")
    assert notes.note("one", lambda: [1.0, 2.0]) == [1.0, 2.0]
    again = Records(tmp_path / "notes.jsonl")
    assert again.note("one", lambda: [3.0]) == [1.0, 2.0]
    assert where(again.rows, lambda row: row["what"]) == f"{', '.join(made_here())}."


def test_most_is_what_most_rows_were_made_with():
    """And not what the most different labels were."""
    rows = [{"of": "one", "made_with": ["here"]}] * 5 + [
        {"of": name, "made_with": ["there"]} for name in ("two", "three")
    ]
    assert (
        where([*rows, {"of": "one"}], lambda row: row["of"])
        == "here.\nthere (for two; three).\nMachine not noted (for one)."
    )
    many = rows + [{"of": str(number), "made_with": ["far"]} for number in range(13)]
    assert where(many, lambda row: row["of"]).startswith("far.\nhere (for one).")
    assert where(many * 2 + [rows[0]] * 99, lambda row: row["of"]).endswith(
        "far (for 26 others).\nthere (for two; three)."
    )


@pytest.mark.slow
def test_the_report_is_written_from_runs(tmp_path, monkeypatch):
    assert papers()["poker-rnn"] is poker_rnn.reproduce
    settings = {name: TINY_NFSP if name.endswith("nfsp") else TINY for name in AGENTS}
    network = {"network": {"hidden": [8], "cell_units": 8}}
    settings = {name: own | ({} if name == "linear-q" else network) for name, own in settings.items()}
    tiny = replace(poker_rnn.QUICK, settings=settings, hands=10, matches=(64, 128), bounds=8)
    monkeypatch.setattr(poker_rnn, "QUICK", tiny)
    page = poker_rnn.reproduce(tmp_path, True, lambda title: Unwatched())
    text = page.read_text()
    for claim in (*THEIRS, *OURS):
        assert f"| {claim.words} | **not decided at this length**: " in text
    pictures = re.findall(r"\]\((.+\.png)\)", text)
    assert len(pictures) == 8
    assert all((tmp_path / picture).stat().st_size > 5_000 for picture in pictures)
    assert "jax" in text
    notes = (tmp_path / "quick" / poker_rnn.JUDGED).read_text()
    assert poker_rnn.reproduce(tmp_path, True, lambda title: Unwatched()).read_text() == text
    assert (tmp_path / "quick" / poker_rnn.JUDGED).read_text() == notes
