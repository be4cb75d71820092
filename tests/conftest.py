"""What the tests share: trees, solutions and compiled loops made once a session, random strategies, random games."""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import hypothesis
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import checked_shapes  # noqa: F401  # first, for it sees to what is imported after it
import feint
from feint import cli
from feint.arena.betting import unroll_betting
from feint.arena.policy import card_table
from feint.forms.unrolled import TreeForm
from feint.games.library import library
from feint.runs.config import resolve
from feint.solvers.algorithm import Algorithm
from feint.tree.cache import keep_compiled
from feint.tree.compiled import compiled
from feint.tree.unroll import NODE_LIMIT

# Derandomised, so that a failure on one machine is a failure on every machine; compiling makes single examples slow.
hypothesis.settings.register_profile("feint", deadline=None, derandomize=True, database=None, max_examples=15)
# For hunting: pytest --hypothesis-profile=wide tests/test_properties.py
hypothesis.settings.register_profile("wide", deadline=None, max_examples=100)
hypothesis.settings.load_profile("feint")


# Where tests go on in the background a shell has Ctrl-C ignored, by all that they start, too: some are about just that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MOST_MAPS = 25_000
"""When a process has so many memory maps, what it has compiled is thrown away."""

UNROLLABLE = [name for name, make in library().items() if (make().unrolled_size() or (0,))[0] <= NODE_LIMIT]
"""The library's games that are not too large for a tree."""


def few(*names: str, fast: tuple[str, ...]) -> list:
    """Cases of a test of which these are run every time, and all others by make test-slow."""
    return [name if name in fast else pytest.param(name, marks=pytest.mark.slow) for name in names]


def algorithm_on(tree: feint.Tree, name: str, **changes) -> Algorithm:
    """An algorithm, with some of its settings changed by their dotted names, on a game."""
    return resolve(name, changes).on(TreeForm(tree))


def advance(algorithm: Algorithm, state, steps: int):
    """The state after `steps` steps."""
    return _advance(algorithm, state, jnp.asarray(steps))  # an array, so that one compilation serves every number


def reached(algorithm: Algorithm, steps: int):
    """The state after `steps` steps from the start, which is compiled too: operation by operation takes longer."""
    return _reached(algorithm, jax.random.key(0), jnp.asarray(steps))


@compiled
def _advance(algorithm, state, steps):
    return jax.lax.fori_loop(0, steps, lambda _, now: algorithm.step(now)[0], state)


@compiled
def _reached(algorithm, key, steps):
    return jax.lax.fori_loop(0, steps, lambda _, now: algorithm.step(now)[0], algorithm.init(key))


@pytest.fixture(autouse=True, scope="module")
def _room_for_compiled_code():
    """Compiled programs lie in memory maps, of which a process may have 65,530: a crash in the compiler beyond."""
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and maps.read_text().count("\n") > MOST_MAPS:
        jax.clear_caches()
        gc.collect()


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Tests neither read nor fill the user's cache; the workers of one session share theirs, compiled code included."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FEINT_CACHE", str(root / "feint-cache"))
        keep_compiled()
        yield


@pytest.fixture(scope="session")
def tree_of():
    """A game's tree by the game's name."""
    return functools.cache(feint.unroll)


@functools.cache
def betting_of(name):
    """A game's betting by the game's name."""
    return unroll_betting(feint.load_game(name))


@pytest.fixture(scope="session")
def played(tree_of):
    """A table of a small game as it is played by its cards."""
    return lambda name, table: card_table(tree_of(name), betting_of(name), table)


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(os, "_exit", sys.exit)  # how a command leaves that was interrupted
    monkeypatch.setattr(cli.terminal, "interrupted", False)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["feint", *words])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        text = capsys.readouterr()
        return stopped.value.code, text.out, text.err

    return run


@pytest.fixture(scope="session")
def solved(tree_of):
    """The strategy that an algorithm, with some of its config changed, has after so many steps on a game."""

    @functools.cache
    def solve(game, name, steps=1, **changes):
        algorithm = algorithm_on(tree_of(game), name, **changes)
        return algorithm.strategy(reached(algorithm, steps))

    return solve


def random_table(tree: feint.Tree, seed: int) -> np.ndarray:
    """A Dirichlet strategy: near-pure, flat or near-uniform, as the seed has it."""
    rng = np.random.default_rng(seed)
    weights = rng.gamma(rng.choice([0.1, 1.0, 10.0]), size=tree.legal.shape) + 1e-12
    weights = np.where(tree.legal, weights, 0.0)
    return weights / weights.sum(1, keepdims=True)


