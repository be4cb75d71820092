"""Seeds and readings of "Poker-RNN": settings read otherwise, lanes side by side, and pages made of their records."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from conftest import advance, reached
from feint.arena.betting import unroll_betting
from feint.arena.cards import Seen, build_card_arena
from feint.arena.situations import Shown
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.games.poker import CALL
from feint.learners.modes import Roles
from feint.learners.networks import Design
from feint.learners.nfsp import NFSP
from feint.learners.q_learning import QLearning
from feint.learners.settings import Average, Exploration, Replay, ValueTraining
from feint.papers.poker_rnn_answers import NOISE, TARGETS, jacks, luck_of_points, noisier, targets
from feint.papers.poker_rnn_claims import FAILS, HOLDS, OPEN, OURS, THEIRS, no_pattern
from feint.papers.poker_rnn_figures import draw_seeds
from feint.papers.poker_rnn_hands import Estimate, connected, over_neighbours, sense
from feint.papers.poker_rnn_lanes import PIECE, Lanes, dialled, due
from feint.papers.poker_rnn_records import Keeper, blank_networks, kept_networks
from feint.papers.poker_rnn_searchers import search_table, searched
from feint.papers.poker_rnn_seeds import MORE, answer, claims_table, largest_fall, over_seeds, reproduced, seeds_of
from feint.papers.poker_rnn_seeds_page import (
    died,
    differing,
    lengths,
    not_tried,
    readings_table,
    statistics,
    write_seeds_page,
)
from feint.papers.poker_rnn_variants import BASE, LABELS, TRIALS, UPDATES, Trial, Variant, number, preset

NONE = Exploration(0.0)


def test_exploration_falls_in_a_straight_line_where_asked_to():
    printed = Exploration(0.1, decay=0.0, slope=0.1 / 1000, least=0.01)
    shares = [float(printed.share(jnp.asarray(float(step)))) for step in (0, 500, 900, 5000)]
    assert shares == pytest.approx([0.1, 0.05, 0.01, 0.01])
    with pytest.raises(BadInput, match="least must be from 0 to epsilon"):
        Exploration(0.1, least=0.2)


@pytest.mark.parametrize("by_target", [False, True])
def test_best_responses_are_played_by_the_target_where_asked_to(by_target):
    settings = QLearning(values=ValueTraining(by_target=by_target), replay=Replay("rows", 200), exploration=NONE)
    learner = settings.on(form_of("kuhn"))
    part = learner.learners[0]
    seat, other = part.new(jax.random.key(0)), part.new(jax.random.key(1))
    seat = seat._replace(target=other.target)
    best = [part.best(each.values.network, None).argmax(1).tolist() for each in (seat, other)]
    assert best[0] != best[1]
    assert part.explored(seat, jnp.asarray(0.0), None).argmax(1).tolist() == best[by_target]


def test_some_hands_are_played_at_random_and_enter_no_average():
    roles = Roles(NFSP(anticipation=0.2, noise=0.1), None)
    uniform = jnp.asarray([[0.1, 0.95], [0.5, 0.89]])
    assert roles.responding(uniform).tolist() == [[True, False], [False, False]]
    assert roles.straying(uniform).tolist() == [[False, True], [False, False]]
    always = Roles(QLearning(noise=0.1), None)
    assert always.responding(uniform).tolist() == [[True, False], [True, True]]
    with pytest.raises(BadInput, match="noise must be 0 where seats learn against random play"):
        QLearning(noise=0.1, opponent="uniform")


@pytest.mark.slow
def test_memories_hold_what_seats_do_at_random():
    rows = {"replay": Replay("rows", 500), "average": Average("reservoir", 500)}
    settings = NFSP(tables=16, noise=0.999999, anticipation=1e-9, batch=8, warmup=10**6, **rows)
    learner = settings.on(form_of("kuhn"))
    state = reached(learner, 60)
    assert bool(state.straying.all())
    seats = learner.seats(state)
    assert all(int(seat.replay.size) > 100 and int(seat.history.size) == 0 for seat in seats)


def test_checks_have_an_answer_of_their_own():
    betting = unroll_betting(load_game("leduc"))
    here = Shown(build_card_arena(betting, "rlcard-four"))
    assert (here.moves, here.outputs) == (3, 4)
    assert Shown(build_card_arena(betting, "rlcard")).outputs == 3
    nodes = jnp.arange(len(betting.actor))
    told = jnp.broadcast_to(jnp.asarray([1.0, 2.0, 3.0, 4.0]), (len(nodes), 4))
    seen = Seen(nodes, jnp.zeros((len(nodes), here.arena.hole), jnp.uint8))
    answers = np.asarray(here.by_move(told, seen))
    checks = np.array([words[CALL] == "check" for words in betting.spoken])
    assert checks.any()
    assert not checks.all()
    np.testing.assert_array_equal(answers[:, CALL], np.where(checks, 4.0, 2.0))
    np.testing.assert_array_equal(answers[:, [0, 2]], np.tile([1.0, 3.0], (len(nodes), 1)))


def test_hands_in_a_row_are_compared_with_hands_as_high():
    height = np.arange(13)[::-1].astype(float)
    chart = height[:, None] + height[None]
    assert connected(chart).value == pytest.approx(0)
    chart[2, 3] += 1.0  # QJ suited alone
    assert over_neighbours(chart) == pytest.approx({"QJ over KT": 0.5, "JT over Q9": 0.0})
    chart += np.eye(13, k=1) + np.eye(13, k=-1)
    assert connected(chart).low > 0.9


def test_every_lane_has_the_numbers_of_its_variant():
    trial = TRIALS["nfsp/readings"]
    assert len(trial.lanes) == 3 * len(trial.variants)
    dials = trial.dials
    for place, (variant, _) in enumerate(trial.lanes):
        for name, values in dials.items():
            assert values[place] == variant.dials.get(name, number(preset("nfsp"), name))
    names = [variant.name for variant in trial.variants]
    assert len(set(names)) == len(names)
    assert names[0] == BASE
    assert "a target every 1,000 moves" not in names  # which is the preset's
    assert not any("target every" in variant.name for variant in TRIALS["rnfsp/readings"].variants)
    for each in TRIALS.values():  # every variant is a setting that is accepted
        for variant in each.variants:
            for name in variant.dials:
                assert number(dialled(each.settings, variant.dials), name) == pytest.approx(variant.dials[name])


@pytest.mark.parametrize(("kind", "every"), UPDATES.items())
def test_updates_come_after_other_moves_and_all_else_after_as_many(kind, every):
    published, settings = preset("dqn"), TRIALS[f"dqn/{kind}".replace(" ", "-")].settings
    assert (settings.tables, settings.values.updates) == (2 * every, 1)
    assert settings.values.target_every * every == published.values.target_every * 10
    for moves in (0.0, 2e4, 1e6):
        shares = [float(each.exploration.share(jnp.asarray(moves / each.tables))) for each in (settings, published)]
        assert shares[0] == pytest.approx(shares[1])
    if every == 10:
        assert settings == published
    trial = TRIALS[f"linear-q/{kind}".replace(" ", "-")]
    assert (trial.steps % PIECE, trial.steps * trial.settings.tables) == (0, 500_000)


def test_evaluations_come_as_steps_grow():
    assert [due(step, 1.3) for step in (0, 100, 150, 200)] == [100, 150, 200, 300]
    assert due(100, 8.0) == 800


SMALL = {"replay": Replay("rows", 500), "average": Average("reservoir", 500), "batch": 8, "warmup": 50}


@pytest.mark.slow
def test_lanes_learn_as_they_would_alone_and_go_on_after_a_cut(tmp_path):
    two = (Variant(BASE), Variant("slower", {"values.rate": 0.001, "anticipation": 0.8}))
    changes = SMALL | {"network": Design((8,)), "tables": 8}
    trial = Trial("nfsp", "published", two, hands=60, changes=changes, seeds=(1, 2), bounds=8)
    whole = Lanes(trial, tmp_path / "whole", print)
    whole.advance(2)
    cut = Lanes(trial, tmp_path / "cut", print)
    cut.advance(1)
    cut.evaluate()
    cut.keep()
    again = Lanes(trial, tmp_path / "cut", print)
    assert (again.step, again.curves) == (PIECE, cut.curves)
    again.advance(1)
    np.testing.assert_array_equal(whole.hands, again.hands)
    slower = replace(trial.settings, anticipation=0.8, values=replace(trial.settings.values, rate=0.001))
    learner = slower.on(whole.form)
    alone = advance(learner, eqx.filter_jit(learner.init)(jax.random.key(2)), 2 * PIECE)
    assert int(alone.hands) == whole.hands[3]
    ours, theirs = whole.networks()[3][0], learner.networks(alone)
    for one, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    keeper = Keeper(again, tmp_path, print)
    keeper.train(time.time() - 1)
    keeper.judge(time.time() + 600)
    rows = [json.loads(line) for line in (tmp_path / "records" / "nfsp-published.jsonl").read_text().splitlines()]
    assert [(row["variant"], row["seed"]) for row in rows] == [(BASE, 1), (BASE, 2), ("slower", 1), ("slower", 2)]
    assert all(np.shape(row["chart"]) == (13, 13) and len(row["bound"]) == 3 for row in rows)
    assert ["base" in row for row in rows] == [False, False, True, True]


def test_the_command_begins_what_there_is_room_for(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    import poker_rnn_trials as program

    room = program.argparse.Namespace(gpu=1, cpu=2, state=tmp_path)
    names = ["dqn/published", "nfsp/readings", "linear-q/published", "mcts/dqn", "cross"]
    assert program.startable(names, [], room) == ["dqn/published"]
    assert program.startable(names, [], program.argparse.Namespace(**vars(room) | {"gpu": 4})) == names[:3]
    (tmp_path / "networks").mkdir()
    (tmp_path / "networks" / "dqn-published.safetensors").touch()
    assert program.startable(["cross", "mcts/dqn", "mcts/nfsp"], ["dqn/published"], room) == ["mcts/dqn"]
    assert program.startable(["cross"], ["nfsp/readings"], room) == []
    assert program.startable(["cross"], [], room) == ["cross"]
    assert program.surroundings("mcts/dqn")["JAX_PLATFORMS"] == "cpu"


def test_agents_trained_again_stand_in_for_networks_that_are_not_kept(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    import poker_rnn_matches as program

    folder = tmp_path / "networks"
    folder.mkdir()
    for name in ("linear-q-again", "rnfsp-published"):
        (folder / f"{name}.safetensors").touch()
    assert [agent for agent in LABELS if program.is_there(tmp_path, agent)] == ["linear-q", "rnfsp"]
    assert program._again(tmp_path, "linear-q", "rnfsp") == {"again": ["linear-q"]}
    assert program._again(tmp_path, "rnfsp", "random") == {}
    assert program._teacher(tmp_path) == "linear-q"
    (folder / "linear-q-published.safetensors").touch()
    assert program._again(tmp_path, "linear-q", "rnfsp") == {}


def test_networks_are_read_back_with_fewer_digits(tmp_path):
    from safetensors.numpy import save

    from feint.forms.leaves import leaves_of

    settings = QLearning(tables=2, replay=Replay("rows", 10), network=Design(()))
    solver = settings.on(form_of("kuhn"))
    networks = solver.networks(solver.init(jax.random.key(1)))
    arrays = {f"1/playing/{name}": np.asarray(leaf, np.float16) for name, leaf in leaves_of(networks).items()}
    (tmp_path / "kept").write_bytes(save(arrays))
    kept = kept_networks(tmp_path / "kept", blank_networks(solver), 1, "playing")
    assert kept[0].layers[0].weight.dtype == jnp.float32
    np.testing.assert_allclose(kept[1].layers[0].weight, networks[1].layers[0].weight, atol=1e-3)


def curve(best: float, fall: float, hands: float) -> list[dict[str, float]]:
    """A curve that rises to its best, and falls from there by so much, again and again."""
    won = [0.0, best / 2, best, *([best - fall, best] * 6)]
    return [
        {
            "step": 10 * at,
            "hands": hands / 2 ** (len(won) - 1 - at),
            "updates": 200 * at,
            "winnings": value,
            "winnings_error": 20.0,
            "winnings_100": value,
            "value_spread": 1.0,
        }
        for at, value in enumerate(won)
    ]


def kept(hands: float = 2e6, best: float = 2500.0, rnfsp: float = 2000.0) -> list[dict]:
    """Records of three seeds of all agents, of readings and of searchers, made up."""
    height = np.arange(13)[::-1] / 10
    chart = (height[:, None] + height[None] + np.eye(13, k=1) + np.eye(13, k=-1) + np.eye(13)).tolist()
    noise = np.random.default_rng(0).normal(size=(13, 13)).tolist()
    found = []
    for seed in (1, 2, 3):
        for agent in LABELS:
            about = {"trial": f"{agent}/published", "agent": agent, "kind": "published", "variant": BASE, "seed": seed}
            about |= {"seconds": 60.0, "made_with": ["a card", "jax 0"], "done": True, "step": 10}
            peak, fall = (rnfsp if agent == "rnfsp" else best), (600.0 if agent.endswith("qn") else 0.0)
            about |= {"curve": curve(peak, fall, hands), "chart": noise if agent == "nfsp" else chart}
            found.append(about | {"random": [peak, 20.0, 100], "bound": [1000.0 + seed, 50.0, 100]})
        names = [*LABELS, "random"]
        pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
        found += [{"trial": "cross", "seed": seed, "one": a, "other": b, "won": [100.0, 9.0, 10]} for a, b in pairs]
        for variant, won in ((BASE, 1000.0), ("slower", 1000.0 + 100 * seed)):
            row = {"trial": "dqn/readings", "agent": "dqn", "kind": "readings", "variant": variant, "seed": seed}
            row |= {"curve": curve(won, 0.0, 5e4), "chart": chart, "random": [won, 5.0, 9], "bound": [won, 5.0, 9]}
            found.append(row | ({} if variant == BASE else {"base": [10.0 * seed, 5.0, 9]}))
    match = {"trial": "mcts/dqn", "seed": 1, "one": "ismcts", "other": "dqn", "simulations": 500, "trained": 2e6}
    return [*found, match | {"won": [321.0, 45.0, 1234], "made_with": ["a processor"]}]


def answers(records) -> dict[str, list[str | None]]:
    seeds = seeds_of(records)
    return {claim.words: [answer(claim, seed).verdict for seed in seeds] for claim in MORE}


def lines(table: str) -> dict[str, list[str]]:
    """The cells of each line after its first."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_claims_are_answered_seed_by_seed():
    found = answers(kept())
    assert all(len(verdicts) == 3 for verdicts in found.values())
    assert found.pop("DRQN's patterns are clearer than DQN's") == [FAILS] * 3
    assert {verdict for verdicts in found.values() for verdict in verdicts} == {HOLDS}, found
    assert answers(kept(rnfsp=3000.0))["RNFSP's peak is lower than NFSP's"] == [FAILS] * 3
    assert answers(kept(rnfsp=2490.0))["RNFSP's peak is lower than NFSP's"] == [OPEN] * 3
    told = lines(claims_table(THEIRS, seeds_of(kept())))["The linear agent beats NFSP"]
    hands = "linear 2,000,000, NFSP 2,000,000"
    assert told == ["**holds**; at the paper's length: holds in 3", hands, *["it wins 100 ± 9 mbb/h"] * 3]


