"""Matches of poker_rnn_trials.py: the agents of published trials with each other, and with Monte Carlo tree search."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from feint.arena.policy import Policy, Uniform
from feint.evaluate.match import Match, match, play_players
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.learners.move_values import LearnedMoveValues
from feint.learners.seat import NetworkStrategy
from feint.papers.poker_rnn_records import blank_networks, kept_networks
from feint.papers.poker_rnn_variants import AGAIN, LABELS, SEEDS, Trial
from feint.players.monte_carlo import Budget, MonteCarloPlayer, learned_values
from feint.players.player import StrategyPlayer
from feint.runs.files import write_whole
from feint.runs.provenance import provenance
from feint.search.monte_carlo import Choice
from feint.search.worlds import world_of

UCB = 0.7
"""UCB's constant as a share of the largest payoff, as players have it."""
LEARNED = "ismcts with {}'s values"
TEACHERS = ("dqn", "linear-q")
"""Whose values it has: the first of these that is there."""
SEARCHERS = {"ismcts": (0.25, 1.0, 1.0), "smooth-uct": (0.25, 1.0, 1.0), LEARNED: (0.5, 0.2, 0.25)}
"""The share of the time that each has, of the simulations and of the hands: asking a network takes longer than playing
on."""


class Size(NamedTuple):
    """How much searchers think and play, where their share is one."""

    simulations: int
    hands: int
    """Hands of a match, at most; out of time before, its interval is the wider one that allows for it."""


class OutOfTime(Exception):
    """A match ends here."""


def cross(
    state: Path, trials: Mapping[str, Trial], agent: str, until: float, hands: int, say: Callable[[str], None]
) -> None:
    """All agents against each other and against random play, those of one seed with each other; or one's matches."""
    form, found = form_of("holdem"), list[dict[str, Any]]()
    pairs = list(combinations((*LABELS, "random"), 2))
    for seed in SEEDS:
        players: dict[str, Policy] = {
            name: _strategy(state, trials, form, name, seed).policy for name in _known(state, trials, seed)
        }
        players["random"] = Uniform(form.arena)
        for one, other in combinations(players, 2):
            if agent and agent not in (one, other):
                continue
            if time.time() > until:
                return
            deals = 100 * seed + pairs.index((one, other))
            won = match(form.arena, players[one], players[other], hands, seed=deals)
            about = {"trial": "cross", "seed": seed, "one": one, "other": other} | _again(state, one, other)
            found.append(about | _line(form, won))
            _write(state, "cross", found)
        say(f"seed {seed}")


def search(
    state: Path, trials: Mapping[str, Trial], agent: str, until: float, size: Size, say: Callable[[str], None]
) -> None:
    """Each kind of searcher against an agent, for its share of the time there is."""
    form, found, seed = form_of("holdem"), list[dict[str, Any]](), SEEDS[0]
    opponent = StrategyPlayer(_strategy(state, trials, form, agent, seed), form, seed=7)
    stop, whole, trained = time.time(), until - time.time(), _trained(state, agent, seed)
    for number, (kind, (share, part, few)) in enumerate(SEARCHERS.items()):
        stop, budget = stop + share * whole, max(1, round(part * size.simulations))
        teacher = _teacher(state) if kind == LEARNED else None
        player, last = _searcher(state, trials, form, kind, teacher, budget, seed), list[Match]()

        def follow(so_far: Match, last: list[Match] = last, stop: float = stop) -> None:
            last[:] = [so_far]
            if time.time() > stop:
                raise OutOfTime

        try:
            played = play_players(form, (player, opponent), round(few * size.hands), seed=number, progress=follow)
        except OutOfTime:
            played = last[0]
        name = kind.format(LABELS[teacher]) if teacher else kind
        line = {"trial": f"mcts/{agent}", "seed": seed, "one": name, "other": agent, "simulations": budget}
        line |= _again(state, agent, *([teacher] if teacher else []))
        found.append(line | _line(form, played) | {"trained": trained})
        _write(state, f"mcts-{agent}", found)
        say(f"{kind}: {found[-1]['won']}")


def _searcher(
    state: Path, trials: Mapping[str, Trial], form: Form, kind: str, teacher: str | None, simulations: int, seed: int
) -> MonteCarloPlayer:
    world, smooth = world_of(form), kind == "smooth-uct"
    values = None
    if teacher:
        solver = trials[f"{teacher}/published"].settings.on(form)
        networks = kept_networks(_file(state, teacher), blank_networks(solver), seed, "playing")
        values = learned_values(LearnedMoveValues(solver.learners, networks, solver.scale), form, world)
    return MonteCarloPlayer(world, Choice(UCB * world.largest, smooth), values, Budget(simulations, None), smooth, seed)


def _strategy(state: Path, trials: Mapping[str, Trial], form: Form, agent: str, seed: int) -> NetworkStrategy:
    solver = trials[f"{agent}/published"].settings.on(form)
    networks = kept_networks(_file(state, agent), blank_networks(solver), seed, "playing")
    return NetworkStrategy(form.fingerprint, solver.playing(networks))


def _known(state: Path, trials: Mapping[str, Trial], seed: int) -> list[str]:
    """The agents of a seed that were trained."""
    return [name for name in LABELS if is_there(state, name) and seed in trials[f"{name}/published"].seeds]


def _trained(state: Path, agent: str, seed: int) -> float:
    """The hands that an agent had played."""
    lines = (state / "records" / f"{_file(state, agent).stem}.jsonl").read_text().splitlines()
    return next(float(row["curve"][-1]["hands"]) for row in map(json.loads, lines) if row["seed"] == seed)


def _file(state: Path, agent: str) -> Path:
    """An agent's networks as published, or where these are not kept those that were trained again."""
    files = [state / "networks" / f"{agent}-{kind}.safetensors" for kind in ("published", AGAIN)]
    return next((path for path in files if path.is_file()), files[0])


def is_there(state: Path, agent: str) -> bool:
    return _file(state, agent).is_file()


def _teacher(state: Path) -> str:
    return next(agent for agent in TEACHERS if is_there(state, agent))


def _again(state: Path, *agents: str) -> dict[str, list[str]]:
    """Which agents of a match are those that were trained again, where some are."""
    found = sorted({agent for agent in agents if _file(state, agent).stem.endswith(AGAIN)})
    return {AGAIN: found} if found else {}


def _line(form: Form, played: Match) -> dict[str, Any]:
    """A match in thousandths of a big blind per hand: the mean, how far its interval reaches, and the hands."""
    low, high = played.interval
    scale = 1000 / form.big_blind
    return {
        "won": [played.mean * scale, (high - low) / 2 * scale, played.hands],
        "made_with": list(provenance()),
    }


def _write(state: Path, name: str, found: list[dict[str, Any]]) -> None:
    (state / "records").mkdir(parents=True, exist_ok=True)
    write_whole(state / "records" / f"{name}.jsonl", "".join(json.dumps(line) + "\n" for line in found).encode())
