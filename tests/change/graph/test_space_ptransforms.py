"""Shards in a graph: the artefacts of each step, what is freed of them, and a run that is taken up."""

import apache_beam as beam
import numpy as np
import pytest
from space_making import COMPARISONS, DIM, ready

from lexbeam.transforms.change.graph.space_ptransforms import TrainShards
from lexbeam.transforms.change.spaces import shards
from lexbeam.transforms.change.spaces.shards import ShardOptions
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import WriteResult
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
        trained | beam.Map(lambda element: element[1].part.file) | WriteResult(str(folder / "out.json"))
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
