"""The arena as a Gymnasium vector environment: one seat at many tables at once, in compiled code."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, final

from feint.adapters.gymnasium import checked_seat, seated  # first, for it says what to do where gymnasium is missing

# isort: split
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Array, Bool, Float, Int, Int8, PRNGKeyArray

from feint.adapters.shown import Shown
from feint.arena.arena import Arena, Where, as_uniform, draw, playable, random_words
from feint.arena.policy import Policy
from feint.arena.situations import Situations
from feint.evaluate.measure import played_fair
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.runs.lineup import Who
from feint.tree.compiled import compiled

PLAIN = "nfsp"
"""The encoding that the rules themselves give."""


Stepped = tuple[
    Float[np.ndarray, "t f"], Float[np.ndarray, " t"], Bool[np.ndarray, " t"], Bool[np.ndarray, " t"], dict[str, Any]
]
"""Observations, rewards, what is over, what was cut short, and what else there is to tell."""


class Sitting(NamedTuple):
    """Tables that wait for the seat."""

    where: Where
    seat: Int[Array, " t"]
    key: PRNGKeyArray


class Told(NamedTuple):
    """What there is to tell of all tables."""

    seen: Float[Array, "t f"]
    mask: Int8[Array, "t a"]
    reward: Float[Array, " t"]
    over: Bool[Array, " t"]
    passed_hands: Int[Array, " t"]
    passed_won: Float[Array, " t"]


class Setting(NamedTuple):
    """All that stays as it is: arrays and what is compiled in."""

    arena: Arena
    policy: Policy
    shown: tuple[Situations, ...]
    """What each player sees; one for all where there is no difference, or only one seat is played."""
    columns: Int[Array, " a"]
    """The column of each of the rules' moves; −1 for those that are never legal."""
    turns: bool
    """Whether the seat changes with every hand."""
    forfeit: float
    """What a move costs that is not legal."""


