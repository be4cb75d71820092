"""Checks of what you write yourself, for your own tests: `check_game`, `check_algorithm` and `check_player`.

    from feint.testing import check_game

    def test_my_game():
        print(check_game(MyGame()))

The first promise that is broken is told in a `BadInput`: what was wrong, where, and what to do. What Feint has of its
own is checked by the same three.
"""

from __future__ import annotations

from feint.testing.algorithms import check_algorithm
from feint.testing.players import check_player
from feint.testing.rules import CheckedGame, check_game

__all__ = ["CheckedGame", "check_algorithm", "check_game", "check_player"]
