"""The ACPC's protocol with real programs on its other end: a client in plain Python, and our own players as clients.

`Program` is written against the protocol's published text alone and shares no code with Feint: it reads lines, works
out by itself who is to move and what is won, and ranks hands with phevaluator.
"""

from __future__ import annotations

import random
import re
import socket
import threading

import pytest
from phevaluator import evaluate_cards

import feint
from feint.evaluate.match import play_players
from feint.forms.library import form_of
from feint.games.acpc import Notation
from feint.games.errors import BadInput
from feint.games.hand import CALL, FOLD
from feint.games.holdem import holdem, holdem_no_limit
from feint.games.leduc import leduc
from feint.players.acpc import AcpcConfig
from feint.players.acpc_client import Client, connect
from feint.players.player import StrategyPlayer
from feint.runs.lineup import line_up

RAISES = (2, 2, 4, 4)


class Program(threading.Thread):
    """A player of heads-up hold'em, limit or with blinds of 50 and 100, that knows the protocol and nothing else."""

    def __init__(self, port, choose, opens=b"VERSION:2.0.0\r\n", limit=True):
        super().__init__(daemon=True)
        self.port, self.choose, self.opens, self.limit = port, choose, opens, limit
        self.won, self.lines, self.trouble = [], [], None

    def run(self):
        try:
            with (
                socket.create_connection(("127.0.0.1", self.port)) as server,
                server.makefile("rw", newline="") as talk,
            ):
                talk.write(self.opens.decode())
                talk.flush()
                for line in talk:
                    self.lines.append(line)
                    assert line.endswith("\r\n")
                    answer = self.answer(line.strip())
                    if answer is not None:
                        talk.write(answer)
                        talk.flush()
        except Exception as error:
            self.trouble = error

    def answer(self, line):
        _, position, _, betting, cards = line.split(":")
        position, rounds = int(position), betting.split("/")
        blinds = (2, 1) if self.limit else (100, 50)
        paid, mover, folded = list(blinds), 1, None
        for number, made in enumerate(rounds):
            mover, due = (1 if number == 0 else 0), 2
            for kind, size in re.findall(r"([fcr])(\d*)", made):
                if kind == "f":
                    folded = mover
                elif kind == "c":
                    paid[mover], due = max(paid), due - 1
                else:
                    paid[mover], due = int(size) if size else max(paid) + RAISES[number], 1
                mover = 1 - mover
        holes, _, board = cards.partition("/")
        shown = [re.findall("..", each) for each in holes.split("|")]
        if folded is not None:
            self.won.append(paid[folded] if folded != position else -paid[folded])
        elif all(shown):
            ranks = [evaluate_cards(*each, *re.findall("..", board.replace("/", ""))) for each in shown]
            mine, other = ranks[position], ranks[1 - position]
            self.won.append(0 if mine == other else paid[0] if mine < other else -paid[0])
        elif mover == position:
            return self.choose(line, paid, position)
        return None


def met(game, one, program, hands=40, seed=0, **settings):
    """What the first player wins off a program that is started once there is somewhere to go."""
    form = form_of(feint.load_game(game))
    theirs = AcpcConfig(port=0, seconds=5.0, start_seconds=5.0).at(form, None)
    started = program(theirs.port)
    started.start()
    try:
        played = play_players(form, (line_up((one,), game, 0).players[0], theirs), hands, seed)
    finally:
        theirs.close()
        started.join(5)
    assert started.trouble is None
    return played, started


