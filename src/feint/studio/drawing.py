"""What is drawn on pages, as SVG: cards, bars of moves, curves.

Colours are classes, so that light and dark are one drawing; beside every colour stands a word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import final

import htpy as h
from htpy import Node, Renderable

from feint.games.poker_talk import SUITS

NAMES = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "T": "ten",
    "J": "jack", "Q": "queen", "K": "king", "A": "ace",
    "s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs",
}  # fmt: skip


SIZES = 3
"""Sizes of bets that have a colour each; what is larger shares the last one's."""


def card(name: str | None) -> Renderable:
    """A card by name, such as `Ah`, or `Q` in a deck without suits; None for its back."""
    if name is None:
        return h.svg(".card.back", viewBox="0 0 50 70", role="img", aria_label="a hidden card")[
            h.rect(".face", x="1", y="1", width="48", height="68", rx="6"),
            h.path(".pattern", d="M8 8h34v54h-34z M8 8l34 54 M42 8l-34 54"),
        ]
    rank, suit = name[0], name[1:]
    words = " of ".join(NAMES.get(part, part) for part in (rank, suit) if part)
    colour = "red" if suit in ("h", "d") else "black"
    return h.svg(f".card.{colour}", viewBox="0 0 50 70", role="img", aria_label=words)[
        h.rect(".face", x="1", y="1", width="48", height="68", rx="6"),
        h.text(".rank", x="25", y="32" if suit else "45", text_anchor="middle")[rank],
        h.text(".suit", x="25", y="58", text_anchor="middle")[SUITS[suit]] if suit else None,
    ]


def cards(names: Sequence[str | None], caption: str) -> Renderable:
    """Cards side by side."""
    return h.div(".cards", role="group", aria_label=caption)[
        h.span(".caption")[caption], h.span(".row")[(card(name) for name in names)]
    ]


def kind_of(move: str) -> str:
    """What a move is, for its colour and pattern: a fold, a call, a raise, or something else."""
    if move == "fold":
        return "fold"
    if move in ("call", "check", "pass"):
        return "call"
    return "raise" if move in ("raise", "bet", "all-in") or move.endswith("pot") else "other"


def coloured(moves: Iterable[str]) -> dict[str, str]:
    """The classes that give each move its colour: of several sizes each has one, and all-in its own."""
    words = list(moves)
    sizes = [word for word in words if kind_of(word) == "raise" and word != "all-in"]
    found = {word: f".move.{kind_of(word)}.n{number % 6}" for number, word in enumerate(words)}
    if len(sizes) > 1:
        found |= {word: f".move.raise.size{min(place, SIZES)}" for place, word in enumerate(sizes, 1)}
    return found | ({"all-in": ".move.all-in"} if "all-in" in words else {})


def moves_legend(moves: Iterable[str]) -> Renderable:
    """Which colour is which move."""
    return h.ul(".moves-legend")[
        (
            h.li[h.svg(viewBox="0 0 10 10", aria_hidden="true")[h.rect(colour, width="10", height="10")], word]
            for word, colour in coloured(moves).items()
        )
    ]


def bars(moves: Mapping[str, float], values: Mapping[str, float] | None = None, chosen: str = "") -> Renderable:
    """How often each move is made, as bars with words and numbers; with `values`, what each wins in chips."""
    rows, colours = [], coloured(moves)
    for word, often in moves.items():
        value = None if values is None or math.isnan(values[word]) else f"{values[word]:+.2f}"
        mark = ".chosen" if word == chosen else ""
        rows.append(
            h.tr(mark)[
                h.th(scope="row")[word],
                h.td[
                    h.svg(".bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")[
                        h.rect(".rest", width="100", height="10"),
                        h.rect(colours[word], width=f"{100 * often:.2f}", height="10"),
                    ]
                ],
                h.td(".number")[f"{often:.1%}"],
                h.td(".number")[value] if values is not None else None,
            ]
        )
    return h.table(".bars")[h.tbody[rows]]


def strip(moves: Mapping[str, float]) -> Renderable:
    """How often each move is made, as one bar in pieces, for grids."""
    before, pieces, colours = 0.0, [], coloured(moves)
    for word, often in moves.items():
        place = {"x": f"{100 * before:.2f}", "width": f"{100 * often:.2f}", "height": "10"}
        pieces.append(h.rect(colours[word], **place)[h.title[f"{word} {often:.1%}"]])
        before += often
    words = ", ".join(f"{word} {often:.0%}" for word, often in moves.items())
    return h.svg(".strip", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=words)[pieces]


WIDE, HIGH, LEFT, LOW = 640, 300, 62, 40
"""The size of a curve's picture, and the room for words on its left and below it."""
FEW_TICKS, MOST_TICKS = 3, 6
BETWEEN = (1,), (1, 3), (1, 2, 5), tuple(range(1, 10))
"""What stands at each power of ten of a logarithmic axis that spans few of them."""
SMALL = -4
"""The last digit that is written out, as a power of ten."""


