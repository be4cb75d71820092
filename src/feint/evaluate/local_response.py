"""The play of a local best response at many tables at once: what it foresees, what it does and what comes of it.

What takes the time is asking a strategy what it does with every holding. Before any card lies open that depends on the
betting alone: it is asked once, and then all hands are played as far as the first open card. Those that are not over by
then go on at a few tables, with the holdings that are still possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt8

from feint.arena.arena import draw, playable
from feint.arena.betting import ILLEGAL, BettingTree
from feint.arena.cards import CardArena
from feint.arena.policy import Policy
from feint.evaluate.local_deals import Deals, Dealt, build_deals
from feint.games.poker import CALL, FOLD, RAISE
from feint.tree.arrays import on_device
from feint.tree.compiled import compiled


class Underway(NamedTuple):
    """How hands stand."""

    node: Int[Array, " t"]
    """The betting decision, or −2 − the end."""
    range: Float[Array, "t h"]
    """How likely the strategy would have played as it did with each holding, up to scale."""
    luck: Float[Array, " t"]
    """How much better than expected the strategy's moves were for the response, in chips."""


class Play(NamedTuple):
    """Where each table is. After a hand it takes the next, and when none is left it plays on for nothing."""

    hand: Int[Array, " t"]
    now: Underway
    begun: Int[Array, ""]
    """Hands begun so far."""
    won: Float[Array, "d 2"]
    """What the response has won in each hand, in chips, and the luck of the moves in it."""
    key: PRNGKeyArray


Answer = Callable[[Int[Array, " t"], Dealt], Float[Array, "t h a"]]
"""What the strategy does with each holding at a betting decision, one for each table."""


