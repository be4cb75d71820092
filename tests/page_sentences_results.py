"""Sentences of docs/results/README.md with numbers in them, as the records have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from feint.runs.files import unsealed
from page_records import ROOT, leduc_runs, record, stages


def leduc_sentences() -> list[str]:
    """What the reproduction of NFSP on Leduc found."""
    from feint.papers.leduc_nfsp import CHANGE, END, LEAST, SWING, Measure, _last, _said, _values, paper_value

    runs = leduc_runs()

    def said(name: str, step: int, measure: Measure = END) -> str:
        return _said(measure, runs[name], step, after=False)

    def seeds(name: str, step: int) -> list[float]:
        return _values(END, runs[name], step)

    def lost(name: str, step: int) -> str:
        """Of the change per doubling, from the least to the most that is lost."""
        values = sorted(-value for value in _values(CHANGE, runs[name], step))
        return f"{np.median(values):.0%} ({values[0]:.0%} to {values[-1]:.0%})"

    million, start = 1_000_000, runs["64-units"][0].metrics[0]["exploitability"]
    lowest = [min(row["exploitability"] for row in run.metrics) for run in runs["window"]]
    sixteen = list(zip(seeds("16-units", 300_000), seeds("16-units", million), strict=True))
    return [
        f"behind the paper at 100,000 steps, {said('64-units', 100_000)} against {paper_value(64, 100_000):.2f},",
        f"ahead at a million: {said('64-units', million)} against {paper_value(64, million):.3f}.",
        f"at 100,000 is not decided, {said('128-units', 100_000)} against {paper_value(128, 100_000):.3f};",
        f"ahead at a million, {said('128-units', million)} against {paper_value(128, million):.3f}.",
        f"has {said('author', 100_000)} at 100,000,",
        f"is ahead at a million: {said('author', million)}.",
        f"exploitable by {start:.2f} (",
        f"by {runs['author'][0].metrics[0]['exploitability']:.2f} (`--preset author`)",
        f"at 100,000 steps they have {said('16-units', 100_000)} against the paper's "
        f"{paper_value(16, 100_000):.3f}, but {said('16-units', million)} at a million against its "
        f"{paper_value(16, million):.3f}",
        "between 300,000 and a million steps the seeds go "
        + ", ".join(f"from {before:.2f} to {after:.2f}" for before, after in sixteen),
        f"never fall below {min(_values(LEAST, runs['dqn'], million)):.2f} in the last",
        f"from {np.median(seeds('dqn-average', 100_000)):.2f} at 100,000 steps to {said('dqn-average', million)}.",
        f"climbs from {np.median(lowest):.2f} to {said('window', million)}.",
        f"levels off: {said('anticipation', million)} at a million and {said('anticipation', 2 * million)} at two, "
        f"losing {lost('anticipation', 2 * million)} with each doubling where η = 0.1 loses "
        f"{-np.median(_values(CHANGE, runs['64-units'], million)):.0%}. To a million it loses "
        f"{lost('anticipation', million)}",
        f"scatters by {np.median(_values(SWING, runs['small-fading'], _last(runs['small-fading']))):.0%} from one",
        f"scatters by {np.median(_values(SWING, runs['small-reservoir'], _last(runs['small-reservoir']))):.0%}.",
        f"nothing is learned, {said('relu-output', 300_000)} after 300,000 steps",
        f"ends at {np.median(seeds('imitate-values', 300_000)):.2f} where imitating moves has "
        f"{np.median(seeds('64-units', 300_000)):.2f}.",
    ]


def turns_sentences() -> list[str]:
    """Where curves of NFSP on Leduc cross and part."""
    from feint.papers.leduc_nfsp import END, _values, paper_value

    curves = record("docs/results/leduc_nfsp/curves.json")
    steps, ours, window = curves["64-units"]["step"], seeds_of(curves["64-units"]), seeds_of(curves["window"])
    behind = [step for step, value in zip(steps, np.median(ours, 0), strict=True) if value > paper_value(64, step)]
    caught = steps[steps.index(behind[-1]) + 1]
    parted = steps[int(np.argmax((ours != window).any(0)))]
    more = dict(zip(curves["anticipation"]["step"], np.median(seeds_of(curves["anticipation"]), 0), strict=True))
    ahead = [step for step, value in zip(steps, np.median(ours, 0), strict=True) if more.get(step, np.inf) < value]
    best = min(_values(END, leduc_runs()["author"], 100_000)) / paper_value(64, 100_000) - 1
    return [
        f"has caught up for good by {caught:,} and",
        f"its best seed {best:.0%} above the paper",
        f"is the same as the reservoir until it is full, after {steps[steps.index(parted) - 1]:,} steps and before "
        f"{parted:,},",
        f"is ahead up to {ahead[-1]:,} steps",
    ]


def thesis_sentences() -> list[str]:
    """What 16 units lack, and a softmax of values in another unit."""
    from feint.papers.leduc_nfsp import READING, paper_value
    from feint.papers.thesis_claims import said
    from feint.papers.thesis_samples import PRINTED, same_curve
    from feint.papers.thesis_sixteen import AUTHOR, PLAIN, given, next_seed

    kept = {line["name"]: line for line in record("docs/results/leduc_thesis/trials.jsonl")}
    found, coded, last = given(kept, "16-values-64"), given(kept, "softmax", "moves"), kept[PLAIN]["rows"][-1]
    own = given(kept, "thesis-softmax", "thesis")
    whole, printed = kept[AUTHOR]["rows"][-1], kept[PRINTED]["rows"][-1]
    folds = [kept[name]["rows"][-1]["folds"] for name in ("author-relu", "thesis-relu")]
    curve = record("docs/results/leduc_nfsp/curves.json")["64-units"]
    by_then = sorted(seeds_of(curve)[:, np.searchsorted(curve["step"], found.step) - 1])
    six = [*last["exploitability"], *sixteen_before(last["step"])]
    paper, nearest, (middle, low, high) = paper_value(16, last["step"]), min(six), next_seed(six)
    below = [value for value in whole["exploitability"] if value < paper_value(16, whole["step"])]
    assert (coded.verdict, own.verdict) == ("helps", "harms")
    assert same_curve(kept).count("**does not hold**") == 2
    assert (1 < nearest / paper < READING, len(below), len(six), low < paper < high) == (True, 1, 6, True)
    return [
        f"come to {said(found.ours)} after {found.step:,} steps, where 16 for both have {said(found.theirs)}, "
        f"{found.ratio}; that is where 64 for both are by then, {by_then[0]:.3f} to {by_then[-1]:.3f}.",
        f"three more have {said(last['exploitability'])} after {last['step']:,} steps against its {paper:.3f}. The "
        f"nearest is {nearest / paper - 1:.0%} above it, less than the figure can be read to. Of the author's program "
        f"with 16 units one seed is below: {said(whole['exploitability'])} after {whole['step']:,} against "
        f"{paper_value(16, whole['step']):.3f}.",
        f"Joos's thesis on NFSP in Leduc, {len(kept)} experiments with two to four seeds each",
        f"By our six, {middle:.3f} in the geometric mean, one more seed would end between {low:.3f} and {high:.3f} "
        "with 95%: the paper's lies inside",
        f"such averages fold {said(kept['relu']['rows'][-1]['average_folds'], '.0%')} after "
        f"{kept['relu']['rows'][-1]['step']:,}",
        f"folds to {said(folds[0], '.0%')} of bets (the author's settings) and to {said(folds[1], '.0%')} (",
        f"has {said(printed['exploitability'])} after {printed['step']:,} steps, where its figure of the paper's curve "
        f"has {paper_value(64, printed['step']):.3f}: it is not the same curve, exact or as sampled states have it.",
        f"in chips has {said(coded.ours)} after {coded.step:,} steps, and imitating moves {said(coded.theirs)}. In the "
        f"thesis's own program, which learns values in chips by its own rules, it is the other way round: "
        f"{said(own.ours)}, and with moves {said(own.theirs)}.",
    ]


def sixteen_before(step: int) -> list[float]:
    """Where the seeds with 16 units of the reproduction itself ended."""
    from feint.papers.leduc_nfsp import END, _values

    return _values(END, leduc_runs()["16-units"], step)


def device_sentences() -> list[str]:
    """What an accelerator did."""
    speed, learned = record("docs/results/holdem_h200.json"), record("docs/results/nfsp_leduc_h200.json")
    share: Callable[[str], float] = lambda name: (  # noqa: E731
        speed[f"{name}, seats at once"]["milliseconds a step"] / speed[f"{name}, seats in turn"]["milliseconds a step"]
    )
    rate = {name: speed[f"large/{name}, seats at once"]["decisions a second"] / 1e6 for name in ("nfsp", "rnfsp")}
    rows = learned["rows"]
    near = min(rows, key=lambda row: abs(row["seconds"] - 88))
    last = sorted(rows[-1]["seeds"])
    papers = record("docs/results/holdem_nfsp_h200.json")
    (first, _, end), alone = papers["beside other programs"], papers["alone"][0]
    least, bound, most = end["bound"]
    step = alone["seconds"] / alone["steps"]
    run = stages()["large"].runs["nfsp"]
    shared = run.metrics[-1]["decisions"] / run.timings[-1]["seconds"] / 1e6
    now = record("benchmarks/results/holdem_agents.jsonl")[-1]
    shape = unsealed(ROOT / "src/feint/agents/holdem/config.json")["settings"]
    units, moves = shape["network"]["hidden"], shape["average"]["capacity"]
    return [
        f"`flop`, here with {len(units)} × {units[0]} units and a reservoir of {moves / 1e6:.0f} million moves, is at "
        f"{now['value']:.0f} after six minutes",
        f"Random play: {speed['random play']['hands a second'] / 1e6:.0f} million hands a second. Learning with preset "
        f"`large`: NFSP {rate['nfsp']:.1f}, recurrent NFSP {rate['rnfsp']:.1f} million decisions a second",
        f"beside others on the card, as the five learners below were trained, NFSP came to {shared:.1f}",
        f"After {end['hands'] / 1e6:.1f} million hands and {end['steps']:,} steps of 256 moves a local best response "
        f"wins {bound:,.0f} ({least:,.0f}–{most:,.0f}) mbb/h off it, {first['bound'][1]:,.0f} after a million hands; "
        f"it wins {end['winnings']:,.0f} ± {end['error']:.0f} off random play. It takes "
        f"{papers['memory_mib'] * 2**20 / 1e9:.1f} GB of the card. Alone a step takes {1e3 * step:.2f} ms "
        f"({alone['decisions_a_second']:,.0f} decisions a second), so ten million steps would take "
        f"{1e7 * step / 3600:.1f} hours",
        f"take {share('large/nfsp'):.0%} (NFSP), {share('large/rnfsp'):.0%} (recurrent NFSP) and "
        f"{share('as-published/rnfsp'):.0%} (the same",
        f"Median 0.05 after {time_to(rows, 0.05):.1f} s, 0.03 after {time_to(rows, 0.03):.0f} s, "
        f"{np.median(near['seeds']):.4f} after {near['seconds']:.0f} s and {np.median(last):.4f} ({last[0]:.4f} to "
        f"{last[-1]:.4f}) after {rows[-1]['seconds']:.0f} s; {learned['decisions_per_second'] / 1e6:.0f} million "
        f"decisions a second.",
    ]


def holdem_sentences() -> list[str]:
    """What the five learners of hold'em came to."""
    from feint.papers.poker_rnn_claims import ordered_otherwise
    from feint.papers.poker_rnn_hands import Estimate

    short, long = stages()["as-published"], stages()["large"]
    bound, won = long.bounds, long.cross
    learners = ("linear-q", "dqn", "drqn")
    off = {name: sorted(won[name, other].value for other in learners) for name in ("nfsp", "rnfsp")}
    lost = sorted(short.cross[name, other].value for name in ("nfsp", "rnfsp") for other in ("dqn", "drqn"))
    late = [row["winnings"] for row in long.runs["dqn"].metrics[-3:]]
    crossed = [row for row in record("docs/results/poker_rnn/trials/records.jsonl") if row["trial"] == "cross"]
    over = {
        one: sorted(row["won"][0] for row in crossed if (row["one"], row["other"]) == (one, "nfsp")) for one in learners
    }
    beaten = sorted(-won for one in ("dqn", "drqn") for won in over[one])
    met = [row["won"] for row in crossed if (row.get("again"), row["other"]) == (["linear-q"], "rnfsp")]
    again = " and ".join(str(Estimate(*won[:2])) for won in met)
    best = [max(run.metrics, key=lambda row: float(row["winnings"])) for run in long.runs.values()]
    peaks, latest = [row["winnings"] for row in best], max(row["hands"] for row in best)
    fallen = sorted(won[name, "random"].value for name in long.runs if name != "dqn")
    return [
        f"the linear agent beats NFSP by {over['linear-q'][0]:.0f} to {over['linear-q'][-1]:.0f}, and NFSP the other "
        f"two Q-learners by {beaten[0]:.0f} to {beaten[-1]:.0f}.",
        f"a linear agent that was trained again on a processor beats two more seeds of it by {again}.",
        f"{bound['nfsp']} mbb/h against {bound['dqn']} for DQN, {bound['linear-q']} for a linear map and "
        f"{bound['drqn']} for recurrent DQN.",
        f"NFSP beats recurrent NFSP by {won['nfsp', 'rnfsp']} mbb/h, and that one's bound is {bound['rnfsp']}.",
        f"({off['rnfsp'][0]:.0f} to {off['rnfsp'][-1]:.0f} against {off['nfsp'][0]:.0f} to {off['nfsp'][-1]:.0f}), and "
        f"recurrent DQN beats DQN by {won['drqn', 'dqn']}.",
        f"They peak at {min(peaks):,.0f} to {max(peaks):,.0f} mbb/h within {latest:,.0f} hands, while agents raise "
        f"with everything, and fall as they learn, to {fallen[0]:,.0f} to {fallen[-1]:,.0f} and",
        f"Of {ordered_otherwise(long.judged).measured.removeprefix('of ').partition(',')[0]} by the bounds",
        f"DQN's to {won['dqn', 'random'].value:.0f}; raising at every turn wins {long.raising[0]} and loses at least "
        f"{long.raising[1]}.",
        f"off random play it wins {late[0]:,.0f}, {late[1]:,.0f} and {late[2]:,.0f} mbb/h at its last three",
        f"NFSP and recurrent NFSP win {short.cross['nfsp', 'random']} and {short.cross['rnfsp', 'random']} mbb/h",
        f"a local best response ({short.bounds['nfsp']} and {short.bounds['rnfsp']}) than any Q-learner",
        f"over NFSP ({short.cross['linear-q', 'nfsp']}) and recurrent NFSP ({short.cross['linear-q', 'rnfsp']}) are "
        f"left; those two beat the other Q-learners by {lost[0]:.0f} to {lost[-1]:,.0f}.",
    ]


def seeds_of(curve: dict[str, list[float]]) -> np.ndarray:
    return np.array([values for name, values in curve.items() if name != "step"])


def time_to(rows: Sequence[dict[str, Any]], bar: float) -> float:
    return float(next(row["seconds"] for row in rows if np.median(row["seeds"]) <= bar))
