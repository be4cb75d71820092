"""Re-solving: lookaheads, situations and value networks, against what is known of them."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.arena.betting import unroll_betting
from feint.games.cards import Deck
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.public.build import build_lookahead, build_public_tree
from feint.public.judge import judge
from feint.runs.lessons import lessons_in, load_lessons, make_lessons
from feint.search.bets import by_moves, considered, places
from feint.search.beyond import CheckedDown, Nothing
from feint.search.lookahead import TOOL, Lookahead, Method
from feint.search.oracle import NEARLY, PlayedOut
from feint.search.resolving import searches_of, written_out
from feint.search.situations import drawing_of, drawn, last_round, lines_of, shapes_of
from feint.search.training import Schedule, loss_of, train
from feint.search.values import SLOPE, Layers, LearnedValues, new_values
from feint.solvers.public_cfr import PublicRegretMinimiser

QUICK = Method(NEARLY.rule, alternating=True, iterations=20)
TOGETHER = Method(NEARLY.rule, alternating=False, iterations=20)
"""Values of both against the same play of the other are zero-sum to the last bit."""


def exploitability(game, method, guesses):
    searches = searches_of(game)
    return float(judge(searches.tree, written_out(searches, method, guesses)).nash_conv) / 2


@pytest.mark.slow
def test_bets_that_a_search_does_not_consider_are_never_made_and_are_met_all_the_same():
    kuhn = load_game("kuhn")
    searches = searches_of(kuhn, ())
    written = written_out(searches, replace_iterations(NEARLY, 200), Nothing.of)[0]
    betting, decisions = searches.tree.betting, searches.tree.rounds[0].betting.decisions
    seen = []
    for decision, moves in zip(decisions, written, strict=True):
        for line, node in enumerate(decision.nodes.tolist()):
            words = [word for word in betting.spoken[node] if word]
            does = {word: np.asarray(move[0, line]) for word, move in zip(words, moves, strict=True)}
            seen.append(words)
            if "bet" in words:
                np.testing.assert_array_equal(does["bet"], 0.0)
                np.testing.assert_allclose(does["check"], 1.0)
            else:  # the jack folds, the king calls
                assert does["fold"][0] > 0.99
                assert does["call"][2] > 0.99
    assert len(seen) == 4
    assert float(judge(searches.tree, (written,)).nash_conv) / 2 > 0.05


def test_searches_with_few_bets_are_where_such_a_player_can_be():
    game = load_game("leduc_no_limit(bets=(0.5,1,2))")
    betting, some = unroll_betting(game), considered(game, ("pot",))
    half, pot = (game.actions.index(name) for name in ("0.5 pot", "pot"))
    assert some.legal[0].sum() == 2
    behind = int(betting.child[0, half])  # what the first player would never bet
    assert by_moves(game, ("pot",), [behind]) == ((behind,),)  # but may be met with
    again = int(betting.child[behind, pot])
    assert by_moves(game, ("pot",), [again]) == ()
    all_nodes = [node for node in range(len(betting.actor)) if betting.actor[node] == 0]
    assert sorted(sum(by_moves(game, None, all_nodes), ())) == all_nodes
    assert places(betting, some, (0,))[:, 0].tolist() == [0, -1, 1, -1, -1]
    with pytest.raises(BadInput, match=r"no raise called '3 pot' to consider; it has 0\.5 pot, pot, 2 pot, all-in\.$"):
        considered(game, ("3 pot",))


@pytest.fixture(scope="module")
def no_limit():
    return load_game("leduc_no_limit")


def test_a_game_of_one_round_is_solved_by_searching_at_every_decision():
    kuhn = load_game("kuhn")
    assert exploitability(kuhn, replace_iterations(NEARLY, 10), Nothing.of) > 0.02
    assert exploitability(kuhn, replace_iterations(NEARLY, 1000), Nothing.of) < 0.005


def replace_iterations(method, iterations):
    return Method(method.rule, method.alternating, iterations)


def test_lines_solved_together_are_what_they_are_alone(no_limit):
    betting = unroll_betting(no_limit)
    kind = max(build_public_tree(no_limit, symmetric=False).rounds[1].betting.decisions[1:], key=lambda d: len(d.nodes))
    nodes, rng = kind.nodes[:2].tolist(), np.random.default_rng(0)
    assert {int(betting.actor[node]) for node in nodes} == {kind.actor}
    ranges = rng.dirichlet(np.ones(5), (6, 2))
    bounds = rng.normal(size=(6, 2, 5)) * 100
    together = Lookahead(build_lookahead(no_limit, nodes)[0], QUICK).solve(
        jnp.asarray(ranges), jnp.asarray(bounds), True
    )
    for line, node in enumerate(nodes):
        here = slice(line, line + 1)
        alone = Lookahead(build_lookahead(no_limit, [node])[0], QUICK)
        found = alone.solve(jnp.asarray(ranges[:, here]), jnp.asarray(bounds[:, here]), True)
        for one, other in zip(found.strategy, together.strategy, strict=True):
            np.testing.assert_allclose(one[:, 0], other[:, line], atol=1e-9)
        np.testing.assert_allclose(found.others[:, 0], together.others[:, line], atol=1e-7)


def test_pots_with_which_the_last_round_goes_on_alike_are_found(no_limit):
    shapes = shapes_of(no_limit)
    assert [(round(shape.low, 3), round(shape.high, 3)) for shape in shapes] == [
        (100, 133.333),
        (133.333, 400),
        (400, 1199.88),
    ]
    assert [(shape.low, shape.high) for shape in shapes_of(load_game("leduc"))] == [(1, 5)]
    with pytest.raises(BadInput, match="no round after its first"):
        shapes_of(load_game("kuhn"))


@pytest.mark.parametrize(
    ("name", "pots"),
    [
        ("leduc_no_limit", [100, 300, 900]),
        ("leduc_no_limit(stack=900)", [100, 300]),
        ("leduc_no_limit(stack=2700)", [100, 300, 900]),
        ("leduc_no_limit(ante=1,stack=9)", [1, 3]),
        ("leduc_no_limit(bets=[0.5,1])", [100, 200, 300, 400, 600, 800, 900]),
        ("leduc_no_limit(stack=100.01)", [100]),  # nearer to the stack than pots are drawn
    ],
)
def test_every_pot_that_comes_up_is_drawn_though_betting_changes_at_it(name, pots):
    game = load_game(name)
    shapes = shapes_of(game)
    ends = [end for shape in shapes for end in (shape.low, shape.high)]
    assert ends == sorted(ends)
    np.testing.assert_array_equal(np.unique(searches_of(game).paid), pots)
    drawn_from = [part.coming for part in drawing_of(game, QUICK, 64, met=1.0).parts]
    np.testing.assert_array_equal(np.concatenate(drawn_from), pots)


def test_the_last_shape_ends_where_pots_do_however_near_betting_changes_to_that():
    leduc = load_game("leduc_no_limit")
    share = 0.5 / (1 - 1e-4 - 1e-9) - 0.5  # of a pot: less than all that is left up to 1e-9 of the stack below the end
    rounds = (replace(leduc.rounds[0], cap=0), replace(leduc.rounds[1], cap=1))
    game = replace(leduc, rounds=rounds, least=1e-9, pot_bets=(share,))
    shapes = shapes_of(game)
    assert len(shapes) == 2
    assert shapes[0].high < shapes[1].low <= shapes[1].high == 1200 * (1 - 1e-4)


@pytest.mark.parametrize("pot", [101.0, 127.5, 250.0, 399.0, 640.25, 1190.0])
def test_what_ends_bring_grows_in_a_straight_line_with_the_pot(no_limit, pot):
    shape = next(shape for shape in shapes_of(no_limit) if shape.low <= pot <= shape.high)
    betting = last_round(no_limit, pot).rounds[0].betting
    folds, shown = lines_of(shape, np.zeros(0), 1, 0, QUICK).amounts(jnp.array([pot]))
    np.testing.assert_allclose(folds, betting.folds, rtol=1e-6)
    np.testing.assert_allclose(shown, betting.shown, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("leduc_no_limit(bets=[0.25])", 6),  # all-in alone with the smallest pot and with the largest, and not between
        ("leduc_no_limit(stack=600,bets=[0.25,1])", 4),  # "pot" alone below 200, "0.25 pot" alone above 267
        ("leduc_no_limit(bets=[0.5,1])", 7),
    ],
)
def test_pots_of_a_shape_have_the_same_moves_and_not_only_as_many(name, count):
    game = load_game(name)
    shapes = shapes_of(game)
    assert len(shapes) == count
    some = np.linspace(shapes[0].low, shapes[-1].high, 50)
    for pot in (*np.unique(searches_of(game).paid), *some):
        shape = next(shape for shape in shapes if shape.low <= pot <= shape.high)
        betting = last_round(game, float(pot)).rounds[0].betting
        folds, shown = lines_of(shape, np.zeros(0), 1, 0, QUICK).amounts(jnp.array([pot]))
        np.testing.assert_allclose(folds, betting.folds, rtol=1e-6)
        np.testing.assert_allclose(shown, betting.shown, rtol=1e-6)


@pytest.mark.slow
def test_situations_are_drawn_and_solved_the_same_again(no_limit):
    drawing = drawing_of(no_limit, TOGETHER, 12, met=0.5)
    first, second, other = (drawn(drawing, jax.random.key(seed)) for seed in (1, 1, 2))
    assert len(first.paid) == 6 * 12
    for one, same in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, same)
    assert np.abs(np.asarray(first.ranges) - np.asarray(other.ranges)).max() > 0.1
    np.testing.assert_allclose(np.asarray(first.ranges).sum(2), 1.0, atol=1e-6)
    assert (np.asarray(first.ranges) >= 0).all()
    gained = (np.asarray(first.values) * np.asarray(first.ranges)).sum((1, 2))
    np.testing.assert_allclose(gained, 0.0, atol=1e-5)
    assert set(np.asarray(first.board).tolist()) == set(range(6))
    met = np.isin(np.asarray(first.paid), [100, 300, 900])
    assert met.mean() == pytest.approx(0.5)
    # Where cards of a rank are both left, they come equally often in the game, and not in ranges drawn as in DeepStack.
    strength = np.asarray(shapes_of(no_limit)[0].tree.rounds[0].showdown.strength)[np.asarray(first.board)]
    alike = (strength[:, :, None] == strength[:, None]) & ~np.eye(5, dtype=bool)
    apart = np.abs(np.asarray(first.ranges)[:, 0, :, None] - np.asarray(first.ranges)[:, 0, None]) * alike
    assert apart[met].max() < 1e-6
    assert apart[~met].max() > 0.1


def highest_pair(deck, hole, board):
    ranks = [deck.rank(card) for card in (*hole, *board)]
    return max((ranks.count(rank), rank) for rank in ranks)


def test_one_pot_alone_may_come_to_the_last_round():
    leduc = load_game("leduc")
    game = replace(leduc, rounds=(replace(leduc.rounds[0], cap=0), leduc.rounds[1]))
    assert [(shape.low, shape.high) for shape in shapes_of(game)] == [(1, 1)]
    found = drawn(drawing_of(game, QUICK, 4), jax.random.key(0))
    np.testing.assert_array_equal(found.paid, np.ones(24))
    shape = shapes_of(leduc)[0]  # the same round after more betting
    among = lines_of(shape, np.array([shape.low]), 0, 4, QUICK)
    ranges = jnp.moveaxis(found.ranges.reshape(6, 4, 2, -1), 2, 0)
    np.testing.assert_allclose(found.values, among.solve(jnp.ones(4), ranges).values, atol=1e-5)


def test_however_many_boards_there_are_situations_say_which_is_theirs():
    rounds = Round(raise_by=2, cap=1), Round(raise_by=4, cap=1, board=2)
    game = Poker(deck=Deck("23456789TJQK", copies=2), ante=1, rounds=rounds, showdown=highest_pair)
    found = drawn(drawing_of(game, replace_iterations(NEARLY, 1), 1), jax.random.key(0))
    np.testing.assert_array_equal(found.board, np.arange(276))


@pytest.mark.parametrize("kind", ["buckets", "ordered", "even"])
def test_what_networks_say_is_zero_sum_and_the_same_for_boards_that_are(no_limit, kind):
    values = new_values(no_limit, Layers((16,), "prelu"), kind, jax.random.key(0))
    sizes = {"buckets": (73, 72), "ordered": (11, 10), "even": (7, 6)}
    assert (values.encoding.inputs, values.encoding.outputs) == sizes[kind]
    rng = np.random.default_rng(0)
    ranges = jnp.asarray(rng.dirichlet(np.ones(5), (6, 2)), jnp.float32)
    said = values(jnp.arange(6), jnp.full(6, 300.0), ranges)
    np.testing.assert_allclose((said * ranges).sum((1, 2)), 0.0, atol=1e-6)
    rows = values.encoding.rows(jnp.arange(6), jnp.full(6, 0.25), ranges)
    np.testing.assert_allclose(rows[:, 1:].sum(1), 2.0, atol=1e-6)
    # Boards Q, K and A: a pair, then higher cards and lower ones, are at the same places when hands are in order.
    strong = np.array([0.5, 0.2, 0.15, 0.1, 0.05], np.float32)
    strength = np.asarray(shapes_of(no_limit)[0].tree.rounds[0].showdown.strength)
    order = np.argsort(np.argsort(-strength, 1, kind="stable"), 1)
    alike = jnp.asarray(np.stack([strong[order], strong[order]], 1))
    rows = np.asarray(values.encoding.rows(jnp.arange(6), jnp.full(6, 0.25), alike))
    assert (np.ptp(rows, 0).max() < 1e-6) == (kind != "buckets")
    if kind == "even":
        np.testing.assert_allclose(rows[0, 1:4], [0.5, 0.35, 0.15], atol=1e-6)


@pytest.mark.slow
def test_networks_learn(no_limit):
    drawing = drawing_of(no_limit, TOGETHER, 12, met=0.5)
    lessons, tests = (drawn(drawing, jax.random.key(seed)) for seed in (1, 2))
    kinds = [((24, 24), "softplus"), ((24,), "relu"), ((24, 24), "tanh"), ((24, 24), "prelu")]
    start = [new_values(no_limit, Layers(*kind), "ordered", jax.random.key(0), deep=2) for kind in kinds]
    told = []
    made = train(start, [0] * 4, lessons, tests, Schedule(epochs=30, batch=12, rate=3e-3, falls=True), told.append)
    assert [epoch.number for epoch in told] == list(range(1, 31))
    for place, (before, after) in enumerate(zip(start, made, strict=True)):
        least = min(epoch.test[place] for epoch in told)
        assert float(loss_of(after, tests)) == pytest.approx(least, rel=1e-5)
        assert least < 0.5 * float(loss_of(before, tests))
    # Trained beside others or alone, a network learns the same.
    alone = train(start[2:3], [0], lessons, tests, Schedule(epochs=30, batch=12, rate=3e-3, falls=True))[0]
    np.testing.assert_allclose(alone.network.layers[0].weight, made[2].network.layers[0].weight, atol=1e-5)
    assert float(jnp.abs(made[3].network.slopes - SLOPE).max()) > 1e-3
    # What is left out is never learned and never heard.
    _, left_out, last = made[1].network.layers
    assert (left_out.weight == start[1].network.layers[1].weight).all()
    rows = jnp.ones((1, 11), jnp.float32)
    heard = jax.nn.relu(made[1].network.layers[0](rows[0]))
    np.testing.assert_allclose(made[1].network(rows)[0], last(heard), rtol=1e-5)


@pytest.mark.slow
def test_rounds_played_out_are_worth_what_solved_situations_are(no_limit):
    tree, arrivals = build_lookahead(no_limit, [0])
    method = Method(NEARLY.rule, alternating=True, iterations=2000)
    guess, stage = PlayedOut.on(no_limit, arrivals, method), tree.rounds[1]
    shapes = shapes_of(no_limit)
    _, found = lines_of(shapes[0], np.zeros(0), 1, 0, method).drawn(jax.random.key(0))
    ranges = [jnp.repeat(each, len(arrivals.nodes), 1) for each in found]
    for player in (0, 1):
        worth = np.asarray(guess(stage, player, ranges[player], ranges[1 - player], jnp.asarray(0)))
        for line, (node, paid) in enumerate(zip(arrivals.nodes, arrivals.paid, strict=True)):
            if node >= 0:
                shape = next(shape for shape in shapes if shape.low <= paid <= shape.high)
                solved = lines_of(shape, np.zeros(0), 1, 0, method).solve(jnp.array([paid]), found)
                alone = np.asarray(solved.values)[:, player]
                np.testing.assert_allclose(worth[:, line] / paid, alone, atol=0.01)


@pytest.mark.slow
def test_without_a_network_re_solving_is_as_exploitable_as_others_found():
    """Research into the public DeepStack-Leduc program has about 28 and 25 chips a hand at 500 iterations."""
    game = load_game("leduc_no_limit(free_folds=True)")
    method = Method(replace(TOOL.rule, skip=250), alternating=False, iterations=500)
    assert exploitability(game, method, Nothing.of) == pytest.approx(28.1, abs=1.0)
    assert exploitability(game, method, CheckedDown.of) == pytest.approx(25.1, abs=0.5)


@pytest.mark.slow
def test_a_learned_guess_is_better_than_none(no_limit):
    drawing = drawing_of(no_limit, replace_iterations(NEARLY, 100), 1024, met=0.9)
    lessons, tests = (drawn(drawing, jax.random.key(seed)) for seed in (1, 2))
    start = new_values(no_limit, Layers((64, 64), "relu"), "ordered", jax.random.key(0))
    values = train([start], [0], lessons, tests, Schedule(epochs=20, batch=100, rate=2e-3, falls=True))[0]
    method = Method(replace(TOOL.rule, skip=50), alternating=False, iterations=100)
    assert exploitability(no_limit, method, lambda arrivals: LearnedValues.on(values, arrivals)) < 15


@pytest.mark.slow
def test_the_public_programs_own_numbers_come_out_again():
    """Its uniform strategy, as it counts (5 of 6 deals), and its tree solver after 1,000 iterations; folds are free."""
    game = load_game("leduc_no_limit(free_folds=True)")
    tree = build_public_tree(game, symmetric=False, exact=True)
    solver = PublicRegretMinimiser(tree, TOOL.rule, TOOL.alternating, "")
    state = solver.init(jax.random.key(0))
    assert float(judge(tree, solver.strategy(state).weights).nash_conv) / 2 * 5 / 6 == pytest.approx(175.52084350586)
    forward = eqx.filter_jit(
        lambda solver, state: jax.lax.fori_loop(0, 1000, lambda _, now: solver.step(now)[0], state)
    )
    after = solver.strategy(forward(solver, state)).weights
    assert float(judge(tree, after).nash_conv) / 2 == pytest.approx(1.2248, abs=1e-4)


def test_lessons_are_made_in_pieces_and_refused_when_damaged(tmp_path, no_limit, monkeypatch):
    def make(folder, shards, **changes):
        return make_lessons(folder, "leduc_no_limit", shards, **({"lines": 12, "iterations": 20, "met": 0.5} | changes))

    whole, pieces, told = tmp_path / "whole", tmp_path / "pieces", []
    make(whole, 2, progress=told.append)
    assert told == [1, 2]
    make(pieces, 1)
    make(pieces, 2)
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == {
        path.name: path.read_bytes() for path in pieces.iterdir()
    }
    both, made = tmp_path / "both", []
    monkeypatch.setattr("feint.runs.lessons.drawn", lambda *asked: made.append(None) or drawn(*asked))
    make(both, 2, progress=lambda number: number == 1 and make(both, 2))
    assert len(made) == 2, "what somebody else has made by now is not made again"
    assert len(load_lessons(whole, no_limit).paid) == 2 * 6 * 12
    with pytest.raises(BadInput, match="holds other lessons"):
        make(whole, 2, seed=1)
    with pytest.raises(BadInput, match="not for leduc"):
        load_lessons(whole, load_game("leduc"))
    with pytest.raises(BadInput, match="two rounds, and rock_paper_scissors is none"):
        make_lessons(tmp_path / "rps", "rock_paper_scissors", 1)
    with pytest.raises(BadInput, match="iterations of 1 or more, but 0 was given"):
        make(tmp_path / "none", 1, iterations=0)
    with pytest.raises(BadInput, match="no lessons"):
        lessons_in(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both", "pieces", "whole"]
    shard = next(path for path in whole.iterdir() if path.suffix == ".safetensors")
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    with pytest.raises(BadInput, match="damaged"):
        load_lessons(whole, no_limit)
    shard.unlink()
    make(whole, 2)
    assert len(load_lessons(whole, no_limit).paid) == 2 * 6 * 12
