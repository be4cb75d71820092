"""A player asked about one spot."""

from __future__ import annotations

import json

import numpy as np
import pytest

import feint
from feint.forms.library import form_of
from feint.forms.unrolled import TreeForm
from feint.games.poker import Poker
from feint.games.poker_spots import bet
from feint.games.poker_views import betting_in_words
from feint.games.postflop import DECK
from feint.games.ranges import hands_of
from feint.players.spots import find_spot

NO_LIMIT = "leduc_no_limit(bets=[0.5,1])"


@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc(suits=True)", "leduc_thesis", NO_LIMIT])
def test_every_spot_of_poker_is_found_by_its_cards_and_its_betting(tree_of, name):
    """Whatever the rules come to, the words for it lead back to."""
    tree = tree_of(name)
    form, game = TreeForm(tree), tree.game
    assert isinstance(game, Poker)
    for row in range(0, len(tree.views), max(1, len(tree.views) // 300)):
        dealer, hole, board, moves = tree.views[row]
        cards, turned = (" ".join(map(game.deck.name, group)) for group in (hole, board))
        betting = betting_in_words(game, dealer, moves)
        seen = find_spot(form, cards, turned, betting, int(tree.player[row]))
        assert (seen.player, seen.view, seen.label) == (tree.player[row], tree.views[row], tree.labels[row])
        assert list(seen.moves) == [word for word in tree.spoken[row] if word]
        assert find_spot(form, cards, turned, betting.replace(" /", ""), seen.player).view == seen.view
        assert find_spot(form, tree.labels[row], player=seen.player) == find_spot(
            form, tree.labels[row].lower(), player=seen.player
        )


def test_an_answer_is_what_the_strategy_plays_and_what_moves_win(tree_of):
    run, tree = feint.load_run("feint:leduc"), tree_of("leduc")
    table, worth = run.strategy.table(tree), feint.move_values(tree, run.strategy)
    row = tree.labels.index("QK: bet call / check")
    for told in (
        feint.ask("feint:leduc", "Q", "K", "raise call / check"),
        feint.ask(run, "q", "k", "b c check"),
        feint.ask(run.strategy, "QK: bet call / check", game="leduc"),
    ):
        assert (told.player, told.sees) == (tree.player[row], tree.labels[row])
        assert list(told.moves) == ["check", "bet"]
        assert list(told.moves.values()) == pytest.approx(table[row, 1:])
        assert list(told.values.values()) == pytest.approx(worth[row, 1:])


def test_hold_em_is_asked_by_its_cards():
    """The same as the rules show whoever is dealt these cards."""
    form = form_of("holdem")
    game = form.game
    hand = game.start()
    number = {game.deck.name(card): card for card in range(game.deck.kinds)}
    for cards in ("2s 3s", "Ah Kh"):
        hand = game.deal(hand, tuple(number[name] for name in cards.split()))
    for move in (2, 1):
        hand = game.play(hand, move)
    hand = game.deal(hand, tuple(number[name] for name in ("9s", "2c", "7d")))
    seen = find_spot(form, "AhKh", "2c7d9s", "raise call /")
    assert (seen.player, seen.view) == (1, game.view(hand, 1))
    assert seen == find_spot(form, "K♥ A♥", "9♠, 7d 2c", "raise call")
    told = feint.ask("feint:holdem", "AhKh", "2c7d9s", "raise call / check bet")
    assert (told.player, told.values, list(told.moves)) == (1, None, ["fold", "call", "raise"])
    assert sum(told.moves.values()) == pytest.approx(1)
    assert find_spot(form, "10h 2s").label == find_spot(form, "2sTh").label == "Th2s"
    assert find_spot(form, "KdAh", "2c7d9s", "raise call").label == "AhKd 9s7d2c: raise call"


def test_a_bet_of_the_pot_may_be_called_so_with_its_number():
    for bets in ((1,), (0.1, 1)):
        game = feint.load_game(f"leduc_no_limit(bets={list(bets)})")
        assert bet(game, "1 pot call check").moves == bet(game, "pot call check").moves
    with pytest.raises(feint.BadInput, match=r"'5' is not a move at the start"):
        bet(feint.load_game("leduc_no_limit(bets=[0.5,1.5])"), "5 pot")


def test_before_the_flop_a_kind_of_hand_is_any_hand_of_it():
    """As solve and charts name them; what is told says which hand it is."""
    form = form_of("holdem")
    for kind, hands in (("AKo", 12), ("aks", 4), ("KAs", 4), ("99", 6), ("109s", 4)):
        cards = find_spot(form, kind, betting="raise").label.split(":")[0]
        assert cards in {"".join(map(DECK.name, hand[::-1])) for hand in hands_of(kind.replace("10", "T"), DECK)}
        assert len(hands_of(kind.replace("10", "T"), DECK)) == hands
    told = feint.ask("feint:holdem", "AKo")
    assert told == feint.ask("feint:holdem", told.sees)


def test_players_by_name_are_asked_at_a_game(call):
    words = ["ask", "always(move=raise)", "j", "--game", "kuhn"]
    code, out, _ = call(*words, "--json")
    told = json.loads(out)
    assert (code, told["player"], told["sees"]) == (0, 1, "J")
    assert told["moves"] == {"check": 0.0, "bet": 1.0}
    assert told["values"] == pytest.approx({"check": -1.0, "bet": -2.0}), "it bets, and calls every bet"
    _, out, err = call(*words)
    assert [line.split() for line in out.splitlines()] == [
        ["always-raise", "as", "player", "1", "at", "J"],
        ["move", "how", "often", "wins"],
        ["check", "0.0000", "-1.0000"],
        ["bet", "1.0000", "-2.0000"],
    ]
    assert err.startswith("(Wins: chips a hand")


def test_where_it_never_comes_to_this_moves_win_nothing_known(call):
    """Nobody bets first against one who always folds and checks."""
    words = ["ask", "fold", "K", "--game", "kuhn", "--betting", "bet"]
    told = json.loads(call(*words, "--json")[1])
    assert told["values"] == {"fold": None, "call": None}
    assert call(*words)[1].splitlines()[-1].split() == ["call", "0.0000"]


def test_other_games_are_asked_by_label():
    table = feint.unroll("open_spiel:kuhn_poker")
    told = feint.ask("random", "2pb", game="open_spiel:kuhn_poker")
    assert (told.player, told.moves) == (0, {"Pass": 0.5, "Bet": 0.5})
    assert told.values == pytest.approx({"Pass": -1.0, "Bet": 2.0})
    assert told.sees in table.labels
    one, two = (feint.ask("random", "choose", game="rock_paper_scissors", player=player) for player in (0, 1))
    assert (one.player, two.player) == (0, 1)
    assert list(one.moves.values()) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("feint:holdem AhAh", "Ah is in the deck of holdem once, but was given 2 times; change one."),
        ("feint:holdem AhKh --board Ah7d9s --betting raise,call", "Ah is in the deck of holdem once"),
        ("feint:holdem Ah", "A player of holdem holds 2 cards, but Ah was given; name 2."),
        ("feint:holdem AhXx", "'xx', in the cards 'AhXx', is no card of holdem; a card is 2, 3,"),
        ("feint:holdem AKo --board 2c7d9s --betting raise,call", "'AKo' is 12 hands, which are not played alike once"),
        ("feint:holdem AK", "'AK' may be AKo or AKs, which are not played alike; say which."),
        ("feint:holdem AA --board 2c7d9s", "holdem has no cards on the board at the start, but 2c 7d 9s were given;"),
        ("feint:leduc Qs", "'s', in the cards 'Qs', is no card of leduc; it is played with J, Q and K, without suits."),
        ("feint:leduc Q --board QQ --betting raise,call", "leduc has 1 card on the board after bet call, but Q Q were"),
        ("feint:leduc Q --board K", "leduc has no cards on the board at the start, but K was given; leave it out, or"),
        ("feint:leduc Q --betting bet,fold", "A hand of leduc is over after bet fold, but 'bet,fold' was given;"),
        (
            "feint:leduc Q --betting fold",
            "'fold' is not a move at the start in leduc; the moves there are check and bet.",
        ),
        ("feint:leduc Q --betting bet,shove", "'shove' is not a move after bet in leduc; the moves there are fold,"),
        ("feint:leduc Q --betting bet/call", "leduc is in round 1 of its betting after bet, which is not where the"),
        ("feint:kuhn K --seat 2", "Player 2 was asked for, but player 1 is to move at the start; tell of another"),
        ("feint:kuhn K --seat 3", "Player 3 was asked for, but kuhn has players 1 to 2; tell of another spot."),
        (
            "random K --game kuhn(players=3) --betting check --seat 3",
            "Player 3 was asked for, but player 2 is to move after check",
        ),
        (
            "random choose --game rock_paper_scissors",
            "'choose' may be said of 2 spots of rock_paper_scissors, of player",
        ),
        (
            "random 1p --game open_spiel:kuhn_poker --seat 1",
            "Player 1 was asked for, but '1p' in open_spiel:kuhn_poker is player 2's to move; ask for that player",
        ),
        ("random 2pp --game open_spiel:kuhn_poker", "There is no spot called '2pp' in open_spiel:kuhn_poker; did you"),
        ("random ? --game rock_paper_scissors", "There is no spot called '?' in rock_paper_scissors; its spots are"),
        ("random 0 --game open_spiel:kuhn_poker --betting p", "open_spiel:kuhn_poker is not poker, so it has no board"),
        ("random K", "random does not say which game to play; name it with --game."),
    ],
)
def test_spots_that_cannot_be_are_one_sentence(call, words, sentence):
    code, out, err = call("ask", *words.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"feint: {sentence}")
    assert err.count("\n") == 1


def test_who_has_no_strategy_or_another_game_s_is_told_so(tree_of):
    class Mine(feint.players.player.Player):
        def move(self, seen):
            return 0

    with pytest.raises(feint.BadInput, match="decides hand by hand"):
        feint.ask(Mine(), "K", game="kuhn")
    with pytest.raises(feint.BadInput, match="is for another game than leduc"):
        feint.ask(feint.load_run("feint:kuhn").strategy, "K", game="leduc")
    with pytest.raises(feint.BadInput, match="does not say which game"):
        feint.ask(feint.load_run("feint:kuhn").strategy, "K")
    assert np.isfinite(list(feint.ask("feint:kuhn", "K").moves.values())).all()
