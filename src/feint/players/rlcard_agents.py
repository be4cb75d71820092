"""RLCard's agents at our tables: what they see is told in RLCard's form, by the rules of the table that they sit at.

In Leduc that is 36 numbers, in limit hold'em 72, and for agents that go by words the same in RLCard's words. The rules
stay the table's own: in Leduc everyone posts an ante where RLCard has blinds, and who opens a round is not drawn.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, cast, final

import numpy as np

from feint.forms.form import Form
from feint.games.cards import Cards, best_five, pair_then_rank
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.games.hand import CALL, FOLD, RAISE, replay
from feint.games.holdem import BOARD
from feint.games.poker import Poker
from feint.players.player import Observation, Player, PlayerConfig

ACTIONS = ("call", "raise", "fold", "check")
"""As RLCard numbers them."""
SUITS = "SHDC"
RANKS = "A23456789TJQK"
MOST_CHIPS = 14
"""What the 36 numbers of Leduc have room for."""
MODELS = {"leduc": "leduc-holdem-rule-v2", "holdem": "limit-holdem-rule-v1"}
"""Who sits down unless somebody else is named."""


@final
class RLCardPlayer(Player):
    """An agent of RLCard's: anything with `eval_step(state)` and `use_raw`."""

    def __init__(self, agent: Any, game: Poker, seed: int | None = None) -> None:
        self._agent, self._kind, self._game = agent, _kind(game), game
        self._luck = np.random.RandomState(seed).get_state()

    def move(self, seen: Observation) -> int:
        state = as_rlcard_has_it(self._game, seen)
        with self._own_luck():
            made, _ = self._agent.eval_step(state)
        word = made if self._agent.use_raw else ACTIONS[int(made)]
        legal = state["raw_legal_actions"]
        if word not in legal:  # as RLCard's own tables do
            word = "check" if "check" in legal else "fold"
        return {"fold": FOLD, "raise": RAISE}.get(word, CALL)

    @contextmanager
    def _own_luck(self) -> Iterator[None]:
        """RLCard's agents draw from NumPy's one source for all: it is lent them with this player's own state."""
        before = np.random.get_state()  # noqa: NPY002
        np.random.set_state(self._luck)  # noqa: NPY002
        try:
            yield
        finally:
            self._luck = np.random.get_state()  # noqa: NPY002
            np.random.set_state(before)  # noqa: NPY002


def as_rlcard_has_it(game: Poker, seen: Observation) -> dict[str, Any]:
    """What a player sees, as RLCard tells it to its agents."""
    dealer, hole, board, moves = cast("Any", seen.view)
    words = {FOLD: "fold", RAISE: "raise"}
    scene = seen.scene
    assert scene is not None
    chips = [int(paid) for paid in scene.paid]
    facing = chips[seen.player] < max(chips)
    legal = {words.get(move, "call" if facing else "check") for move in seen.moves.values()}
    told = [word for word in ACTIONS if word in legal]
    made = replay(game.players, game.first_seats, dealer, moves)
    common: dict[str, Any] = {"all_chips": chips, "my_chips": chips[seen.player], "legal_actions": told}
    if _kind(game) == "leduc":
        raw, numbers = _leduc(game, hole, board, common | {"current_player": seen.player})
    else:
        raises = [sum(1 for number, _, _, move in made if number == each and move >= RAISE) for each in range(4)]
        raw, numbers = _holdem(game, hole, board, common | {"raise_nums": raises})
    return {
        "obs": numbers,
        "legal_actions": OrderedDict((ACTIONS.index(word), None) for word in told),
        "raw_obs": raw,
        "raw_legal_actions": list(told),
        "action_record": _record(game, made),
    }


def _leduc(game: Poker, hole: Cards, board: Cards, raw: dict[str, Any]) -> tuple[dict[str, Any], np.ndarray]:
    """RLCard's Leduc cards have suits that mean nothing: the player's is a spade here, and the board's a heart."""
    mine, theirs = raw["my_chips"], sum(raw["all_chips"]) - raw["my_chips"]
    numbers = np.zeros(36)
    numbers[game.deck.rank(hole[0])] = 1
    if board:
        numbers[3 + game.deck.rank(board[0])] = 1
    numbers[6 + mine] = 1
    numbers[21 + theirs] = 1
    held, turned = (game.deck.ranks[game.deck.rank(cards[0])] if cards else None for cards in (hole, board))
    raw |= {"hand": f"S{held}", "public_card": f"H{turned}" if turned else None}
    return raw, numbers