@dataclass(frozen=True)
class Branch:
    """A node of a random game: its actor, the moves that lead on, and what each of them shows to whom."""

    actor: int
    payoffs: tuple[float, ...] = ()
    chances: tuple[float, ...] = ()
    moves: tuple[int, ...] = ()
    after: tuple[Branch, ...] = ()
    signals: tuple[tuple[int | None, ...], ...] = ()
    """For each move and each player: what the player is shown, None for nothing."""


@dataclass(frozen=True)
class RandomGame(feint.Game):
    """A drawn tree as rules. A state is a branch and what each player saw and did: perfect recall by construction."""

    root: Branch
    players: int
    name: str = "random"
    actions: tuple[str, ...] = ("0", "1", "2", "3")

    def start(self):
        return self.root, ((),) * self.players

    def actor(self, state):
        return state[0].actor

    def legal(self, state):
        return state[0].moves

    def chance(self, state):
        return [(chance, self._after(state, number)) for number, chance in enumerate(state[0].chances)]

    def play(self, state, action):
        if action not in state[0].moves:
            raise feint.IllegalMove(f"Move {action} is not legal here; the legal moves are {state[0].moves}.")
        return self._after(state, state[0].moves.index(action))

    def view(self, state, player):
        return state[1][player]

    def payoffs(self, state):
        return state[0].payoffs

    def _after(self, state, number):
        branch, memories = state
        made = branch.moves[number] if branch.moves else None
        return branch.after[number], remember(memories, branch.actor, made, branch.signals[number])


def remember(memories, actor, made, signals):
    """What the players remember after a move: each their own moves and what they were shown."""
    did = [memory + ((f"did {made}",) if player == actor else ()) for player, memory in enumerate(memories)]
    return tuple(
        memory if signal is None else (*memory, f"saw {signal}") for memory, signal in zip(did, signals, strict=True)
    )


@st.composite
def random_games(draw, deepest: int = 4, players: tuple[int, ...] = (2, 3), zero_sum: bool = False) -> RandomGame:
    """A random game of three to `deepest` moves that starts with a decision, or with chance and then a decision."""
    depth, count = draw(st.integers(3, deepest)), draw(st.sampled_from(players))
    # A seed, not hypothesis's own choices: those lean so far to the simple that most trees would be a single move.
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    return random_game(rng, depth, count, zero_sum)


def random_game(rng: Random, depth: int, players: int, zero_sum: bool = False) -> RandomGame:
    # The moves on offer may depend only on what the player sees: here, on how much.
    menus = [tuple(sorted(rng.sample(range(4), rng.choice((1, 2, 2, 3))))) for _ in range(2 * depth + 1)]
    first = rng.choice((feint.CHANCE, 0))
    return RandomGame(_branch(rng, depth, first, ((),) * players, menus, zero_sum), players)


def _branch(rng: Random, depth: int, actor: int | None, memories, menus, zero_sum: bool) -> Branch:
    players = len(memories)
    if depth == 0 or (actor is None and rng.random() < 0.1):
        payoffs = [float(rng.randint(-5, 5)) for _ in range(players)]
        return Branch(feint.TERMINAL, (*payoffs[:-1], -sum(payoffs[:-1])) if zero_sum else tuple(payoffs))
    actor = rng.randint(-1, players - 1) if actor is None else actor
    if actor == feint.CHANCE:
        return _chance(rng, depth, memories, menus, zero_sum)
    moves = menus[len(memories[actor])]
    signals, after = _follow(rng, depth, actor, moves, memories, menus, zero_sum)
    return Branch(actor, moves=moves, after=after, signals=signals)


def _chance(rng: Random, depth: int, memories, menus, zero_sum: bool) -> Branch:
    weights = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
    chances = tuple(weight / sum(weights) for weight in weights)
    signals, after = _follow(rng, depth, feint.CHANCE, range(len(weights)), memories, menus, zero_sum)
    return Branch(feint.CHANCE, chances=chances, after=after, signals=signals)


def _follow(rng: Random, depth: int, actor: int, moves, memories, menus, zero_sum: bool):
    """What every move shows and where it leads; somebody decides after the first chance move."""
    first = 0 if actor == feint.CHANCE and not any(memories) else None
    signals = tuple(tuple(rng.choice((None, 0, 1)) for _ in memories) for _ in moves)
    after = tuple(
        _branch(rng, depth - 1, first, remember(memories, actor, move, shown), menus, zero_sum)
        for move, shown in zip(moves, signals, strict=True)
    )
    return signals, after
