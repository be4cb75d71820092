"""PettingZoo environments: `AECEnv` for every game, `ParallelEnv` for matrix games.

    from feint.adapters.pettingzoo import aec_env
    env = aec_env("leduc")                      # or pettingzoo.make("aec", "feint/leduc-v0") once this is imported

Moves are numbered as the rules number them. `action_mask` has a 1 for each legal one, and nothing but zeros for whoever
is not to move. Rewards are chips, paid when the hand is over. A move that is not legal raises `IllegalMove`.
"""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from feint.adapters.shown import VERSION, Shown, versioned
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import TERMINAL, Game
from feint.games.library import game_of, library
from feint.games.matrix import MatrixGame

try:
    from gymnasium.spaces import Box, Dict, Discrete, Space
    from pettingzoo import AECEnv, ParallelEnv, aec_registry, parallel_registry, register
except ImportError as error:
    raise BadInput(
        "PettingZoo's environments need pettingzoo, which is not installed; run: pip install 'feint[envs]'."
    ) from error

Seen = dict[str, np.ndarray]
Moves = Discrete[np.int64]


def aec_env(game: Game[Any] | str, render_mode: str | None = None) -> HandEnv:
    """A game, or the one of this name, as an AEC environment: one hand from reset to reset."""
    return HandEnv(game_of(game), render_mode)


def parallel_env(game: Game[Any] | str, render_mode: str | None = None) -> MatrixEnv:
    """A matrix game as a parallel environment: both choose at once."""
    found = game_of(game)
    if not isinstance(found, MatrixGame):
        raise BadInput(f"Only in matrix games everyone moves at once, and {found.name} is none; use aec_env.")
    return MatrixEnv(found, render_mode)


@final
class HandEnv(AECEnv[str, Seen, int | None]):  # type: ignore[misc]  # PettingZoo has no types
    """One hand of a game, move by move."""

    def __init__(self, game: Game[Any], render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.render_mode = game, render_mode
        self.metadata = {"name": versioned(game.name), "render_modes": ["ansi"], "is_parallelizable": False}
        self._shown, self._random = Shown(game), np.random.default_rng()
        self.possible_agents = [f"player_{number}" for number in range(game.players)]
        low, high = self._shown.bounds
        seen: dict[str, Space[Any]] = {
            "observation": Box(low, high, (self._shown.size,), np.float32),
            "action_mask": Box(0, 1, (self._shown.moves,), np.int8),
        }
        self.observation_spaces = {agent: Dict(seen) for agent in self.possible_agents}
        self.action_spaces: dict[str, Moves] = {agent: Discrete(self._shown.moves) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Moves:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._place = self._shown.dealt(self._random)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._place.actor]

    def observe(self, agent: str) -> Seen:
        player = self.possible_agents.index(agent)
        return {"observation": self._place.features(player), "action_mask": self._place.mask(player)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMove(f"{agent} made no move, but is to make one; give one of the legal moves.")
        self._place = self._place.after(int(action), self._random)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        actor = self._place.actor
        if actor == TERMINAL:
            self.rewards = dict(zip(self.possible_agents, self._place.won, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[actor]
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """What whoever is to move is told, in words."""
        if self.render_mode is None:
            return None
        player = max(self._place.actor, 0)
        return f"player {player + 1}: {self.game.told(self._place.state, player)}"

    def close(self) -> None:
        """There is nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])


@final
class MatrixEnv(ParallelEnv[str, Seen, int]):  # type: ignore[misc]
    """A matrix game: one choice each, at once. There is nothing to see but which moves there are."""

    possible_agents: ClassVar[list[str]] = ["player_0", "player_1"]

    def __init__(self, game: MatrixGame, render_mode: str | None = None) -> None:
        self.game, self.render_mode = game, render_mode
        self.metadata = {"name": versioned(game.name), "render_modes": ["ansi"]}
        counts = dict(zip(self.possible_agents, (len(game.rows), len(game.rows[0])), strict=True))
        self.action_spaces: dict[str, Moves] = {agent: Discrete(moves) for agent, moves in counts.items()}
        self.observation_spaces = {
            agent: Dict({"observation": Box(0, 1, (1,), np.float32), "action_mask": Box(0, 1, (moves,), np.int8)})
            for agent, moves in counts.items()
        }
        self._made: tuple[int, ...] = ()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Moves:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Begin a hand. Nothing in it is left to chance, so the seed decides nothing."""
        self.agents, self._made = list(self.possible_agents), ()
        return self._seen(True), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        state = self.game.start()
        for agent in self.possible_agents:
            state = self.game.play(state, int(actions[agent]))
        self._made, self.agents = state, []
        won = dict(zip(self.possible_agents, map(float, self.game.payoffs(state)), strict=True))
        over, cut = dict.fromkeys(self.possible_agents, True), dict.fromkeys(self.possible_agents, False)
        return self._seen(False), won, over, cut, {agent: {} for agent in self.possible_agents}

    def render(self) -> str | None:
        """What both chose, in words."""
        if self.render_mode is None:
            return None
        return " against ".join(self.game.actions[move] for move in self._made) or "both are to choose"

    def close(self) -> None:
        """There is nothing to close."""

    def _seen(self, going_on: bool) -> dict[str, Seen]:
        return {
            agent: {
                "observation": np.full(1, going_on, np.float32),
                "action_mask": np.full(int(space.n), going_on, np.int8),
            }
            for agent, space in self.action_spaces.items()
        }


def _register() -> None:
    """Put every game of the library into PettingZoo's registries, by its name and version."""
    for name, make in library().items():
        words, game = f"feint/{name}-v{VERSION}", {"game": name}
        if words not in aec_registry:
            register("aec", words, aec_env, kwargs=game)
        if words not in parallel_registry and isinstance(make(), MatrixGame):
            register("parallel", words, parallel_env, kwargs=game)


_register()
