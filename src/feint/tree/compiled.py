"""Compiled code that is used again for arguments of the same kind, and let go of where it has not been for long.

What `equinox.filter_jit` is given that is no array, the function itself included, JAX keeps as long as the process
lives, and with it all that was compiled for it. So what is compiled for a lambda or a method is neither used again nor
freed, and a process that goes on for days comes to the end of its memory maps. Here compiled code belongs to a function
and to what its arguments look like, by value, and only so much of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, final

import equinox as eqx
import jax
import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

KEPT = 128
"""Compilations that are kept, those used last."""
MANY = 256
"""Arguments with more arrays belong to programs that take long to compile, such as sweeps over many small blocks."""


@final
class Compiled(Generic[P, R]):
    """A function in compiled code: arrays, wherever they are in its arguments, are traced, and all else is constant.

    What comes out is put where the arguments at the places `reused` were, so that these are gone after a call. Programs
    of hundreds of loops over few arrays say that they have `many`.
    """

    def __init__(self, function: Callable[P, R], reused: tuple[int, ...] = (), many: bool = False) -> None:
        self._function, self._reused, self._many = function, reused, many

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        code, kept, reused = self._for(args, kwargs)
        arrays = code.compiled(kept, reused)
        out: R = eqx.combine(arrays, code.constant[0])
        return out

    def prepare(self, *args: P.args, **kwargs: P.kwargs) -> int:
        """Compile it for such arguments without a call; the bytes that a call takes on its way."""
        code, kept, reused = self._for(args, kwargs)
        needed = code.compiled.lower(kept, reused).compile().memory_analysis()
        return needed.temp_size_in_bytes if needed else 0

    def _for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[_Code, list[Any], list[Any]]:
        """The code for such arguments, and the arrays in them: those that are kept and those whose memory is taken."""
        leaves: list[Any]
        structure: Any
        leaves, structure = jax.tree.flatten((args, kwargs))
        arrays = [leaf if eqx.is_array(leaf) else None for leaf in leaves]
        constants = tuple(leaf if array is None else None for leaf, array in zip(leaves, arrays, strict=True))
        # 1, 1.0 and True are equal, but not to the compiler.
        kinds = tuple((leaf.shape, leaf.dtype) if eqx.is_array(leaf) else type(leaf) for leaf in leaves)
        code = _code(self._function, structure, constants, kinds, self._many)
        given, named = structure.children()
        taken = [place in self._reused for place, part in enumerate(given.children()) for _ in range(part.num_leaves)]
        taken += [False] * named.num_leaves
        kept = [None if gone else array for array, gone in zip(arrays, taken, strict=True)]
        reused = [array if gone else None for array, gone in zip(arrays, taken, strict=True)]
        return code, kept, reused


class ByValue:
    """A dataclass with arrays among its fields that is equal to another where all of them are.

    Constants of compiled code are, so that what is compiled with them is used again where they are made again.
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        each = zip(vars(self).values(), vars(other).values(), strict=True)
        return all(np.array_equal(*pair) if isinstance(pair[0], np.ndarray) else pair[0] == pair[1] for pair in each)

    def __hash__(self) -> int:
        return hash(tuple(len(value) if isinstance(value, Sized) else value for value in vars(self).values()))


class _Code(NamedTuple):
    """What is compiled for arguments of one kind."""

    compiled: Any
    """From the arrays among the arguments to those in what comes out."""
    constant: list[Any]
    """All else that comes out, once it is known."""


def crowded() -> bool:
    """Whether half of the process's memory maps are used: a compilation takes 40 to 1,000, and there are 65,530."""
    try:
        most = int(Path("/proc/sys/vm/max_map_count").read_text())
        return 2 * Path("/proc/self/maps").read_bytes().count(b"\n") > most
    except (OSError, ValueError):  # only Linux counts them
        return False


def options(arrays: int, many: bool = False) -> dict[str, Any] | None:
    """How the compiler is to go about a program over so many arrays: the shorter way where there are many loops.

    Its newer way to put loops together takes twice as long for programs of hundreds of loops, such as liar's dice's or
    a turn's, which then run no faster, or slower; small ones do.
    """
    return _SHORTER if (many or arrays > MANY) and _shorter_is_known() else None


_SHORTER = {"xla_cpu_use_fusion_emitters": False}


@cache
def _shorter_is_known() -> bool:
    """Whether this compiler, for this device, knows what is asked of it: that is no part of what JAX promises."""
    if jax.default_backend() != "cpu":
        return False
    try:
        jax.jit(lambda: 0, compiler_options=_SHORTER)()
    except Exception:  # whichever one the compiler has for it
        return False
    return True


@lru_cache(maxsize=KEPT)
def _code(
    function: Callable[..., Any], structure: Any, constants: tuple[Any, ...], kinds: tuple[Any, ...], many: bool
) -> _Code:
    if crowded():
        _code.cache_clear()
        jax.clear_caches()
    constant: list[Any] = []

    # A function of its own, of arrays alone: when it goes, so does all that JAX keeps of it.
    def traced(kept: list[Any], reused: list[Any]) -> Any:
        each = zip(kept, reused, constants, strict=True)
        leaves = [one if one is not None else other if other is not None else fixed for one, other, fixed in each]
        args, kwargs = jax.tree.unflatten(structure, leaves)
        arrays, rest = eqx.partition(function(*args, **kwargs), eqx.is_array)
        constant[:] = [rest]
        return arrays

    traced.__name__ = getattr(function, "__name__", "traced")
    arrays = sum(isinstance(kind, tuple) for kind in kinds)
    return _Code(jax.jit(traced, donate_argnums=1, compiler_options=options(arrays, many)), constant)


def compiled(function: Callable[P, R]) -> Compiled[P, R]:
    """A function in compiled code."""
    return Compiled(function)