def test_lines_are_those_of_the_published_examples():
    """Both sequences of the protocol's text that end at a showdown."""
    game = holdem_no_limit(stack=400, bets=(0.5, 0.75))
    notation = Notation(game)
    sizes = {name: number for number, name in enumerate(game.actions)}
    moves = [CALL, CALL, sizes["0.75 pot"], CALL, sizes["0.5 pot"], CALL, sizes["0.75 pot"], CALL]
    said = [
        "MATCHSTATE:0:30::9s8h|",
        "MATCHSTATE:0:30:c:9s8h|",
        "MATCHSTATE:0:30:cc/:9s8h|/8c8d5c",
        "MATCHSTATE:0:30:cc/r250:9s8h|/8c8d5c",
        "MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s",
        "MATCHSTATE:0:30:cc/r250c/r500:9s8h|/8c8d5c/6s",
        "MATCHSTATE:0:30:cc/r250c/r500c/:9s8h|/8c8d5c/6s/2d",
        "MATCHSTATE:0:30:cc/r250c/r500c/r1250:9s8h|/8c8d5c/6s/2d",
        "MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d",
    ]
    assert written(notation, said, moves, 30) == said
    limit = Notation(holdem())
    moves = [2, 2, CALL, 2, CALL, CALL, 2, CALL, CALL, 2, CALL]
    last = "MATCHSTATE:0:0:rrc/rc/crc/crc:TdAs|8hTc/2c8c3h/9c/Kh"
    assert written(limit, [last], moves, 0)[-1] == last


def written(notation, said, moves, number):
    """The lines that player 2, who sits at position 0, is sent."""
    told, lines = notation.read(said[-1]), []
    hand = notation.dealt(told)
    for move in [*moves, None]:
        hand = notation.after(hand, told)
        revealed = notation.game.revealed(hand) if move is None else {}
        lines.append(
            notation.line(1, number, in_order(notation, told, hand), revealed_in_order(notation, told, revealed))
        )
        hand = hand if move is None else notation.game.play(hand, move)
    return lines


def in_order(notation, told, hand):
    """A view with its cards in the order in which the line has them, which the rules do not keep."""
    dealer, _, board, moves = notation.game.view(hand, 1)
    cards = tuple(notation.card(card) for street in told.board for card in street)
    return dealer, tuple(map(notation.card, told.holes[0])), cards[: len(board)], moves


def revealed_in_order(notation, told, revealed):
    return {player: tuple(map(notation.card, told.holes[1 - player])) for player in revealed}


def test_a_plain_client_plays_limit_hold_em_and_counts_the_same_chips():
    rng = random.Random(1)

    def choose(line, paid, position):
        return f"{line}:{rng.choice('ccrf')}\r\n"

    played, program = met("holdem", "call", lambda port: Program(port, choose))
    assert len(program.won) == played.hands == 40
    assert sum(program.won) == pytest.approx(-played.mean * played.hands)
    assert [line.split(":")[1] for line in program.lines[:1]] == ["0"]  # ours sits first, in the dealer's place
    assert {line.split(":")[2] for line in program.lines} == {str(number) for number in range(40)}


def test_a_plain_client_plays_no_limit_and_sizes_are_taken_for_the_nearest():
    rng = random.Random(2)

    def choose(line, paid, position):
        raised = min(max(paid) + rng.choice((100, 333, 5000)), 5000)
        return f"{line}:{rng.choice(('c', 'c', f'r{raised}'))}\r\n"

    played, program = met("holdem_no_limit(stack=100)", "call", lambda port: Program(port, choose, limit=False))
    assert sum(program.won) / 50 == pytest.approx(-played.mean * played.hands, abs=0.5)  # chips there are whole numbers
    assert any("r" in line for line in program.lines)


def test_what_is_no_legal_action_counts_as_a_call_and_other_lines_are_passed_over():
    def choose(line, paid, position):
        wrong = "f" if max(paid) == min(paid) else "x"
        return f"# a comment\r\nMATCHSTATE:0:999::|\r\nnonsense\r\n{line}:{wrong}\r\n"

    _, program = met("holdem", "call", lambda port: Program(port, choose), hands=4)
    assert len(program.won) == 4
    assert all(
        line.split(":")[3] == "cc/cc/cc/cc" for line in program.lines if "|" in line and line.count("|") and shown(line)
    )
    with pytest.raises(BadInput, match="was wrong 100 times"):
        met("holdem", "call", lambda port: Program(port, choose), hands=400)


def shown(line):
    return all(line.split(":")[4].partition("/")[0].strip().split("|"))


