"""Leduc and its like: a card each and one on the board. Walk the betting, and see every card at once."""

from __future__ import annotations

import htpy as h
from htpy import Node, Renderable

from feint.games.cards import Cards
from feint.games.poker import Poker
from feint.games.poker_spots import read_cards
from feint.games.poker_views import betting_in_words
from feint.studio.page import table
from feint.studio.strategies import Pages
from feint.studio.views.parts import Look, chips, crumbs, moves_cell, note, percent
from feint.studio.walking import Walk, range_against


def is_for(pages: Pages) -> bool:
    game = pages.tree.game
    return isinstance(game, Poker) and game.hole == 1 and [each.board for each in game.rounds] == [0, 1]


def two_rounds(look: Look, pages: Pages) -> Node:
    """A private card and a board card; None for other games."""
    game = pages.tree.game
    if not is_for(pages) or not isinstance(game, Poker):
        return None
    walk = Walk.to(game, look.betting, look.dealer % game.players if game.rotating_dealer else 0)
    kinds = range(game.deck.kinds - 1, -1, -1)
    boards: list[Cards] = [(card,) for card in kinds] if walk.hand.board else [()]
    return h.section("#walk", aria_label="The strategy after some betting")[
        h.h2[f"After {walk.betting}" if walk.betting else "The first move"],
        _dealers(look, game),
        crumbs(look, walk),
        table(
            ("Card", *((f"board {game.deck.name(board[0])}" if board else "before the board") for board in boards)),
            (
                (h.strong(".big")[game.deck.name(own)], *(_cell(pages, walk, own, board) for board in boards))
                for own in kinds
            ),
            f"What player {walk.hand.actor + 1} does: rows, the card held; columns, the card on the board",
        ),
        note(
            "Beside each move: how often it is made, and what it wins in chips a hand while the others keep to the "
            "strategy (exact). Below: how often a hand comes to this, and the chips a hand that are given away there."
        ),
        _ranges(look, pages, walk, boards),
    ]


def link(look: Look, pages: Pages, row: int) -> str | None:
    """Where an information set is to be found in the walk."""
    game = pages.tree.game
    if not is_for(pages) or not isinstance(game, Poker):
        return None
    dealer, _, board, moves = pages.tree.views[row]
    words = betting_in_words(game, dealer, moves)
    name = "".join(map(game.deck.name, board))
    return look.address(betting=words, board=name, dealer=dealer, page=1) + "#walk"


def _dealers(look: Look, game: Poker) -> Node:
    if not game.rotating_dealer:
        return None
    return h.p[
        "The dealer is ",
        (
            [
                h.a(
                    href=look.address(dealer=dealer, betting="", board=""),
                    aria_current="true" if dealer == look.dealer else None,
                )[f"player {dealer + 1}"],
                " ",
            ]
            for dealer in range(game.players)
        ),
    ]


def _cell(pages: Pages, walk: Walk, own: int, board: Cards) -> Node:
    row = pages.number.get((walk.hand.actor, (walk.hand.dealer, (own,), board, walk.hand.moves)))
    if row is None:
        return "cannot be: all of these cards are gone"
    spot = pages.spot(row)
    return [
        moves_cell(spot.moves, spot.values),
        h.small[f"comes {percent(spot.reach)}; gives away {chips(spot.gain)}"],
    ]


def _ranges(look: Look, pages: Pages, walk: Walk, boards: list[Cards]) -> Renderable:
    """How likely the others hold each card, given their play so far."""
    game = walk.game
    chosen = read_cards(game.name, game.deck, look.board, "board") if look.board else ()
    board = chosen if chosen in boards else boards[0]
    kinds = list(range(game.deck.kinds - 1, -1, -1))
    others = [player for player in range(game.players) if player != walk.hand.actor]
    rows = []
    for own in kinds:
        if (walk.hand.actor, (walk.hand.dealer, (own,), board, walk.hand.moves)) not in pages.number:
            continue
        told = range_against(pages, walk, own, board)
        for other in others:
            held = told.held.get(other)
            likely = [percent(held.get(card, 0.0)) for card in kinds] if held else ["never comes to this"] * len(kinds)
            rows.append((game.deck.name(own), f"{other + 1}", *likely))
    picks = (
        h.p(".picks")[
            "Board: ",
            (
                [
                    h.a(
                        href=look.address(board=game.deck.name(each[0])) + "#ranges",
                        aria_current="true" if each == board else None,
                    )[game.deck.name(each[0])],
                    " ",
                ]
                for each in boards
            ),
        ]
        if len(boards) > 1
        else None
    )
    return h.section("#ranges", aria_label="What the others hold")[
        h.h3["What the others hold" + (f", with {game.deck.name(board[0])} on the board" if board else "")],
        picks,
        table(
            (f"Player {walk.hand.actor + 1} holds", "Player", *(game.deck.name(card) for card in kinds)),
            rows,
            "How likely each card is, given the cards seen and how the strategy has played so far (exact)",
            numbers=len(kinds),
        ),
    ]
