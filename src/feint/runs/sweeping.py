"""Trials of a sweep trained: one after another here, in several processes, or on the machines of a Ray cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from signal import SIGINT

from feint.games.errors import BadInput, RunStopped
from feint.runs.signals import listening
from feint.runs.sweep import Sweep, Trial, begin, result, write_results

TRIES = 3
"""How often a trial is begun again or gone on with after its process died."""

SIGNALLED = 128
"""From this exit code on, a run stopped because somebody asked it to."""

Outcome = tuple[Trial, str | None]
"""A trial that is over, and why it failed; None where it did not."""


def run_sweep(
    sweep: Sweep,
    folder: Path,
    workers: int = 1,
    ray: str | None = None,
    told: Callable[[Outcome, int], None] | None = None,
) -> dict[str, str]:
    """Train all trials that are not done yet; those that failed, and why. `told` of each, and how many are left.

    With `ray`, the address of a cluster or "local" for one on this machine, trials are trained there.
    """
    if workers < 1:
        raise BadInput(f"A sweep has 1 worker or more, but {workers} were given.")
    begin(sweep, folder)
    # Each is read once: looking at all of them after every one would take longest in large sweeps.
    known = {trial.name: result(trial, folder) for trial in sweep.trials}
    left = [trial for trial in sweep.trials if known[trial.name] is None]
    failed = dict[str, str]()
    outcomes = _on_ray(left, folder, ray) if ray else _in_processes(left, folder, workers) if workers > 1 else None
    waiting = len(left)
    for trial, why in outcomes or _here(left, folder):
        waiting -= 1
        if why is not None:
            failed[trial.name] = why
        if told:
            told((trial, why), waiting)
        known[trial.name] = result(trial, folder)
        write_results(known.values(), folder)
    write_results(known.values(), folder)
    return failed


def trained(trial: Trial, folder: Path) -> str | None:
    """Train a trial; why it failed, in a sentence, or None."""
    why = None
    with listening() as signals:
        try:
            trial.train(folder)
        except BadInput as error:
            why = str(error)
        except RunStopped as error:
            if error.code >= SIGNALLED:  # somebody wants the sweep to end, not this trial
                raise
            why = str(error)
    done = why is None and trial.done(folder)
    if signals.caught or not (done or why):  # a trial may have been over but for its files when it was caught
        raise RunStopped(
            f"Stopped {'after' if done else 'in'} {trial.name}; the same command goes on with the sweep.",
            SIGNALLED + (signals.caught or SIGINT),
        )
    return why


def _here(trials: Sequence[Trial], folder: Path) -> Iterator[Outcome]:
    for trial in trials:
        yield trial, trained(trial, folder / trial.name)


def _in_processes(trials: Sequence[Trial], folder: Path, workers: int) -> Iterator[Outcome]:
    """Several at once; where a process dies, all that were not over are gone on with by others."""
    left, died = {trial.name: trial for trial in trials}, 0
    while left:
        # Not forked: compiled code and its threads do not survive that.
        with ProcessPoolExecutor(min(workers, len(left)), multiprocessing.get_context("spawn")) as pool:
            asked = {pool.submit(trained, trial, folder / trial.name): trial for trial in left.values()}
            try:
                for future in as_completed(asked):
                    why = future.result()
                    yield left.pop(asked[future].name), why
            except BrokenProcessPool as error:
                died += 1
                if died >= TRIES:
                    raise RunStopped(
                        f"A process of the sweep died {TRIES} times, for want of memory perhaps; the same command goes "
                        f"on with it, and fewer --workers need less."
                    ) from error
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _on_ray(trials: Sequence[Trial], folder: Path, address: str) -> Iterator[Outcome]:
    from feint.runs.on_ray import train_all

    yield from train_all(trials, folder, address)