@pytest.mark.parametrize(
    ("opens", "why"),
    [
        (b"VERSION:1.0.0\r\n", "began with 'VERSION:1.0.0', but VERSION:2.0.0"),
        (b"hello\r\n", "began with 'hello'"),
        (b"x" * 3000, "line of more than 1024 characters"),
        (b"", "said nothing for"),
    ],
)
def test_who_opens_otherwise_is_refused_in_a_sentence(opens, why):
    form = form_of("kuhn")
    theirs = AcpcConfig(port=0, seconds=0.5, start_seconds=0.5).at(form, None)
    with socket.create_connection(("127.0.0.1", theirs.port)) as there:
        there.sendall(opens)
        with pytest.raises(BadInput, match=why):
            play_players(form, (line_up(("call",), "kuhn", 0).players[0], theirs), 4)
    theirs.close()


def test_who_does_not_come_or_does_not_answer_ends_the_match_in_a_sentence():
    form = form_of("kuhn")
    nobody = AcpcConfig(port=0, start_seconds=0.2).at(form, None)
    with pytest.raises(BadInput, match=r"No program came to 127\.0\.0\.1"):
        play_players(form, (line_up(("call",), "kuhn", 0).players[0], nobody), 4)
    nobody.close()
    silent = AcpcConfig(port=0, seconds=0.3, start_seconds=2.0).at(form, None)
    with socket.create_connection(("127.0.0.1", silent.port)) as there:
        there.sendall(b"VERSION:2.0.0\r\n")
        with pytest.raises(BadInput, match="said nothing for"):
            play_players(form, (line_up(("call",), "kuhn", 0).players[0], silent), 4)
    silent.close()
    with pytest.raises(BadInput, match="play poker"):
        AcpcConfig(port=0).at(form_of("rock_paper_scissors"), None)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "holdem", "holdem_no_limit(stack=20)"])
def test_our_players_at_the_dealers_table_play_as_they_do_at_ours(game, monkeypatch):
    """The same deals, the same moves and so the same winnings, whether a player sits here or at the end of a line."""
    form = form_of(feint.load_game(game))
    bold = "raise" if "raise" in form.actions else "always(move='pot')"
    with monkeypatch.context() as asked:
        asked.setattr(StrategyPlayer, "strategy", None)  # hand by hand
        direct = play_players(form, line_up((bold, "call"), game, 0).players, 12, seed=3)
    seats = [AcpcConfig(port=0, seconds=5.0, start_seconds=5.0).at(form, None) for _ in range(2)]
    won = [[], []]

    def client(number, name):
        with connect("127.0.0.1", seats[number].port, 5.0) as lines:
            Client(form, line_up((name,), game, 0).players[0], lines, 5.0).play(None, won[number].append)

    threads = [
        threading.Thread(target=client, args=(number, name), daemon=True) for number, name in enumerate((bold, "call"))
    ]
    for thread in threads:
        thread.start()
    played = play_players(form, seats, 12, seed=3)
    for seat in seats:
        seat.close()
    for thread in threads:
        thread.join(5)
    assert played.mean == pytest.approx(direct.mean, abs=1e-9)
    assert sum(won[0]) == pytest.approx(played.mean * 12, abs=0.2)
    assert sum(won[0]) == pytest.approx(-sum(won[1]))


class Written:
    """Lines that a dealer is to say, and what it is answered."""

    def __init__(self, *lines):
        self.lines, self.sent = iter(lines), []

    def receive(self, seconds):
        return next(self.lines)

    def send(self, line):
        self.sent.append(line)


def followed(game, *lines):
    """What our calling player answers and wins in one hand."""
    won, dealer = [], Written(*lines)
    Client(form_of(feint.load_game(game)), line_up(("call",), game, 0).players[0], dealer, 1.0).play(1, won.append)
    return [answer.rpartition(":")[2] for answer in dealer.sent[1:]], won


def test_our_player_plays_on_where_only_its_own_game_is_all_in():
    """A raise to 3,500 of 5,000 is nearest to all-in: ours is to run out, and the dealer's goes on betting."""
    answers, won = followed(
        "holdem_no_limit",
        "MATCHSTATE:1:0::|9s8h",
        "MATCHSTATE:1:0:c:|9s8h",
        "MATCHSTATE:1:0:cr3500:|9s8h",
        "MATCHSTATE:1:0:cr3500c/:|9s8h/8c8d5c",
        "MATCHSTATE:1:0:cr3500c/r4500:|9s8h/8c8d5c",
        "MATCHSTATE:1:0:cr3500c/r4500c/:|9s8h/8c8d5c/6s",
        "MATCHSTATE:1:0:cr3500c/r4500c/c:|9s8h/8c8d5c/6s",
        "MATCHSTATE:1:0:cr3500c/r4500c/cc/:|9s8h/8c8d5c/6s/2d",
        "MATCHSTATE:1:0:cr3500c/r4500c/cc/c:|9s8h/8c8d5c/6s/2d",
        "MATCHSTATE:1:0:cr3500c/r4500c/cc/cc:9c6h|9s8h/8c8d5c/6s/2d",
    )
    assert answers == ["c"] * 5
    assert won == [90.0]


