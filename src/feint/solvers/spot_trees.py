"""Spots of hold'em as public trees, with what players are bound to there."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from jaxtyping import Float

from feint.arena.arena import for_device
from feint.games.cards import Cards
from feint.games.postflop import DECK, Spot
from feint.games.streets import Street
from feint.public.build import build_public_tree
from feint.public.combinations import number_of
from feint.public.places import place_of
from feint.public.play import Bound, Tables
from feint.public.start import start_of
from feint.public.tree import PublicSize, PublicTree

FILLED = 64
"""Hands come in so many, so that other ranges are solved without compiling anew."""
ON_FLOPS = {"cpu": 16, "gpu": 64}
"""The same on the flop, where processors take longer for some hands more than for compiling."""


def spot_size(spot: Spot) -> PublicSize:
    """How large the tree of a spot is, without making it."""
    return start_of(spot.game, **_asked(spot)).size


def spot_tree(spot: Spot) -> PublicTree:
    """The public tree of a spot; refused where it does not fit into memory."""
    tree = build_public_tree(spot.game, **_asked(spot))
    for lock in spot.locks:
        tree = _locked(tree, *spot.bound(lock))
    return tree


def _asked(spot: Spot) -> dict[str, Any]:
    """What the tree of a spot begins with."""
    some = FILLED if len(spot.streets) < 3 else for_device(ON_FLOPS)
    return {"board": [spot.cards], "ranges": _ranges(spot), "symmetric": _symmetric(spot), "some": some}


def _symmetric(spot: Spot) -> bool:
    """Whether suits may be taken as one: they are kept apart where locks tell them apart."""
    return all(_for_all_suits(*spot.bound(lock)) for lock in spot.locks)


def _for_all_suits(street: Street, chances: tuple[float, ...], hands: Set[Cards]) -> bool:
    """Whether a lock is the same whatever suits are called."""
    ways = permutations(range(DECK.copies))
    renamed = ({tuple(sorted(card // 4 * 4 + way[card % 4] for card in hand)) for hand in hands} for way in ways)
    return not street.dealt and all(way == hands for way in renamed)


def _locked(tree: PublicTree, street: Street, chances: tuple[float, ...], hands: Set[Cards]) -> PublicTree:
    """The tree with a player bound at one more place."""
    place = place_of(tree, street.hand.moves, street.dealt)
    stage = tree.rounds[place.number]
    meant = np.array([tuple(hand) in hands for hand in np.asarray(tree.held).tolist()])
    nothing = stage.zeros(place.decision.number)
    before = stage.bound[place.decision.number] or Bound(nothing[0].astype(bool), nothing)
    here = place.board, place.line, np.flatnonzero(meant)
    after = Bound(
        before.hands.at[here].set(True),
        tuple(move.at[here].set(chance) for move, chance in zip(before.moves, chances, strict=True)),
    )
    bound = tuple(after if number == place.decision.number else each for number, each in enumerate(stage.bound))
    rounds = tuple(replace(each, bound=bound) if each is stage else each for each in tree.rounds)
    return replace(tree, rounds=rounds)


def kept(tree: PublicTree, tables: Tables) -> Tables:
    """What is done, locks written over it."""
    return tuple(
        tuple(bound.over(moves) if bound else moves for bound, moves in zip(stage.bound, pages, strict=True))
        for stage, pages in zip(tree.rounds, tables, strict=True)
    )


def free(tree: PublicTree) -> PublicTree:
    """The tree without locks."""
    return replace(tree, rounds=tuple(replace(each, bound=(None,) * len(each.bound)) for each in tree.rounds))


def _ranges(spot: Spot) -> list[Float[np.ndarray, " h"]]:
    """The weights of both players, by their number."""
    return [_weights(spot, seat) for seat in ("ip", "oop")]


def _weights(spot: Spot, seat: str) -> Float[np.ndarray, " h"]:
    """How often a player comes with each hand of the cards that the board leaves."""
    rest = [card for card in range(DECK.kinds) if card not in spot.cards]
    weights = np.zeros(len(rest) * (len(rest) - 1) // 2)
    for hand, weight in spot.range(seat).items():
        if not set(hand) & set(spot.cards):
            weights[number_of(np.array([rest.index(card) for card in hand]), len(rest))] = weight
    return weights
