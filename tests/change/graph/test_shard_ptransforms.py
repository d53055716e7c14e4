"""Shards in a graph: the artefacts of each step, what is freed of them, and a run that is taken up."""

import apache_beam as beam
import numpy as np
import pytest
from space_making import COMPARISONS, DIM, ready

from transforms.change.graph.comparisons import train_tasks
from transforms.change.graph.shard_ptransforms import TrainShards
from transforms.change.spaces import shard_stages
from transforms.change.spaces.shards import ShardOptions
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import WriteResult
from transforms.embeddings.sgns import SgnsOptions

SGNS = SgnsOptions(dim=DIM, epochs=2)
CUT = ShardOptions(shards=2, rounds=2)
STEPS = 4


@pytest.fixture
def tasks(tmp_path):
    keys = np.sort(np.random.default_rng(0).integers(0, 2**64, 200, np.uint64))
    slices = [ready(tmp_path, place, keys=keys) for place in (0, 1)]
    return [task for one in slices for task in train_tasks(COMPARISONS._replace(seeds=(1,)), one)]


def train(tasks, folder, lanes=2):
    """Train in shards; return the bytes of the parts."""
    folder.mkdir(exist_ok=True)
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        trained = pipeline | beam.Create(tasks) | TrainShards(Workspace(str(folder)), SGNS, CUT, lanes)
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
    real = shard_stages.train_space

    def counted(*arguments, **options):
        if noted["times"] == noted["fails"]:
            raise OSError("the machine has stopped")
        noted["times"] += 1
        return real(*arguments, **options)

    monkeypatch.setattr(shard_stages, "train_space", counted)
    return noted


def test_weights_are_freed_once_they_are_averaged_and_no_lane_changes_bytes(tasks, tmp_path, trained):
    made = train(tasks, tmp_path / "a")
    assert len(made) == 2
    assert trained["times"] == 2 * STEPS * CUT.shards
    assert left(tmp_path / "a", "train-shard") == [16, 16, 0]
    assert left(tmp_path / "a", "average") == [2 * (STEPS - 1)] * 2 + [0]
    assert left(tmp_path / "a", "average-last") == [2, 0, 2]
    assert train(tasks, tmp_path / "a") == made
    assert trained["times"] == 16, "what was averaged is taken up, though its weights are gone"
    assert train(tasks, tmp_path / "b", lanes=0) == made


@pytest.mark.parametrize("before", [3, 9])
def test_a_training_that_was_cut_off_goes_on_where_it_was(before, tasks, tmp_path, trained):
    trained["fails"] = before
    with pytest.raises(Exception, match="the machine has stopped"):
        train(tasks, tmp_path / "a")
    assert len(list((tmp_path / "a" / "change" / "train-shard").glob("*.json"))) == before
    # Of the steps that are over nothing is left but the last average.
    done = before // 4
    assert left(tmp_path / "a", "train-shard")[1] == 4 * done
    if done:
        assert left(tmp_path / "a", "average") == [2 * done, 2 * (done - 1), 2]
    trained["fails"] = None
    made = train(tasks, tmp_path / "a")
    assert trained["times"] == 16
    assert made == train(tasks, tmp_path / "b")
