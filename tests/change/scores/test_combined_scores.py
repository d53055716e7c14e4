"""Scores as artefacts: by the published maps, then combined over seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from space_making import RANK, score_task, tag_of

from lexbeam.schemas.change.scores import SCORES, SUMMARY, SummaryColumns
from lexbeam.transforms.change.scores import combined_scores as module
from lexbeam.transforms.change.scores.combined_scores import (
    CombineSeeds,
    CombineTask,
    Summarise,
    SummaryTask,
    summarise,
    summary_columns,
)
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions, ScoreSeed
from lexbeam.transforms.change.view.words import Majority
from lexbeam.transforms.common.store.artefacts import Workspace, make

EVERY = ("op", "cca", "none")
OPTIONS = ChangeScoreOptions(alignments=EVERY, rank=RANK, targets=("w1", "absent"))


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


def scored(space, trained, options=OPTIONS, alignments=EVERY, **fitting):
    """Return the rows of both seeds, as files."""
    return [
        make(space, ScoreSeed.of(options), score_task(space, trained, seed, alignments, **fitting)) for seed in (1, 2)
    ]


def test_scores_of_seeds_are_combined(trained, space):
    files = scored(space, trained, targets=OPTIONS.targets)
    combined = make(space, CombineSeeds.of(OPTIONS), CombineTask(tuple(files)))
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
    again = make(Workspace(space.root + "2"), CombineSeeds.of(OPTIONS), CombineTask(tuple(files[::-1])))
    assert again.part.file.sha256 == combined.part.file.sha256
    assert again.tops == combined.tops


def test_rankings_are_of_the_most_changed_words_in_the_order_of_the_options(trained, space):
    files = tuple(scored(space, trained))
    combined = make(space, CombineSeeds.of(OPTIONS), CombineTask(files))
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
    few = make(space, CombineSeeds.of(replace(OPTIONS, neighbour_words=12)), CombineTask(files))
    assert [len(top.words) for top in few.tops] == [12, 12, 12]
    assert few.part.file.sha256 == combined.part.file.sha256
    turned = make(space, CombineSeeds.of(replace(OPTIONS, alignments=EVERY[::-1])), CombineTask(files))
    assert turned.tops == combined.tops[::-1]


def test_the_most_changed_words_are_of_the_parts_of_speech_asked_for(trained, space):
    files = tuple(scored(space, trained))
    every = make(space, CombineSeeds.of(OPTIONS), CombineTask(files))
    task = CombineTask(files, tuple(trained.slices[place].counts for place in (0, 1)))
    combined = make(space, CombineSeeds.of(OPTIONS), task)
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
    assert ScoreSeed.of(OPTIONS).identity(turned) == ScoreSeed.of(OPTIONS).identity(task)
    first = make(space, ScoreSeed.of(OPTIONS), task)
    again = make(Workspace(space.root + "2"), ScoreSeed.of(OPTIONS), turned)
    assert again.rows.sha256 == first.rows.sha256


def test_what_is_shown_scores_nothing_again(trained, space):
    task = score_task(space, trained, 1, EVERY)
    plain = ScoreSeed.of(OPTIONS).identity(task)
    for changed in (
        {"neighbour_words": 3},
        {"alignments": ("op",)},
        {"targets": ("absent", "w1")},
        {"rank": replace(RANK, pos=("VERB",))},
    ):
        assert ScoreSeed.of(replace(OPTIONS, **changed)).identity(task) == plain
    for changed in ({"targets": ("w1",)}, {"measures": ()}, {"rank": replace(RANK, min_count=6)}):
        assert ScoreSeed.of(replace(OPTIONS, **changed)).identity(task) != plain


def test_maps_spaces_counts_and_sizes_decide_scores(trained, space):
    task = score_task(space, trained, 1, EVERY)
    other = score_task(space, trained, 2, EVERY)
    early, late = task.slices
    (only,), (others,) = task.variants, other.variants

    def of(**changed):
        return task._replace(variants=(only._replace(**changed),))

    found = [
        ScoreSeed.of(OPTIONS).identity(changed)
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
        CombineSeeds.of(OPTIONS).identity(task),
        CombineSeeds.of(OPTIONS).identity(CombineTask(task.seeds[:1])),
        CombineSeeds.of(OPTIONS).identity(task._replace(counts=(trained.slices[0].counts,))),
        *(
            CombineSeeds.of(replace(OPTIONS, **changed)).identity(task)
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
            CombineSeeds.of(OPTIONS).identity(task._replace(**changed))
            for changed in (
                {"nulls": task.seeds},
                {"nulls": task.seeds[:1]},
                {"deal": Deal(unit="document", sizes=(1, 2), nulls=())},
                {"deal": Deal(unit="document", sizes=(2, 2), nulls=())},
            )
        ),
    ]
    assert len({str(identity) for identity in found}) == len(found) == 14


SUMMED = ChangeScoreOptions(alignments=("op", "none"), rank=RANK, targets=("w1", "absent"))


@pytest.fixture
def task(trained, space):
    seeds = [make(space, ScoreSeed.of(SUMMED), score_task(space, trained, seed, SUMMED.alignments)) for seed in (1, 2)]
    counts = tuple(trained.slices[place].counts for place in (0, 1))
    part = make(space, CombineSeeds.of(SUMMED), CombineTask(tuple(seeds), counts)).part
    return SummaryTask(part.file, counts)


def test_a_word_has_a_row_with_its_scores_and_its_part_of_speech(task, space):
    part = make(space, Summarise(summary_columns(SUMMED)), task)
    found = pq.read_table(part.file.path)
    assert found.schema.equals(SUMMARY.schema(**summary_columns(SUMMED)._asdict()), check_metadata=True)
    assert found.schema.field("score_op").metadata == {
        b"doc": b"op, cosine: 1 - cos of a word's aligned vectors, mean over seeds",
        b"range": b"0 to 2",
    }
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


def test_measures_of_counts_have_no_columns(task, space):
    part = make(space, Summarise(summary_columns(replace(SUMMED, measures=("frequency",)))), task)
    assert pq.read_schema(part.file.path).names == SUMMARY.schema(kinds=()).names


def test_every_measure_of_usage_has_columns_for_each_alignment_that_it_needs():
    options = replace(SUMMED, alignments=("op-", "cca"), measures=("euclidean", "frequency-raw", "lnd", "cosine"))
    suffixes = [kind.suffix for kind in summary_columns(options).kinds]
    assert suffixes == ["euclidean_op_", "euclidean_cca", "lnd", "op_", "cca"]
    schema = SUMMARY.schema(**summary_columns(options)._asdict())
    assert [name for name in schema.names if name.startswith("q_value")] == [f"q_value_{name}" for name in suffixes]
    assert schema.field("null_mean_lnd").metadata[b"range"] == b"0 to 2"


def test_what_decides_a_summary_counts(task):
    found = [
        Summarise(summary_columns(options)).identity(changed)
        for changed, options in (
            (task, SUMMED),
            (task._replace(scores=task.counts[0]), SUMMED),
            (task._replace(counts=task.counts[::-1]), SUMMED),
            (task, replace(SUMMED, alignments=("none", "op"))),
            (task, replace(SUMMED, measures=("frequency",))),
            (task, replace(SUMMED, measures=("euclidean",))),
        )
    ]
    assert len({str(identity) for identity in found}) == len(found) == 6
    for other in ({"neighbour_words": 3}, {"rank": replace(RANK, pos=("ADP",))}):
        assert Summarise(summary_columns(replace(SUMMED, **other))).identity(task) == found[0]


NULLS = {
    "null_mean": pa.float64(),
    "null_sd": pa.float64(),
    "excess": pa.float64(),
    "p_value": pa.float64(),
    "q_value": pa.float64(),
    "p_relative": pa.float64(),
    "q_relative": pa.float64(),
    "significant": pa.bool_(),
}
OF_WORD = [
    "target",
    "ranked",
    "count_from",
    "count_to",
    "relative_from",
    "relative_to",
    "documents_from",
    "documents_to",
]
DRAWN_SCORE = st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.3]), st.floats(0, 2))


def scores_of(alignments, words, seeds, drawn, with_null):
    """Rows of a pair, in the order of table scores; `drawn` gives a number at a time."""
    groups = [(name, "cosine") for name in alignments] + [("none", "frequency")]
    plain = {
        word: dict(
            zip(
                OF_WORD,
                (place == 1, drawn(st.booleans()), 9, 8, drawn(st.sampled_from([0.0, 0.25])), 0.5, 3, 2),
                strict=True,
            )
        )
        for place, word in enumerate(words)
    }
    rows = []
    for alignment, measure in sorted(groups):
        for word in words:
            for seed in [*seeds, None]:
                score = drawn(DRAWN_SCORE)
                row = {
                    "word": word,
                    "slice_from": "old",
                    "slice_to": "new",
                    "seed": seed,
                    "alignment": alignment,
                    "measure": measure,
                    "score": score,
                    "score_sd": None if seed else drawn(DRAWN_SCORE),
                    "seeds": 1,
                    "reason": None if score is not None else "zero_vector",
                    "changed": None if seed or score is None else score > 0.5,
                    **plain[word],
                }
                if with_null and seed is None:
                    row |= {name: drawn(DRAWN_SCORE) for name in NULLS if name != "significant"}
                    row["significant"] = drawn(st.sampled_from([None, True, False]))
                rows.append(row)
    schema = SCORES.schema()
    if with_null:
        for name, type in NULLS.items():
            if name not in schema.names:
                schema = schema.append(pa.field(name, type))
    return pa.Table.from_pylist([dict.fromkeys(schema.names) | row for row in rows], schema)


def ranks(table):
    """Place of each word by excess, then score, then alphabet; of ranked words with a score."""
    able = table[table.ranked.astype(bool) & table.score.notna()]
    order = able.sort_values("word")
    order = order.sort_values("score", ascending=False, kind="stable")
    if "excess" in order:
        order = order.sort_values("excess", ascending=False, kind="stable", na_position="last")
    return {word: place for place, word in enumerate(order["word"], 1)}


def known(value):
    return None if value is None or value != value else value


@settings(max_examples=12, deadline=None)
@given(st.data(), st.booleans(), st.integers(1, 3), st.integers(1, 3))
def test_agrees_with_a_pivot_by_pandas(data, with_null, seeds, first):
    words = ["a", "b", "c", "d", "\u00e9"]
    alignments = ["op-", "cca-reversed"]
    published = summary_columns(ChangeScoreOptions(alignments=tuple(alignments)))
    rows = scores_of(alignments, words, [*range(1, seeds + 1)], data.draw, with_null)
    tags = Majority(pa.array(["NOUN", None, "X", "VERB", "ADJ"]), pa.array([1.0, None, 0.5, 1, 1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST", first)
        found = summarise(rows, published, tags)
    assert found.schema == SUMMARY.schema(**published._asdict())
    assert found["word"].to_pylist() == words
    assert found["upos"].to_pylist() == tags.upos.to_pylist()
    assert found["upos_share"].to_pylist() == tags.share.to_pylist()
    frame = pd.DataFrame(rows.to_pylist()).query("measure == 'cosine'")
    means = frame[frame.seed.isna()]
    for name in OF_WORD:
        pivot = means.groupby("word")[name].first()
        assert found[name].to_pylist() == [pivot[word] for word in words]
    earlier = np.array(found["relative_from"].to_pylist())
    for change, before in zip(found["relative_change"].to_pylist(), earlier, strict=True):
        assert change == (None if before == 0 else pytest.approx((0.5 - before) / before))
    for alignment, suffix in (("op-", "op_"), ("cca-reversed", "cca_reversed")):
        own = frame[frame.alignment == alignment]
        mean = own[own.seed.isna()].set_index("word")
        for name in ["score", "score_sd", "changed", "reason", *NULLS]:
            expected = [known(mean[name][word]) for word in words] if name in mean else [None] * len(words)
            assert found[f"{name}_{suffix}"].to_pylist() == expected
        place = ranks(own[own.seed.isna()])
        assert found[f"rank_{suffix}"].to_pylist() == [place.get(word) for word in words]
        by_seed = [
            ranks(rows.drop(columns="excess", errors="ignore")) for _, rows in own[own.seed.notna()].groupby("seed")
        ]
        shares = [
            sum(found.get(word, first + 1) <= first for found in by_seed) / seeds if word in place else None
            for word in words
        ]
        assert found[f"top50_{suffix}"].to_pylist() == shares


@settings(max_examples=3, deadline=None)
@given(st.data())
def test_without_alignments_it_has_what_is_of_the_word_alone(data):
    rows = scores_of([], ["b"], [1], data.draw, False)
    found = summarise(rows, SummaryColumns(()), Majority(pa.array(["NOUN"]), pa.array([1.0])))
    assert found.num_rows == 1
    assert not [name for name in found.column_names if name.startswith("score")]
    empty = Majority(pa.array([], pa.string()), pa.array([], pa.float64()))
    assert summarise(rows.slice(0, 0), summary_columns(SUMMED), empty).num_rows == 0
