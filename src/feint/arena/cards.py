"""Play of poker games too large to unroll: the betting by look-up, the cards as they are dealt.

A table's state is a betting decision and all the cards of the hand, dealt at its start: nobody sees those to come. What
a player sees is packed into a few bytes, the betting decision and a card each, and unpacked into features when a
network asks.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt8, UInt32

from feint.arena.arena import Arena, Played, narrow
from feint.arena.betting import BettingTree
from feint.arena.hand_strength import HandStrength, build_hand_strength
from feint.arena.ranks import HandRanks, build_ranks
from feint.arena.summary import Winning, build_winning, summarised
from feint.games.cards import best_five
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.tree.arrays import on_device

HIDDEN = 255
"""A card not turned up yet."""
LARGEST_TABLE = 1 << 20
"""Entries of a table of showdown strengths, for games without a quicker way."""

Encoding = Literal["nfsp", "symmetric", "strength", "rlcard", "rlcard-four", "summary"]
"""What networks see: cards by the round they came in and every move (288 numbers in hold'em); the same with suits
renamed so that hands which differ in nothing else look the same; that and how good the hand is in each round (321);
all cards together and the raises of each round (72), if so with an answer for checks apart from that for calls; or what
the hand comes to (35, whatever the game)."""
BAGS = ("rlcard", "rlcard-four")
"""Those that tell all cards together."""


class Deal(NamedTuple):
    """Where tables are."""

    node: Int[Array, " t"]
    """The betting decision."""
    cards: UInt8[Array, "t c"]
    """Every player's hole cards in turn, then the board."""


class Seen(NamedTuple):
    """What players see, packed."""

    node: Int[Array, "..."]
    cards: UInt8[Array, "... v"]
    """The player's own cards, then the board's, `HIDDEN` where they are still to come."""


@final
class Strengths(eqx.Module):
    """Who wins a showdown."""

    table: Int[Array, "..."] | None
    ranks: HandRanks | None

    def __call__(self, hole: UInt8[Array, "*b h"], board: UInt8[Array, "*b v"]) -> Int[Array, "*b"]:
        """The strength of each holding on its board; the greatest wins."""
        if self.ranks is not None:
            key = self.ranks.key(hole.astype(jnp.int32)) + self.ranks.key(board.astype(jnp.int32))
            return self.ranks.rank_of(key)
        assert self.table is not None
        cards = jnp.concatenate([hole, board], -1).astype(jnp.int32)
        return self.table[tuple(jnp.moveaxis(cards, -1, 0))]


@final
class CardArena(Arena):
    """Betting look-ups, the deck and the showdown of a poker game."""

    players: int = eqx.field(static=True)
    hole: int = eqx.field(static=True)
    deck: tuple[int, int] = eqx.field(static=True)
    """Cards in the deck, and how many of them count as the same card."""
    actor: Int[Array, " n"]
    upturned: Int[Array, " n"]
    """How many board cards lie open at each decision."""
    arrived: Int[Array, " v"]
    """The round in which each card that a player sees arrives."""
    child: Int[Array, "n a"]
    past: Int[Array, "n l"]
    betting: Float[Array, "n h"]
    """What networks see of the betting."""
    paid: Float[Array, "e p"]
    won: Float[Array, " e"]
    """What the winners share at each end: all that was paid, less rake."""
    folded: Bool[Array, "e p"]
    strength: Strengths
    hand_strength: HandStrength | None
    """How good hands are, where networks are told …"""
    winning: Winning | None
    """… round by round, or as one number in place of the cards."""
    checks: Bool[Array, " n"] | None
    """At which decisions a call costs nothing, where networks are asked about checks apart."""
    encoding: Encoding = eqx.field(static=True)
    rounds: int = eqx.field(static=True)
    suits: int = eqx.field(static=True)
    """How many suits can be told apart; 1 where they cannot."""
    rake: float = eqx.field(static=True)

    @property
    def zero_sum(self) -> bool:
        return not self.rake

    @property
    def renames(self) -> bool:
        """Whether networks see suits by what they hold."""
        return self.encoding in ("symmetric", "strength", "summary")

    def per_hand(self, won: Float[Array, "t p"]) -> Float[Array, "t p"]:
        return won

    @property
    def deal_words(self) -> int:
        return (self.dealt + 1) // 2

    @property
    def play_words(self) -> int:
        return self.deal_words

    @property
    def dealt(self) -> int:
        """Cards dealt in a hand, the whole board included."""
        return self.players * self.hole + len(self.arrived) - self.hole

    @property
    def moves(self) -> int:
        return self.child.shape[1]

    @property
    def kinds(self) -> int:
        """Cards that can be told apart."""
        return self.deck[0] // self.deck[1]

    @property
    def inputs(self) -> int:
        """Features of a situation."""
        if self.winning is not None:
            return 1 + self.betting.shape[1]
        cards = self.kinds * (1 if self.encoding in BAGS else self.rounds)
        return cards + self.betting.shape[1] + (self.hand_strength.inputs if self.hand_strength else 0)

    @property
    def node_type(self) -> Any:
        """How an information state keeps its betting decision."""
        return narrow(len(self.actor) - 1)

    def deal(self, words: UInt32[Array, "w t"]) -> Deal:
        """A new hand at each table. Two cards are drawn from each word, to within 10⁻⁶ of their chances."""
        drawn: list[Array] = []
        for word in words.astype(jnp.uint64):
            for _ in range(min(2, self.dealt - len(drawn))):
                word = (word & 0xFFFFFFFF) * (self.deck[0] - len(drawn))
                drawn.append((word >> 32).astype(jnp.uint8))
        # Each number counts the cards left; going backwards, those before make room for themselves.
        for first in range(self.dealt - 2, -1, -1):
            for later in range(first + 1, self.dealt):
                drawn[later] = drawn[later] + (drawn[later] >= drawn[first])
        cards = jnp.stack(drawn, 1) // jnp.uint8(self.deck[1])
        return Deal(jnp.zeros(words.shape[1:], jnp.int32), cards)

    def play(self, where: Deal, move: Int[Array, " t"], words: UInt32[Array, "w t"]) -> Played:
        """Make a move at every table; the words are for the next deal."""
        node = self.child[where.node, move]
        done = node < 0
        payoff = jnp.where(done[:, None], self.payoffs(jnp.where(done, -2 - node, 0), where.cards), 0.0)
        fresh = self.deal(words)
        after = Deal(jnp.where(done, 0, node), jnp.where(done[:, None], fresh.cards, where.cards))
        return Played(after, done, payoff)

    def payoffs(self, end: Int[Array, " t"], cards: UInt8[Array, "t c"]) -> Float[Array, "t p"]:
        """What everyone wins at an end of the betting with these cards, in chips."""
        board = cards[:, self.players * self.hole :]
        holes = cards[:, : self.players * self.hole].reshape(-1, self.players, self.hole)
        strength = self.strength(holes, jnp.broadcast_to(board[:, None], (*holes.shape[:2], board.shape[1])))
        strength = jnp.where(self.folded[end], -1, strength)
        wins = (strength == strength.max(1, keepdims=True)).astype(jnp.float32)
        return wins / wins.sum(1, keepdims=True) * self.won[end][:, None] - self.paid[end]

    def turn(self, where: Deal) -> Int[Array, " t"]:
        return self.actor[where.node]

    def infostate(self, where: Deal) -> Seen:
        return self.seen(where.node, where.cards, self.turn(where))

    def seen(self, node: Int[Array, " t"], cards: UInt8[Array, "t c"], player: Int[Array, " t"]) -> Seen:
        """What a player sees at a betting decision of a hand."""
        own = jnp.take_along_axis(cards, player[:, None] * self.hole + jnp.arange(self.hole), 1)
        board = cards[:, self.players * self.hole :]
        return self.up_to(node, jnp.concatenate([own, board], 1))

    def up_to(self, node: Int[Array, "..."], cards: UInt8[Array, "... v"]) -> Seen:
        """What of a player's cards is seen at a betting decision."""
        return Seen(node.astype(self.node_type), jnp.where(self._open(node), cards, jnp.uint8(HIDDEN)))

    def _open(self, node: Int[Array, "..."]) -> Bool[Array, "... v"]:
        """Which of the cards that a player sees are there at a betting decision."""
        return jnp.arange(len(self.arrived)) - self.hole < self.upturned[node][..., None]

    def legal(self, infostate: Seen) -> Bool[Array, "... a"]:
        return self.child[infostate.node] != -1

    def features(self, infostate: Seen) -> Float[Array, "... f"]:
        """What a network sees: the cards, then the betting, then how good the hand is.

        Only cards that are there at the decision count. So many decisions of one hand, [b, l], can share the cards of
        the last, [b, 1, v], and what takes longest is done once: renaming goes round by round and does not look ahead.
        """
        cards = self.renamed(infostate.cards) if self.renames else infostate.cards
        if self.winning is not None:
            there = jnp.where(self._open(infostate.node), cards, jnp.uint8(HIDDEN))
            return self.summed_up(infostate.node, self.winning(there, self.upturned[infostate.node]))
        held = (cards[..., None] == jnp.arange(self.kinds, dtype=jnp.uint8)) & self._open(infostate.node)[..., None]
        if self.encoding in BAGS:
            held = held.any(-2)
        else:
            # One block for each round: the cards that arrived in it.
            blocks = jnp.arange(self.rounds)[:, None] == self.arrived
            held = (held[..., None, :, :] & blocks[..., None]).sum(-2)
            held = held.reshape(*held.shape[:-2], self.rounds * self.kinds)
        told = [] if self.hand_strength is None else [self.hand_strength(cards, self.upturned[infostate.node])]
        return jnp.concatenate([held.astype(jnp.float32), self.betting[infostate.node], *told], -1)

    def summed_up(self, node: Int[Array, "..."], share: Float[Array, "..."]) -> Float[Array, "... f"]:
        """What a hand comes to at a betting decision, with cards that win such a share."""
        return jnp.concatenate([share[..., None], self.betting[node]], -1)

    def shares(self, cards: UInt8[Array, "t c"]) -> Float[Array, "t p u"]:
        """What everyone's cards win with none of the board's turned up, with one, and so on: once for a whole hand."""
        assert self.winning is not None, "cards are compared where networks are told what a hand comes to"
        holes, board = jnp.split(cards, [self.players * self.hole], 1)
        boards = jnp.broadcast_to(board[:, None], (len(cards), self.players, board.shape[1]))
        seen = jnp.concatenate([holes.reshape(-1, self.players, self.hole), boards], -1)
        up = jnp.arange(board.shape[1] + 1)
        there = jnp.arange(seen.shape[-1]) - self.hole < up[:, None]
        return self.winning(self.renamed(jnp.where(there, seen[:, :, None], jnp.uint8(HIDDEN))), up)

    def renamed(self, cards: UInt8[Array, "... v"]) -> UInt8[Array, "... v"]:
        """Cards with their suits in order of what they hold: first of the hole cards, then round by round."""
        ranks = self.kinds // self.suits
        rank, suit = cards.astype(jnp.int64) // self.suits, cards % self.suits
        weight = jnp.where(cards == HIDDEN, 0, 1 << (rank % ranks + ranks * (self.rounds - 1 - self.arrived)))
        of_suit = suit[..., None, :] == jnp.arange(self.suits, dtype=jnp.uint8)[:, None]
        held = jnp.where(of_suit, weight[..., None, :], 0).sum(-1)
        more = held[..., None, :] > held[..., :, None]
        before = jnp.tril(jnp.ones((self.suits, self.suits), bool), -1) & (held[..., None, :] == held[..., :, None])
        place = (more | before).sum(-1)
        renamed = rank * self.suits + jnp.take_along_axis(place, suit.astype(jnp.int32), -1)
        return jnp.where(cards == HIDDEN, cards, renamed.astype(jnp.uint8))


def build_card_arena(betting: BettingTree, encoding: Encoding = "nfsp") -> CardArena:
    """An arena for a poker game, from its betting."""
    game = betting.game
    boards = np.cumsum([declared.board for declared in game.rounds])
    arrived = [0] * game.hole + [number for number, declared in enumerate(game.rounds) for _ in range(declared.board)]
    told = {"summary": lambda: summarised(betting)} | dict.fromkeys(BAGS, lambda: betting.raises)
    seen = told.get(encoding, lambda: betting.history)()
    return CardArena(
        players=game.players,
        hole=game.hole,
        deck=(len(game.deck.ranks) * game.deck.copies, game.deck.copies_of_kind),
        actor=on_device(betting.actor, jnp.int32),
        upturned=on_device(boards[betting.round], jnp.int32),
        arrived=on_device(arrived, jnp.int32),
        child=on_device(betting.child, jnp.int32),
        past=on_device(betting.past, jnp.int32),
        betting=on_device(seen, jnp.float32),
        paid=on_device(betting.paid, jnp.float32),
        won=on_device([sum(paid) - game.raked(paid) for paid in betting.paid.tolist()], jnp.float32),
        folded=on_device(betting.folded),
        strength=_strengths(game),
        hand_strength=build_hand_strength(game) if encoding == "strength" else None,
        winning=build_winning(game) if encoding == "summary" else None,
        checks=on_device(_nothing_to_call(betting)) if encoding == "rlcard-four" else None,
        encoding=encoding,
        rounds=len(game.rounds),
        suits=game.deck.copies if game.deck.suits else 1,
        rake=game.rake,
    )


def _nothing_to_call(betting: BettingTree) -> Bool[np.ndarray, " n"]:
    """The decisions at which nobody has put in more than whoever is to move."""
    own = np.take_along_axis(betting.stakes, betting.actor[:, None], 1)[:, 0]
    return np.asarray(own == betting.stakes.max(1))


def _strengths(game: Poker) -> Strengths:
    """Ranks of poker hands where those decide, else a table asked of the rules once."""
    if game.showdown is best_five:
        return Strengths(None, build_ranks(game.deck))
    cards = game.hole + sum(declared.board for declared in game.rounds)
    shape = (game.deck.kinds,) * cards
    if np.prod(shape, dtype=float) > LARGEST_TABLE:
        raise BadInput(f"{game.name} has too many showdowns of {cards} cards for a table; choose fewer or best_five.")
    strengths = [game.showdown(game.deck, cell[: game.hole], cell[game.hole :]) for cell in np.ndindex(shape)]
    order = {strength: number for number, strength in enumerate(sorted(set(strengths)))}
    table = np.array([order[strength] for strength in strengths]).reshape(shape)
    return Strengths(on_device(table, jnp.int32), None)
