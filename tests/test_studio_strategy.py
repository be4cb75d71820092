"""The studio's pages Strategy and Compare: their numbers are the library's."""

from __future__ import annotations

import csv
import io
import math
import re
import shutil
import time
from collections import defaultdict
from html import unescape
from itertools import cycle, islice, pairwise, product
from urllib.parse import quote

import numpy as np
import pytest
from starlette.testclient import TestClient

import feint
from conftest import random_table
from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL
from feint.papers.kuhn_figures import kuhn_equilibrium
from feint.runs.checkpoint import checkpoints
from feint.runs.files import CHECKPOINTS, STRATEGY
from feint.runs.on_the_way import replayable, replayed, steps_kept, strategy_at
from feint.studio.app import make_app
from feint.studio.comparing import Comparison
from feint.studio.strategies import Pages
from feint.studio.views.card_grid import nearest_equilibrium
from feint.studio.views.parts import chips, percent, signed
from feint.studio.walking import Walk, range_against
from test_compiled import alive

HOST = "127.0.0.1:8077"
OWN = """
from feint import Game, CHANCE, TERMINAL

class Cups(Game):
    name, players, actions = "cups", 2, ("left", "right")
    def start(self): return ()
    def actor(self, state): return CHANCE if not state else TERMINAL if len(state) == 3 else len(state) - 1
    def legal(self, state): return (0, 1)
    def chance(self, state): return [(0.5, (0,)), (0.5, (1,))]
    def play(self, state, action): return (*state, action)
    def view(self, state, player): return state[:2] if player == 0 else state[1:2]
    def label(self, state, player): return f"<b>coin {state[0]}" if player == 0 else f"<b>said {state[1]}"
    def payoffs(self, state): return (-1.0, 1.0) if state[2] == state[0] else (1.0, -1.0)

def cups():
    return Cups()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A few short runs."""
    runs = tmp_path_factory.mktemp("runs")
    feint.train("cfr", "kuhn", steps=12, out=runs / "kuhn-cfr")
    feint.train("cfr+", "kuhn", steps=30, out=runs / "kuhn-plus", save_every=0.0)
    feint.train("cfr", "leduc", steps=8, out=runs / "leduc cfr")
    feint.train("fictitious-play", "rock_paper_scissors", steps=25, out=runs / "rps")
    own = runs / "own.py"
    own.write_text(OWN)
    feint.train("cfr", f"{own}:cups", steps=3, out=runs / "cups")
    return runs


@pytest.fixture(scope="module")
def client(folder):
    app = make_app(folder, folder / "hands.sqlite", (HOST,))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield client


def shown(client, path):
    """A page, once all that it waits for is there."""
    for _ in range(200):
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        assert not re.search(r'style="|<script>|onclick', answer.text)
        if "data-refresh" not in answer.text:
            return answer.text
        time.sleep(0.1)
    raise AssertionError(f"{path} never came to rest")


def sheet(client, path):
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text)))


def run_of(folder, key):
    return feint.load_run(folder / key)


def walked(game, table, tree):
    """How often each (player, view) is reached, with what the others hold, by walking the rules."""
    number = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
    reach, held = defaultdict(float), defaultdict(lambda: defaultdict(float))

    def walk(state, chance):
        actor = game.actor(state)
        if actor == TERMINAL or chance == 0:
            return
        if actor == CHANCE:
            for likely, after in game.chance(state):
                walk(after, chance * likely)
            return
        row = number[actor, game.view(state, actor)]
        reach[row] += chance
        held[row][getattr(state, "holes", ((0,), (0,)))[1 - actor][0]] += chance
        for move in game.legal(state):
            walk(game.play(state, move), chance * table[row, tree.actions.index(game.actions[move])])

    walk(game.start(), 1.0)
    return reach, held


def test_the_list_says_how_good_each_is(client, folder):
    page = shown(client, "/strategy")
    for key in ("kuhn-cfr", "leduc cfr", "feint:leduc", "feint:holdem"):
        assert f'href="/strategy/{quote(key)}"' in page
    told = {each["name"]: each for each in client.get("/api/agents").json()}
    last = run_of(folder, "kuhn-cfr").metrics[-1]["exploitability"]
    assert told["kuhn-cfr"] | {"value": last, "unit": "chips per hand", "kind": "exact"} == told["kuhn-cfr"]
    assert told["kuhn-cfr"]["how_good"] in page
    assert told["feint:holdem"]["kind"].startswith("estimate")


