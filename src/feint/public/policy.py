"""Between strategies of a public tree and play at tables, where cards come as they are dealt."""

from __future__ import annotations

from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.arena import for_device, playable
from feint.arena.betting import ILLEGAL
from feint.arena.cards import HIDDEN, Seen
from feint.arena.policy import Policy
from feint.public.combinations import binomials, chosen
from feint.public.play import Moves, Tables, normalised
from feint.public.tree import PublicTree, Round

ROWS = {"cpu": 1 << 14, "gpu": 1 << 19}
"""How many situations a policy is asked about at once, about."""


@final
class PublicPolicy(Policy):
    """What is written down for a public tree, played."""

    tree: PublicTree
    weights: Tables

    @property
    def symmetric(self) -> bool:
        return len(self.tree.renamings) > 1

    def __call__(self, infostate: Seen, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        betting, deck = self.tree.betting, self.tree.betting.game.deck
        cards = infostate.cards.astype(jnp.int32)
        if not deck.suits:
            cards = tell_copies(cards, deck.copies)
        hole, node = betting.game.hole, infostate.node.astype(jnp.int32)
        said = jnp.zeros((len(cards), len(betting.actions)), jnp.float32)
        board, renaming, dealt = jnp.zeros_like(node), jnp.zeros_like(node), hole
        for number, stage in enumerate(self.tree.rounds):
            until = hole + stage.cards.shape[1]
            draw = numbered(self._renamed(renaming, cards[:, dealt:until]), len(self.tree.renamings[0]))
            renaming, board = self.tree.composed[stage.renaming[board, draw], renaming], stage.place[board, draw]
            held = self._renamed(renaming, cards[:, :hole])
            places = (stage.rest[board][:, None] < held[:, :, None]).sum(2)
            hand, dealt = numbered(places, stage.rest.shape[1]), until
            for decision in stage.betting.decisions:
                line = jnp.asarray(_lines(decision.nodes, len(betting.actor)))[node]
                mine = tuple(move[board, line, hand] for move in self.weights[number][decision.number])
                moves = jnp.asarray(_legal(betting.child)[:, : len(mine)])[node]
                here = (line >= 0)[:, None]
                for move, chance in zip(moves.T, normalised(mine), strict=True):
                    told = jnp.arange(said.shape[1]) == move[:, None]
                    said = jnp.where(here & told, chance[:, None].astype(said.dtype), said)
        return said

    def _renamed(self, renaming: Int[Array, " t"], cards: Int[Array, "t k"]) -> Int[Array, "t k"]:
        return self.tree.renamings.at[renaming[:, None], cards].get(mode="clip")


def _lines(nodes: Int[np.ndarray, " l"], of: int) -> Int[np.ndarray, " n"]:
    """The line of each betting decision among those that a decision stands for; −1 for others."""
    lines = np.full(of, -1, np.int32)
    lines[nodes] = np.arange(len(nodes))
    return lines


def _legal(child: Int[np.ndarray, "n a"]) -> Int[np.ndarray, "n a"]:
    """The legal moves of each betting decision, then the others."""
    return np.argsort(child == ILLEGAL, 1, kind="stable").astype(np.int32)


def tell_copies(cards: Int[Array, "*t k"], copies: int) -> Int[Array, "*t k"]:
    """Cards of which copies are the same, told apart as public trees do: whichever is seen first is the first."""
    before = jnp.tril(jnp.ones((cards.shape[-1],) * 2, bool), -1)
    return cards * copies + ((cards[..., :, None] == cards[..., None, :]) & before).sum(-1, dtype=cards.dtype)


def numbered(chosen: Int[Array, "*t k"], of: int) -> Int[Array, "*t"]:
    """The number of each choice of some below `of`, in any order."""
    count = chosen.shape[-1]
    if count == 0:
        return jnp.zeros(chosen.shape[:-1], jnp.int32)
    table = jnp.asarray(binomials(of, count))
    return table.at[jnp.sort(chosen, -1), jnp.arange(count)].get(mode="clip").sum(-1).astype(jnp.int32)


def written_down(tree: PublicTree, policy: Policy) -> Tables:
    """All that a policy does on a public tree, in compiled code.

    Where it answers with anything but chances of legal moves, nan, which goes into all that comes of it: whoever judges
    has to say so. As in unrolled games that is so with hands too with which its own moves never lead there.

    Where boards stand for others that differ in suits alone, the policy has to play all of them alike.
    """
    return tuple(_asked(tree, policy, stage) for stage in tree.rounds)


def _asked(tree: PublicTree, policy: Policy, stage: Round) -> tuple[Moves, ...]:
    """The same for a round: each player is asked about all decisions at once, for some boards at a time."""
    legal, found = _legal(tree.betting.child), dict[int, Moves]()
    for actor in (0, 1):
        mine = [decision for decision in stage.betting.decisions if decision.actor == actor]
        if not mine:
            continue
        said = _said(tree, policy, stage, np.concatenate([decision.nodes for decision in mine]), actor)
        ends = np.cumsum([len(decision.nodes) for decision in mine])[:-1]
        for decision, part in zip(mine, jnp.split(said, ends, 1), strict=True):
            moves = jnp.asarray(legal[decision.nodes, : len(decision.moves)])  # [l, m]
            found[decision.number] = tuple(
                jnp.take_along_axis(part, move[None, :, None, None], 3)[..., 0].astype(stage.dtype) for move in moves.T
            )
    return tuple(found[decision.number] for decision in stage.betting.decisions)


def _said(
    tree: PublicTree, policy: Policy, stage: Round, nodes: Int[np.ndarray, " n"], actor: int
) -> Float[Array, "b n h a"]:
    """What one player does at some betting decisions, on every board, with every hand."""
    game = tree.betting.game
    hands = jnp.asarray(chosen(stage.rest.shape[1], game.hole))
    width = game.hole + sum(declared.board for declared in game.rounds)
    copies = 1 if game.deck.suits else game.deck.copies

    def ask(boards: Int[Array, "b c"], rest: Int[Array, "b m"]) -> Float[Array, "b n h a"]:
        held, count = rest[:, hands], len(boards)
        seen = jnp.concatenate([held, jnp.broadcast_to(boards[:, None], (*held.shape[:2], boards.shape[1]))], 2)
        seen = (seen // copies).astype(jnp.uint8)
        hidden = jnp.full((*seen.shape[:2], width - seen.shape[2]), HIDDEN, jnp.uint8)
        cards = jnp.concatenate([seen, hidden], 2)
        shape = count, len(nodes), len(hands)
        many = jnp.broadcast_to(cards[:, None], (*shape, width)).reshape(-1, width)
        at = jnp.broadcast_to(jnp.asarray(nodes, jnp.int32)[:, None], shape).reshape(-1)
        told, legal = policy(Seen(at, many), jnp.asarray(actor)), jnp.asarray(tree.betting.child)[at] != ILLEGAL
        return jnp.where(playable(told, legal)[:, None], told, jnp.nan).reshape(*shape, -1)

    batch = min(stage.boards, max(1, for_device(ROWS) // (len(nodes) * len(hands))))
    filled = jnp.minimum(jnp.arange(-(-stage.boards // batch) * batch), stage.boards - 1).reshape(-1, batch)
    said = jax.lax.map(lambda places: ask(stage.cards[places], stage.rest[places]), filled)
    rows: Float[Array, "b n h a"] = said.reshape(-1, *said.shape[2:])[: stage.boards]
    return rows
