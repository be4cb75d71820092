"""Memories filled in batches hold what filling them one by one would."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from feint.learners.memory import Memory, circular_slots, empty, insert, reservoir_slots, sample


def fill(capacity, batches, slots):
    """A memory offered the numbers 0, 1, … in batches, of which some rows hold nothing."""
    memory, number = empty(jnp.int32(0), capacity), 0
    for offered in batches:
        offered = np.asarray(offered, bool)
        items = np.where(offered, number + np.cumsum(offered) - 1, -7).astype(np.int32)
        memory = insert(memory, jnp.asarray(items), slots(memory.seen, jnp.asarray(offered)), jnp.asarray(offered))
        number += int(offered.sum())
    return memory


@given(st.integers(1, 12), st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=8))
def test_a_circular_buffer_holds_the_latest(capacity, batches):
    memory = fill(capacity, batches, lambda seen, offered: circular_slots(seen, capacity, offered))
    expected = np.zeros(capacity, int)
    for number in range(int(np.sum(batches))):
        expected[number % capacity] = number
    np.testing.assert_array_equal(memory.rows, expected)
    assert int(memory.seen) == np.sum(batches)


def one_by_one(capacity, count, least, growth, rng):
    """Vitter's algorithm R, as in the textbook; with growth, new items are taken so many times as often."""
    held = []
    for number in range(1, count + 1):
        if number <= capacity:
            held.append(number - 1)
        elif rng.random() < max((1 + growth) * capacity / number, least):
            held[rng.integers(capacity)] = number - 1
    return held


def reservoirs(capacity, batches, trials, least=0.0, growth=0.0):
    """What reservoirs hold once they were offered the numbers 0, 1, … in batches."""

    @jax.jit
    @jax.vmap
    def filled(key):
        def add(memory, batch):
            offered, key = batch
            items = (memory.seen + jnp.cumsum(offered) - 1).astype(jnp.int32)
            slots = reservoir_slots(memory.seen, capacity, offered, key, least, growth)
            return insert(memory, items, slots, offered), None

        offered = jnp.asarray(batches)
        keys = jax.random.split(key, len(offered))
        return jax.lax.scan(add, empty(jnp.int32(0), capacity), (offered, keys))[0].rows

    return np.asarray(filled(jax.random.split(jax.random.key(0), trials)))


@pytest.mark.parametrize(
    ("capacity", "least", "growth"),
    [(8, 0.0, 0.0), (8, 0.5, 0.0), (3, 0.0, 0.0), (8, 0.0, 1.0), (3, 0.0, 0.5), (4, 0.4, 2.0)],
)
def test_a_reservoir_keeps_what_algorithm_r_keeps(capacity, least, growth):
    batches, trials = [[True, False, True, True, True, False, True, True]] * 6, 4000
    count = int(np.sum(batches))
    kept = reservoirs(capacity, batches, trials, least, growth)
    rng = np.random.default_rng(0)
    expected = np.array([one_by_one(capacity, count, least, growth, rng) for _ in range(trials)])
    ours, theirs = (np.bincount(rows.ravel(), minlength=count) for rows in (kept, expected))
    assert stats.chi2_contingency(np.array([ours, theirs])).pvalue > 1e-3
    if least == growth == 0:
        assert stats.chisquare(ours).pvalue > 1e-3  # every item equally likely to be held
    assert all(len(set(row)) == capacity for row in kept)


@pytest.mark.parametrize("growth", [0.0, 0.5, 1.0, 2.0])
def test_a_growing_reservoir_favours_the_later_by_their_number_to_that_power(growth):
    """Item k by k^growth, from the item on that is the first to be refused at times; those before it fade together."""
    capacity, batch, count, trials = 40, 80, 2000, 1000
    kept = reservoirs(capacity, np.ones((count // batch, batch), bool), trials, growth=growth)
    first = int((1 + growth) * capacity)
    edges = np.array([0, *np.linspace(first, count, 21).astype(int)])
    ours = np.histogram(kept, edges)[0]
    # The sum of k^growth up to an item is as the item to the power of growth + 1.
    law = np.diff((edges / count) ** (1 + growth))
    assert stats.chisquare(ours, law * ours.sum()).pvalue > 1e-3
    others = [other for other in (0.0, 0.5, 1.0, 2.0) if other != growth]
    assert all(
        stats.chisquare(ours, np.diff((edges / count) ** (1 + other)) * ours.sum()).pvalue < 1e-6 for other in others
    )


@pytest.mark.parametrize("growth", [0.5, 1.0])
def test_a_growing_reservoir_takes_every_early_item(growth):
    """Up to item (1 + growth) · capacity none is refused, each pushes one out, and the first lot stay alike."""
    capacity, trials = 40, 4000
    count = int((1 + growth) * capacity)
    kept = reservoirs(capacity, np.ones((count // 20, 20), bool), trials, growth=growth)
    assert (kept == count - 1).any(1).all()
    later = np.maximum(np.arange(1, count + 1), capacity)
    held = (1 - 1 / capacity) ** (count - later)
    assert stats.chisquare(np.bincount(kept.ravel(), minlength=count), held * trials).pvalue > 1e-3


def test_where_two_rows_fall_into_one_slot_the_later_wins():
    """With one slot, the row held must be the last one accepted, whatever order a scatter writes in."""
    offered = jnp.ones(64, bool)
    slots = np.asarray(
        jax.vmap(lambda key: reservoir_slots(jnp.int64(1000), 1, offered, key, 0.5))(
            jax.random.split(jax.random.key(0), 50)
        )
    )
    assert ((slots >= 0).sum(1) == 1).all()
    assert np.median(slots.argmax(1)) > 60


def test_long_runs_are_counted_beyond_32_bits():
    seen = jnp.int64(2**40)
    slots = reservoir_slots(seen, 1000, jnp.ones(1000, bool), jax.random.key(0))
    assert (np.asarray(slots) == -1).all()
    assert int(circular_slots(seen, 7, jnp.ones(1, bool))[0]) == 2**40 % 7


def test_samples_come_only_from_what_is_there():
    memory = fill(100, [[True] * 5], lambda seen, offered: circular_slots(seen, 100, offered))
    drawn = np.asarray(sample(memory, jax.random.key(0), 5000))
    assert stats.chisquare(np.bincount(drawn, minlength=5)).pvalue > 1e-3
    assert drawn.max() == 4


def test_every_row_of_a_large_memory_is_drawn_as_often():
    """Of 2²⁵ rows, numbered to base 8: with fewer random bits than 25 some would never come."""
    count = 2**25
    memory = Memory(jnp.arange(count, dtype=jnp.int32).astype(jnp.uint8) % 8, jnp.int64(count))
    drawn = np.bincount(sample(memory, jax.random.key(0), 20_000), minlength=8)
    assert stats.chisquare(drawn).pvalue > 1e-3
