"""A table at which a person plays, as it is drawn: what they may see, what they may do, and the hand in review."""

from __future__ import annotations

import htpy as h
from htpy import Node, Renderable

from feint.games.words import chips
from feint.studio.drawing import bars
from feint.studio.felt import Sitter, felt
from feint.studio.score import Score
from feint.studio.visit import Decision, Visit

LETTERS = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}
PRICES = "The chips on a button are what the move puts into the pot."
LUCK = (
    "All luck is in this score: what moves win against this opponent is not known exactly, and in no hand so far were "
    "cards still to come when the betting was over."
)
AGAIN = "400"
"""Milliseconds after which a page asks again how a thinking opponent stands."""


def drawn(name: str, visit: Visit, advised: bool) -> list[Node]:
    """All of it, from how the hand began to how the person stands."""
    offered = visit.offered()
    return [
        h.p(".lead")[f"Hand {visit.number}. {visit.where}"],
        _felt(visit),
        h.ol(".story", aria_live="polite", aria_label="What happened")[(h.li[line] for line in visit.lines)],
        h.p(".failed", role="alert")[visit.failed] if visit.failed else None,
        h.p(".thinking", role="status")[f"{visit.opponent.name} is thinking …"] if visit.thinking else None,
        _moves(name, visit, offered) if offered else None,
        _advice(visit, advised) if offered else None,
        _review(name, visit) if visit.over else None,
        _score(visit.score()),
        h.form(data_post=f"/api/tables/{name}/leave")[h.button(type="submit")["Leave the table"]],
    ]


def _felt(visit: Visit) -> Renderable:
    """The cards and chips that the person may see; all of them when the hand is over."""
    shown, scene = visit.shown(), visit.seen.scene
    again = AGAIN if visit.thinking else None
    if scene is None:
        return felt((), (), visit.seen.told, again)
    players = range(visit.form.players)
    held = {player: shown[player].cards if player in shown else [None] * len(scene.cards) for player in players}
    held[visit.seat] = scene.cards
    left = scene.left or [None] * visit.form.players
    seats = [
        Sitter(visit.called(player), held[player], scene.paid[player], left[player], player == visit.seat)
        for player in players
    ]
    return felt(seats, scene.board, refresh=again)


def _moves(name: str, visit: Visit, offered: dict[str, int]) -> Renderable:
    """A button for each move, with the keys that make it."""
    buttons = []
    for number, word in enumerate(offered, 1):
        keys = " ".join(filter(None, (str(number) if number < 10 else "", LETTERS.get(word, ""))))
        price = visit.seen.prices.get(word)
        label = [word, h.span(".price")[chips(price)] if price else None, h.kbd[keys.split()[-1]] if keys else None]
        buttons.append(h.button(type="submit", name="move", value=word, data_keys=keys)[label])
    return h.form(".moves", data_post=f"/api/tables/{name}/moves", aria_label="Your move")[
        h.input(type="hidden", name="turn", value=str(visit.turn), data_type="number"), buttons,
        h.p(".note")[PRICES] if visit.seen.prices else None,
    ]  # fmt: skip


def _advice(visit: Visit, asked: bool) -> Node:
    if visit.opponent.adviser is None:
        return None
    if not asked:
        return h.p[h.a(href="?advice=true", data_keys="?")[f"What would {visit.opponent.name} do here?"]]
    told = visit.advice()
    return (
        told
        and h.section(aria_label="Advice")[
            h.h2[f"{visit.opponent.name} in your place"], _decided(told), _what_values_are(told)
        ]
    )


def _decided(decision: Decision) -> Node:
    return decision.chances and bars(decision.chances, decision.wins, decision.chosen)


def _what_values_are(decision: Decision) -> Node:
    if decision.wins is None:
        return h.p(".note")[
            "What moves win here is not known: the game is too large to be exact, and nothing is guessed."
        ]
    return h.p(".note")["On the right: chips that each move wins against it if you play on perfectly (exact)."]


def _review(name: str, visit: Visit) -> Renderable:
    """A hand when it is over: who had what, and what was likely."""
    mine = visit.won[visit.seat]
    result = f"You {'win' if mine > 0 else 'lose'} {chips(abs(mine))}." if mine else "You break even."
    return h.section(".review", aria_label="The hand in review")[
        h.form(data_post=f"/api/tables/{name}/hands")[
            h.strong[result], " ", h.button(".primary", type="submit", data_keys="Enter n")["Next hand"]
        ],
        h.details(open=True)[
            h.summary["The hand, decision by decision"],
            h.ol(".decisions")[
                (
                    h.li[
                        h.p[
                            h.strong[visit.called(each.player)],
                            f" saw {each.saw} and chose ",
                            h.strong[each.chose],
                            _cost(each),
                        ],
                        _decided(each),
                    ]
                    for each in visit.decisions
                )
            ],
            h.p(".note")[_what_review_is(visit)],
        ],
        h.p[h.a(href=f"/hands/{visit.kept}")["Replay this hand"]] if visit.kept else None,
    ]


def _what_review_is(visit: Visit) -> str:
    """What is told of the moves, and what nobody knows."""
    name = visit.opponent.name
    if visit.opponent.adviser is None:
        return (
            f"{name} decides move by move and cannot say how likely each was, so what yours cost is not known either."
        )
    often = f"Bars say how often {name} makes each move there, also where you were to move. "
    if any(decision.wins for decision in visit.decisions):
        return f"{often}Numbers beside yours are what moves win against it if you play on perfectly (exact)."
    return f"{often}What your moves cost is not known exactly in this game."


def _cost(decision: Decision) -> str:
    if not decision.wins:
        return ""
    lost = max(decision.wins.values()) - decision.wins[decision.chosen]
    return f", which gave away {lost:.2f} chips" if lost >= 0.005 else ", as good as any"


def _score(score: Score) -> Renderable:
    """How the person stands."""
    if not score.hands:
        return h.p(".score")["No hand is over yet."]
    assert score.mean is not None
    facts = [("hands", f"{score.hands}"), ("won", f"{score.total:+g} chips")]
    sure = "" if score.luck is None else f" ± {score.luck:.2f}"
    facts.append(("a hand", f"{score.mean:+.2f}{sure} chips ({score.mbb:+,.0f} mbb/h)"))
    if score.fair is not None:
        sure = "" if score.fair_luck is None else f" ± {score.fair_luck:.2f}"
        facts.append(("with luck taken out", f"{score.fair:+.2f}{sure} chips a hand"))
    if score.rest is not None:
        sure = "" if score.rest_luck is None else f" ± {score.rest_luck:.2f}"
        facts.append(("with cards that came after all betting averaged", f"{score.rest:+.2f}{sure} chips a hand"))
    return h.fragment[
        h.dl(".score")[((h.dt[name], h.dd[words]) for name, words in facts)],
        h.p(".note")[LUCK] if score.fair is None and score.rest is None else None,
    ]
