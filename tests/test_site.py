"""The documentation: it builds without a warning or the net, no link in it is dead, and what it shows is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import feint.solvers
from feint.cli import terminal
from feint.games.library import library
from feint.runs.config import algorithms
from site_pages import Said, agrees, pictures, run_page

ROOT = Path(__file__).parents[1]
LONG = {"student", "researcher", "card_player", "spots"}
TUTORIALS = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in LONG else [])
    for folder in ("tutorials", "guides")
    for page in sorted((ROOT / "docs" / folder).glob("*.md"))
]


class Links(HTMLParser):
    """What a page can be jumped to at, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.leads, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given["id"]} if given.get("id") else set()
        if tag == "a" and given.get("href"):
            self.leads.append(given["href"])
        elif tag in {"img", "script", "iframe"} and given.get("src"):
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loads.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert (built.returncode, built.stdout + built.stderr) == (0, "")
    return {path: Links(path.read_text()) for path in folder.rglob("*.html")}


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(site):
    assert len(site) > 70
    dead = []
    for page, found in site.items():
        if page.name == "404.html":
            continue
        dead += [(page.name, link) for link in found.loads if urlsplit(link).netloc]
        for link in (*found.leads, *found.loads):
            there = urlsplit(link)
            if there.scheme or there.netloc:
                continue
            target = (page.parent / unquote(there.path)).resolve() if there.path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (there.fragment and unquote(there.fragment) not in site[target].anchors):
                dead.append((page.name, link))
    assert dead == []


def test_every_game_and_algorithm_has_a_page_with_its_settings(site):
    pages = {f"{page.parent.name}/{page.stem}": page.read_text() for page in site}
    for name in library():
        assert "Cite" in pages[f"games/{name}"], name
    for name, entry in algorithms().items():
        page = pages[f"algorithms/{name.replace('+', '_plus')}"]
        assert all(word in page for word in ("<math", "When to use it", "Cite", *entry.presets)), name
        told = {"fictitious-play", "deepstack"}  # they are for other games
        assert ("leduc_curves" in page) == (name not in told), name


@pytest.fixture
def _as_they_were(monkeypatch, tmp_path):
    """Files that a page puts into Feint's folders are gone afterwards."""
    monkeypatch.setattr(feint.solvers, "__path__", list(feint.solvers.__path__))
    yield
    added = [path.stem for path in tmp_path.glob("src/feint/solvers/*.py")]
    for name in added:
        sys.modules.pop(f"feint.solvers.{name}", None)


@pytest.mark.usefixtures("_as_they_were")
@pytest.mark.parametrize("page", TUTORIALS)
def test_what_a_page_shows_is_what_is_printed(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    for console in (terminal.out, terminal.err):  # they have taken their width from whoever began first
        monkeypatch.setattr(console, "_width", 90)
    text = page.read_text()
    for said in run_page(text):
        assert agrees(said), f"{page.name} says of {said.what}\n{said.page}\nwhere it printed\n{said.printed}"
        assert said.page.strip() or not said.printed.strip(), f"{page.name} shows nothing of {said.what}"
    assert [name for name in pictures(text) if not Path(name).is_file()] == [], "made by the page itself"
    assert [name for name in pictures(text) if not (page.parent / name).is_file()] == [], "kept beside it"


def test_a_page_that_says_otherwise_is_found_out():
    assert agrees(Said("x", "1\n…\n3 … 5\n", "1\n2\n2\n3 4 5\n", 0, 0))
    assert not agrees(Said("x", "1\n", "2\n", 0, 0))


def test_completion_prints_what_a_shell_needs():
    script = "import sys; sys.argv[0] = 'feint'; from feint.cli import main; main()"
    environment = os.environ | {"_FEINT_COMPLETE": "complete_bash", "COMP_WORDS": "feint tr", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert re.fullmatch(r"train\s*", done.stdout), done
