"""Hands as PHH files: PokerKit replays ours to the same payoffs, and we read what it writes."""

from __future__ import annotations

import numpy as np
import pytest
from pokerkit import Automation, FixedLimitTexasHoldem, HandHistory, NoLimitTexasHoldem

from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL
from feint.games.holdem import flop_holdem, holdem, holdem_no_limit
from feint.games.phh import read_phh, to_phh

GAMES = {
    "limit": holdem(),
    "rlcard": holdem(variant="rlcard"),
    "no-limit": holdem_no_limit(),
    "short": holdem_no_limit(stack=12, bets=(0.33, 0.75, 2.0)),
}
AUTOMATIONS = tuple(
    each for each in Automation if each.name not in ("HOLE_DEALING", "BOARD_DEALING", "HOLE_CARDS_SHOWING_OR_MUCKING")
)


def played(game, random):
    """A hand of random moves, few of which are folds: what was dealt, the moves and the end."""
    hand, deals, moves = game.start(), [], []
    while game.actor(hand) != TERMINAL:
        if game.actor(hand) == CHANCE:
            before, hand = hand, game.outcome(hand, float(random.random()))
            new = hand.holes[-1] if len(hand.holes) > len(before.holes) else hand.board[len(before.board) :]
            deals.append(new)
        else:
            legal = list(game.legal(hand))
            likely = np.array([0.1 if move == 0 else 1.0 for move in legal])
            moves.append(int(random.choice(legal, p=likely / likely.sum())))
            hand = game.play(hand, moves[-1])
    return deals, moves, hand


def check(game, number, hands):
    random = np.random.default_rng(number)
    for _ in range(hands):
        deals, moves, hand = played(game, random)
        text = to_phh(game, deals, moves, {"author": 'a "person"', "hand": 7})
        history = HandHistory.loads(text)
        *_, state = history
        assert not state.status
        won = [float(each) for each in state.payoffs][::-1]  # the dealer is last there
        assert won == pytest.approx(list(game.payoffs(hand)), abs=1e-5)
        again = HandHistory.loads(text)
        assert again.author == 'a "person"'
        record = read_phh(game, again.dumps())
        assert (record.deals, record.moves, record.end) == (tuple(deals), tuple(moves), hand)


@pytest.mark.filterwarnings("ignore:There is no reason")  # folds for free, as RLCard allows them
@pytest.mark.parametrize("name", GAMES)
def test_pokerkit_replays_our_hands_to_the_same_payoffs_and_we_read_what_it_writes(name):
    check(GAMES[name], 1, 200 if name in ("limit", "no-limit") else 50)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:There is no reason")
@pytest.mark.parametrize("name", GAMES)
def test_pokerkit_replays_a_thousand_hands_of_each_game(name):
    check(GAMES[name], 2, 1000)


def by_pokerkit(game, random):
    """A hand that PokerKit deals and plays by its own rules, its raises among those that our game offers."""
    if game.pot_bets:
        state = NoLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, game.stack, 2)
        table = NoLimitTexasHoldem(AUTOMATIONS, True, 0, (1, 2), 2)
    else:
        state = FixedLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, 4, 200, 2)
        table = FixedLimitTexasHoldem(AUTOMATIONS, True, 0, (1, 2), 2, 4)
    raised = 0
    while state.status:
        if state.can_deal_hole():
            state.deal_hole()
        elif state.can_deal_board():
            state.deal_board()
            raised = 0
        elif state.can_show_or_muck_hole_cards():
            state.show_or_muck_hole_cards()
        elif state.can_complete_bet_or_raise_to() and raised < 3 and random.random() < 0.4:
            raised += 1
            state.complete_bet_or_raise_to(
                state.max_completion_betting_or_raising_to_amount if game.pot_bets else None
            )  # all-in, or the one size there is
        elif random.random() < 0.1 and state.bets[state.actor_index] < max(state.bets):
            state.fold()
        else:
            state.check_or_call()
    return HandHistory.from_game_state(table, state).dumps(), [float(each) for each in state.payoffs][::-1]


@pytest.mark.parametrize("name", ["limit", "no-limit"])
def test_hands_that_pokerkit_deals_are_read_with_the_same_payoffs(name):
    random = np.random.default_rng(3)
    for _ in range(50):
        text, won = by_pokerkit(GAMES[name], random)
        assert list(GAMES[name].payoffs(read_phh(GAMES[name], text).end)) == pytest.approx(won)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('"p2 cc"', '"p1 cc"'), "p2 is to move there, not p1"),
        (('"p2 cc"', '"p2 cbr 5"'), "raises to 4 are offered there, not to 5"),
        (('"p2 cc"', '"p2 cbr x"'), "'x' is no number"),
        (('"p2 cc"', '"p2 sits"'), "it is no action of hold'em"),
        (("d dh p1 ", "d dh p1 As"), "cannot be dealt"),
        (("[1, 2]", "[50, 100]"), "blinds_or_straddles"),
        (('"FT"', '"NT"'), "variant"),
        (("actions", "acts"), "none"),
        (("variant = ", "variant"), "no PHH file"),
    ],
)
def test_files_that_the_game_does_not_allow_are_refused_in_a_sentence(change, why):
    game = GAMES["limit"]
    deals, moves = [(0, 5), (9, 20), (30, 31, 32), (40,), (41,)], [1, 1] * 4
    text = to_phh(game, deals, moves)
    assert read_phh(game, text).moves == tuple(moves)
    with pytest.raises(BadInput, match=why):
        read_phh(game, text.replace(*change, 1))


def test_what_the_format_has_no_name_for_is_refused():
    with pytest.raises(BadInput, match="all four streets"):
        to_phh(flop_holdem(), [], [])
    with pytest.raises(BadInput, match="52 cards"):
        to_phh(holdem(ranks=6), [], [])
    with pytest.raises(BadInput, match="goes on"):
        to_phh(holdem(), [(0, 1), (2, 3)], [])


@pytest.mark.parametrize("amount", ["inf", "-inf", "nan", "1e30", "1e400"])
def test_amounts_that_no_file_has_are_refused_in_a_sentence(amount):
    game = GAMES["no-limit"]
    deals, moves = [(0, 5), (9, 20), (30, 31, 32), (40,), (41,)], [1, 1] * 4
    text = to_phh(game, deals, moves)
    with pytest.raises(
        BadInput, match=rf"cbr {amount}', cannot be followed: A PHH file has amounts below .* was given"
    ):
        read_phh(game, text.replace("p2 cc", f"p2 cbr {amount}", 1))
    with pytest.raises(BadInput, match="A PHH file has amounts below"):
        to_phh(game, deals, moves, {"_time": float(amount)})
