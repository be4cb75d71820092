"""Games by name, OpenSpiel's games, and hands of poker played out by hand."""

from __future__ import annotations

import textwrap

import pytest

import feint
from feint.games.cards import Deck, best_five, high_card, pair_then_rank
from feint.games.kuhn import kuhn
from feint.games.poker import Menu, Poker, Round


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("leduk", r"^There is no game called 'leduk'; did you mean leduc\?$"),
        ("mine.py", r"^'mine\.py' does not say which game of that file; write it like mine\.py:my_game\.$"),
        (
            "zzz",
            r"^There is no game called 'zzz'; choose from flop_holdem, holdem, holdem_no_limit, kuhn, .*turn_holdem\.$",
        ),
        ("kuhn(player=3)", r"^kuhn has no parameter called 'player'; did you mean players\?$"),
        ("rock_paper_scissors(size=3)", r"^rock_paper_scissors has no parameter called 'size'; it takes none\.$"),
        ("kuhn(players=99)", r"^kuhn takes players from 2 to 10, but players=99 was given\.$"),
        ("leduc(players=1)", r"^leduc takes players from 2 to 3, but players=1 was given\.$"),
        ("kuhn(players=two)", r"^kuhn takes players as int, but players='two' was given\.$"),
        ("kuhn(players=2.5)", r"^kuhn takes players as int, but players=2\.5 was given\.$"),
        ("kuhn(players=True)", r"^kuhn takes players as int, but players=True was given\.$"),
        ("leduc(suits=1)", r"^leduc takes suits as bool, but suits=1 was given\.$"),
        (
            "kuhn(3)",
            r"^'kuhn\(3\)' does not read as a game; write it like kuhn or kuhn\(players=3\), parameters by name\.$",
        ),
        ("kuhn(", r"^'kuhn\(' does not read as a game; "),
        ("", r"^'' does not read as a game; "),
        ("import os", r"^'import os' does not read as a game; "),
        ("kuhn(players=open('x'))", r" does not read as a game; "),
        (
            "leduc_no_limit(ante=50,stack=20)",
            r"^leduc_no_limit needs 0 < ante < stack, but got ante=50 and stack=20\.$",
        ),
        ("leduc_no_limit(bets=[1,0.5])", r"^leduc_no_limit needs bets as ascending fractions .*, got \(1, 0\.5\)\.$"),
        ("leduc_no_limit(bets=1)", r"^leduc_no_limit takes bets as a list of numbers, but bets=1 was given\.$"),
        (
            "leduc_no_limit(bets=[0.5,0.5000001,1])",
            r"^leduc_no_limit has several bets called 0\.5 pot, since they hardly differ; leave all but one out\.$",
        ),
        (
            f"leduc_no_limit(bets=[1{'0' * 400}])",
            r"^leduc_no_limit takes bets in numbers of up to 300 digits, but more",
        ),
        (f"leduc_no_limit(ante=1{'0' * 400})", r"^leduc_no_limit takes ante in numbers of up to 300 digits, but more "),
        ("holdem(variant=texas)", r"^holdem has no variant called 'texas'; choose from acpc, rlcard\.$"),
        ("holdem(rounds=5)", r"^holdem takes rounds from 2 to 4, but rounds=5 was given\.$"),
        ("matrix(payoffs=[[1,2],[3]])", r"^matrix needs payoffs as rows of equally many numbers .*\.$"),
        ("matrix(payoffs=[[1,2]],columns=[[1],[2]])", r"^matrix needs both payoff tables in one shape, but .*\.$"),
        ("nowhere.py:game", r"^There is no file nowhere\.py to take the game 'game' from; check the path\.$"),
        ("open_spiel:kuhn_pokr", r"^OpenSpiel has no game called 'kuhn_pokr'; did you mean kuhn_poker"),
        ("open_spiel:leduc_poker(playerz=2)", r"^OpenSpiel cannot load .*Unknown parameter 'playerz'.*; check its par"),
        (
            "open_spiel:goofspiel",
            r"has simultaneous moves, .*; use open_spiel:turn_based_simultaneous_game\(game=goofspiel",
        ),
        ("open_spiel:catch", r"does not say what its players know"),
    ],
)
def test_refused_names(text, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        feint.load_game(text)


@pytest.mark.parametrize(
    "text",
    ["leduc_no_limit(bets=['wide'])", "matrix(payoffs=[['a']])", "kuhn(players={[]})"],
)
def test_words_for_numbers_are_refused(text):
    with pytest.raises(Exception, match=r"\.$") as caught:
        feint.load_game(text)
    assert caught.type is feint.BadInput


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" kuhn ", "kuhn"),
        ("kuhn()", "kuhn"),
        ("kuhn(players=2)", "kuhn"),
        ("leduc(suits=true, players=2)", "leduc(suits=True)"),
        ("leduc_no_limit(ante=50, bets=[0.5, 1])", "leduc_no_limit(ante=50.0,bets=(0.5,1))"),
        ("holdem(variant=rlcard, rounds=4)", "holdem(variant='rlcard')"),
        ("matrix(payoffs=[[1,0],[0,2]])", "matrix(payoffs=((1,0),(0,2)))"),
    ],
)
def test_names_are_brought_into_one_form(text, name):
    game = feint.load_game(text)
    assert game.name == name
    assert feint.load_game(game.name).declaration() == game.declaration()


