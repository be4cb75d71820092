"""A person at a table in the terminal."""

from __future__ import annotations

import builtins
import io
import re
import sys
import textwrap

import numpy as np
import pytest

import feint
from feint import cli
from feint.cli.person import numbered
from feint.games.poker import Poker
from feint.games.words import meant
from feint.players.table import observation

LARGE = ("leduc(players=3)", "holdem", "holdem(variant=rlcard)")
WORDS = ["kuhn", "kuhn(players=3)", "leduc", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]


@pytest.mark.parametrize("name", WORDS)
def test_moves_are_called_what_they_will_have_been_called(name):
    """What a move is called when it is offered is the word that stands for it later."""
    rules = feint.load_game(name)
    assert isinstance(rules, Poker)
    rng = np.random.default_rng(0)
    for _ in range(30):
        hand = rules.start()
        while (actor := rules.actor(hand)) != feint.games.game.TERMINAL:
            if actor < 0:
                outcomes = rules.chance(hand)
                hand = outcomes[rng.integers(len(outcomes))][1]
                continue
            move = int(rng.choice(rules.legal(hand)))
            word, hand = rules.spoken(hand, move), rules.play(hand, move)
            assert rules.label(hand, actor).split()[-1] == word


@pytest.fixture
def sit(call, monkeypatch):
    """Play with these words typed: exit code, stdout, stderr."""

    def play_with(typed, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{word}\n" for word in typed)))
        return call("play", *words)

    return play_with


def test_a_person_plays_and_is_told_what_came_of_it(sit):
    code, out, err = sit(["c", "?", "x", "CALL", "check", "q"], "feint:leduc", "--seed", "1")
    assert code == 0
    assert "Hand 1. You are player 1 of 2, with your ante of 1 chip in the pot." in out
    assert "you hold Q; 2 in the pot" in out
    assert re.search(r"feint:leduc would: fold \d+% \(-1\.00\), call \d+% \(-\d\.\d\d\), raise \d+% \(-\d", out)
    assert "you hold Q, on the board J; 6 in the pot" in out
    assert "on the board J; you show Q, feint:leduc shows K\nYou lose 3 chips, -3 so far. Your check gave" in out
    told = (
        r"The hand that is not over does not count\.\n\nYou lost 3 chips over 1 hand, -3\.00 a hand; your moves gave .*"
    )
    assert re.search(told, out.rstrip())
    assert err == "'x' is not a move here; type one of fold, call, raise, or help.\n"


def test_seats_change_hands_are_counted_and_the_total_is_told(sit):
    code, out, _ = sit(["bet", "call"] * 30, "random", "--game", "kuhn", "--seed", "2", "--hands", "12")
    assert code == 0
    assert re.findall(r"You are player (\d) of 2", out) == ["1", "2"] * 6
    results = [
        (1 if how == "win" else -1) * float(chips) for how, chips in re.findall(r"You (win|lose) (\d+) chips?, ", out)
    ]
    assert len(results) == 12
    how, total = re.search(
        r"You (won|lost) (\d+) chips? over 12 hands, .* a hand \(luck makes that uncertain by .*\); your moves",
        out,
    ).groups()
    assert (1 if how == "won" else -1) * float(total) == sum(results)
    assert re.findall(r"Hand (\d+)\.", out) == [str(number) for number in range(1, 13)]


def test_a_seat_can_be_kept_and_the_end_of_the_words_is_the_end(sit):
    code, out, _ = sit(["check", "fold"], "raise", "--game", "kuhn", "--seat", "1", "--seed", "0")
    assert code == 0
    assert re.findall(r"You are player (\d) of 2", out) == ["1", "1"]
    assert "always-raise: bet" in out
    assert "You lost 1 chip over 1 hand, -1.00 a hand; your moves gave away" in out


def test_hidden_moves_stay_hidden_until_the_end(sit):
    """The second of two who choose at once must not be told what the first has chosen."""
    _, out, _ = sit(["rock"], "random", "--game", "rock_paper_scissors", "--seat", "2", "--hands", "1")
    before, after = out.split("rock [1], paper [2], scissors [3]? ")
    assert "random:" not in before
    assert re.match(r"random: (rock|paper|scissors), you: rock\n", after)


@pytest.mark.parametrize("name", ["kuhn(players=3)", "leduc(suits=True)", "open_spiel:kuhn_poker"])
def test_every_kind_of_game_can_be_sat_down_at(sit, name):
    code, out, _ = sit([], "random", "--game", name)
    assert code == 0
    assert "Hand 1." in out


def test_moves_of_open_spiel_go_by_their_names_and_the_end_shows_what_was_hidden(sit):
    words = ["random", "--game", "open_spiel:kuhn_poker", "--seat", "1", "--hands", "1", "--seed", "2"]
    _, out, _ = sit(["bet"], *words)
    assert "Pass [1], Bet [2]? " in out
    assert re.search(r"you: Bet, random: (Pass|Bet), random saw \db\n", out)


def test_what_may_be_two_moves_is_neither():
    poker = ["check", "bet"]
    assert [meant(said, poker) for said in ("c", "call", "r", "b", "x", "", "ET")] == [
        ["check"],
        ["check"],
        ["bet"],
        ["bet"],
        [],
        [],
        ["bet"],
    ]
    facing = ["fold", "call", "raise"]
    assert meant("bet", facing) == ["raise"]
    assert meant("check", facing) == [], "a check is not a call of a bet"
    assert meant("ai", facing) == ["raise"]
    assert meant("a", facing) == ["call", "raise"]
    assert meant("bet", ["bet", "raise"]) == ["bet"]
    assert meant("take", ["take one", "take two"]) == ["take one", "take two"]
    assert meant("two", ["take one", "take two"]) == ["take two"]
    assert meant("1-1", ["1-1", "1-10"]) == ["1-1"]


def test_a_number_is_said_whole():
    """A pot is neither a tenth of it nor one and a half."""
    offered = ["check", "0.1 pot", "0.5 pot", "1.2 pot", "1.5 pot", "pot", "all-in"]
    assert [meant(said, offered) for said in ("1 pot", "5 pot", "2 pot", "0", "1.", ".5 pot", "0.5")] == [
        ["pot"],
        *([],) * 4,
        ["0.5 pot"],
        ["0.5 pot"],
    ]
    assert meant("1 pot", ["check", "0.1 pot", "1.5 pot"]) == []
    assert meant("1-1", ["1-10", "1-2"]) == []
    assert meant("10", ["raise to 10", "raise to 100"]) == ["raise to 10"]


def test_numbers_stand_beside_moves_unless_they_may_be_part_of_one():
    assert numbered(["fold", "call"]) == {"1": "fold", "2": "call"}
    assert numbered(["1-1", "Liar"]) == numbered(["take 2", "take 3"]) == {}


def test_only_what_is_offered_counts(sit):
    """OpenSpiel's own number of the bid 1-2 is 1: whoever types that may mean any bid of one die."""
    words = ["random", "--game", "open_spiel:liars_dice(dice_sides=2,numdice=1)", "--seat", "1", "--hands", "1"]
    _, out, err = sit(["1", "0", "2-1"], *words)
    assert "1-1, 1-2, 2-1, 2-2? " in out
    assert err == (
        "'1' may be 1-1 or 1-2; type more of it, or help.\n"
        "'0' is not a move here; type one of 1-1, 1-2, 2-1, 2-2, or help.\n"
    )
    assert "you: 2-1" in out


def test_moves_go_by_the_numbers_beside_them(sit):
    """OpenSpiel calls Bet 1; here it stands second."""
    words = ["random", "--game", "open_spiel:kuhn_poker", "--seat", "1", "--hands", "1", "--seed", "2"]
    assert "you: Bet" in sit(["2"], *words)[1]
    assert "you: Pass" in sit(["1", "1"], *words)[1]


def test_a_move_can_be_taken_back_before_it_counts(sit):
    words = ["random", "--game", "kuhn", "--seat", "1", "--hands", "1", "--seed", "0"]
    _, out, err = sit(["b", "back", "c", "bet", "nonsense", "b", "", "f", ""], *words, "--confirm")
    assert re.findall(r"(\w+): Enter to make it", out) == ["bet", "check", "bet", "bet"]
    assert err == "'nonsense' is not a move here; type one of check, bet, or help.\n"
    made = out.split("Enter to make it, or another move, or back? ")[-1]
    assert made.startswith("random: "), "made at last, and answered"
    _, out, _ = sit(["back", "q"], *words)
    assert "A move that was made stays, for others have answered it; feint play --confirm asks before." in out


def test_help_and_rules_are_told_at_the_table(sit):
    _, out, err = sit(["help", "rules", "q"], "random", "--game", "kuhn", "--confirm")
    assert "by the number beside it" in out
    assert "back takes it back" in out
    assert "? tells what random would do in your place and, in brackets" in out
    assert " ".join(out.split()).count("The highest card wins.") == 2
    assert err == ""


def test_words_are_wrapped_at_the_window_s_width(sit, monkeypatch):
    monkeypatch.setattr(cli.terminal.out, "_force_terminal", True)
    monkeypatch.setattr(cli.terminal.out, "_color_system", None)
    monkeypatch.setattr(cli.terminal.out, "_width", 40)
    _, out, _ = sit(["help", "q"], "random", "--game", "kuhn")
    assert max(map(len, out.replace("[2]? ", "[2]?\n").splitlines())) <= 40
    assert "A move goes by its name, by the number \nbeside it" in out


def test_words_are_told_as_they_are(sit):
    _, _, err = sit([":smile:[bold]", ""], "random", "--game", "kuhn", "--seat", "1")
    assert err == (
        "':smile:[bold]' is not a move here; type one of check, bet, or help.\n"
        "'' is not a move here; type one of check, bet, or help.\n"
    )


def test_where_nobody_can_type_there_is_nothing_to_play(sit, monkeypatch):
    monkeypatch.setattr(builtins, "input", lambda *_: (_ for _ in ()).throw(RuntimeError("input(): lost sys.stdin")))
    code, out, _ = sit([], "random", "--game", "kuhn")
    assert code == 0
    assert "No hand was played to its end." in out


def test_ctrl_c_ends_a_session_with_its_total(sit, monkeypatch):
    answers = iter(["bet"])
    monkeypatch.setattr(
        builtins, "input", lambda *words: next(answers, None) or (_ for _ in ()).throw(KeyboardInterrupt)
    )
    code, out, _ = sit([], "fold", "--game", "kuhn", "--seat", "1")
    assert code == 0
    assert "You won 1 chip over 1 hand, +1.00 a hand; your moves gave away 0.00 a hand." in out


def test_what_moves_gave_away_is_told(sit):
    """Against one who always raises and calls, folding a king costs what calling with it would have won."""
    for seed in range(20):
        _, out, _ = sit(
            ["check", "fold"], "raise", "--game", "kuhn", "--seat", "1", "--hands", "1", "--seed", str(seed)
        )
        if "you hold K" in out:
            break
    # Checking is as good as betting: either way a king wins 2. Folding loses 1.
    assert "You lose 1 chip, -1 so far. Your fold gave away 3.00 (fold -1.00, call +2.00).\n" in out
    assert "You lost 1 chip over 1 hand, -1.00 a hand; your moves gave away 3.00 a hand." in out


def test_hold_em_is_shown_as_players_know_it(sit):
    _, out, _ = sit(["c"] * 40, "call", "--game", "holdem", "--hands", "2", "--seed", "4")
    assert re.search(r"You are player 1 of 2, the dealer, with your blind of 1 chip in the pot\.", out)
    assert re.search(r"you hold \S[♠♥♦♣] \S[♠♥♦♣]; 3 in the pot, 1 to call", out)
    assert re.search(r"on the board \S[♠♥♦♣] \S[♠♥♦♣] \S[♠♥♦♣]\nalways-call: check", out), (
        "seen before the opponent moves"
    )
    shown = r"you show \S+ \S+ \((a|two|three|four) .*\), always-call shows \S+ \S+ \((a|two|three|four) .*\)"
    assert len(re.findall(shown, out.replace("\n", " ").replace("You", "\nYou"))) == 2


def test_chips_are_told_where_they_are_bet(sit):
    """What a call costs, what each bet puts in, what is left behind, and what the other has put in."""
    typed = ["call", "?", "0.5 pot", "all-in", "call", "call"]
    _, out, _ = sit(typed, "rule-bot", "--game", "holdem_no_limit", "--seat", "1", "--hands", "1", "--seed", "5")
    assert "You are player 1 of 2, the dealer, with your blind of 1 chip in the pot." in out
    assert "; 3 in the pot, 1 to call, you have 99 left" in out
    assert "fold, call (1 chip), 0.5 pot (3 chips), pot (5 chips), all-in (99 chips)?" in out
    assert re.search(r"rule-bot would: check \d+%, 0.5 pot \d+%", out)
    _, out, _ = sit(["call", "fold"], "always(move=pot)", "--game", "holdem_no_limit", "--seat", "1", "--hands", "1")
    assert "always-pot: pot (4 chips)\n" in out
    assert "; 8 in the pot, 4 to call, you have 98 left" in out


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc_no_limit", "holdem", "holdem_no_limit(bets=(0.5,0.75,2))"])
def test_a_move_puts_in_what_it_says(name):
    rules, rng = feint.load_game(name), np.random.default_rng(1)
    assert isinstance(rules, Poker)
    for _ in range(30):
        hand = rules.deal_until_a_turn(rules.start())
        while (actor := rules.actor(hand)) != feint.games.game.TERMINAL:
            seen, before = observation(rules, hand, actor), hand
            word = str(rng.choice(list(seen.moves)))
            hand = rules.play(hand, seen.moves[word])
            assert seen.prices[word] == hand.paid[actor] - before.paid[actor]
            assert seen.scene.left == (() if rules.stack is None else tuple(rules.stack - paid for paid in before.paid))
            hand = rules.deal_until_a_turn(hand)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("random", "random does not say which game to play; name it with --game."),
        ("random --game kuhn --seat 3", "kuhn has seats 1 to 2, but --seat 3 was given."),
        ("random --game kuhn --hands 0", "hands must be a positive number, but hands=0 was given."),
        ("nobody", "There is no player called 'nobody'"),
        ("random --game kuhn --seed -1", "seed must be 0 or more and below 2^62, but seed=-1 was given."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(sit, words, sentence):
    code, out, err = sit([], *words.split())
    assert code == 2
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


LEFT_OUT = """
    from feint import TERMINAL, Game

    class Mine(Game):
        players, actions = 2, ("never", "lose", "win")

        def start(self): return ()
        def actor(self, state): return len(state) if len(state) < 2 else TERMINAL
        def legal(self, state): return [1, 2]
        def chance(self, state): return []
        def play(self, state, action): return (*state, action)
        def view(self, state, player): return state[player:player + 1]
        def payoffs(self, state): return [float(state[0] - state[1]), float(state[1] - state[0])]
"""


def test_moves_that_are_never_legal_are_in_nobody_s_way(sit, call, tmp_path):
    """A strategy's table has no column for them; the rules count them all the same."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(LEFT_OUT))
    call("train", "cfr+", "mine.py:Mine", "--steps", "50", "--out", "run")
    code, out, _ = sit(["?", "lose", "win"], "run", "--hands", "2", "--seed", "0")
    assert code == 0
    assert "run would: lose 0% (-1.00), win 100% (+0.00)" in out
    assert "You lose 1 chip, -1 so far. Your lose gave away 1.00 (lose -1.00, win +0.00)." in out
    assert "You break even, -1 so far." in out


ONE_WAY = """
    from feint import TERMINAL, Game

    class Forced(Game):
        \"\"\"The first player goes, and the second answers.

        None of it is worth anything.

        size: how large it is.
        \"\"\"

        players, actions = 2, ("go", "stay", "leave")

        def start(self): return ()
        def actor(self, state): return len(state) if len(state) < 2 else TERMINAL
        def legal(self, state): return [1, 2] if state else [0]
        def chance(self, state): return []
        def play(self, state, action): return (*state, action)
        def view(self, state, player): return state
        def payoffs(self, state): return [0.0, 0.0]
"""


def test_own_rules_are_told_and_the_only_move_is_made(sit, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "mine.py").write_text(textwrap.dedent(ONE_WAY))
    code, out, _ = sit(["stay"], "random", "--game", "deep/mine.py:Forced", "--hands", "2")
    assert code == 0
    assert out.startswith(
        "The first player goes, and the second answers.\n\nNone of it is worth anything.\n\nmine.py:Forced against "
    )
    assert "how large it is" not in out
    first, second = out.split("Hand 2.")
    assert "you: go, the only move\n" in first
    assert "stay [1], leave [2]? " in second
