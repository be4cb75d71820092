"""A model card as a page shows it: as much of Markdown as cards are written in, and nothing that a card could bring in.

Whatever is not understood is shown as it stands. Text only ever becomes text: cards may come from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import htpy as h
from htpy import Node, Renderable

from feint.studio.page import table

PIECE = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")
MOST = 200_000
"""Characters of a card that are shown."""


def card_words(text: str) -> list[Renderable]:
    """A card, less what is for machines and less its title."""
    body = text[:MOST].split("---\n", 2)[-1]
    return list(_blocks(body.strip()))


def _blocks(body: str) -> Iterator[Renderable]:
    for block in _parts(body):
        lines = block.split("\n")
        if block.startswith("```"):
            yield h.pre[h.code["\n".join(lines[1:]).removesuffix("```").rstrip()]]
        elif all(line.startswith("    ") for line in lines):
            yield h.pre[h.code["\n".join(line[4:] for line in lines)]]
        elif block.startswith("# "):
            continue
        elif block.startswith("## "):
            yield h.h3[block[3:]]
        elif block.startswith("|") and len(lines) > 2:
            heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
            yield table([words(cell) for cell in heads], ([words(cell) for cell in row] for row in rows))
        elif block.startswith("- "):
            yield h.ul[(h.li[words(item)] for item in re.split(r"^- ", block, flags=re.MULTILINE)[1:])]
        else:
            yield h.p[words(block)]


def _parts(body: str) -> Iterator[str]:
    """What empty lines part, but for those inside of fenced code."""
    for number, piece in enumerate(body.split("```")):
        if number % 2:
            yield f"```{piece}```"
        else:
            yield from (part.strip("\n") for part in re.split(r"\n\s*\n", piece) if part.strip())


def words(text: str) -> list[Node]:
    """A line with its `code` and **strong** words."""
    return [
        h.code[piece[1:-1]] if piece.startswith("`") and len(piece) > 2
        else h.strong[piece[2:-2]] if piece.startswith("**") and len(piece) > 4
        else piece
        for piece in PIECE.split(text)
    ]  # fmt: skip
