"""Local best response (Lisý & Bowling 2017): a lower bound on how much a poker strategy of any size loses.

An opponent who knows the strategy keeps its *range*: how likely each holding is, given the cards seen and what the
strategy would have done with it so far. At each of its own decisions it takes the move that is worth most if everyone
only checks and calls from then on; after a raise, those of the range fold who would. That is a poor guess of the
future, which costs winnings and never makes the bound wrong: what counts is what such play wins.

What it wins is measured with little luck in it, in two ways that leave the mean as it is:

- The strategy is never dealt a holding. The opponent's cards and the whole board are dealt, the strategy's moves are
  drawn from the mixture of what its range does, and a showdown is worth its mean over the range that is left. Given the
  cards dealt, these moves have the chances that they have when a holding is dealt first, and the range is how
  that holding is distributed after them. (Moves are drawn from the range on the whole board. The opponent sees no
  more of the board than lies open, and decides by the range on that.)
- How well the opponent's cards would do at a showdown against a random holding says how lucky the deal was. Its mean
  over all deals is 0, since such a holding might as well be the opponent's. So a multiple of it is taken off what was
  won: one that is fitted to the other half of the deals, so that it knows nothing of those it is used on.

Every card is told apart here, even where the rules make copies one card: then holdings are equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt8, UInt64

from feint.arena.arena import draw, for_device, random_words
from feint.arena.betting import ILLEGAL, BettingTree
from feint.arena.cards import CardArena, build_card_arena
from feint.arena.policy import Policy
from feint.evaluate.measure import Follow, Judge, Measure, Pace, Verdict, bound_by_play, strategy_of
from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.games.poker import CALL, FOLD, RAISE
from feint.players.player import Player

ROWS = {"cpu": 1 << 13, "gpu": 1 << 18}
"""How many situations the strategy is asked about at once, about: hands are played at as many tables as that takes."""
HANDS = 10
"""Hands at each table, on average, before all wait for the last."""
MOST_CARDS = 64
"""A set of cards is a word with a bit for each."""


def local_best_response(
    betting: BettingTree,
    policy: Policy,
    hands: int,
    seed: int = 0,
    runouts: int = 32,
    progress: Callable[[Measure], None] | None = None,
) -> Measure:
    """What a local best response wins off a strategy for two, over at least so many hands, half of them in each seat.

    `policy` plays in the card arena of this betting. While board cards are to come, showdowns are foreseen over all
    boards there can be if they are at most `runouts`, else over so many of them. `progress` is told
    the bound so far, again and again, once there is one: whoever looks on may stop there.
    """
    if betting.players != 2:
        raise BadInput(f"A local best response has one opponent, but {betting.name} has {betting.players} players.")
    if hands < 8 or runouts < 1:
        raise BadInput(
            f"A local best response needs at least 8 hands to judge its error and 1 run-out to foresee showdowns, "
            f"but got hands={hands} and runouts={runouts}."
        )
    response, key = build_local_response(betting, runouts), jax.random.key(seed)
    tables, deals = max(1, for_device(ROWS) // len(response.bits)), math.ceil(hands / 2)
    parts = math.ceil(deals / (HANDS * tables))
    batch, played = math.ceil(deals / parts), np.zeros((2, 0, 2))
    for part in range(parts):
        dealing = jax.random.fold_in(key, part)
        seats = [_play(response, policy, seat, tables, batch, dealing) for seat in jnp.arange(2)]
        played = np.concatenate([played, np.stack(seats, 2)], 1)
        bound = bound_by_play(without_luck(*played), batch * parts if progress else None)
        if progress and math.isfinite(bound.value - (bound.low or 0.0)):
            progress(bound)
    return bound


@final
@dataclass(frozen=True)
class LocalBestResponse(Judge):
    """What a local best response wins."""

    about: ClassVar[str] = "What a local best response wins off it in poker for two: a lower bound on exploitability."
    hands: int = 20_000
    """Hands to play, half of them in each seat."""
    runouts: int = 32
    """Boards over which showdowns are foreseen."""
    seed: int = 0
    """The seed of the deals."""

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        def verdict(found: Measure) -> Verdict:
            return Verdict((found.in_big_blinds(form.big_blind),))

        def told(found: Measure) -> None:
            left = pace.left(found.hands or 0, self.hands)
            follow(f"{found.hands:,} of {self.hands:,} hands of a local best response{left}", verdict(found))

        pace = Pace()
        by_cards = form.by_cards(strategy_of(player))
        if by_cards is None:
            raise BadInput(f"A local best response goes by betting, and {form.name} is no poker; ask another judge.")
        return verdict(local_best_response(*by_cards, self.hands, self.seed, self.runouts, told))


JUDGES = {"local-best-response": LocalBestResponse()}


def without_luck(won: Float[np.ndarray, "d p"], luck: Float[np.ndarray, "d p"]) -> Float[np.ndarray, "d p"]:
    """Winnings less what luck, whose mean is 0, explains of them: each half by what fits the other."""
    halves = np.array_split(np.arange(len(won)), 2)
    rest = won.copy()
    for half, other in zip(halves, halves[::-1], strict=True):
        shares = (won[other] - won[other].mean(0)) * luck[other]
        rest[half] -= luck[half] * shares.sum(0) / np.maximum((luck[other] ** 2).sum(0), 1e-9)
    return rest


class Dealt(NamedTuple):
    """Hands to be played, all with the local best response in one seat."""

    board: UInt8[Array, "d b"]
    possible: Bool[Array, "d r h"]
    """The holdings that share no card with those it sees in each round."""
    edge: Float[Array, "d r h"]
    """What it wins off each of these at a showdown for 1 chip, as foreseen in each round; in the last one, for sure."""


class Play(NamedTuple):
    """Where each table is. After a hand it takes the next, and when none is left it plays on for nothing."""

    hand: Int[Array, " t"]
    node: Int[Array, " t"]
    range: Float[Array, "t h"]
    """How likely the strategy would have played as it did with each holding, up to scale."""
    begun: Int[Array, ""]
    """Hands begun so far."""
    won: Float[Array, " d"]
    """What the response has won in each hand, in chips; nan in those that are not over."""
    key: PRNGKeyArray


@final
class LocalResponse(eqx.Module):
    """A game as a local best response sees it. `h` counts holdings, `n` betting decisions, `s` showdowns foreseen."""

    arena: CardArena
    """With every card told apart."""
    copies: int = eqx.field(static=True)
    """How many of these are one card in the rules."""
    holdings: UInt8[Array, "h c"]
    bits: UInt64[Array, " h"]
    """The holdings as sets of cards."""
    round: Int[Array, " n"]
    given_up: Float[Array, " n"]
    """What folding loses at each decision: the chips put in so far."""
    at_stake: Float[Array, " n"]
    """What each will have put in at the showdown if both only check and call from each decision on."""
    runouts: tuple[Int[Array, "_ _"], ...]
    """For each round, showdowns to foresee: which of the cards that it does not see complete the board."""

    def deal(self, seat: Int[Array, ""], deals: int, key: PRNGKeyArray) -> Dealt:
        """Hands for the response in a seat, with the cards dealt there."""
        dealt = self.arena.deal(random_words(key, self.arena.deal_words, deals)).cards
        holes, board = jnp.split(dealt, [2 * self.arena.hole], 1)
        own = holes.reshape(deals, 2, self.arena.hole)[:, seat]
        possible, edge = zip(*(self.foresee(own, board, places) for places in self.runouts), strict=True)
        return Dealt(board, jnp.stack(possible, 1), jnp.stack(edge, 1))

    def foresee(
        self, own: UInt8[Array, "t c"], board: UInt8[Array, "t b"], places: Int[Array, "s k"]
    ) -> tuple[Bool[Array, "t h"], Float[Array, "t h"]]:
        """The holdings possible while k cards are to come, and the mean showdown against each."""
        up = board[:, : board.shape[1] - places.shape[1]]
        seen = _set_of(own) | _set_of(up)
        possible = (self.bits & seen[:, None]) == 0
        gone = (seen[:, None] >> jnp.arange(self.arena.deck[0], dtype=jnp.uint64)) & 1
        turned = jnp.argsort(gone, 1, stable=True)[:, places].astype(jnp.uint8)
        boards = jnp.concatenate([jnp.broadcast_to(up[:, None], (*turned.shape[:2], up.shape[1])), turned], 2)
        ours = self.arena.strength(
            *self._kinds(jnp.broadcast_to(own[:, None], (*turned.shape[:2], own.shape[1])), boards)
        )
        shows = possible[:, None] & ((self.bits & _set_of(turned)[..., None]) == 0)
        results = jnp.where(shows, jnp.sign(ours[..., None] - self._strengths(boards)), 0)
        return possible, results.sum(1) / jnp.maximum(shows.sum(1), 1)

    def _strengths(self, boards: UInt8[Array, "t s b"]) -> Int[Array, "t s h"]:
        """The strength of every holding on each board."""
        holdings, boards = self._kinds(self.holdings, boards)
        ranks = self.arena.strength.ranks
        if ranks is not None:  # the quick way: keys add up
            return ranks.rank_of(ranks.key(holdings) + ranks.key(boards)[..., None])
        shape = (*boards.shape[:2], len(holdings))
        boards = jnp.broadcast_to(boards[:, :, None], (*shape, boards.shape[2]))
        return self.arena.strength(jnp.broadcast_to(holdings, (*shape, holdings.shape[1])), boards)

    def _kinds(self, *cards: UInt8[Array, "..."]) -> list[UInt8[Array, "..."]]:
        """Cards as the rules tell them apart."""
        return [each // jnp.uint8(self.copies) for each in cards]

    def step(self, dealt: Dealt, play: Play, policy: Policy, seat: Int[Array, ""]) -> Play:
        """One move at every table."""
        key, drawing = jax.random.split(play.key)
        here: Dealt = jax.tree.map(lambda leaf: leaf[play.hand], dealt)
        node, left = self._move(here, play, policy, seat, drawing)
        over, hands = node < 0, len(play.won)
        won = play.won.at[jnp.where(over, play.hand, hands)].set(self._score(node, here, left, seat), mode="drop")
        following = jnp.minimum(play.begun + jnp.cumsum(over) - 1, hands)
        return Play(
            jnp.where(over, following, play.hand),
            jnp.where(over, 0, node),
            jnp.where(over[:, None], 1.0, left),
            play.begun + over.sum(),
            won,
            key,
        )

    def _move(
        self, here: Dealt, play: Play, policy: Policy, seat: Int[Array, ""], key: PRNGKeyArray
    ) -> tuple[Int[Array, " t"], Float[Array, "t h"]]:
        """The decision after one move (or −2 − the end), and what is left of the range."""
        acts = self.arena.actor[play.node] == seat
        after = self.arena.child[play.node]
        # What the strategy does: here if it is to move; if not, after each raise it may have to answer.
        asked = [jnp.where(acts, after[:, RAISE], play.node), *after[:, RAISE + 1 :].T]
        answers = [self._ask(policy, jnp.maximum(each, 0), here.board, 1 - seat) for each in asked]
        mixture = (here.possible[:, -1] * play.range)[..., None] * answers[0]
        drawn = draw(mixture.sum(1), jax.random.uniform(key, acts.shape))
        best = self._best(play.node, here, play.range, [answer[..., FOLD] for answer in answers])
        left = play.range * jnp.take_along_axis(answers[0], drawn[:, None, None], 2)[..., 0]
        left = jnp.where(acts[:, None], play.range, left / left.sum(1, keepdims=True))
        return jnp.take_along_axis(after, jnp.where(acts, best, drawn)[:, None], 1)[:, 0], left

    def _ask(
        self, policy: Policy, node: Int[Array, " t"], board: UInt8[Array, "t b"], seat: Int[Array, ""]
    ) -> Float[Array, "t h a"]:
        """What the strategy does at a betting decision with each holding."""
        holdings, board = self._kinds(self.holdings, board)
        shape = (len(board), len(holdings))
        cards = jnp.concatenate(
            [
                jnp.broadcast_to(holdings, (*shape, holdings.shape[1])),
                jnp.broadcast_to(board[:, None], (*shape, board.shape[1])),
            ],
            2,
        )
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

    def _score(
        self, node: Int[Array, " t"], here: Dealt, range_: Float[Array, "t h"], seat: Int[Array, ""]
    ) -> Float[Array, " t"]:
        """What the response has won in hands that are over, in chips: a showdown's mean over the range."""
        end = jnp.maximum(-2 - node, 0)
        paid, folded = self.arena.paid[end].astype(jnp.float64), self.arena.folded[end]
        own, other = paid[:, seat], paid[:, 1 - seat]
        shown = own * _mean(here.edge[:, -1], range_ * here.possible[:, -1])
        return jnp.where(folded[:, seat], -own, jnp.where(folded.any(1), other, shown))


