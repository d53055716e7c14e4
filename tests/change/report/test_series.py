"""Series of three slices, made by hand: lines, their bands and change points as the tables hold."""

import pyarrow as pa
import pytest
from published_making import publish, section

from lexbeam.schemas.change import spaces as schemas
from lexbeam.transforms.change.shown import pictures as module
from lexbeam.transforms.change.shown.pictures import series_panels

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