@final
class TablesEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One seat at `num_envs` tables; a strategy takes all other seats.

    Finished hands are followed by new ones in the same step (`AutoresetMode.SAME_STEP`): the observation is the new
    hand's first, `info["_final_obs"]` says where, and `info["final_obs"]` has nothing but zeros, since a hand that is
    over shows nothing that is still to be decided.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # type: ignore[misc]

    def __init__(
        self,
        game: Game[Any] | str | None = None,
        opponent: Who = "random",
        seat: int | None = 0,
        num_envs: int = 1024,
        encoding: str = PLAIN,
        trust: bool = False,
    ) -> None:
        """As `SeatEnv`; `encoding` says what is shown: `nfsp`, as there, or another that the learners know."""
        form, player, _ = seated(game, opponent, None, trust)
        if player.strategy is None:
            raise BadInput(
                f"{opponent} decides hand by hand, so it cannot sit at {num_envs} tables at once; use "
                "gymnasium.make_vec with vectorization_mode='sync', or another opponent."
            )
        if num_envs < 1:
            raise BadInput(f"An environment has at least one table, but num_envs={num_envs} was given.")
        self.form, self.num_envs, self._seat = form, num_envs, checked_seat(form, seat)
        players = range(form.players) if self._seat is None else (self._seat,)
        shown = tuple(form.situations(number, encoding) for number in players)
        if len({id(each) for each in shown}) == 1:
            shown = shown[:1]
        if len({each.inputs for each in shown}) > 1:
            raise BadInput(f"The seats of {form.name} do not look alike by encoding={encoding}; name one seat.")
        known = {name: column for column, name in enumerate(form.actions)}
        columns = jnp.asarray([known.get(name, -1) for name in form.game.actions])
        self._setting = Setting(
            form.arena, player.strategy.policy, shown, columns, self._seat is None, float(form.largest)
        )
        low, high = Shown(form.game).bounds if encoding == PLAIN else (-np.inf, np.inf)
        self.single_observation_space = Box(low, high, (shown[0].inputs,), np.float32)
        self.single_action_space = Discrete(len(form.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._nothing = np.zeros((num_envs, shown[0].inputs), np.float32)
        self._sitting: Sitting | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float[np.ndarray, "t f"], dict[str, Any]]:
        super().reset(seed=seed)
        key = jax.random.key(int(self.np_random.integers(2**31)))
        first = jnp.arange(self.num_envs) % self.form.players if self._seat is None else self._seat
        self._sitting, told = _dealt(self._setting, jnp.broadcast_to(first, self.num_envs).astype(jnp.int32), key)
        return np.asarray(told.seen), self._info(told)

    def step(self, actions: Int[np.ndarray, " t"]) -> Stepped:
        if self._sitting is None:
            raise BadInput("Nobody sits at these tables yet; call reset first.")
        self._sitting, told = _stepped(self._setting, self._sitting, jnp.asarray(actions, jnp.int32))
        over = np.asarray(told.over)
        info = self._info(told) | {"final_obs": self._nothing, "_final_obs": over}
        return np.asarray(told.seen), played_fair(np.asarray(told.reward)), over, np.zeros_like(over), info

    def action_masks(self) -> Int8[np.ndarray, "t a"]:
        """The legal moves at each table, as learners that mask moves ask for them."""
        return self._mask

    def _info(self, told: Told) -> dict[str, Any]:
        self._mask = np.asarray(told.mask)
        passed = {"passed_hands": np.asarray(told.passed_hands), "passed_won": played_fair(np.asarray(told.passed_won))}
        return {"action_mask": self._mask} | passed


@compiled
def _dealt(setting: Setting, seat: Int[Array, " t"], key: PRNGKeyArray) -> tuple[Sitting, Told]:
    """Deal a hand at every table, and let the others move."""
    key, dealing = jax.random.split(key)
    where = setting.arena.deal(random_words(dealing, setting.arena.deal_words, len(seat)))
    return _others_move(setting, Sitting(where, seat, key), jnp.ones(len(seat), bool), jnp.zeros(len(seat)))


@compiled
def _stepped(setting: Setting, sitting: Sitting, action: Int[Array, " t"]) -> tuple[Sitting, Told]:
    """Make the seat's move at every table, and let the others move."""
    arena, tables = setting.arena, len(action)
    where, seat, key = sitting
    key, playing, dealing = jax.random.split(key, 3)
    legal = arena.legal(arena.infostate(where))
    column = setting.columns[jnp.clip(action, 0, len(setting.columns) - 1)]
    fair = (action >= 0) & (action < len(setting.columns)) & (column >= 0)
    fair &= jnp.take_along_axis(legal, jnp.maximum(column, 0)[:, None], 1)[:, 0]
    move = jnp.where(fair, column, legal.argmax(1)).astype(jnp.int32)
    played = arena.play(where, move, random_words(playing, arena.play_words, tables))

    def dealt_again(where: Where) -> Where:
        fresh = arena.deal(random_words(dealing, arena.deal_words, tables))
        return jax.tree.map(lambda new, old: _where(~fair, new, old), fresh, where)

    where = jax.lax.cond(fair.all(), lambda where: where, dealt_again, played.where)
    over = played.done | ~fair
    won = jnp.take_along_axis(played.payoff, seat[:, None], 1)[:, 0]
    reward = jnp.where(fair, won, -setting.forfeit)
    return _others_move(setting, Sitting(where, _next(setting, seat, over), key), over, reward)


def _others_move(
    setting: Setting, sitting: Sitting, over: Bool[Array, " t"], reward: Float[Array, " t"]
) -> tuple[Sitting, Told]:
    """Let the others move until every table waits for the seat; hands that end without it are counted apart."""
    arena, tables = setting.arena, len(over)
    nothing = jnp.zeros(tables, reward.dtype)

    def move(state: tuple[Sitting, Told]) -> tuple[Sitting, Told]:
        (where, seat, key), told = state
        key, drawing = jax.random.split(key)
        words = random_words(drawing, arena.play_words + 1, tables)
        turn, seen = arena.turn(where), arena.infostate(where)
        chances, legal = setting.policy(seen, turn), arena.legal(seen)
        played = arena.play(where, draw(chances, as_uniform(words[-1]), legal), words[:-1])
        theirs = turn != seat
        done = played.done & theirs
        won = jnp.take_along_axis(played.payoff, seat[:, None], 1)[:, 0]
        won = jnp.where(done, won, 0) + jnp.where(theirs & ~playable(chances, legal), jnp.nan, 0)
        after = jax.tree.map(lambda new, old: _where(theirs, new, old), played.where, where)
        told = told._replace(
            reward=told.reward + jnp.where(told.over, 0, won),
            over=told.over | done,
            passed_hands=told.passed_hands + (done & told.over),
            passed_won=told.passed_won + jnp.where(told.over, won, 0),
        )
        return Sitting(after, _next(setting, seat, done), key), told

    def waiting(state: tuple[Sitting, Told]) -> Bool[Array, ""]:
        return (arena.turn(state[0].where) != state[0].seat).any()

    start = Told(nothing, nothing, reward, over, jnp.zeros(tables, jnp.int32), nothing)
    sitting, told = jax.lax.while_loop(waiting, move, (sitting, start))
    seen = arena.infostate(sitting.where)
    legal = jnp.pad(arena.legal(seen), ((0, 0), (0, 1)))  # the last column is never legal: −1 finds it
    mask = legal[:, setting.columns].astype(jnp.int8)
    return sitting, told._replace(seen=_shown(setting, seen, sitting.seat), mask=mask)


def _shown(setting: Setting, seen: Any, seat: Int[Array, " t"]) -> Float[Array, "t f"]:
    rows = [each.features(each.own(seen)) for each in setting.shown]
    whole = rows[0]
    for player, mine in enumerate(rows[1:], 1):
        whole = jnp.where((seat == player)[:, None], mine, whole)
    return whole


def _next(setting: Setting, seat: Int[Array, " t"], over: Bool[Array, " t"]) -> Int[Array, " t"]:
    """The seat at each table for its next hand, where one is over."""
    return jnp.where(over, (seat + 1) % setting.arena.players, seat) if setting.turns else seat


def _where(chosen: Bool[Array, " t"], new: Array, old: Array) -> Array:
    return jnp.where(chosen.reshape(-1, *(1,) * (new.ndim - 1)), new, old)
