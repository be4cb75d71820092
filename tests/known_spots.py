"""Spots of hold'em that several files of tests ask about."""

from __future__ import annotations

from feint.games.hand import Menu
from feint.games.postflop import Spot

POLAR = Spot("KsKh7d4c2s", oop="AA,65s", ip="QQ", pot=10, stack=10, menus=Menu((1.0,), ()))
"""Aces beat queens and six-five does not. Whoever acts first may bet the pot, which is all there is."""
TURN = Spot("QsJh2h9s", oop="AA,KQs,T8s", ip="QQ,AKs,JTs", pot=10, stack=10, menus=Menu((1.0,), ()))
"""Diamonds and clubs may change places."""