def curve(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    across: str,
    up: str,
    dashed: Sequence[str] = (),
    logarithmic: bool = True,
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = MappingProxyType({}),
) -> Renderable:
    """Lines by name over two axes with words; both logarithmic, or only the one across.

    bands: of some lines, how far the lowest and the highest lie from them, as (across, lowest, highest).
    """

    def seen(x: float, *ups: float) -> bool:
        return x > 0 and all(math.isfinite(y) and (y > 0 or not logarithmic) for y in ups)

    shown = {name: [point for point in points if seen(*point)] for name, points in lines.items()}
    spread = {name: [each for each in band if seen(*each)] for name, band in bands.items()}
    every = [point for points in shown.values() for point in points]
    every += [(x, y) for band in spread.values() for x, *ends in band for y in ends]
    if not every:
        return h.p[f"Nothing to draw yet: {up} comes with the first evaluation."]
    across_axis = _Axis([x for x, _ in every], LEFT, WIDE - 12, True, 1e9)
    up_axis = _Axis([y for _, y in every], HIGH - LOW, 14, logarithmic, 1e6)
    drawn: list[Node] = [
        (
            h.line(".grid", x1=f"{LEFT}", x2=f"{WIDE - 12}", y1=f"{y:.1f}", y2=f"{y:.1f}"),
            h.text(".tick", x=f"{LEFT - 6}", y=f"{y + 4:.1f}", text_anchor="end")[label],
        )
        for label, y in up_axis.ticks()
    ]
    drawn += [
        h.text(".tick", x=f"{x:.1f}", y=f"{HIGH - LOW + 18}", text_anchor="middle")[label]
        for label, x in across_axis.ticks()
    ]
    for number, (name, points) in enumerate(shown.items()):
        if len(band := spread.get(name, [])) > 1:
            edge = [(x, low) for x, low, _ in band] + [(x, high) for x, _, high in reversed(band)]
            path = " ".join(f"{across_axis.at(x):.1f},{up_axis.at(y):.1f}" for x, y in edge)
            drawn.append(h.polygon(f".band.n{number % 6}", points=path))
        if points:
            path = " ".join(f"{across_axis.at(x):.1f},{up_axis.at(y):.1f}" for x, y in points)
            drawn.append(h.polyline(f".line.n{number % 6}{'.dashed' if name in dashed else ''}", points=path))
    told = {name: f".n{number % 6}" for number, name in enumerate(shown) if not up.startswith(name)}
    return h.figure(".curve")[
        h.figcaption[up],
        h.svg(viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=f"{up} against {across}")[
            drawn,
            h.text(".axis", x=f"{(WIDE + LEFT) / 2}", y=f"{HIGH - 4}", text_anchor="middle")[across],
        ],
        h.ul(".legend")[(h.li(number)[name] for name, number in told.items())] if told else None,
    ]


@final
class _Axis:
    """From numbers to places on the page."""

    def __init__(self, values: Sequence[float], first: float, last: float, logarithmic: bool, most: float) -> None:
        """Numbers of `most` and more are too long to be written out."""
        self._log, self._first, self._last, self._most = logarithmic, first, last, most
        low, high = (self._scaled(end(values)) for end in (min, max))
        room = (high - low) * 0.03 or 0.5
        self._low, self._high = low - room, high + room

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def at(self, value: float) -> float:
        share = (self._scaled(value) - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)

    def ticks(self) -> list[tuple[str, float]]:
        """A few round numbers on the axis, all written in the same way, and where they are."""
        found = self._powers() if self._log else self._steps()
        largest = max(abs(value) for value, _ in found)
        plain = largest < self._most and all(digit >= SMALL for _, digit in found)
        return [((_plain if plain else _scientific)(value, digit), self.at(value)) for value, digit in found]

    def _powers(self) -> list[tuple[float, int]]:
        """Powers of ten, with as many numbers between them as it takes, and the last digit by which each is told."""
        every = max(1, math.ceil((self._high - self._low) / MOST_TICKS))
        for digits in BETWEEN:
            powers = range(math.floor(self._low), math.ceil(self._high) + 1, every)
            found = [(digit * 10.0**power, power) for power in powers for digit in digits]
            found = [(value, power) for value, power in found if self._low <= math.log10(value) <= self._high]
            if len(found) >= FEW_TICKS:
                return found
        return found if len(found) > 1 else self._steps()

    def _steps(self) -> list[tuple[float, int]]:
        """Numbers that are as far apart, and the last digit by which they differ."""
        low, high = (10**end if self._log else end for end in (self._low, self._high))
        power = math.floor(math.log10((high - low) / 5))
        step = next(base * 10.0**power for base in (1, 2, 5, 10) if base * 10.0**power >= (high - low) / 5)
        digit = math.floor(math.log10(step) + 1e-9)  # a step such as 0.1 may be rounded down
        return [(step * each, digit) for each in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _plain(value: float, digit: int) -> str:
    """A number written out to the digit that belongs to this power of ten."""
    return f"{value:,.{max(0, -digit)}f}"


def _scientific(value: float, digit: int) -> str:
    """The same as a power of ten."""
    if value == 0:
        return "0"
    return f"{value:.{max(0, math.floor(math.log10(abs(value)) + 1e-9) - digit)}e}"
