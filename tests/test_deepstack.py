"""deepstack, the player that searches, and the reproduction of the paper about its networks."""

import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save

import feint
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.strategy import TabularStrategy
from feint.games.cards import Deck, pair_then_rank
from feint.games.errors import BadInput
from feint.games.leduc import leduc_no_limit
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.papers import deepstack_leduc
from feint.papers.deepstack_bets import EVERY, SETS, THERE
from feint.papers.deepstack_figures import draw_figures
from feint.papers.deepstack_leduc import NUMBERS, QUICK, Facts
from feint.papers.deepstack_networks import (
    APART,
    EIGHT,
    KINDS,
    LEARNING,
    NETWORKS,
    Kind,
    Size,
    learned,
    trained,
)
from feint.papers.deepstack_page import claims, page_of
from feint.papers.library import papers
from feint.papers.records import rows_in
from feint.players.spots import find_spot
from feint.runs.config import resolve
from feint.runs.lineup import line_up
from feint.runs.loop import Unwatched
from feint.runs.resolving import Resolving
from feint.search.table import seen_in, tabulated
from feint.search.values import Layers, new_values


@pytest.mark.parametrize("game", ["kuhn", "rock_paper_scissors", "kuhn(players=3)"])
def test_games_that_it_is_not_for_are_refused(game):
    form = form_of(game)
    with pytest.raises(
        BadInput, match=r"two rounds and one card each, and .* is none; leduc_no_limit and leduc are\.$"
    ):
        resolve("deepstack", {}).check(form)
    for values in (None, "nothing", "played-out", "feint:leduc"):
        if game != "kuhn":
            with pytest.raises(BadInput, match=r"^Re-solving is for poker without rake, of two players, .*\.$"):
                Resolving(values).at(form, 0)
        elif values is None or values == "nothing":  # of one round: there it searches without values
            Resolving(values).at(form, 0)


def test_games_with_rake_are_refused():
    """What searches carry from one round to the next takes what one wins for what the other loses."""
    form = form_of(replace(load_game("leduc"), rake=0.05))
    with pytest.raises(BadInput, match=r"^deepstack is for poker without rake, of two players, .*\.$"):
        resolve("deepstack", {}).check(form)
    with pytest.raises(BadInput, match=r"^Re-solving is for poker without rake, of two players, .*\.$"):
        Resolving(values="checked").at(form, 0)


@pytest.mark.parametrize(("hole", "boards"), [(2, (0, 1)), (1, (0, 1, 1))])
def test_poker_of_more_cards_or_rounds_than_it_can_search_is_refused(hole, boards):
    rounds = tuple(Round(raise_by=1, cap=1, board=board) for board in boards)
    game = Poker(deck=Deck("JQKA", copies=2), hole=hole, ante=1.0, rounds=rounds, showdown=pair_then_rank)
    form = form_of(game)
    assert form.tree is not None
    with pytest.raises(BadInput, match=r"one card each and at most two rounds with .* is none; leduc_no_limit and"):
        Resolving(values="checked").at(form, 0)


@pytest.mark.parametrize("boards", [(1,), (1, 0), (1, 1)])
def test_games_with_a_board_in_the_first_round_are_refused(boards):
    """Searches begin with hands that nothing on the board is among."""
    rounds = tuple(Round(raise_by=1, cap=1, board=board) for board in boards)
    form = form_of(Poker(deck=Deck("QKA", copies=2), ante=1.0, rounds=rounds, showdown=pair_then_rank))
    with pytest.raises(BadInput, match=r"^deepstack is for poker .* no board in the first round, .* is none; .*\.$"):
        resolve("deepstack", {}).check(form)
    for values in (None, "nothing", "checked", "played-out"):
        with pytest.raises(
            BadInput, match=r"^Re-solving is for poker .* no board in the first round, .* is none; .*\.$"
        ):
            Resolving(values).at(form, 0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"met": 1.5}, "met must be from 0 to 1"), ({"search.iterations": 0}, "iterations must be at least 1")],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(BadInput, match=sentence):
        resolve("deepstack", settings)


@pytest.mark.parametrize("encoding", ["ordered", "buckets"])
def test_networks_that_tell_suits_apart_are_for_games_that_do(encoding):
    config = resolve("deepstack", {"encoding": encoding})
    for game in ("leduc", "leduc_no_limit"):
        with pytest.raises(BadInput, match=rf"^encoding={encoding} .* and {game} does not; take .* with suits=True\.$"):
            config.check(form_of(game))
        config.check(form_of(f"{game}(suits=True)"))
        resolve("deepstack", {}).check(form_of(game))


