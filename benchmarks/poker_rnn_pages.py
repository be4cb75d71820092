"""The page on seeds and readings of "Poker-RNN": python benchmarks/poker_rnn_pages.py [FOLDER].

FOLDER has trials/*.jsonl and trials/maps.safetensors, as poker_rnn_trials.py leaves them in its OUT, and as-published/,
the reproduction's own runs; the page seeds.md, its pictures and trials/starting_hands.json are written there.
docs/results/poker_rnn unless another is given.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from feint.papers.poker_rnn import limit_holdem
from feint.papers.poker_rnn_figures import draw_seeds
from feint.papers.poker_rnn_seeds import played, published, read_records, reproduced
from feint.papers.poker_rnn_seeds_page import statistics, write_seeds_page
from feint.papers.poker_rnn_variants import LABELS, SEEDS
from feint.report.starting_hands import draw_heat_map
from feint.runs.files import write_whole

SHOWN = ("dqn", "drqn")
"""The agents whose values are worth a picture: what NFSP's networks say of all hands is the same."""


def main(folder: Path) -> None:
    trials = folder / "trials"
    records = read_records(trials)
    write_whole(folder / "seeds.md", write_seeds_page(records, reproduced(folder / "as-published")).encode())
    numbers = ",\n".join(json.dumps(each) for each in statistics(records))
    write_whole(trials / "starting_hands.json", f"[\n{numbers}\n]\n".encode())
    draw_seeds(published(records), folder / "seeds-curves.png")
    maps, betting = load((trials / "maps.safetensors").read_bytes()), limit_holdem()
    for row in published(records):
        agent = row["agent"]
        if agent in SHOWN and row["seed"] == SEEDS[0]:
            values = np.asarray(maps[f"{row['trial']}/{row['seed']}/values"])
            title = f"{LABELS[agent]}, seed {row['seed']}, {played(row):,.0f} hands: values"
            draw_heat_map(betting, values, folder / f"seeds-{agent}-values.png", title, "big blinds")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "results" / "poker_rnn")
