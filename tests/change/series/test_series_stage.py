"""Tables change/series and change/points: means over seeds, null series, findings."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from series_making import COMPARISONS, OPTIONS, series_of
from space_making import tag_of

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.change.spaces import DISTANCES, POINTS, SERIES
from lexbeam.transforms.change.graph.comparisons import series_tasks
from lexbeam.transforms.change.scores import evidence_rows
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.null_evidence import PairScores, upper_end
from lexbeam.transforms.change.scores.series import SERIES as STAGE
from lexbeam.transforms.change.scores.series import Traces, points_of
from lexbeam.transforms.change.scores.traces import TRACE, read_trace
from lexbeam.transforms.common.store.artefacts import Workspace, make, name_of

DEAL = Deal(unit="author", sizes=(10, 12, 30), nulls=())


class Made:
    """Traces of two seeds and of three null series, which other sentences stand for."""

    def __init__(self, series, folder):
        self.series = series
        self.seeds = [make(series.space, TRACE, series.task(n), OPTIONS) for n in (1, 2)]
        self.nulls = []
        for number in range(3):
            (folder / str(number)).mkdir()
            other = series_of(folder / str(number), first=3 * number + 3)
            self.nulls.append(make(other.space, TRACE, other.task(1, aligned=False), OPTIONS))

    def task(self, nulls=True, deal=DEAL):
        found = (self.nulls, [deal]) if nulls else ([], [])
        ((_, task),) = series_tasks(0, self.seeds, COMPARISONS, self.series.slices, *found)
        return task

    def rows(self, space=None, **options):
        made = make(space or self.series.space, STAGE, self.task(**options), OPTIONS)
        return [pq.read_table(one.file.path) for one in (made.part, made.points)]


@pytest.fixture(scope="module")
def made(series, tmp_path_factory):
    return Made(series, tmp_path_factory.mktemp("nulls"))


@pytest.fixture(scope="module")
def traces(made):
    return [[read_trace(one.rows, 3) for one in some] for some in (made.seeds, made.nulls)]


def value(found, kind, place, word):
    places, distances = found
    return distances[kind, place, places[word]] if word in places else math.nan


def test_distances_are_means_over_seeds_beside_those_of_null_series(made, traces):
    series, _ = made.rows()
    assert series.schema.equals(SERIES.schema(), check_metadata=True)
    rows = series.to_pylist()
    assert [(row["word"], row["place"]) for row in rows] == [
        (word, place) for word in traces[0][0].words.to_pylist() for place in range(3)
    ]
    held = set()
    by_word = [[({w: n for n, w in enumerate(t.words.to_pylist())}, t.distances) for t in some] for some in traces]
    for row in rows:
        assert row["slice"] == COMPARISONS.names[row["place"]]
        assert row["relative"] == row["count"] / 2400
        for kind, name in enumerate(DISTANCES):
            own, null = (
                [v for t in some if not math.isnan(v := value(t, kind, row["place"], row["word"]))] for some in by_word
            )
            held.add(len(null))
            assert row[name] == (pytest.approx(statistics.fmean(own)) if own else None)
            mean, sd = row[f"{name}_null_mean"], row[f"{name}_null_sd"]
            assert mean == (pytest.approx(statistics.fmean(null)) if null else None)
            assert sd == (pytest.approx(statistics.stdev(null)) if len(null) > 1 else None)
    assert {1, 2, 3} <= held


def test_upper_ends_are_those_of_pairs_of_slices(made, traces):
    rows = made.rows()[0].to_pylist()
    seeds, nulls = traces
    words = seeds[0].words.to_pylist()
    tested = [bool(ranked) or word == "w1" for word, ranked in zip(words, seeds[0].ranked, strict=True)]

    def run(trace, distances):
        places = {word: place for place, word in enumerate(trace.words.to_pylist())}
        held = [places.get(word) for word in words]
        fewest = [np.minimum(values[1], values[2]) for values in (trace.uses, trace.documents)]
        uses, documents = (np.array([0 if at is None else int(values[at]) for at in held]) for values in fewest)
        return PairScores(
            np.array([np.nan if at is None else distances[at] for at in held]),
            uses,
            documents,
            np.array([at is not None and bool(trace.ranked[at]) for at in held]),
            9,
        )

    last = list(DISTANCES).index("pair_last")
    mean = (seeds[0].distances[last, 1] + seeds[1].distances[last, 1]) / 2
    expected = upper_end(run(seeds[0], mean), [run(null, null.distances[last, 1]) for null in nulls], 2.0)
    found = [row["pair_last_null_high"] for row in rows if row["place"] == 1]
    assert any(tested)
    assert not all(tested)
    for value, end, test in zip(found, expected.tolist(), tested, strict=True):
        assert value == (pytest.approx(end) if test and not math.isnan(end) else None)
    assert [row["pair_last_null_high"] for row in rows if row["place"] == 2] == [None] * len(words)


def test_points_are_those_of_the_formulas(made, traces, monkeypatch, tmp_path):
    monkeypatch.setattr(evidence_rows, "LEAST_WORDS", 1)
    seeds, nulls = traces
    cuts = (seeds[0].cuts + seeds[1].cuts) / 2
    targets = np.array([word == "w1" for word in seeds[0].words.to_pylist()])
    expected = points_of(
        Traces(cuts, seeds[0].uses, seeds[0].documents, seeds[0].ranked, 9),
        [Traces(null.cuts, null.uses, null.documents, null.ranked, 9) for null in nulls],
        seeds[0].ranked | targets,
    )
    points = made.rows(Workspace(str(tmp_path)))[1]
    assert points.schema.equals(POINTS.schema(), check_metadata=True)
    names = COMPARISONS.names
    for number, row in enumerate(points.to_pylist()):
        cut = expected.cut[number]
        assert (row["point_from"], row["point_to"]) == names[cut : cut + 2]
        assert row["distance"] == pytest.approx(cuts[cut, number])
        assert row["m"] == pytest.approx(expected.m[number])
        assert row["ranked"] == seeds[0].ranked[number]
        assert row["target"] == (row["word"] == "w1")
        assert (row["p_value"] is not None) == (row["ranked"] or row["target"])
        if row["p_value"] is not None:
            assert row["p_value"] == pytest.approx(expected.p_value[number])
            assert row["q_value"] == pytest.approx(expected.q_value[number])
        assert row["finding"] is None
        assert row["upos"] == tag_of(row["word"])
        assert row["null_runs"] == sum(row["word"] in t.words.to_pylist() for t in nulls)
        assert row["null_unit"] == "author"


@pytest.mark.parametrize(
    ("deal", "finding"), [(DEAL, "too_few_words"), (replace(DEAL, sizes=(10, 9, 30)), "too_few_clusters")]
)
def test_no_finding_where_too_little_is_there(made, deal, finding):
    points = made.rows(deal=deal)[1].to_pylist()
    assert finding in FINDINGS
    assert {row["finding"] for row in points} == {finding}
    assert {row["q_value"] for row in points} == {None}
    assert any(row["p_value"] is not None for row in points)


def test_without_null_series_there_are_distances_alone(made, traces):
    series, points = made.rows(nulls=False)
    with_nulls = made.rows()[0]
    plain = [name for name in series.column_names if "null" not in name]
    assert series.select(plain).equals(with_nulls.select(plain))
    for name in set(series.column_names) - set(plain):
        assert series[name].null_count == len(series)
    for row in points.to_pylist():
        assert row["finding"] == "no_null"
        assert row["null_runs"] == 0
        for name in ("point_from", "point_to", "distance", "m", "p_value", "q_value", "null_unit"):
            assert row[name] is None


def test_what_the_tables_are_named_by(made):
    task = made.task()
    name = name_of(STAGE, task, OPTIONS)
    turned = task._replace(seeds=task.seeds[::-1], nulls=task.nulls[::-1])
    deal = replace(DEAL, nulls=((made.seeds[0].rows,),))
    for same in (turned, task._replace(deal=deal)):
        assert name_of(STAGE, same, OPTIONS) == name
    other = replace(OPTIONS, align=replace(OPTIONS.align, targets=("w2",)))
    assert name_of(STAGE, task, other) != name
    for changed in (
        task._replace(seeds=task.seeds[:1]),
        task._replace(nulls=task.nulls[:2]),
        task._replace(deal=replace(DEAL, unit="document")),
        task._replace(slices=(task.slices[0]._replace(name="x"), *task.slices[1:])),
    ):
        assert name_of(STAGE, changed, OPTIONS) != name
