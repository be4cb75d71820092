"""Sentences of pages with numbers in them, as the records have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from feint.evaluate.share_found import FOUND, LOST, share_found
from feint.public.room import COMPILING, TABLES
from page_records import ROOT, record, stages
from page_sentences_results import (
    device_sentences,
    holdem_sentences,
    leduc_sentences,
    seeds_of,
    thesis_sentences,
    time_to,
    turns_sentences,
)

README, RESULTS, DESIGN = "README.md", "docs/results/README.md", "docs/design.md"
LEARNERS = "docs/learners.md"
KUHN_FOLDER = "docs/results/kuhn_fictitious_play"
KUHN = f"{KUHN_FOLDER}/README.md"
MCCFR = "docs/algorithms/mccfr.md"
PUBLIC_TREES = "benchmarks/results/public_trees.md"
STOPS_NFSP = "benchmarks/results/flop_holdem_nfsp.md"
ERRORS = ("none", "seen", "lasting", "drifting", "apart", "even")
"""What values of best responses are wrong by, in the order of the page's columns."""
ON_A_CARD = {("dcfr", 100), ("dcfr", 200), ("dcfr", 300), ("pcfr+", 100), ("pcfr+", 300), ("linear-cfr", 50)}
"""Evaluations of flop hold'em on an accelerator that the page has."""


def sentences() -> dict[str, list[str]]:
    """What must be on each page, whatever its lines."""
    return {
        README: [*_races(), *_times(), *_hands(), *_bounds(), *_later()[:1], *_environments(), *_spots_in_short()],
        RESULTS: [
            *_quick(),
            *leduc_sentences(),
            *turns_sentences(),
            *thesis_sentences(),
            *device_sentences(),
            *holdem_sentences(),
        ],
        PUBLIC_TREES: [*_public_trees(), *_spots(), _memory()[1]],
        STOPS_NFSP: _errors(),
        DESIGN: _memory()[:1],
        LEARNERS: _later()[1:],
        KUHN: _kuhn(),
        MCCFR: _outcome_sampling(),
    }


def _quick() -> list[str]:
    """How long a look at each reproduction takes."""
    rows = sorted(record("docs/results/quick.jsonl"), key=lambda row: row["seconds"])
    told = [(row["paper"], row["seconds"]) for row in rows]
    each = [f"{paper} {f'{taken} s' if taken < 100 else f'{taken / 60:.1f} minutes'}" for paper, taken in told]
    return [f"{', '.join(each)}."]


def _races() -> list[str]:
    """The table of solvers, and what follows it."""
    rows = {(row["method"], row["game"]): row for row in record("benchmarks/results/solvers.json")["rows"]}
    games = {
        "Leduc, suits merged": "{}, 288",
        "Leduc, suits apart": "{}, suits apart, 936",
        "Liar's dice": "{}, 24,576",
    }
    lines = []
    for method, words in (("CFR+", "CFR+ iterations"), ("NashConv, one call", "NashConv, one call")):
        for game, label in games.items():
            row = rows[method, game]
            sets = " information sets" if (method, game) == ("CFR+", "Leduc, suits merged") else ""
            cells = [words, label.format(game.partition(",")[0]) + sets, _rate(row["rate"]["Feint"])]
            for peer in ("OpenSpiel C++", "OpenSpiel Python", "LiteEFG"):
                known = peer in row["ratio"]
                cells.append(f"{_rate(row['rate'][peer])} ({_times_as_fast(row['ratio'][peer])}×)" if known else "–")
            lines.append(f"| {' | '.join(cells)} |")
    kept = [row["ratio"]["LiteEFG"] for key, row in rows.items() if key[0] == "NashConv, tree kept"]
    return [*lines, f"compiled loop ours is {min(kept):.0f} to {max(kept):.0f} times LiteEFG's."]