def test_nothing_is_decided_by_fewer_hands_or_seeds_than_it_takes():
    short, beats = kept(), "The linear agent beats NFSP"
    for row in short:
        if row.get("agent") == "nfsp" and row["kind"] == "published" and row["seed"] == 2:
            row["curve"] = curve(2500.0, 0.0, 5e5)
    table = lines(claims_table(THEIRS, seeds_of(short)))
    assert table[beats][0] == "**not decided**; at the paper's length: holds in 2; after fewer hands: holds in 1"
    assert table[beats][1] == "linear 2,000,000, NFSP 500,000"
    assert table["The linear agent beats RNFSP"][0] == "**holds**; at the paper's length: holds in 3"
    split = kept()
    for row in split:
        if row["trial"] == "cross" and (row["seed"], row["one"], row["other"]) == (2, "linear-q", "nfsp"):
            row["won"] = [-100.0, 9.0, 10]
    told = lines(claims_table(THEIRS, seeds_of(split)))[beats][0]
    assert told == "**not decided**; at the paper's length: holds in 2, does not hold in 1"


def test_networks_that_died_show_no_pattern():
    flat = np.full((13, 13), 0.5733)
    assert sense(flat).pairs == (0.0, 0.0)
    records = kept()
    for row in records:
        if row.get("agent") == "nfsp":
            row["chart"] = flat.tolist()
    assert [no_pattern("nfsp")(seed.judged).verdict for seed in seeds_of(records)] == [HOLDS] * 3


