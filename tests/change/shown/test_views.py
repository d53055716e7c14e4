"""`lexbeam show --series`: rows of words, and what a person reads of them."""

import pyarrow as pa
import pytest
from published_making import publish, section

from lexbeam.schemas.change.spaces import DISTANCES, POINTS, SERIES
from lexbeam.transforms.change.shown.views import SeriesViewOptions, series_of, sparkline, tell_series, turning
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.shown import Grid

SLICES = ("a", "b", "c")
VIEW = {"unit": "lemma", "case": "lower"}


def rows(word, scale, null=True):
    made = []
    for place, name in enumerate(SLICES):
        row = {
            **dict.fromkeys(SERIES.schema().names),
            "word": word,
            "slice": name,
            "place": place,
            "alignment": "op",
            "count": 10 + place,
            "relative": 0.001,
            "documents": 3,
        }
        for kind in DISTANCES:
            if place or kind.endswith("last"):
                row[kind] = scale * (place + 1)
                if null:
                    row |= {f"{kind}_null_mean": 0.2, f"{kind}_null_sd": 0.05, f"{kind}_null_high": 0.31}
        made.append(row)
    return made


def point(word, **more):
    return {
        **dict.fromkeys(POINTS.schema().names),
        "word": word,
        "alignment": "op",
        "target": False,
        "ranked": True,
        "upos": "NOUN",
        "point_from": "a",
        "point_to": "b",
        "distance": 0.3,
        "m": 2.345,
        "p_value": 0.0123,
        "q_value": 0.045,
        "null_runs": 3,
        "null_unit": "document",
        **more,
    }


def snapshot(folder, points, null=True):
    words = sorted(one["word"] for one in points)
    series = [row for n, word in enumerate(words) for row in rows(word, 0.1 * (n + 1), null)]
    return publish(
        folder,
        section(SLICES, ((0, 1), (1, 2)), view=VIEW),
        change__series=pa.Table.from_pylist(series, schema=SERIES.schema()),
        change__points=pa.Table.from_pylist(points, schema=POINTS.schema()),
    )


def asked(*words):
    return SeriesViewOptions(series=words)


def told(shot, *words):
    return list(tell_series(shot, asked(*words)))


def test_rows_come_in_the_order_asked_for(tmp_path):
    shot = snapshot(tmp_path, [point("arm"), point("sea"), point("work")])
    found = series_of(shot, asked("Work", "arm", "work", "boat"))
    assert found.schema.equals(SERIES.schema())
    assert found["word"].to_pylist() == ["work"] * 3 + ["arm"] * 3
    assert found["slice"].to_pylist() == list(SLICES) * 2


def test_a_word_has_its_change_point_its_slices_and_its_lines(tmp_path):
    shot = snapshot(tmp_path, [point("sailor"), point("sea", target=True)])
    lines = told(shot, "sea", "Sailer")
    assert lines[0] == ("no series of 'sailer': a word needs `min_count` uses in every slice; did you mean sailor?")
    assert lines[2:4] == [
        "sea (target, NOUN)",
        "  change point: between a and b; M 2.35, p 0.012, q usage differs 0.045",
    ]
    slices, drawn = (line for line in lines if isinstance(line, Grid))
    assert [row[:4] for row in slices.rows] == [
        ("a", "10", "1000.0", "3"),
        ("b", "11", "1000.0", "3"),
        ("c", "12", "1000.0", "3"),
    ]
    assert slices.rows[1][4:8] == ("0.400", "up to 0.310", "0.400", "up to 0.310")
    assert slices.rows[0][4:8] == ("",) * 4
    assert drawn.rows[0] == ("to the previous", "·▆█", "0 to 0.600")
    assert drawn.rows[2][1] == "▃▆█"
    assert "null band" in lines[-2]
    assert lines[-1].startswith("change point: the cut that chance explains least")
    assert "mean over 2 seeds" in lines[-2]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"finding": "no_null", "point_from": None}, "none without null series"),
        ({"finding": "too_few_words", "q_value": None}, "no finding possible at this size: fewer"),
        ({"p_value": None, "q_value": None}, "not ranked in every slice"),
        ({"point_from": None, "p_value": None}, "change point: none"),
    ],
)
def test_it_says_why_there_is_no_p(more, expected, tmp_path):
    assert expected in told(snapshot(tmp_path, [point("arm", **more)]), "arm")[1]


def test_without_null_series_no_band_is_told(tmp_path):
    shot = snapshot(tmp_path, [point("arm", finding="no_null")], null=False)
    lines = told(shot, "arm")
    assert "null band" not in lines[-1]
    assert "null band" not in next(line for line in lines if isinstance(line, Grid)).heads


def test_what_cannot_be_told(tmp_path):
    shot = snapshot(tmp_path / "a", [point("arm")])
    for ask in (series_of, tell_series):
        with pytest.raises(LexbeamError, match="'leg'"):
            list(ask(shot, asked("leg")))
        with pytest.raises(UsageError, match="names no word"):
            list(ask(shot, asked("")))
        with pytest.raises(LexbeamError, match="three or more slices"):
            list(ask(publish(tmp_path / ask.__name__, section()), asked("arm")))


def test_a_run_tells_the_words_that_turn(tmp_path):
    points = [
        point("arm", p_value=0.02, point_from="b", point_to="c"),
        point("sea", p_value=0.01),
        point("of", upos="ADP"),
        point("work", q_value=0.06),
        point("x", q_value=None),
    ]
    shot = snapshot(tmp_path / "a", points)
    shot.section("change")["options"]["rank-pos"] = ["NOUN"]
    assert list(turning(shot)) == ["series: usage turns (q at most .05) for 2 words: sea (a | b), arm (b | c)"]
    few = snapshot(tmp_path / "b", [point("arm", finding="too_few_words", q_value=None)])
    assert list(turning(few)) == ["series: no finding possible at this size: fewer than 100 ranked words with a score"]
    assert not list(turning(snapshot(tmp_path / "c", [point("arm", finding="no_null")])))
    assert not list(turning(publish(tmp_path / "d", section())))


def test_lines_begin_at_zero():
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert sparkline([None, 0.0]) == "·▁"
    assert sparkline([]) == ""
