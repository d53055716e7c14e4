"""Shards in a graph: the artefacts of each step, what is freed of them, and a run that is taken up."""

import json

import apache_beam as beam
import numpy as np
import pytest
from space_making import COMPARISONS, DIM, ready
from view_making import SPEC, corpus, prepare, spec_of

from lexbeam.transforms.change.graph.space_ptransforms import MergeSlices, RepresentSlices, TrainShards
from lexbeam.transforms.change.spaces import counting, shards
from lexbeam.transforms.change.spaces.counting import CountContexts, pieces_of
from lexbeam.transforms.change.spaces.shards import ShardOptions
from lexbeam.transforms.change.view import counts as module
from lexbeam.transforms.change.view.counts import count_groups
from lexbeam.transforms.common.store.artefacts import Workspace, give_up
from lexbeam.transforms.common.store.ptransforms import WriteResult
from lexbeam.transforms.embeddings.representations import RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions

SGNS = SgnsOptions(dim=DIM, epochs=2)
CUT = ShardOptions(shards=2)
OF_SLICES = {"comparisons": COMPARISONS._replace(seeds=(1,))}
STEPS = 2
SHARDS = 2 * STEPS * CUT.shards  # of two slices


@pytest.fixture(scope="module")
def slices(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slices")
    keys = np.sort(np.random.default_rng(0).integers(0, 2**64, 200, np.uint64))
    return [ready(folder, place, keys=keys) for place in (0, 1)]


@pytest.fixture(scope="module")
def whole(slices, tmp_path_factory):
    """A folder in which they were trained, and the bytes of the parts."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, train(slices, folder)


def train(slices, folder, lanes=2, cut=CUT):
    """Train in shards; return the bytes of the parts."""
    folder.mkdir(exist_ok=True)
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        trained = pipeline | beam.Create(slices) | TrainShards(Workspace(str(folder)), OF_SLICES, SGNS, cut, lanes)
        trained | beam.Map(lambda element: element[1].file) | WriteResult(str(folder / "out.json"))
    return sorted(path.read_bytes() for path in (folder / "change" / "average-last").glob("*.parquet"))


def left(folder, stage):
    """How many receipts, marks that files were freed, and files a stage has."""
    found = [path.suffix for path in (folder / "change" / stage).iterdir()]
    return [found.count(".json"), found.count(".freed"), len(found) - found.count(".json") - found.count(".freed")]


@pytest.fixture
def trained(monkeypatch):
    """How often a shard was trained; it fails before the number in `fails`."""
    noted = {"times": 0, "fails": None}
    real = shards.train_space

    def counted(*arguments, **options):
        if noted["times"] == noted["fails"]:
            raise OSError("the machine has stopped")
        noted["times"] += 1
        return real(*arguments, **options)

    monkeypatch.setattr(shards, "train_space", counted)
    return noted


def test_weights_are_freed_once_they_are_averaged_and_no_lane_changes_bytes(slices, whole, tmp_path, trained):
    folder, made = whole
    assert len(made) == 2
    assert left(folder, "train-shard") == [SHARDS, SHARDS, 0]
    assert left(folder, "average") == [2, 2, 0]
    assert left(folder, "average-last") == [2, 0, 2]
    assert train(slices, folder) == made
    assert trained["times"] == 0, "what was averaged is taken up, though its weights are gone"
    assert train(slices, tmp_path, lanes=0) == made
    assert trained["times"] == SHARDS


@pytest.mark.parametrize(("before", "freed", "averages"), [(3, 0, None), (5, 4, [2, 0, 2])])
def test_a_training_that_was_cut_off_goes_on_where_it_was(before, freed, averages, slices, whole, tmp_path, trained):
    trained["fails"] = before
    with pytest.raises(Exception, match="the machine has stopped"):
        train(slices, tmp_path)
    # Of a step that is over nothing is left but its averages.
    assert left(tmp_path, "train-shard") == [before, freed, before - freed]
    assert averages is None or left(tmp_path, "average") == averages
    trained["fails"] = None
    assert train(slices, tmp_path) == whole[1]
    assert trained["times"] == SHARDS


def test_steps_that_train_nothing_leave_what_the_next_one_starts_from(tmp_path):
    """All sentences lie in the first span of keys: of five rounds of an epoch only the first trains."""
    only = ready(tmp_path, 0)
    cut = ShardOptions(shards=2, rounds=5)
    (made,) = train([only], tmp_path / "w", cut=cut)
    steps = cut.rounds * SGNS.epochs
    assert left(tmp_path / "w", "average") == [steps - 1, steps - 1, 0]
    assert train([only], tmp_path / "w", cut=cut) == [made]


PIECES = 2 * pieces_of(1)  # of two slices
RI = RepresentationOptions(representation="ri", dim=DIM, nonzero=2)


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
                Workspace(str(folder)), COMPARISONS._replace(seeds=seeds), CountContexts(3), options, lanes, frees
            )
        )
    return {path.name: path.read_bytes() for path in (folder / "change" / "represent").glob("*.parquet")}


def left_of_counts(folder, stage):
    """How many receipts a stage has, and how many of them have been freed."""
    found = [path.suffix for path in (folder / "change" / stage).iterdir()]
    return found.count(".json"), found.count(".freed")


def test_pieces_are_counted_once_for_all_seeds_and_freed_and_no_lane_changes_bytes(slices, tmp_path, counted):
    made = represented(slices, tmp_path / "a")
    assert len(made) == 4 == len(set(made.values()))
    assert len(counted) == PIECES
    assert left_of_counts(tmp_path / "a", "contexts") == (PIECES, PIECES)
    assert left_of_counts(tmp_path / "a", "add-contexts") == (2, 0)
    other = RepresentationOptions(representation="svd", dim=DIM)
    assert len(represented(slices, tmp_path / "a", other)) == 2 * len(made)
    assert len(counted) == PIECES, "another representation is made of the same counts"
    assert represented(slices, tmp_path / "b", lanes=0) == made


def test_counts_that_were_freed_are_counted_anew_where_they_are_needed(slices, tmp_path, counted):
    made = represented(slices, tmp_path, seeds=(1,), frees=True)
    assert left_of_counts(tmp_path, "add-contexts") == (2, 2)
    assert represented(slices, tmp_path, seeds=(1,), frees=True) == made
    assert len(counted) == PIECES
    for path in (tmp_path / "change" / "represent").glob("*.parquet"):
        path.unlink()
    with pytest.raises(Exception, match="was freed, and is needed: run the same command again"):
        represented(slices, tmp_path, seeds=(1,), frees=True)
    give_up(map(str, tmp_path.rglob("*.freed")))  # as a run does then
    assert represented(slices, tmp_path, seeds=(1,), frees=True) == made
    assert len(counted) == 2 * PIECES


def merged(folder, viewed, parts):
    """Return sizes and digests of counts of each slice, as the glue makes them."""
    views = [(place, view) for part in viewed for place, view in enumerate(part)]
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        ready = pipeline | beam.Create(views) | MergeSlices(Workspace(str(folder)), parts)
        ready | beam.Map(lambda ready: ready.counts) | WriteResult(str(folder / "counts.json"))
    found = json.loads((folder / "counts.json").read_bytes())
    for counts in found:
        del counts["counts"]["path"]
    return sorted(found, key=str)


def test_groups_of_parts_change_no_count(tmp_path, monkeypatch):
    slices, _, viewed = prepare(tmp_path / "a", corpus(), parts=7, spec=spec_of(ranges=2))
    monkeypatch.setattr(module, "MOST_COUNTED", 2)
    assert [count_groups(parts) for parts in (1, 4, 5, 7)] == [0, 0, 3, 4]
    found = []
    for parts in (1, 7):  # whether there are groups
        (tmp_path / str(parts)).mkdir()
        found.append(merged(tmp_path / str(parts), viewed, parts))
    assert found[0] == found[1]
    assert {counts["counts"]["sha256"] for counts in found[1]} == {counts.counts.sha256 for counts in slices}
    assert len(found[1]) == len(SPEC.slices)