def test_a_curve_that_falls_on_its_way_up_does_not_rise_first():
    records = kept()
    for row in records:
        if row.get("kind") == "published":
            row["curve"][1]["winnings"], row["curve"][0]["winnings"] = 0.0, 1900.0
    assert answers(records)["DQN's curve rises before it swings"] == [FAILS] * 3
    assert largest_fall([1, 5, 3, 4, 1, 9]) == 4


def test_what_no_record_has_is_said():
    missing = [row for row in kept() if not (row["trial"] == "cross" and row["seed"] == 2 and row["one"] == "dqn")]
    table = lines(claims_table(THEIRS, seeds_of(missing)))
    assert table["Recurrence does worse: DQN beats DRQN"][3] == "no match of DQN and DRQN"
    none = [row for row in kept() if row["trial"] != "cross"]
    told = lines(claims_table(THEIRS, seeds_of(none)))["The linear agent beats NFSP"]
    assert told == ["**not decided**; no match of linear and NFSP", "–", "–", "–", "–"]
    # What an agent won off random play is known of itself.
    comes = "NFSP comes to about 2 big blinds a hand against random play (1.5 to 2.5)"
    assert "2,500 ± 20 mbb/h" in lines(claims_table(THEIRS, seeds_of(none)))[comes]


def test_the_reproductions_own_seed_answers_by_its_curves():
    first = reproduced(Path(__file__).parents[1] / "docs" / "results" / "poker_rnn" / "as-published")
    found = {claim.words: answer(claim, first) for claim in MORE}
    assert found["RNFSP's peak is lower than NFSP's"].verdict == FAILS
    assert found["RNFSP's peak is lower than NFSP's"].whole
    assert found["DRQN's patterns are clearer than DQN's"][:2] == (None, "no kept values of DRQN")
    beats, bounds = (lines(claims_table(claims, [first])) for claims in (THEIRS, OURS))
    assert beats["The linear agent beats RNFSP"][-1] == "it wins 39 ± 20 mbb/h"
    assert bounds["NFSP is less exploitable than DQN, by local best responses"][-1].startswith("bounds 2,916 ± 54")


