"""Scores as artefacts: by the published maps, then combined over seeds."""

from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from space_making import RANK, score_task, tag_of

from lexbeam.transforms.change.scores.combining import COMBINE, CombineTask
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.scoring import SCORE, ChangeScoreOptions
from lexbeam.transforms.common.store.artefacts import Workspace, make

EVERY = ("op", "cca", "none")
OPTIONS = ChangeScoreOptions(alignments=EVERY, rank=RANK, targets=("w1", "absent"))


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


def scored(space, trained, options=OPTIONS, alignments=EVERY, **fitting):
    """Return the rows of both seeds, as files."""
    return [make(space, SCORE, score_task(space, trained, seed, alignments, **fitting), options) for seed in (1, 2)]


def test_scores_of_seeds_are_combined(trained, space):
    files = scored(space, trained, targets=OPTIONS.targets)
    combined = make(space, COMBINE, CombineTask(tuple(files)), OPTIONS)
    scores = pq.read_table(combined.part.file.path).to_pylist()
    assert len(scores) == combined.part.rows
    assert {row["seed"] for row in scores} == {1, 2, None}
    assert {(row["alignment"], row["measure"]) for row in scores} == {
        ("op", "cosine"),
        ("cca", "cosine"),
        ("none", "cosine"),
        ("none", "frequency"),
    }
    absent = [row for row in scores if row["word"] == "absent" and row["measure"] == "cosine"]
    assert {row["reason"] for row in absent} == {"absent_from"}
    again = make(Workspace(space.root + "2"), COMBINE, CombineTask(tuple(files[::-1])), OPTIONS)
    assert again.part.file.sha256 == combined.part.file.sha256
    assert again.tops == combined.tops


def test_rankings_are_of_the_most_changed_words_in_the_order_of_the_options(trained, space):
    files = tuple(scored(space, trained))
    combined = make(space, COMBINE, CombineTask(files), OPTIONS)
    assert [(top.alignment, top.measure) for top in combined.tops] == [(name, "cosine") for name in EVERY]
    scores = pq.read_table(combined.part.file.path).to_pylist()
    for top in combined.tops:
        mean = {
            row["word"]: row
            for row in scores
            if row["seed"] is None and (row["alignment"], row["measure"]) == (top.alignment, top.measure)
        }
        ranked = sorted((word for word in mean if mean[word]["ranked"]), key=lambda word: (-mean[word]["score"], word))
        assert list(top.words) == ranked[:100]
        assert list(top.scores) == [mean[word]["score"] for word in top.words]
        assert top.ranked == len(ranked) > 0
        assert (top.slice_from, top.slice_to) == ("early", "late")
        assert top.threshold == mean["w1"]["threshold"]
    few = make(space, COMBINE, CombineTask(files), replace(OPTIONS, neighbour_words=12))
    assert [len(top.words) for top in few.tops] == [12, 12, 12]
    assert few.part.file.sha256 == combined.part.file.sha256
    turned = make(space, COMBINE, CombineTask(files), replace(OPTIONS, alignments=EVERY[::-1]))
    assert turned.tops == combined.tops[::-1]


def test_the_most_changed_words_are_of_the_parts_of_speech_asked_for(trained, space):
    files = tuple(scored(space, trained))
    every = make(space, COMBINE, CombineTask(files), OPTIONS)
    task = CombineTask(files, tuple(trained.slices[place].counts for place in (0, 1)))
    combined = make(space, COMBINE, task, OPTIONS)
    for top, whole in zip(combined.tops, every.tops, strict=True):
        assert list(top.words) == [word for word in whole.words if tag_of(word) == "NOUN"]
        assert 0 < len(top.words) < len(whole.words)
        assert top.ranked == whole.ranked
    assert combined.part.file.sha256 == every.part.file.sha256


def test_too_few_shared_words_give_null_scores_with_their_reason(trained, space):
    options = ChangeScoreOptions(alignments=("cca",), rank=RANK)
    seed, _ = scored(space, trained, options, ("cca",), fit_on="top:9")
    scores = pq.read_table(seed.rows.path).to_pylist()
    assert {row["reason"] for row in scores if row["measure"] == "cosine"} == {"too_few_shared"}


def test_scores_do_not_depend_on_the_order_of_alignments(trained, space):
    task = score_task(space, trained, 1, EVERY)
    (only,) = task.variants
    turned = task._replace(variants=(only._replace(alignments=dict(reversed(only.alignments.items()))),))
    assert SCORE.identity(turned, OPTIONS) == SCORE.identity(task, OPTIONS)
    first = make(space, SCORE, task, OPTIONS)
    again = make(Workspace(space.root + "2"), SCORE, turned, OPTIONS)
    assert again.rows.sha256 == first.rows.sha256


def test_what_is_shown_scores_nothing_again(trained, space):
    task = score_task(space, trained, 1, EVERY)
    plain = SCORE.identity(task, OPTIONS)
    for changed in (
        {"neighbour_words": 3},
        {"alignments": ("op",)},
        {"targets": ("absent", "w1")},
        {"rank": replace(RANK, pos=("VERB",))},
    ):
        assert SCORE.identity(task, replace(OPTIONS, **changed)) == plain
    for changed in ({"targets": ("w1",)}, {"measures": ()}, {"rank": replace(RANK, min_count=6)}):
        assert SCORE.identity(task, replace(OPTIONS, **changed)) != plain


def test_maps_spaces_counts_and_sizes_decide_scores(trained, space):
    task = score_task(space, trained, 1, EVERY)
    other = score_task(space, trained, 2, EVERY)
    early, late = task.slices
    (only,), (others,) = task.variants, other.variants

    def of(**changed):
        return task._replace(variants=(only._replace(**changed),))

    found = [
        SCORE.identity(changed, OPTIONS)
        for changed in (
            task,
            task._replace(seed=2),
            of(spaces=others.spaces),
            of(alignments=others.alignments),
            of(alignments={"op": only.alignments["op"]}),
            of(alignments={**only.alignments, "none": only.alignments["op"]}),
            of(of_targets=True),
            task._replace(variants=(only, others)),
            *(
                task._replace(slices=(early._replace(**changed), late))
                for changed in (
                    {"name": "x"},
                    {"counts": late.counts},
                    {"tokens": 1},
                    {"documents": 1},
                    {"min_count": 1},
                )
            ),
        )
    ]
    assert len({str(identity) for identity in found}) == len(found) == 13


def test_what_decides_a_combination_counts(trained, space):
    task = CombineTask(tuple(scored(space, trained)))
    found = [
        COMBINE.identity(task, OPTIONS),
        COMBINE.identity(CombineTask(task.seeds[:1]), OPTIONS),
        COMBINE.identity(task._replace(counts=(trained.slices[0].counts,)), OPTIONS),
        *(
            COMBINE.identity(task, replace(OPTIONS, **changed))
            for changed in (
                {"thresholds": ("mean", "gamma")},
                {"thresholds": ("gamma",)},
                {"thresholds": ("gamma",), "threshold_quantile": 0.5},
                {"neighbour_words": 3},
                {"measures": ()},
                {"alignments": EVERY[::-1]},
                {"rank": replace(RANK, pos=("VERB",))},
            )
        ),
        *(
            COMBINE.identity(task._replace(**changed), OPTIONS)
            for changed in (
                {"nulls": task.seeds},
                {"nulls": task.seeds[:1]},
                {"deal": Deal(unit="document", sizes=(1, 2), nulls=())},
                {"deal": Deal(unit="document", sizes=(2, 2), nulls=())},
            )
        ),
    ]
    assert len({str(identity) for identity in found}) == len(found) == 14