def test_a_game_from_a_users_file(tmp_path):
    file = tmp_path / "my_game.py"
    file.write_text(
        textwrap.dedent("""
        from feint.games.cards import Deck, high_card
        from feint.games.poker import Poker, Round

        def my_game(size=3):
            ranks = "23456789TJQKA"[:size]
            return Poker(deck=Deck(ranks), ante=1.0, rounds=(Round(raise_by=1, cap=1),), showdown=high_card)

        def broken():
            return "no game"

        def odd():
            raise ValueError("too few")

        class Plain:
            pass
        """)
    )
    game = feint.load_game(f"{file}:my_game(size=4)")
    assert game.name == f"{file}:my_game(size=4)"
    assert len(feint.unroll(game).infosets) == 4 * 4
    assert len(feint.unroll(f"{file}:my_game").infosets) == 3 * 4
    for call, sentence in {
        "my_gam": r"has no function or class called 'my_gam'; did you mean my_game\?$",
        "my_game(width=3)": r"cannot be made \(.*width.*\); check its parameters\.$",
        "odd": r"cannot be made \(ValueError: too few, line \d+\); check its parameters\.$",
        "broken": r"gave a str, not a feint\.Game; return a game from it\.$",
        "Plain": r"gave a Plain, not a feint\.Game; write class Plain\(feint\.Game\)\.$",
    }.items():
        with pytest.raises(feint.BadInput, match=sentence):
            feint.load_game(f"{file}:{call}")
    with pytest.raises(
        feint.BadInput, match=r"does not say which game of that file; write it like .*my_game\.py:Plain\.$"
    ):
        feint.load_game(str(file))
    for text, error in {"def x(:": r"SyntaxError: .*line 1\)", "\nimport zzz": "No module named 'zzz', line 2"}.items():
        file.write_text(text)
        with pytest.raises(feint.BadInput, match=rf"cannot be read \(.*{error}\); mend it first\.$"):
            feint.load_game(f"{file}:my_game")


@pytest.mark.parametrize("ask", [feint.unroll, lambda game: feint.train("cfr+", game, steps=1)])
def test_what_is_no_game_is_refused_in_a_sentence(ask):
    with pytest.raises(feint.BadInput, match=r"^A game is a feint\.Game or a name such as 'leduc', but 5 was given\.$"):
        ask(5)


def test_what_is_no_number_of_steps_is_refused_in_a_sentence():
    with pytest.raises(
        feint.BadInput, match=r"^steps must be a positive number below 1e\+18, but steps='ten' was given"
    ):
        feint.train("cfr+", "kuhn", steps="ten")


@pytest.mark.parametrize("read", [feint.load_run, lambda run: feint.ask("feint:leduc", run)])
@pytest.mark.parametrize("given", [7, None, b"feint:leduc"])
def test_what_is_no_run_and_no_spot_is_refused_in_a_sentence(read, given):
    with pytest.raises(feint.BadInput, match=rf"but {given!r} was given\.$"):
        read(given)


def test_simultaneous_games_are_taken_turn_based(tree_of):
    tree = tree_of("open_spiel:turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))")
    assert (tree.players, len(tree.infosets)) == (2, 90)
    assert tree.zero_sum


def test_the_suggestion_for_a_simultaneous_game_works():
    with pytest.raises(feint.BadInput, match="use open_spiel:turn_based") as caught:
        feint.load_game("open_spiel:matrix_rps")
    game = feint.load_game(str(caught.value).rpartition("use ")[2].rstrip("."))
    assert feint.load_game(game.name).name == game.name


def played(game, script):
    """The state after a script: a card's name where chance deals, a move's name where a player acts."""
    state = game.start()
    for word in script.split():
        if game.actor(state) == feint.CHANCE:
            (state,) = [after for _, after in game.chance(state) if dealt(game, state, after) == word]
        else:
            state = game.play(state, game.actions.index(word))
    return state


