"""Spots that are solved in the background, one at a time, and what there is to see of the last few."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import final

from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.games.hand import Menu
from feint.games.postflop import DECK, Spot
from feint.games.spot_words import SEATS
from feint.games.streets import Street
from feint.public.room import lacking, room
from feint.public.tree import PublicSize
from feint.solvers.spot_trees import spot_size
from feint.solvers.spots import Node, Progress, Solution, solve
from feint.studio.index import NotHere
from feint.studio.visit import Late
from feint.tree.memory import gigabytes

MOST_WAITING = 4
"""Spots that may wait for the one that is being solved."""
MOST_KEPT = 12
MOST_CELLS = 100_000_000
"""Numbers in the tables of all spots that are kept together; the oldest are forgotten."""
FEWEST = Menu((0.5,), ())
"""The bets that a spot is counted with to say what would fit."""
MOST_NODES = 200
"""Decisions of one spot that are held ready."""


@final
class Job:
    """A spot that is to be solved, is being solved or was."""

    def __init__(self, name: str, spot: Spot, share: float, seconds: float) -> None:
        self.name, self.spot, self.share, self.seconds = name, spot, share, seconds
        self.cells = 0
        """Numbers in its tables, once they are counted."""
        self.begun, self.stopped = False, threading.Event()
        self.curve: list[Progress] = []
        """Exploitability as it fell."""
        self.solution: Solution | None = None
        self.failed: str | None = None
        """Why there is no solution, in a sentence."""
        self.nodes: OrderedDict[str, Future[Node]] = OrderedDict()

    @property
    def state(self) -> str:
        if self.failed:
            return "failed"
        if self.solution:
            return "solved"
        return "solving" if self.begun else "waiting"

    @property
    def over(self) -> bool:
        return self.failed is not None or self.solution is not None

    def work(self) -> None:
        """Solve it, unless somebody has stopped it before."""
        if self.stopped.is_set():
            self.failed = "This was stopped before its turn came; solve it again."
            return
        self.begun = True
        try:
            self.cells = self._counted()
            self.solution = solve(
                self.spot, self.share, seconds=self.seconds, progress=self.curve.append, stop=self.stopped.is_set
            )
        except BadInput as error:
            self.failed = str(error)
        except Exception as error:  # the next one is to be solved all the same
            self.failed = (
                f"This spot could not be solved ({type(error).__name__}: {str(error)[:200]}); make it smaller."
            )

    def _counted(self) -> int:
        """How large it is, if that is not too much. Walking large betting takes seconds, so nobody waits for it."""
        size = spot_size(self.spot)
        cells = sum(size.cells)
        if cells > MOST_CELLS:
            raise BadInput(
                f"The spot on {self.spot.board} has {cells:,} numbers to find, and the studio holds {MOST_CELLS:,}; "
                f"{_what_fits(self.spot, size)}"
            )
        return cells


def _what_fits(spot: Spot, size: PublicSize) -> str:
    """What the studio would take in place of a spot, and whether this machine takes it as it is."""
    later = ", or a later street" if len(spot.streets) > 1 else ""
    fewer = spot_size(replace(spot, menus=FEWEST, locks=()))
    those = (
        f"it takes ranges of about {_hands_that_fit(size):,} hands together, where these have {size.hands[0]:,}, or of "
        f"about {_hands_that_fit(fewer):,} with one bet of {FEWEST.bets[0]:g} pot and all-in{later}"
    )
    free = lacking(size)
    if free is None:
        return f"{those}; feint solve takes the spot as it is."
    return (
        f"{those}. For the spot as it is this machine has too little memory: {gigabytes(room(size))} are needed, and "
        f"{gigabytes(free)} are free."
    )


def _hands_that_fit(size: PublicSize) -> int:
    """How many of the hands there are the studio has room for, all of them at most."""
    return min(size.hands[0], size.hands[0] * MOST_CELLS // sum(size.cells))


@final
@dataclass
class Spots:
    """All of them: one is solved at a time, a few wait, and the last that were solved are kept."""

    _jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _solver: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "spots"))
    _looker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "looks"))

    def ask(self, spot: Spot, share: float, seconds: float) -> Job:
        """Have a spot solved, as soon as those before it are."""
        with self._lock:
            if sum(not job.over for job in self._jobs.values()) > MOST_WAITING:
                raise Late(f"{MOST_WAITING} spots are waiting already; stop one, or wait.")
            job = Job(secrets.token_hex(4), spot, share, seconds)
            self._jobs[job.name] = job
            self._forget()
        self._solver.submit(self._solved, job)
        return job

    def find(self, name: str) -> Job:
        """A spot by its name."""
        with self._lock:
            if name not in self._jobs:
                raise NotHere("There is no such spot, or it was forgotten since; solve it again.")
            return self._jobs[name]

    def all(self) -> list[Job]:
        """Those that there are, the newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def stop(self, name: str) -> Job:
        """Leave a spot as it is by now."""
        job = self.find(name)
        job.stopped.set()
        return job

    def node(self, job: Job, betting: str, seconds: float) -> Node | None:
        """What a solution says after some betting; None if that takes longer than this."""
        key = betting_in_words(job.spot, job.spot.after(betting))
        if (solution := job.solution) is None:
            raise Late("This spot is not solved yet; wait for it.")
        with self._lock:
            if (asked := job.nodes.get(key)) is None:
                asked = job.nodes[key] = self._looker.submit(solution.at, key)
                while len(job.nodes) > MOST_NODES:
                    job.nodes.popitem(last=False)
        try:
            return asked.result(seconds)
        except TimeoutError:
            return None

    def close(self) -> None:
        for job in self.all():
            job.stopped.set()
        for pool in (self._solver, self._looker):
            pool.shutdown(wait=False, cancel_futures=True)

    def _solved(self, job: Job) -> None:
        job.work()
        with self._lock:
            self._forget()
        if job.solution is not None:
            self.node(job, "", 0)  # people look at the start first, and that takes seconds

    def _forget(self) -> None:
        """Let go of the oldest that are over, as far as there is too much."""
        for job in list(self._jobs.values())[:-1]:
            held = sum(each.cells for each in self._jobs.values())
            if job.over and (len(self._jobs) > MOST_KEPT or held > MOST_CELLS):
                del self._jobs[job.name]