@pytest.mark.parametrize("key", ["kuhn-cfr", "leduc cfr", "rps", "cups"])
def test_a_strategy_s_numbers_are_the_library_s(client, folder, key):
    run = run_of(folder, key)
    tree = run.form.tree
    table, worth = run.strategy.table(tree), feint.move_values(tree, run.strategy)
    leaks = feint.deviations(tree, run.strategy)
    reach, _ = walked(tree.game, table, tree)
    rows = iter(sheet(client, f"/api/strategy/{quote(key)}.csv"))
    for row in range(len(tree.player)):
        for word, column in tree.offered(row).items():
            told = next(rows)
            assert (told["player"], told["sees"], told["move"]) == (f"{tree.player[row] + 1}", tree.labels[row], word)
            assert float(told["probability"]) == pytest.approx(table[row, column], abs=1e-12)
            value = float(told["value_chips_per_hand"] or "nan")
            assert value == pytest.approx(worth[row, column], abs=1e-9, nan_ok=True)
            assert float(told["reach"]) == pytest.approx(reach[row], abs=1e-12)
            assert float(told["given_away_chips_per_hand"]) == pytest.approx(leaks.gain[row], abs=1e-12)
            assert float(told["share"]) == pytest.approx(leaks.share[row], abs=1e-9)
            assert tree.offered(row)[told["best_response"]] == leaks.best_move[row]
    assert next(rows, None) is None


def test_kuhn_at_a_glance(client, folder):
    run, page = run_of(folder, "kuhn-cfr"), shown(client, "/strategy/kuhn-cfr")
    tree = run.form.tree
    table, worth, leaks = (
        run.strategy.table(tree),
        feint.move_values(tree, run.strategy),
        feint.deviations(tree, run.strategy),
    )
    reach, _ = walked(tree.game, table, tree)
    grid = page[page.index('id="grid"') : page.index('id="leaks"')]
    for row in range(12):
        assert f"comes {percent(reach[row])}; deviating gains {chips(leaks.gain[row]).replace('<', '&lt;')}" in grid
        for word, column in tree.offered(row).items():
            often, won = f"{table[row, column]:.1%}", signed(worth[row, column])
            cell = f'<th scope="row">{word}</th><td class="number">{often}</td><td class="number">{won}</td>'
            assert cell in grid, (tree.labels[row], word)
    near = nearest_equilibrium(tree, table)
    assert f"α = {near.alpha:.4f}</strong>, off by {near.distance:.4f}" in grid
    assert f"{run.metrics[-1]['exploitability']:.3g} chips per hand (exact)" in page
    assert page.index("<h1>") < page.index("<h2>")


def test_the_nearest_equilibrium_is_the_nearest(tree_of):
    tree = tree_of("kuhn")
    for alpha in (0.0, 0.12, 1 / 3):
        near = nearest_equilibrium(tree, kuhn_equilibrium(tree, alpha))
        assert near.alpha == pytest.approx(alpha)
        assert near.distance == pytest.approx(0.0, abs=1e-12)
    for seed in range(5):
        given = random_table(tree, seed)
        near = nearest_equilibrium(tree, given)
        tried = [
            np.square((given - kuhn_equilibrium(tree, alpha))[tree.legal]).mean()
            for alpha in np.linspace(0, 1 / 3, 1001)
        ]
        assert near.distance <= math.sqrt(min(tried)) + 1e-12
        assert near.distance == pytest.approx(math.sqrt(min(tried)), abs=1e-5)


@pytest.mark.parametrize("game", ["leduc", pytest.param("leduc_thesis", marks=pytest.mark.slow)])
def test_what_the_other_holds_is_as_the_rules_have_it(tree_of, game):
    tree = tree_of(game)
    pages = Pages(tree, random_table(tree, 3))
    reach, held = walked(tree.game, pages.table, tree)
    for row, (dealer, (own,), board, moves) in enumerate(tree.views):
        words = tree.labels[row].partition(": ")[2]
        walk = Walk.to(tree.game, words, dealer)
        assert walk.hand.moves == moves
        assert walk.hand.actor == tree.player[row]
        told = range_against(pages, walk, own, board)
        (likely,) = told.held.values()
        for card in range(tree.game.deck.kinds):
            assert likely.get(card, 0.0) == pytest.approx(held[row][card] / reach[row], abs=1e-12)
        plan, before = 1.0, int(tree.parent_sequence[row])
        while before >= 0:
            infoset, move = divmod(before, len(tree.actions))
            plan, before = plan * pages.table[infoset, move], int(tree.parent_sequence[infoset])
        assert told.comes * plan == pytest.approx(reach[row], abs=1e-12)


