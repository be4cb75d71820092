"""The agents that come with Feint: as good as their cards say, found by name, and never written to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from safetensors import safe_open

import feint
from conftest import few
from feint.evaluate.match import play_players
from feint.evaluate.measure import Measure, Verdict
from feint.evaluate.share_found import share_found
from feint.forms.library import form_of
from feint.runs import agents as naming
from feint.runs import folder
from feint.runs.agents import AGENTS, agents
from feint.runs.judging import keep
from feint.runs.lineup import line_up
from feint.runs.run import bound_of

NAMES = list(agents())
BARS = {"feint:kuhn": 1e-3, "feint:leduc": 0.015, "feint:leduc-deepstack": 0.3}
"""Chips per hand that no agent's exploitability may be above."""
FLOORS = {"feint:holdem": {"random": 700, "call": 300}}
"""Thousandths of a big blind per hand to be won off others; 40,000 hands gave 796 ± 37 and 529 ± 21."""
MOST_BYTES = 8_000_000
FILES = {"config.json", "metrics.jsonl", "timings.jsonl", "strategy.safetensors", "README.md", "provenance.json"}


def contents() -> dict[Path, tuple[int, bytes]]:
    """All of the package's agents, to the byte."""
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in AGENTS.rglob("*") if path.is_file()}


@pytest.fixture
def _untouched():
    before = contents()
    yield
    assert contents() == before


def test_there_are_agents_and_they_are_small():
    assert set(NAMES) >= set(BARS)
    assert sum(len(data) for _, data in contents().values()) < MOST_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_is_a_finished_run_for_the_rules_of_today(name):
    run = feint.load_run(name)
    game = form_of(run.config.game)
    large = not game.exact
    assert {path.name for path in run.path.iterdir()} == FILES | ({"bound.json"} if large else set())
    assert (run.bound is not None) == large
    with safe_open(run.path / "strategy.safetensors", framework="numpy") as file:
        assert json.loads(file.metadata()["feint"])["fingerprint"] == game.fingerprint
    card = (run.path / "README.md").read_text()
    (result,) = yaml.safe_load(card.split("---")[1])["model-index"][0]["results"]
    assert result["task"]["name"] == run.config.game
    assert result["metrics"][0]["value"] == run.metrics[-1][result["metrics"][0]["type"]]
    assert f"feint match {name} random" in card
    assert run.config.command(run.metrics[-1]) in card
    assert f"On {run.provenance[0]} with {run.provenance[1]} and {run.provenance[2]}. " in card


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_is_as_good_as_it_says(name):
    run = feint.load_run(name)
    game = form_of(run.config.game)
    if not game.exact:
        pytest.skip("too large to judge exactly")
    told = run.metrics[-1]["exploitability"]
    assert feint.exploitability(game.tree, run.strategy) == pytest.approx(told, abs=1e-6)
    assert told <= BARS[name]


@pytest.mark.parametrize("name", few(*NAMES, fast=("feint:kuhn", "feint:leduc")))
def test_an_agent_wins_off_those_that_everybody_should_beat(name):
    floors = FLOORS.get(name, {"random": 0})
    seated = line_up((name, *floors))
    for other, floor in zip(seated.players[1:], floors.values(), strict=True):
        won = play_players(seated.form, (seated.players[0], other), 4_000).winnings.in_big_blinds(seated.form.big_blind)
        assert won.low > 0
        assert won.value > floor


def test_names_are_never_taken_for_folders_nor_folders_for_names(tmp_path, monkeypatch):
    shutil.copytree(AGENTS / "leduc", tmp_path / "feint:kuhn")
    monkeypatch.chdir(tmp_path)
    assert feint.load_run("feint:kuhn").path == AGENTS / "kuhn"
    for path in ("./feint:kuhn", Path("feint:kuhn"), tmp_path / "feint:kuhn"):
        assert feint.load_run(path).config.game == "leduc"


@pytest.mark.parametrize("name", ["feint:khun", "feint:", "feint:../games", "feint:kuhn/"])
def test_an_unknown_name_says_which_there_are(name):
    with pytest.raises(
        feint.BadInput, match=rf"no agent called '{name}'; choose from .*feint:kuhn, feint:leduc, .*\.$"
    ):
        feint.load_run(name)


