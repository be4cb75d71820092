"""The studio in a real browser: hands played by clicking and by keyboard, every page looked at, nothing in the console.

Chromium is found by itself; where it is missing, `apt-get install chromium` brings it. With SCREENSHOTS=docs/studio the
pictures of the documentation are made anew.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from itertools import combinations
from pathlib import Path

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, sync_playwright

import feint
from feint.studio.app import make_app
from feint.studio.page import tabs

QUIET = ["background-networking", "component-update", "gpu", "quic", "sync"]  # nothing but the studio is called
FLAGS = ["--no-sandbox", "--no-first-run", *(f"--disable-{each}" for each in QUIET)]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = os.environ.get("SCREENSHOTS")
SOON = 120_000
"""Milliseconds; a busy machine compiles slowly."""

if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("no chromium here: apt-get install chromium", allow_module_level=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("studio") / "runs"


@pytest.fixture(scope="module")
def address(runs):
    """A studio that runs as `feint studio` does."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    app = make_app(runs, runs.parent / "hands.sqlite", (host,))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://{host}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "no chromium here: apt-get install chromium"
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture
def page(browser, address):
    """A page on which nothing may go wrong unseen."""
    context = browser.new_context(viewport={"width": 1000, "height": 850}, base_url=address)
    page, wrong = context.new_page(), []
    page.set_default_timeout(SOON)
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []


def sit_down(page: Page, game: str, opponent: str) -> None:
    page.goto(f"/?game={game}")
    page.select_option("select[name=opponent]", opponent)
    page.get_by_role("button", name="Deal", exact=True).click()
    page.wait_for_url("**/tables/**")


