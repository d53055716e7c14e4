import apache_beam as beam
import pytest
from apache_beam.portability.common_urns import composites
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import SpreadOverLanes

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
