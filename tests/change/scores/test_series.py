"""One space for many slices, and change points: against plain loops, scipy and simulation."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.linalg
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from series_making import COMPARISONS, OPTIONS, series_of
from space_making import tag_of

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.change.spaces import DISTANCES, POINTS, SERIES
from lexbeam.transforms.change.graph.comparisons import series_tasks
from lexbeam.transforms.change.scores import evidence_rows
from lexbeam.transforms.change.scores.change_points import (
    Traces,
    common_rotations,
    common_space,
    cut_distances,
    points_of,
    unit_rows,
)
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.null_evidence import PairScores, upper_end
from lexbeam.transforms.change.scores.series import MakeSeries
from lexbeam.transforms.change.scores.traces import TraceSlices, read_trace
from lexbeam.transforms.common.store.artefacts import Workspace, make, name_of


def rotated(seed, slices=4, words=60, dim=6, noise=0.3, steepness=0.0):
    """Unit vectors of one cloud of words, each slice with noise and axes of its own; a steep one is wide in few."""
    draw = np.random.default_rng(seed)
    base = draw.normal(0, 1, (words, dim))
    turns = [np.linalg.qr(draw.normal(0, 1, (dim, dim)))[0] for _ in range(slices)]
    wide = np.arange(1.0, dim + 1) ** -steepness
    return [unit_rows((base + draw.normal(0, noise, base.shape)) * wide @ turn) for turn in turns]


def by_rounds(spaces, rounds=400):
    """Generalised Procrustes as it is told: rotate all onto the mean, take the mean, again."""
    mean = spaces[0]
    for _ in range(rounds):
        mapped = [space @ scipy.linalg.orthogonal_procrustes(space, mean)[0] for space in spaces]
        mean = np.mean(mapped, axis=0)
    return mapped


def test_fewer_words_than_dimensions_have_no_common_space():
    assert np.isfinite(common_space(rotated(3, words=6))).all()
    found = common_space(rotated(3, words=5))
    assert np.isnan(cut_distances(found)).all()
    assert np.isnan(found).all()


def cosines(one, two):
    return np.array([1 - np.dot(a, b) / math.hypot(*a) / math.hypot(*b) for a, b in zip(one, two, strict=True)])


@pytest.mark.parametrize("slices", [3, 5])
def test_the_common_space_is_where_rounds_of_rotation_end(slices):
    spaces = rotated(1, slices=slices)
    found, expected = common_space(spaces), by_rounds(spaces)
    for number in range(slices):
        for other in range(number):
            np.testing.assert_allclose(
                cosines(found[number], found[other]), cosines(expected[number], expected[other]), atol=1e-5
            )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(3, 6), st.floats(0.1, 3.0), st.floats(0.0, 2.0))
def test_no_space_can_be_rotated_nearer_to_the_others(seed, slices, noise, steepness):
    """Also where rounds of rotation alone would take hundreds: little in common, most of it in few dimensions."""
    spaces = rotated(seed, slices=slices, words=200, dim=12, noise=noise, steepness=steepness)
    found = common_space(spaces)
    for number in range(slices):
        others = sum(found[other] for other in range(slices) if other != number)
        nearest = found[number] @ scipy.linalg.orthogonal_procrustes(found[number], others)[0]
        np.testing.assert_allclose(found[number], nearest, atol=2e-5)


@pytest.mark.parametrize("seed", range(2))
def test_spaces_agree_as_far_as_rounds_of_rotation_bring_them(seed):
    spaces = rotated(seed, slices=3, dim=20, noise=2.0, steepness=1.0)
    agreed, expected = (np.square(sum(mapped)).sum() for mapped in (common_space(spaces), by_rounds(spaces, 300)))
    assert agreed >= expected - 1e-6


def test_spaces_stay_what_they_are_but_for_their_axes():
    spaces = rotated(2)
    for space, mapped, turn in zip(spaces, common_space(spaces), common_rotations(spaces), strict=True):
        np.testing.assert_allclose(turn.T @ turn, np.eye(6), atol=1e-12)
        np.testing.assert_allclose(mapped @ mapped.T, space @ space.T, atol=1e-12)


def test_axes_alone_make_no_distance():
    spaces = rotated(3, noise=0.0)
    assert cut_distances(common_space(spaces)).max() < 1e-9


def test_two_spaces_come_together_as_by_one_rotation():
    one, two = rotated(4, slices=2)
    found = common_space([one, two])
    turned = two @ scipy.linalg.orthogonal_procrustes(two, one)[0]
    np.testing.assert_allclose(cosines(*found), cosines(one, turned), atol=1e-5)


def test_no_words_and_words_without_direction():
    assert [len(space) for space in common_space([np.zeros((0, 3))] * 3)] == [0, 0, 0]
    spaces = [np.vstack([space, np.zeros(6)]) for space in rotated(5)]
    distances = cut_distances(common_space(spaces))
    assert np.isnan(distances[:, -1]).all()
    assert not np.isnan(distances[:, :-1]).any()
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]


def test_a_word_that_has_no_direction_in_one_slice_has_no_distance_at_any_cut():
    for place in range(4):
        spaces = rotated(6, slices=4)
        whole = cut_distances(spaces)
        spaces[place][7] = 0
        found = cut_distances(spaces)
        assert np.isnan(found[:, 7]).all()
        assert np.array_equal(np.delete(found, 7, 1), np.delete(whole, 7, 1))
    for space in (spaces := rotated(6, words=10)):
        space[:5] = 0
    assert np.isnan(common_space(spaces)[0]).all()  # five are fewer than the dimensions


def test_cuts_compare_the_means_before_and_after():
    spaces = rotated(6, slices=5)
    found = cut_distances(spaces)
    assert found.shape == (4, 60)
    for cut in range(4):
        for word in range(60):
            early = sum(space[word] for space in spaces[: cut + 1]) / (cut + 1)
            late = sum(space[word] for space in spaces[cut + 1 :]) / (4 - cut)
            expected = 1 - early @ late / np.linalg.norm(early) / np.linalg.norm(late)
            assert found[cut, word] == pytest.approx(expected)


def simulated(seed, *, words=300, slices=4, turning=(), cut=1, dim=15):
    """A series of words of all frequencies; some have another vector from a cut on."""
    draw = np.random.default_rng(seed)
    level = np.exp(draw.uniform(4, 8, words))
    uses = np.maximum(1, (level * np.exp(draw.normal(0, 0.15, (slices, words)))).astype(np.int64))
    documents = np.maximum(1, np.minimum(uses, 60) * 2 // 3)
    base, other = draw.normal(0, 1, (2, words, dim))
    spaces = []
    for place in range(slices):
        own = base.copy()
        if place > cut:
            own[list(turning)] = other[list(turning)]
        noise = draw.normal(0, 4, own.shape) / np.sqrt(uses[place])[:, None]
        turn = np.linalg.qr(draw.normal(0, 1, (dim, dim)))[0]
        spaces.append(unit_rows((own + noise) @ turn))
    ranked = (uses >= 50).all(axis=0)
    return Traces(cut_distances(common_space(spaces)), uses, documents, ranked, 60)


@pytest.fixture(scope="module")
def nulls():
    return [simulated(100 + number) for number in range(4)]


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_words_that_turn_are_found_at_their_cut(nulls, cut):
    turning = np.arange(0, 300, 20)
    real = simulated(cut, turning=turning, cut=cut)
    points = points_of(real, nulls, real.ranked)
    turning = turning[real.ranked[turning]]
    assert len(turning) > 10
    assert (points.cut[turning] == cut).all()
    assert (points.q_value[turning] <= 0.05).all()
    others = real.ranked.copy()
    others[turning] = False
    assert (points.q_value[others] <= 0.05).mean() <= 0.02
    assert np.isnan(points.p_value[~real.ranked]).all()


def test_p_of_words_that_do_not_turn_is_uniform(nulls):
    p = []
    for seed in range(8):
        real = simulated(seed)
        p.append(points_of(real, nulls, real.ranked).p_value[real.ranked])
    # A margin for words of one series, which are not independent.
    assert scipy.stats.kstest(np.concatenate(p), "uniform").statistic < 0.06
    assert np.mean(np.concatenate(p) <= 0.05) == pytest.approx(0.05, abs=0.025)


def test_change_points_are_those_of_a_second_computation(nulls):
    real = simulated(50, turning=[3, 4, 5])
    expected_z, null_z = [], []
    for cut in range(3):

        def x_of(run, w, values, cut=cut):
            sides = values[: cut + 1, w], values[cut + 1 :, w]
            return min(round(len(side) / sum(1 / int(v) for v in side)) for side in sides)

        def terms(run, w, x_of=x_of):
            uses, documents = x_of(run, w, run.uses), x_of(run, w, run.documents)
            one, two = math.log(uses), math.log(documents / min(uses, 60))
            return one, two

        held = [(run, w) for run in nulls for w in range(300) if run.ranked[w]]
        xs = np.array([terms(run, w) for run, w in held])
        y = np.array([math.log(run.distances[cut, w]) for run, w in held])

        def design(xs):
            return np.array([[1, a, b, a * a, b * b, a * b] for a, b in xs])

        level = np.linalg.lstsq(design(xs), y, rcond=None)[0]
        residual = y - design(xs) @ level
        scale = np.linalg.lstsq(design(xs), np.log(np.abs(residual)), rcond=None)[0]
        r = residual / np.exp(design(xs) @ scale)
        own_x = np.clip([terms(real, w) for w in range(300)], xs.min(axis=0), xs.max(axis=0))
        own = np.log(real.distances[cut]) - design(own_x) @ level
        expected_z.append(own / np.exp(design(own_x) @ scale) / np.std(r, ddof=1))
        null_z.append(r / np.std(r, ddof=1))
    expected_m, null_m = np.max(expected_z, axis=0), np.max(null_z, axis=0)
    p = [(1 + sum(null_m >= m)) / (1 + len(null_m)) for m in expected_m]
    found = points_of(real, nulls, np.ones(300, bool))
    np.testing.assert_allclose(found.m, expected_m, rtol=1e-6)
    assert found.cut.tolist() == np.argmax(expected_z, axis=0).tolist()
    np.testing.assert_allclose(found.p_value, p, atol=2 / len(null_m))
    np.testing.assert_allclose(found.q_value, scipy.stats.false_discovery_control(found.p_value), rtol=1e-12)


@settings(max_examples=15)
@given(st.integers(0, 30), st.integers(3, 6))
def test_p_and_q_are_shares_whatever_the_series(seed, slices):
    real, *others = (simulated(seed + n, words=30, slices=slices, dim=4) for n in range(4))
    points = points_of(real, others, np.ones(30, bool))
    assert ((points.p_value > 0) & (points.p_value <= 1)).all()
    assert (points.q_value >= points.p_value - 1e-12).all()
    assert ((points.cut >= 0) & (points.cut < slices - 1)).all()


def test_without_anything_to_compare_with_there_is_no_point(nulls):
    real = simulated(1)
    unranked = [null._replace(ranked=np.zeros(300, bool)) for null in nulls]
    for points in (points_of(real, [], real.ranked), points_of(real, unranked, real.ranked)):
        assert (points.cut == -1).all()
        assert np.isnan([points.m, points.p_value, points.q_value]).all()


def test_a_word_without_a_distance_has_no_point(nulls):
    real = simulated(1)
    real.distances[1, 7] = np.nan
    points = points_of(real, nulls, np.ones(300, bool))
    assert (points.cut[7], np.isnan(points.m[7]), np.isnan(points.q_value[7])) == (-1, True, True)
    assert np.isnan(points.m).sum() == 1


DEAL = Deal(unit="author", sizes=(10, 12, 30), nulls=())


class Made:
    """Traces of two seeds and of three null series, which other sentences stand for."""

    def __init__(self, series, folder):
        self.series = series
        self.seeds = [make(series.space, TraceSlices.of(OPTIONS), series.task(n)) for n in (1, 2)]
        self.nulls = []
        for number in range(3):
            (folder / str(number)).mkdir()
            other = series_of(folder / str(number), first=3 * number + 3)
            self.nulls.append(make(other.space, TraceSlices.of(OPTIONS), other.task(1, aligned=False)))

    def task(self, nulls=True, deal=DEAL):
        found = (self.nulls, [deal]) if nulls else ([], [])
        ((_, task),) = series_tasks(0, self.seeds, COMPARISONS, self.series.slices, *found)
        return task

    def rows(self, space=None, **options):
        made = make(space or self.series.space, MakeSeries.of(OPTIONS), self.task(**options))
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
    step = MakeSeries.of(OPTIONS)
    name = name_of(step, task)
    ((_, turned),) = series_tasks(0, made.seeds[::-1], COMPARISONS, made.series.slices, made.nulls[::-1], [DEAL])
    for same in (turned, made.task(deal=replace(DEAL, nulls=((made.seeds[0].rows,),)))):
        assert name_of(step, same) == name
    other = replace(OPTIONS, align=replace(OPTIONS.align, targets=("w2",)))
    assert name_of(MakeSeries.of(other), task) != name
    for changed in (
        task._replace(seeds=task.seeds[:1]),
        task._replace(nulls=task.nulls[:2]),
        task._replace(deal=replace(DEAL, unit="document")),
        task._replace(slices=(task.slices[0]._replace(name="x"), *task.slices[1:])),
    ):
        assert name_of(step, changed) != name
