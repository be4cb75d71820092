"""The page on seeds and readings of "Poker-RNN": its tables, and what it says of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load

from feint.papers.poker_rnn_again import again_section
from feint.papers.poker_rnn_answers import jacks, luck_of_points, noisier, targets, two_matches
from feint.papers.poker_rnn_claims import OURS, THEIRS
from feint.papers.poker_rnn_figures import draw_seeds
from feint.papers.poker_rnn_hands import Estimate, connected, sense
from feint.papers.poker_rnn_searchers import search_section
from feint.papers.poker_rnn_seeds import (
    MORE,
    Record,
    Seed,
    cell,
    claims_table,
    over_seeds,
    played,
    published,
    read_records,
    reproduced,
    seeds_of,
)
from feint.papers.poker_rnn_stages import PUBLISHED, limit_holdem
from feint.papers.poker_rnn_updates import updates_section
from feint.papers.poker_rnn_variants import AGAIN, BASE, LABELS, PAPERS_HANDS, SEEDS, TRIALS, WORDS
from feint.papers.records import where
from feint.papers.trials import table
from feint.report.starting_hands import draw_heat_map
from feint.runs.files import write_whole

TRIALS_FOLDER = "trials"
"""In the folder of the reproduction: what benchmarks/poker_rnn_trials.py left."""
SHOWN = ("dqn", "drqn")
"""The agents whose values are worth a picture: what NFSP's networks say of all hands is the same."""


def write_seeds(folder: Path) -> None:
    """The page, its pictures and what starting hands are worth as numbers, from the records beside a reproduction."""
    trials = folder / TRIALS_FOLDER
    records = read_records(trials)
    write_whole(folder / "seeds.md", write_seeds_page(records, reproduced(folder / PUBLISHED.name)).encode())
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


def lengths(records: Sequence[Record]) -> str:
    """How far the seeds of each agent came, in a sentence."""
    told = []
    for agent, label in LABELS.items():
        hands = [played(row) for row in published(records) if row["agent"] == agent]
        if hands:
            told.append(f"{label} {min(hands):,.0f} to {max(hands):,.0f} ({len(hands)} seeds)")
    return f"Hands of each seed: {', '.join(told)}."


def published_table(records: Sequence[Record]) -> str:
    """Every agent and seed as far as it came, and what its seeds say together."""
    rows, names = [], ("random", "bound")
    for agent, label in LABELS.items():
        lanes = [row for row in published(records) if row["agent"] == agent]
        for row in lanes:
            share = min(100, int(100 * played(row) / PAPERS_HANDS))
            found = [str(Estimate(*row[name][:2])) if name in row else "–" for name in names]
            about = [f"{played(row):,.0f}", f"{share}%", f"{row['step']:,}"]
            rows.append([label, str(row["seed"]), *about, *found, f"{row['seconds'] / 60:.1f} min"])
        if len(lanes) > 1:
            rows.append([label, f"all {len(lanes)}", "", "", "", *(cell(lanes, name) for name in names), ""])
    head = ["agent", "seed", "hands", "of the paper's", "steps", "won off random play", "lost at least"]
    return table([*head, "time of all seeds together"], rows)


def statistics(records: Sequence[Record]) -> list[dict[str, Any]]:
    """What each agent and seed makes of starting hands, in numbers (big blinds, and a rank correlation)."""
    found = []
    for row in published(records):
        if "chart" in row:
            chart = np.array(row["chart"])
            seen, in_a_row = sense(chart), connected(chart)
            found.append(
                {
                    "agent": row["agent"],
                    "seed": row["seed"],
                    "hands": played(row),
                    "pairs": [round(each, 4) for each in seen.pairs],
                    "high": round(seen.high, 4),
                    "suited": [round(each, 4) for each in seen.suited],
                    "spread": round(seen.spread, 4),
                    "in_a_row": [round(each, 4) for each in in_a_row],
                }
            )
    return found


def statistics_table(found: Sequence[Record]) -> str:
    rows = [
        [
            LABELS[each["agent"]],
            str(each["seed"]),
            f"{each['hands']:,.0f}",
            "{:+.2f} ± {:.2f}".format(*each["pairs"]),
            f"{each['high']:.2f}",
            "{:+.3f} ± {:.3f}".format(*each["suited"]),
            "{:+.2f} ± {:.2f}".format(*each["in_a_row"]),
            f"{each['spread']:.3f}",
        ]
        for each in found
    ]
    head = ["agent", "seed", "hands", "a pair over its card with another", "rank correlation with the cards' height"]
    return table([*head, "one suit over two", "two in a row over two as high", "the best hand over the worst"], rows)


def tried(records: Sequence[Record]) -> dict[tuple[str, str, str], list[Record]]:
    """The lanes of every reading that have played at all, by agent, trial and words."""
    groups: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for row in records:
        if row.get("kind") in ("readings", *WORDS) and played(row):
            words = row["variant"] if row["kind"] == "readings" else WORDS[row["kind"]]
            groups[row["agent"], row["trial"], words].append(row)
    return groups