@pytest.mark.usefixtures("_untouched")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("train cfr kuhn --out feint:kuhn", "feint:kuhn is an agent that comes with Feint"),
        ("train nfsp kuhn --resume --out feint:kuhn", "feint:kuhn is an agent that comes with Feint"),
        (f"train nfsp kuhn --resume --out {AGENTS / 'kuhn'}", "give a folder of your own"),
        (f"train cfr kuhn --out {AGENTS / 'mine'}", "give a folder of your own"),
        ("show feint:kuhn --out feint:kuhn", "give a folder of your own"),
        ("show feint:khun", "choose from"),
        ("evaluate feint:khun", "choose from"),
        ("match feint:khun random", "choose from"),
        ("match nobody random", ", feint:kuhn, feint:leduc"),
        ("match feint:kuhn feint:leduc", "for different games (kuhn, leduc)"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_writes_nothing(call, tmp_path, words, sentence):
    code, out, err = call(*words.split())
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_agents_are_listed(call):
    code, out, _ = call("agents", "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(out)}
    assert list(rows) == NAMES
    assert rows["feint:leduc"].items() >= {"game": "leduc", "algorithm": "nfsp", "kind": "exact"}.items()
    assert all(Path(row["card"]).is_file() for row in rows.values())
    bound = rows["feint:holdem"]["bound"]
    assert (bound["kind"], bound["unit"]) == ("lower bound", "mbb/h")
    assert 0 < bound["low"] < bound["value"] < bound["high"] < 750  # what always folding loses
    _, out, err = call("agents")
    assert str(AGENTS) not in out + err
    out = " ".join(out.split())
    assert all(name in out for name in NAMES)
    assert f"exploitability {rows['feint:kuhn']['exploitability']:.3g} chips per hand (exact)" in out
    assert f"against random play; exploitability at least {bound['low']:.0f} mbb/h" in out


def test_an_agent_s_card_is_printed(call):
    code, out, _ = call("agents", "kuhn")
    assert (code, out.splitlines()[0]) == (0, "# nfsp on kuhn")
    assert call("agents", "feint:kuhn")[1] == out
    assert [row["name"] for row in json.loads(call("agents", "kuhn", "--json")[1])] == ["feint:kuhn"]
    assert "Feint comes with no agent called 'feint:khun'; choose from" in call("agents", "khun")[2]


@pytest.mark.slow
@pytest.mark.usefixtures("_untouched")
def test_commands_take_agents_by_name_and_leave_them_alone(call, tmp_path):
    code, out, _ = call("evaluate", "feint:kuhn", "--json")
    judged = json.loads(out)
    assert (code, judged["player"]) == (0, "feint:kuhn")
    found = judged["judges"]["exploitability"]["exploitability"]["value"]
    assert found == pytest.approx(feint.load_run("feint:kuhn").metrics[-1]["exploitability"])
    code, out, _ = call("match", "feint:kuhn", "random", "--hands", "100")
    assert code == 0
    assert out.startswith("feint:kuhn wins ")
    assert list(tmp_path.iterdir()) == []
    assert call("show", "feint:kuhn")[0] == 0
    assert call("show", str(AGENTS / "kuhn"), "--out", "pictures")[0] == 0
    pictures = {"curve.png", "strategy.png"}
    for made in ("runs/feint-kuhn", "pictures"):
        assert {path.name for path in (tmp_path / made).iterdir()} == pictures


@pytest.mark.usefixtures("_untouched")
def test_a_bound_is_kept_beside_a_run_but_not_beside_an_agent(tmp_path):
    game, run = form_of("holdem"), feint.load_run("feint:holdem")
    less, more = (
        Measure("exploitability", 300.0, "mbb/h", "lower bound", 250.0, 350.0, hands, response="local")
        for hands in (100, 50_000)
    )
    assert folder.keep_bound(run, more, game) is None
    path = Path(shutil.copytree(run.path, tmp_path / "run"))
    assert folder.keep_bound(feint.load_run(path), less, game) is None
    assert bound_of(path) == run.bound
    assert folder.keep_bound(feint.load_run(path), more, game) == path / "bound.json"
    assert bound_of(path) == feint.load_run(path).bound == more
    card = (path / "README.md").read_text()
    assert "; exploitability at least 250 mbb/h (a best response won 300, 250 to 350)** after " in card
    beside = f"over 50,000 hands, with the 95% interval; always folding loses 750. {share_found('local')} |"
    assert beside in card
    assert beside.partition(" loses ")[2] in (run.path / "README.md").read_text()
    metrics = yaml.safe_load(card.split("---")[1])["model-index"][0]["results"][0]["metrics"]
    assert metrics[1] == {"type": "exploitability", "value": 300.0, "unit": "mbb/h", "kind": "lower bound"}


def test_a_bound_is_not_kept_for_a_strategy_that_came_meanwhile(tmp_path):
    game, path = form_of("holdem"), Path(shutil.copytree(AGENTS / "holdem", tmp_path / "run"))
    run, before = feint.load_run(path), (path / "bound.json").read_bytes()
    bound = Measure("exploitability", 300.0, "mbb/h", "lower bound", 250.0, 350.0, 50_000, response="local")
    for meanwhile in (lambda file: file.write_bytes(b"another"), Path.unlink):  # finished, and going on
        meanwhile(path / "strategy.safetensors")
        (told,) = keep(run, [Verdict((bound,))], game)
        assert told.startswith(f"{path} was trained on since this bound was begun, so it is not kept;")
    assert (path / "bound.json").read_bytes() == before


@pytest.mark.usefixtures("_untouched")
def test_bounds_of_different_responses_are_told_apart(tmp_path):
    """More hands make no bound of another response better: there the higher one counts."""
    game, path = form_of("holdem"), Path(shutil.copytree(AGENTS / "holdem", tmp_path / "run"))

    def kept(response, low, hands):
        bound = Measure("exploitability", low + 9, "mbb/h", "lower bound", low, low + 18, hands, response=response)
        return folder.keep_bound(feint.load_run(path), bound, game) is not None

    assert bound_of(path).response == "local"  # as older ones are that do not say
    assert not kept("learned", 100.0, 200_000)
    assert kept("learned", 300.0, 200_000)
    card = (path / "README.md").read_text()
    assert "what a learned best response, which knows the strategy, won off it over 200,000 hands" in card
    assert share_found("learned") in card
    assert "local best response" not in card
    assert not kept("learned", 400.0, 1_000)
    assert not kept("local", 200.0, 2_000)
    assert kept("local", 350.0, 2_000)
    assert bound_of(path).response == "local"
    assert kept(None, 360.0, 10)
    card = (path / "README.md").read_text()
    assert "what a best response, which knows the strategy, won off it over 10 hands" in card
    assert "On flop hold'em" not in card


def test_a_bound_for_another_strategy_is_not_believed_and_a_damaged_one_refused(tmp_path):
    path = Path(shutil.copytree(AGENTS / "holdem", tmp_path / "run"))
    bound, strategy = path / "bound.json", path / "strategy.safetensors"
    whole = bound.read_bytes()
    for damaged in (b"{", b"[]", b"{}", b"7", whole.replace(b'"low"', b'"least"')):
        bound.write_bytes(damaged)
        with pytest.raises(feint.BadInput, match="holds a damaged run"):
            bound_of(path)
    bound.write_bytes(whole)
    assert bound_of(path) is not None
    other = bytearray(strategy.read_bytes())
    other[-1] ^= 1
    strategy.write_bytes(other)
    assert bound_of(path) is None


def test_a_run_becomes_an_agent(tmp_path, monkeypatch):
    run = feint.train("cfr", "kuhn(players=3)", steps=20, seed=3, out=tmp_path / "run")
    for module in (naming, folder):
        monkeypatch.setattr(module, "AGENTS", tmp_path / "agents")
    path = folder.ship(run.path, "mine")
    assert {file.name for file in path.iterdir()} == FILES
    again = feint.load_run("feint:mine")
    assert (again.config, again.metrics, again.provenance) == (run.config, run.metrics, run.provenance)
    card, before = (path / "README.md").read_text(), (run.path / "README.md").read_text()
    assert 'feint.load_run("feint:mine")' in card
    assert "feint match feint:mine random" in card
    assert "feint match . random" in before
    assert "feint train cfr 'kuhn(players=3)' --steps 20 --seed 3" in before
    monkeypatch.setattr(folder, "provenance", lambda: ("elsewhere",))
    assert folder.ship(run.path, "mine")
    assert (path / "README.md").read_text() == card