@final
class LocalResponse(eqx.Module):
    """A game as a local best response plays it. `h` counts holdings, `n` betting decisions."""

    deals: Deals
    round: Int[Array, " n"]
    given_up: Float[Array, " n"]
    """What folding loses at each decision: the chips put in so far."""
    at_stake: Float[Array, " n"]
    """What each will have put in at the showdown if both only check and call from each decision on."""
    opening: Int[Array, " o"]
    """The decisions at which no card lies open …"""
    blind: Int[Array, " n"]
    """… and the number of each decision among them; −1 for the others."""
    left: tuple[int, int] | None = eqx.field(static=True)
    """The first round with open cards, and how many holdings it leaves possible; None where no card is ever open."""

    @property
    def arena(self) -> CardArena:
        return self.deals.arena

    def begin(self, dealt: Dealt, answers: Float[Array, "o h a"], seat: Int[Array, ""], key: PRNGKeyArray) -> Underway:
        """Play all hands as far as the first open card, given what the strategy does before."""
        hands, holdings = dealt.holdings.shape[:2]
        start = Underway(
            jnp.zeros(hands, jnp.int32), jnp.ones((hands, holdings), jnp.float64), jnp.zeros(hands, jnp.float64)
        )

        def blind(node: Int[Array, " d"]) -> Bool[Array, " d"]:
            return (node >= 0) & (self.blind[jnp.maximum(node, 0)] >= 0)

        def known(node: Int[Array, " d"], here: Dealt) -> Float[Array, "d h a"]:
            return answers[self.blind[node]]

        def move(state: tuple[Underway, PRNGKeyArray]) -> tuple[Underway, PRNGKeyArray]:
            now, key = state
            key, drawing = jax.random.split(key)
            after = self.advance(dealt, now, known, seat, drawing)
            moves = blind(now.node)
            kept: Underway = jax.tree.map(lambda new, old: jnp.where(_along(moves, new), new, old), after, now)
            return kept, key

        stood: Underway = jax.lax.while_loop(lambda state: blind(state[0].node).any(), move, (start, key))[0]
        return stood

    def still_possible(self, dealt: Dealt, stands: Underway) -> tuple[Dealt, Underway]:
        """The same without the holdings that share a card with the first open ones."""
        assert self.left is not None
        number, count = self.left
        places = jax.vmap(lambda row: jnp.nonzero(row, size=count)[0])(dealt.possible[:, number])
        taken = places[:, None]
        return Dealt(
            dealt.board,
            jnp.take_along_axis(dealt.holdings, places[..., None], 1),
            jnp.take_along_axis(dealt.possible, taken, 2),
            jnp.take_along_axis(dealt.edge, taken, 2),
        ), stands._replace(range=jnp.take_along_axis(stands.range, places, 1))

    def go_on(
        self, dealt: Dealt, stands: Underway, policy: Policy, seat: Int[Array, ""], tables: int, key: PRNGKeyArray
    ) -> Float[Array, "d 2"]:
        """Play hands on to their end, a few at once: what is won in each, and the luck of the moves."""
        hands = len(dealt.board)
        order = jnp.nonzero(stands.node >= 0, size=hands + tables, fill_value=hands)[0]

        def sit(number: Int[Array, " t"]) -> Underway:
            seated: Underway = jax.tree.map(lambda leaf: leaf.at[number].get(mode="clip"), stands)
            return seated._replace(node=jnp.maximum(seated.node, 0))  # of tables without a hand: no end leads on

        def answer(node: Int[Array, " t"], here: Dealt) -> Float[Array, "t h a"]:
            return self.ask(policy, node, here.holdings, here.board, 1 - seat)

        def move(play: Play) -> Play:
            key, drawing = jax.random.split(play.key)
            here: Dealt = jax.tree.map(lambda leaf: leaf.at[play.hand].get(mode="clip"), dealt)
            now = self.advance(here, play.now, answer, seat, drawing)
            over = now.node < 0
            won = play.won.at[jnp.where(over, play.hand, hands)].set(self.score(here, now, seat), mode="drop")
            following = order.at[play.begun + jnp.cumsum(over) - 1].get(mode="clip")
            stood = jax.tree.map(lambda new, old: jnp.where(_along(over, new), new, old), sit(following), now)
            return Play(jnp.where(over, following, play.hand), stood, play.begun + over.sum(), won, key)

        first = order[:tables]
        start = Play(first, sit(first), jnp.asarray(tables), self.score(dealt, stands, seat), key)
        won: Float[Array, "d 2"] = jax.lax.while_loop(lambda play: (play.hand < hands).any(), move, start).won
        return won

    def advance(self, here: Dealt, now: Underway, answer: Answer, seat: Int[Array, ""], key: PRNGKeyArray) -> Underway:
        """The move of whoever is to act and, after a raise of the response, the reply: it is known by then."""
        acts = self.arena.actor[now.node] == seat
        after = self.arena.child[now.node]
        # What the strategy does: here if it is to move; if not, after each raise it may have to answer.
        asked = [jnp.where(acts, after[:, RAISE], now.node), *after[:, RAISE + 1 :].T]
        answers = [answer(jnp.maximum(each, 0), here) for each in asked]
        best = self._best(now.node, here, now.range, [each[..., FOLD] for each in answers])
        made = jnp.take_along_axis(after, best[:, None], 1)[:, 0]
        replies = ~acts | (best >= RAISE)
        node, said = jnp.where(acts, made, now.node), answers[0]
        for number, each in enumerate(answers[1:], RAISE + 1):
            said = jnp.where((acts & (best == number))[:, None, None], each, said)
        moved = self._reply(here, now._replace(node=jnp.maximum(node, 0)), said, key)
        stays = now._replace(node=node)
        after_all: Underway = jax.tree.map(lambda new, old: jnp.where(_along(replies, new), new, old), moved, stays)
        return after_all

    def _reply(self, here: Dealt, now: Underway, said: Float[Array, "t h a"], key: PRNGKeyArray) -> Underway:
        """The strategy's move, drawn from the mixture of what its range does, and how lucky that is."""
        after = self.arena.child[now.node]
        weights = here.possible[:, -1] * now.range
        mixture = (weights[..., None] * said).sum(1)
        legal = after != ILLEGAL
        drawn = draw(mixture, jax.random.uniform(key, mixture.shape[:1]), legal)
        left = now.range * jnp.take_along_axis(said, drawn[:, None, None], 2)[..., 0]
        # What each move is worth if all is checked and called after it, on the board that comes.
        shown = ((weights * here.edge[:, -1])[..., None] * said).sum(1) / jnp.where(mixture > 0, mixture, 1.0)
        stake = self.at_stake[jnp.maximum(after, 0)].at[:, CALL].set(self.at_stake[now.node])
        worth = (stake * shown).at[:, FOLD].set(self.given_up[now.node])
        came = jnp.take_along_axis(worth, drawn[:, None], 1)[:, 0]
        luck = now.luck + came - (mixture * worth).sum(1) / mixture.sum(1)
        return Underway(
            jnp.take_along_axis(after, drawn[:, None], 1)[:, 0],
            left / left.sum(1, keepdims=True),
            jnp.where(playable(mixture, legal), luck, jnp.nan),  # for judges to see
        )

    def ask(
        self,
        policy: Policy,
        node: Int[Array, " t"],
        holdings: UInt8[Array, "t h c"],
        board: UInt8[Array, "t b"],
        seat: Int[Array, ""],
    ) -> Float[Array, "t h a"]:
        """What the strategy does at a betting decision with each holding."""
        holdings, board = self.deals.kinds(holdings, board)
        shape = holdings.shape[:2]
        cards = jnp.concatenate([holdings, jnp.broadcast_to(board[:, None], (*shape, board.shape[1]))], 2)
        infostate = self.arena.up_to(jnp.broadcast_to(node[:, None], shape), cards)
        rows = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), infostate)
        return policy(rows, seat).reshape(*shape, -1).astype(jnp.float64)

    def _best(
        self, node: Int[Array, " t"], dealt: Dealt, range_: Float[Array, "t h"], folds: list[Float[Array, "t h"]]
    ) -> Int[Array, " t"]:
        """The move worth most if all is checked and called after it; `folds` are the folds after each raise."""
        here = self.round[node][:, None, None]
        possible = jnp.take_along_axis(dealt.possible, here, 1)[:, 0]
        edge = jnp.take_along_axis(dealt.edge, here, 1)[:, 0]
        belief = range_ * possible
        values = [-self.given_up[node], self.at_stake[node] * _mean(edge, belief)]
        for move, fold in enumerate(folds, RAISE):
            after = jnp.maximum(self.arena.child[node, move], 0)
            won, called = _mean(fold, belief), _mean((1 - fold) * edge, belief)
            values.append(won * self.given_up[after] + called * self.at_stake[after])
        legal = self.arena.child[node] != ILLEGAL
        return jnp.where(legal, jnp.stack(values, 1), -jnp.inf).argmax(1)

    def score(self, here: Dealt, now: Underway, seat: Int[Array, ""]) -> Float[Array, "t 2"]:
        """What the response has won where hands are over, in chips, showdowns as means over the range; and the luck."""
        end = jnp.maximum(-2 - now.node, 0)
        paid, folded = self.arena.paid[end].astype(jnp.float64), self.arena.folded[end]
        own, other = paid[:, seat], paid[:, 1 - seat]
        shown = own * _mean(here.edge[:, -1], now.range * here.possible[:, -1])
        won = jnp.where(folded[:, seat], -own, jnp.where(folded.any(1), other, shown))
        return jnp.stack([won, now.luck], 1)