def dealt(game, before, after):
    if before.dealer != after.dealer:
        return f"dealer{after.dealer}"
    cards = after.holes[-1] if len(after.holes) > len(before.holes) else after.board
    return "".join(game.deck.name(card) for card in cards)


@pytest.mark.parametrize(
    ("game", "script", "payoffs"),
    [
        ("kuhn", "J Q call call", (-1, 1)),
        ("kuhn", "J Q raise fold", (1, -1)),
        ("kuhn", "J Q raise call", (-2, 2)),
        ("kuhn", "J K call raise fold", (-1, 1)),
        ("kuhn", "K Q call raise call", (2, -2)),
        ("kuhn(players=3)", "J Q K call call call", (-1, -1, 2)),
        ("kuhn(players=3)", "J Q K raise fold call", (-2, -1, 3)),
        ("kuhn(players=3)", "J Q K call raise fold call", (-2, 3, -1)),
        ("kuhn(players=3)", "J Q K raise fold fold", (2, -1, -1)),
        ("leduc", "J K raise raise call J raise raise call", (13, -13)),  # 1 + 2·2, then 2·4; a pair of jacks
        ("leduc", "J K call call Q call raise call", (-5, 5)),
        ("leduc", "Q Q call raise call K raise call", (0, 0)),
        ("leduc", "K J call raise fold", (-1, 1)),
        ("leduc", "J K raise call Q raise raise fold", (-7, 7)),
        ("leduc(suits=True)", "Ks Jh call call Js call raise call", (-5, 5)),
        ("leduc(players=3)", "J Q K call raise call fold A call raise call", (-1, -7, 8)),
        ("leduc(players=3)", "J J K raise call fold A call call", (0.5, 0.5, -1)),  # the folded ante is shared
        ("leduc_no_limit", "Q K pot fold", (100, -100)),
        ("leduc_no_limit", "Q K pot pot all-in call Q", (1200, -1200)),
        ("leduc_no_limit", "Q K call pot call A call all-in fold", (-300, 300)),
        ("leduc_no_limit", "A K call call Q pot pot call", (900, -900)),  # 100, then 200, then 600 more
        ("leduc_thesis", "dealer0 J Q fold", (-0.5, 0.5)),
        ("leduc_thesis", "dealer1 J Q fold", (0.5, -0.5)),
        ("leduc_thesis", "dealer0 J Q call call J call call", (1, -1)),
        ("leduc_thesis", "dealer1 J Q raise raise call K call raise call", (-4, 4)),
    ],
)
def test_hands_played_out(game, script, payoffs):
    game = feint.load_game(game)
    state = played(game, script)
    assert game.actor(state) == feint.TERMINAL
    assert tuple(game.payoffs(state)) == payoffs


@pytest.mark.parametrize(
    ("game", "script", "actor", "label", "moves"),
    [
        ("kuhn", "J Q", 0, "J", "call raise"),
        ("kuhn", "J Q call", 1, "Q: check", "call raise"),
        ("kuhn", "J Q call raise", 0, "J: check bet", "fold call"),
        ("kuhn(players=3)", "J Q K call raise fold", 0, "J: check bet fold", "fold call"),
        ("kuhn(players=3)", "J Q K call call raise fold", 1, "Q: check check bet fold", "fold call"),
        ("leduc", "Q K raise", 1, "K: bet", "fold call raise"),
        ("leduc", "Q K raise raise", 0, "Q: bet raise", "fold call"),  # two raises a round
        ("leduc", "Q K raise raise call J", 0, "QJ: bet raise call", "call raise"),
        ("leduc", "Q K call call J call", 1, "KJ: check check / check", "call raise"),
        ("leduc(suits=True)", "Qs Qh call call Jh call", 1, "QhJh: check check / check", "call raise"),
        ("leduc(players=3)", "J Q K call raise call fold A", 1, "QA: check bet call fold", "call raise"),
        ("leduc(players=3)", "J Q K call raise call fold A call", 2, "KA: check bet call fold / check", "call raise"),
        ("leduc(players=3)", "J Q K raise raise fold", 0, "J: bet raise fold", "fold call"),
        ("leduc_no_limit", "Q K", 0, "Q", "call pot all-in"),
        ("leduc_no_limit(free_folds=True)", "Q K", 0, "Q", "fold call pot all-in"),
        ("leduc_no_limit", "Q K pot", 1, "K: pot", "fold call pot all-in"),
        ("leduc_no_limit", "Q K pot pot", 0, "Q: pot pot", "fold call all-in"),  # a third pot would be over the stack
        ("leduc_no_limit", "Q K all-in", 1, "K: all-in", "fold call"),
        ("leduc_thesis", "dealer0 J Q", 0, "J (dealer)", "fold call raise"),
        ("leduc_thesis", "dealer1 J Q", 1, "Q (dealer)", "fold call raise"),
        ("leduc_thesis", "dealer1 J Q call", 0, "J: call", "call raise"),
        ("leduc_thesis", "dealer1 J Q call raise raise", 0, "J: call raise raise", "fold call"),
        ("leduc_thesis", "dealer1 J Q call call K", 1, "QK (dealer): call check", "call raise"),
        ("leduc_thesis", "dealer1 J Q call call K raise", 0, "JK: call check / bet", "fold call raise"),
    ],
)
def test_situations(game, script, actor, label, moves):
    game = feint.load_game(game)
    state = played(game, script)
    assert game.actor(state) == actor
    assert game.label(state, actor) == label
    assert [game.actions[move] for move in game.legal(state)] == moves.split()


