"""Gymnasium environments: one seat of a game against any player that `feint match` knows.

    import gymnasium, feint.adapters.gymnasium
    env = gymnasium.make("feint/leduc-v0", opponent="random")                       # one table, by the rules
    envs = gymnasium.make_vec("feint/leduc-v0", 1024, opponent="feint:leduc",       # many, in the arena
                              vectorization_mode="vector_entry_point")

An episode is one hand from the seat's first decision to its end; the reward is what the seat wins, in chips, paid then.
Moves are numbered as the rules number them, and `info["action_mask"]` has a 1 for each legal one. A move that is
not legal ends the hand and costs as much as the largest payoff of the game. Hands that are over before the seat
decides anything are no episodes: `info["passed_hands"]` and `info["passed_won"]` say how many there were since the last
observation, and what the seat won in them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, ClassVar, final

import numpy as np
from jaxtyping import Float, Int8

from feint.adapters.shown import UNDECIDED, VERSION, Place, Shown
from feint.forms.form import Form
from feint.forms.strategy import Strategy, tabulate
from feint.games.errors import BadInput
from feint.games.game import TERMINAL, Game
from feint.games.library import library
from feint.players.player import Observation, Player, StrategyPlayer
from feint.players.table import HandInPlay
from feint.runs.lineup import Who, line_up

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
except ImportError as error:
    raise BadInput(
        "Gymnasium's environments need gymnasium, which is not installed; run: pip install 'feint[envs]'."
    ) from error

NAMESPACE = "feint"


@final
class Outsider(Player):
    """The seat whose moves come from outside."""

    def move(self, seen: Observation) -> int:
        raise AssertionError("this move is made by whoever steps the environment")


@final
class Lookup:
    """A strategy of an unrolled game, written down once and then looked up: at one table that is much the quickest."""

    def __init__(self, strategy: Strategy, form: Form) -> None:
        tree = form.whole("Looking a strategy up")
        self._moves = [form.game.actions.index(name) for name in tree.actions]
        self._rungs = np.cumsum(tabulate(tree, strategy), 1).tolist()
        self._row = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
        self.reseeded(None)

    def reseeded(self, seed: int | None) -> None:
        """Let its moves be drawn from a seed."""
        self._random = np.random.default_rng(seed)

    def move(self, place: Place) -> int:
        """What whoever is to move at a place does."""
        rungs = self._rungs[self._row[place.actor, place.view(place.actor)]]
        return self._moves[bisect_right(rungs, self._random.random() * rungs[-1])]


@final
class SeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat at one table, played by the rules; `opponent` takes all others."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}  # type: ignore[misc]

    def __init__(
        self,
        game: Game[Any] | str | None = None,
        opponent: Who = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
        trust: bool = False,
    ) -> None:
        """The seat is a player of the game, from 0 on; None changes it with every hand.

        `opponent` is a run, an agent or a player, by name or as it is, or a strategy; without a `game` it is the one
        that its run is for. `trust` starts rules that come with a run.
        """
        self._trust = trust
        self.form, self.opponent, self._name = seated(game, opponent, None, trust)
        known = self.opponent.strategy if self.form.tree is not None else None
        self._known = None if known is None else Lookup(known, self.form)
        self._seat = checked_seat(self.form, seat)
        self._shown, self.render_mode, self._hands = Shown(self.form.game), render_mode, 0
        low, high = self._shown.bounds
        self.observation_space = Box(low, high, (self._shown.size,), np.float32)
        self.action_space = Discrete(self._shown.moves)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float[np.ndarray, " f"], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._hands = 0
            self._seed_opponent(int(self.np_random.integers(2**31)))
        hands, won = 0, 0.0
        while not self._deal():
            hands, won = hands + 1, won + self._place.won[self.seat]
            if hands == UNDECIDED:
                raise BadInput(f"Seat {self.seat} of {self.form.name} never decides anything; choose another.")
        return self._seen(), self._info(hands, won)

    def step(self, action: np.int64 | int) -> tuple[Float[np.ndarray, " f"], float, bool, bool, dict[str, Any]]:
        mask = self.action_masks()
        if not (0 <= int(action) < len(mask) and mask[int(action)]):
            nothing = np.zeros(self._shown.size, np.float32)
            return nothing, -self.form.largest, True, False, self._info(0, 0.0) | {"action_mask": np.zeros_like(mask)}
        self._make(int(action))
        self._others_move()
        over = self._place.actor == TERMINAL
        return self._seen(), self._place.won[self.seat] if over else 0.0, over, False, self._info(0, 0.0)

    def close(self) -> None:
        """Let an opponent go that was found by name; a player of one's own may play on."""
        if self._name is not None:
            self.opponent.close()
        super().close()

    def action_masks(self) -> Int8[np.ndarray, " a"]:
        """The legal moves, as learners that mask moves ask for them."""
        return self._place.mask(self.seat)

    def render(self) -> str | None:
        """What the seat is told, in words."""
        return self.form.game.told(self._place.state, self.seat) if self.render_mode else None

    def _deal(self) -> bool:
        """Deal a hand and let the others move; whether the seat has anything to decide."""
        self.seat = self._hands % self.form.players if self._seat is None else self._seat
        self._hands += 1
        if self._known:
            self._place = self._shown.begun(self.np_random)
        else:
            sitting = [Outsider() if number == self.seat else self.opponent for number in range(self.form.players)]
            self._hand = HandInPlay(self.form.game, sitting, self.np_random)
            self._place = self._shown.new(self._hand.state)
        self._others_move()
        return self._place.actor != TERMINAL

    def _others_move(self) -> None:
        while self._place.actor not in (TERMINAL, self.seat):
            if self._known:
                self._make(self._known.move(self._place))
            else:
                self._hand.step()
                self._place = self._shown.new(self._hand.state)

    def _make(self, move: int) -> None:
        """Make a move for whoever is to move; where others decide hand by hand, they are told of it."""
        if self._known:
            self._place = self._place.after(move, self.np_random)
        else:
            self._hand.make(move)
            self._place = self._shown.new(self._hand.state)

    def _seen(self) -> Float[np.ndarray, " f"]:
        """What the seat sees; nothing once the hand is over, as in the arena."""
        if self._place.actor == TERMINAL:
            return np.zeros(self._shown.size, np.float32)
        return self._place.features(self.seat)

    def _info(self, hands: int, won: float) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "passed_hands": hands, "passed_won": won}

    def _seed_opponent(self, seed: int) -> None:
        """Let all that the opponent does at random come from a seed; a player of one's own sees to that itself."""
        if self._known:
            self._known.reseeded(seed)
        elif self.opponent.strategy is not None:
            self.opponent = StrategyPlayer(self.opponent.strategy, self.form, seed)
        elif self._name is not None:
            self.opponent.close()  # first: it may hold what the next one takes, as a port
            self.opponent = seated(self.form.game, self._name, seed, self._trust)[1]


def seated(
    game: Game[Any] | str | None, opponent: Who, seed: int | None, trust: bool
) -> tuple[Form, Player, str | None]:
    """The form of a game, an opponent at it, and the opponent's name, if that is how it was found."""
    lineup = line_up((opponent,), game, seed, trust=trust)
    return lineup.form, lineup.players[0], opponent if isinstance(opponent, str) else None


def checked_seat(form: Form, seat: int | None) -> int | None:
    """A seat that the game has, or None for all in turn."""
    if seat is not None and not 0 <= seat < form.players:
        raise BadInput(f"{form.name} has seats 0 to {form.players - 1}, but seat={seat} was given.")
    return seat


def _register() -> None:
    """Put every game of the library into Gymnasium's registry, by its name and version."""
    for name in library():
        words = f"{NAMESPACE}/{name}-v{VERSION}"
        if words not in gymnasium.registry:
            gymnasium.register(
                words,
                f"{__name__}:SeatEnv",
                vector_entry_point="feint.adapters.tables:TablesEnv",
                kwargs={"game": name},
                disable_env_checker=True,  # it takes longer than a hand
            )


_register()