def play_hand(page: Page, by_keyboard: bool) -> None:
    """One hand to its end, always with the move in the middle."""
    while True:
        page.wait_for_selector(".moves, .review")
        if page.query_selector(".review"):
            return
        before = page.locator("input[name=turn]").input_value()
        if by_keyboard:
            keys = page.locator(".moves button").evaluate_all("all => all.map(each => each.dataset.keys)")
            page.keyboard.press(keys[len(keys) // 2].split()[-1])
        else:
            buttons = page.locator(".moves button")
            buttons.nth(buttons.count() // 2).click()
        page.wait_for_function(
            "turn => { const now = document.querySelector('input[name=turn]'); "
            "return document.querySelector('.review') || (now && now.value !== turn); }",
            arg=before,
        )


def play_hands(page: Page, game: str, opponent: str, hands: int) -> None:
    sit_down(page, game, opponent)
    for number in range(hands):
        by_keyboard = number % 2 == 0
        play_hand(page, by_keyboard)
        assert f"Hand {number + 1}." in page.locator(".lead").inner_text()
        assert page.locator("dl.score dd").first.inner_text() == str(number + 1)
        if by_keyboard:
            page.keyboard.press("n")
        else:
            page.get_by_role("button", name="Next hand").click()
        page.wait_for_selector(f"text=Hand {number + 2}.")


GAMES = [
    ("kuhn", "feint:kuhn"),
    ("leduc", "feint:leduc"),
    ("rock_paper_scissors", "random"),
    ("holdem", "feint:holdem"),
    ("leduc_no_limit", "rule-bot"),
]


@pytest.mark.parametrize(("game", "opponent"), GAMES[1:2])
def test_hands_are_played_by_clicking_and_by_keyboard(page, game, opponent):
    play_hands(page, game, opponent, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "opponent"), GAMES)
def test_ten_hands_of_each_game(page, game, opponent):
    play_hands(page, game, opponent, 10)


def looked_at(page: Page, name: str) -> None:
    """A page as it is seen: nothing beyond its width on a phone, nothing serious for those who cannot see it."""
    for width, height in ((1000, 850), (390, 800)):
        page.set_viewport_size({"width": width, "height": height})
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{name} is {over} pixels too wide at {width}"
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{PICTURES}/{name}{'' if width == 1000 else '-phone'}.png", full_page=True)
    found = Axe().run(page).response["violations"]
    serious = [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]
    assert serious == [], name


def test_every_page_is_fit_to_be_seen(page):
    for tab in tabs():
        page.goto(tab.path)
        settled(page)
        looked_at(page, tab.title.lower())


def test_nothing_is_cut_where_the_page_is_narrow(page):
    page.set_viewport_size({"width": 390, "height": 850})
    for path in ("/", "/strategy", "/runs", "/hands"):
        page.goto(path)
        for region in page.locator(".scroll").all():
            assert region.evaluate("each => each.scrollWidth <= each.clientWidth"), path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.goto("/solve")
    names = page.locator(".grid13 button")
    size = "all => all.map(each => [parseFloat(getComputedStyle(each).fontSize), each.scrollWidth - each.clientWidth])"
    assert all(pixels >= 11 and over <= 0 for pixels, over in names.evaluate_all(size))


def test_a_table_is_fit_to_be_seen_in_light_and_dark(page):
    sit_down(page, "holdem", "feint:holdem")
    page.wait_for_selector(".moves")
    looked_at(page, "table")
    page.emulate_media(color_scheme="dark")
    looked_at(page, "table-dark")
    page.keyboard.press("?")
    page.wait_for_selector("text=in your place")
    play_hand(page, by_keyboard=True)
    looked_at(page, "review-dark")
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    looked_at(page, "review")


def settled(page: Page) -> None:
    """Wait until the page asks no more how something stands."""
    page.wait_for_function("() => !document.querySelector('main [data-refresh]')")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leduc", "holdem"])
def test_large_strategies_are_fit_to_be_seen(page, name):
    page.goto(f"/strategy/feint:{name}")
    settled(page)
    looked_at(page, f"strategy-{name}")


def test_a_strategy_is_fit_to_be_seen_and_true(page):
    page.goto("/strategy/feint:kuhn")
    settled(page)
    looked_at(page, "strategy-kuhn")
    gap = feint.nash_conv(feint.unroll("kuhn"), feint.load_run("feint:kuhn").strategy)
    assert f"{gap:.5f}" in page.inner_text("main")
    page.fill("input[name=spot]", "K")
    page.get_by_role("button", name="Ask").click()
    bet = feint.ask("feint:kuhn", "K").moves["bet"]
    page.wait_for_selector(f"text={bet:.1%}")


@pytest.mark.slow
def test_a_spot_is_solved_and_walked(page):
    page.goto("/solve")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector(".grid13.told")
    settled(page)
    looked_at(page, "solved")
    page.keyboard.press("1")
    page.wait_for_selector("text=ip to move")


def test_what_is_painted_comes_on_top_of_what_was_just_written(page):
    """The grid has not heard of it yet when the pointer comes."""
    page.goto("/solve")
    page.fill("#oop", "QQ+,AK")
    page.locator('[data-paints="oop"] [data-hand="22"]').click()
    page.wait_for_function("() => document.getElementById('oop').value.includes('22')")
    assert set(page.locator("#oop").input_value().split(",")) == {"AA", "KK", "QQ", "AKs", "AKo", "22"}
    page.locator('[data-paints="oop"] [data-hand="QQ"]').click()
    page.wait_for_function("() => !document.getElementById('oop').value.includes('QQ')")


@pytest.mark.slow
def test_a_player_is_bound_where_bets_differ(page):
    page.goto("/solve")
    for name, value in {"oop": "AA,65s", "ip": "QQ", "board": "KsKh7d4c2s", "stack": "10", "raises": ""}.items():
        page.fill(f"[name={name}]", value)
    page.click("#other-bets summary")
    page.fill("[name='menus.river.oop.bets']", "0.5")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector(".grid13.told")
    settled(page)
    page.click("#bind summary")
    for word, often in {"check": "100", "0.5 pot": "0", "all-in": "0"}.items():
        page.fill(f"[data-within='{word}']", often)
    page.get_by_role("button", name="Solve again").click()
    page.wait_for_selector(".locks")
    settled(page)
    assert "oop after the start: check 100.0%, 0.5 pot 0.0%, all-in 0.0%, with any hand" in page.inner_text(".locks")
    looked_at(page, "bound")


def asked_again(page: Page) -> list[Route]:
    """Let the page look again whether something has changed, and hold the answer back."""
    held: list[Route] = []
    page.route(page.url, lambda route: held.append(route), times=1)
    page.evaluate("() => { show(location.pathname + location.search, true).catch(failed); }")
    while not held:
        page.wait_for_timeout(20)
    return held


def answered(page: Page, held: list[Route]) -> None:
    """Let the answer come that was held back."""
    held[0].fulfill(status=200, content_type="text/html", body='<title>Old</title><main id="main">The old page.</main>')
    page.wait_for_timeout(300)
    assert "The old page." not in page.inner_text("main")


def test_an_answer_that_comes_late_is_not_shown(page):
    page.goto("/hands")
    held = asked_again(page)
    page.evaluate("show('/runs', false)")
    answered(page, held)
    assert page.url.endswith("/runs")


def test_who_leaves_a_table_is_not_brought_back_to_it(page):
    sit_down(page, "kuhn", "feint:kuhn")
    page.wait_for_selector(".moves, .review")
    held = asked_again(page)
    page.get_by_role("button", name="Leave the table").click()
    page.wait_for_function("() => location.pathname === '/'")
    answered(page, held)
    assert page.evaluate("location.pathname") == "/"


def test_a_slider_sends_the_step_and_nothing_for_the_end(page, runs):
    feint.train("cfr+", "kuhn", steps=30, out=runs / "slid", save_every=0.0)
    page.goto("/compare?first=slid&second=feint:kuhn")
    settled(page)
    page.focus("#first_at")
    page.keyboard.press("Home")
    page.wait_for_selector("text=First: at step 1")
    assert page.url.endswith("/compare?first=slid&second=feint%3Akuhn&first_at=1")
    page.keyboard.press("End")
    page.wait_for_selector("text=First: at its end")
    assert page.url.endswith("/compare?first=slid&second=feint%3Akuhn")


@pytest.mark.slow
def test_two_agents_of_holdem_are_compared_hand_by_hand(page, runs):
    tiny = {"tables": 16, "network.hidden": [8], "replay": {"kind": "rows", "capacity": 200}}
    tiny |= {"average": {"kind": "reservoir", "capacity": 200}}
    run = feint.train("nfsp", "holdem", settings=tiny, steps=200, out=runs / "beginner", save_every=0.0)
    page.goto("/compare?first=feint:holdem&second=beginner")
    settled(page)
    assert page.locator(".chart.differing g").count() == 169
    assert page.locator(".chart.differing .change:not(.same)").count() > 100
    looked_at(page, "compared-holdem")
    page.get_by_text("The other 157 kinds of hands").click()
    aces = page.locator("#differences tr", has=page.locator("td >> text=/^AA$/")).first.inner_text()
    for each in ("feint:holdem", run):
        pairs = [feint.ask(each, f"A{one}A{other}").moves["raise"] for one, other in combinations("shdc", 2)]
        assert f"{sum(pairs) / 6:.1%}" in aces
    page.focus("#second_at")
    page.keyboard.press("Home")
    page.wait_for_selector("text=Second: at step")
    settled(page)
    assert page.locator(".chart.differing g").count() == 169
    page.fill("input[name=betting]", "raise call")
    page.fill("input[name=board]", "Ks7h2d")
    page.get_by_role("button", name="Show").click()
    page.wait_for_selector("text=After raise call")
    settled(page)
    assert page.locator(".chart.differing g").count() == 169


def test_a_hand_is_replayed_step_by_step(page):
    sit_down(page, "leduc", "feint:leduc")
    play_hand(page, by_keyboard=True)
    page.get_by_role("link", name="Replay this hand").click()
    page.wait_for_url("**/hands/**")
    looked_at(page, "hand")
    before = page.inner_text("main")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.getElementById('main').innerText !== before", arg=before)


@pytest.mark.slow
def test_a_run_is_started_stopped_resumed_and_compared(page):
    page.goto("/train?game=kuhn&algorithm=cfr%2B")
    page.wait_for_selector("#start")
    page.fill("input[name=name]", "mine")
    page.click("#start")
    page.wait_for_url("**/runs/mine")
    page.wait_for_selector(".curve .line")
    page.click("#stop")
    page.wait_for_selector("#resume")
    page.fill("input[name=seconds]", "1")
    page.click("#resume")
    page.wait_for_selector("#resume", state="detached")
    page.wait_for_selector("text=Play against it")
    looked_at(page, "run")
    page.goto("/compare?first=mine&second=feint:kuhn")
    settled(page)
    looked_at(page, "compared")


def test_a_league_is_played(page):
    page.goto("/league?game=kuhn")
    page.wait_for_selector("#play-league")
    page.click("#play-league")
    page.wait_for_url("**/league/**")
    settled(page)
    page.wait_for_selector("#watch")
    looked_at(page, "league-table")