@eqx.filter_jit
def _play(
    response: LocalResponse, policy: Policy, seat: Int[Array, ""], tables: int, hands: int, key: PRNGKeyArray
) -> Float[Array, "2 d"]:
    """What the response wins in a seat on each of so many deals, and how lucky it is there."""
    dealing, playing = jax.random.split(key)
    dealt, tables = response.deal(seat, hands, dealing), min(tables, hands)
    start = Play(
        hand=jnp.arange(tables),
        node=jnp.zeros(tables, jnp.int32),
        range=jnp.ones((tables, len(response.bits)), jnp.float64),
        begun=jnp.asarray(tables),
        won=jnp.full(hands, jnp.nan),
        key=jax.random.fold_in(playing, seat),
    )
    end = jax.lax.while_loop(
        lambda play: (play.hand < hands).any(), lambda play: response.step(dealt, play, policy, seat), start
    )
    return jnp.stack([end.won, _mean(dealt.edge[:, -1], dealt.possible[:, -1])])


def build_local_response(betting: BettingTree, runouts: int) -> LocalResponse:
    """A local best response on a game, from its betting."""
    game, arena = betting.game, build_card_arena(betting)
    cards, copies = arena.deck
    if cards > MOST_CARDS:
        raise BadInput(
            f"A local best response takes decks of up to {MOST_CARDS} cards, but {betting.name} has {cards}."
        )
    holdings = np.array(list(combinations(range(cards), game.hole)), np.uint8)
    board = [declared.board for declared in game.rounds]
    given_up, at_stake = np.zeros(len(betting.actor)), np.zeros(len(betting.actor))
    for node in reversed(range(len(betting.actor))):  # those after a decision have greater numbers
        fold, call = betting.child[node, [FOLD, CALL]]
        given_up[node] = 0.0 if fold == ILLEGAL else betting.paid[-2 - fold, betting.actor[node]]
        at_stake[node] = at_stake[call] if call >= 0 else betting.paid[-2 - call].max()
    return LocalResponse(
        arena=replace(arena, deck=(cards, 1)),
        copies=copies,
        holdings=jnp.asarray(holdings),
        bits=_set_of(jnp.asarray(holdings)),
        round=jnp.asarray(betting.round, jnp.int32),
        given_up=jnp.asarray(given_up),
        at_stake=jnp.asarray(at_stake),
        runouts=tuple(
            _runouts(cards - game.hole - sum(board[: number + 1]), sum(board[number + 1 :]), runouts)
            for number in range(len(board))
        ),
    )


def _runouts(left: int, missing: int, most: int) -> Int[Array, "s k"]:
    """Ways to take the missing cards from those left: all, or where there are too many, `most` of them.

    These are always the same ones, shuffled decks cut into pieces so that all cards come up about equally often.
    """
    if math.comb(left, missing) <= most:
        return jnp.asarray(list(combinations(range(left), missing)), jnp.int32)
    rng, pieces = np.random.default_rng(0), left // missing
    decks = [rng.permutation(left)[: pieces * missing].reshape(pieces, missing) for _ in range(-(-most // pieces))]
    return jnp.asarray(np.concatenate(decks)[:most], jnp.int32)


def _set_of(cards: UInt8[Array, "*b c"]) -> UInt64[Array, "*b"]:
    """Different cards as a set."""
    bits: UInt64[Array, "*b"] = (jnp.uint64(1) << cards.astype(jnp.uint64)).sum(-1, dtype=jnp.uint64)
    return bits


def _mean(values: Float[Array, "t h"], weights: Float[Array, "t h"] | Bool[Array, "t h"]) -> Float[Array, " t"]:
    """The weighted mean over holdings."""
    return (values * weights).sum(1) / weights.sum(1)
