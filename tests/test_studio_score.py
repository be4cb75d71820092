"""How a person stands at the studio's tables, with luck taken out as far as that can be."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_cards

import feint
from feint.games.game import CHANCE, TERMINAL
from feint.games.holdem import RANKS
from feint.runs.lineup import line_up
from feint.studio.index import Opponent
from feint.studio.room import Room
from feint.studio.score import Tally, over_the_rest
from studio_hands import Scripted, client_of, play, studio_of


def test_with_luck_taken_out_the_score_is_what_moves_are_worth():
    """Best response values less what moves cost: the same mean as winnings, with far less noise."""
    lineup = line_up(("feint:kuhn", "random"))
    form, strategy = lineup.form, lineup.players[0].strategy
    opponent = Opponent("feint:kuhn", form, lambda: line_up(("feint:kuhn",), seed=5).players[0], strategy)
    room = Room(lambda hand: None)
    _, visit = room.open(opponent, None, np.random.default_rng(2))
    luck = random.Random(4)
    for _ in range(200):
        while not visit.over:
            visit.wait(60.0)
            if visit.offered():
                play(visit, luck.choice(list(visit.offered().values())))
        score = visit.score()
        visit.next()
    random_play = lineup.players[1].strategy
    truth = np.mean([form.values([random_play, strategy])[0], form.values([strategy, random_play])[1]])
    assert score.fair == pytest.approx(truth, abs=2 * score.fair_luck)
    assert score.mean == pytest.approx(truth, abs=2 * score.luck)
    assert score.fair_luck < score.luck / 2
    room.close()


def test_how_uncertain_a_score_is_is_not_told_of_a_few_hands():
    """They may be alike by luck."""
    tally = Tally()
    for hand in range(10):
        score = tally.score(1.0)
        assert (score.hands, score.luck, score.fair_luck) == (hand, None, None)
        tally.add(1.0, 0.5, None)
    assert tally.score(1.0).fair_luck == 0


def all_in(game, number, luck):
    """A hand in which everyone goes all-in in one round and checks before: what chance did, the moves, and the end."""
    state, places, moves = game.start(), [], []
    while game.actor(state) != TERMINAL:
        if game.actor(state) == CHANCE:
            places.append(luck.random())
            state = game.outcome(state, places[-1])
        else:
            legal = list(game.legal(state))
            moves.append(legal[-1] if len(state.moves) == number and legal[-1] > 1 else 1)
            state = game.play(state, moves[-1])
    return places, moves, state


NAMES = [rank + suit for rank in RANKS for suit in "cdhs"]


@pytest.mark.parametrize("number", [2, 3])
def test_cards_to_come_are_averaged_over_as_another_program_has_it(number):
    """All-in on the flop, and on the turn: phevaluator counts who wins on every board."""
    game, luck = feint.load_game("holdem_no_limit(stack=20)"), random.Random(number)
    places, moves, end = all_in(game, number, luck)
    known = {NAMES.index(game.deck.name(card)): card for card in range(52)}
    names = {card: NAMES[number] for number, card in known.items()}
    board = end.board[: number + 1]
    left = [card for card in range(52) if card not in (*board, *end.holes[0], *end.holes[1])]
    won = []
    for rest in combinations(left, 5 - len(board)):
        first, second = (evaluate_cards(*(names[card] for card in (*board, *rest, *hole))) for hole in end.holes)
        won.append(20.0 * np.sign(second - first))  # the lower is the better
    assert over_the_rest(game, places, moves) == pytest.approx((np.mean(won), -np.mean(won)))
    assert game.payoffs(end)[0] in (20.0, -20.0, 0.0)


def test_before_the_flop_and_where_nothing_is_to_come_a_hand_counts_as_it_is():
    game = feint.load_game("holdem_no_limit(stack=20)")
    for number in (1, 4):
        places, moves, _ = all_in(game, number, random.Random(5))
        assert over_the_rest(game, places, moves) is None
    limit = feint.load_game("holdem")
    state, places, moves = limit.start(), [], []
    while limit.actor(state) != TERMINAL:
        if limit.actor(state) == CHANCE:
            places.append(0.3)
            state = limit.outcome(state, 0.3)
        else:
            moves.append(1)
            state = limit.play(state, 1)
    assert over_the_rest(limit, places, moves) is None


def test_the_page_says_what_luck_is_left(tmp_path):
    with client_of(tmp_path) as client:
        studio = studio_of(client)
        form = studio.index.form("leduc_no_limit")
        known = Opponent("caller", form, lambda: Scripted([1] * 10), None)
        name, visit = studio.room.open(known, 0, np.random.default_rng(3))
        client.cookies.set("seat", visit.token)
        play(visit, 1)  # and nobody bets
        visit.wait(30.0)
        play(visit, 1)
        visit.wait(30.0)
        assert visit.over
        assert "All luck is in this score" in client.get(f"/tables/{name}").text
        visit.next()
        play(visit, max(visit.offered().values()))  # all-in before the board
        visit.wait(30.0)
        assert visit.over
        hand = studio.archive.last(1)[0].hand
        rest = over_the_rest(form.game, hand.places, hand.moves)
        score = visit.score()
        assert score.rest == pytest.approx(score.mean + (rest[0] - hand.won[0]) / 2)
        page = client.get(f"/tables/{name}").text
        assert "All luck is in this score" not in page
        assert f"{score.rest:+.2f} chips a hand" in page