def test_values_of_another_game_or_of_none_are_refused():
    for player, sentence in (
        ("resolver(values=feint:leduc)", "keeps no values to search with; give a run of deepstack"),
        ("resolver(values=feint:kuhn)", "is for kuhn, and not for leduc"),
        ("resolver", "No agent that comes with Feint has values for leduc; train some"),
    ):
        with pytest.raises(BadInput, match=sentence):
            line_up((player,), "leduc")


def test_moves_that_are_never_legal_have_no_column():
    form = form_of("leduc_no_limit(stack=130)")  # too little for the raises of the pot
    assert len(form.actions) < len(form.game.actions)
    player = Resolving(values="checked", iterations=5).at(form, 0)
    seen = find_spot(form, "K", "", "")
    chances = form.by_move(np.asarray(player.strategy.table(form.tree))[int(form.sees(seen.player, seen.view)[0])])
    np.testing.assert_allclose(player.chances(seen), chances, atol=1e-6)


@pytest.mark.slow
def test_a_player_that_considers_few_bets_meets_with_others():
    form = form_of("kuhn")
    player = line_up(("resolver(values=nothing, iterations=50, bets=())",), "kuhn").players[0]
    table = np.asarray(player.strategy.table(form.tree))
    for spot, betting, move in (("K", "", "check"), ("K", "check bet", "call"), ("J", "bet", "fold")):
        seen = find_spot(form, spot, "", betting)
        chances = form.by_move(table[int(form.sees(seen.player, seen.view)[0])])
        np.testing.assert_allclose(player.chances(seen), chances, atol=1e-6)
        assert chances[seen.moves[move]] > 0.99
    with pytest.raises(BadInput, match=r"^leduc has no raise called 'pot' to consider; it has raise\.$"):
        line_up(("resolver(values=nothing, bets=('pot',))",), "leduc")
    never = line_up(("resolver(values=nothing, iterations=5, bets=())",), "leduc").players[0]
    with pytest.raises(BadInput, match=r"^The re-solver never comes here: it does not consider one of the bets"):
        never.chances(find_spot(form_of("leduc"), "K", "", "bet raise"))


@pytest.mark.parametrize("game", ["kuhn", pytest.param("leduc", marks=pytest.mark.slow)])
def test_searchers_are_judged_on_public_trees_and_search_there_at_tables(game):
    """Where a game is not unrolled. What the same play comes to once it is, is the same."""
    public, whole = PublicForm.of(load_game(game), None), form_of(game)
    player = Resolving(values="checked", iterations=30).at(public, 0)
    written = player.strategy
    found = public.judged(written, 0)
    table = tabulated(written.tree, written.weights, seen_in(whole.tree, whole.game))
    known = whole.judged(TabularStrategy(whole.tree.fingerprint, table), 0)
    np.testing.assert_allclose(found.best, known.best, atol=1e-9)
    np.testing.assert_allclose(found.values, known.values, atol=1e-9)
    assert 0.0 < (found.best - found.values).sum() < 1.0
    if game == "kuhn":  # searches at a table are compiled one by one, which takes its time
        return
    seen = find_spot(whole, "K", "", "bet")
    chances = whole.by_move(np.asarray(table[int(whole.sees(seen.player, seen.view)[0])]))
    np.testing.assert_allclose(player.chances(seen), chances, atol=1e-6)


@pytest.mark.slow
def test_it_learns_and_the_player_at_a_table_finds_what_was_written_out(tmp_path):
    settings = {"lines": 48, "iterations": 100, "search.iterations": 100, "visits": 5}
    run = feint.train("deepstack", "leduc", steps=20, settings=settings, out=tmp_path / "run")
    scores = [row["exploitability"] for row in run.metrics]
    assert scores[-1] < 0.06 < 0.1 < scores[0], scores
    form = form_of("leduc")
    # Networks of 32 bits round otherwise in another program, and a search goes on from there: exact guesses do not.
    for values, close in (("checked", 1e-6), (tmp_path / "run", 0.02)):
        player = line_up((f"resolver(values={values}, iterations=100)",), "leduc").players[0]
        table = np.asarray(player.strategy.table(form.tree))
        for spot, board, betting in (("J", "", ""), ("K", "", "bet"), ("Q", "K", "check bet call / check")):
            seen = find_spot(form, spot, board, betting)
            row = int(form.sees(seen.player, seen.view)[0])
            np.testing.assert_allclose(player.chances(seen), form.by_move(table[row]), atol=close)
    assert feint.exploitability(form.tree, table) == pytest.approx(scores[-1], rel=0.1)


