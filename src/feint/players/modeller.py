"""The opponent modeller: it learns what its opponent holds and does as it plays, and makes the move that wins most.

After McCurley, "An Artificial Intelligence Agent for Texas Hold'em Poker" (2009), as others tell of it.

At its own decisions it takes the best move, at the opponent's every move as likely as the model has it, and at the end
the chips that are won: expectimax over the game tree, from what it sees to the end. That is a best response to the
model, and one sweep finds it for all cards and boards at once (tree/best_response.py), so it is worked out when the
model changes and looked up at the table.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
from jaxtyping import Float, Int

from feint.forms.form import Form, too_large_for
from feint.forms.strategy import Strategy, TabularStrategy, tabulate
from feint.games.errors import BadInput, check_seed
from feint.games.game import Game
from feint.players.opponent_model import Counts, Model, Watched, check_poker_for_two, learned, new_model, watch
from feint.players.player import Observation, Player, Result, StrategyPlayer, TaughtConfig
from feint.solvers.algorithm import require
from feint.tree.best_response import judge_of
from feint.tree.unroll import is_unrolled

WHO = "The opponent modeller"
GROWN = 0.05
"""It learns again when it has seen this share more hands: after every hand at first, and less often later on."""


@final
@dataclass(frozen=True)
class Modeller(TaughtConfig):
    """An opponent modeller."""

    about: ClassVar[str] = "Learns what its opponent holds and does as it plays, and makes the move that wins most."
    thinks: ClassVar[bool] = True
    against: str | None = None
    """Whom it has played before it sits down, then to learn no more: a player by name. None: it learns at the table."""
    hands: int = 10_000
    """How many hands of that."""
    seed: int = 0
    """The seed of these hands."""
    curious: float = 0.05
    """The share of its moves that it makes at random while it learns, to see what comes of them."""
    folded: Literal["inferred", "ignored"] = "inferred"
    """What it does about hands that it was not shown: count what they may have been, or learn hands without them."""
    hidden: tuple[int, ...] = (64, 64)
    """Units in each hidden layer of its network."""
    model: Literal["network", "counts"] = "network"
    """What it makes of what it saw: a network of hands, or how often each move was made with each hand, and no more."""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        require(
            self,
            hands=(self.hands >= 1, "at least 1"),
            curious=(0 <= self.curious <= 1, "from 0 to 1"),
            hidden=(all(units >= 1 for units in self.hidden), "at least 1 in each layer"),
        )

    def check(self, game: Game[Any]) -> None:
        check_poker_for_two(game)
        if not is_unrolled(game):
            raise too_large_for(WHO, game.name, "choose a smaller game")

    def at(self, form: Form, seed: int | None) -> ModellerPlayer:
        return ModellerPlayer(self, form, seed)

    def after(self, form: Form, other: Player) -> StrategyPlayer:
        if other.strategy is None:
            raise BadInput(
                f"A modeller learns beforehand against strategies, and {self.against} decides hand by hand; "
                f"name another player, or let it learn at the table."
            )
        (strategy,) = study(self, form, other.strategy, [self.hands])
        return StrategyPlayer(strategy, form, self.seed)


@final
class Learner:
    """All that a modeller has seen, and what it makes of that."""

    def __init__(self, config: Modeller, form: Form, seed: int) -> None:
        self.watched: Watched = watch(form.whole(WHO))
        self.seen = tuple(np.zeros(len(ending.shown)) for ending in self.watched.endings)
        """How often hands have ended in each way that can be told apart, by its own seat."""
        self.model: Model | Counts = (
            Counts(self.watched.tree.uniform())
            if config.model == "counts"
            else new_model(self.watched.decisions, config.hidden, seed)
        )
        self.hands, self.due = 0, 1
        """How many it has seen, and after how many it learns again."""
        self.answer = self._answer()
        """What it does everywhere: the best it can against the model."""
        self._config, self._random = config, np.random.default_rng(seed)

    def add(self, seat: int, ends: Int[np.ndarray, " e"]) -> None:
        """See hands that ended so often in each way, and learn from them if it is time."""
        self.seen[seat][:] += ends
        self.hands += int(ends.sum())
        if self.hands >= self.due:
            self.learn()
            self.due = self.hands + max(1, int(GROWN * self.hands))

    def learn(self) -> None:
        """A lesson: what to make of all that it has seen, and what to do about it."""
        infer, seen = self._config.folded == "inferred", (self.seen[0], self.seen[1])
        if isinstance(self.model, Counts):
            self.model = self.model.counted(self.watched, seen, infer)
        else:
            self.model = learned(self.watched, self.model, seen, infer)
        self.answer = self._answer()

    def _answer(self) -> Float[np.ndarray, "i a"]:
        table = self.model.table(self.watched.decisions)
        return np.asarray(judge_of(self.watched.tree).judged(table).responses)

    def play(self, theirs: Float[np.ndarray, "i a"], hands: int) -> None:
        """Play whoever keeps to a table until it has seen so many hands, changing seats every hand.

        What it does stays the same from one lesson to the next, so the hands between are drawn at once: how often each
        end of the game comes is known exactly.
        """
        tree, curious = self.watched.tree, self._config.curious
        while self.hands < hands:
            plays = (1 - curious) * self.answer + curious * tree.uniform()
            first, last = self.hands, min(self.due, hands)
            for seat, ending in enumerate(self.watched.endings):
                count = (last + 1 - seat) // 2 - (first + 1 - seat) // 2
                table = np.where((tree.player == seat)[:, None], plays, theirs)
                ends = self.watched.reached(table, (0, 1))[tree.terminal]
                drawn = self._random.multinomial(count, ends / ends.sum())
                self.add(seat, np.bincount(ending.of, drawn, len(ending.shown)).astype(int))


@final
class ModellerPlayer(Player):
    """A modeller at a table, who learns there."""

    def __init__(self, config: Modeller, form: Form, seed: int | None) -> None:
        self._random = np.random.default_rng(seed)
        self._config, self._form, self._seed = config, form, int(self._random.integers(2**31))
        self.learner = Learner(config, form, self._seed)
        self._seat = 0
        self._view: Hashable = None

    def saw(self, seen: Observation) -> None:
        self._seat, self._view = seen.player, seen.view

    def move(self, seen: Observation) -> int:
        if self._random.random() < self._config.curious:
            return int(self._random.choice(list(seen.moves.values())))
        row = self.learner.answer[int(self._form.sees(seen.player, seen.view)[0])]
        return int(self._form.by_move(row).argmax())

    def end(self, result: Result) -> None:
        ending = self.learner.watched.endings[self._seat]
        ends = np.zeros(len(ending.shown), int)
        ends[ending.number[self._view, result.revealed.get(1 - self._seat)]] = 1
        self.learner.add(self._seat, ends)

    def forget(self) -> None:
        self.learner = Learner(self._config, self._form, self._seed)


def study(config: Modeller, form: Form, other: Strategy, stops: Sequence[int]) -> Iterator[TabularStrategy]:
    """What a modeller plays, frozen, once it has played another so many hands, for each of these in ascending order.

    That is how it would play the next hand: the last lesson may lie a few hands back.
    """
    learner = Learner(config, form, config.seed)
    theirs = tabulate(learner.watched.tree, other)
    for stop in stops:
        learner.play(theirs, stop)
        yield TabularStrategy(form.fingerprint, learner.answer)


PLAYERS = {"modeller": Modeller(), "counter": Modeller(model="counts")}
