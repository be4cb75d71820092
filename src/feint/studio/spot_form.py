"""A spot of no-limit hold'em as forms and programs ask for it, read as `feint solve` reads it, and the form itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import htpy as h
from htpy import Node, Renderable
from pydantic import BaseModel, Field

from feint.games.postflop import Spot
from feint.games.spot_words import SEATS, STREETS, Lock, read_sizes
from feint.studio.hand_grid import painter
from feint.studio.page import field
from feint.studio.spots import Job

MOST_LOCKS = 20
SIZES = ("bets", "raises")
NONE = "none"
"""Written where nothing is offered: on one street what is left empty is as on all."""
PLAYERS = {"oop": "acts first (oop)", "ip": "acts last (ip)"}

Text = Annotated[str, Field(max_length=4000)]
Few = Annotated[str, Field(max_length=100)]
Bets = Annotated[str, Field(max_length=400)]
"""As many sizes as may be offered, each as long as it comes back."""
Street = Literal["flop", "turn", "river"]
Seat = Literal["oop", "ip"]


class Sizes(BaseModel, extra="forbid"):
    """What one player may bet on one street, where that is not as everywhere."""

    bets: Bets | None = None
    raises: Bets | None = None


class Bound(BaseModel, extra="forbid"):
    """What a player is bound to after some betting."""

    betting: Annotated[str, Field(max_length=300)] = ""
    moves: Annotated[dict[Few, float], Field(max_length=20)]
    """How often each move is made, in any unit: what counts is the share of each in their sum."""
    hands: Text = "any"
    """The hands that it is for, written as ranges are."""

    def lock(self) -> Lock:
        total = sum(self.moves.values())
        shares = {word: often / total for word, often in self.moves.items()} if total > 0 else self.moves
        return Lock(self.betting, shares, self.hands)


class Asked(BaseModel, extra="forbid"):
    """A spot of no-limit hold'em, as `feint solve` takes it."""

    board: Few
    oop: Text
    ip: Text
    pot: float = 10.0
    stack: float = 95.0
    bets: Bets = "0.5,1"
    raises: Bets = "0.5"
    menus: dict[Street, dict[Seat, Sizes]] = {}
    """Where other bets are offered: by street and player."""
    rake: float = 0.0
    rake_cap: float | None = None
    locks: Annotated[list[Bound], Field(max_length=MOST_LOCKS)] = []
    """What players are bound to, if anything."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.003
    """Solved to this share of the pot …"""
    seconds: Annotated[float, Field(ge=1, le=600)] = 120.0
    """… or for so long."""

    def spot(self) -> Spot:
        words = self.model_dump(exclude={"share", "seconds", "locks", *SIZES})
        locks = [vars(each.lock()) for each in self.locks]
        menus = {street: {seat: self._menu(street, seat) for seat in SEATS} for street in STREETS.values()}
        return Spot.read(words | {"menus": menus, "locks": locks})

    def _menu(self, street: str, seat: str) -> dict[str, list[float]]:
        own = self.menus.get(street, {}).get(seat, Sizes())  # type: ignore[call-overload]  # both are such names
        given = {name: getattr(own, name) for name in SIZES}
        texts = {name: getattr(self, name) if text is None else text for name, text in given.items()}
        return {name: [] if text.strip() == NONE else read_sizes(text, name) for name, text in texts.items()}


FIRST = Asked(
    board="QsJh2h5c7d",
    oop="22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo",
    ip="22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,76s,65s,54s,A5o+,K9o+,Q9o+,J9o+,T9o",
).model_dump()
"""What the page begins with: a river, which is solved soon."""


def asked_for(job: Job) -> dict[str, Any]:
    """What was asked for when a spot was, as the form takes it."""
    spot = job.spot
    given = {name: getattr(spot, name) for name in ("board", "oop", "ip", "pot", "stack", "rake", "rake_cap")}
    menus = {street: {seat: _written(spot, street, seat) for seat in SEATS} for street in spot.streets}
    usual = menus[spot.streets[0]]["oop"]
    other = {
        street: {seat: {name: text or NONE for name, text in own.items()} for seat, own in by.items() if own != usual}
        for street, by in menus.items()
    }
    return given | usual | {"menus": other, "locks": spot.words()["locks"], "share": job.share, "seconds": job.seconds}


def _written(spot: Spot, street: str, seat: str) -> dict[str, str]:
    menu = spot.menu(street, seat)
    return {name: ",".join(f"{size:g}" for size in getattr(menu, name)) for name in SIZES}


def form(given: Mapping[str, Any]) -> Renderable:
    """All that a spot is made of, to change it and have it solved."""

    def number(label: str, name: str) -> Node:
        value = given[name]
        return field(label, name, "" if value is None else f"{value:.15g}", "number", step="any", data_type="number")

    return h.form(".spot", data_post="/api/spots", data_hold="")[
        h.div(".choices")[
            field("Board", "board", given["board"], maxlength="40", data_empty=""),
            number("Pot, chips", "pot"),
            number("Stacks behind, chips", "stack"),
            field("Bets, × pot", "bets", given["bets"], data_empty=""),
            field("Raises, × pot", "raises", given["raises"], data_empty=""),
            number("Rake, share", "rake"),
            number("Rake at most, chips", "rake_cap"),
            number("Stop at this share of the pot", "share"),
            number("or after seconds", "seconds"),
            h.button(".primary", type="submit")["Solve"],
        ],
        _other_bets(given["menus"]),
        h.input(type="hidden", name="locks", value=json.dumps(given["locks"]), data_type="json"),
        h.div(".ranges")[
            painter("Whoever acts first (oop)", "oop", given["oop"]),
            painter("Whoever acts last (ip)", "ip", given["ip"]),
        ],
        h.p(".note")[
            "All-in is always offered too. Ranges are written as AA, AKs, T9o:0.5, AhKh, 22+, A5s-A2s or any; paint "
            "with the pointer, or write, and the grid follows."
        ],
    ]


def _other_bets(menus: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Renderable:
    """Fields for bets by street and player, left empty where they are as everywhere."""
    boxes = [
        field(
            f"{street.capitalize()}, {PLAYERS[seat]}: {name}",
            f"menus.{street}.{seat}.{name}",
            menus.get(street, {}).get(seat, {}).get(name, ""),
            data_within="",
        )
        for street in STREETS.values()
        for seat in SEATS
        for name in SIZES
    ]
    return h.details("#other-bets", open=any(menus.values()))[
        h.summary["Other bets by street and player"],
        h.div(".choices")[boxes],
        h.p(".note")["Fractions of the pot. What is left empty is as above; none means none."],
    ]