def readings_table(records: Sequence[Record]) -> str:
    """Every reading of every agent: what it wins off random play, loses at least, and wins off the base."""
    rows = []
    for (agent, trial, words), lanes in tried(records).items():
        last = [lane["curve"][-1] for lane in lanes]
        died = sum(map(_dead, lanes))
        high = over_seeds(sense(np.array(lane["chart"])).high for lane in lanes if "chart" in lane)
        asked, steps = TRIALS[trial.replace(" ", "-")].steps or 0, last[0]["step"]
        rows.append(
            [
                LABELS[agent],
                words,
                str(len(lanes)),
                f"{np.mean([row['hands'] for row in last]):,.0f}",
                f"{steps:,.0f}" + (f" of {asked:,}" if steps < asked else ""),
                *(cell(lanes, name) for name in ("random", "bound", "base")),
                f"{high.value:.2f} ± {high.reach:.2f}",
                str(died),
            ]
        )
    heads = ["agent", "reading", "seeds", "hands", "steps", "won off random play", "lost at least", f"won off “{BASE}”"]
    return table([*heads, "rank correlation", "seeds whose values died"], rows)


def differing(records: Sequence[Record]) -> str:
    """Which readings win or lose against the settings as published by more than seeds differ, in a sentence."""
    told, compared = [], 0
    for (agent, _, words), lanes in tried(records).items():
        if not (known := [lane["base"][0] for lane in lanes if "base" in lane]):
            continue
        won, compared = over_seeds(known), compared + 1
        if abs(won.value) > won.reach:
            told.append(f"{LABELS[agent]} with {words} ({won} mbb/h)")
    found = f"these do: {', '.join(told)}." if told else "none does."
    return (
        f"Which of them wins or loses against “{BASE}” by more than three seeds differ: {found} (Of {compared} such "
        f"comparisons at 95% luck alone would tell some {compared / 20:.0f} apart.)"
    )


def died(records: Sequence[Record]) -> str:
    """Where networks of values died and where not, of agents of which some did, in a sentence."""
    lanes = {key: list(map(_dead, found)) for key, found in tried(records).items()}
    told = []
    for agent, label in LABELS.items():
        own = {words: dead for (name, _, words), dead in lanes.items() if name == agent}
        if any(map(any, own.values())):
            alive = ", ".join(f"“{words}”" for words, dead in own.items() if not any(dead))
            count = f"of {label} in {sum(map(all, own.values()))} of {len(own)} readings"
            told.append(f"{count}, and in no seed with {alive or 'any'}")
    return f"Values died in all seeds {'; '.join(told)}." if told else "Nowhere did values die."


def _dead(lane: Record) -> bool:
    """Whether a seat's values are the same in all situations, or the dealer's with all starting hands.

    (The first misses those with four actions: calls and checks, which are answers of their own, were compared there.)
    """
    return lane["curve"][-1]["value_spread"] == 0 or bool(np.ptp(lane.get("chart", [1.0, 0.0])) == 0)


def not_tried(records: Sequence[Record]) -> str:
    """The trials that had no time yet."""
    known = {row["trial"].replace(" ", "-") for row in records if row.get("kind") and played(row)}
    return ", ".join(f"`{name}`" for name in TRIALS if name not in known)


def _told(row: Record) -> str:
    """What was made, as its makers are told of."""
    return f"{row['trial']}, trained {AGAIN}, seed {row['seed']}" if AGAIN in row else str(row["trial"])


def write_seeds_page(records: Sequence[Record], first: Seed | None = None) -> str:
    """The page; what is not known yet is left out. `first` is the reproduction's own seed."""
    seeds, parts = seeds_of(records), [_HEAD]
    if seeds:
        found = statistics(records)
        parts.append(f"## How far each came\n\n{lengths(records)} {_SHORT}\n\n{published_table(records)}\n\n{_CURVES}")
        parts += filter(None, (two_matches(records), luck_of_points(records, first), again_section(records)))
        parts.append(f"## Starting hands\n\n{_HANDS}\n\n{statistics_table(found)}\n\n{jacks()}\n\n{_MAPS}")
        known = [first, *seeds] if first else seeds
        again, more = claims_table((*THEIRS, *OURS), known), claims_table(MORE, known)
        parts.append(f"## Claims of the reproduction, by all seeds\n\n{again}")
        parts.append(f"## Claims that the reproduction leaves out\n\n{more}\n\n{_RULES}")
    if tried(records):
        words, left = f"{differing(records)} {died(records)}", not_tried(records)
        words = "\n\n".join([words, *filter(None, (noisier(records), targets(records)))])
        words += f"\n\nNot tried yet: {left}." if left else ""
        words += f"\n\n{often}" if (often := updates_section(records)) else ""
        parts.append(f"## Read otherwise\n\n{_READINGS}\n\n{readings_table(records)}\n\n{words}")
    parts += filter(None, [search_section(records)])
    made = where(records, _told)
    return "\n\n".join([*parts, f"## Made by\n\n{made}\n\n{_MADE}"]) + "\n"


