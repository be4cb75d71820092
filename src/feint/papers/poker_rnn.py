"""Five learners of limit hold'em: Venkateswaran, Shaikh and Kuriksha, "Poker-RNN" (2020).

Linear Q-learning, deep Q-learning, neural fictitious self-play and the recurrent kinds of the last two, each taught by
playing itself: with the paper's settings for as many hands as in the paper, and with ours for a hundred times as many.
Their learning curves, what they think of their starting hands, what they win off each other, and what the paper could
not say: how much each loses at least to an opponent who knows it. Every claim is answered from these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from feint.arena.betting import BettingTree
from feint.evaluate.share_found import share_found
from feint.papers.poker_rnn_claims import OURS, THEIRS, Claim, answer
from feint.papers.poker_rnn_figures import draw_cross, draw_curves, draw_starting_hands
from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_judge import AGENTS, RANDOM, SENSE, VALUED, Judge, Judged, OnLeduc, on_leduc
from feint.papers.poker_rnn_seeds_page import TRIALS_FOLDER, write_seeds
from feint.papers.poker_rnn_stages import GAME, JUDGED, LARGE, PUBLISHED, QUICK, Stage, limit_holdem
from feint.papers.records import Records, Row, where
from feint.papers.trials import Trial, provenance, table, trained
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.run import Run

TITLE = "Five learners of limit hold'em"
LEDUC = "leduc.jsonl"
"""In the folder of the reproduction: what is known exactly of Leduc."""
ROUNDED = ", from the page"
"""Ends what is noted of numbers that were read off an earlier page, rounded as it had them."""
SENSES = (
    "a pair over its card with another",
    "rank correlation with the cards' height",
    "one suit over two",
    "the best hand over the worst",
)


SEEDS = """
What other seeds learn, settings read otherwise, matches with players who search, and how to train these agents again:
[seeds and readings](seeds.md).
"""


class Played(NamedTuple):
    """A stage, its runs by the agents' names, and what they came to."""

    stage: Stage
    runs: Mapping[str, Run]
    judged: Judged
    rows: Sequence[Row]
    """Its matches and bounds as they were noted."""


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Train and judge what `out` does not hold yet, draw the figures and write the report, again after each stage."""
    betting, leduc = limit_holdem(), OnLeduc(*Records(out / LEDUC).note("won off random play", on_leduc))
    page, done = out / "README.md", list[Played]()
    for stage in (QUICK,) if quick else (PUBLISHED, LARGE):
        done.append(play_stage(stage, out, betting, watch))
        write_whole(page, write_page(done, leduc, out).encode())
    if (out / TRIALS_FOLDER).is_dir():
        write_seeds(out)
    return page


def play_stage(stage: Stage, out: Path, betting: BettingTree, watch: Callable[[str], Watcher]) -> Played:
    """Train all agents of a stage, judge them and draw its figures, as far as that is not done yet."""
    runs = {name: train_agent(stage, name, out, watch) for name in AGENTS}
    with watch(stage.title) as watcher:
        records = Records(out / stage.name / JUDGED)
        judged = Judge(betting, records, watcher.stage, stage.matches, stage.bounds)(runs)
        watcher.stage("drawing")
        draw(out, stage, runs, judged, betting)
    return Played(stage, runs, judged, records.rows)


def train_agent(stage: Stage, name: str, out: Path, watch: Callable[[str], Watcher]) -> Run:
    """One agent's run, made or read back; agents may also be trained side by side, before the report is written."""
    title = f"{AGENTS[name]}, {stage.title}"
    path, settings = out / stage.name / name, stage.settings.get(name, {})
    trial = Trial(path, title, name, GAME, stage.preset, settings, hands=stage.hands)
    number = f"{list(AGENTS).index(name) + 1}/{len(AGENTS)}"
    return trained(trial, watch(f"{number} {title}"))


