"""Training as an artefact, on a small pair of slices."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from space_making import COMPARISONS, DIM, SGNS, ready, tag_of

from lexbeam.transforms.change.graph.comparisons import train_tasks
from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Workspace, make, name_of
from lexbeam.transforms.embeddings.published import load_space
from lexbeam.transforms.embeddings.trainers import REGISTRY, TRAINERS


def rows_of(receipt):
    return pq.read_table(receipt.file.path)


def test_training_writes_the_slices_vocabulary(trained):
    part = trained.spaces[0, 1, 2]
    rows = rows_of(trained.spaces[0, 1, 2])
    assert rows["word"].to_pylist() == sorted(rows["word"].to_pylist())
    assert min(rows["count"].to_pylist()) >= 3
    assert set(rows["slice"].to_pylist()) == {"late"}
    assert set(rows["seed"].to_pylist()) == {2}
    assert rows["upos"].to_pylist() == [tag_of(word) for word in rows["word"].to_pylist()]
    assert set(rows["upos_share"].to_pylist()) == {1.0}
    assert part.rows == rows.num_rows
    assert rows.schema.field("vector").type == pa.list_(pa.float32(), DIM)
    paths = [trained.spaces[0, 0, 1].file.path, part.file.path]
    space = load_space(paths, "late", 2, tokens=7)
    np.testing.assert_array_equal(space.vectors[3], rows["vector"][3].as_py())
    assert space.tokens == 7


def test_spaces_of_two_seeds_and_of_two_slices_differ(trained):
    vectors = [rows_of(space)["vector"][0].as_py() for space in trained.spaces.values()]
    assert len({tuple(vector) for vector in vectors}) == 4


@pytest.fixture
def task(tmp_path):
    return next(train_tasks(ready(tmp_path, 0), COMPARISONS))[1]


def test_words_below_the_cut_of_the_slice_are_left_out(task, tmp_path):
    counts = read_counts(task.counts).to_pylist()
    cut = sorted(row["count"] for row in counts)[15]
    space = Workspace(str(tmp_path / "w"))
    rows = rows_of(make(space, Train(SGNS), task._replace(min_count=cut)))
    found = dict(zip(rows["word"].to_pylist(), rows["count"].to_pylist(), strict=True))
    assert found == {row["word"]: row["count"] for row in counts if row["count"] >= cut}
    assert 0 < len(found) < len(counts)


def test_a_slice_without_frequent_words_is_named(task, tmp_path):
    with pytest.raises(LexbeamError, match="'early' has no word with 9999 uses"):
        make(Workspace(str(tmp_path / "w")), Train(SGNS), task._replace(min_count=9999))


def test_a_slice_without_sentences_is_named(task, tmp_path):
    with pytest.raises(LexbeamError, match="'early' has no sentence left: lower `min_sentence`"):
        make(Workspace(str(tmp_path / "w")), Train(SGNS), task._replace(sentences=0))


def test_slice_seed_cut_and_options_decide_a_space_and_its_place_does_not(task, tmp_path):
    (tmp_path / "else").mkdir()
    other = COMPARISONS._replace(names=("before", "early"), min_counts=(9, 2))
    moved = ready(tmp_path / "else", 0)._replace(place=1)
    elsewhere = next(train_tasks(moved, other))[1]
    assert elsewhere.counts.path != task.counts.path
    assert Train(SGNS).identity(elsewhere) == Train(SGNS).identity(task)
    later = next(train_tasks(ready(tmp_path, 1), COMPARISONS))[1]
    found = [
        Train(SGNS).identity(task),
        *(
            Train(SGNS).identity(task._replace(**changed))
            for changed in (
                {"slice": "x"},
                {"seed": 2},
                {"min_count": 3},
                {"counts": later.counts},
                {"feeds": later.feeds},
                {"feeds": ((*task.feeds[0], *later.feeds[0]),)},
                {"documents": later.counts},
            )
        ),
        *(
            Train(replace(SGNS, **changed)).identity(task)
            for changed in ({"dim": 6}, {"window": 2}, {"epochs": 2}, {"negative": 2}, {"sample": 0.1}, {"alpha": 0.1})
        ),
    ]
    assert len({str(identity) for identity in found}) == len(found) == 14


def test_an_artefact_is_named_by_its_trainer_and_by_the_code_of_no_other(task):
    names = {trainer: name_of(Train(replace(SGNS, trainer=trainer)), task) for trainer in TRAINERS}
    assert len(set(names.values())) == len(TRAINERS)
    source = {"lexbeam.transforms.embeddings:_sgns.c", "lexbeam.transforms.embeddings:_sgns_kernel.h"}
    fast, gensim = (Train.code({REGISTRY: [name]}).names for name in ("fast", "gensim"))
    assert source < set(fast)
    assert not source & set(gensim)
    assert "lexbeam.transforms.embeddings.sgns:train" not in fast
