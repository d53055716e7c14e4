"""The summary as an artefact, of the scores of two small trained slices."""

from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from space_making import RANK, score_task, tag_of

from schemas.change.summary import SUMMARY
from transforms.change.scores.score_stages import COMBINE, SCORE, ChangeScoreOptions, CombineTask, cosine_alignments
from transforms.change.scores.summary_stage import SUMMARISE, SummaryTask
from transforms.common.store.artefacts import Workspace, make

OPTIONS = ChangeScoreOptions(alignments=("op", "none"), rank=RANK, targets=("w1", "absent"))


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


@pytest.fixture
def task(trained, space):
    seeds = [make(space, SCORE, score_task(space, trained, seed, OPTIONS.alignments), OPTIONS) for seed in (1, 2)]
    counts = tuple(trained.slices[place].counts for place in (0, 1))
    part = make(space, COMBINE, CombineTask(tuple(seeds), counts), OPTIONS).part
    return SummaryTask(part.file, counts)


def test_a_word_has_a_row_with_its_scores_and_its_part_of_speech(task, space):
    part = make(space, SUMMARISE, task, cosine_alignments(OPTIONS)).part
    found = pq.read_table(part.file.path)
    assert found.schema.equals(SUMMARY.schema(alignments=("op", "none")), check_metadata=True)
    rows = {row["word"]: row for row in found.to_pylist()}
    assert list(rows) == sorted(rows)
    scores = [row for row in pq.read_table(task.scores.path).to_pylist() if row["seed"] is None]
    means = {row["word"]: row for row in scores if row["alignment"] == "op"}
    assert set(rows) == set(means)
    for word, row in rows.items():
        assert row["score_op"] == means[word]["score"]
        assert row["upos"] == (None if word == "absent" else tag_of(word))
    best = max((row for row in means.values() if row["ranked"]), key=lambda row: row["score"])
    assert rows[best["word"]]["rank_op"] == 1
    assert (rows["absent"]["reason_none"], rows["absent"]["rank_none"]) == ("absent_from", None)


def test_without_cosines_no_alignment_has_columns(task, space):
    part = make(space, SUMMARISE, task, cosine_alignments(replace(OPTIONS, measures=("frequency",)))).part
    assert pq.read_schema(part.file.path).names == SUMMARY.schema(alignments=()).names


def test_what_decides_a_summary_counts(task):
    found = [
        SUMMARISE.identity(changed, cosine_alignments(options))
        for changed, options in (
            (task, OPTIONS),
            (task._replace(scores=task.counts[0]), OPTIONS),
            (task._replace(counts=task.counts[::-1]), OPTIONS),
            (task, replace(OPTIONS, alignments=("none", "op"))),
            (task, replace(OPTIONS, measures=("frequency",))),
        )
    ]
    assert len({str(identity) for identity in found}) == len(found) == 5
    for other in ({"neighbour_words": 3}, {"rank": replace(RANK, pos=("ADP",))}):
        assert SUMMARISE.identity(task, cosine_alignments(replace(OPTIONS, **other))) == found[0]
