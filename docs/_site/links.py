"""Files outside of docs/ that pages link to: which they are, where they stand in the site, and links to them there.

Pages in the repository link to each other as files, so that they can be read there. In the site the same links lead to
pages: a Markdown file is one, a program becomes one that shows it, and anything else is a file to download.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)")
"""Where a relative link leads, less its anchor."""
ALWAYS = ("benchmarks/results/*.md", "src/feint/agents/*/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/*.py")
"""What is in the site whether anything links to it or not."""


def place(source: PurePosixPath) -> PurePosixPath:
    """Where a file of the repository stands in the site."""
    if source.parts[0] == "docs":
        return source.relative_to("docs")
    if source.parts[:3] == ("src", "feint", "agents"):
        return PurePosixPath("cards", f"{source.parts[3]}.md")
    if source.suffix == ".py":
        return PurePosixPath("source") / source.with_suffix(".md")
    return source


def targets(source: PurePosixPath, text: str) -> set[PurePosixPath]:
    """The files of the repository that a page links to."""
    return {resolved(source, link) for link in LINK.findall(text)}


def resolved(source: PurePosixPath, link: str) -> PurePosixPath:
    return PurePosixPath(os.path.normpath(source.parent / link))


def outside() -> dict[PurePosixPath, PurePosixPath]:
    """Every file outside of docs/ that is in the site: from its place there to its path in the repository."""
    found = {PurePosixPath(path.relative_to(ROOT)) for pattern in ALWAYS for path in ROOT.glob(pattern)}
    pages = {PurePosixPath(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")} | found
    seen: set[PurePosixPath] = set()
    while new := {page for page in pages if page.suffix == ".md"} - seen:
        seen |= new
        linked = set().union(*(targets(page, (ROOT / page).read_text()) for page in new))
        found |= {path for path in linked if path.parts[0] != "docs" and (ROOT / path).is_file()}
        pages |= found
    return {place(path): path for path in sorted(found)}


def rewritten(source: PurePosixPath, text: str) -> str:
    """A page's text with links to where files stand in the site."""
    here = place(source)

    def moved(match: re.Match[str]) -> str:
        target = resolved(source, match[1])
        if not (ROOT / target).is_file():
            return match[1]  # a page that is generated, or nothing: MkDocs says so
        return os.path.relpath(place(target), here.parent)

    return LINK.sub(moved, text)