@final
@dataclass(frozen=True)
class Crumb:
    """One thing that happened on the way to a decision."""

    word: str
    """A move with who made it, or a card."""
    betting: str
    """All that was bet and dealt up to it, as `Solution.at` takes it."""


def crumbs(spot: Spot, street: Street) -> list[Crumb]:
    """Everything that happened on the way to a decision."""
    game, text, found = spot.game, "", list[Crumb]()
    names = {player: seat for seat, player in SEATS.items()}
    hand = game.deal_until_a_turn(game.start())
    for number, moves in enumerate(street.hand.moves):
        if number:
            card = DECK.name(street.dealt[number - 1][0])
            text = f"{text} / {card}"
            found.append(Crumb(card, text))
        for move in moves:
            word = game.spoken(hand, move)
            text = f"{text} {word}".strip()
            found.append(Crumb(f"{names[hand.actor]} {word}", text))
            hand = game.deal_until_a_turn(game.play(hand, move))
    return found


def betting_in_words(spot: Spot, street: Street) -> str:
    """The same text for the same betting, however it was written."""
    way = crumbs(spot, street)
    return way[-1].betting if way else ""


def onward(spot: Spot, street: Street) -> dict[str, str | None]:
    """Each move with the betting that it leads to, a slash at its end where a card is to come; None for the end."""
    game, before = spot.game, betting_in_words(spot, street)
    found = dict[str, str | None]()
    for move in game.legal(street.hand):
        word = game.spoken(street.hand, move)
        after = game.play(street.hand, move)
        text, later = f"{before} {word}".strip(), game.deal_until_a_turn(after)
        found[word] = None if later.actor == TERMINAL else text if after.actor >= 0 else f"{text} /"
    return found


def cards_left(spot: Spot, betting: str) -> dict[str, str]:
    """The cards that may come after betting that ends a street, with the betting that each leads to."""
    before = betting.strip().removesuffix("/").strip()
    names = [DECK.name(card) for card in range(DECK.kinds) if card not in spot.cards]
    gone = {word.capitalize() for word in before.replace("/", " ").split()}
    left = [name for name in names if name not in gone]
    spot.after(f"{before} / {left[0]}")  # which refuses what cannot be
    return {name: f"{before} / {name}" for name in left}
