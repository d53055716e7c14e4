"""Neighbours of words, and the rows of slices, as artefacts."""

import pyarrow.parquet as pq
import pytest

from lexbeam.transforms.change.spaces.aligning import NEIGHBOURS, SLICE, NeighbourOptions, NeighbourTask
from lexbeam.transforms.common.store.artefacts import Workspace, make

OPTIONS = NeighbourOptions(neighbours=3, min_count=5)


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


def task_of(trained, place=0, seed=1, words=("none", "w1", "w2")):
    name = ("early", "late")[place]
    return NeighbourTask(name, seed, "apart", trained.spaces[0, place, seed].part.file, words)


def test_neighbours_are_of_the_words_asked_for(trained, space):
    receipt = make(space, NEIGHBOURS, task_of(trained), OPTIONS)
    rows = pq.read_table(receipt.part.file.path).to_pylist()
    assert [(row["word"], row["rank"]) for row in rows] == [(word, rank) for word in ("w1", "w2") for rank in (1, 2, 3)]
    assert {(row["slice"], row["seed"]) for row in rows} == {("early", 1)}
    assert receipt.part.rows == 6


def test_neighbours_have_the_uses_asked_for(trained, space):
    vectors = pq.read_table(trained.spaces[0, 0, 1].part.file.path)
    counts = dict(zip(vectors["word"].to_pylist(), vectors["count"].to_pylist(), strict=True))
    least = sorted(counts.values())[len(counts) // 2]
    options = NeighbourOptions(neighbours=100, min_count=least)
    receipt = make(space, NEIGHBOURS, task_of(trained, words=("w1",)), options)
    found = pq.read_table(receipt.part.file.path)["neighbour"].to_pylist()
    assert set(found) == {word for word in counts if counts[word] >= least and word != "w1"}


def test_space_words_and_options_decide(trained):
    plain = task_of(trained)
    found = [
        NEIGHBOURS.identity(task, options)
        for task, options in (
            (plain, OPTIONS),
            (task_of(trained, place=1), OPTIONS),
            (task_of(trained, seed=2), OPTIONS),
            (task_of(trained, words=("w1",)), OPTIONS),
            (plain._replace(slice="late"), OPTIONS),
            (plain._replace(seed=2), OPTIONS),
            (plain, NeighbourOptions(neighbours=4, min_count=5)),
            (plain, NeighbourOptions(neighbours=3, min_count=6)),
        )
    ]
    assert len({str(identity) for identity in found}) == len(found)


def test_a_slice_is_a_row(space):
    row = {
        "slice": "bc",
        "from": None,
        "to": -1,
        "documents": 1,
        "sentences": 2,
        "tokens_before": 9,
        "tokens": 8,
        "sentences_short": 0,
        "tokens_short": 0,
        "sentences_sampled_out": 0,
        "sentences_split": 0,
        "types": 5,
        "vocabulary": 3,
        "min_count": 2,
        "largest_document_share": 1.0,
    }
    receipt = make(space, SLICE, row, None)
    assert pq.read_table(receipt.part.file.path).to_pylist() == [row]
    assert SLICE.identity(row, None) != SLICE.identity({**row, "tokens": 7}, None)