_HEAD = """# Five learners of limit hold'em: seeds and readings

What [the reproduction](README.md) of "Poker-RNN" leaves open: what other seeds learn, and what the paper's settings do
where they are read otherwise. Winnings are in mbb/h. *Lost at least* is what a local best response wins: a lower bound
on exploitability. Seed 0 is the reproduction's own, with a million hands of each agent."""
_SHORT = """RNFSP, the slowest, had an accelerator to itself; the others shared one with each other and with readings.
Below the paper's million hands a row says what is so at its own length, and no more."""
_CURVES = """Intervals in rows of one seed are about luck with the cards (95%); those of *all* are about what another
seed would have learned, and wide with three.

![learning curves of all seeds](seeds-curves.png)"""
_HANDS = """What value networks make of the first two cards before the opening move, in big blinds
([as numbers](trials/starting_hands.json)). *Two in a row over two as high* compares QJ with KT, JT with Q9 and so on.
Where the best hand is worth as much as the worst, the network has died: it no longer sees its cards."""
_MAPS = """The recurrent DQN's values of every two cards, which the paper does not show, and the plain one's:

![DRQN's values of two cards](seeds-drqn-values.png)
![DQN's values of two cards](seeds-dqn-values.png)"""
_RULES = """A claim is decided where all seeds that answer it at the paper's length say the same, three at least, each
by the rules of [the reproduction](README.md): one that says otherwise leaves it undecided. *Fewest hands* are those of
the agents that a claim is about. Of seed 0 no values are kept, but of three agents what they come to by the
reproduction's measures. Hands as high but further apart: KT for QJ, Q9 for JT. A pattern is clearer at a rank
correlation 0.1 higher. A curve rises before it swings if on its way to 80% of its best it falls at most half as far
as it does later. Peaks are compared as far as both curves go."""
_READINGS = """The paper's settings, one of them read or set otherwise at a time: three seeds each, and intervals over
these. It is a first look: readings are trained for as many steps as the table says, which are fewer hands than the
paper's million. *Won off “as published”* is a match with the settings as we read them, of the
same seed. Where the rules are RLCard's, random play and bounds are of RLCard's game, too: the two games stand side by
side, and nobody who was trained in one was matched in the other. DQN as published has a new target every 300 moves,
which is every 30 updates. *A tenth of the hands at random* are the noisier memories that the paper suggests, for NFSP
above all. RNFSP, which takes longest, was spared other targets and rates ten times as high."""
_MADE = """Strategies are too large to keep all of them here; these commands train them again, and on another machine
they differ by rounding:

- The ten agents of [the reproduction](README.md), seed 0: `python benchmarks/poker_rnn_device.py FOLDER`, or
  `feint reproduce poker-rnn` for one after the other; each is a run in FOLDER/as-published or FOLDER/large.
- The agents of this page: `python benchmarks/poker_rnn_trials.py OUT --state FOLDER --seconds 1330 --judging 110
  --gpu 4 --cpu 0 nfsp/published drqn/published dqn/published linear-q/published`, then `cross` in place of these, and
  in like manner the readings, `nfsp/readings` and so on. The same command once more goes on with published agents
  that were cut off, up to a million hands. They shared the card by NVIDIA's MPS (`nvidia-cuda-mps-control -d`).
  Networks of all seeds are in FOLDER/networks, those that play of seed 1 in OUT.
- RNFSP, alone on a card: `python benchmarks/poker_rnn_trials.py OUT --state FOLDER --seconds 1415 --judging 95 --gpu 1
  --cpu 0 rnfsp/published --seeds 1 2`, with `XLA_FLAGS` as [the page on devices](../../guides/devices.md) has them for
  recurrent learners. Those that play are kept in trials/networks, so that the others can be matched with them by
  `cross`, with FOLDER/networks/rnfsp-published.safetensors a copy.
- The linear agent again, on a processor: `python benchmarks/poker_rnn_trials.py OUT --state FOLDER --seconds 1500
  --judging 250 --gpu 1 --cpu 1 linear-q/again`. Its networks are kept in trials/networks too; with a copy of RNFSP's
  in FOLDER/networks, and of RNFSP's records in FOLDER/records, `cross/linear-q` in place of linear-q/again has the two
  meet, and with `--matches 65536 --seeds 2` those of one seed for fewer hands.
- How often it updates: the same with `linear-q/an-update-every-move linear-q/an-update-every-10-moves
  linear-q/an-update-every-100-moves`, and so with dqn and drqn for linear-q.
- Matches with searchers: `python benchmarks/poker_rnn_trials.py OUT --state FOLDER --seconds 1500 --gpu 0 --cpu 1
  --simulations 100 --hands 300 mcts/linear-q mcts/dqn mcts/drqn mcts/nfsp mcts/rnfsp`.
- This page: `python benchmarks/poker_rnn_pages.py`, of [the records](trials/records.jsonl) and
  [matches](trials/matches.jsonl), with `--new OUT` where OUT has more. `feint reproduce poker-rnn` makes it too, where
  its folder has trials/ and all that the ten agents come to, strategies included."""