def draw(out: Path, stage: Stage, runs: Mapping[str, Run], judged: Judged, betting: BettingTree) -> None:
    """A stage's figures, named after it."""
    draw_curves(judged.curves, out / f"{stage.name}-curves.png")
    title = f"Winnings over {stage.matches[1]:,} hands, {stage.title}"
    draw_cross(judged.cross, out / f"{stage.name}-cross.png", title)
    for name in VALUED:
        draw_starting_hands(runs[name], betting, AGENTS[name], out / f"{stage.name}-{name}")


def write_page(played: Sequence[Played], leduc: OnLeduc, out: Path) -> str:
    """The report on the stages so far, with a link to the page of other seeds where `out` has what that is made of."""
    stages = "\n".join(f"- **{each.stage.title.capitalize()}**: {each.stage.words}." for each in played)
    titles = [each.stage.title for each in played]
    standing = [
        [label, *(str(cell) for each in played for cell in (each.judged.cross[name, RANDOM], each.judged.bounds[name]))]
        for name, label in AGENTS.items()
    ]
    standing.append(["raising at every turn", *(str(cell) for each in played for cell in each.judged.raising)])
    heads = [f"{title}: {what}" for title in titles for what in ("won off random play", "lost at least")]
    runs = {f"{AGENTS[name]}, {each.stage.title}": run for each in played for name, run in each.runs.items()}
    return f"""# {TITLE}

After "Poker-RNN: Playing Limit Hold-Em with Recurrent Networks" (Venkateswaran, Shaikh and Kuriksha, 2020).
{provenance(runs.items())}
Matches, bounds and what values say of starting hands: {_noted(played)}

Each agent learns by playing itself, one seed of each: intervals are about luck with the cards (95%), not about what
another seed would have learned. The game is heads-up limit hold'em with the rules of the computer poker competition;
the paper's environment lets the wrong player begin after the flop. Winnings are in thousandths of a big blind per hand
(mbb/h), over deals that are played from both seats.

{stages}

## Where the five stand

In mbb/h. *Lost at least* is what a local best response wins off the agent: a lower bound on its exploitability, and no
more than that. Always folding loses 750. {share_found("local")}

{table(["agent", *heads], standing)}

Self-play asks an agent to do well against itself and never to win the most off random play, which calls and folds with
anything: raising at every turn, whatever the cards, wins plenty there, and loses plenty to an opponent who knows of it.
So winnings off random play can fall while play gets better, and only the second number tells. {_leduc(leduc)}

## The paper's claims

{_claims(THEIRS, played)}

A number is above or below another where its 95% interval is, and else nothing is decided. *Swing* is how far an
evaluation lies off the line between its neighbours, from a tenth of the hands on; a curve swings more at twice the
other's swing. An agent is slower that takes twice the hands, from its first update on, to half of what both win at
their best, for three evaluations in a row and not within a hundred updates. A rank correlation of 0.5 is a clear
pattern, and suits show from 0.1 BB on. What a pair is worth is compared with the same card beside another, what a suit
is worth with the same ranks in two suits.

## Ours

{_claims(OURS, played)}

Two orders differ where more pairs of agents stand the other way round than the same way, of those pairs in which both
differences are larger than luck; where as many stand one way as the other, nothing is decided.

{chr(10).join(_stage_page(each) for each in played)}
Made by `feint reproduce poker-rnn{" --quick" if played[0].stage is QUICK else ""}`.
{SEEDS if (out / TRIALS_FOLDER).is_dir() else ""}"""