def test_leduc_is_walked_by_links(client, folder):
    run = run_of(folder, "leduc cfr")
    tree, path = run.form.tree, "/strategy/leduc%20cfr"
    table = run.strategy.table(tree)
    page = shown(client, path)
    assert "The first move" in page
    links = dict(re.findall(r'class="button" href="([^"]*)">(\w+)<', page))
    assert set(links.values()) == {"check", "bet"}
    after = shown(client, f"{path}?betting=check+bet+call+/+check&board=Q")
    assert "After check bet call / check" in after
    walk = after[after.index('id="walk"') : after.index('id="ranges"')]
    for row, label in enumerate(tree.labels):
        if label.endswith(": check bet call / check"):
            for word, column in tree.offered(row).items():
                assert f'<th scope="row">{word}</th><td class="number">{table[row, column]:.1%}</td>' in walk
    likely = range_against(Pages(tree, table), Walk.to(tree.game, "check bet call / check"), 2, (1,)).held[0]
    ranges = after[after.index('id="ranges"') : after.index('id="ask"')]
    cells = "".join(f'<td class="number">{percent(likely[card])}</td>' for card in (2, 1, 0))
    assert f"<td>K</td><td>1</td>{cells}" in ranges.replace(' class=""', "")
    assert "is not a move" in shown(client, f"{path}?betting=jump")
    worst = tree.labels[int(feint.deviations(tree, run.strategy).gain.argmax())]
    leaks = after[after.index('id="leaks"') :]
    assert re.search(r'href="[^"]*">([^<]*)<', leaks)[1] == worst


def test_labels_alone_are_filtered_and_paged(client, folder):
    page = shown(client, "/strategy/leduc%20cfr?filter=raise+K")
    tree = run_of(folder, "leduc cfr").form.tree
    count = sum("raise" in label and "k" in label.casefold() for label in tree.labels)
    assert f"{count} information sets, {min(count, 50)} shown" in page
    assert "page 6 of 6" in shown(client, "/strategy/leduc%20cfr?page=99")
    assert '<input type="hidden" name="dealer" value="1">' in shown(client, "/strategy/leduc%20cfr?dealer=1")
    own = shown(client, "/strategy/cups")
    assert "&lt;b&gt;coin 0" in own
    assert "<b>coin" not in own
    assert "No label has these words" in shown(client, "/strategy/cups?filter=zzz")


def test_the_simplex_shows_the_way_as_it_was(client, folder):
    run, page = run_of(folder, "rps"), shown(client, "/strategy/rps")
    assert "made again from its seed, to its end, and agrees with the log" in page
    table = run.strategy.table(run.form.tree)
    x, y = table[0] @ np.array([[180.0, 30.0], [30.0, 290.0], [330.0, 290.0]])
    assert f'cx="{x:.1f}" cy="{y:.1f}"' in page
    assert page.count("0.3333") >= 6, "the equilibrium"


def test_a_run_made_again_is_the_same(folder):
    run = run_of(folder, "kuhn-cfr")
    made = replayed(run.config, run.form, run.metrics, 60.0)
    assert made.same
    assert made.whole
    assert [stage.step for stage in made.stages] == [row["step"] for row in run.metrics]
    assert [stage.exploitability for stage in made.stages] == pytest.approx(
        [row["exploitability"] for row in run.metrics]
    )
    np.testing.assert_array_equal(made.stages[-1].table, run.strategy.table(run.form.tree))
    assert not np.allclose(made.stages[-1].latest, made.stages[-1].table)
    other = replayed(run.config, run.form, [row | {"exploitability": 9.0} for row in run.metrics], 60.0)
    assert not other.same
    assert not replayable(feint.load_run("feint:kuhn").config, run.form)


def test_runs_made_again_compile_nothing_anew(folder):
    run = run_of(folder, "kuhn-cfr")
    replayed(run.config, run.form, run.metrics, 60.0)
    held = alive()
    for _ in range(3):
        replayed(run.config, run.form, run.metrics, 60.0)
    assert alive() == held


def test_strategies_come_out_of_checkpoints(folder):
    run = run_of(folder, "kuhn-plus")
    steps = steps_kept(run.path)
    assert steps[-1] == 30
    assert len(steps) > 1
    for step in steps:
        logged = {row["step"]: row["exploitability"] for row in run.metrics}
        found = feint.exploitability(run.form.tree, strategy_at(run.path, step, run.form))
        if step in logged:
            assert found == pytest.approx(logged[step], abs=1e-9)
    np.testing.assert_array_equal(
        strategy_at(run.path, 30, run.form).table(run.form.tree), run.strategy.table(run.form.tree)
    )
    with pytest.raises(BadInput, match="keeps no checkpoint of step 7"):
        strategy_at(run.path, 7, run.form)


