"""DeepStack for games of two rounds (Moravčík et al. 2017): learn what situations are worth, and search with it.

In every step situations at the start of the last round are drawn and solved, and a network learns what hands are worth
in them. The strategy is continual re-solving with that network in place of the last round, written out: what is judged
is the player, not the network. The public program's way, a data set of a million situations made beforehand and learned
in epochs, is in runs/lessons.py and training.py; the networks of both are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.arena.cards import Seen
from feint.arena.policy import TabularPolicy
from feint.forms.form import Form
from feint.forms.leaves import leaves_of, restored
from feint.forms.strategy import Arrays, Strategy
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.learners.networks import Trained, Training
from feint.search.lookahead import TOOL, Method
from feint.search.oracle import NEARLY
from feint.search.resolving import Guesses, Searches, searchable, searches_of, visited
from feint.search.situations import Drawing, Near, Situations, drawing_of, drawn
from feint.search.table import seen_in, table_of
from feint.search.training import loss_of
from feint.search.values import Kind, Layers, LearnedValues, Values, new_values
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics, require
from feint.solvers.regrets import Rule

TESTS, TEST_ITERATIONS = 64, 1000
"""Pots on every board that the network is tested on, and how exactly these are solved."""
RECENT = 10.0
"""At first the moving average is over about a tenth of all updates."""
Solver = Literal["dcfr", "cfr+", "cfr", "tool"]


@final
@dataclass(frozen=True)
class Searching:
    """How lookaheads are solved at each decision."""

    solver: Solver = "dcfr"
    """Discounted CFR, CFR+ or CFR, players taking turns; or as the public program does it (tool): regret matching+ for
    both players at once, the second half averaged."""
    iterations: int = 1000
    """Of the solver, at each decision."""

    def __post_init__(self) -> None:
        require(self, iterations=(self.iterations >= 1, "at least 1"))

    @property
    def method(self) -> Method:
        if self.solver == "tool":
            return Method(replace(TOOL.rule, skip=self.iterations // 2), TOOL.alternating, jnp.asarray(self.iterations))
        rules = {
            "dcfr": NEARLY.rule,
            "cfr+": Rule(alpha=inf, beta=-inf, gamma=1.0, predictive=False),
            "cfr": Rule(alpha=inf, beta=inf, gamma=0.0, predictive=False),
        }
        return Method(rules[self.solver], alternating=True, iterations=jnp.asarray(self.iterations))


@final
@dataclass(frozen=True)
class DeepStack(Config):
    """Continual re-solving with learned values."""

    lines: int = 128
    """Pots that are drawn in each step; as many situations as that are solved on every board."""
    met: float = 1.0
    """The share of them that are such as come up in the game: its pots, and cards of a rank equally often; half of them
    near ranges that the player's own searches came to. The others are drawn as in DeepStack."""
    iterations: int = 500
    """Of discounted CFR, for each situation."""
    memory: int = 200
    """Steps whose situations are remembered."""
    visits: int = 20
    """Steps after which the player searches again, to see what ranges it comes to."""
    batch: int = 512
    """Situations in an update."""
    encoding: Kind = "even"
    """What the network is told: hands in order of strength, those of equal strength as one (even) or apart (ordered),
    or each on each board by itself (buckets). The last two are for games that keep suits apart."""
    network: Layers = Layers((96, 96, 96), "prelu")
    """The shape of the network."""
    values: Training = Training(rate=2e-3, decay=10_000.0, updates=100)
    """How it is trained."""
    smoothing: float = 0.999
    """The moving average of its weights that is searched with; 0 for the network itself."""
    search: Searching = Searching()
    """How the player searches."""

    def __post_init__(self) -> None:
        require(
            self,
            lines=(self.lines >= 1, "at least 1"),
            met=(0 <= self.met <= 1, "from 0 to 1"),
            iterations=(self.iterations >= 1, "at least 1"),
            memory=(self.memory >= 1, "at least 1"),
            visits=(self.visits >= 1, "at least 1"),
            batch=(self.batch >= 1, "at least 1"),
            smoothing=(0 <= self.smoothing < 1, "from 0 to below 1"),
        )

    def check(self, form: Form) -> None:
        game = searchable(form.game)
        if game is None or len(game.rounds) != 2:
            raise BadInput(
                f"deepstack is for poker without rake, of two players, no board in the first round, two rounds and one "
                f"card each, and {form.name} is none; leduc_no_limit and leduc are."
            )
        if self.encoding != "even" and game.deck.copies_of_kind > 1:
            # A network that tells copies of a rank apart has them play differently, and a table has one row for both.
            raise BadInput(
                f"encoding={self.encoding} tells cards of a rank apart, and {form.name} does not; take encoding=even, "
                f"or a game with suits=True."
            )

    def on(self, form: Form) -> ValueLearner:
        self.check(form)
        game, tree = form.game, form.whole("deepstack")
        assert isinstance(game, Poker)
        method = replace(NEARLY, iterations=self.iterations)
        tests = drawing_of(game, replace(NEARLY, iterations=TEST_ITERATIONS), TESTS, self.met)
        return ValueLearner(
            drawing=drawing_of(game, method, self.lines, self.met),
            tests=drawn(tests, jax.random.key(TEST_ITERATIONS)),
            blank=new_values(game, self.network, self.encoding, jax.random.key(0)),
            searches=searches_of(game),
            seen=seen_in(tree, game),
            settings=self,
            fingerprint=tree.fingerprint,
        )

    def read(self, arrays: Arrays, fingerprint: str, form: Any) -> Resolved:
        game = form().game
        assert isinstance(game, Poker)
        blank = new_values(game, self.network, self.encoding, jax.random.key(0))
        values = eqx.combine(restored(arrays, eqx.filter(blank, eqx.is_inexact_array)), blank)
        return Resolved(fingerprint, jnp.asarray(arrays["probabilities"]), values)