def _noted(played: Sequence[Played]) -> str:
    """Where matches, bounds and starting hands were judged, and which numbers are no finer than a page had them."""
    rows = [row | {"stage": each.stage.title} for each in played for row in each.rows]
    made = where(
        (row for row in rows if not row["what"].endswith(ROUNDED)), lambda row: f"{row['what']}, {row['stage']}"
    )
    rounded = [row for row in rows if row["what"].endswith(ROUNDED)]
    if not rounded:
        return made
    agents = dict.fromkeys(AGENTS[row["what"].removeprefix(SENSE).removesuffix(ROUNDED)] for row in rounded)
    stages = dict.fromkeys(row["stage"] for row in rounded)
    words = (
        f"Only the numbers of starting hands are rounded (of {_listed(agents)}, {_listed(stages)}): they stand as this "
        f"page had them before such numbers were noted."
    )
    return f"{made}\n{fill(words, 120)}"


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _leduc(leduc: OnLeduc) -> str:
    """The same where it is exact."""
    return (
        f"On Leduc, where all of it is exact, one equilibrium wins {leduc.equilibrium:.2f} antes a hand off random "
        f"play and raising at every turn {leduc.raising:.2f}, of the {leduc.most:.2f} that can be won; and raising at "
        f"every turn loses {leduc.lost:.2f} to those who know of it."
    )


def _claims(claims: Sequence[Claim], played: Sequence[Played]) -> str:
    rows = []
    for claim in claims:
        found = [answer(claim, each.judged) for each in played]
        rows.append([claim.words, *(f"**{each.verdict}**: {each.measured}" for each in found)])
    return table(["claim", *(each.stage.title for each in played)], rows)


def _stage_page(played: Played) -> str:
    stage, judged = played.stage, played.judged
    shown = "\n".join(
        f"![{AGENTS[name]}'s {what}]({stage.name}-{name}-{what}.png)" for name in VALUED for what in ("values", "chart")
    )
    made = [[AGENTS[name], *_effort(run)] for name, run in played.runs.items()]
    senses = [
        [
            AGENTS[name],
            f"{pairs.value:+.2f} ± {pairs.reach:.2f}",
            f"{high:.2f}",
            f"{suit.value:+.3f} ± {suit.reach:.3f}",
            f"{spread:.3f}",
        ]
        for name, (pairs, high, suit, spread) in judged.sense.items()
    ]
    short, long = (_cross_page(won) for won in (judged.short, judged.cross))
    return f"""## {stage.title.capitalize()}

{table(["agent", "hands", "moves", "updates", "time", "hands a second"], made)}

{_times(played.runs)}

![learning curves]({stage.name}-curves.png)

What the agent of each row wins off that of each column, in mbb/h, over {stage.matches[1]:,} hands:

{long}

![cross table]({stage.name}-cross.png)

And over the first {stage.matches[0]:,} of them{", as many as in the paper" if stage.matches[0] == 10_000 else ""}:

{short}

What the value networks make of the first two cards, before the opening move, in big blinds:

{table(["agent", *SENSES], senses)}

{shown}
"""


def _times(runs: Mapping[str, Run]) -> str:
    """What the paper says of how long training took, which these times do not decide."""
    longest = max(runs, key=lambda name: float(runs[name].timings[-1]["seconds"]))
    nfsp, dqn, most = (_effort(runs[name])[3] for name in ("nfsp", "dqn", longest))
    words = (
        f"Time is that of playing and learning, without compilation and evaluations. The paper says that NFSP took "
        f"longer to train than DQN (here {nfsp} against {dqn}), and RNFSP longest (here {AGENTS[longest]}: {most}). "
        "That is **not decided** by these times: the agents may have shared the machine, and which did when is not "
        "noted."
    )
    return fill(words, 120)


def _effort(run: Run) -> list[str]:
    last, seconds = run.metrics[-1], run.timings[-1]["seconds"]
    numbers = [f"{last[name]:,.0f}" for name in ("hands", "decisions", "updates")]
    time = f"{seconds / 60:,.1f} min" if seconds >= 60 else f"{seconds:.1f} s"
    return [*numbers, time, f"{last['hands'] / max(seconds, 1e-9):,.0f}"]


def _cross_page(won: Mapping[tuple[str, str], Estimate]) -> str:
    labels = AGENTS | {RANDOM: RANDOM}
    rows = [
        [label, *("0" if name == other else str(won[name, other]) for other in labels)]
        for name, label in labels.items()
    ]
    return table(["", *labels.values()], rows)
