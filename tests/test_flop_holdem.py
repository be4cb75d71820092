"""Flop hold'em is one name for several games: what each of its rules comes to, and the counts that papers give."""

from __future__ import annotations

import numpy as np
import pytest

import feint
from feint.arena.betting import ILLEGAL, unroll_betting
from feint.games.cards import Deck
from feint.games.hand import RAISE
from feint.games.holdem import FLOP_RULES, flop_holdem
from feint.public.boards import count_boards, renamings_of

RULES = {
    "deep-cfr": ((2, 2), (3, 4), (8, 70), (21, 182)),
    "dream": ((2, 4), (3, 4), (8, 70), (21, 182)),
    "open-spiel": ((2, 2), (3, 3), (8, 56), (21, 140)),
}
"""For each round: the size of raises in chips, how many there may be, betting decisions, and moves at all of them."""
DEALS = 169, 1_286_792
"""Two cards, and two cards with a flop, up to suits."""


@pytest.mark.parametrize("rules", FLOP_RULES)
def test_rules_bet_as_their_papers_do(rules):
    sizes, caps, decisions, moves = RULES[rules]
    game = flop_holdem(rules=rules)
    betting = unroll_betting(game)
    node, after = np.arange(len(betting.actor)), betting.child[:, RAISE]
    raised, most = after != ILLEGAL, betting.stakes.max(1)
    added = most[after[raised]] - most[node[raised]]
    for number in (0, 1):
        here = betting.round == number
        assert set(added[betting.round[raised] == number]) == {sizes[number]}
        assert max(sum(move >= RAISE for move in betting.moves[each][number]) for each in node[here]) == caps[number]
        assert here.sum() == decisions[number]
        assert betting.legal[here].sum() == moves[number]
    # The dealer posts the small blind and opens; on the flop the big blind does.
    assert betting.stakes[0].tolist() == [1, 2]
    assert [betting.actor[betting.round == number][0] for number in (0, 1)] == [0, 1]
    assert [declared.board for declared in game.rounds] == [0, 3]
    assert feint.load_game(f"flop_holdem(rules={rules})") == game


def test_deals_up_to_suits_are_those_of_the_literature():
    renamings = renamings_of(Deck("23456789TJQKA", 4, suits=True), (), symmetric=True)
    assert tuple(count_boards(renamings, (), (2, 3))) == DEALS


def test_deep_cfr_counts_fit_four_raises_on_the_flop_and_not_three():
    """Moves at all information sets, up to suits or with so many buckets of flop hands (Brown et al. 2019, §5).

    The paper's appendix says three raises on the flop, its counts fit four only.
    """
    counts = {
        rules: [DEALS[0] * moves[0] + flops * moves[1] for flops in (200, 2_000, 20_000, DEALS[1])]
        for rules, (*_, moves) in RULES.items()
    }
    assert counts["deep-cfr"] == [39_949, 367_549, 3_643_549, 234_199_693]
    assert counts["dream"] == counts["deep-cfr"]
    assert not set(counts["open-spiel"]) & set(counts["deep-cfr"])


def test_other_rules_are_refused():
    with pytest.raises(feint.BadInput, match=r"^flop_holdem has no rules called .dreams.; .*dream"):
        flop_holdem(rules="dreams")
