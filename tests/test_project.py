"""What the project says of itself in several files agrees."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import feint
from feint.runs.agents import agents
from feint.runs.run import metrics_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def plain(requirement: str) -> str:
    """The name of a package as indexes compare it."""
    return re.split(r"[\[=<>]", requirement)[0].lower().replace("_", "-")


def test_all_that_is_needed_is_locked():
    locked = {plain(line) for file in ROOT.glob("requirements*.lock") for line in file.read_text().splitlines()}
    extras = PROJECT["project"]["optional-dependencies"].values()
    needed = {plain(each) for group in (PROJECT["project"]["dependencies"], *extras) for each in group}
    assert needed <= locked


def test_the_version_is_written_once():
    assert "version" in PROJECT["project"]["dynamic"]
    source = (ROOT / PROJECT["tool"]["hatch"]["version"]["path"]).read_text()
    assert f'__version__ = "{feint.__version__}"' in source


def test_what_is_checked_before_a_commit_is_what_make_test_checks():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    made = (ROOT / "Makefile").read_text().replace("$(BIN)", ".venv/bin")
    assert {hook["entry"].split(" --")[0] for hook in hooks} == set(
        re.findall(r"^\t(\.venv/bin/(?:ruff check|ruff format|mypy|lint-imports))", made, re.MULTILINE)
    )
    assert all(hook["language"] == "system" for hook in hooks), "nothing is fetched"


def test_what_runs_log_is_explained():
    page = (ROOT / "docs" / "glossary.md").read_text()
    explained = set(re.findall(r"`(\w+)`", page[page.index("## What runs log") : page.index("## Runs")]))
    logged = {name for path in agents().values() for row in metrics_of(path) for name in row}
    assert logged - explained == set()
    assert "exploitability" in logged
    assert "winnings" in logged


def test_the_citation_names_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["title"].startswith("Feint")
    assert citation["license"] == PROJECT["project"]["license"]
    assert "version" not in citation, "it is written once"


@pytest.mark.parametrize("file", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda file: file.stem)
def test_what_benchmarks_take_from_here_is_there(file):
    taken = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
    for module, names in [
        (node.module, node.names) for node in taken if node.module and node.module.startswith("feint")
    ]:
        there = importlib.import_module(module)
        for name in [each.name for each in names]:
            assert hasattr(there, name) or importlib.util.find_spec(f"{module}.{name}"), f"{module} has no {name}"
