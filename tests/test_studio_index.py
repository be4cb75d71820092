"""What the studio knows by name, while runs change under it and several threads ask at once."""

from __future__ import annotations

import gc
import shutil
import weakref
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import feint
from feint import train
from feint.cli.studio import studio as open_studio
from feint.evaluate.measure import CHIPS, EXACT, LOWER_BOUND, Measure
from feint.games.errors import BadInput
from feint.runs.files import PROVENANCE
from feint.runs.folder import keep_bound
from feint.studio.choosing import choose, made_again
from feint.studio.index import Index, NotHere
from feint.studio.later import Later
from feint.studio.leagues import League
from feint.studio.pages.league_api import table_csv
from feint.studio.strategies import book_of
from feint.studio.thinkers import Thinkers
from feint.studio.trainings import Trainings


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return feint.train("cfr", "kuhn", steps=3, out=tmp_path_factory.mktemp("runs") / "mine").path


@pytest.fixture
def index(trained: Path, tmp_path: Path) -> Index:
    """Of a folder with one run."""
    shutil.copytree(trained, tmp_path / "mine")
    return Index(tmp_path, Thinkers())


def test_bounds_found_meanwhile_are_told(index: Index, tmp_path: Path) -> None:
    assert index.one("mine").bound is None
    run = feint.load_run(tmp_path / "mine")
    bound = Measure("exploitability", 0.2, CHIPS, LOWER_BOUND, 0.1, 0.3, 1000)
    keep_bound(run, bound, run.form)
    assert index.one("mine").bound == bound


def test_runs_that_go_on_while_they_are_looked_at_are_told_of_in_a_sentence(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = index.one("mine")
    (tmp_path / "mine" / PROVENANCE).unlink()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Path, "exists", lambda _: True)  # it was, a moment ago
        assert not index.one("mine").finished
    monkeypatch.setattr(index, "one", lambda _: before)
    for ask in (index.run, lambda key: book_of(index, key)):
        with pytest.raises(BadInput, match="is not a finished run"):
            ask("mine")


SMALL = "kuhn", "leduc", "matching_pennies", "leduc_no_limit"


@pytest.mark.parametrize("game", SMALL)
def test_those_are_offered_who_can_sit_down(index: Index, game: str) -> None:
    form, offered = index.form(game), index.opponents(game)
    for name, config in index.players().items():
        try:
            config.at(form, 0).close()
        except BadInput:
            assert name not in offered, name
        else:
            assert name in offered, name


@pytest.mark.parametrize(
    ("game", "missing"),
    [
        ("holdem", {"modeller", "counter", "open-spiel", "resolver"}),
        ("holdem_no_limit", {"modeller", "counter", "open-spiel", "resolver", "rlcard", "raise"}),
        ("leduc(players=3)", {"modeller", "counter", "resolver", "rlcard", "rule-bot"}),
    ],
)
def test_nobody_is_offered_whom_a_large_game_refuses(index: Index, game: str, missing: set[str]) -> None:
    assert set(index.players()) - set(index.opponents(game)) == missing


def test_whoever_is_offered_at_a_game_of_a_run_sits_down(tmp_path: Path) -> None:
    """Also where the game is none of the library's list."""
    game = "kuhn(players=3)"
    train("cfr+", game, steps=2, out=tmp_path / "three")
    index = Index(tmp_path, Thinkers())
    for name in index.opponents(game):
        assert index.opponent(name, game).form.players == 3, name
    with pytest.raises(NotHere, match="There is no game called"):
        index.opponent("random", "kuhn(players=4)")


def test_only_finished_runs_are_had(index: Index, tmp_path: Path) -> None:
    assert index.finished("mine") == index.one("mine")
    (tmp_path / "mine" / PROVENANCE).unlink()
    with pytest.raises(BadInput, match="mine is not finished yet; wait for it, or stop it"):
        index.finished("mine")


def test_what_cannot_be_made_is_not_being_made_any_more(index: Index) -> None:
    def fails() -> None:
        raise BadInput("That cannot be.")

    with pytest.raises(BadInput, match="cannot be"):
        index.ready("it", fails)
    assert index._making == {}
    assert index.ready("it", lambda: 3) == 3


def test_no_run_is_given_the_way_of_another_that_is_gone() -> None:
    """A book whose way waits to be fetched stays, so that no other one can be taken for it."""

    class Told:
        def made_again(self, *_: Any) -> str:
            return "its way"

    later, book = Later(), Told()
    listed: Any = SimpleNamespace(config=None, metrics=[])
    gone = weakref.ref(book)
    made_again(later, listed, book, 0.0)  # type: ignore[arg-type]
    wait(later._work.values())
    del book
    gc.collect()
    assert gone() is not None or not later._work
    later.close()


def test_no_run_is_given_the_strategy_of_another_that_it_took_the_place_of(index: Index, tmp_path: Path) -> None:
    """However long what was worked out of that one has waited to be fetched."""
    later = Later()
    assert choose(index, later, "mine", None, 0.0) is None
    wait(later._work.values())
    shutil.rmtree(tmp_path / "mine")
    other = feint.train("cfr", "kuhn", steps=9, out=tmp_path / "mine")
    chosen = choose(index, later, "mine", None, None)
    assert chosen is not None
    assert chosen.reached == 9
    assert chosen.book.pages is not None
    np.testing.assert_allclose(chosen.book.pages.table, other.strategy.table(chosen.book.pages.tree), atol=1e-12)
    later.close()


class Growing(dict[Any, Any]):
    """Somebody adds to it whenever somebody else goes over it."""

    def items(self) -> Iterator[Any]:  # type: ignore[override]
        for pair in super().items():
            yield pair
            self[len(self)] = None


def test_leagues_that_are_being_played_are_had_as_a_table() -> None:
    won = Measure("winnings", 0.5, CHIPS, EXACT)
    assert League("it", "kuhn", ("a", "b", "c"), 100, 0, left_out={"c": "why"}).pairs == 1, "nobody has sat down yet"
    league = League("it", "kuhn", ("a", "b"), 100, 0, won=Growing({("a", "b"): won, ("b", "a"): won.times(-1)}))
    leagues = SimpleNamespace(find=lambda _: league)
    request: Any = SimpleNamespace(app=SimpleNamespace(state=SimpleNamespace(studio=SimpleNamespace(leagues=leagues))))
    assert bytes(table_csv(request, "it").body).decode().splitlines()[1:] == [
        "a,b,0.5,chips per hand,exact,,,", "b,a,-0.5,chips per hand,exact,,,",
    ]  # fmt: skip


def test_trainings_begin_while_they_are_listed(tmp_path: Path) -> None:
    trainings = Trainings(tmp_path)
    trainings._known = Growing({"one": "going", "two": "going"})
    listed: Any = [SimpleNamespace(key="one")]
    assert trainings.unlisted(listed) == {"two": "going"}


@pytest.mark.parametrize("kind", ["damaged", "no file"])
def test_hands_that_cannot_be_kept_are_told_of_in_a_sentence(tmp_path: Path, kind: str) -> None:
    kept = tmp_path / "hands.sqlite"
    if kind == "damaged":
        kept.write_bytes(b"no database at all" * 100)
    else:
        kept.mkdir()
    with pytest.raises(BadInput, match=r"hands\.sqlite cannot keep the hands that are played \(.*\); .* --runs"):
        open_studio(port=0, runs=tmp_path, browser=False)


def test_folders_that_cannot_be_made_are_told_of_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(BadInput, match=r"cannot keep the hands that are played \(.*\); .* --runs"):
        open_studio(port=0, runs=tmp_path / "runs", browser=False)
