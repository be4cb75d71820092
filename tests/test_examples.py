"""What readers copy runs: the examples, and the Python in the documentation."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from feint.testing import check_game

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
FENCED = re.compile(r"^(<!-- not run: .+ -->\n)?```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
"""Python in a page; what is no whole program says so in the line above."""


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)  # as Python does with a program's own folder
    first, *rest = path.read_text().splitlines()
    assert len(rest) < 40
    assert f"examples/{path.name}" in first, "the first line says how to run it"
    found = runpy.run_path(str(path))
    if "main" in found:
        found["main"](steps=3)
    else:
        (game,) = re.findall(r"^class (\w+)", path.read_text(), re.MULTILINE)
        print(check_game(f"{path}:{game}"))
    assert capsys.readouterr().out


def blocks():
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
        for number, (sketch, code) in enumerate(FENCED.findall(page.read_text())):
            yield pytest.param(code, bool(sketch), id=f"{page.name}-{number}")


@pytest.mark.parametrize(("code", "sketch"), list(blocks()))
def test_documentation(code, sketch):
    program = compile(code, "documentation", "exec")
    if not sketch:
        exec(program, {"__name__": "documentation"})
