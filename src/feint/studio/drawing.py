"""What is drawn on pages, as SVG: cards, bars of moves, curves.

Colours are classes, so that light and dark are one drawing; beside every colour stands a word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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


def bars(moves: Mapping[str, float], values: Mapping[str, float] | None = None, chosen: str = "") -> Renderable:
    """How often each move is made, as bars with words and numbers; with `values`, what each wins in chips."""
    rows = []
    for number, (word, often) in enumerate(moves.items()):
        value = None if values is None or math.isnan(values[word]) else f"{values[word]:+.2f}"
        mark = ".chosen" if word == chosen else ""
        rows.append(
            h.tr(mark)[
                h.th(scope="row")[word],
                h.td[
                    h.svg(".bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")[
                        h.rect(".rest", width="100", height="10"),
                        h.rect(f".move.{kind_of(word)}.n{number % 6}", width=f"{100 * often:.2f}", height="10"),
                    ]
                ],
                h.td(".number")[f"{often:.1%}"],
                h.td(".number")[value] if values is not None else None,
            ]
        )
    return h.table(".bars")[h.tbody[rows]]


def strip(moves: Mapping[str, float]) -> Renderable:
    """How often each move is made, as one bar in pieces, for grids."""
    before, pieces = 0.0, []
    for number, (word, often) in enumerate(moves.items()):
        place = {"x": f"{100 * before:.2f}", "width": f"{100 * often:.2f}", "height": "10"}
        pieces.append(h.rect(f".move.{kind_of(word)}.n{number % 6}", **place)[h.title[f"{word} {often:.1%}"]])
        before += often
    words = ", ".join(f"{word} {often:.0%}" for word, often in moves.items())
    return h.svg(".strip", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=words)[pieces]


WIDE, HIGH, LEFT, LOW = 640, 300, 62, 40
"""The size of a curve's picture, and the room for words on its left and below it."""


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
    across_axis = _Axis([x for x, _ in every], LEFT, WIDE - 12, True)
    up_axis = _Axis([y for _, y in every], HIGH - LOW, 14, logarithmic)
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
    legend = (h.li(f".n{number % 6}")[name] for number, name in enumerate(shown))
    return h.figure(".curve")[
        h.svg(viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=f"{up} against {across}")[
            drawn,
            h.text(".axis", x=f"{(WIDE + LEFT) / 2}", y=f"{HIGH - 4}", text_anchor="middle")[across],
        ],
        h.figcaption[h.span[up], h.ul(".legend")[legend]],
    ]


@final
class _Axis:
    """From numbers to places on the page."""

    def __init__(self, values: Sequence[float], first: float, last: float, logarithmic: bool) -> None:
        self._log, self._first, self._last = logarithmic, first, last
        low, high = (self._scaled(end(values)) for end in (min, max))
        room = (high - low) * 0.03 or 0.5
        self._low, self._high = low - room, high + room

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def at(self, value: float) -> float:
        share = (self._scaled(value) - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)

    def ticks(self) -> list[tuple[str, float]]:
        """A few round numbers on the axis, and where they are."""
        if self._log:
            every = max(1, math.ceil((self._high - self._low) / 6))
            powers = range(math.ceil(self._low), math.floor(self._high) + 1, every)
            found = [10.0**power for power in powers] or [10 ** ((self._low + self._high) / 2)]
            return [(f"{value:,.0f}" if 1 <= value < 1e6 else f"{value:.2g}", self.at(value)) for value in found]
        rough = (self._high - self._low) / 5
        step = next(
            base * 10 ** math.floor(math.log10(rough))
            for base in (1, 2, 5, 10)
            if base * 10 ** math.floor(math.log10(rough)) >= rough
        )
        found = [step * each for each in range(math.ceil(self._low / step), math.floor(self._high / step) + 1)]
        return [(_label(value, step), self.at(value)) for value in found]


def _label(value: float, step: float) -> str:
    """A number on an axis that goes on by some step, with the digits by which it differs from the next one."""
    power = math.floor(math.log10(step) + 1e-9)  # a step such as 0.1 may be rounded down
    if value == 0 or (abs(value) < 1e6 and power >= -4):
        return f"{value:,.{max(0, -power)}f}"
    return f"{value:.{max(0, math.floor(math.log10(abs(value)) + 1e-9) - power)}e}"
