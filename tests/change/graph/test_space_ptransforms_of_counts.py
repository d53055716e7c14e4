"""Spaces made of counts in a graph: what is freed, what is taken up, and the same bytes whatever the lanes."""

import apache_beam as beam
import numpy as np
import pytest
from space_making import COMPARISONS, DIM, ready

from lexbeam.transforms.change.graph.space_ptransforms import RepresentSlices
from lexbeam.transforms.change.spaces import counting
from lexbeam.transforms.change.spaces.counting import ContextOptions, pieces_of
from lexbeam.transforms.common.store.artefacts import Workspace, give_up
from lexbeam.transforms.embeddings.representations import RepresentationOptions

PIECES = 2 * pieces_of(1)  # of two slices
RI = RepresentationOptions(representation="ri", dim=DIM, nonzero=2)


@pytest.fixture(scope="module")
def slices(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slices")
    keys = np.sort(np.random.default_rng(0).integers(0, 2**64, 200, np.uint64))
    return [ready(folder, place, keys=keys) for place in (0, 1)]


@pytest.fixture
def counted(monkeypatch):
    """How often a piece was counted."""
    times = []
    real = counting.count_pairs
    monkeypatch.setattr(counting, "count_pairs", lambda *args, **more: times.append(1) or real(*args, **more))
    return times


def represented(slices, folder, options=RI, lanes=2, seeds=(1, 2), frees=False):
    """The bytes of all spaces by the digests of their names."""
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        (
            pipeline
            | beam.Create(slices)
            | RepresentSlices(
                Workspace(str(folder)), COMPARISONS._replace(seeds=seeds), ContextOptions(3), options, lanes, frees
            )
        )
    return {path.name: path.read_bytes() for path in (folder / "change" / "represent").glob("*.parquet")}


def left(folder, stage):
    """How many receipts a stage has, and how many of them have been freed."""
    found = [path.suffix for path in (folder / "change" / stage).iterdir()]
    return found.count(".json"), found.count(".freed")


def test_pieces_are_counted_once_for_all_seeds_and_freed_and_no_lane_changes_bytes(slices, tmp_path, counted):
    made = represented(slices, tmp_path / "a")
    assert len(made) == 4 == len(set(made.values()))
    assert len(counted) == PIECES
    assert left(tmp_path / "a", "contexts") == (PIECES, PIECES)
    assert left(tmp_path / "a", "add-contexts") == (2, 0)
    other = RepresentationOptions(representation="svd", dim=DIM)
    assert len(represented(slices, tmp_path / "a", other)) == 2 * len(made)
    assert len(counted) == PIECES, "another representation is made of the same counts"
    assert represented(slices, tmp_path / "b", lanes=0) == made


def test_counts_that_were_freed_are_counted_anew_where_they_are_needed(slices, tmp_path, counted):
    made = represented(slices, tmp_path, seeds=(1,), frees=True)
    assert left(tmp_path, "add-contexts") == (2, 2)
    assert represented(slices, tmp_path, seeds=(1,), frees=True) == made
    assert len(counted) == PIECES
    for path in (tmp_path / "change" / "represent").glob("*.parquet"):
        path.unlink()
    with pytest.raises(Exception, match="was freed, and is needed: run the same command again"):
        represented(slices, tmp_path, seeds=(1,), frees=True)
    give_up(map(str, tmp_path.rglob("*.freed")))  # as a run does then
    assert represented(slices, tmp_path, seeds=(1,), frees=True) == made
    assert len(counted) == 2 * PIECES
