"""The page on seeds and readings of "Poker-RNN": python benchmarks/poker_rnn_pages.py [FOLDER].

FOLDER has trials/records.jsonl and trials/maps.safetensors, as poker_rnn_trials.py leaves them in its OUT; the page
seeds.md and its pictures are written there. docs/results/poker_rnn unless another is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

from safetensors.numpy import load

from feint.papers.poker_rnn import limit_holdem
from feint.papers.poker_rnn_figures import draw_seeds
from feint.papers.poker_rnn_seeds import read_records, write_seeds_page
from feint.papers.poker_rnn_variants import LABELS, SEEDS
from feint.report.starting_hands import draw_heat_map
from feint.runs.files import write_whole


def main(folder: Path) -> None:
    records = read_records(folder / "trials" / "records.jsonl")
    write_whole(folder / "seeds.md", write_seeds_page(records).encode())
    draw_seeds([row for row in records if row.get("kind") == "published"], folder / "seeds-curves.png")
    maps, betting = load((folder / "trials" / "maps.safetensors").read_bytes()), limit_holdem()
    for agent, label in LABELS.items():
        if (values := maps.get(f"{agent}/published/{SEEDS[0]}/values")) is not None:
            title = f"{label}, seed {SEEDS[0]}: values"
            draw_heat_map(betting, values, folder / f"seeds-{agent}-values.png", title, "big blinds")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "results" / "poker_rnn")
