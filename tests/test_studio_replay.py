"""The studio's page of hands: each step as the rules have it, hidden cards hidden, and hands as JSON, CSV and PHH."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from pokerkit import HandHistory
from starlette.testclient import TestClient

from feint.games.game import TERMINAL
from feint.games.library import load_game
from feint.games.phh import read_phh
from feint.players.player import Observation, Player
from feint.players.table import HandInPlay
from feint.studio.replay import replay
from feint.studio.visit import Decision, Finished
from studio_hands import client_of, studio_of


class Lucky(Player):
    """Moves at random, and writes down what it saw."""

    def __init__(self, luck: random.Random, told: list[Decision]) -> None:
        self._luck, self._told = luck, told

    def move(self, seen: Observation) -> int:
        word = self._luck.choice([word for word in seen.moves if word != "fold"])
        chances = {each: 1 / len(seen.moves) for each in seen.moves}
        wins = dict.fromkeys(seen.moves, 0.25) if seen.player == 0 else None
        self._told.append(Decision(seen.player, seen.label, word, chances, wins))
        return seen.moves[word]


def finished(game: str, seed: int) -> Finished:
    rules, told, luck = load_game(game), list[Decision](), random.Random(seed)
    hand = HandInPlay(rules, [Lucky(luck, told) for _ in range(rules.players)], luck)
    while hand.actor != TERMINAL:
        hand.step()
    moves = tuple(move for _, move, _ in hand.made)
    return Finished(rules.name, "somebody", 0, tuple(hand.places), moves, hand.won, tuple(told))


@pytest.fixture
def client(tmp_path):
    with client_of(tmp_path) as made:
        yield made


def kept(client: TestClient, hand: Finished) -> int:
    return studio_of(client).archive.keep(hand)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "leduc(players=3)", "holdem", "holdem_no_limit"])
def test_every_step_of_a_hand_is_shown(client, game):
    hand = finished(game, 3)
    number = kept(client, hand)
    steps = replay(hand).states
    assert len(steps) == len(hand.moves) + 1
    for step, state in enumerate(steps):
        page = client.get(f"/hands/{number}?step={step}")
        assert page.status_code == 200
        assert f"step {step} of {len(hand.moves)}" in page.text
        assert f"pot {sum(state.paid):g}" in page.text
        assert ("The hand is over" in page.text) == (step == len(hand.moves))
        if step < len(hand.moves):
            told = hand.decisions[step]
            assert f"<strong>{told.chosen}</strong>" in page.text
            assert f"{1 / len(told.chances or ()):.1%}" in page.text
            assert ("+0.25" in page.text) == (told.player == 0)
    assert 'data-keys="ArrowLeft"' in page.text


def test_cards_that_the_person_did_not_see_are_hidden_when_asked(client):
    number = kept(client, finished("holdem", 3))
    opened, closed = (client.get(f"/hands/{number}?open={each}").text for each in ("true", "false"))
    assert "a hidden card" not in opened
    assert closed.count("a hidden card") == 2
    last = len(finished("holdem", 3).moves)
    assert "a hidden card" not in client.get(f"/hands/{number}?open=false&step={last}").text  # shown down


def test_hands_are_listed_in_pages_and_as_csv_and_json(client):
    for seed in range(60):
        kept(client, finished("kuhn", seed))
    first = client.get("/hands").text
    assert 'href="/hands/60"' in first
    assert 'href="/hands/10"' not in first
    assert 'href="/hands?before=11"' in first
    assert 'href="/hands/10"' in client.get("/hands?before=11").text
    lines = client.get("/api/hands.csv").text.splitlines()
    assert len(lines) == 61
    hands = client.get("/api/hands?most=3").json()
    assert [each["number"] for each in hands] == [60, 59, 58]
    assert client.get("/api/hands/60").json() == hands[0]
    assert float(lines[1].split(",")[-1]) == hands[0]["won"][0]


def test_no_hands_yet(client):
    assert "No hand has been finished yet" in client.get("/hands").text


@pytest.mark.parametrize("game", ["holdem", "holdem_no_limit"])
def test_hands_of_holdem_are_had_as_phh(client, game):
    hand = finished(game, 5)
    number = kept(client, hand)
    assert f"/api/hands/{number}.phh" in client.get(f"/hands/{number}").text
    text = client.get(f"/api/hands/{number}.phh").text
    history = HandHistory.loads(text)
    assert history.players == ["somebody", "you"]
    *_, state = history
    assert [float(each) for each in state.payoffs][::-1] == pytest.approx(list(hand.won))
    record = read_phh(load_game(game), text)
    assert record.moves == hand.moves
    assert record.end == replay(hand).states[-1]


def test_what_cannot_be_had_is_refused_in_a_sentence(client):
    number = kept(client, finished("leduc", 1))
    refused = client.get(f"/api/hands/{number}.phh")
    assert refused.status_code == 400
    assert "PHH is written for hold'em" in refused.json()["error"]
    assert "as PHH" not in client.get(f"/hands/{number}").text
    for path in ("/hands/99", "/api/hands/99", "/api/hands/99.phh"):
        assert client.get(path).status_code == 404
    for path in ("/hands/0", "/hands/x", f"/api/hands/{2**64}", f"/hands?before={2**64}", f"/hands/{number}?step=-1"):
        assert client.get(path).status_code == 422


@pytest.mark.parametrize(
    "change",
    [
        {"places": ()},
        {"places": (0.1,) * 20},
        {"moves": (7,)},
        {"moves": (1,)},
        {"won": (5.0, -5.0)},
        {"game": "leduc(players=3)"},
        {"decisions": ()},
    ],
)
def test_hands_that_the_rules_give_no_more_are_refused(client, change):
    number = kept(client, replace(finished("leduc", 1), **change))
    page = client.get(f"/hands/{number}")
    assert page.status_code == 400
    assert "are not those by which this hand was played" in page.text
    assert client.get(f"/api/hands/{number}").status_code == 200


def test_games_of_others_are_not_run(client, tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('this was run')")
    number = kept(client, replace(finished("leduc", 1), game=f"{tmp_path}/mine.py:mine"))
    page = client.get(f"/hands/{number}")
    assert page.status_code == 400
    assert "not in the library" in page.text