@pytest.mark.slow
def test_training_that_was_cut_off_goes_on_and_comes_to_the_same(tmp_path):
    size = Size(train=72, test=72, seeds=1, epochs=3, shard=12, label_iterations=5)
    shapes = (Layers((8,), "relu"), Layers((8, 8), "tanh"))
    start = [new_values(leduc_no_limit(), shape, "ordered", jax.random.key(0), deep=2) for shape in shapes]
    told = []

    def stop(words):
        if "epoch 2" in words:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, size, start, stop)
    (tmp_path / "whole").mkdir()
    (tmp_path / "lessons").rename(tmp_path / "whole" / "lessons")
    whole, losses = trained(tmp_path / "whole", size, start, told.append)
    assert [words.split(":")[0] for words in told if "networks" in words] == [
        f"2 networks, epoch {number} of 3" for number in (1, 2, 3)
    ]
    (tmp_path / "whole" / "lessons").rename(tmp_path / "lessons")
    told.clear()
    pieces, again = trained(tmp_path, size, start, told.append)
    assert [words.split(":")[0] for words in told if "networks" in words] == ["2 networks, epoch 3 of 3"]
    np.testing.assert_array_equal(again, losses)
    assert (np.diff(losses, axis=0) < 0).all()
    for one, other in zip(jax.tree.leaves(pieces), jax.tree.leaves(whole), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(BadInput, match="is not a checkpoint of this"):  # nor is anything of it lost
        trained(tmp_path, replace(size, epochs=5), start, told.append)


@pytest.mark.parametrize("kept", [b"nothing", save({"network": np.zeros(3)})])
def test_networks_that_do_not_fit_are_refused_and_kept(tmp_path, kept):
    (tmp_path / NETWORKS).write_bytes(kept)
    with pytest.raises(BadInput, match=r"keeps no sound networks of this reproduction .*, or choose another folder"):
        learned(tmp_path, QUICK, print)
    assert (tmp_path / NETWORKS).read_bytes() == kept


@pytest.fixture
def facts():
    """Made up: SoftPlus with four layers is best in every seed, and smooth activations learn faster at first."""
    rng, seeds = np.random.default_rng(0), 3
    scores = rng.uniform(1.6, 1.7, (seeds, len(KINDS)))
    scores[:, EIGHT.index(Kind(4, "softplus"))] = 1.5
    losses = np.full((2, seeds, len(KINDS)), 0.02)
    losses[0, :, [number for number, kind in enumerate(KINDS) if kind.activation in ("tanh", "softplus")]] = 0.01
    programs = {"DeepStack (paper's network)": 1.5, "CFR+, 1,000 iterations": 0.04, "rule bot": 297.0, "random": 222.0}
    return Facts(
        size=QUICK,
        scores={50: scores + 1, 100: scores},
        losses=losses,
        states=rng.uniform(1, 2, (seeds, len(KINDS))),
        controls={"played out": 1.4, "nothing": 28.0},
        inside={"tool": {5: 20.0, 50: 3.0}, "dcfr": {5: 15.0, 50: 2.0}},
        bets={"pot": {THERE[1]: 36.5}, "pot, all-in": {THERE[0]: 1.5, THERE[1]: 30.0}},
        programs=programs,
        cross={one: {other: a - b for other, b in programs.items()} for one, a in programs.items()},
        where="a machine",
    )


@pytest.mark.slow
def test_a_quick_look_asks_for_few_searches_and_makes_the_page(tmp_path, monkeypatch):
    """All that takes long is left out: what networks learn, and searches at every decision."""
    asked = []
    fixed = {player: line_up((player,), APART).players[0].strategy for player in ("random", "call", "rule-bot")}
    start = [new_values(leduc_no_limit(), Layers((2,)), "buckets", jax.random.key(0)) for _ in KINDS]
    stacked = jax.tree.map(lambda *each: jnp.stack(each), *start)
    count = len(KINDS)

    def learn(out, size, tell):
        if not (out / NETWORKS).exists():
            (out / NETWORKS).write_bytes(b"these")
        (out / LEARNING).write_text(json.dumps({"test_loss": [[0.01] * count] * 3, "where": "a machine"}))
        return stacked

    for name, instead in {
        "draw_figures": lambda out, facts: None,
        "learned": learn,
        "exploitabilities": lambda networks, searching: asked.append(searching) or [1.0 + n for n in range(count)],
        "exploitability": lambda guesses, searching: asked.append(searching) or 1.5,
        "state_errors": lambda values, out, size: [2.0] * count,
        "deepstack": lambda values, searching: fixed["random"],
        "solved": lambda out, watch: {"CFR+, 1,000 iterations": fixed["call"]},
        "evolved": lambda out, generations, watch: {f"evolved {generations}": fixed["call"]},
        "players": lambda: {"rule bot": fixed["rule-bot"], "random": fixed["random"]},
    }.items():
        monkeypatch.setattr(deepstack_leduc, name, instead)
    page = deepstack_leduc.reproduce(tmp_path, True, lambda title: Unwatched()).read_text()
    assert {searching.solver for searching in asked} == {"tool", "dcfr"}
    assert "played out |" not in page
    assert "evolved 20 |" in page
    assert "bet sets" not in page
    rows = rows_in(tmp_path / NUMBERS)
    noted = {row["what"]: row["found"] for row in rows}
    assert all("jax" in " ".join(row["made_with"]) for row in rows)
    assert noted["exploitability of random"] == pytest.approx(222.731, abs=1e-3)
    assert noted["random against rule bot"] == pytest.approx(-noted["rule bot against random"])
    before = len(asked)
    deepstack_leduc.reproduce(tmp_path, True, lambda title: Unwatched())
    assert len(asked) == before  # what was noted is not found again
    (tmp_path / NETWORKS).write_bytes(b"others")
    with pytest.raises(BadInput, match=r"numbers\.jsonl has numbers of other networks.*; remove it to measure anew"):
        deepstack_leduc.reproduce(tmp_path, True, lambda title: Unwatched())
    assert rows_in(tmp_path / NUMBERS) == rows


def test_claims_are_answered_from_numbers(facts):
    found = {claim: verdict for claim, _, verdict in claims(facts)}
    assert found["SoftPlus with four layers is best"] == "holds"
    assert found["Smoother activations start faster (loss after one epoch)"] == "holds"
    assert found["A network needs fewer parameters than a table"] == "does not hold"
    assert found["DeepStack lies about 30% behind the best program"] == "does not hold"
    assert papers()["deepstack-leduc"]
    assert Kind(2, "relu").parameters == 9922
    assert Kind(4, "tanh").parameters == 15022


@pytest.mark.parametrize(
    ("best", "verdict"),
    [((1.0, 2.0, 3.0), "holds"), ((1.2, 2.2, 3.2), "does not hold"), ((1.0, 2.2, 3.0), "not decided")],
)
def test_seeds_are_compared_one_by_one_though_their_ranges_overlap(facts, best, verdict):
    scores = np.array([1.1, 2.1, 3.1])[:, None] + np.zeros(len(KINDS))
    scores[:, EIGHT.index(Kind(4, "softplus"))] = best
    found = {claim: verdict for claim, _, verdict in claims(facts._replace(scores={50: scores, 100: scores}))}
    assert found["SoftPlus with four layers is best"] == verdict
    assert found["PReLU and SoftPlus beat ReLU"] == "not decided"  # the medians are alike
    scores[:, [number for number, kind in enumerate(EIGHT) if kind.activation == "relu"]] += 0.5
    found = {claim: verdict for claim, _, verdict in claims(facts._replace(scores={50: scores, 100: scores}))}
    assert found["PReLU and SoftPlus beat ReLU"] == "holds"


def test_the_page_tells_of_all_programs_that_were_judged(facts):
    assert "modeller" not in page_of(facts, quick=False)
    bred = "evolved networks, 3 generations"
    names = [*facts.programs, "modeller of the rule bot", "opponent modeller", "always call", bred]
    cross = {one: dict.fromkeys(names, 7.0) for one in names}
    cross[bred] |= {"rule bot": -5.0, "always call": -6.0, "CFR+, 1,000 iterations": np.nan}
    programs = dict.fromkeys(names, 12.0) | {"rule bot": 34.0, "modeller of the rule bot": 56.0}
    page = page_of(facts._replace(programs=programs, cross=cross), quick=False)
    flat = " ".join(page.split())
    assert "wins 7.0 chips a hand off it, of the 34.0 that anyone can;" in flat
    assert "It can lose 56.0." in flat
    assert "lose to the 2 others that they were judged against, 5.0 to 6.0." in flat


@pytest.mark.slow
def test_the_page_and_its_pictures_are_made_from_numbers(facts, tmp_path):
    page = page_of(facts, quick=True)
    draw_figures(tmp_path, facts)
    named = {line.partition("](")[2].rstrip(")") for line in page.splitlines() if line.startswith("![")}
    assert named == {path.name for path in tmp_path.iterdir()}
    assert "| 4 softplus | 15,022 | 15.71 | 25.0 (25.0 to 25.0) [20.8] | 15.0 (15.0 to 15.0) [12.5] |" in page
    assert "| pot |  | 36.5 |\n| pot, all-in | 1.5 | 30 |" in page
    assert "bets.png" not in page_of(facts._replace(bets={}), quick=True)
    assert "quick look" in page
    assert "quick look" not in page_of(facts, quick=False)


def test_the_bet_sets_are_what_their_names_and_their_games_say():
    every = load_game(EVERY)
    for bets, declared in SETS.values():
        assert set(bets) <= set(every.actions)
        if declared:
            assert set(load_game(declared).actions) == {"fold", "call", *bets}