def test_readings_are_one_table_with_intervals_over_seeds():
    table = readings_table(kept())
    reach = 4.302653 * 100 / 3**0.5
    slower = "| DQN | slower | 3 | 50,000 | 140 of 50,000 |"
    assert f"{slower} 1,200 ± {reach:,.0f} | 1,200 ± {reach:,.0f} | 20 ± 25 |" in table
    assert "| DQN | as published | 3 | 50,000 | 140 of 50,000 | 1,000 ± 0 | 1,000 ± 0 | – |" in table
    assert "differ: none does." in differing(kept())
    won = [row | ({"base": [20.0 + row["seed"], 5.0, 9]} if "base" in row else {}) for row in kept()]
    assert "DQN with slower (22 ± 2 mbb/h)" in differing(won)
    assert over_seeds([1.0, 3.0]) == Estimate(2.0, pytest.approx(12.706205))
    assert "| DQN | 2,000,000 | ismcts | 500 | 1,234 | 321 ± 45 |" in search_table(kept())
    assert "the searcher wins 1 and loses 0;" in searched(kept())


def test_what_a_reading_changes_is_answered_seed_by_seed():
    assert (noisier(kept()), targets(kept())) == ("", "")
    noisy, late = (
        [row | ({"variant": words} if row.get("variant") == "slower" else {}) for row in kept()]
        for words in (NOISE, TARGETS.format("1,000"))
    )
    for row in late:
        if row.get("kind") == "readings" and row["variant"] != BASE:
            row["base"] = [100.0 + row["seed"], 5.0, 9]
    # It loses 100, 200 and 300 more than without, which seeds differ by too much to tell.
    assert "agents win DQN 20 ± 25 mbb/h off" in noisier(noisy)
    assert "and lose DQN 200 ± 248 more to a local best response: not decided for all 1" in noisier(noisy)
    # The published settings have the lower end: what the higher wins off it, it loses.
    assert "agents win DQN -102 ± 2 mbb/h off" in targets(late)
    assert "and lose DQN -200 ± 248 more to a local best response: worse for DQN (of 2" in targets(late)


