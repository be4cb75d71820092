"""A player that searches at each of its moves: continual re-solving, one hand at a time.

It knows its own range and what the other could have had, and works out both again from what has been bet; what it found
out once it remembers. Its strategy, for those who judge, is the same searches at every decision of the game.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, final

import numpy as np
from jaxtyping import Float

from feint.arena.betting import unroll_betting
from feint.forms.form import Form
from feint.forms.public_strategy import PublicStrategy
from feint.forms.strategy import Strategy, TabularStrategy
from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.hand import Moves
from feint.games.poker import Poker
from feint.players.player import Observation, Player
from feint.search.bets import Bets
from feint.search.lookahead import Found, Method
from feint.search.resolving import Carried, Guesses, Search, first_carried, searchable, searches_of, written_out
from feint.search.table import seen_in, table_of
from feint.tree.compiled import compiled


@final
class ResolvingPlayer(Player):
    """Searches at each of its moves."""

    def __init__(self, form: Form, method: Method, guesses: Guesses, seed: int | None, bets: Bets = None) -> None:
        game = poker_to_search(form)
        self._form, self._game, self._method, self._guesses = form, game, method, guesses
        self._random = np.random.default_rng(seed)
        self._bets, self._betting = bets, unroll_betting(game)
        self._first = Search.at(game, (0,), bets)
        self._carried: tuple[dict[int, Carried], ...] = ({}, {})
        """For each seat, by betting decision."""
        self._found: dict[int, Found] = {}
        """What was found where it has searched."""

    @cached_property
    def strategy(self) -> Strategy:
        searches, tree = searches_of(self._game, self._bets), self._form.tree
        if tree is None:
            tables = _tables(searches, self._method, self._guesses)
            return PublicStrategy(self._form.fingerprint, searches.tree, tables)
        table = _table(searches, self._method, self._guesses, seen_in(tree, self._game))
        return TabularStrategy(tree.fingerprint, table)

    def move(self, seen: Observation) -> int:
        chances = self.chances(seen)
        return int(self._random.choice(len(chances), p=chances / chances.sum()))

    def chances(self, seen: Observation) -> Float[np.ndarray, " a"]:
        """How often it makes each move here, by the rules' own numbers of them."""
        view: Any = seen.view  # a poker game's
        _, hole, board, moves = view
        search, found = self._search(seen.player, moves)
        boards, rest = (np.asarray(part) for part in (search.tree.rounds[0].cards, search.tree.rounds[0].rest))
        held, *turned = _apart(self._game, (*hole, *board))
        place = int(np.flatnonzero((boards == turned).all(1))[0])
        hand = int(np.searchsorted(rest[place], held))
        betting, chances = search.tree.betting, np.zeros(len(self._game.actions))
        legal = np.flatnonzero(betting.legal[search.nodes[0]])
        chances[legal] = [float(move[place, 0, hand]) for move in found.strategy]
        return chances

    def _search(self, player: int, moves: Moves) -> tuple[Search, Found]:
        """What it finds where this was bet, and whatever it has to know for that."""
        betting, carried, node = self._betting, self._carried[player], 0
        if not carried:
            carried[0] = first_carried(self._first, self._method, self._guesses, player)
        for move in (*chain(*moves), None):
            here = carried.get(node)
            if betting.actor[node] == player and here is not None:
                search = Search.at(self._game, (node,), self._bets)
                if node not in self._found:
                    self._found[node] = search(self._method, self._guesses, [here])
                carried |= search.after(self._found[node], [here])
            if move is None and here is None:
                raise BadInput("The re-solver never comes here: it does not consider one of the bets that it made.")
            if move is None:
                return search, self._found[node]
            after = int(betting.child[node, move])
            if betting.actor[node] != player and here is not None and betting.round[after] == betting.round[node]:
                carried[after] = here
            node = after
        raise AssertionError("no hand ends where somebody is to move")


def poker_to_search(form: Form) -> Poker:
    """The game of a form, if it can be re-solved."""
    game = small(form.game)
    if not (form.has_public or form.tree is not None):
        raise _too_much(form.name)
    return game


def small(game: Game[Any]) -> Poker:
    """A game that can be re-solved, as far as its rules say; others are refused."""
    if (poker := searchable(game)) is None:
        raise _too_much(game.name)
    return poker


def _too_much(name: str) -> BadInput:
    return BadInput(
        f"Re-solving is for poker without rake, of two players, no board in the first round, one card each and at most "
        f"two rounds with a public tree that fits, and {name} is none; leduc_no_limit and leduc are."
    )


def _apart(game: Poker, cards: Cards) -> list[int]:
    """Cards with copies of a rank told apart: whichever is seen first is the first."""
    if game.deck.suits:
        return list(cards)
    return [card * game.deck.copies + cards[:place].count(card) for place, card in enumerate(cards)]


_table, _tables = compiled(table_of), compiled(written_out)
