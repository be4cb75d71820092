"""Pages cannot drift from the records: their tables are made again, and numbers in prose are looked up."""

from __future__ import annotations

import re
from functools import cache

import pytest

import page_records
from feint.papers import kuhn_training_sets
from feint.papers.anticipation import FULL, played, remembered, taught
from feint.papers.anticipation_page import RECORDS
from feint.papers.poker_rnn_seeds import read_records
from feint.papers.poker_rnn_seeds_page import statistics
from page_records import PICTURED, ROOT
from page_sentences import sentences

MADE = {
    "docs/results/kuhn_fictitious_play/README.md": page_records.kuhn_page,
    "docs/results/leduc_thesis/README.md": page_records.leduc_thesis_page,
    "docs/results/leduc_nfsp/README.md": page_records.leduc_nfsp_page,
    "docs/results/poker_rnn/README.md": page_records.poker_rnn_page,
    "docs/results/poker_rnn/seeds.md": page_records.seeds_page,
    "docs/results/deepstack_leduc/README.md": page_records.deepstack_page_again,
    "docs/results/monte_carlo/README.md": page_records.searches_page,
    "docs/results/anticipation/README.md": page_records.shares_page,
}


def page(name: str) -> str:
    return (ROOT / name).read_text()


@cache
def made_again(name: str) -> str:
    """A page of a reproduction as its records make it."""
    return MADE[name]()


def missing(text: str, made: str) -> list[str]:
    """Lines that should be on a page and are not; those of prose with a number that no record has are left out."""
    there = set(text.splitlines())
    lines = [line for line in made.splitlines() if re.fullmatch(ROW, line) or not re.search(r"\bnan\b", line)]
    return [line for line in lines if line not in there]


ROW = r"\|.*\|"


def strangers(text: str, made: str) -> list[str]:
    """Rows of tables on a page that were not made."""
    there = set(made.splitlines())
    return [line for line in text.splitlines() if re.fullmatch(ROW, line) and line not in there]


def untrue(text: str, wanted: list[str]) -> list[str]:
    """Sentences that a page does not have, however its lines are broken."""
    flat = " ".join(text.split())
    return [sentence for sentence in wanted if sentence not in flat]


@pytest.mark.parametrize("name", ["solvers", "learners", "hands"])
def test_races_are_told_as_they_were_run(name):
    assert page(f"benchmarks/results/{name}.md") == page_records.races()[name]


@pytest.mark.parametrize("name", PICTURED)
def test_tables_of_benchmarks_are_what_their_records_print(name, monkeypatch, capsys):
    made = page_records.pictured(name, monkeypatch, capsys)
    text = page(f"benchmarks/results/{name}.md")
    assert missing(text, made) == strangers(text, made) == []
    assert "|---|" in made


@pytest.mark.parametrize("name", MADE)
def test_reproductions_say_what_was_recorded(name):
    made = made_again(name)
    assert missing(page(name), made) == strangers(page(name), made) == []
    assert sum(line.startswith("|") for line in made.splitlines()) > 15, "otherwise there is nothing that could differ"


@pytest.mark.parametrize("name", sentences())
def test_sentences_have_the_records_numbers(name):
    assert untrue(page(name), sentences()[name]) == []


@pytest.mark.parametrize("name", sentences())
def test_an_edited_number_is_found(name):
    """One digit changed in one sentence of the page: that sentence, and no other, is found out."""
    text = " ".join(page(name).split())
    for sentence in sentences()[name]:
        digit = next(place for place, letter in reversed(list(enumerate(sentence))) if letter in "0123456789")
        edited = f"{sentence[:digit]}{(int(sentence[digit]) + 1) % 10}{sentence[digit + 1 :]}"
        assert sentence in untrue(text.replace(sentence, edited), sentences()[name]), sentence


@pytest.mark.parametrize("name", MADE)
def test_an_edited_row_is_found(name):
    """One digit changed in one row of the page: it is missing, and a stranger."""
    made, lines = made_again(name), page(name).splitlines()
    rows = {row for row in made.splitlines() if re.fullmatch(ROW, row)}
    told = [row for row in dict.fromkeys(lines) if row in rows and re.search(r"\d", row)]
    assert len(told) > 10, "otherwise nothing was edited"
    for row in told:
        *_, last = re.finditer(r"\d", row)
        edited = f"{row[: last.start()]}{(int(last[0]) + 1) % 10}{row[last.end() :]}"
        text = "\n".join(edited if line == row else line for line in lines)
        assert set(missing(text, made)) == {row}
        assert set(strangers(text, made)) == {edited} - rows


def test_tests_that_pages_name_are_there():
    text = page("docs/results/leduc_nfsp/README.md")
    file, name = re.findall(r"\((tests/\w+\.py),\s`(test_\w+)`\)", text)[0]
    assert f"def {name}(" in page(file)


def test_what_starting_hands_are_worth_is_kept_as_numbers():
    folder = page_records.RESULTS / "poker_rnn" / "trials"
    found = page_records.record("docs/results/poker_rnn/trials/starting_hands.json")
    assert found == statistics(read_records(folder))


@pytest.mark.parametrize("name", ["docs/results/README.md", "docs/results/poker_rnn/README.md"])
def test_other_seeds_are_linked_where_the_first_is_told_of(name):
    assert "seeds.md)" in page(name)


def test_all_that_anticipation_asks_for_was_measured():
    rows = page_records.record(f"docs/results/anticipation/{RECORDS}")
    asked = [*played(FULL), *remembered(FULL), *taught(FULL)]
    assert [what for what in asked if not any(what.items() <= row.items() for row in rows)] == []
    assert len(asked) == len(rows), "otherwise the page has what its command does not measure"


def test_all_training_sets_that_are_asked_for_were_measured():
    rows = page_records.record(f"docs/results/kuhn_fictitious_play/{kuhn_training_sets.RECORDS}")
    wanted = kuhn_training_sets.asked(kuhn_training_sets.FULL)
    assert [what for what in wanted if not any(what.items() <= row.items() for row in rows)] == []
    assert len(wanted) == len(rows), "otherwise the page has what its command does not measure"


def test_other_seeds_are_linked_only_where_their_page_is(tmp_path):
    assert "seeds.md" not in page_records.poker_rnn_page(tmp_path)


def test_an_edited_table_is_found():
    name, made = "docs/results/poker_rnn/README.md", page_records.poker_rnn_page()
    assert missing(page(name).replace("187 ± 64", "188 ± 64"), made)
    seeds = page("docs/results/poker_rnn/seeds.md")
    assert missing(seeds.replace("1,772 ± 38", "1,771 ± 38"), page_records.seeds_page())
    units = page_records.leduc_thesis_page()
    assert missing(page("docs/results/leduc_thesis/README.md").replace("0.37 times (0.27", "0.38 times (0.27"), units)
    races = page_records.races()["solvers"]
    assert page("benchmarks/results/solvers.md").replace("142,936", "142,937") != races