def test_a_damaged_checkpoint_is_not_read(folder, tmp_path):
    run = feint.train("cfr", "kuhn", steps=2, out=tmp_path / "run")
    _, path = checkpoints(run.path / CHECKPOINTS)[0]
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(BadInput, match="is damaged"):
        strategy_at(run.path, 2, run.form)


@pytest.mark.parametrize(
    ("key", "spot", "betting", "board"),
    [
        ("kuhn-cfr", "Q", "check bet", ""),
        ("kuhn-cfr", "K: bet", "", ""),
        ("leduc cfr", "K", "check bet call", "Q"),
        ("cups", "<b>said 1", "", ""),
    ],
)
def test_asking_about_a_spot_is_feint_ask(client, folder, key, spot, betting, board):
    asked = {"spot": spot, "betting": betting, "board": board}
    told = client.get("/api/ask", params={"agent": key} | asked).json()
    answer = feint.ask(run_of(folder, key), spot, board, betting)
    assert told["sees"] == answer.sees
    assert told["player"] == answer.player + 1
    assert told["moves"] == pytest.approx(answer.moves)
    assert told["values"] == pytest.approx(answer.values)
    assert (told["unit"], told["kind"]) == ("chips per hand", "exact")
    page = client.get(f"/strategy/{quote(key)}/ask", params=asked).text
    for word, often in answer.moves.items():
        assert f'<th scope="row">{word}</th>' in page
        assert f"{often:.1%}" in page
    assert "Ask about this spot" in shown(client, f"/strategy/{quote(key)}")


def test_what_cannot_be_is_refused_in_a_sentence(client):
    for path, status, words in (
        ("/api/ask?agent=kuhn-cfr&spot=Z", 400, "is no card of kuhn"),
        ("/api/ask?agent=nobody&spot=Q", 404, "There is no player called"),
        ("/api/ask?agent=random&spot=Q", 400, "say which"),
        ("/api/ask?agent=kuhn-cfr", 422, "spot"),
        ("/api/strategy/../x.csv", 404, "no such page"),
        ("/api/strategy/nobody.csv", 404, "no run and no agent"),
        ("/strategy/nobody", 404, "no run and no agent"),
        ("/compare?first=nobody", 404, "no run and no agent"),
        ("/api/compare.csv?first=kuhn-cfr&second=rps", 400, "choose two of one game"),
    ):
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (status, True), (path, answer.text[-400:])
    told = client.get("/api/ask?agent=random&game=kuhn&spot=Q").json()
    assert told["moves"] == {"check": 0.5, "bet": 0.5}
    assert "is no card of kuhn" in client.get("/strategy/kuhn-cfr/ask?spot=Z").text


def test_comparing_two_strategies(client, folder):
    one, other = run_of(folder, "kuhn-cfr"), run_of(folder, "kuhn-plus")
    tree = one.form.tree
    first, second = one.strategy.table(tree), other.strategy.table(tree)
    rows = sheet(client, "/api/compare.csv?first=kuhn-cfr&second=kuhn-plus")
    assert len(rows) == 24
    weights = [float(row["apart_times_reach"]) for row in rows]
    assert all(before >= after for before, after in pairwise(weights))
    reaches = [walked(tree.game, table, tree)[0] for table in (first, second)]
    for told in rows:
        row = next(
            row for row in range(12) if (tree.labels[row], f"{tree.player[row] + 1}") == (told["sees"], told["player"])
        )
        column = tree.offered(row)[told["move"]]
        assert float(told["first"]) == pytest.approx(first[row, column], abs=1e-12)
        assert float(told["second"]) == pytest.approx(second[row, column], abs=1e-12)
        assert float(told["difference"]) == pytest.approx(second[row, column] - first[row, column])
        assert float(told["apart"]) == pytest.approx(abs(first[row] - second[row]).sum() / 2)
        assert float(told["reach"]) == pytest.approx((reaches[0][row] + reaches[1][row]) / 2)
    page = shown(client, "/compare?first=kuhn-cfr&second=kuhn-plus")
    for strategy in (one.strategy, other.strategy):
        assert f"{feint.exploitability(tree, strategy):.6g} chips per hand (exact)" in page
    assert page.index(f">{rows[0]['sees']}<") < page.index(f">{rows[-1]['sees']}<")
    assert "rps (rock_paper_scissors)" in page


