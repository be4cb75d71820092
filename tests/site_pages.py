"""Run what a page of the documentation shows, and compare what it prints with what the page says.

`python tests/site_pages.py docs/tutorials/student.md` runs a page, fills in outputs that are left empty, and keeps the
pictures that it shows beside it. In a page:

- blocks of Python are one program, in order, and a block called text after one is what it prints; a block of any kind
  with a title is a file of that name;
- in a block called console, `$ feint …` is a command, what follows is what it prints, and `<!-- typed: a, b -->` above
  is what a person types;
- … stands for anything, and in a line of its own for any lines; what is marked `<!-- not run: why -->` is not run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r'(?:^<!-- (?P<note>[^\n]+) -->\n)?^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?[^\n]*\n(?P<code>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
ANYTHING = "…"


class Typed(io.StringIO):
    """What a person types, which a terminal shows."""

    def readline(self, *size: int) -> str:
        line = super().readline(*size)
        print(line, end="")
        return line


@dataclass(frozen=True)
class Said:
    """What something on a page printed, and what the page has there: from where to where in its text."""

    what: str
    page: str
    printed: str
    start: int
    end: int


def run_page(text: str) -> Iterator[Said]:
    """Run a page in the present folder."""
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in BLOCK.finditer(text):
        kind, code, note = block["kind"], block["code"], block["note"] or ""
        if note.startswith("not run: "):
            continue
        if block["title"]:
            _save(Path(block["title"]), code)
        elif kind == "text":
            yield Said("Python", code, printed, block.start("code"), block.end("code"))
        elif kind == "python":
            printed = _printed(lambda code=code: exec(compile(code, "page", "exec"), names))
        elif kind == "console":
            typed = note.removeprefix("typed: ").split(", ") if note.startswith("typed: ") else []
            yield from _console(code, block.start("code"), typed)


def _save(path: Path, code: str) -> None:
    """A file that readers are told to save; one of Feint's own folders is where Feint looks for what is added to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    if path.parts[:2] == ("src", "feint"):
        package = importlib.import_module(f"feint.{path.parent.name}")
        package.__path__.append(str(path.parent.resolve()))


def _console(code: str, start: int, typed: list[str]) -> Iterator[Said]:
    for part in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.MULTILINE):
        command = part[1]
        printed = _printed(lambda command=command: _command(shlex.split(command), typed))
        yield Said(command, part[2], printed, start + part.start(2), start + part.end(2))


def _command(words: list[str], typed: list[str]) -> None:
    if words[0] == "python":
        runpy.run_path(words[1], run_name="__main__")
        return
    assert words[0] == "feint", f"only feint and python are run here, not {words[0]}"
    from feint import cli

    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = words, Typed("".join(f"{word}\n" for word in typed))
    try:
        cli.app(standalone_mode=False)
    finally:
        sys.argv, sys.stdin = before


def _printed(run: Any) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        run()
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def agrees(said: Said) -> bool:
    """Whether a page says what was printed, wherever lines are broken; nothing is claimed where it shows nothing."""
    if not said.page.strip():
        return True
    pattern = r"\s+".join(re.escape(word).replace(ANYTHING, ".*") for word in said.page.split())
    return re.fullmatch(pattern, said.printed.strip(), re.DOTALL) is not None


def pictures(text: str) -> list[str]:
    """The pictures beside a page that it shows."""
    return re.findall(r"!\[[^\]]*\]\(([\w.-]+\.png)\)", text)


def main(page: Path) -> None:
    text = page.read_text()
    os.environ["COLUMNS"] = "90"
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        found = list(run_page(text))
        for name in pictures(text):
            shutil.copy(name, page.parent / name)
    for said in reversed(found):
        if not said.page.strip():
            text = text[: said.start] + said.printed + text[said.end :]
        elif not agrees(said):
            print(f"{said.what}\n--- the page\n{said.page}--- printed\n{said.printed}")
    page.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
