"""One seed of a series as an artefact: against scores of pairs, and against the formulas."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from series_making import COMPARISONS, OPTIONS

from lexbeam.schemas.change.spaces import DISTANCES
from lexbeam.transforms.change.graph.comparisons import facts_of
from lexbeam.transforms.change.graph.pair_tasks import align_tasks
from lexbeam.transforms.change.scores.change_points import common_space, cut_distances, unit_rows
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions, ScoreSeed, ScoreTask, VariantSpaces
from lexbeam.transforms.change.scores.traces import TraceSlices, read_trace
from lexbeam.transforms.change.spaces.aligning import Align, AlignOptions
from lexbeam.transforms.common.store.artefacts import Workspace, make, name_of
from lexbeam.transforms.embeddings.published import load_space

KINDS = list(DISTANCES)


@pytest.fixture(scope="module")
def trace(series):
    return read_trace(make(series.space, TraceSlices.of(OPTIONS), series.task(1)).rows, 3)


def scores(series, places):
    """Scores of a pair of slices by `op`, by word."""
    (task,) = align_tasks(series.sides(1, places), 1, ["op"], OPTIONS.align)
    aligned = make(series.space, Align(), task)
    scoring = ScoreTask(
        tuple(facts_of(COMPARISONS, place, series.slices) for place in places),
        1,
        (VariantSpaces("apart", tuple(side.space for side in task.sides), {"op": aligned.file}),),
    )
    made = make(series.space, ScoreSeed.of(ChangeScoreOptions(alignments=("op",))), scoring)
    rows = pq.read_table(made.rows.path).to_pylist()
    return {row["word"]: row["score"] for row in rows if row["measure"] == "cosine"}


def test_pair_distances_are_the_scores_of_pairs(series, trace):
    words = trace.words.to_pylist()
    others = {"previous": (None, 0, 1), "first": (None, 0, 0), "last": (2, 2, None)}
    for kind, sides in others.items():
        found = trace.distances[KINDS.index(f"pair_{kind}")]
        for place, other in enumerate(sides):
            if other is None:
                assert np.isnan(found[place]).all()
            else:
                expected = scores(series, tuple(sorted((place, other))))
                assert found[place].tolist() == [expected[word] for word in words]


def test_common_distances_and_cuts_are_those_of_the_shared_words(series, trace):
    loaded = [
        load_space([series.spaces[0, place, 1].file.path], name, 1) for place, name in enumerate(COMPARISONS.names)
    ]
    words = sorted(set.intersection(*(set(space.words) for space in loaded)))
    assert trace.words.to_pylist() == words
    assert 10 < len(words) < max(len(space.words) for space in loaded)
    common = common_space(
        [unit_rows(np.array([space.vectors[space.words.index(word)] for word in words])) for space in loaded]
    )
    np.testing.assert_allclose(trace.cuts, cut_distances(common), atol=1e-12)
    for kind, places in (("previous", (0, 1)), ("first", (0, 0)), ("last", (2, 2))):
        found = trace.distances[KINDS.index(f"common_{kind}")]
        for place, other in zip((1, 2) if kind != "last" else (0, 1), places, strict=True):
            one, two = common[place], common[other]
            lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
            np.testing.assert_allclose(found[place], 1 - (one * two).sum(axis=1) / lengths)
    assert np.isnan(trace.distances[:, 0]).any(axis=1).tolist() == [True, True, False] * 2


def test_counts_are_those_of_each_slice(series, trace):
    for place, counts in series.slices.items():
        with pa.OSFile(str(counts.counts.path)) as stream:
            rows = pa.ipc.open_file(stream).read_all().to_pylist()
        uses = {row["word"]: (row["count"], row["documents"]) for row in rows}
        own = [uses[word] for word in trace.words.to_pylist()]
        found = zip(trace.uses[place].tolist(), trace.documents[place].tolist(), strict=True)
        assert list(found) == own
    assert trace.ranked.tolist() == (trace.uses >= 5).all(axis=0).tolist()
    assert 0 < trace.ranked.sum() < len(trace.ranked)


def test_maps_that_the_run_has_fitted_are_those_that_are_fitted_here(series, trace, tmp_path):
    alone = series.task(1, aligned=False)
    assert not alone.maps
    assert len(series.task(1).maps) == 2
    again = read_trace(make(Workspace(str(tmp_path)), TraceSlices.of(OPTIONS), alone).rows, 3)
    np.testing.assert_array_equal(again.distances, trace.distances)


def test_what_a_series_is_named_by(series):
    task = series.task(1)
    assert [fitted[:2] for fitted in task.maps] == [(0, 1), (1, 2)], "in whatever order they come"

    def named(task, options):
        return name_of(TraceSlices.of(options), task)

    name = named(task, OPTIONS)
    same = [
        (task, replace(OPTIONS, rank=replace(OPTIONS.rank, pos=("VERB",)))),
        (task, replace(OPTIONS, align=AlignOptions(rcond=0.5))),
    ]
    assert {named(*one) for one in same} == {name}
    other = [
        (series.task(2), OPTIONS),
        (task._replace(maps=()), OPTIONS),
        (task, replace(OPTIONS, rank=RankedWordOptions(min_count=6, min_documents=1))),
        (task, replace(OPTIONS, align=AlignOptions(fit_on="top:3"))),
    ]
    assert len({named(*one) for one in other} | {name}) == 5
