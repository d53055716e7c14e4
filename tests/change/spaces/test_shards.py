import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.spaces.shards import (
    MOST_STEPS,
    ShardOptions,
    check_steps,
    options_of_step,
    span_of,
    steps_of,
)
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.sgns import Jobs, SgnsOptions


@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**64 - 1))
def test_every_sentence_is_in_one_round_of_one_shard(shards, rounds, key):
    options = ShardOptions(shards=shards, rounds=rounds)
    spans = [span_of(shard, number, options) for shard in range(shards) for number in range(rounds)]
    assert [span for span in spans if span.first <= key <= span.last] == [spans[key * shards * rounds >> 64]]
    assert spans[0].first == 0
    assert spans[-1].last == 2**64 - 1
    assert all(before.last + 1 == after.first for before, after in itertools.pairwise(spans))


def test_the_learning_rate_falls_over_the_whole_training():
    options = SgnsOptions(epochs=3, alpha=0.05, min_alpha=0.001)
    sharding = ShardOptions(shards=2, rounds=2)
    steps = steps_of(sharding, options.epochs)
    assert steps == 6
    cut = [options_of_step(options, step, steps) for step in range(steps)]
    assert {some.epochs for some in cut} == {1}
    assert [some.min_alpha for some in cut[:-1]] == [some.alpha for some in cut[1:]]
    # Of a slice of 100 sentences each shard has 25 in a round: its first rate is that of as many rounds in one shard.
    whole = Jobs(alpha=0.05, min_alpha=0.001, epochs=3, sentences=2)
    rates = []
    for epoch in range(3):
        whole.begin(epoch)
        rates += [rate for _, _, rate in whole.cut([20_000, 20_000])]
    assert [some.alpha for some in cut] == pytest.approx(rates)
    assert cut[-1].min_alpha == pytest.approx(0.001)


def test_one_shard_is_no_step():
    assert steps_of(ShardOptions(), 5) == 0
    check_steps(ShardOptions(), 10_000)


def test_rounds_of_one_shard_are_refused():
    with pytest.raises(UsageError, match="`rounds` 3: one shard has nothing to be averaged with; give `shards`"):
        ShardOptions(rounds=3)


def test_more_averages_than_a_graph_should_have_levels_are_refused():
    check_steps(ShardOptions(shards=2, rounds=MOST_STEPS // 5), 5)
    with pytest.raises(UsageError, match=f"`epochs` 5 with `rounds` 11: .* 55 times.* {MOST_STEPS} are the most"):
        check_steps(ShardOptions(shards=2, rounds=11), 5)