def _holdem(game: Poker, hole: Cards, board: Cards, raw: dict[str, Any]) -> tuple[dict[str, Any], np.ndarray]:
    held, turned = ([_card(game.deck.name(card)) for card in cards] for cards in (hole, board))
    numbers = np.zeros(72)
    for card in (*held, *turned):
        numbers[13 * SUITS.index(card[0]) + RANKS.index(card[1])] = 1
    for number, raises in enumerate(raw["raise_nums"]):
        numbers[52 + 5 * number + raises] = 1
    raw |= {"hand": held, "public_cards": turned}
    return raw, numbers


def _card(name: str) -> str:
    """A card as RLCard spells it, the suit first."""
    return name[1].upper() + name[0]


def _record(game: Poker, made: Sequence[tuple[int, int, int, int]]) -> list[list[Any]]:
    """Who did what so far, in RLCard's words."""
    record = []
    for number, player, raises, move in made:
        blind = number == 0 and bool(game.blinds) and raises == 0
        checks = raises == 0 and not (blind and player == 0)
        record.append([player, "fold" if move == FOLD else "raise" if move >= RAISE else "check" if checks else "call"])
    return record


def _kind(game: Any) -> str:
    """Which of RLCard's games this is like: the same cards, rounds and moves."""
    if isinstance(game, Poker) and game.players == 2 and not game.pot_bets and not game.rotating_dealer:
        boards = tuple(declared.board for declared in game.rounds)
        most = game.ante + max(game.blinds, default=0.0) + sum(each.raise_by * (each.cap or 0) for each in game.rounds)
        whole = all(float(each).is_integer() for each in (game.ante, *game.blinds))
        if (game.hole, game.showdown, boards) == (2, best_five, BOARD) and len(game.deck.ranks) == 13:
            return "holdem"
        leduc = (game.hole, game.showdown, boards, game.deck.ranks) == (1, pair_then_rank, (0, 1), "JQK")
        if leduc and most <= MOST_CHIPS and whole:
            return "leduc"
    raise BadInput(
        f"RLCard's agents play Leduc and limit hold'em for two, such as leduc and holdem, but not "
        f"{getattr(game, 'name', game)}; choose another player."
    )


@final
@dataclass(frozen=True)
class RLCardAgent(PlayerConfig):
    """An agent by the name of RLCard's model."""

    about: ClassVar[str] = "One of RLCard's models, in Leduc and limit hold'em."
    thinks: ClassVar[bool] = True
    model: str | None = None
    """Which one, such as leduc-holdem-rule-v1; by default the rules that RLCard has for the game."""

    @property
    def called(self) -> str:
        return f"rlcard-{self.model or 'rules'}"

    def check(self, game: Game[Any]) -> None:
        kind = _kind(game)
        if self.model is not None and self.model.startswith("leduc") != (kind == "leduc"):
            raise BadInput(f"RLCard's {self.model} does not play {game.name}; choose a model for it.")

    def at(self, form: Form, seed: int | None) -> RLCardPlayer:
        name = self.model or MODELS[_kind(form.game)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # RLCard's own, of what Python will drop
                from rlcard.models.registration import model_registry
        except ImportError as error:
            raise BadInput(
                f"The player rlcard needs RLCard, which is not installed; run: pip install 'feint[rlcard]' ({error})."
            ) from error
        known = [each for each in model_registry.model_specs if each.startswith(("leduc-holdem", "limit-holdem"))]
        if name not in known:
            raise BadInput(f"RLCard has no model of these games called {name!r}; {nearest(name, known)}")
        self.check(form.game)
        try:
            agent = model_registry.load(name).agents[0]
        except (AttributeError, OSError, ValueError, ImportError) as error:
            raise BadInput(
                f"RLCard cannot load {name} here ({error}); choose another of {', '.join(known)}."
            ) from error
        return RLCardPlayer(agent, cast("Poker", form.game), seed)


PLAYERS = {"rlcard": RLCardAgent()}
