"""What is done with every two cards at one decision of a hold'em game: asked all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.policy import Policy
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.cards import Cards, Deck
from feint.games.errors import BadInput
from feint.games.hand import Hand
from feint.games.poker import Poker
from feint.games.poker_spots import bet, read_cards
from feint.games.poker_views import betting_in_words
from feint.games.words import either
from feint.tree.compiled import compiled


@final
@dataclass(frozen=True)
class Asked:
    """A betting decision on a board."""

    hand: Hand
    betting: str
    board: Cards
    board_words: str

    @classmethod
    def read(cls, form: Form, betting: str, board: str) -> Self:
        """The decision after some betting, on a board with as many cards as lie open then."""
        game = form.game
        if not isinstance(game, Poker):
            raise BadInput(f"{form.name} is not poker, so there is no betting to look at; look for labels instead.")
        hand = bet(game, betting)
        words = betting_in_words(game, hand.dealer, hand.moves)
        cards = read_cards(game.name, game.deck, board, "board")
        due = len(hand.board)
        if len(cards) != due:
            given = "none was" if not cards else f"{len(cards)} {'was' if len(cards) == 1 else 'were'}"
            there = f"{due or 'no'} card{'' if due == 1 else 's'}"
            what = f"name {due}, such as {_example(game, due)}" if due else "leave the board out"
            raise BadInput(
                f"The board has {there} {f'after {words}' if words else 'at the start'}, but {given} given; {what}."
            )
        if twice := sorted({game.deck.name(card) for card in cards if cards.count(card) > 1}):
            raise BadInput(f"{either(twice, 'and')} is on the board twice; change one of them.")
        return cls(hand, words, _as_turned(game, cards), "".join(map(game.deck.name, cards)))


class Kind(NamedTuple):
    """Hands that differ in suits alone, such as AKs or AKo."""

    name: str
    row: int
    column: int
    """Its place in the chart: suited hands above the diagonal, the highest rank first."""
    chances: Float[np.ndarray, " a"]
    """The mean over its combinations; nothing (nan) where the board leaves none."""
    left: int
    """How many combinations the board leaves."""


@final
@dataclass(frozen=True)
class Combinations:
    """What is done with every two cards."""

    game: Poker
    asked: Asked
    moves: dict[str, int]
    """The columns of the moves by what they are called here."""
    pairs: Int[np.ndarray, "c 2"]
    chances: Float[np.ndarray, "c a"]
    live: Bool[np.ndarray, " c"]
    """Whether the board leaves a combination."""

    def name(self, pair: Int[np.ndarray, "2"]) -> str:
        """Two cards by name, the higher first."""
        return "".join(self.game.deck.name(int(card)) for card in pair[::-1])

    def told(self, chances: Float[np.ndarray, " a"]) -> dict[str, float]:
        """How often each move is made, by what it is called here."""
        return {word: float(chances[column]) for word, column in self.moves.items()}

    def kinds(self) -> Iterator[Kind]:
        """Every kind of hand."""
        deck, names = self.game.deck, self.game.deck.ranks[::-1]
        rank = np.array([deck.rank(card) for card in range(deck.kinds)])
        suit = np.array([deck.suit(card) for card in range(deck.kinds)])
        high, low = rank[self.pairs[:, 1]], rank[self.pairs[:, 0]]
        suited = suit[self.pairs[:, 0]] == suit[self.pairs[:, 1]]
        for row, first in enumerate(names):
            for column, second in enumerate(names):
                top, under = sorted((len(names) - 1 - row, len(names) - 1 - column), reverse=True)
                mine = self.live & (high == top) & (low == under) & (suited == (row < column))
                pair = first + second if row <= column else second + first
                name = pair + ("" if row == column else "s" if row < column else "o")
                mean = self.chances[mine].mean(0) if mine.any() else np.full(self.chances.shape[1], np.nan)
                yield Kind(name, row, column, mean, int(mine.sum()))

    def rows(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Every combination that the board leaves, the highest cards first."""
        for number in np.flatnonzero(self.live)[::-1]:
            yield self.name(self.pairs[number]), self.told(self.chances[number])


def ask_all(form: Form, strategy: Strategy, asked: Asked) -> Combinations:
    """Ask a strategy about every two cards."""
    game = form.game
    assert isinstance(game, Poker)
    hand = asked.hand
    pairs = np.array(list(combinations(range(game.deck.kinds), 2)))
    pairs = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]
    live = np.asarray(~np.isin(pairs, asked.board).any(1))
    some = tuple(pairs[live][0].tolist())
    one: Any = form.sees(hand.actor, (hand.dealer, some, asked.board, hand.moves))
    cards = np.repeat(np.asarray(one.cards), len(pairs), 0)
    # Where the board has taken a card some other hand stands in, so that one compiled program serves all boards.
    cards[:, :2] = np.where(live[:, None], pairs, some)
    seen = one._replace(node=jnp.repeat(one.node, len(pairs)), cards=jnp.asarray(cards))
    told = np.asarray(_all(strategy.policy, seen, jnp.full(len(pairs), hand.actor)), float)
    offered = {game.spoken(hand, move): form.actions.index(game.actions[move]) for move in game.legal(hand)}
    columns = list(offered.values())
    chances = np.zeros_like(told)
    chances[:, columns] = told[:, columns] / told[:, columns].sum(1, keepdims=True)
    return Combinations(game, asked, offered, pairs, chances, live)


@compiled
def _all(policy: Policy, seen: Any, turn: Int[Array, " c"]) -> Float[Array, "c a"]:
    return policy(seen, turn)


def _as_turned(game: Poker, board: Cards) -> Cards:
    """The board as the rules keep it: the cards of a round in order."""
    turned, left = Cards(), board
    for declared in game.rounds:
        turned, left = (*turned, *sorted(left[: declared.board])), left[declared.board :]
    return turned


def _example(game: Poker, cards: int) -> str:
    deck: Deck = game.deck
    step = max(1, deck.kinds // (cards + 1))
    return "".join(deck.name((number + 1) * step + number % deck.copies) for number in range(cards))
