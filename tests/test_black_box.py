"""The black box of a thesis's Listing 1, and its Listings 7 and 8 on it: a player, and the loop that trains two."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest

import feint
from feint.adapters.black_box import BlackBox
from feint.games.poker import CALL, FOLD, RAISE

HANDS, ETA = 4000, 0.5


class TablePlayer:
    """The thesis's agent with tables in place of networks: its `play` is Listing 7's, an update for every move."""

    def __init__(self, box: BlackBox) -> None:
        self.box = box
        self.values: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(3))
        self.counts: dict[bytes, np.ndarray] = defaultdict(lambda: np.ones(3))
        self.remembered: list[tuple] = []

    def play(self, policy: str, index: int, s2: np.ndarray | None = None) -> bool:
        if s2 is None:
            s, a, r, s2, t = self.box.get_state(index)
            self.remembered.append((s, a, r, s2, t))
            known, move = self.values[s.tobytes()], int(np.argmax(a))
            known[move] += 0.1 * (r + (0.0 if t else self.values[s2.tobytes()].max()) - known[move])
            if t:
                return True
        seen = s2.tobytes()
        if policy == "a":
            self.box.step(random.choices(range(3), self.counts[seen])[0], index)
        else:
            best = int(self.values[seen].argmax()) if random.random() > 0.1 else random.randrange(3)
            self.box.step(np.eye(3)[best], index)
            self.counts[seen][best] += 1
        return False


def train(env: BlackBox, players: list[TablePlayer], hands: int, eta: float) -> None:
    """Listing 8: who is asked when is as printed there, the players who are asked out of turn included."""
    dealer = random.randint(0, 1)
    for _ in range(hands):
        dealer = 1 - dealer
        env.reset(dealer)
        other = 1 - dealer
        policy = ["a" if random.random() > eta else "b" for _ in players]
        first_state = env.get_state(dealer)[3]
        terminated, first_round, dealer_ended, other_ended = False, True, False, False
        while not terminated:
            actual_round = env.round_index
            if first_round and not dealer_ended:
                dealer_ended = players[dealer].play(policy[dealer], dealer, first_state)
                first_round = False
            elif not first_round and not dealer_ended:
                dealer_ended = players[dealer].play(policy[dealer], dealer)
            if not other_ended:
                other_ended = players[other].play(policy[other], other)
            if actual_round == env.round_index and not dealer_ended:
                dealer_ended = players[dealer].play(policy[dealer], dealer)
            terminated = dealer_ended and other_ended


def test_the_thesis_loop_trains_two_players():
    """They end every hand together, win what the other loses, and their averages become less exploitable."""
    random.seed(0)
    box = BlackBox("leduc_thesis", seed=0)
    players = [TablePlayer(box), TablePlayer(box)]
    train(box, players, HANDS, ETA)
    ends = [np.asarray([r for *_, r, _, t in player.remembered if t]) for player in players]
    assert [len(each) for each in ends] == [HANDS, HANDS]
    np.testing.assert_array_equal(ends[0], -ends[1])
    assert all(r == 0 for player in players for *_, r, _, t in player.remembered if not t)
    tree = feint.unroll("leduc_thesis")
    table = np.zeros(tree.legal.shape)
    for row, (player, seen) in enumerate(zip(tree.player, tree.features, strict=True)):
        shares = players[player].counts[seen.astype(np.float32).tobytes()]
        table[row] = shares * tree.legal[row]
        table[row, CALL] += (shares * ~tree.legal[row]).sum()
    learned = feint.TabularStrategy(tree.fingerprint, table / table.sum(1, keepdims=True))
    uniform = feint.TabularStrategy(tree.fingerprint, tree.legal / tree.legal.sum(1, keepdims=True))
    assert feint.exploitability(tree, learned) < 0.8 * feint.exploitability(tree, uniform)


def test_a_player_is_told_its_last_decision_and_what_came_of_it():
    box = BlackBox("leduc_thesis", seed=3)
    box.reset(dealer=1)
    blank, nothing, reward, first, end = box.get_state(1)
    assert (blank.sum(), nothing.sum(), reward, end, first.shape) == (0, 0, 0.0, False, (30,))
    box.step(RAISE, 1)
    box.step([0.1, 0.2, 0.7], 0)
    last, action, reward, now, end = box.get_state(1)
    np.testing.assert_array_equal(last, first)
    np.testing.assert_array_equal(action, [0, 0, 1])
    assert (reward, end, box.round_index) == (0.0, False, 0)
    assert now.sum() == first.sum() + 2
    box.step(FOLD, 1)
    assert box.get_state(1).reward == -2.0
    assert box.get_state(0).reward == 2.0
    assert box.get_state(0).end


def test_who_is_out_of_turn_is_told_the_same_again():
    box = BlackBox("leduc", seed=0)
    box.reset(0)
    told = box.get_state(0)
    box.step(CALL, 0)
    box.step(RAISE, 0)  # passed over
    assert box.get_state(0) is told
    box.step(FOLD, 1)  # there is nothing to fold to: a check
    assert box.round_index == 1
    np.testing.assert_array_equal(box.get_state(1).action, [1, 0, 0])


@pytest.mark.parametrize("move", [RAISE, [RAISE], np.array([RAISE]), np.array(RAISE), np.eye(3)[RAISE]])
def test_a_move_is_a_number_however_it_is_wrapped_or_the_likeliest_of_all(move):
    box = BlackBox("leduc", seed=0)
    box.reset(0)
    box.step(move, 0)
    np.testing.assert_array_equal(box.get_state(0).action, [0, 0, 1])


def test_nonsense_is_refused():
    box = BlackBox("leduc")
    with pytest.raises(feint.BadInput, match=r"^No hand has been dealt yet; call reset first\.$"):
        box.get_state(0)
    with pytest.raises(feint.BadInput, match="but 2 was given"):
        box.reset(2)
    box.reset(0)
    for move in (3, -1, [3], [], [1.0, 0.0]):
        with pytest.raises(feint.BadInput, match=r"^A move is a number below 3, or 3 numbers"):
            box.step(move, 0)
    with pytest.raises(feint.BadInput, match="matching_pennies was given"):
        BlackBox("matching_pennies")
