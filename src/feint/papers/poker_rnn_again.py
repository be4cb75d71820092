"""What was trained again of "Poker-RNN", where the networks of the first time are not kept, and its matches."""

from __future__ import annotations

from collections.abc import Sequence

from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_seeds import Record, over_seeds, played, published
from feint.papers.poker_rnn_variants import AGAIN, LABELS
from feint.papers.records import where
from feint.papers.trials import table

WON, LOST = "random", "bound"
"""What a match with random play and a bound are kept as."""


def again_section(records: Sequence[Record]) -> str:
    """Seeds beside those of the same number that were trained first, and their matches; empty where there are none."""
    rows = [row for row in records if row.get("kind") == AGAIN and played(row)]
    if not rows:
        return ""
    matches = again_table(records)
    others = sorted({row["won"][2] for row in records if row["trial"] == "cross" and AGAIN not in row})
    usual = f" (the others' have {' or '.join(f'{hands:,}' for hands in others)})" if others else ""
    told = f"\n\nTheir matches, each with as many hands as it says{usual}:\n\n{matches}" if matches else ""
    return f"## The linear agent, trained again\n\n{_WORDS}\n\n{where(rows, _trial)}\n\n{both_table(records)}{told}"


def _trial(row: Record) -> str:
    return str(row["trial"])


def both_table(records: Sequence[Record]) -> str:
    """Every seed that was trained again, and the one of the same number before; then what all seeds come to."""
    rows: list[list[str]] = []
    for agent, label in LABELS.items():
        mine = [row for row in records if (row.get("kind"), row.get("agent")) == (AGAIN, agent) and played(row)]
        first = [row for row in published(records) if row["agent"] == agent]
        for row in mine:
            (before,) = (each for each in first if each["seed"] == row["seed"])
            came = [f"{played(row):,.0f}", f"{row['step']:,}"]
            rows.append(
                [label, str(row["seed"]), *came, *(_of(each, name) for name in (WON, LOST) for each in (row, before))]
            )
        if len(mine) > 1:
            all_ = [str(over_seeds(each[name][0] for each in some)) for name in (WON, LOST) for some in (mine, first)]
            rows.append([label, f"all {len(mine)}", "", "", *all_])
    heads = (f"{what}{when}" for what in ("won off random play", "lost at least") for when in ("", ", before"))
    return table(["agent", "seed", "hands", "steps", *heads], rows)


def _of(row: Record, name: str) -> str:
    return str(Estimate(*row[name][:2])) if name in row else "–"


def again_table(records: Sequence[Record]) -> str:
    """The matches of those that were trained again, with others of the same number; empty where there are none."""
    rows = []
    for row in records:
        if row["trial"] == "cross" and AGAIN in row:
            names = [str(LABELS.get(row[name], row[name])) for name in ("one", "other")]
            rows.append([str(row["seed"]), *names, f"{row['won'][2]:,}", str(Estimate(*row["won"][:2]))])
    return table(["seed", "agent", "against", "hands", "won by the agent"], rows) if rows else ""


_WORDS = """Of what was trained first, networks that play are kept of RNFSP alone
([there](trials/networks/rnfsp-published.safetensors), with half their digits), so no other agent of this page could be
matched with it. The linear agent was therefore trained again, by the same settings and from the same numbers as seeds,
but on another machine and with another version of JAX, where it comes to other networks: these are other seeds'
trainings of the same settings, on a processor ([their networks](trials/networks/linear-q-again.safetensors)). Where a
claim below needs a match that the first ones did not play, it has this one's, and says so."""