def test_cards_of_a_rank_share_their_chance():
    game = feint.load_game("leduc")
    second = {dealt(game, played(game, "J"), after): chance for chance, after in game.chance(played(game, "J"))}
    assert second == pytest.approx({"J": 1 / 5, "Q": 2 / 5, "K": 2 / 5})
    state = played(game, "J J call call")
    assert {dealt(game, state, after): chance for chance, after in game.chance(state)} == {"Q": 0.5, "K": 0.5}


def test_whichever_hole_card_pairs_the_board_counts():
    deck = Deck("JQKA", 2)
    jack, queen, king, ace = range(4)
    holes = [(queen, queen), (king, ace), (jack, ace), (jack, king)]
    assert [pair_then_rank(deck, hole, (jack, king)) for hole in holes] == [
        (False, queen),
        (True, king),
        (True, jack),
        (True, king),
    ]


def test_numbers_that_nobody_can_print_are_refused_in_a_sentence():
    with pytest.raises(
        feint.BadInput, match=r"^kuhn takes players in numbers of up to 300 digits, but more were given"
    ):
        kuhn(players=-(10**5000))


KUHN = {"deck": Deck("JQK"), "ante": 1.0, "rounds": (Round(raise_by=1, cap=1),), "showdown": high_card}
HOLDEM = {"deck": Deck("9TJQKA", 4, suits=True), "hole": 2, "showdown": best_five}


@pytest.mark.parametrize(
    ("change", "needs"),
    [
        ({"rounds": ()}, "at least one round"),
        ({"rounds": (Round(raise_by=1),)}, "raise_by above 0 and a cap in every round"),
        ({"rounds": (Round(raise_by=-1, cap=1),)}, "raise_by above 0 and a cap in every round"),
        ({"players": 4}, "4 cards for 4 players and the board, but its deck has 3"),
        ({"players": 1}, "at least 2 players"),
        ({"blinds": (1.0, 2.0, 4.0)}, "no more blinds than its 2 players"),
        ({"ante": -1.0}, "antes and blinds of 0 or more"),
        ({"stack": 5.0}, r"a stack with pot_bets \(no-limit\), or neither"),
        ({"pot_bets": (1.0,)}, r"a stack with pot_bets \(no-limit\)"),
        ({"pot_bets": (1.0,), "stack": 1.0}, "a stack above the 1 posted, not 1"),
        ({"deck": Deck("JQK", 5, suits=True)}, "at most 4 suits, not 5"),
        ({"pot_bets": (1.0, 0.5), "stack": 5.0}, r"pot_bets in ascending order, each once, not \(1.0, 0.5\)"),
        ({"pot_bets": (1.0, 1.0), "stack": 5.0}, r"pot_bets in ascending order, each once, not \(1.0, 1.0\)"),
        (
            {"pot_bets": (1.0,), "stack": 5.0, "rounds": (Round(menus=(Menu((1.0,), ()),)),)},
            "a menu for each of its 2 players in a round, or none",
        ),
        (
            HOLDEM | {"deck": Deck("9TJQKA", 4), "rounds": (Round(2, 1, board=3),)},
            "a deck with suits=True for best_five",
        ),
        (HOLDEM | {"rounds": (Round(2, 1), Round(2, 1, board=2))}, "5 to 7 cards a hand for best_five, not 4"),
        (HOLDEM | {"rounds": (Round(2, 1), Round(2, 1, board=6))}, "5 to 7 cards a hand for best_five, not 8"),
    ],
)
def test_poker_that_cannot_be_played_is_refused(change, needs):
    with pytest.raises(feint.BadInput, match=rf"^A game of poker needs {needs}"):
        Poker(**KUHN | change)


def test_small_bets_in_late_rounds_have_features(tree_of):
    """A bet below the ante becomes legal once the pot has grown, and then allows more raises than the first round."""
    tree_of("leduc_no_limit(stack=20000,bets=[0.1,2])")