@pytest.mark.parametrize(
    ("before", "raises", "board", "won"),
    [("", "rrrr", "", 10.0), ("cc/cc/cc/", "rrrrr", "/8c8d5c/6s/2d", 22.0)],
)
def test_our_player_plays_on_where_the_dealer_allows_a_raise_more(before, raises, board, won):
    """With the raise that is a call in its own game, that game's round, or the whole of it, is over too early."""
    rest = "c/cc/cc/cc" if not before else "c"
    lines = [f"MATCHSTATE:1:0:{before}{raises}:|9s8h{board}"]
    lines += [f"MATCHSTATE:1:0:{before}{raises}{rest}:9c6h|9s8h/8c8d5c/6s/2d"]
    assert followed("holdem", *lines) == (["c"], [won])


@pytest.mark.parametrize(
    ("betting", "board"), [("cc/", ""), ("cc/", "/"), ("cc/cc/", "/8c8d5c"), ("cc/cc/cc/cc/c", "/8c8d5c/6s/2d")]
)
def test_betting_that_goes_further_than_its_board_is_refused_in_a_sentence(betting, board):
    with pytest.raises(BadInput, match=r"MATCHSTATE line goes further than its board; check the dealer\.$"):
        followed("holdem", f"MATCHSTATE:0:0:{betting}:9s8h|{board}")


def test_the_commands_speak_with_each_other(call):
    ports = [free(), free()]
    done = []

    def plays(port):
        form = form_of("leduc")
        for _ in range(200):
            try:
                lines = connect("127.0.0.1", port, 5.0)
                break
            except BadInput:
                threading.Event().wait(0.05)
        with lines:
            Client(form, line_up(("random",), "leduc", 0).players[0], lines, 20.0).play(None, done.append)

    threads = [threading.Thread(target=plays, args=(port,), daemon=True) for port in ports]
    for thread in threads:
        thread.start()
    code, out, err = call("acpc", "dealer", "leduc", "--port", str(ports[0]), "--port", str(ports[1]), "--hands", "20")
    for thread in threads:
        thread.join(5)
    assert code == 0, err
    assert "over 20 hands of leduc" in out
    assert len(done) == 40
    assert sum(done) == pytest.approx(0)
    code, _, err = call("acpc", "play", "random", "--game", "leduc", "--port", str(free()))
    assert (code, err.count("\n")) == (2, 1)
    assert "There is no dealer at" in err


def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(
    "line", ["", "MATCHSTATE:2:0::|", "MATCHSTATE:0:0:z:9s8h|", "MATCHSTATE:0:0::9s8|", "MATCHSTATE:0:0::9s9s9s|"]
)
def test_lines_that_are_none_are_refused_in_a_sentence(line):
    notation = Notation(holdem())
    with pytest.raises(BadInput):
        notation.dealt(notation.read(line))


def test_cards_that_the_deck_does_not_have_are_refused_in_a_sentence():
    """A deck of three ranks and two suits is told with the highest of both."""
    notation = Notation(leduc(suits=True))
    assert [notation.game.deck.name(notation.card(written)) for written in ("Qs", "Qh", "As")] == ["Js", "Jh", "Ks"]
    for written in ("Qd", "Ac", "Js"):
        with pytest.raises(BadInput, match=rf"has {written}, but leduc\(suits=True\) has no such card; check the"):
            notation.card(written)


def test_actions_are_read_as_the_rules_have_them():
    notation = Notation(holdem())
    hand = notation.game.deal_until_a_turn(notation.game.start())
    assert [notation.move(hand, word) for word in ("f", "c", "r", "x", "")] == [FOLD, CALL, 2, None, None]
