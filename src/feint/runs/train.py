"""Training: find the algorithm and the game, begin or go on, and leave a run folder behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import jax

from feint.forms.form import Form, Gauge
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import game_of
from feint.runs.agents import own_folder
from feint.runs.checkpoint import load_checkpoint
from feint.runs.config import RunConfig, algorithms, resolve
from feint.runs.files import last_folder
from feint.runs.folder import RunFolder
from feint.runs.loop import Callback, Following, Loop, Unwatched, Watcher, evaluation_points
from feint.runs.resources import check_room, device_for
from feint.runs.rules import remember, source_of
from feint.runs.run import Run, config_of
from feint.runs.sharing import share_out
from feint.runs.signals import listening
from feint.runs.trainer import Trainer
from feint.solvers.algorithm import Config

SAVE_EVERY = 30.0
"""Seconds between checkpoints."""


def train(
    algorithm: str,
    game: str | Game[Any],
    *,
    steps: int | None = None,
    hands: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    devices: int = 1,
    out: Path | str | None = None,
    resume: bool = False,
    save_every: float = SAVE_EVERY,
    watcher: Watcher | None = None,
    callback: Callback | None = None,
) -> Run:
    """Run an algorithm on a game until `steps`, `hands`, `seconds` or exploitability `until`, whichever comes first.

    Left without any of the four, it stops after a minute, or at exploitability 1e-4 where that is known. The run is
    written to `out`, by default a new folder under `runs/`. `seeds` runs, by default 1, are made at once with the seeds
    from `seed` on, by default 0, and reported by their median. Several `devices` share the seeds or, of a single one,
    the tables and minibatches of those that play, which changes nothing but rounding. With `resume` a run goes on from
    its last checkpoint (in `out`, or without that in the latest default folder of this algorithm on this game), with
    its own seed and settings unless others are asked for, which is an error. An interrupt (Ctrl-C) stops a run early
    and keeps what it has; SIGTERM leaves a checkpoint.

    `callback` is called at every evaluation with that as its one argument, which has a `step`, `metrics` and the
    `strategy` so far; numbers that it returns by name are added to the metrics:
    `callback=lambda now: {"half": now.metrics["exploitability"] / 2}`.
    """
    told = not (steps is None and hands is None and seconds is None and until is None)
    if not told:
        seconds, until = 60.0, 1e-4
    if isinstance(game, str) and game in algorithms() and algorithm not in algorithms():
        raise BadInput(f"{game} is an algorithm, which comes before the game: {game} {algorithm}.")
    rules = game_of(game)
    path = own_folder(out) if out else last_folder(rules.name, algorithm) if resume else None
    before = config_of(path) if resume and path else None
    if before and not settings and preset is None:
        settings = before.settings
    seed = seed if seed is not None else before.seed if before else 0
    seeds = seeds if seeds is not None else before.seeds if before else 1
    asked = resolve(algorithm, settings or {}, preset)
    stop = (steps, hands, seconds, until)
    config = RunConfig(rules.name, algorithm, asdict(asked), seed, seeds, *stop, devices=devices)
    with listening() as signals, watcher or Unwatched() as watching:
        following = Following(watching, signals, callback, save_every)
        return _train(asked, rules, config, path, before, told, following)


def _train(
    asked: Config,
    rules: Game[Any],
    config: RunConfig,
    path: Path | None,
    before: RunConfig | None,
    told: bool,
    following: Following,
) -> Run:
    def stage(text: str) -> None:
        following.signals.check()
        following.watcher.stage(text)

    stage(f"unrolling {rules.name}")
    form = form_of(rules, lambda nodes: stage(f"unrolling {rules.name}: {nodes:,} nodes"))
    played = asked.needs_tree, asked.alike(form)
    exact = form.gauged_exactly(*played)
    own = source_of(rules)
    if own:
        remember(own[0])
    config = replace(
        config,
        fingerprint=form.fingerprint,
        until=config.until if told or exact else None,
        rules=own[0] if own else None,
    )
    _check_suited(asked, config, form, exact)
    home = device_for(asked, form)
    with jax.default_device(home):
        stage(f"preparing {config.algorithm}: {form.size}")
        solver = asked.on(form)
        sharing = share_out(solver, config, home)
        check_room(solver, config)
        gauge = form.gauge(*played)
        if path is not None and before is not None:
            with RunFolder.resume(path, config) as folder:
                _check_judged(gauge, folder)
                stage("compiling")
                trainer = Trainer(solver, gauge, config, sharing)
                trainer.resume(*load_checkpoint(folder.checkpoints, trainer.state, following.watcher.warn))
                _check_ahead(trainer, config, before, path)
                points = evaluation_points(config.steps, trainer.growth)
                folder.rewind(trainer.step, set(takewhile(lambda point: point <= trainer.step, points)))
                return _finished(trainer, folder, form, following)
        stage("compiling")
        trainer = Trainer(solver, gauge, config, sharing)
        following.signals.check()
        with RunFolder.create(path, config, own[1] if own else {}) as folder:
            return _finished(trainer, folder, form, following)


def _check_judged(gauge: Gauge, folder: RunFolder) -> None:
    """Refuse to go on with a run that was judged by another number so far."""
    if folder.metrics and gauge.number not in folder.metrics[-1]:
        raise BadInput(
            f"{folder.path} cannot go on here, since it is not judged by {gauge.number}, which is what there is room "
            f"and time for on this device; go on where it began, or train anew."
        )


def _finished(trainer: Trainer, folder: RunFolder, form: Form, following: Following) -> Run:
    following.signals.patient()
    cut_short = Loop(trainer, folder, following).run()
    return folder.finish(trainer.strategy(), form, cut_short)


def _check_suited(asked: Config, config: RunConfig, form: Form, exact: bool) -> None:
    """Refuse what takes more than this form of the game can give."""
    if not asked.takes(form):
        able = ", ".join(name for name, other in algorithms().items() if other.config.takes(form))
        why = form.excess if asked.public else f"{config.game} is too large to unroll"
        raise BadInput(f"{config.algorithm} needs the whole tree, and {why}; use one of {able}, or {form.smaller}.")
    if config.until is not None and not exact:
        raise BadInput(
            f"{config.game} is too large to judge exactly, so a run cannot stop at exploitability {config.until:g}; "
            f"give --steps, --hands or --seconds."
        )


def _check_ahead(trainer: Trainer, config: RunConfig, before: RunConfig, path: Path) -> None:
    """Refuse to go on to where a run has been already: what it was there is gone. The same may be asked for again."""
    if config.steps is not None and trainer.step > config.steps:
        raise BadInput(
            f"{path} is at step {trainer.step:,}, past the {config.steps:,} asked for; ask for more to go on with it."
        )
    if trainer.enough and config.hands != before.hands:
        raise BadInput(
            f"{path} has played {trainer.hands:,.0f} hands, no fewer than the {config.hands:,} asked for; "
            f"ask for more to go on with it."
        )
