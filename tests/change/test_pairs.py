"""Training, alignment, scoring and neighbours as artefacts, on a small pair of slices."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.change.counts import COUNTS
from transforms.change.pairs import (
    PairTask,
    ScoreOptions,
    SliceFacts,
    align_pair,
    combine_pair,
    find_neighbours,
    score_seed,
)
from transforms.change.plan import PairPlan, SliceReady, facts_of, train_tasks, with_cut
from transforms.change.ranking import RankOptions
from transforms.change.sgns import SgnsOptions
from transforms.change.spaces import load_side, load_space
from transforms.change.training import train_space
from transforms.common.artefacts import Workspace
from transforms.common.batches import BatchWriter
from transforms.common.errors import LexbeamError

SGNS = SgnsOptions(dim=5, epochs=1, min_count=2)
PLAN = PairPlan(("early", "late"), (2, 3), ((0, 1),), (1, 2))
RANK = RankOptions(min_count=5, min_documents=1)
FEED = pa.schema([("words", pa.list_(pa.dictionary(pa.int32(), pa.string())))])


def ready(folder, place, vocabulary=30):
    """A slice of random sentences, written as the earlier stages write it."""
    random = np.random.default_rng(place)
    sentences = [[f"w{n}" for n in random.zipf(1.4, 12) % vocabulary] for _ in range(200)]
    words, counts = np.unique([word for s in sentences for word in s], return_counts=True)
    table = pa.table(
        [words.tolist(), counts, np.minimum(counts, 9), pa.nulls(len(words), pa.int64())],
        schema=COUNTS,
    )
    paths = [str(folder / f"{name}{place}.arrow") for name in ("counts", "feed")]
    lists = pa.array(sentences, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())
    batches = table.to_batches()[0], pa.RecordBatch.from_arrays([coded], schema=FEED)
    for path, batch in zip(paths, batches, strict=True):
        with open(path, "wb") as stream, BatchWriter(stream, batch.schema) as writer:
            writer.write(batch)
    receipt = {"path": paths[0], "tokens": 2400, "sentences": 200, "documents": 9}
    return SliceReady(place, receipt, (paths[1],))


@pytest.fixture
def made(tmp_path):
    space = Workspace(str(tmp_path / "work"))
    slices = [ready(tmp_path, place) for place in range(2)]
    spaces = {
        (task.place, task.seed): train_space(space, task, with_cut(SGNS, PLAN.min_counts[place]))
        for place, one in enumerate(slices)
        for task in train_tasks(PLAN, one)
    }
    receipts = {one.place: one.receipt for one in slices}
    return space, spaces, receipts


def pair_task(made, seed):
    _, spaces, receipts = made
    facts = tuple(facts_of(PLAN, place, receipts) for place in (0, 1))
    paths = tuple(spaces[place, seed]["part"][2] for place in (0, 1))
    return PairTask(0, seed, seed - 1, facts, paths)


def test_training_writes_the_slices_vocabulary(made):
    _, spaces, _ = made
    part = spaces[1, 2]["part"]
    rows = pq.read_table(part[2])
    assert part[1] == 3  # the late slice's second seed
    assert rows["word"].to_pylist() == sorted(rows["word"].to_pylist())
    assert min(rows["count"].to_pylist()) >= 3
    assert set(rows["slice"].to_pylist()) == {"late"}
    assert rows.schema.field("vector").type == pa.list_(pa.float32(), 5)
    space = load_space([spaces[0, 1]["part"][2], part[2]], "late", 2, tokens=7)
    np.testing.assert_array_equal(space.vectors[3], rows["vector"][3].as_py())
    assert space.tokens == 7


def test_spaces_of_two_seeds_and_of_two_slices_differ(made):
    _, spaces, _ = made
    vectors = [pq.read_table(spaces[key]["part"][2])["vector"][0].as_py() for key in spaces]
    assert len({tuple(vector) for vector in vectors}) == 4


def test_a_slice_without_frequent_words_is_named(tmp_path):
    (task, *_) = train_tasks(PLAN, ready(tmp_path, 0))
    with pytest.raises(LexbeamError, match="'early' has no word with 9999 uses"):
        train_space(Workspace(str(tmp_path / "w")), task, with_cut(SGNS, 9999))


def test_scores_come_from_the_published_maps(made):
    space, _, _ = made
    options = ScoreOptions(alignments=("op", "cca", "none"), rank=RANK, targets=("w1", "absent"))
    paths = []
    for seed in (1, 2):
        task = pair_task(made, seed)
        aligned = align_pair(space, task, options)
        rows = pq.read_table(aligned["part"][2]).to_pylist()
        assert [(row["alignment"], row["side"]) for row in rows] == [
            ("cca", "from"), ("cca", "to"), ("op", "from"), ("op", "to"),
        ]  # fmt: skip
        rotation = load_side(rows[3]).matrix
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(5), atol=1e-12)
        paths.append(score_seed(space, task, aligned["part"][2], options)["path"])
    combined = combine_pair(space, 0, paths, options)
    scores = pq.read_table(combined["part"][2]).to_pylist()
    assert {row["seed"] for row in scores} == {1, 2, None}
    assert {(row["alignment"], row["measure"]) for row in scores} == {
        ("op", "cosine"), ("cca", "cosine"), ("none", "cosine"), ("none", "frequency"),
    }  # fmt: skip
    absent = [row for row in scores if row["word"] == "absent" and row["measure"] == "cosine"]
    assert {row["reason"] for row in absent} == {"absent_from"}
    tops = {top["alignment"]: top for top in combined["tops"]}
    assert tops.keys() == {"op", "cca", "none"}
    mean = {row["word"]: row for row in scores if row["seed"] is None and row["alignment"] == "op"}
    ranked = sorted((w for w in mean if mean[w]["ranked"]), key=lambda w: (-mean[w]["score"], w))
    assert tops["op"]["words"] == ranked[:100]
    again = combine_pair(Workspace(space.root + "2"), 0, paths[::-1], options)
    assert again["part"][5] == combined["part"][5]


def test_too_few_shared_words_give_null_scores_with_their_reason(made):
    space, _, _ = made
    task = pair_task(made, 1)
    options = ScoreOptions(alignments=("cca",), fit_on="top:9", rank=RANK)
    aligned = align_pair(space, task, options)
    rows = pq.read_table(aligned["part"][2]).to_pylist()
    assert [(row["residual"], row["matrix"], row["fit_words"]) for row in rows] == [
        (None, None, 9), (None, None, 9),
    ]  # fmt: skip
    path = score_seed(space, task, aligned["part"][2], options)["path"]
    scores = pq.read_table(path).to_pylist()
    assert {row["reason"] for row in scores if row["measure"] == "cosine"} == {"too_few_shared"}


def test_neighbours_are_of_the_words_asked_for(made):
    space, spaces, receipts = made
    facts = facts_of(PLAN, 0, receipts)
    options = ScoreOptions(neighbours=3, neighbour_min_count=5)
    path = spaces[0, 1]["part"][2]
    receipt = find_neighbours(space, facts, 1, 0, path, ["w1", "w2", "w1", "none"], options)
    rows = pq.read_table(receipt["part"][2]).to_pylist()
    assert [(row["word"], row["rank"]) for row in rows] == [
        (word, rank) for word in ("w1", "w2") for rank in (1, 2, 3)
    ]


def test_facts_name_the_slice():
    receipts = {0: {"path": "p", "tokens": 3, "documents": 1}}
    assert facts_of(PLAN, 0, receipts) == SliceFacts("early", "p", 3, 1, 2)