def test_a_slider_goes_over_training(client, folder):
    run = run_of(folder, "kuhn-plus")
    step = run.metrics[0]["step"]
    page = shown(client, f"/compare?first=kuhn-plus&second=kuhn-plus&first_at={step}")
    slider = re.search(r'<input[^>]*name="first_at"[^>]*>', page)[0]
    assert 'type="range"' in slider
    assert "data-submit" in slider
    assert f'data-places="{step} ' in slider
    assert 'value="0"' in slider
    assert f"kuhn-plus at step {step}" in page
    assert f"{run.metrics[0]['exploitability']:.6g} chips per hand (exact)" in page
    same = Comparison(*[Pages(run.form.tree, run.strategy.table(run.form.tree))] * 2)
    assert same.apart.max() == 0


def test_addresses_tell_the_step_and_nothing_for_the_end(client, folder):
    """So they mean the same when more or fewer steps can be had."""
    run = run_of(folder, "kuhn-plus")
    step, last = (run.metrics[place]["step"] for place in (0, -1))
    page = shown(client, f"/compare?first=kuhn-plus&second=kuhn-plus&first_at={step}&second_at={last}")
    (address,) = re.findall(r'href="(/api/compare.csv[^"]*)"', page)
    assert unescape(address) == f"/api/compare.csv?first=kuhn-plus&second=kuhn-plus&first_at={step}"
    rows = sheet(client, unescape(address))
    assert {(row["first_step"], row["second_step"]) for row in rows} == {(f"{step}", f"{last}")}
    table, tree = strategy_at(run.path, step, run.form).table(run.form.tree), run.form.tree
    number = {(f"{tree.player[row] + 1}", label): row for row, label in enumerate(tree.labels)}
    for told in rows:
        row = number[told["player"], told["sees"]]
        assert float(told["first"]) == pytest.approx(table[row, tree.offered(row)[told["move"]]], abs=1e-9)


def test_a_step_that_cannot_be_had_is_refused_and_others_can_be_chosen(client):
    pair = "first=kuhn-plus&second=kuhn-cfr&first_at=99"
    page = shown(client, f"/compare?{pair}")
    assert "The strategy of kuhn-plus at step 99 cannot be had now" in page
    assert 'name="second"' in page
    refused = client.get(f"/api/compare.csv?{pair}")
    assert (refused.status_code, "at step 99" in refused.text) == (400, True)


def test_a_run_that_cannot_be_read_leaves_others_to_choose_from(client, folder):
    damaged = folder / "damaged"
    shutil.copytree(folder / "kuhn-cfr", damaged)
    (damaged / STRATEGY).write_bytes(b"no strategy")
    try:
        page = shown(client, "/compare?first=damaged&second=kuhn-cfr")
    finally:
        shutil.rmtree(damaged)
    assert 'class="failed" role="alert"' in page
    assert "kuhn-plus (kuhn)" in page


STRANGE = (
    "\0",
    "../../etc/passwd",
    "<script>",
    "/ / /",
    "raise " * 15,
    "🂡",
    "-1",
    "K" * 90,
    "%s{0}",
    "call / / bet",
    "Kx,♥",
)


@pytest.mark.parametrize("key", ["kuhn-cfr", "leduc cfr", "cups"])
def test_strange_words_are_answered_in_a_sentence(client, key):
    shown(client, f"/strategy/{quote(key)}")
    paths = f"/strategy/{quote(key)}", f"/strategy/{quote(key)}/ask", f"/compare?first={quote(key)}"
    ways = cycle(product(paths, ("betting", "board", "filter", "spot")))
    for words in STRANGE:
        for name in ("spot", "board", "betting"):
            answer = client.get("/api/ask", params={"agent": key, "spot": "K"} | {name: words})
            assert answer.status_code in (200, 400), (name, words, answer.text)
        for path, name in islice(ways, 4):  # every way with several of the words
            answer = client.get(path, params={"first": key, name: words})
            assert answer.status_code == 200, (path, name, words, answer.text[-300:])
            assert "<script>" not in answer.text
    assert client.get(f"/strategy/{quote(key)}?betting={'a' * 301}").status_code == 422
    assert client.get(f"/strategy/{quote(key)}?dealer=9").status_code == 200
    assert client.get(f"/strategy/{quote(key)}?page=0").status_code == 422