@compiled
def opening_of(response: LocalResponse, policy: Policy, seat: Int[Array, ""]) -> Float[Array, "o h a"]:
    """What the strategy in a seat does with every holding wherever no card lies open."""

    def at(node: Int[Array, ""]) -> Float[Array, "h a"]:
        board = jnp.zeros((1, len(response.arena.arrived) - response.arena.hole), jnp.uint8)
        return response.ask(policy, node[None], response.deals.holdings[None], board, seat)[0]

    answers: Float[Array, "o h a"] = jax.lax.map(at, response.opening)
    return answers


@compiled
def play(
    response: LocalResponse,
    policy: Policy,
    opening: Float[Array, "o h a"],
    seat: Int[Array, ""],
    tables: int,
    hands: int,
    key: PRNGKeyArray,
) -> tuple[Float[Array, " d"], Float[Array, "d k"]]:
    """What the response wins in a seat on each of so many deals, and how lucky it is there, in several ways."""
    dealing, playing = jax.random.split(key)
    beginning, going_on = jax.random.split(jax.random.fold_in(playing, seat))
    dealt, luck = response.deals.deal(seat, hands, dealing)
    stands = response.begin(dealt, opening, seat, beginning)
    if response.left is None:
        won = response.score(dealt, stands, seat)
    else:
        won = response.go_on(*response.still_possible(dealt, stands), policy, seat, min(tables, hands), going_on)
    return won[:, 0], jnp.concatenate([luck, won[:, 1:]], 1)


def build_local_response(betting: BettingTree, runouts: int) -> LocalResponse:
    """A local best response on a game, from its betting."""
    game, deals = betting.game, build_deals(betting, runouts)
    given_up, at_stake = np.zeros(len(betting.actor)), np.zeros(len(betting.actor))
    for node in reversed(range(len(betting.actor))):  # those after a decision have greater numbers
        fold, call = betting.child[node, [FOLD, CALL]]
        given_up[node] = 0.0 if fold == ILLEGAL else betting.paid[-2 - fold, betting.actor[node]]
        at_stake[node] = at_stake[call] if call >= 0 else betting.paid[-2 - call].max()
    up = np.cumsum([declared.board for declared in game.rounds])
    closed = up[betting.round] == 0
    opened = next((number for number, turned in enumerate(up) if turned), None)
    unseen = deals.arena.deck[0] - game.hole
    return LocalResponse(
        deals=deals,
        round=on_device(betting.round, jnp.int32),
        given_up=on_device(given_up),
        at_stake=on_device(at_stake),
        opening=on_device(np.flatnonzero(closed) if closed.any() else [0], jnp.int32),
        blind=on_device(np.where(closed, np.cumsum(closed) - 1, -1), jnp.int32),
        left=None if opened is None else (opened, math.comb(unseen - int(up[opened]), game.hole)),
    )


def _mean(values: Float[Array, "t h"], weights: Float[Array, "t h"] | Bool[Array, "t h"]) -> Float[Array, " t"]:
    """The weighted mean over holdings."""
    return (values * weights).sum(1) / weights.sum(1)


def _along(chosen: Bool[Array, " t"], like: Array) -> Bool[Array, "t ..."]:
    """A choice for each table, to be broadcast over all that a table has."""
    return chosen.reshape(-1, *(1,) * (like.ndim - 1))
