import apache_beam as beam
import pytest
from apache_beam.portability.common_urns import composites
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.portions import CHARACTERS, LEAST_PARTS, ROWS, TOKENS, pack, parts_for, stated_parts
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import SpreadOverLanes

WEIGHTS = st.lists(st.integers(0, 1000), max_size=40)


@given(WEIGHTS, st.integers(1, 6))
def test_every_piece_is_in_one_lane(weights, lanes):
    packed = pack(weights, lanes)
    assert sorted(index for lane in packed for index in lane) == list(range(len(weights)))
    assert len(packed) <= lanes
    assert all(packed)


@given(WEIGHTS.filter(any), st.integers(1, 6))
def test_lanes_are_within_a_third_of_the_best(weights, lanes):
    # Graham (1969): longest processing time first is at most 4/3 - 1/(3m) times the optimum.
    longest = max(sum(weights[index] for index in lane) for lane in pack(weights, lanes))
    least = max(sum(weights) / lanes, max(weights))
    pairs = sorted(weights, reverse=True)
    if len(pairs) > lanes:
        least = max(least, pairs[lanes - 1] + pairs[lanes])
    assert longest <= (4 / 3) * least + 1e-9


SIZES = st.integers(0, 10**9)


@given(SIZES, SIZES, SIZES)
def test_parts_are_the_least_power_of_two_by_which_none_is_too_large(rows, tokens, characters):
    def suits(parts):
        return rows <= parts * ROWS and tokens <= parts * TOKENS and characters <= parts * CHARACTERS

    assert parts_for(rows, tokens, characters) == next(2**n for n in range(3, 40) if suits(2**n))


def test_a_small_corpus_has_eight_and_the_largest_a_bounded_number():
    assert parts_for() == parts_for(rows=8 * ROWS) == LEAST_PARTS
    assert parts_for(rows=8 * ROWS + 1) == 2 * LEAST_PARTS
    assert parts_for(10**9, 10**11, 10**12) == parts_for(10**12) == 8192


def test_a_number_is_taken_as_it_is_and_other_texts_are_refused():
    assert [stated_parts(value) for value in ("auto", "1", "12", "10000")] == [0, 1, 12, 10_000]
    for value in ("0", "10001", "-1", "1.5", "many", "Auto", "9" * 5000, "\u0665"):
        with pytest.raises(UsageError, match="must be auto, or a number from 1 to 10000"):
            stated_parts(value)


PIECES = [(5, "a"), (1, "b"), (4, "c"), (3, "d"), (3, "d")]


def weight(piece):
    return piece[0]


def spread(pipeline, pieces, lanes, folder, stage="train"):
    return (
        pipeline | beam.Create(pieces, reshuffle=False) | SpreadOverLanes(weight, lanes, Workspace(str(folder)), stage)
    )


@pytest.mark.parametrize("lanes", [0, 1, 2, 7])
def test_each_piece_comes_out_once_and_their_number_is_noted(lanes, tmp_path):
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        assert_that(spread(pipeline, PIECES, lanes, tmp_path), equal_to(PIECES))
    assert (tmp_path / "plan" / "train").read_text() == str(len(PIECES))


@pytest.mark.parametrize("lanes", [0, 2])
def test_there_may_be_no_pieces(lanes, tmp_path):
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        assert_that(spread(pipeline, [], lanes, tmp_path), equal_to([]))


@pytest.mark.parametrize("lanes", [0, 2])
def test_without_lanes_the_runner_deals_out(lanes, tmp_path):
    pipeline = beam.Pipeline(runner=FnApiRunner())
    spread(pipeline, PIECES, lanes, tmp_path)
    steps = pipeline.to_runner_api().components.transforms.values()
    assert any(step.spec.urn == composites.RESHUFFLE.urn for step in steps) == (lanes == 0)


@pytest.mark.parametrize("lanes", [0, 2])
def test_a_number_that_is_known_beforehand_is_not_noted(lanes, tmp_path):
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        assert_that(spread(pipeline, PIECES, lanes, tmp_path, stage=""), equal_to(PIECES))
    assert not list(tmp_path.iterdir())