def _outcome_sampling() -> list[str]:
    """Monte Carlo CFR beside OpenSpiel's, and beside full sweeps."""
    lines = []
    for row in record("benchmarks/results/outcome_sampling.jsonl"):
        rates, (_, long) = row["hands_a_second"], row["nearing"]
        ours, alone = rates["Feint"], rates["Feint, one table"]
        cells = [f"`{row['game']}`", f"{ours / 1e6:.1f} million", f"{alone:,.0f}"]
        cells += [f"{rates[peer]:,.0f} ({ours / rates[peer]:.0f}×)" for peer in ("OpenSpiel C++", "OpenSpiel Python")]
        swept, times = long["cfr+ seconds"], float(f"{long['seconds'] / long['cfr+ seconds']:.2g}")
        cells += [f"{long['exploitability']:.2g} in {long['seconds']:.1f} s"]
        cells += [f"{1e3 * swept:.2g} ms ({times:,.0f}×)"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2g}" if rate < 1 else f"{rate:.3g}"


def _times_as_fast(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _times() -> list[str]:
    """NFSP on Leduc: the steps of its seeds at the speed of one core, and what was timed on an accelerator."""
    rows = {row["method"]: row for row in record("benchmarks/results/learners.json")["rows"]}
    fast, paper, wide = (rows[f"NFSP, preset {name}"] for name in ("fast", "paper", "paper, 128 units"))
    curves, device = record("docs/results/leduc_nfsp/curves.json"), record("docs/results/nfsp_leduc_h200.json")

    def seconds(name: str, moves: int, row: dict[str, Any], bar: float) -> float:
        return _steps_to(curves[name], bar) * moves / float(row["rate"]["Feint"]["decisions"])

    quick = [seconds("fast", 1024, fast, bar) for bar in (0.1, 0.06, 0.03)]
    whole = curves["fast"]["step"][-1] * 1024 / fast["rate"]["Feint"]["decisions"]
    timed = [time_to(device["rows"], bar) for bar in (0.1, 0.06, 0.03)]
    last = device["rows"][-1]
    compiling = fast["compile_s"], device["compile_seconds"]
    ratios = [row["ratio"]["OpenSpiel NFSP"] for row in (paper, wide)]
    return [
        f"compilation takes another {compiling[0]:.0f} to {compiling[1]:.0f} seconds, once",
        f"| `feint train nfsp leduc`, one core, median of 3 seeds | {quick[0]:.1f} s | {quick[1]:.1f} s | "
        f"{quick[2]:.0f} s | {_median_at(curves['fast'], -1):.3f} after {whole:.0f} s |",
        f"one H200, median of 4 seeds | {timed[0]:.1f} s | {timed[1]:.1f} s | {timed[2]:.0f} s | "
        f"{np.median(last['seeds']):.4f} after {last['seconds']:.0f} s |",
        f"`feint train nfsp leduc --preset paper`, one core, median of 3 seeds | "
        f"{seconds('64-units', 128, paper, 0.1) / 60:.1f} min | | | {_median_at(curves['64-units'], -1):.3f} after 10⁶",
        f"that is {ratios[0]['decisions']:.0f} times OpenSpiel's NFSP in decisions a second and "
        f"{ratios[0]['updates']:.0f} times in updates, on one core ({ratios[1]['decisions']:.0f} and "
        f"{ratios[1]['updates']:.0f} times with 128 units",
    ]


def _steps_to(curve: dict[str, list[float]], bar: float) -> float:
    """The median of the steps by which seeds were first as good as this."""
    return float(np.median([curve["step"][int(np.argmax(values <= bar))] for values in seeds_of(curve)]))


def _median_at(curve: dict[str, list[float]], place: int) -> float:
    return float(np.median(seeds_of(curve)[:, place]))


def _hands() -> list[str]:
    """How fast hold'em is played, and flop hold'em solved."""
    rows = {row["method"]: row for row in record("benchmarks/results/hands.json")["rows"]}
    seven, play = rows["Seven-card hands"], rows["Random play of limit hold'em"]
    device = record("docs/results/holdem_h200.json")
    few, many = (next(row for row in _flop_holdem("NVIDIA H200") if row["step"] == step) for step in (200, 300))
    slow = [row for row in _flop_holdem("AMD EPYC") if row["algorithm"] == "dcfr"][-1]
    return [
        f"random play at {play['hands_a_second']['Feint'] / 1e6:.1f} million hands a second, "
        f"{play['ratio']['RLCard env.run']:.0f} times RLCard and {play['ratio']['OpenSpiel C++ states']:.0f} times "
        f"OpenSpiel's C++; {seven['hands_a_second']['Feint'] / 1e6:.0f} million seven-card hands ranked a second, "
        f"{seven['ratio']['eval7.evaluate']:.0f} times eval7 and "
        f"{seven['ratio']['phevaluator.evaluate_cards']:.0f} times phevaluator",
        f"On one H200: random play at {device['random play']['hands a second'] / 1e6:.0f} million hands a second, NFSP "
        f"(preset `large`) at {device['large/nfsp, seats at once']['decisions a second'] / 1e6:.1f} million decisions",
        f"discounted CFR takes {few['ms']:.1f} ms an iteration, an exact judgement {1000 * few['judged_s']:.0f} ms; "
        f"exploitability is {few['exploitability_mbb']:.2f} mbb/h after 200 iterations and {few['spent_s']:.1f} s, "
        f"{many['exploitability_mbb']:.2f} after 300",
        f"On two cores it is {slow['exploitability_mbb']:.2f} mbb/h after {_minutes(slow)}.",
    ]


def _flop_holdem(device: str) -> list[dict[str, Any]]:
    """Flop hold'em solved on a device, by discounted CFR first."""
    rows = record("benchmarks/results/public_trees.jsonl")
    return [row for row in rows if row["game"] == "flop_holdem" and row["made_with"][0].startswith(device)]


def _minutes(row: dict[str, Any]) -> str:
    return f"{row['spent_s'] / 60:.0f} minutes"


def _found(rows: Sequence[dict[str, Any]], algorithm: str, exact: bool) -> list[str]:
    asked = [row for row in rows if (row["algorithm"], row["exact"]) == (algorithm, exact)]
    return [f"{row['exploitability_mbb']:.4f}" for row in asked]


def _public_trees() -> list[str]:
    """The page on public trees: flop hold'em on an accelerator and on two cores, evaluation by evaluation."""
    cores, card = _flop_holdem("AMD EPYC"), _flop_holdem("NVIDIA H200")
    rows, others = ([row for row in cores if (row["algorithm"] == "dcfr") is of] for of in (True, False))
    conv = [2 * row["exploitability_mbb"] for row in others]
    last, small = rows[-1], [row for row in record("benchmarks/results/public_trees.jsonl") if "ranks=3" in row["game"]]
    assert last["exploitability_mbb"] < 1 < rows[-2]["exploitability_mbb"]
    return [
        *_on_a_card(card),
        f"**below 1 mbb/h after {last['step']} iterations and {_minutes(last)}**",
        *(f"| {row['step']} | {row['spent_s']:,.0f} | {row['exploitability_mbb']:.2f} |" for row in rows[:-1]),
        f"linear-cfr's NashConv is {_listed(f'{both:.1f}' for both in conv)} mbb/h after",
        f"{others[-1]['ms'] / 1000:.1f} s an iteration",
        *(
            f"| {row['algorithm']} | {row['step']} | {row['ms']:.2f} | {row['spent_s']:.2f} | "
            f"{row['exploitability_mbb']:.4f} | {row['value_mbb']:.3f} |"
            for row in card
            if (row["algorithm"], row["step"]) in ON_A_CARD
        ),
        *(
            f"| {name}, {'float64' if exact else 'float32'} | {' | '.join(_found(small, name, exact))} |"
            for name in ("cfr+", "dcfr")
            for exact in (False, True)
        ),
    ]


def _on_a_card(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Which algorithm is below 1 mbb/h first on an accelerator, and what building and compiling take."""
    first = next(row for row in rows if row["exploitability_mbb"] < 1)
    ends = {row["algorithm"]: row["exploitability_mbb"] for row in rows if row["step"] == 300}
    others = {name: value for name, value in ends.items() if name != first["algorithm"]}
    assert min(others.values()) > 1
    built, compiled, judged = ([row[what] for row in rows] for what in ("built_s", "compiled_s", "judged_s"))
    return [
        f"**{first['algorithm']} is below 1 mbb/h after {first['step']} iterations and {first['spent_s']:.1f} s**, and "
        f"none of the others after 300: linear-cfr has {others['linear-cfr']:.2f} then, pcfr+ {others['pcfr+']:.2f}, "
        f"and cfr+, by its row above, {_of_no_record('cfr+', 300):.2f}.",
        f"A judgement takes {1000 * np.median(judged):.0f} ms, building the tree {_range(built)[0]} to "
        f"{_range(built)[1]} s, compiling {_range(compiled)[0]} to {_range(compiled)[1]} s.",
    ]


def _of_no_record(algorithm: str, step: int) -> float:
    """What the page itself has of a run on an accelerator from before records were kept."""
    lines = (ROOT / PUBLIC_TREES).read_text().splitlines()
    return float(next(line for line in lines if line.startswith(f"| {algorithm} | {step} |")).split("|")[5])


def _errors() -> list[str]:
    """How wrong values were, and what becomes of fictitious play with values as wrong."""
    rows, lines = record("benchmarks/results/flop_holdem_errors.jsonl"), list[str]()
    for seed in (1, 2):
        looks = [row for row in rows if row["seed"] == seed and "normal" in row]
        steps, lost = ([row[name] for row in (looks[0], looks[-1])] for name in ("steps", "exploitability"))
        sizes = " | ".join(f"{size:.2f}" for size in np.mean([row["normal"] for row in looks], 0))
        same = np.mean([row["as_last"] for row in looks[1:]]), np.mean([row["as_first"] for row in looks[-10:]])
        lines.append(
            f"| {seed} | {steps[0]:,} to {steps[1]:,} | {lost[0]:.0f} to {lost[1]:.0f} | {sizes} | "
            f"{same[0]:.2f} | {same[1]:.2f} |"
        )
    found: dict[tuple[int, int], dict[str, float]] = {}
    for row in rows:
        if row.get("responses", 0) >= 100:
            kind = row["errors"].partition(",")[0]
            found.setdefault((row["seed"], row["responses"]), {})[kind] = row["exploitability"]
    for (seed, responses), by_kind in found.items():
        cells = [f"{by_kind[kind]:.1f}" if kind in by_kind else "–" for kind in ERRORS]
        lines.append(f"| {seed} | {responses} | {' | '.join(cells)} |")
    return lines


def _memory() -> list[str]:
    """What public trees are reckoned to take, a number in a table and beside that."""
    single, double = 4 * TABLES, 8 * TABLES
    return [
        f"{single:.0f} bytes for each number in a table ({double:.0f} in float64) and {COMPILING / 1e9:.1f} GB for",
        f"{COMPILING / 1e6:.0f} MB and {single:.0f} bytes a number, {double:.0f} in float64",
    ]


def _spots() -> list[str]:
    """Spots of no-limit hold'em: how good they were when, and what is done first."""
    rows = [row for row in record("benchmarks/results/spots.jsonl") if "share" in row]
    flop, last = [row for row in rows if row["board"] == "QsJh2h"], [row for row in rows if "oop_wins" in row]
    cores, cards = [row for row in last if "cores" in row], next(row for row in last if row["board"] == "QsJh2h")
    wanted = [next(row for row in flop if row["steps"] == steps) for steps in (200, 240, 340, 500)]
    first = " | ".join(f"{100 * often:.2f}%" for often in cards["moves"].values())
    return [
        *(
            f"| {row['board']} | {_cores(row)} | {100 * row['share']:.3f}% | {row['steps']} | {row['seconds']:.3g} | "
            f"{row['all_s'] - row['seconds']:.0f} |"
            for row in cores
        ),
        *(
            f"| {row['board']} | {_fared(row['theirs'])} | {_fared(row['ours'])} | "
            f"{row['theirs']['seconds'] / row['ours']['seconds']:.1f} | {100 * row['apart_by_hand']:.1f}% |"
            for row in record("benchmarks/results/texas_solver.jsonl")
        ),
        *(f"| {100 * row['share']:.3f}% | {row['steps']} | {row['seconds']:.2f} |" for row in wanted),
        f"wins {cards['oop_wins']:.3f} chips of the pot of 10 here",
        f"| ours, {100 * cards['share']:.3f}% | {first} |",
    ]


def _spots_in_short() -> list[str]:
    """What the README says of them."""
    raced = {row["board"]: row for row in record("benchmarks/results/texas_solver.jsonl")}
    turn, flop = raced["QsJh2h5c"], raced["QsJh2h"]
    (river,) = (row for row in record("benchmarks/results/spots.jsonl") if row.get("cores") == 1)
    return [
        f"{river['seconds']:.1f} s on one core, and on two a turn {turn['ours']['seconds']:.0f} s and a flop "
        f"{flop['ours']['seconds'] / 60:.1f} minutes, for which TexasSolver takes {flop['theirs']['seconds'] / 60:.1f}"
    ]


def _fared(side: dict[str, float]) -> str:
    """How good a solver was, and when."""
    return f"{100 * side['share']:.3f}% | {side['steps']:.0f} | {side['seconds']:.3g}"


def _cores(row: dict[str, Any]) -> str:
    """On what a spot was solved: one core of an AMD EPYC."""
    of = "an Intel Xeon" if "Xeon" in row["made_with"][0] else "an AMD EPYC"
    return f"{'one core' if row['cores'] == 1 else 'two cores'} of {of}"


def _bounds() -> list[str]:
    """What best responses won off the five learners, and how much of the truth such bounds find."""
    judged = stages()["large"]
    bounds = {name: judged.bounds[name] for name in ("nfsp", "rnfsp", "linear-q", "dqn", "drqn")}
    others = [bounds[name].value for name in ("linear-q", "dqn", "drqn")]
    noted = {row["what"]: row["found"] for row in record("docs/results/deepstack_leduc/numbers.jsonl")}
    rows = [row for row in record("benchmarks/results/bounds.jsonl") if row["game"] == "flop_holdem"]
    shares = [row["local"] / row["exact"] for row in rows]
    assert (round(min(shares), 2), LOST) == (FOUND["local"][0], _range([row["exact"] for row in rows]))
    return [
        f"a local best response wins {bounds['nfsp'].value:.0f} ({bounds['nfsp'].low:.0f}–{bounds['nfsp'].high:.0f}) "
        f"mbb/h off NFSP, {bounds['rnfsp'].value:.0f} off its recurrent kind, and {min(others):,.0f} to "
        f"{max(others):,.0f} off Q-learners",
        share_found("local").removesuffix("."),
        f"takes its chips: {noted['exploitability of rule bot']:.0f} a hand in no-limit Leduc, where moves at random "
        f"lose {noted['exploitability of random']:.0f} (",
    ]


def _listed(words: Iterable[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}"


def _range(values: Sequence[float]) -> tuple[int, int]:
    return round(min(values)), round(max(values))


def _later() -> list[str]:
    """The agent of hold'em that comes with the package, and the one before it."""
    before, now = record("benchmarks/results/holdem_agents.jsonl")
    told = [f"{row['value']:.0f} ({row['low']:.0f}–{row['high']:.0f})" for row in (now, before)]
    took = record("src/feint/agents/holdem/timings.jsonl")[-1]["seconds"]
    minutes = {6: "six"}[round(took / 60)]
    return [
        f"is a later NFSP, of {minutes} minutes on one H200: {told[0]} by a judge with less luck, who wins {told[1]}",
        f"a local best response wins {now['value']:.0f} mbb/h off it instead of {before['value']:.0f}.",
    ]


def _environments() -> list[str]:
    """Environments of Leduc beside others'."""
    kept = record("benchmarks/results/environments.json")["steps_a_second"]

    def times(ours: str, peer: str) -> str:
        return _times_as_fast(kept[ours] / kept[peer])

    theirs, openly = "PettingZoo's RLCard Leduc", "OpenSpiel's rl_environment"
    few, many, one, agents = (
        "TablesEnv, 1,024 tables",
        "TablesEnv, 16,384 tables",
        "SeatEnv, one table",
        "aec_env, one table",
    )
    return [
        f"environment makes {times(few, theirs)} times the steps of PettingZoo's RLCard Leduc with 1,024 tables and "
        f"{times(many, theirs)} times with 16,384, {times(few, openly)} and {times(many, openly)} times those of "
        f"OpenSpiel's Python environment; one table by the rules {times(one, theirs)} and {times(one, openly)} times, "
        f"PettingZoo's own interface to ours {times(agents, theirs)} and {times(agents, openly)} times.",
    ]


def _kuhn() -> list[str]:
    """The page of fictitious play by winnings: what its 200 seeds end with, and how often they make moves."""
    kept = record(f"{KUHN_FOLDER}/numbers.json")
    ends = {name: np.array(variant["last"]) for name, variant in kept["variants"].items()}
    spread = {name: 1.96 * each.std(ddof=1) / len(each) ** 0.5 for name, each in ends.items()}
    told = {name: f"{each.mean():.2f} ± {spread[name]:.2f}" for name, each in ends.items()}
    main = [words for name, words in told.items() if "-random" not in name]
    bets = np.array(kept["variants"]["modified"]["strategies"])[:, 0].mean()
    return [
        *_training_sets(),
        *_in_crowds(),
        f"{kept['made_with']}.",
        f"(at random {kept['variants']['plain']['mean'][0]:.2f}) | | {' | '.join(main)} |",
        f"Exploitability is {told['modified']} after 10 steps, {told['more-steps']} after 100, and "
        f"{told['more-hands']} with 2,000 hands a step.",
        f"player 1 bets J {bets:.2f} ±",
    ]


def _training_sets() -> list[str]:
    """How much the worst way to make a training set costs beside the best, by odd seeds."""
    told, rows = [], record(f"{KUHN_FOLDER}/training_sets.jsonl")
    for steps in sorted({row["steps"] for row in rows}):
        ways = [row for row in rows if row["steps"] == steps]
        for words, what in (("The accuracy of best responses", "short"), ("Convergence", "exploitability")):
            best, *_, worst = sorted(ways, key=lambda row: float(np.mean(row[what][::2])))
            ratio = np.mean(worst[what][1::2]) / np.mean(best[what][1::2])
            ends = [f"one in {way['selection']} of {way['hands']:,} hands" for way in (worst, best)]
            told.append(
                f"*{words} depends heavily on how the training set is made, after {steps} steps*: "
                f"**{'holds' if ratio > 2 else 'does not hold'}** ({ratio:.2f} times"
            )
            told.append(f": {' beside '.join(ends)})")
    return told


def _in_crowds() -> list[str]:
    """How near an equilibrium NFSP comes, and the best case for whoever is out to harm."""
    far = [row for row in record(f"{KUHN_FOLDER}/players.jsonl") if "far" in row and row["method"] == "nfsp"]
    ends = [sorted(row["far"]["20000"]) for row in far]
    harmed = [row["least"] for row in record(f"{KUHN_FOLDER}/spoilers.jsonl")]
    return [
        *(f"{middle:.2g} ({least:.2g} to {most:.2g}) |" for least, middle, most in ends),
        *(
            f"| {', '.join(f'{value:.3f}' for value in least)} | {np.mean(least).round(4) + 0.0:.4f} |"
            for least in harmed
        ),
    ]
