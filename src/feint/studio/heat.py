"""A cross table as a heat map: numbers on cells whose colour says who wins, and how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import htpy as h
from htpy import Renderable

from feint.evaluate.measure import EXACT, Measure
from feint.evaluate.ratings import ROUNDING

WIDE, HIGH = 120, 48


def told(value: float, form: str) -> str:
    """A number as it is written, but never as a nothing that it is not, nor as less than nothing where it is none."""
    if abs(value) <= ROUNDING:
        return "0"
    text = f"{value:{form}}"
    return text if any(digit in text for digit in "123456789") else f"{value:+.1g}"


def heat_map(names: Sequence[str], won: Mapping[tuple[str, str], Measure], form: str) -> Renderable:
    """What the player of each row wins off that of each column; `form` is how numbers are written."""
    most = max((abs(each.value) for each in won.values()), default=0.0) or 1.0
    rows = (
        h.tr[
            h.th(scope="row")[one],
            (h.td[_cell(one, two, won[one, two], most, form) if one != two else "–"] for two in names),
        ]
        for one in names
    )
    return h.div(".scroll", tabindex="0", role="region", aria_label="Who wins what off whom")[
        h.table(".heat")[
            h.thead[h.tr[h.td, (h.th(scope="col")[name] for name in names)]],
            h.tbody[rows],
        ]
    ]


def _cell(one: str, two: str, won: Measure, most: float, form: str) -> Renderable:
    number, sure = told(won.value, form), _sure(won, form)
    colour = ".even" if number == "0" else ".wins" if won.value > 0 else ".loses"
    strength = 0.08 + 0.42 * abs(won.value) / most
    return h.svg(".cell", viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=f"{one} off {two}: {number}, {sure}")[
        h.rect(colour, width=f"{WIDE}", height=f"{HIGH}", rx="4", fill_opacity=f"{strength:.2f}"),
        h.text(".value", x=f"{WIDE / 2}", y="21", text_anchor="middle")[number],
        h.text(".sure", x=f"{WIDE / 2}", y="38", text_anchor="middle")[sure],
    ]


def _sure(won: Measure, form: str) -> str:
    """How sure a number is."""
    if won.low is None or won.high is None:
        return EXACT if won.kind == EXACT else won.kind
    half = (won.high - won.low) / 2
    return f"± {half:{form.removeprefix('+')}}" if math.isfinite(half) else "no interval yet"
