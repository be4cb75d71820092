"""The page on seeds and readings of "Poker-RNN": python benchmarks/poker_rnn_pages.py [FOLDER] [--new OUT].

FOLDER has trials/*.jsonl and trials/maps.safetensors, as poker_rnn_trials.py leaves them in its OUT, and as-published/,
the reproduction's own runs; the page seeds.md, its pictures and trials/starting_hands.json are written there.
docs/results/poker_rnn unless another is given. What a later OUT says of the same trials takes the place of what is
there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from safetensors.numpy import load, save

from feint.papers.poker_rnn_seeds_page import TRIALS_FOLDER, write_seeds
from feint.papers.poker_rnn_variants import AGAIN
from feint.runs.files import write_whole


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parents[1] / "docs/results/poker_rnn")
    asked.add_argument("--new", type=Path, help="where poker_rnn_trials.py left more")
    args = asked.parse_args()
    if args.new:
        renew(args.folder / TRIALS_FOLDER, args.new)
    write_seeds(args.folder)


def renew(trials: Path, new: Path) -> None:
    """Trials, seeds and matches as a later program has them, each in its old place; those that are new at the end.

    Matches with searchers are those of the later program alone, where it has any of an agent.
    """
    lines = {_about(line): line for line in (new / "records.jsonl").read_text().splitlines()}
    searched = {about: lines.pop(about) for about in list(lines) if about[0].startswith("mcts/")}
    agents, path = {about[0] for about in searched}, trials / "matches.jsonl"
    kept = [line for line in path.read_text().splitlines() if _about(line)[0] not in agents]
    _write(path, [*kept, *searched.values()])
    path = trials / "records.jsonl"
    kept = [lines.pop(_about(line), line) for line in path.read_text().splitlines()]
    _write(path, [*kept, *lines.values()])
    if (maps := new / "maps.safetensors").is_file():
        both = [load(file.read_bytes()) for file in (trials / "maps.safetensors", maps)]
        write_whole(trials / "maps.safetensors", save(both[0] | both[1]))


def _write(path: Path, lines: list[str]) -> None:
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def _about(line: str) -> tuple[Any, ...]:
    """What a record is of."""
    row = json.loads(line)
    names = ("trial", "variant", "seed", "one", "other", "simulations")
    return (*(row.get(name) for name in names), *row.get(AGAIN, ()))


if __name__ == "__main__":
    main()