ALGORITHMS = {
    "deepstack": Entry(
        "Continual re-solving with learned values, for games of two rounds (Moravčík et al. 2017).", DeepStack()
    )
}


@final
class Resolved(Strategy):
    """What a player who searches does, written out, and the values that they search with."""

    holds: ClassVar[str] = "the probability of every move at every information set, and the network searched with"
    fingerprint: str = eqx.field(static=True)
    probabilities: Float[Array, "i a"]
    values: Values

    @property
    def policy(self) -> TabularPolicy:
        return TabularPolicy(self.probabilities)

    @property
    def guesses(self) -> Guesses:
        return jax.tree_util.Partial(LearnedValues.on, self.values)

    def everywhere(self, players: Int[Array, " i"]) -> Float[Array, "i a"]:
        return self.probabilities

    def arrays(self) -> Arrays:
        weights = leaves_of(eqx.filter(self.values, eqx.is_inexact_array))
        return {"probabilities": np.asarray(self.probabilities)} | {name: np.asarray(w) for name, w in weights.items()}


class ValueState(NamedTuple):
    key: PRNGKeyArray
    step: Int[Array, ""]
    near: Float[Array, "2 b k h"]
    """The ranges that the player's searches came to."""
    memory: Situations
    """Those of each step next to each other."""
    trained: Trained
    smooth: Any
    """The moving average of the network's weights."""


@final
class ValueLearner(Algorithm[ValueState]):
    """Learns what situations of one game are worth."""

    growth: ClassVar[float] = 1.5
    drawing: Drawing
    tests: Situations
    blank: Values
    """A network whose weights do not matter."""
    searches: Searches
    seen: Seen
    """What players see at every information set."""
    settings: DeepStack = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> ValueState:
        key, starting = jax.random.split(key)
        network = self.settings.network(self.blank.encoding.inputs, self.blank.encoding.outputs, starting)
        weights = eqx.filter(replace(self.blank, network=network), eqx.is_inexact_array)
        one = jax.eval_shape(self.drawing, key)
        memory = jax.tree.map(lambda part: jnp.zeros((self.settings.memory, *part.shape), part.dtype), one)
        near = jax.eval_shape(self._visited, weights)
        trained = self.settings.values.start(weights)
        return ValueState(key, jnp.asarray(0), jnp.zeros(near.shape, near.dtype), memory, trained, weights)

    def step(self, state: ValueState) -> tuple[ValueState, Metrics]:
        key, drawing, learning = jax.random.split(state.key, 3)
        place, kept = state.step % self.settings.memory, self.settings.smoothing
        again = state.step % self.settings.visits == 0
        near = jax.lax.cond(again, lambda: self._visited(state.smooth), lambda: state.near)
        drawn = self.drawing(drawing, Near(self.searches.paid, near))
        memory = jax.tree.map(lambda whole, new: whole.at[place].set(new), state.memory, drawn)
        flat = jax.tree.map(lambda part: part.reshape(-1, *part.shape[2:]), memory)
        filled = jnp.minimum(state.step + 1, self.settings.memory) * memory.paid.shape[1]

        def update(carry: tuple[Trained, Any], key: PRNGKeyArray) -> tuple[tuple[Trained, Any], Float[Array, ""]]:
            trained, smooth = carry
            rows = jax.random.randint(key, (self.settings.batch,), 0, filled)
            loss = partial(self._loss, seen=jax.tree.map(lambda part: part[rows], flat))
            trained, lost = self.settings.values.update(trained, loss, jnp.asarray(True))
            share = jnp.minimum(kept, 1 - RECENT / (trained.updates + RECENT)).astype(jnp.float32)
            smooth = jax.tree.map(lambda old, new: share * old + (1 - share) * new, smooth, trained.network)
            return (trained, smooth), lost

        keys = jax.random.split(learning, self.settings.values.updates)
        (trained, smooth), losses = jax.lax.scan(update, (state.trained, state.smooth), keys)
        return ValueState(key, state.step + 1, near, memory, trained, smooth), {"loss": losses.mean()}

    def strategy(self, state: ValueState) -> Resolved:
        values = self._values(state)
        guesses: Guesses = partial(LearnedValues.on, values)
        table = table_of(self.searches, self.settings.search.method, guesses, self.seen)
        return Resolved(self.fingerprint, table, values)

    def measure(self, state: ValueState, form: Any) -> Metrics:
        return {"test_loss": loss_of(self._values(state), self.tests)}

    def _visited(self, weights: Any) -> Float[Array, "2 b k h"]:
        """The ranges that the player's searches come to with these values."""
        guesses: Guesses = partial(LearnedValues.on, eqx.combine(weights, self.blank))
        return visited(self.searches, self.settings.search.method, guesses)

    def _values(self, state: ValueState) -> Values:
        whole: Values = eqx.combine(state.smooth, self.blank)
        return whole

    def _loss(self, weights: Any, seen: Situations) -> Float[Array, ""]:
        return loss_of(eqx.combine(weights, self.blank), seen)
