"""Networks and their optimisers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import InfoState
from feint.arena.situations import Situations
from feint.solvers.algorithm import require

Activation = Literal["relu", "tanh", "softplus", "sigmoid", "linear"]
Cell = Literal["lstm", "gru"]
Recalled = tuple[Float[Array, "b h"], Float[Array, "b h"]]
"""What a recurrent layer says, and what it keeps to itself."""
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "tanh": jnp.tanh,
    "softplus": jax.nn.softplus,
    "sigmoid": jax.nn.sigmoid,
    "linear": lambda values: values,
}


class Network(eqx.Module):
    """From features to one number for each move."""

    @abstractmethod
    def __call__(self, rows: Float[Array, "... f"], made: Bool[Array, "b l"] | None = None) -> Float[Array, "... a"]:
        """The outputs for rows of features. On whole hands, [b, l, f], `made` says which places are decisions."""

    @abstractmethod
    def at(self, here: Situations, infostates: InfoState, recalled: Recalled | None) -> Float[Array, "b a"]:
        """The outputs in some situations, given what it recalls of the hands if it was told them already."""

    def tell(self, rows: Float[Array, "b f"], recalled: Recalled) -> Recalled:
        """What it recalls after one more decision."""
        return recalled


@final
class MLP(Network):
    """A multilayer perceptron; without hidden layers, a linear map."""

    layers: tuple[eqx.nn.Linear, ...]
    activation: str = eqx.field(static=True)
    output: str = eqx.field(static=True)

    def __call__(self, rows: Float[Array, "... f"], made: Bool[Array, "b l"] | None = None) -> Float[Array, "... a"]:
        for number, layer in enumerate(self.layers):
            last = number == len(self.layers) - 1
            rows = rows @ layer.weight.T
            if layer.bias is not None:
                rows = rows + layer.bias
            rows = ACTIVATIONS[self.output if last else self.activation](rows)
        return rows

    def at(self, here: Situations, infostates: InfoState, recalled: Recalled | None) -> Float[Array, "b a"]:
        return self(here.features(infostates))


@final
class Recurrent(Network):
    """A recurrent layer along each hand, then a multilayer perceptron at every decision."""

    cell: eqx.nn.LSTMCell | eqx.nn.GRUCell
    head: MLP

    def __call__(self, rows: Float[Array, "b l f"], made: Bool[Array, "b l"] | None = None) -> Float[Array, "b l a"]:
        return self.head(self._known(rows, made).swapaxes(0, 1))

    def at_last(self, rows: Float[Array, "b l f"], made: Bool[Array, "b l"]) -> Float[Array, "b a"]:
        """The outputs at the latest decision alone."""
        return self.head(self._known(rows, made)[-1])

    def at(self, here: Situations, infostates: InfoState, recalled: Recalled | None) -> Float[Array, "b a"]:
        if recalled is not None:
            return self.head(recalled[0])
        path = here.path(infostates, 0)
        return self.at_last(here.features(path.infostates), path.made)

    def tell(self, rows: Float[Array, "b f"], recalled: Recalled) -> Recalled:
        return self._remember(self._told(rows), *recalled)

    def _told(self, rows: Float[Array, "... f"]) -> Float[Array, "... g"]:
        """The part of the cell's next memory that does not depend on the last."""
        assert self.cell.bias is not None
        return rows @ self.cell.weight_ih.T + self.cell.bias

    def _known(self, rows: Float[Array, "b l f"], made: Bool[Array, "b l"] | None) -> Float[Array, "l b h"]:
        """What the cell says at every decision."""
        assert made is not None, "a recurrent network is told whole hands"
        blank = jnp.zeros((rows.shape[0], self.cell.hidden_size), rows.dtype)
        told = self._told(rows)  # one product for all decisions; only the rest has to wait its turn

        def step(memory: Recalled, seen: tuple[Array, Array]) -> tuple[Recalled, Array]:
            row, happened = seen
            # Rows in front of a hand's first decision leave the memory blank.
            said, kept = (jnp.where(happened[:, None], new, 0.0) for new in self._remember(row, *memory))
            return (said, kept), said

        # Accelerators would wait at every turn of a loop; processors would only compile for longer.
        unroll = jax.default_backend() != "cpu"
        _, known = jax.lax.scan(step, (blank, blank), (told.swapaxes(0, 1), made.T), unroll=unroll)
        return known

    def _remember(self, told: Float[Array, "b g"], said: Float[Array, "b h"], kept: Float[Array, "b h"]) -> Recalled:
        """The next memory."""
        cell, recalled = self.cell, said @ self.cell.weight_hh.T
        if isinstance(cell, eqx.nn.LSTMCell):
            enter, keep, new, say = jnp.split(told + recalled, 4, -1)
            kept = jax.nn.sigmoid(keep) * kept + jax.nn.sigmoid(enter) * jnp.tanh(new)
            return jax.nn.sigmoid(say) * jnp.tanh(kept), kept
        assert cell.bias_n is not None
        (reset, keep, new), (resets, keeps, old) = jnp.split(told, 3, -1), jnp.split(recalled, 3, -1)
        fresh = jnp.tanh(new + jax.nn.sigmoid(reset + resets) * (old + cell.bias_n))
        return fresh + jax.nn.sigmoid(keep + keeps) * (said - fresh), kept


