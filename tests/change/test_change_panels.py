"""Panels of small tables that are made by hand: what they show is what the tables hold."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from panel_making import HOSTILE, aligned, known, pair, slice_row, snapshot_of, vectors
from published import publish, scores

from lexbeam.transforms.change.shown import word_panels
from lexbeam.transforms.change.shown import word_panels as panels_words
from lexbeam.transforms.change.shown.panels import NO_NULL, panels
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.report.page import render
from lexbeam.transforms.report.panels import Note


@pytest.fixture
def make(tmp_path):
    def made(rows, more=(), **section):
        found = panels(snapshot_of(tmp_path, rows, more, **section))
        return {panel.title: panel for panel in found}

    return made


KEY = "slices and alignment"


def test_targets_come_first_then_the_ranking_then_others(make):
    rows = [
        scores("a", 0.1),
        scores("b", 0.5),
        scores("c", 0.5),
        scores("t", 0.2, target=True),
        scores("u", None, target=True, reason="absent_to"),
        scores("rare", 1.9, ranked=False, count_from=3, count_to=900),
        scores("name", 1.2, ranked=False, count_from=300, count_to=400),
        scores("b", 0.9, seed=1),
        scores("gone", None, reason="absent_to"),
    ]
    panel = make(rows, targets=["t", "u"])["Words"]
    shown = panel.rows
    assert (panel.key, panel.listed) == (KEY, True)
    assert set(shown[KEY].to_pylist()) == {"old to new, op"}
    assert shown["word"].to_pylist() == ["t", "u", "b", "c", "a", "name", "rare"]
    assert shown["score"].to_pylist() == [0.2, None, 0.5, 0.5, 0.1, 1.2, 1.9]
    assert shown["rank"].to_pylist() == [3, None, 1, 2, 4, None, None]
    assert shown["uses earlier"].to_pylist() == [100] * 5 + [300, 3]
    assert shown["per million later"].to_pylist() == [1e5] * 7
    assert shown["no score"].to_pylist()[1] == "the word does not occur in the later slice"


def test_with_a_null_the_order_is_by_excess_and_the_evidence_is_shown(make):
    rows = [
        scores("a", 0.9, **known(excess=0.1, null_mean=0.8, null_high=0.85, q_value=0.04, q_relative=0.2)),
        scores("b", 0.5, **known(excess=0.4, null_mean=0.1, q_value=0.01, q_relative=0.02)),
        scores("c", 0.4, **known(excess=-0.1, null_high=None)),
        scores("d", 0.3),
    ]
    found = make(rows, {"change/pairs": [[pair()]]})
    shown = found["Words"].rows
    assert shown["word"].to_pylist() == ["b", "a", "c", "d"]
    assert shown["excess"].to_pylist() == [0.4, 0.1, -0.1, None]
    assert shown["q usage differs"].to_pylist() == [0.01, 0.04, 0.5, None]
    assert shown["q more than the vocabulary at large"].to_pylist() == [0.02, 0.2, 0.5, None]
    chart = found["Scores and what chance gives"].rows.to_pylist()
    assert [row["finding"] for row in chart] == [
        "more than the vocabulary at large",
        "usage differs",
        "not told from chance",
        "no finding",
    ]
    assert [row["null mean"] for row in chart] == [0.1, 0.8, 0.2, None]
    assert [row["null to"] for row in chart] == [0.25, 0.85, None, None]
    cloud = {row["word"]: row for row in found["Score against count"].rows.to_pylist()}
    assert cloud["a"]["null mean"] == 0.8
    assert {word for word, row in cloud.items() if row["label"]} == set("abcd")


def test_training_noise_is_a_line_and_is_called_so(make):
    rows = [scores("a", 0.5, score_sd=0.1, seeds=2), scores("b", 0.4, seeds=1)]
    parts = [vectors(name, "ab", seed) for name in ("old", "new") for seed in (1, 2)]
    found = make(rows, {"vectors": parts}, seeds=[1, 2])
    chart = found["Scores"]
    assert chart.rows["noise from"].to_pylist() == [0.4, None]
    assert chart.rows["noise to"].to_pylist() == [0.6, None]
    assert "training noise" in chart.text
    assert found["Words"].rows["training noise"].to_pylist() == [0.1, None]


def test_without_a_null_there_is_no_band_and_a_note_says_so(make):
    found = make([scores("a", 0.5)])
    assert found["Evidence"] == Note("Evidence", NO_NULL)
    assert "nothing says which of these scores chance gives" in found["Scores"].text
    for title in ("Scores", "Score against count", "Words"):
        assert not [name for name in found[title].rows.column_names if "null" in name or "q " in name]
    assert set(found["Scores"].rows["finding"].to_pylist()) == {"no finding"}


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({}, "possible for words with enough uses: see the verdict"),
        ({"low_power": True}, "possible, but power is low: most changes go unnoticed"),
        (
            {"finding": "too_few_clusters", "share_significant": None},
            "not possible at this size: fewer than 10 documents or authors on a side",
        ),
        ({"finding": "too_few_words"}, "not possible at this size: fewer than 100 ranked words with a score"),
    ],
)
def test_evidence_says_what_was_dealt_and_whether_a_finding_is_possible(make, facts, told):
    found = make([scores("a", 0.5, **known())], {"change/pairs": [[pair(**facts)]]})
    (row,) = found["Evidence"].rows.to_pylist()
    assert row["compared"] == "old to new, op"
    assert (row["null pairs"], row["earlier"], row["later"]) == (3, 30, 40)
    assert (row["usage differs"], row["shift"]) == (25.0, 0.5)
    assert row["more than the vocabulary at large"] == (12.5 if "share_significant" not in facts else None)
    assert row["a finding is"] == told
    size = [item for item in found["Warnings"].items if "size" in item or "power" in item]
    assert bool(size) == bool(facts)


def test_every_pair_and_alignment_is_one_that_can_be_chosen(make):
    options = {
        "alignment": ["op", "cca"],
        "measure": ["frequency", "cosine"],
        "neighbour-min-count": 1,
        "rank-min-count": 50,
        "rank-min-documents": 5,
    }
    both = [
        [
            scores("a", 0.1, alignment="none", measure="frequency", slice_to=to),
            scores("a", 0.2, alignment="cca", slice_to=to),
            scores("a", 0.3, slice_to=to),
            scores("b", 0.4, slice_to=to),
            scores("b", 0.9, alignment="cca", slice_to=to),
        ]
        for to in ("new", "last")
    ]
    slices = [["old", 0, 9], ["new", 10, 19], ["last", 20, 29]]
    rows = make(
        both,
        options=options,
        pairs=[[0, 1], [0, 2]],
        slices=slices,
        more={
            "slices": [[slice_row(name, 1800)] for name, _, _ in slices],
            "vectors": [vectors(name, "ab") for name, _, _ in slices],
        },
    )["Words"].rows
    assert [tuple(row[name] for name in (KEY, "word", "score")) for row in rows.to_pylist()] == [
        (f"old to {to}, {by}", word, score)
        for to in ("new", "last")
        for by, word, score in [("op", "b", 0.4), ("op", "a", 0.3), ("cca", "b", 0.9), ("cca", "a", 0.2)]
    ]


def test_a_run_of_frequency_alone_shows_frequency(make):
    options = {
        "alignment": ["op"],
        "measure": ["frequency"],
        "neighbour-min-count": 1,
        "rank-min-count": 50,
        "rank-min-documents": 5,
    }
    rows = [scores("a", 0.1, alignment="none", measure="frequency")]
    found = make(rows, options=options)
    assert found["Words"].rows[KEY].to_pylist() == ["old to new, frequency"]


def test_targets_are_never_left_out(make, monkeypatch):
    monkeypatch.setattr(word_panels, "WORDS", 2)
    rows = [scores(word, 1 - n / 10) for n, word in enumerate("abcd")]
    rows += [scores("t", 0.01, target=True), scores("u", None, target=True, reason="absent_to")]
    panel = make(rows, targets=["t", "u"])["Words"]
    assert panel.rows["word"].to_pylist() == ["t", "u", "a", "b"]
    assert "left out: 2 in old to new, op" in panel.text


def test_the_scatter_takes_the_top_and_a_sample_of_the_rest(make, monkeypatch):
    monkeypatch.setattr(panels_words, "CLOUD", 10)
    rows = [scores(f"w{n:02}", 1 - n / 100) for n in range(50)]
    chart = make(rows)["Score against count"]
    words = chart.rows["word"].to_pylist()
    assert words[:5] == [f"w{n:02}" for n in range(5)]
    assert (len(words), len(set(words)), words[-1]) == (10, 10, "w49")
    assert "at most 10 words" in chart.text


def test_a_note_says_what_may_mislead(make):
    slices = [[slice_row("old", 1800, 10)], [slice_row("new", 1850, 1000)]]
    rows = [scores("t", None, target=True, count_from=0, count_to=0), scores("a", 0.5)]
    note = make(rows, {"slices": slices}, targets=["t"], documents_outside_slices=4)["Warnings"]
    assert isinstance(note, Note)
    assert note.warning
    fivefold, outside, target = note.items
    assert "fivefold" in fivefold
    assert outside == "4 documents lie outside all slices"
    assert target.startswith("target 't' was not found in any slice")


def test_scores_that_fall_with_frequency_and_alignments_that_differ_are_warned_of(make):
    options = {
        "alignment": ["op", "cca"],
        "measure": ["cosine"],
        "neighbour-min-count": 1,
        "rank-min-count": 50,
        "rank-min-documents": 5,
    }
    rows = [scores(f"w{n:03}", 1 - n / 200, count_from=50 + n, count_to=99) for n in range(120)]
    rows += [scores(f"w{n:03}", n / 200, alignment="cca") for n in range(120)]
    items = make(rows, options=options)["Warnings"].items
    assert any(item.startswith("old to new, op: the score falls with frequency") for item in items)
    assert any("op and cca have 0 of their first 50 words in common" in item for item in items)


def test_no_warning_is_said_too(make):
    note = make([scores("a", 0.5)])["Warnings"]
    assert not note.warning
    assert not note.items
    assert "without null pairs" in note.text


def test_that_nothing_stands_out_says_what_was_compared(make):
    note = make([scores("a", 0.5, **known())], {"change/pairs": [[pair(share_differs=0.0)]]})["Warnings"]
    assert not note.warning
    assert "genres, sources, authors and lengths" in note.text


def test_slices_that_differ_as_wholes_are_warned_of_once(make):
    options = {
        "alignment": ["op", "cca"],
        "measure": ["cosine"],
        "neighbour-min-count": 1,
        "rank-min-count": 50,
        "rank-min-documents": 5,
    }
    rows = [scores("a", 0.5, **known()), scores("a", 0.5, alignment="cca", **known())]
    facts = {"shift": 1.49, "share_differs": 0.59, "genre_distance": 1.0, "genre": "sport", "genre_to": 1.0}
    pairs = [[pair(alignment=name, **facts) for name in ("cca", "op")]]
    items = make(rows, {"change/pairs": pairs}, options=options)["Warnings"].items
    for name in ("op", "cca"):
        (shift,) = [item for item in items if item.startswith(f"old to new, {name}: the slices differ as wholes")]
        assert "usage of 59 % of the ranked words differs" in shift
        assert "1.49 standard deviations" in shift
    (genre,) = [item for item in items if "genre" in item and "wholes" not in item]
    assert genre == (
        "old to new: 100 % of the tokens are of another genre, above all 'sport': 0 % of the earlier slice, "
        "100 % of the later one"
    )


def test_the_scatter_tells_spearman_of_the_ranked_words(make):
    random = np.random.default_rng(1)
    uses, values = random.integers(1, 99, (2, 30)), random.random(30)
    rows = [scores(f"w{n}", values[n], count_from=int(uses[0, n]), count_to=int(uses[1, n])) for n in range(30)]
    chart = make([*rows, scores("x", 2.0, ranked=False)])["Score against count"]
    told = [f"{scipy.stats.spearmanr(values, counts).statistic:.2f}" for counts in uses]
    assert f"old to new, op: {told[0]} and {told[1]}" in chart.text
    by_word = {row["word"]: row for row in chart.rows.to_pylist()}
    assert by_word["w7"]["fewest uses"] == int(uses[:, 7].min())
    assert by_word["w7"]["score"] == values[7]
    assert "x" not in by_word


def test_many_pairs_are_cut(make, monkeypatch):
    monkeypatch.setattr(word_panels, "PAIRS", 2)
    monkeypatch.setattr("lexbeam.transforms.change.shown.panels.PAIRS", 2)
    names = ["old", "x", "y", "z"]
    parts = [[scores("a", 0.1, slice_to=name)] for name in names[1:]]
    found = make(
        parts,
        {"vectors": [vectors(name, "a") for name in names]},
        slices=[[name, 1, 2] for name in names],
        pairs=[[0, 1], [0, 2], [0, 3]],
    )
    assert found["Words"].rows[KEY].to_pylist() == ["old to x, op", "old to y, op"]
    assert "3 pairs of slices were compared; the first 2 are shown" in found["Warnings"].items[0]


def test_a_pair_without_a_score_has_no_panel(make):
    found = make([scores("a", None, reason="absent_to")])
    assert set(found) == {"Slices", "Warnings"}


def test_shares_are_told_in_percent(make):
    slices = make([scores("a", 0.5)])["Slices"].rows
    assert slices["largest document"].to_pylist() == [12.5, 12.5]
    assert slices["slice"].to_pylist() == ["old", "new"]


def test_every_column_says_what_it_means(make):
    parts = [vectors(name, "abc") for name in ("old", "new")]
    more = {"vectors": parts, "alignments": [aligned(*parts)[0]], "change/pairs": [[pair()]]}
    found = make([scores("a", 0.5, **known())], more)
    assert len(found) == 9
    for panel in found.values():
        for field in getattr(panel, "rows", pa.table({})).schema:
            assert field.metadata[b"doc"]


def test_a_folder_without_change_is_an_error(tmp_path):
    with pytest.raises(LexbeamError, match="no change tables"):
        panels(publish(tmp_path, {}, {}))


def test_hostile_words_reach_the_page_as_data_alone(tmp_path):
    rows = [scores(HOSTILE, 0.5, **known()), scores("b", 0.4, target=True, **known())]
    parts = [vectors(name, [HOSTILE, "b", "c"]) for name in ("old", "new")]
    more = {"vectors": parts, "alignments": [aligned(*parts)[0]], "change/pairs": [[pair()]]}
    snapshot = snapshot_of(tmp_path, rows, more, targets=["b", HOSTILE + "gone"])
    html = render("Report", {"change": panels(snapshot)}).decode()
    assert HOSTILE not in html
    data = re.search(r'<script type="application/json" id="panels">(.*?)</script>', html)
    assert "<" not in data[1]
    holding = [panel["title"] for panel in json.loads(data[1]) if HOSTILE in json.dumps(panel)]
    assert len(holding) == 5
    assert html.count("<script") == 3


def test_a_page_of_sixty_words_is_small(tmp_path):
    names = [f"word{n}" for n in range(60)]
    parts = [vectors(name, names) for name in ("old", "new")]
    more = {"vectors": parts, "alignments": [aligned(*parts)[0]], "change/pairs": [[pair()]]}
    snapshot = snapshot_of(tmp_path, [scores(name, 0.5, **known()) for name in names], more)
    with_charts = len(render("Report", {"change": panels(snapshot)}))
    library = len(render("Report", {"change": []}))
    assert 900_000 < with_charts - library < 1_050_000  # most of it the library of charts


def flagged(**other):
    return known(q_value=0.01, q_relative=0.02, significant=True, **other)


def test_flagged_words_are_listed_and_marked_in_every_plot(make, monkeypatch):
    monkeypatch.setattr(panels_words, "SCORES", 2)
    monkeypatch.setattr(panels_words, "FIRST", 2)
    monkeypatch.setattr(panels_words, "CLOUD", 10)
    monkeypatch.setattr(word_panels, "FIRST_PICTURED", 2)
    names = [f"w{n:02}" for n in range(40)]
    rows = [scores(name, 1 - n / 100, **known(excess=0.9 - n / 100)) for n, name in enumerate(names)]
    rows[30] |= flagged(excess=0.6)
    rows[31] |= flagged(excess=0.59)
    tags = [
        {"word": name, "slice_from": "old", "slice_to": "new", "upos": "DET" if name == "w31" else "NOUN"}
        | {f"{key}_op": row[key] for key in ("score", "excess", "q_value", "q_relative", "null_mean", "null_high")}
        | {key: row[key] for key in ("target", "ranked", "count_from", "count_to", "documents_from", "documents_to")}
        | {"significant_op": row.get("significant"), "relative_from": 0.1, "relative_to": 0.1}
        for name, row in zip(names, rows, strict=True)
    ]
    parts = [vectors(name, names) for name in ("old", "new")]
    more = {"change/summary": [tags], "vectors": parts, "alignments": [aligned(*parts)[0]]}
    options = {
        "alignment": ["op"],
        "measure": ["cosine"],
        "neighbour-min-count": 1,
        "rank-min-count": 50,
        "rank-min-documents": 5,
        "rank-pos": ["NOUN"],
    }
    found = make(rows, more, options=options)
    table = found["Flagged words"]
    assert table.rows["word"].to_pylist() == ["w30", "w31"]
    assert table.rows["rank"].to_pylist() == [31, 32]
    assert "of any part of speech" in table.text
    chart = {row["word"]: row["finding"] for row in found["Scores and what chance gives"].rows.to_pylist()}
    assert list(chart) == ["w00", "w01", "w30", "w31"]
    assert chart["w30"] == chart["w31"] == "more than the vocabulary at large"
    cloud = {row["word"]: row for row in found["Score against count"].rows.to_pylist()}
    assert len(cloud) <= 10
    assert cloud["w30"]["label"] == "w30"
    assert cloud["w31"]["finding"] == "more than the vocabulary at large"
    ways = found["Ways of words through the slices"]
    assert {"w30", "w31"} <= set(ways.rows["word"].to_pylist())
    assert "Flagged among them (both q at most .05): w30, w31." in ways.text
    assert "w31" in found["Neighbours in each slice"].rows["word"].to_pylist()
    words = found["Words"]
    assert [row["word"] for row in words.rows.to_pylist() if row["flagged"]] == ["w30", "w31"]
    assert "Flagged words without a rank here, by their part of speech: 1 in old to new, op." in words.text


def test_without_flagged_words_there_is_no_table_of_them(make):
    found = make([scores("a", 0.5, **known())], {"change/pairs": [[pair()]]})
    assert "Flagged words" not in found
