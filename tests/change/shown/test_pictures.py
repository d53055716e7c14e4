"""Neighbours of words and their ways through the slices, against plain linear algebra."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from panel_making import aligned, snapshot_of, space, vectors
from published import scores
from published_making import publish, section

from lexbeam.schemas.change import spaces as schemas
from lexbeam.transforms.change.shown import pictures as module
from lexbeam.transforms.change.shown.panels import panels
from lexbeam.transforms.change.shown.pictures import Link, common_space, directions, project, series_panels
from lexbeam.transforms.embeddings.alignment import fit_alignment
from lexbeam.transforms.embeddings.spaces import Side, Space, apply
from lexbeam.transforms.report.panels import Choice


@pytest.fixture
def make(tmp_path):
    def made(rows, more=(), **section):
        found = panels(snapshot_of(tmp_path, rows, more, **section))
        return {panel.title: panel for panel in found}

    return made


def cosines(rows, word):
    """The cosine of a word to each other one in a slice."""
    unit = {row["word"]: np.array(row["vector"]) / np.linalg.norm(row["vector"]) for row in rows}
    return {other: float(unit[word] @ vector) for other, vector in unit.items() if other != word}


def test_neighbours_are_means_over_seeds(make):
    parts = [vectors(name, "abc", seed) for name in ("old", "new") for seed in (1, 2)]
    rows = [scores("a", 0.1), scores("b", 0.5)]
    panel = make(rows, {"vectors": parts}, seeds=[1, 2])["Neighbours in each slice"]
    assert isinstance(panel, Choice)
    assert (panel.key, panel.across) == ("word", "slice")
    assert "mean cosine over 2 seeds" in panel.text
    found = {(row["word"], row["slice"], row["neighbour"]): row["cosine"] for row in panel.rows.to_pylist()}
    assert list(dict.fromkeys(word for word, _, _ in found)) == ["b", "a"]
    for name, first, second in (("old", *parts[:2]), ("new", *parts[2:])):
        for word in "ab":
            one, other = cosines(first, word), cosines(second, word)
            for near in one:
                mean = (one[near] + other[near]) / 2
                assert found[word, name, near] == pytest.approx(mean)


def test_the_way_of_a_word_is_the_plane_of_its_vectors_and_neighbours(make):
    parts = [vectors(name, "abcdefgh") for name in ("old", "new")]
    rows, fitted = aligned(*parts)
    chart = make([scores(word, 0.5) for word in "abcdefgh"], {"vectors": parts, "alignments": [rows]})[
        "Ways of words through the slices"
    ]
    assert chart.key == "word"
    assert "Distances in the plane are not the scores" in chart.text
    unit = {}
    for name, part, side in (("old", parts[0], fitted.source), ("new", parts[1], fitted.target)):
        made = apply(side, space(part).vectors)
        unit[name] = dict(zip("abcdefgh", made / np.linalg.norm(made, axis=1)[:, None], strict=True))
    for word in "ah":
        own = [row for row in chart.rows.to_pylist() if row["word"] == word]
        assert [row["name"] for row in own if row["order"]] == ["old", "new"]
        for name, part in (("old", parts[0]), ("new", parts[1])):
            near = cosines(part, word)
            landmarks = [r["name"] for r in own if r["slice"] == name and not r["order"]]
            assert landmarks == sorted(near, key=near.__getitem__, reverse=True)[:5]
        points = np.array([unit[row["slice"]][word if row["order"] else row["name"]] for row in own])
        centred = points - points.mean(axis=0)
        left, singular, _ = np.linalg.svd(centred, full_matrices=False)
        places = (left * singular)[:, :2]
        shown = np.array([[row["x"], row["y"]] for row in own])
        assert np.abs(shown).max() == pytest.approx(1.0)
        for axis in (0, 1):
            scale = np.abs(places).max() * np.sign(places[0, axis] * shown[0, axis])
            np.testing.assert_allclose(shown[:, axis] * scale, places[:, axis], atol=1e-6)
        share = 100 * (singular[:2] ** 2).sum() / (singular**2).sum()
        assert own[0]["variance shown"] == pytest.approx(share)


@pytest.mark.parametrize("kind", ["cca", "not fitted", "none"])
def test_there_are_no_ways_without_an_alignment_that_turns(make, kind):
    parts = [vectors(name, "abc") for name in ("old", "new")]
    rows, _ = aligned(*parts)
    for row in rows:
        row |= {"cca": {"alignment": "cca"}, "not fitted": {"matrix": None}, "none": {}}[kind]
    more = {"vectors": parts} if kind == "none" else {"vectors": parts, "alignments": [rows]}
    found = make([scores("a", 0.5)], more)
    assert "Ways of words through the slices" not in found
    assert "Neighbours in each slice" in found


def test_a_word_that_one_slice_alone_has_goes_no_way(make):
    parts = [vectors("old", "abcd"), vectors("new", "bcd")]
    rows, _ = aligned(vectors("old", "bcd"), parts[1])
    found = make([scores("a", 0.5), scores("b", 0.4)], {"vectors": parts, "alignments": [rows]})
    chart = found["Ways of words through the slices"]
    assert set(chart.rows["word"].to_pylist()) == {"b"}


def by_svd(points):
    """Principal components by another way: the singular vectors of the centred points."""
    centred = points - points.mean(axis=0)
    _, singular, loadings = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(loadings).argmax(axis=1)
    loadings = loadings * np.sign(loadings[np.arange(len(loadings)), largest])[:, None]
    return (centred @ loadings.T)[:, :2], (singular**2 / (singular**2).sum())[:2]


@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.integers(3, 60))
def test_the_plane_is_that_of_the_singular_vectors(seed, number, dim):
    random = np.random.default_rng(seed)
    points = random.normal(size=(number, dim)) * (1 + np.arange(dim) ** 2)
    found = project(points)
    places, shares = by_svd(points)
    np.testing.assert_allclose(found.places, places, atol=1e-6 * np.abs(places).max())
    np.testing.assert_allclose(found.shares, shares, atol=1e-9)


def test_the_sign_does_not_depend_on_the_sign_of_what_is_found():
    points = np.array([[0.0, 5, 1], [1, -5, 0], [2, 1, 0]])
    turned = project(-points)
    np.testing.assert_allclose(turned.places, -project(points).places, atol=1e-12)


@pytest.mark.parametrize(
    ("points", "shares"),
    [
        ([[1.0, 2, 3]], (0.0, 0.0)),
        ([[1.0, 2], [1, 2], [1, 2]], (0.0, 0.0)),
        ([[0.0, 0], [3, 4]], (1.0, 0.0)),
        ([[1.0], [2], [4]], (1.0, 0.0)),
    ],
)
def test_points_that_span_no_plane_have_zeros(points, shares):
    found = project(np.array(points))
    assert found.shares == pytest.approx(shares)
    for axis, share in enumerate(shares):
        assert share or not found.places[:, axis].any()
    assert found.places.shape == (len(points), 2)


def spaces(number, words=40, dim=6):
    random = np.random.default_rng(7)
    base = random.normal(size=(words, dim))
    names = [f"w{n:02}" for n in range(words)]
    for _ in range(number):
        turn = np.linalg.qr(random.normal(size=(dim, dim)))[0]
        vectors = (base @ turn + random.normal(size=base.shape) / 10).astype(np.float32)
        yield Space(names, np.full(words, 9), vectors, 1000)


def linked(made, pairs):
    names = [str(n) for n in range(len(made))]
    links = []
    for one, other in pairs:
        fitted = fit_alignment("op", made[one], made[other])
        links.append(Link(names[one], names[other], fitted.source, fitted.target))
    return names, links


def test_consecutive_alignments_are_followed_to_the_first_slice():
    made = list(spaces(4))
    names, links = linked(made, [(0, 1), (1, 2), (2, 3)])
    sides = common_space(names, links)
    assert list(sides) == names
    for place in range(1, 4):
        step = apply(links[place - 1].target, made[place].vectors)
        for back in reversed(links[: place - 1]):
            step = step @ back.target.matrix
        np.testing.assert_allclose(apply(sides[names[place]], made[place].vectors), step, atol=1e-9)
    # The cosine of a word in neighbouring slices is the one that its score is made of.
    here = [directions(sides[name], made[n].vectors) for n, name in enumerate(names)]
    for n, link in enumerate(links):
        one, other = here[n : n + 2]
        z, x = apply(link.source, made[n].vectors), apply(link.target, made[n + 1].vectors)
        cosines = (z * x).sum(axis=1) / np.linalg.norm(z, axis=1) / np.linalg.norm(x, axis=1)
        np.testing.assert_allclose((one * other).sum(axis=1), cosines, atol=1e-9)


def test_the_shortest_way_is_taken():
    made = list(spaces(3))
    names, links = linked(made, [(0, 1), (1, 2), (0, 2)])
    direct = common_space(names, links)["2"]
    np.testing.assert_array_equal(direct.matrix, links[2].target.matrix)


def test_a_slice_that_no_alignment_reaches_is_left_out():
    made = list(spaces(4))
    names, links = linked(made, [(0, 1), (2, 3)])
    assert list(common_space(names, links)) == ["0", "1"]
    assert common_space(names, links[1:]) == {}


def test_directions_have_unit_length_and_zero_stays_zero():
    side = Side(unit_length=True, mean=np.array([0.1, 0.0]))
    found = directions(side, np.array([[3, 4], [0, 0]], np.float32))
    assert np.linalg.norm(found[0]) == pytest.approx(1.0)
    assert not found[1].any()


NAMES = ["a", "b", "c"]


def distance(word, place, name, shift=0.0):
    """Made up, and nothing of a slice to itself."""
    missing = {"pair_first": place == 0, "pair_previous": place == 0, "pair_last": place == 2}
    size = {"pair_first": 0.1, "pair_previous": 0.2, "pair_last": 0.3}[name]
    return None if missing[name] else size + place / 100 + len(word) / 1000 + shift


def tables(points, null=True, finding=None):
    """Both tables, of words with their target flags and p-values."""
    lines = []
    for word, _, _ in points:
        for place, name in enumerate(NAMES):
            row = {"word": word, "slice": name, "place": place, "alignment": "op"}
            for column in module.DISTANCES:
                value = distance(word, place, column)
                row[column] = value
                row[column + "_null_high"] = (value and null and value - 0.03) or None
            lines.append(row)
    cut = ("a", "b") if null else (None, None)
    ends = [
        {
            "word": word,
            "alignment": "op",
            "target": target,
            "ranked": True,
            "upos": "DET" if word == "the" else "NOUN",
            "point_from": cut[0],
            "point_to": cut[1],
            "distance": 0.5,
            "p_value": p if null else None,
            "q_value": 2 * p if null and p is not None else None,
            "finding": finding,
        }
        for word, target, p in points
    ]
    numbers = [column + end for column in module.DISTANCES for end in ("", "_null_high")]
    texts = [("word", pa.string()), ("slice", pa.string()), ("place", pa.int32()), ("alignment", pa.string())]
    schema = pa.schema([*texts, *((name, pa.float64()) for name in numbers)])
    kinds = dict.fromkeys(("target", "ranked"), pa.bool_())
    kinds |= dict.fromkeys(("distance", "p_value", "q_value"), pa.float64())
    ends_schema = pa.schema([(name, kinds.get(name, pa.string())) for name in ends[0]])
    return (pa.Table.from_pylist(lines[::-1], schema=schema), pa.Table.from_pylist(ends, schema=ends_schema))


def published(folder, points, **other):
    lines, ends = tables(points, **other)
    return publish(folder, section(NAMES), change__series=lines, change__points=ends)


def panels_of(folder, points):
    return series_panels(published(folder, points))


POINTS = [("xx", False, 0.5), ("yyy", False, 0.1), ("t", True, 0.9), ("n", False, None)]


def test_each_word_has_a_line_for_each_distance_with_its_band(tmp_path):
    lines, _ = panels_of(tmp_path, POINTS)
    rows = lines.rows.to_pylist()
    assert list(dict.fromkeys(row["word"] for row in rows)) == ["t", "yyy", "xx", "n"]
    assert lines.key == "word"
    for word, _, _ in POINTS:
        own = [row for row in rows if row["word"] == word]
        assert [(row["measured"], row["slice"]) for row in own] == [
            (what, name) for what in module.DISTANCES.values() for name in NAMES
        ]
        for number, row in enumerate(own):
            column, place = list(module.DISTANCES)[number // 3], number % 3
            value = distance(word, place, column)
            assert row["distance"] == value
            assert row["null to"] == (None if value is None else value - 0.03)


def test_change_points_have_targets_first_then_the_least_p(tmp_path):
    _, points = panels_of(tmp_path, POINTS)
    assert points.rows["word"].to_pylist() == ["t", "yyy", "xx", "n"]
    assert points.rows["p"].to_pylist() == [0.9, 0.1, 0.5, None]
    assert points.rows["q usage differs"].to_pylist() == [1.8, 0.2, 1.0, None]
    assert set(points.rows["last before"].to_pylist()) == {"a"}


def test_words_of_other_parts_of_speech_are_shown_if_they_are_targets(tmp_path):
    for number, target in enumerate([False, True]):
        lines, ends = tables([*POINTS, ("the", target, 0.01)])
        options = {"rank-pos": ["NOUN"]}
        change = section(NAMES, options=options)
        made = publish(tmp_path / str(number), change, change__series=lines, change__points=ends)
        shown, points = series_panels(made)
        assert ("the" in shown.rows["word"].to_pylist()) == target
        assert ("the" in points.rows["word"].to_pylist()) == target


def test_without_null_series_there_is_no_band_and_no_change_point(tmp_path):
    snapshot = published(tmp_path, POINTS, null=False)
    (lines,) = series_panels(snapshot, ["xx", "t", "gone"])
    assert "null to" not in lines.rows.column_names
    assert "dashed" not in lines.text
    assert list(dict.fromkeys(lines.rows["word"].to_pylist())) == ["t", "xx"]


def test_what_stands_against_a_finding_is_said(tmp_path):
    _, points = series_panels(published(tmp_path, POINTS, finding="too_few_words"))
    assert "No finding is possible at this size: fewer than 100 ranked words" in points.text


def test_few_words_have_lines_and_all_targets(tmp_path):
    points = [(f"w{n:02}", n > 20, (n + 1) / 100) for n in range(30)]
    lines, table = panels_of(tmp_path, points)
    words = list(dict.fromkeys(lines.rows["word"].to_pylist()))
    assert words == [f"w{n}" for n in range(21, 30)] + [f"w{n:02}" for n in range(12)]
    assert table.rows.num_rows == 30


@pytest.mark.parametrize("missing", ["change__series", "change__points", "both", "empty"])
def test_without_the_tables_there_is_no_panel(tmp_path, missing):
    lines, points = tables(POINTS)
    if missing == "empty":
        lines, points = lines[:0], points[:0]
    made = {"change__series": lines, "change__points": points}
    made.pop(missing, None)
    assert series_panels(publish(tmp_path, section(NAMES), **({} if missing == "both" else made))) == []


def test_the_columns_that_are_relied_on_are_published():
    series, points = (set(table.schema().names) for table in (schemas.SERIES, schemas.POINTS))
    assert (schemas.SERIES.name, schemas.POINTS.name) == (module.SERIES, module.POINTS)
    assert {module.WORD, module.SLICE, module.PLACE, module.ALIGNMENT} <= series
    for name in module.DISTANCES:
        assert {name, name + module.NULL_HIGH} <= series
    relied = {module.WORD, module.ALIGNMENT, module.TARGET, module.RANKED, module.UPOS}
    relied |= {module.P_VALUE, module.Q_VALUE, module.FROM, module.TO, module.DISTANCE}
    assert relied | {module.FINDING} <= points


def test_a_run_of_before_upper_ends_were_published_has_lines_alone(tmp_path):
    lines, ends = tables(POINTS)
    lines = lines.drop_columns([name for name in lines.column_names if name.endswith("_null_high")])
    shown, _ = series_panels(publish(tmp_path, section(NAMES), change__series=lines, change__points=ends))
    assert "null to" not in shown.rows.column_names


def test_words_flagged_in_a_pair_have_lines_and_are_named(tmp_path):
    points = [(f"w{n:02}", False, (n + 1) / 100) for n in range(30)]
    lines, _ = series_panels(published(tmp_path, points), flagged=["w29"])
    assert lines.rows["word"].to_pylist()[0] == "w29"
    assert "Flagged among them (both q at most .05): w29." in lines.text