@final
@dataclass(frozen=True)
class Design:
    """The shape of networks."""

    hidden: tuple[int, ...] = (64,)
    """Units in each hidden layer; none for a linear map."""
    activation: Activation = "relu"
    """The activation of the hidden layers."""
    output: Activation = "linear"
    """The activation of a value network's output."""
    cell: Cell | None = None
    """A recurrent layer that is told the hand from its start: none, lstm or gru. It learns from whole hands."""
    cell_units: int = 128
    """Units of the recurrent layer."""
    bias: bool = True
    """Whether the other layers have a bias."""
    initial: Literal["torch", "keras"] = "torch"
    """Layers start uniform within ±1/√inputs (Torch, as in the NFSP paper), or Keras's way: Glorot's, biases at 0."""

    def __post_init__(self) -> None:
        require(
            self,
            hidden=(all(units >= 1 for units in self.hidden), "at least 1 in each layer"),
            cell_units=(self.cell_units >= 1, "at least 1"),
        )

    @property
    def recurrent(self) -> bool:
        return self.cell is not None

    def __call__(
        self, inputs: int, outputs: int, key: PRNGKeyArray, output: str = "linear", flat: bool = False
    ) -> Network:
        """A new network of this shape; `flat` starts from output 0."""
        if not self.recurrent:
            return self._layers(inputs, outputs, key, output, flat)
        remembering, answering = jax.random.split(key)
        kind = eqx.nn.LSTMCell if self.cell == "lstm" else eqx.nn.GRUCell
        cell = kind(inputs, self.cell_units, key=remembering, dtype=jnp.float32)
        return Recurrent(cell, self._layers(self.cell_units, outputs, answering, output, flat))

    def _layers(self, inputs: int, outputs: int, key: PRNGKeyArray, output: str, flat: bool) -> MLP:
        sizes = [inputs, *self.hidden, outputs]
        layers = [
            self._layer(before, after, key)
            for (before, after), key in zip(pairwise(sizes), jax.random.split(key, len(sizes) - 1), strict=True)
        ]
        if flat:
            layers[-1] = jax.tree.map(jnp.zeros_like, layers[-1])
        return MLP(tuple(layers), self.activation, output)

    def _layer(self, inputs: int, outputs: int, key: PRNGKeyArray) -> eqx.nn.Linear:
        layer = eqx.nn.Linear(inputs, outputs, use_bias=self.bias, key=key, dtype=jnp.float32)
        if self.initial == "torch":
            return layer
        wider = jnp.float32((6.0 * inputs / (inputs + outputs)) ** 0.5)
        biases = [] if layer.bias is None else [jnp.zeros_like(layer.bias)]
        parts = [layer.weight * wider, *biases]
        keras: eqx.nn.Linear = eqx.tree_at(lambda layer: [layer.weight, layer.bias][: len(parts)], layer, parts)
        return keras


class Trained(NamedTuple):
    """A network, its optimiser's state and the updates made."""

    network: Network
    optimiser: Any
    updates: Int[Array, ""]


@dataclass(frozen=True)
class Training:
    """How a network is trained."""

    optimiser: Literal["sgd", "adam"] = "adam"
    """Stochastic gradient descent, or Adam."""
    rate: float = 0.003
    """The learning rate."""
    decay: float = inf
    """It falls as 1 / updates^power after this many; inf keeps it."""
    power: float = 0.5
    """How fast it falls then: 0.5 for 1/√updates."""
    updates: int = 1
    """Updates in each step."""
    epochs: int = 1
    """Steps down the gradient in an update, on the same lesson."""

    def __post_init__(self) -> None:
        require(
            self,
            rate=(self.rate > 0, "above 0"),
            decay=(self.decay > 0, "above 0"),
            power=(0 <= self.power <= 1, "from 0 to 1"),
            updates=(self.updates >= 1, "at least 1"),
            epochs=(self.epochs >= 1, "at least 1"),
        )

    def start(self, network: Network) -> Trained:
        return Trained(network, self._transform.init(network), jnp.zeros((), jnp.int32))

    def update(
        self, trained: Trained, loss: Callable[[Network], Float[Array, ""]], ready: Array
    ) -> tuple[Trained, Float[Array, ""]]:
        """A step or more down the loss's gradient, or none where the memory is not `ready`; the last loss."""
        network, optimiser = trained.network, trained.optimiser
        fall = 1.0 if self.decay == inf else (1.0 + trained.updates / self.decay) ** -self.power
        for _ in range(self.epochs):
            value, gradient = jax.value_and_grad(loss)(network)
            change, optimiser = self._transform.update(gradient, optimiser)
            network = jax.tree.map(
                lambda weight, step: weight - (self.rate * fall * step).astype(weight.dtype), network, change
            )
        after = Trained(network, optimiser, trained.updates + 1)
        return select(ready, after, trained), value

    @property
    def _transform(self) -> optax.GradientTransformation:
        return optax.scale_by_adam() if self.optimiser == "adam" else optax.identity()


def select(condition: Array, yes: Any, no: Any) -> Any:
    """One of two pytrees, chosen while running."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
