"""The memory that public trees take: known before any of it is taken, and refused where there is less."""

from __future__ import annotations

from feint.games.cards import best_five
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.tree import PublicSize
from feint.tree.memory import gigabytes, memory

LARGEST = 1 << 32
"""Numbers in a table of a whole game, at most: 17 gigabytes of them."""
COMPILING = 700_000_000
"""Bytes that compiling takes, however few numbers there are …"""
SMALL = 10_000_000
"""Trees whose tables take fewer bytes are never refused: what they need is hardly more than all compiled code does."""
TABLES = 5.5
"""… and tables there are at once beside that: the two of CFR+, and what a sweep makes on its way.

Where tables are 10 MB or more, that is what solving and judging took in benchmarks/results/public_costs.jsonl, or up to
2.4 times that. Betting written out over thousands of decisions takes longer to compile, and a gigabyte.
"""


def smaller(game: Poker) -> str:
    """What to do where a whole game is too large."""
    spots = ", or a spot (feint solve)" if game.hole == 2 and game.showdown is best_five else ""
    return f"choose fewer ranks or bets{spots}"


def room(size: PublicSize) -> int:
    """Bytes that it takes to solve or judge a public tree."""
    return COMPILING + round(TABLES * size.table_bytes)


def words(size: PublicSize) -> str:
    """How large a public tree is, and what that takes."""
    numbers = f"{size.public:,} public decisions and {sum(size.cells):,} numbers in a table"
    return f"{numbers}, which need {gigabytes(room(size))} of memory"


def lacking(size: PublicSize) -> int | None:
    """The bytes that are free where these are too few for a public tree; None where it fits, or nobody knows."""
    free = memory() if size.table_bytes >= SMALL else None
    return free if free is not None and room(size) > free else None


def check_fits(name: str, size: PublicSize, instead: str) -> None:
    """Refuse a public tree for which there is no room, before it is made, and say what to do instead."""
    if (free := lacking(size)) is not None:
        raise BadInput(f"The public tree of {name} has {words(size)}, but {gigabytes(free)} are free; {instead}.")
