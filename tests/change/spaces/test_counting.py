"""Spaces made of counts as artefacts, against the same computed from a slice's sentences at once."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from space_making import COMPARISONS, DIM, ready

from lexbeam.transforms.change.graph.comparisons import train_tasks
from lexbeam.transforms.change.spaces.counting import (
    ADDED,
    AddContexts,
    CountContexts,
    Represent,
    SumTask,
    context_task,
    pieces_of,
    represent_task,
    sums_of,
)
from lexbeam.transforms.change.view.feeds import Held, read_feed
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences, count_pairs, symmetric
from lexbeam.transforms.embeddings.representations import RepresentationOptions, represent

KEYS = np.sort(np.random.default_rng(0).integers(0, 2**64, 200, np.uint64))
WINDOW = 3
SVD = RepresentationOptions(representation="svd", dim=DIM, shift=1.0)
PIECES = 3


@pytest.fixture
def task(tmp_path):
    return next(train_tasks(ready(tmp_path, 1, keys=KEYS), COMPARISONS))[1]


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


def counted(space, task, pieces=PIECES):
    tasks = [context_task(task, piece, pieces) for piece in range(pieces)]
    return tuple(make(space, CountContexts(WINDOW), one) for one in tasks)


def made(space, task, contexts, options=SVD):
    return pq.read_table(make(space, Represent(options), represent_task(task, contexts)).file.path)


def test_a_space_has_the_words_above_the_cut_and_the_vectors_of_all_sentences_at_once(task, space):
    rows = made(space, task, counted(space, task))
    assert min(rows["count"].to_pylist()) >= COMPARISONS.min_counts[1] == 3
    assert set(rows["slice"].to_pylist()) == {"late"}
    words = rows["word"].to_pylist()
    assert words == sorted(words)
    upper = count_pairs(read_feed(task.feeds[0]), pa.array(words), WINDOW)
    expected = represent(Cooccurrences(words, symmetric([upper])), 1, SVD).astype(np.float32)
    np.testing.assert_array_equal(np.stack(rows["vector"].to_pylist()), expected)


def test_neither_pieces_nor_sums_nor_their_order_change_a_byte(task, space):
    whole = make(space, Represent(SVD), represent_task(task, counted(space, task, 1)))
    parts = counted(space, task)
    first = make(space, AddContexts(), SumTask("late", 0, parts[:2]))
    for contexts in (parts, (first, parts[2]), (parts[2], first)):
        assert make(space, Represent(SVD), represent_task(task, contexts)).file.sha256 == whole.file.sha256


def test_a_null_slice_has_the_sentences_of_its_documents_alone(task, space, tmp_path):
    artefact = Artefact(str(tmp_path / "dealt"))
    kept = KEYS[::2]  # a sentence has its key's document
    batch = Held("document", np.sort(kept)).batch
    with artefact.writing(".arrow") as stream, BatchWriter(stream, batch.schema) as writer:
        writer.write(batch)
    null = task._replace(documents=artefact.file(".arrow"))
    words = made(space, null, counted(space, null))["word"].to_pylist()
    lists = pa.concat_arrays(list(read_feed(task.feeds[0]))).take(pa.array(range(0, 200, 2)))
    expected = represent(
        Cooccurrences(words, symmetric([count_pairs([lists], pa.array(words), WINDOW)])), 1, SVD
    ).astype(np.float32)
    np.testing.assert_array_equal(np.stack(made(space, null, counted(space, null))["vector"].to_pylist()), expected)


def test_a_slice_that_cannot_be_counted_is_named(task, space):
    with pytest.raises(LexbeamError, match="'late' has no word with 9999 uses"):
        counted(space, task._replace(min_count=9999))
    with pytest.raises(LexbeamError, match="'late' has no sentence left"):
        counted(space, task._replace(sentences=0))


def test_words_that_stand_alone_get_vectors_of_zero(task, space):
    rows = made(space, task, (empty(space, task),))
    assert not np.stack(rows["vector"].to_pylist()).any()


def empty(space, task):
    """What is counted of a piece without sentences: the first of a thousand, before the first key."""
    assert KEYS[0] > 2**64 // 1000
    return make(space, CountContexts(WINDOW), context_task(task, 0, 1000))


def test_pieces_and_sums_follow_from_the_size_of_a_slice():
    assert pieces_of(1) < pieces_of(2) < ADDED
    assert [sums_of(number) for number in (1, ADDED, ADDED + 1)] == [1, 1, 2]
