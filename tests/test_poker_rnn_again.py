"""What was trained again of "Poker-RNN", and how often its Q-learners update, told from records."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from safetensors.numpy import load, save

from feint.papers.poker_rnn_again import again_section
from feint.papers.poker_rnn_answers import two_matches
from feint.papers.poker_rnn_claims import THEIRS
from feint.papers.poker_rnn_seeds import claims_table, seeds_of
from feint.papers.poker_rnn_updates import updates_section
from feint.papers.poker_rnn_variants import BASE, UPDATES
from test_poker_rnn_trials import curve, kept, lines

RATES = (BASE, "a tenth of the values' rate", "ten times the values' rate")
BEATS = "The linear agent beats RNFSP"


def again(seed: int) -> dict:
    """A linear agent that was trained again, made up."""
    about = {"trial": "linear-q/again", "agent": "linear-q", "kind": "again", "variant": BASE, "seed": seed, "step": 10}
    about |= {"made_with": ["a processor", "jax 0"], "curve": curve(1500.0, 0.0, 1e6)}
    return about | {"random": [1000.0 + seed, 20.0, 100], "bound": [3000.0, 50.0, 100]}


def met(seed: int, other: str) -> dict:
    """A match of it."""
    about = {"trial": "cross", "seed": seed, "one": "linear-q", "other": other, "again": ["linear-q"]}
    return about | {"won": [70.0, 9.0, 200], "made_with": ["a processor", "jax 0"]}


def test_a_match_of_one_that_was_trained_again_stands_in_where_there_is_none():
    fewer = [
        row for row in kept() if (row["trial"], row.get("one"), row.get("other")) != ("cross", "linear-q", "rnfsp")
    ]
    assert lines(claims_table(THEIRS, seeds_of(fewer)))[BEATS][0] == "**not decided**; no match of linear and RNFSP"
    records = [
        *fewer,
        *(again(seed) for seed in (1, 2, 3)),
        *(met(seed, "rnfsp") for seed in (1, 2, 3)),
        met(1, "nfsp"),
    ]
    table = lines(claims_table(THEIRS, seeds_of(records)))
    words = "it wins 70 ± 9 mbb/h (linear trained again)"
    hands = "linear 1,000,000, RNFSP 2,000,000"
    assert table[BEATS] == ["**holds**; at the paper's length: holds in 3", hands, *[words] * 3]
    assert table["The linear agent beats NFSP"][2:] == ["it wins 100 ± 9 mbb/h"] * 3  # a match that there is stays
    assert again_section(kept()) == ""
    told = again_section(records)
    assert "| linear | 2 | 1,000,000 | 10 | 1,002 ± 20 | 2,500 ± 20 | 3,000 ± 50 | 1,002 ± 50 |" in told
    assert "| linear | all 3 |  |  | 1,002 ± 2 | 2,500 ± 0 | 3,000 ± 0 | 1,002 ± 2 |" in told
    assert "| 2 | linear | RNFSP | 200 | 70 ± 9 |" in told


def test_two_matches_are_not_taken_for_one():
    assert "(linear, seed 1: 2,500 ± 20 here and 100 ± 9 there)" in two_matches(kept())
    assert two_matches([row for row in kept() if row["trial"] != "cross"]) == ""


def updating(apart: dict[str, float]) -> list[dict]:
    """Records of every frequency, in which rates lie so far apart and seeds differ a little."""
    found = []
    for kind in UPDATES:
        for variant, many in zip(RATES, (0.5, 0.0, 1.0), strict=True):
            for seed in (1, 2, 3):
                about = {
                    "trial": f"linear-q/{kind}",
                    "agent": "linear-q",
                    "kind": kind,
                    "variant": variant,
                    "seed": seed,
                }
                number = [1000.0 * seed + (apart[kind] + seed) * many, 5.0, 9]
                about |= {"curve": curve(1500.0, 0.0, 8e4), "step": 2500, "made_with": ["a processor"]}
                found.append(about | {"random": number, "bound": number})
    return found


def test_a_rate_is_felt_more_where_rates_lie_further_apart():
    assert updates_section(kept()) == ""
    first, second, last = UPDATES
    told = updates_section(updating({first: 900.0, second: 500.0, last: 100.0}))
    assert told.count("**holds**") == 2
    assert "902 ± 2 with an update every move, 502 ± 2 with an update every 10 moves, 102 ± 2 with" in told
    assert f"| linear | {last} | {BASE} | 3 | 80,000 | 500,000 |" in told
    assert updates_section(updating({first: 100.0, second: 1.0, last: 900.0})).count("**does not hold**") == 2
    cut = [row for row in updating({first: 9.0, second: 9.0, last: 9.0}) if row["variant"] == BASE]
    assert "**" not in updates_section(cut)


def test_what_is_new_takes_the_place_of_what_it_is_and_no_other(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    import poker_rnn_pages as program

    def write(path: Path, rows: list[dict]) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    first = {"trial": "cross", "seed": 1, "one": "linear-q", "other": "nfsp", "won": [1, 1, 1]}
    searches = [{"trial": f"mcts/{agent}", "seed": 1, "one": "ismcts", "other": agent} for agent in ("dqn", "rnfsp")]
    later = searches[1] | {"one": "smooth-uct"}
    old, new = tmp_path / "old", tmp_path / "new"
    write(old / "records.jsonl", [first])
    write(old / "matches.jsonl", searches)
    write(new / "records.jsonl", [met(1, "nfsp"), first | {"won": [2, 2, 2]}, later])
    (old / "maps.safetensors").write_bytes(save({}))
    program.renew(old, new)
    rows = {
        name: [*map(json.loads, (old / f"{name}.jsonl").read_text().splitlines())] for name in ("records", "matches")
    }
    assert rows == {"records": [first | {"won": [2, 2, 2]}, met(1, "nfsp")], "matches": [searches[0], later]}
    assert load((old / "maps.safetensors").read_bytes()) == {}
