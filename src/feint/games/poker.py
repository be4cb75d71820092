"""One engine for every poker game here: declare the deck, the rounds and the showdown, and it deals and bets.

A hand is dealt one player at a time, then rounds of betting alternate with board cards until all but one have
folded or the last round closes. Betting is fixed-limit (`Round.raise_by`) or no-limit (`Poker.pot_bets` and a
`stack`). Two copies of a rank are the same card unless the deck keeps its suits apart: the game is the same
either way, and smaller when they are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

from feint.games import poker_talk, poker_views
from feint.games.cards import Cards, Deck, Showdown, best_five, spelt
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game, Scene
from feint.games.hand import CALL, FOLD, RAISE, Hand, Menu, Round
from feint.games.poker_sizes import Size, size_of

__all__ = ["CALL", "FOLD", "RAISE", "Hand", "Menu", "Poker", "Round"]

SLIVER = 1e-12
"""Of a stack: no chips, but what rounding makes of them, and less than any spot has behind."""


@final
@dataclass(frozen=True)
class Poker(Game[Hand]):
    """A poker game, declared."""

    deck: Deck
    rounds: tuple[Round, ...]
    showdown: Showdown
    hole: int = 1
    players: int = 2
    ante: float = 0.0
    blinds: tuple[float, ...] = ()
    """What each seat posts before the deal, from the dealer on, on top of the ante."""
    stack: float | None = None
    """Chips each player brings; None when fixed-limit betting cannot exhaust them."""
    pot_bets: tuple[float, ...] = ()
    """No-limit raise sizes as fractions of the pot after calling; all-in is offered too, unless a menu says no."""
    least: float | None = None
    """No-limit: the smallest bet or raise; None for the largest of ante and blinds."""
    free_folds: bool = False
    """Whether a player may fold with nothing to call."""
    rotating_dealer: bool = False
    """The dealer is drawn at the start of every hand rather than always being player 0."""
    rake: float = 0.0
    """The share of every pot that the house takes. What nobody called is returned first …"""
    rake_cap: float | None = None
    """… and this is the most that it takes, in chips; None for no limit."""
    name: str = "poker"
    open_moves: ClassVar[bool] = True

    def __post_init__(self) -> None:
        cards = self.deck.kinds * self.deck.copies_of_kind
        board = sum(declared.board for declared in self.rounds)
        needed, shown = self.players * self.hole + board, self.hole + board
        posted = self.ante + max(self.blinds, default=0.0)
        menus = [menu for each in self.rounds for menu in each.menus]
        sizes = {size for menu in menus for size in (*menu.bets, *menu.raises)}
        limits = all(each.cap == 0 or (each.raise_by > 0 and each.cap is not None) for each in self.rounds)
        for fine, words in (
            (self.players >= 2, f"at least 2 players, not {self.players}"),
            (self.rounds, "at least one round"),
            (needed <= cards, f"{needed} cards for {self.players} players and the board, but its deck has {cards}"),
            # Tables of ranks answer fewer and more as well, with what means nothing.
            (self.showdown is not best_five or 5 <= shown <= 7, f"5 to 7 cards a hand for best_five, not {shown}"),
            (self.deck.copies <= 4 or not self.deck.suits, f"at most 4 suits, not {self.deck.copies}"),
            (len(self.blinds) <= self.players, f"no more blinds than its {self.players} players, not {self.blinds}"),
            (min(self.ante, *self.blinds, 0.0) == 0, "antes and blinds of 0 or more"),
            ((not self.pot_bets) == (self.stack is None), "a stack with pot_bets (no-limit), or neither (fixed-limit)"),
            (self.stack is None or self.stack > posted, f"a stack above the {posted:g} posted, not {self.stack}"),
            (self.pot_bets or limits, "raise_by above 0 and a cap in every round, or pot_bets and a stack"),
            (self._ascends(), f"pot_bets in ascending order, each once, not {self.pot_bets}"),
            (sizes <= set(self.pot_bets), "menus made of its pot_bets"),
            (self._menus_for_all(), f"a menu for each of its {self.players} players in a round, or none"),
            (self._tells_suits(), "a deck with suits=True for best_five, which looks for flushes"),
            (0 <= self.rake < 1, f"a rake from 0 to below 1, the share of the pot that is taken, not {self.rake}"),
            (self.rake_cap is None or self.rake_cap >= 0, f"a rake_cap of 0 chips or more, not {self.rake_cap}"),
        ):
            if not fine:
                raise BadInput(f"A game of poker needs {words}.")
        with suppress(TypeError):  # one that has no hash is read when it is asked for
            spelt(self.showdown)  # now: the rules that a run brings are gone from where they were started

    def _ascends(self) -> bool:
        """Whether larger bets have larger numbers, as moves are listed and told apart by these."""
        return list(self.pot_bets) == sorted(set(self.pot_bets))

    def _menus_for_all(self) -> bool:
        return all(len(declared.menus) in (0, self.players) for declared in self.rounds)

    def _tells_suits(self) -> bool:
        return self.deck.suits or self.showdown is not best_five

    @cached_property
    def actions(self) -> tuple[str, ...]:  # type: ignore[override]
        if not self.pot_bets:
            return "fold", "call", "raise"
        sizes = ("pot" if size == 1 else f"{size:g} pot" for size in self.pot_bets)
        return "fold", "call", *sizes, "all-in"

    @property
    def big_blind(self) -> float:
        """What winnings are measured in: the largest blind, or the ante where there are none, or else a chip."""
        return float(max(self.blinds, default=0.0) or self.ante or 1.0)

    def start(self) -> Hand:
        return self._hand(CHANCE, (0.0,) * self.players) if self.rotating_dealer else self.seat(0)

    def actor(self, state: Hand) -> int:
        return state.actor

    def chance(self, state: Hand) -> Sequence[tuple[float, Hand]]:
        if state.dealer == CHANCE:
            return [(1 / self.players, self.seat(dealer)) for dealer in range(self.players)]
        draws = self.deck.draws(state.dealt, self._due(state))
        return [(chance, self._dealt(state, cards)) for chance, cards in draws]

    def outcome(self, state: Hand, place: float) -> Hand:
        if state.dealer == CHANCE or self.deck.copies_of_kind > 1:
            return super().outcome(state, place)
        return self._dealt(state, self.deck.draw(state.dealt, self._due(state), place))

    def deal_some(self, state: Hand) -> Hand:
        """The hand after chance deals whatever comes first, for those to whom all cards are the same."""
        _, cards = next(self.deck.draws(state.dealt, self._due(state)))
        return self._dealt(state, cards)

    def deal_until_a_turn(self, state: Hand) -> Hand:
        """The hand once chance has dealt whatever comes first, and somebody is to move or it is over."""
        while state.actor == CHANCE:
            state = self.deal_some(state)
        return state

    def deal(self, state: Hand, cards: Cards) -> Hand:
        """The hand after chance deals these cards, to the next player without any or to the board.

        One outcome of `chance` without listing them all, for games that have too many.
        """
        due = self._due(state) if state.actor == CHANCE and state.dealer != CHANCE else 0
        copies = Counter((*state.dealt, *cards))
        real = all(0 <= card < self.deck.kinds and copies[card] <= self.deck.copies_of_kind for card in cards)
        if not due or len(cards) != due or not real:
            raise IllegalMove(f"Cards {cards} cannot be dealt here; deal {due} of those left in the deck.")
        return self._dealt(state, tuple(sorted(cards)))

    def legal(self, state: Hand) -> Sequence[int]:
        moves = [FOLD] if self.free_folds or self.to_call(state) > 0 else []
        return [*moves, CALL, *(RAISE + size for size, _ in self._raises(state))]

    def play(self, state: Hand, action: int) -> Hand:
        legal = self.legal(state) if state.actor >= 0 else ()
        if action not in legal:
            allowed = ", ".join(f"{move} ({self.actions[move]})" for move in legal) or "none: no player is to move"
            raise IllegalMove(f"Move {action} is not legal here; the legal moves are {allowed}.")
        player, raises, waiting = state.actor, state.raises, state.waiting - 1
        paid, folded = list(state.paid), list(state.folded)
        paid[player] = self._pays(state, action)
        if action == FOLD:
            folded[player] = True
        elif action != CALL:
            raises, waiting = raises + 1, folded.count(False) - 1
        moves = (*state.moves[:-1], (*state.moves[-1], action))
        hand = state._replace(moves=moves, paid=tuple(paid), folded=tuple(folded), raises=raises, waiting=waiting)
        if folded.count(False) == 1:
            return hand._replace(actor=TERMINAL)
        if waiting:
            return hand._replace(actor=self._next(hand, player + 1))
        return self._close(hand)

    def view(self, state: Hand, player: int) -> Hashable:
        return state.dealer, state.holes[player], state.board, state.moves

    def payoffs(self, state: Hand) -> Sequence[float]:
        live = [player for player in range(self.players) if not state.folded[player]]
        if len(live) > 1:
            strength = {player: self.showdown(self.deck, state.holes[player], state.board) for player in live}
            best = max(strength.values())
            live = [player for player in live if strength[player] == best]
        return self.split(state.paid, live)

    def split(self, paid: Sequence[float], winners: Sequence[int]) -> Sequence[float]:
        """What each player wins when these share the pot, in chips."""
        share = (sum(paid) - self.raked(paid)) / len(winners)
        return [share * (player in winners) - given for player, given in enumerate(paid)]

    def raked(self, paid: Sequence[float]) -> float:
        """What the house takes of a pot."""
        top, second = sorted(paid, reverse=True)[:2]
        taken = self.rake * (sum(paid) - (top - second))
        return taken if self.rake_cap is None else min(taken, self.rake_cap)

    def label(self, state: Hand, player: int) -> str:
        return poker_views.label(self, state, player)

    def spoken(self, state: Hand, action: int) -> str:
        return poker_views.word(self, state.dealer, len(state.moves) - 1, state.actor, state.raises, action)

    def price(self, state: Hand, action: int) -> float:
        return self._pays(state, action) - state.paid[state.actor]

    def seated(self, state: Hand, player: int) -> str:
        return poker_talk.seated(self, state, player)

    def told(self, state: Hand, player: int) -> str:
        return poker_talk.told(self, state, player)

    def upturned(self, state: Hand) -> str:
        return poker_talk.upturned(self, state)

    def scene(self, state: Hand, player: int) -> Scene:
        return poker_talk.scene(self, state, player)

    def shown(self, state: Hand, player: int) -> str:
        return poker_talk.shown(self, state, player)

    def revealed(self, state: Hand) -> Mapping[int, Cards]:
        live = {player: hole for player, hole in enumerate(state.holes) if not state.folded[player]}
        return live if len(live) > 1 else {}

    def features(self, state: Hand, player: int) -> Sequence[float]:
        return poker_views.features(self, state, player)

    def unrolled_size(self) -> tuple[int, int]:
        return self.size.nodes, self.size.infosets

    @cached_property
    def size(self) -> Size:
        return size_of(self)

    def _hand(self, dealer: int, paid: tuple[float, ...]) -> Hand:
        return Hand(dealer, (), (), (), paid, (False,) * self.players, CHANCE, 0, 0)

    def seat(self, dealer: int) -> Hand:
        """The hand before the deal, antes and blinds posted."""
        paid = [self.ante] * self.players
        for seat, blind in enumerate(self.blinds):
            paid[(dealer + seat) % self.players] += blind
        return self._hand(dealer, tuple(paid))

    def _due(self, hand: Hand) -> int:
        """How many cards chance deals next."""
        return self.hole if len(hand.holes) < self.players else self.rounds[len(hand.moves)].board

    def _dealt(self, hand: Hand, cards: Cards) -> Hand:
        if len(hand.holes) == self.players:
            return self._open(hand, cards)
        hand = hand._replace(holes=(*hand.holes, cards))
        if len(hand.holes) < self.players or self.rounds[0].board:
            return hand
        return self._open(hand, ())

    def _open(self, hand: Hand, board: Cards) -> Hand:
        """Turn the round's board cards and start its betting, or run out the board when everyone is all-in."""
        opened = hand._replace(board=hand.board + board, moves=(*hand.moves, ()), raises=0)
        if max(opened.paid) == self.stack:
            return self._close(opened)
        first = self._next(opened, opened.dealer + self.rounds[len(hand.moves)].first)
        return opened._replace(actor=first, waiting=opened.folded.count(False))

    def _close(self, hand: Hand) -> Hand:
        if len(hand.moves) == len(self.rounds):
            return hand._replace(actor=TERMINAL)
        if self.rounds[len(hand.moves)].board:
            return hand._replace(actor=CHANCE)
        return self._open(hand, ())

    def _next(self, hand: Hand, player: int) -> int:
        """The first player from `player` on, round the table, who has not folded."""
        return next(p % self.players for p in range(player, player + self.players) if not hand.folded[p % self.players])

    def to_call(self, hand: Hand) -> float:
        """What the actor must pay to stay in, in chips."""
        return max(hand.paid) - hand.paid[hand.actor]

    def _pays(self, hand: Hand, action: int) -> float:
        """What the actor will have paid after a legal move."""
        if action == FOLD:
            return hand.paid[hand.actor]
        return max(hand.paid) if action == CALL else dict(self._raises(hand))[action - RAISE]

    def _raises(self, hand: Hand) -> Sequence[tuple[int, float]]:
        """The raises on offer, as (number of the size, what the player will have paid)."""
        declared = self.rounds[len(hand.moves) - 1]
        if declared.cap is not None and hand.raises >= declared.cap:
            return ()
        top = max(hand.paid)
        if not self.pot_bets:
            return ((0, top + declared.raise_by),)
        return self._pot_raises(top, self.to_call(hand), sum(hand.paid), self._menu(hand))

    def _menu(self, hand: Hand) -> Menu:
        menus = self.rounds[len(hand.moves) - 1].menus
        return menus[(hand.actor - hand.dealer) % self.players] if menus else Menu(self.pot_bets, self.pot_bets)

    def _pot_raises(self, top: float, to_call: float, pot: float, menu: Menu) -> Sequence[tuple[int, float]]:
        """No-limit sizes: at least the bet faced and the smallest there is, less than all-in, which comes last."""
        assert self.stack is not None
        room, sliver = self.stack - top, SLIVER * self.stack
        smallest = max(self.ante, *self.blinds, 0.0) if self.least is None else self.least
        offered = menu.raises if to_call > 0 else menu.bets
        sizes = [(self.pot_bets.index(size), size * (pot + to_call)) for size in sorted(offered)]
        large = [(size, top + by) for size, by in sizes if min(max(to_call, smallest), room) - sliver <= by]
        raises = tuple((size, paid) for size, paid in large if paid < self.stack - sliver)
        all_in = menu.all_in or len(raises) < len(large)
        return (*raises, (len(self.pot_bets), self.stack)) if room > sliver and all_in else raises

    @cached_property
    def first_seats(self) -> tuple[int, ...]:
        """The seat, counted from the dealer, that opens each round."""
        return tuple(declared.first for declared in self.rounds)
