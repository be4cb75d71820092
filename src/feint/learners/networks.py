"""Networks and their optimisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

Activation = Literal["relu", "tanh", "softplus", "linear"]
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "tanh": jnp.tanh,
    "softplus": jax.nn.softplus,
    "linear": lambda values: values,
}


@final
class MLP(eqx.Module):
    """A multilayer perceptron on rows of features; without hidden layers, a linear map."""

    layers: tuple[eqx.nn.Linear, ...]
    activation: str = eqx.field(static=True)
    output: str = eqx.field(static=True)

    def __init__(
        self,
        inputs: int,
        hidden: Sequence[int],
        outputs: int,
        key: PRNGKeyArray,
        activation: str = "relu",
        output: str = "linear",
        flat: bool = False,
        bias: bool = True,
    ) -> None:
        """Weights are uniform within ±1/√inputs, as in the Torch of the NFSP paper. `flat` starts from output 0."""
        sizes = [inputs, *hidden, outputs]
        keys = jax.random.split(key, len(sizes) - 1)
        layers = [
            eqx.nn.Linear(before, after, use_bias=bias, key=key, dtype=jnp.float32)
            for before, after, key in zip(sizes[:-1], sizes[1:], keys, strict=True)
        ]
        if flat:
            layers[-1] = jax.tree.map(jnp.zeros_like, layers[-1])
        self.layers, self.activation, self.output = tuple(layers), activation, output

    def __call__(self, rows: Float[Array, "b f"]) -> Float[Array, "b a"]:
        for number, layer in enumerate(self.layers):
            last = number == len(self.layers) - 1
            rows = rows @ layer.weight.T
            if layer.bias is not None:
                rows = rows + layer.bias
            rows = ACTIVATIONS[self.output if last else self.activation](rows)
        return rows


class Trained(NamedTuple):
    """A network, its optimiser's state and the updates made."""

    network: MLP
    optimiser: Any
    updates: Int[Array, ""]


@final
class Optimiser(eqx.Module):
    """Stochastic gradient descent or Adam, with a learning rate that falls as 1/√t after `decay` updates."""

    kind: Literal["sgd", "adam"] = eqx.field(static=True)
    rate: float = eqx.field(static=True)
    decay: float = eqx.field(static=True)

    def start(self, network: MLP) -> Trained:
        return Trained(network, self._transform.init(network), jnp.zeros((), jnp.int32))

    def update(
        self, trained: Trained, loss: Callable[[MLP], Float[Array, ""]], ready: Array
    ) -> tuple[Trained, Float[Array, ""]]:
        """One step down the loss's gradient, or none where the memory is not `ready`."""
        value, gradient = jax.value_and_grad(loss)(trained.network)
        change, optimiser = self._transform.update(gradient, trained.optimiser)
        fall = 1.0 if self.decay == inf else (1.0 + trained.updates / self.decay) ** -0.5
        network = jax.tree.map(
            lambda weight, step: weight - (self.rate * fall * step).astype(weight.dtype), trained.network, change
        )
        after = Trained(network, optimiser, trained.updates + 1)
        return select(ready, after, trained), value

    @property
    def _transform(self) -> optax.GradientTransformation:
        return optax.scale_by_adam() if self.kind == "adam" else optax.identity()


def select(condition: Array, yes: Any, no: Any) -> Any:
    """One of two pytrees, chosen while running."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
