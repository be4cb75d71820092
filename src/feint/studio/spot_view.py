"""A solved spot as it is looked at: one decision, what is done with every hand there, and the ways on from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from urllib.parse import urlencode

import htpy as h
from htpy import Node, Renderable

from feint.games.postflop import DECK
from feint.games.ranges import kind_of
from feint.games.spot_words import SEATS
from feint.solvers.spots import Node as Decision
from feint.solvers.spots import Solution
from feint.studio.drawing import bars, card, cards, moves_legend, strip
from feint.studio.hand_grid import grid
from feint.studio.page import field, table
from feint.studio.spots import Crumb, Job, Spots, betting_in_words, cards_left, crumbs, onward

SOON = 0.3
"""Seconds that a page waits for what it asks."""
AGAIN = "500"
SELDOM = 1e-4
"""Where players come with fewer of their hands there is little to learn from."""
ACTS = {"oop": "whoever acts first", "ip": "whoever acts last"}

Address = Callable[..., str]
"""The address of this page with other betting, or with a kind of hand."""


def solved_spot(spots: Spots, job: Job, betting: str, kind: str) -> list[Node]:
    """One decision of a solved spot, or the cards that may come next."""
    solution = job.solution
    assert solution is not None

    def address(betting: str, **more: str) -> str:
        query = urlencode({"betting": betting} | more if betting else more)
        return f"/solve/{job.name}{f'?{query}' if query else ''}"

    if betting.strip().endswith("/"):
        return [_how_good(solution), *_cards_to_come(job, betting, address)]
    node = spots.node(job, betting, SOON)
    way = _way(crumbs(job.spot, job.spot.after(betting)), address)
    if node is None:
        return [way, h.p(".thinking", role="status", data_refresh=AGAIN)["What is done here is being worked out …"]]
    csv = f"/api/spots/{job.name}/hands.csv?{urlencode({'betting': betting})}"
    json = f"/api/spots/{job.name}?{urlencode({'betting': betting})}"
    return [
        _how_good(solution),
        way,
        *_decision(job, node, betting, address),
        _bind(job, node, betting),
        _combinations(node, kind) if kind else None,
        h.details[h.summary["Every kind of hand, in numbers"], _kinds(node)],
        h.p[h.a(href=csv)["Every hand as CSV"], ", ", h.a(href=json)["as JSON"]],
    ]


def _how_good(solution: Solution) -> Renderable:
    house = f", the house {solution.raked:.3f}" if solution.spot.rake else ""
    within = "" if solution.near is None else f": an equilibrium's are within {solution.near:.2g} chips of these"
    return h.p(".lead")[
        f"Of a pot of {solution.spot.pot:g} whoever acts first takes {solution.wins('oop'):.3f} chips and whoever acts "
        f"last {solution.wins('ip'):.3f}{house} on average (exact for this solution{within}). Exploitability "
        f"{solution.share:.2%} of the pot (exact), after {solution.steps:,} iterations and {solution.seconds:.1f} s "
        f"without compiling."
    ]


def locks_of(job: Job) -> Node:
    """What players are bound to."""
    locks = job.spot.locks
    if not locks:
        return None
    names = {player: seat for seat, player in SEATS.items()}
    told = [
        f"{names[job.spot.after(each.betting).hand.actor]} after {each.betting or 'the start'}: "
        f"{', '.join(f'{word} {often:.1%}' for word, often in each.moves.items())}, with "
        f"{'any hand' if each.hands == 'any' else each.hands}"
        for each in locks
    ]
    return h.section(".locks", aria_label="What players are bound to")[
        h.p["Somebody is bound here, so exploitability counts what can be gained elsewhere alone."],
        h.ul[(h.li[words] for words in told)],
        h.form(data_post=f"/api/spots/{job.name}/unlock")[h.button(type="submit")["Solve it with nobody bound"]],
    ]


def _bind(job: Job, node: Decision, betting: str) -> Renderable:
    """A form that binds whoever is to move to what is written there, and has the rest solved against it."""
    overall = zip(node.moves, node.overall.tolist(), strict=True)
    return h.details("#bind")[
        h.summary[f"Bind {node.seat} to something else here, and solve the rest again"],
        h.form(".choices", data_post=f"/api/spots/{job.name}/locks", data_hold="")[
            h.input(type="hidden", name="betting", value=betting_in_words(job.spot, job.spot.after(betting))),
            (
                field(
                    f"{word}, %", "moves", f"{100 * often:.4g}", "number",
                    min="0", step="any", data_type="number", data_within=word,
                )
                for word, often in overall
            ),
            field("With the hands", "hands", "any", maxlength="4000"),
            h.button(type="submit")["Solve again"],
        ],
    ]  # fmt: skip


def _way(way: list[Crumb], address: Address) -> Renderable:
    """What happened on the way here, each a link back."""
    steps = [("the start", ""), *((each.word, each.betting) for each in way)]
    return h.nav(".way", aria_label="The betting so far")[
        h.ol[(h.li[h.a(href=address(text), aria_current=_last(text, steps))[word]] for word, text in steps)]
    ]


def _last(text: str, steps: list[tuple[str, str]]) -> str | None:
    return "step" if text == steps[-1][1] else None


def _cards_to_come(job: Job, betting: str, address: Address) -> list[Node]:
    """Every card that may come, to choose one."""
    left = cards_left(job.spot, betting)
    *way, last = crumbs(job.spot, job.spot.after(next(iter(left.values()))))[:-1]
    way.append(Crumb(last.word, betting.strip()))
    by_suit = {suit: [name for name in reversed(left) if name.endswith(suit)] for suit in "shdc"}
    return [
        _way(way, address),
        h.h2["Which card comes?"],
        h.div(".deck", role="group", aria_label="Cards that may come")[
            (h.div(".row")[(h.a(href=address(left[name]))[card(name)] for name in names)] for names in by_suit.values())
        ],
    ]


def _decision(job: Job, node: Decision, betting: str, address: Address) -> list[Node]:
    street = job.spot.after(betting)
    overall = dict(zip(node.moves, node.overall.tolist(), strict=True))
    told = {kind: (weight, chances) for kind, weight, chances, _, _ in node.kinds()}

    def cell(kind: str) -> Node:
        if kind not in told:
            return h.div(".cell.never")[h.span[kind]]
        moves = dict(zip(node.moves, told[kind][1].tolist(), strict=True))
        return h.a(".cell", href=f"{address(betting, kind=kind)}#{kind}")[h.span[kind], strip(moves)]

    pot = sum(street.hand.paid)
    return [
        h.div(".felt")[cards([DECK.name(each) for each in node.board], "board"), h.span(".pot")[f"pot {pot:g}"]],
        h.h2[f"{node.seat} to move ({ACTS[node.seat]})"],
        [
            h.p(".note")[f"{seat} plays so with {often:.2g} of its hands, and what is told of it was hardly learned."]
            for seat, often in node.comes.items()
            if often < SELDOM
        ],
        h.p[", ".join(f"{seat} comes here with {often:.1%} of its hands" for seat, often in node.comes.items()), "."],
        h.div(".sizes")[bars(overall)],
        _ways_on(job, betting, address),
        h.h3["What it does with each kind of hand"],
        grid(cell, "Moves by kind of hand"),
        moves_legend(node.moves),
        h.p(".note")[
            "Each kind is one bar, in each colour as long as that move is likely. Click one to see its hands."
        ],
    ]


def _ways_on(job: Job, betting: str, address: Address) -> Renderable:
    """A link for each move, or what it ends with."""
    ways = []
    for number, (word, text) in enumerate(onward(job.spot, job.spot.after(betting)).items(), 1):
        if text is None:
            ways.append(h.li[h.span(".ends")[f"{word}: the betting is over"]])
        else:
            ways.append(h.li[h.a(href=address(text), data_keys=str(number))[word, h.kbd[str(number)]]])
    return h.nav(".onward", aria_label="Go on with a move")[h.ul[ways]]


def _kinds(node: Decision) -> Renderable:
    rows = (
        (kind, f"{weight:.2f}", *(f"{chance:.1%}" for chance in chances), f"{wins:.2f}", f"{equity:.1%}")
        for kind, weight, chances, wins, equity in node.kinds()
    )
    wins, equity = node.together
    moves = (f"{chance:.1%}" for chance in node.overall)
    every = ("all", f"{node.reach.sum():.2f}", *moves, f"{wins:.2f}", f"{equity:.1%}")
    heads = "hand", "hands that come", *node.moves, "wins, chips of the pot", "equity"
    return table(heads, [*rows, every], "Exact for this solution; equity if nobody bets any more", len(node.moves) + 3)


def _combinations(node: Decision, kind: str) -> Node:
    """Every two cards of a kind."""
    rows = []
    for place in (node.reach > 0).nonzero()[0]:
        held = tuple(int(each) for each in node.hands[place])
        if kind_of(held, DECK) != kind:
            continue
        moves = (
            f"{chance:.1%} ({'?' if math.isnan(won) else f'{won:.2f}'})"
            for chance, won in zip(node.chances[place].tolist(), node.wins[place].tolist(), strict=True)
        )
        name = "".join(DECK.name(each) for each in held[::-1])
        rows.append((name, f"{node.reach[place]:.2f}", *moves, f"{node.equity[place]:.1%}"))
    if not rows:
        return h.p(".note")[f"{kind[:4]} never comes here."]
    caption = "How often each move is made, and the chips that it wins of the pot and beyond (exact for this solution)"
    heads = "hand", "comes", *node.moves, "equity"
    return h.section(id=kind, aria_label=f"The hands of {kind}")[
        h.h3[f"The hands of {kind}"], table(heads, rows, caption, len(node.moves) + 2)
    ]
