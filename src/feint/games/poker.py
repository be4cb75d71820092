"""One engine for every poker game here: declare the deck, the rounds and the showdown, and it deals and bets.

A hand is dealt one player at a time, then rounds of betting alternate with board cards until all but one have
folded or the last round closes. Betting is fixed-limit (`Round.raise_by`) or no-limit (`Poker.pot_bets` and a
`stack`). Two copies of a rank are the same card unless the deck keeps its suits apart: the game is the same
either way, and smaller when they are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import comb
from typing import NamedTuple, final

from feint.games.cards import Cards, Deck, Showdown
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game

FOLD, CALL, RAISE = 0, 1, 2
"""Moves every poker game knows. CALL checks when there is nothing to call; no-limit sizes follow from RAISE on."""


@final
@dataclass(frozen=True)
class Round:
    """One round of betting, and the board cards dealt before it."""

    raise_by: float = 0.0
    """The size of a bet or raise in a fixed-limit game; no-limit games leave it at 0."""
    cap: int | None = None
    """How many bets and raises the round allows; None for no limit but the stack."""
    board: int = 0
    """Cards turned face up before the betting."""
    first: int = 0
    """The seat, counted from the dealer, that acts first."""


class Hand(NamedTuple):
    """A state of a poker game. Players are numbered absolutely; the dealer says where the seats start."""

    dealer: int
    holes: tuple[Cards, ...]
    board: Cards
    moves: tuple[tuple[int, ...], ...]
    """The moves made so far, by round."""
    paid: tuple[float, ...]
    """Chips each player has put into the pot."""
    folded: tuple[bool, ...]
    actor: int
    waiting: int
    """How many players are still to act before the round closes."""
    raises: int
    """Bets and raises in this round so far."""


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
    """No-limit raise sizes as fractions of the pot after calling; all-in is always offered too."""
    free_folds: bool = False
    """Whether a player may fold with nothing to call."""
    rotating_dealer: bool = False
    """The dealer is drawn at the start of every hand rather than always being player 0."""
    name: str = "poker"

    def __post_init__(self) -> None:
        cards = self.deck.kinds * self.deck.copies_of_kind
        needed = self.players * self.hole + sum(declared.board for declared in self.rounds)
        posted = self.ante + max(self.blinds, default=0.0)
        for fine, words in (
            (self.players >= 2, f"at least 2 players, not {self.players}"),
            (self.rounds, "at least one round"),
            (needed <= cards, f"{needed} cards for {self.players} players and the board, but its deck has {cards}"),
            (self.deck.copies <= 4 or not self.deck.suits, f"at most 4 suits, not {self.deck.copies}"),
            (len(self.blinds) <= self.players, f"no more blinds than its {self.players} players, not {self.blinds}"),
            (min(self.ante, *self.blinds, 0.0) == 0, "antes and blinds of 0 or more"),
            (
                bool(self.pot_bets) == (self.stack is not None),
                "a stack together with pot_bets (no-limit), or neither (fixed-limit)",
            ),
            (self.stack is None or self.stack > posted, f"a stack above the {posted:g} posted, not {self.stack}"),
            (
                self.pot_bets
                or all(each.cap == 0 or (each.raise_by > 0 and each.cap is not None) for each in self.rounds),
                "raise_by above 0 and a cap in every round, or pot_bets and a stack",
            ),
        ):
            if not fine:
                raise BadInput(f"A game of poker needs {words}.")

    @cached_property
    def actions(self) -> tuple[str, ...]:  # type: ignore[override]
        if not self.pot_bets:
            return "fold", "call", "raise"
        sizes = ("pot" if size == 1 else f"{size:g} pot" for size in self.pot_bets)
        return "fold", "call", *sizes, "all-in"

    @property
    def big_blind(self) -> float:
        """What winnings are measured in: the largest blind, or the ante where there are none."""
        return float(max(self.blinds, default=self.ante))

    def start(self) -> Hand:
        return self._hand(CHANCE, (0.0,) * self.players) if self.rotating_dealer else self._seat(0)

    def actor(self, state: Hand) -> int:
        return state.actor

    def chance(self, state: Hand) -> Sequence[tuple[float, Hand]]:
        if state.dealer == CHANCE:
            return [(1 / self.players, self._seat(dealer)) for dealer in range(self.players)]
        draws = self.deck.draws(_seen(state), self._due(state))
        return [(chance, self._dealt(state, cards)) for chance, cards in draws]

    def deal_some(self, state: Hand) -> Hand:
        """The hand after chance deals whatever comes first, for those to whom all cards are the same."""
        _, cards = next(self.deck.draws(_seen(state), self._due(state)))
        return self._dealt(state, cards)

    def deal(self, state: Hand, cards: Cards) -> Hand:
        """The hand after chance deals these cards, to the next player without any or to the board.

        One outcome of `chance` without listing them all, for games that have too many.
        """
        due = self._due(state) if state.actor == CHANCE and state.dealer != CHANCE else 0
        copies = Counter((*_seen(state), *cards))
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
        if action == FOLD:
            folded[player] = True
        elif action == CALL:
            paid[player] = max(paid)
        else:
            paid[player] = dict(self._raises(state))[action - RAISE]
            raises, waiting = raises + 1, folded.count(False) - 1
        hand = state._replace(
            moves=(*state.moves[:-1], (*state.moves[-1], action)),
            paid=tuple(paid),
            folded=tuple(folded),
            raises=raises,
            waiting=waiting,
        )
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
        share = sum(state.paid) / len(live)
        return [share * (player in live) - paid for player, paid in enumerate(state.paid)]

    def label(self, state: Hand, player: int) -> str:
        """Cards, then the betting: `Q` to open, `Q: bet`, `QK: check bet call / check` with a king on the board.

        The board stands apart where players hold several cards: `KsAh 2c7d9s: call check / bet`.
        """
        groups = ("".join(self.deck.name(card) for card in group) for group in (state.holes[player], state.board))
        cards = (" " if self.hole > 1 else "").join(group for group in groups if group)
        betting = " / ".join(" ".join(words) for words in self._words(state)).rstrip(" /")
        dealer = " (dealer)" if self.rotating_dealer and state.dealer == player else ""
        return f"{cards}{dealer}: {betting}" if betting else f"{cards}{dealer}"

    def features(self, state: Hand, player: int) -> Sequence[float]:
        """Cards by the round they were dealt in, then who called or raised at each count of raises in each round.

        For Leduc this is the vector of 30 numbers used for neural fictitious self-play: 2 rounds x 3 cards, then
        2 players x 2 rounds x 3 raise counts x 2 moves. Folds need no place: they end the hand or show as the
        absence of a move.
        """
        rounds, kinds = len(self.rounds), len(self.actions) - 1
        cards = [0.0] * (rounds * self.deck.kinds)
        dealt = iter(state.board)
        for number, declared in enumerate(self.rounds):
            group = state.holes[player] if number == 0 else ()
            for card in (*group, *(next(dealt, None) for _ in range(declared.board))):
                if card is not None:
                    cards[number * self.deck.kinds + card] += 1.0
        history = [0.0] * (self.players * rounds * (self._most_raises + 1) * kinds)
        for number, actor, raises, move in self._replay(state):
            if move != FOLD:
                place = (actor * rounds + number) * (self._most_raises + 1) + raises
                history[place * kinds + move - CALL] = 1.0
        return cards + history

    def unrolled_size(self) -> tuple[int, int] | None:
        """How many nodes and information sets the game unrolls to, from the betting alone; it may be too many to try.

        None where copies of a rank are one card, since what is left to deal then depends on what was dealt.
        """
        return self._size(self.start(), 1) if self.deck.copies_of_kind == 1 else None

    def _size(self, hand: Hand, alike: int) -> tuple[int, int]:
        """Nodes and information sets from a hand on, which stands for `alike` hands that differ in their cards."""
        if hand.actor == TERMINAL:
            return alike, 0
        if hand.dealer == CHANCE:
            nodes, infosets = self._size(self._seat(0), alike)
            return alike + self.players * nodes, self.players * infosets
        if hand.actor == CHANCE:
            deals = comb(self.deck.kinds - len(_seen(hand)), self._due(hand))
            nodes, infosets = self._size(self.deal_some(hand), alike * deals)
            return alike + nodes, infosets
        after = [self._size(self.play(hand, move), alike) for move in self.legal(hand)]
        return alike + sum(nodes for nodes, _ in after), self._views(hand) + sum(infosets for _, infosets in after)

    def _views(self, hand: Hand) -> int:
        """How many hole cards and boards a player can see at this point of the betting."""
        views, left = comb(self.deck.kinds, self.hole), self.deck.kinds - self.hole
        for declared in self.rounds[: len(hand.moves)]:
            views, left = views * comb(left, declared.board), left - declared.board
        return views

    def _hand(self, dealer: int, paid: tuple[float, ...]) -> Hand:
        return Hand(dealer, (), (), (), paid, (False,) * self.players, CHANCE, 0, 0)

    def _seat(self, dealer: int) -> Hand:
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

    def _raises(self, hand: Hand) -> Sequence[tuple[int, float]]:
        """The raises on offer, as (number of the size, what the player will have paid)."""
        declared = self.rounds[len(hand.moves) - 1]
        if declared.cap is not None and hand.raises >= declared.cap:
            return ()
        top = max(hand.paid)
        if not self.pot_bets:
            return ((0, top + declared.raise_by),)
        return self._pot_raises(top, self.to_call(hand), sum(hand.paid))

    def _pot_raises(self, top: float, to_call: float, pot: float) -> Sequence[tuple[int, float]]:
        """No-limit sizes: at least the bet faced and at least an ante, less than all-in, which is always there."""
        assert self.stack is not None
        room = self.stack - top
        least = min(max(to_call, self.ante, *self.blinds), room)
        sizes = [(size, fraction * (pot + to_call)) for size, fraction in enumerate(self.pot_bets)]
        raises = [(size, top + by) for size, by in sizes if least <= by < room]
        return (*raises, (len(self.pot_bets), self.stack)) if room > 0 else raises

    @cached_property
    def _most_raises(self) -> int:
        """The most raises one round can see."""
        if not self.pot_bets:
            return max(declared.cap or 0 for declared in self.rounds)

        @cache
        def longest(top: float, to_call: float) -> int:
            raises = self._pot_raises(top, to_call, self.players * top - to_call)
            return max((1 + longest(after, after - top) for _, after in raises), default=0)

        # A round can begin at any bet that an earlier one can end on: sizes too small at first open up as pots grow.
        begun, found = {max(self._seat(0).paid)}, [max(self._seat(0).paid)]
        while found:
            top = found.pop()
            for to_call in (0.0, top):
                after = {paid for _, paid in self._pot_raises(top, to_call, self.players * top - to_call)} - begun
                begun |= after
                found += after
        return max(longest(top, 0.0) for top in begun)

    def _replay(self, state: Hand) -> Sequence[tuple[int, int, int, int]]:
        """Every move of the hand as (round, player, raises before it, move)."""
        return _replayed(self.players, self._first_seats, state.dealer, state.moves)

    @cached_property
    def _first_seats(self) -> tuple[int, ...]:
        return tuple(declared.first for declared in self.rounds)

    def _words(self, state: Hand) -> list[list[str]]:
        """The moves of each round in words: check or call, bet or raise, or the size."""
        rounds: list[list[str]] = [[] for _ in state.moves]
        for number, actor, raises, move in self._replay(state):
            rounds[number].append(self._word(state.dealer, number, actor, raises, move))
        return rounds

    def spoken(self, state: Hand, action: int) -> str:
        """A check where there is nothing to call, and a bet where there is nothing to raise."""
        return self._word(state.dealer, len(state.moves) - 1, state.actor, state.raises, action)

    def _word(self, dealer: int, number: int, actor: int, raises: int, move: int) -> str:
        """A player's move in a round in which there were so many raises."""
        posted = self.blinds[seat] if (seat := (actor - dealer) % self.players) < len(self.blinds) else 0.0
        blind = max(self.blinds, default=0.0) if number == 0 else 0.0
        word = self.actions[move]
        if move == CALL and raises == 0 and (number > 0 or posted == blind):
            return "check"
        return "bet" if word == "raise" and raises == 0 and not blind else word


def _seen(hand: Hand) -> Cards:
    """The cards that are no longer in the deck."""
    return (*hand.board, *(card for hole in hand.holes for card in hole))


@lru_cache(maxsize=1 << 16)
def _replayed(
    players: int, first: tuple[int, ...], dealer: int, moves: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, int, int, int], ...]:
    replayed, folded = [], [False] * players
    for number, made in enumerate(moves):
        player, raises = (dealer + first[number]) % players, 0
        for move in made:
            while folded[player]:
                player = (player + 1) % players
            replayed.append((number, player, raises, move))
            folded[player] = move == FOLD
            raises += move >= RAISE
            player = (player + 1) % players
    return tuple(replayed)