def test_luck_in_points_of_a_hundred_hands_is_what_more_hands_do_not_show():
    records = kept()
    for row in records:
        if row.get("kind") == "published":
            row["curve"] = [
                {"hands": 1e6, "winnings": 10.0 * (at % 2), "winnings_100": 100.0 * (at % 2)} for at in range(9)
            ]
    assert "DRQN 100 and 10 (99%)" in luck_of_points(records)


def test_the_papers_numbers_of_cards_are_those_of_its_environment():
    from rlcard.games.limitholdem import __file__ as there

    index = json.loads((Path(there).parent / "card2index.json").read_text())
    assert [index[card] for card in ("SJ", "HJ", "DJ", "CJ", "D7")] == [10, 23, 36, 49, 32]
    assert "jacks are 10, 23, 36 and 49: (10, 49) is SJ CJ, but (10, 32) is SJ D7, no pair" in jacks()


def test_where_values_died_is_said():
    assert died(kept()) == "Nowhere did values die."
    some = kept()
    for row in some:
        if row.get("variant") == "slower":
            row["curve"][-1]["value_spread"] = 0.0
    assert died(some) == "Values died in all seeds of DQN in 1 of 2 readings, and in no seed with “as published”."


def test_lanes_that_never_began_are_left_out():
    begun = kept()
    for row in begun:
        if row.get("kind") == "readings":
            row["curve"] = [row["curve"][0] | {"hands": 0.0}]
        elif row.get("agent") == "rnfsp" and row["seed"] == 3:
            row["curve"] = []
    assert "| DQN |" not in readings_table(begun)
    assert "`dqn/readings`" in not_tried(begun)
    assert "`dqn/readings`" not in not_tried(kept())
    assert "RNFSP 2,000,000 to 2,000,000 (2 seeds)" in lengths(begun)
    assert [(each["agent"], each["seed"]) for each in statistics(begun)][-1] == ("rnfsp", 2)


def test_the_page_tells_how_far_each_came_and_leaves_out_what_is_not_known(tmp_path):
    page = write_seeds_page(kept())
    assert page.count("\n## ") == 7
    assert "| linear | 1 | 2,000,000 | 100% |" in page
    few = [row for row in kept(hands=5e5) if row.get("kind") == "published"]
    page = write_seeds_page(few)
    assert "| linear | 1 | 500,000 | 50% |" in page
    assert "**holds**" not in page
    assert page.count("\n## ") == 5
    draw_seeds(few, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 5_000
