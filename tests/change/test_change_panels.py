import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from published import change_section, publish, scores

from transforms.change import panels as module
from transforms.change.panels import panels
from transforms.common.errors import LexbeamError
from transforms.report.panels import Choice, Note


def slice_row(name, start, tokens=100):
    counts = ("documents", "sentences", "tokens_before", "sentences_short",
              "sentences_sampled_out", "sentences_split", "types", "vocabulary")  # fmt: skip
    return {"slice": name, "from": start, "to": start + 49, "tokens": tokens, "min_count": 5,
            "largest_document_share": 0.125, **dict.fromkeys(counts, 9)}  # fmt: skip


SLICES = [[slice_row("old", 1800)], [slice_row("new", 1850)]]


def near(word, slice, seed=1, ranks=2):
    return [
        {"word": word, "slice": slice, "seed": seed, "rank": rank, "cosine": 1 / (1 + rank),
         "neighbour": f"{word} {slice} {seed} {rank}"}
        for rank in range(1, ranks + 1)
    ]  # fmt: skip


@pytest.fixture
def make(tmp_path):
    def made(rows, neighbours=(), slices=SLICES, **section):
        parts = rows if rows and isinstance(rows[0], list) else [rows]
        tables = {"scores": parts, "slices": slices, "neighbours": [list(neighbours)]}
        found = panels(publish(tmp_path, {"change": change_section(**section)}, tables))
        return {panel.title: panel for panel in found}

    return made


WORDS = "Words, old to new"


def test_ranked_words_come_first_by_score_then_others_by_their_lesser_uses(make):
    rows = [
        scores("a", 0.1), scores("b", 0.5), scores("c", 0.5),
        scores("rare", 1.9, ranked=False, count_from=3, count_to=900),
        scores("name", 1.2, ranked=False, count_from=300, count_to=400),
        scores("b", 0.9, seed=1), scores("gone", None, reason="absent_to"),
    ]  # fmt: skip
    shown = make(rows)[WORDS].rows
    assert shown["word"].to_pylist() == ["b", "c", "a", "name", "rare"]
    assert shown["op cosine"].to_pylist() == [0.5, 0.5, 0.1, 1.2, 1.9]
    assert shown["uses earlier"].to_pylist() == [100, 100, 100, 300, 3]


def test_every_alignment_and_measure_has_a_column_the_first_asked_for_in_front(make):
    options = {"alignment": ["op", "cca"], "measure": ["frequency", "cosine"], "neighbours": 3,
               "rank-min-count": 50, "rank-min-documents": 5}  # fmt: skip
    rows = [
        scores("a", 0.1, alignment="none", measure="frequency"), scores("a", 0.2, alignment="cca"),
        scores("a", 0.3), scores("b", 0.4), scores("b", 0.9, alignment="cca"),
    ]  # fmt: skip
    shown = make(rows, options=options)[WORDS].rows
    assert shown.column_names[:4] == ["word", "op cosine", "cca cosine", "frequency"]
    assert [list(row.values())[:4] for row in shown.to_pylist()] == [
        ["b", 0.4, 0.9, None], ["a", 0.3, 0.2, 0.1],
    ]  # fmt: skip


def test_targets_are_never_left_out(make, monkeypatch):
    monkeypatch.setattr(module, "WORDS", 2)
    rows = [scores(word, 1 - n / 10) for n, word in enumerate("abcd")]
    rows += [scores("t", 0.01, target=True), scores("u", None, target=True, reason="absent_to")]
    panel = make(rows, targets=["t", "u"])[WORDS]
    assert panel.rows["word"].to_pylist() == ["a", "b", "t", "u"]
    assert panel.rows["no score"].to_pylist() == [None, None, None, "absent_to"]
    assert "2 of 6 scored words are left out" in panel.text


def test_a_note_says_what_may_mislead(make):
    slices = [[slice_row("old", 1800, 10)], [slice_row("new", 1850, 1000)]]
    rows = [scores("t", None, target=True, count_from=0, count_to=0), scores("a", 0.5)]
    note = make(rows, slices=slices, targets=["t"], documents_outside_slices=4)["Warnings"]
    assert isinstance(note, Note)
    assert note.warning
    fivefold, outside, target = note.items
    assert "fivefold" in fivefold
    assert outside == "4 documents lie outside all slices"
    assert target == "target t was found in no slice"


def test_no_warning_is_said_too(make):
    note = make([scores("a", 0.5)])["Warnings"]
    assert not note.warning
    assert not note.items


def test_the_scatter_tells_spearman_of_the_ranked_words(make):
    random = np.random.default_rng(1)
    uses, values = random.integers(1, 99, (2, 30)), random.random(30)
    rows = [
        scores(f"w{n}", values[n], count_from=int(uses[0, n]), count_to=int(uses[1, n]))
        for n in range(30)
    ]
    chart = make([*rows, scores("x", 2.0, ranked=False)])["Score against count, old to new"]
    for counts in uses:
        assert f"{scipy.stats.spearmanr(values, counts).statistic:.2f}" in chart.text
    by_word = {row["word"]: row for row in chart.rows.to_pylist()}
    assert by_word["w7"]["uses"] == int(uses[:, 7].sum())
    assert by_word["x"]["kind"] == "not ranked"
    assert by_word["w7"]["kind"] == "ranked"


def test_neighbours_are_of_one_seed_in_the_order_of_the_words(make):
    rows = [scores("a", 0.1), scores("b", 0.5)]
    found = [*near("a", "old"), *near("b", "old"), *near("b", "old", seed=2), *near("b", "new")]
    panel = make(rows, found, seeds=[1, 2])["Neighbours in each slice"]
    assert isinstance(panel, Choice)
    assert (panel.key, panel.across) == ("word", "slice")
    assert panel.rows["neighbour"].to_pylist() == [
        "b old 1 1", "b old 1 2", "b new 1 1", "b new 1 2", "a old 1 1", "a old 1 2",
    ]  # fmt: skip


def test_neighbours_that_do_not_fit_are_left_out_and_counted(make, monkeypatch):
    monkeypatch.setattr(module, "NEIGHBOUR_ROWS", 6)
    rows = [scores("a", 0.1), scores("b", 0.5)]
    panel = make(rows, near("a", "old") + near("b", "old"))["Neighbours in each slice"]
    assert set(panel.rows["word"].to_pylist()) == {"b"}
    assert "has 1 more" in panel.text


def test_a_part_is_a_pair_and_many_pairs_are_cut(make, monkeypatch):
    monkeypatch.setattr(module, "PAIRS", 2)
    parts = [[scores("a", 0.1, slice_to=name)] for name in ("x", "y", "z")]
    found = make(parts)
    assert [title for title in found if title.startswith("Words")] == [
        "Words, old to x", "Words, old to y",
    ]  # fmt: skip
    assert "3 pairs of slices are published; the first 2 are shown" in found["Warnings"].items[0]


def test_a_pair_without_a_score_has_no_panel(make):
    found = make([scores("a", None, reason="absent_to")])
    assert set(found) == {"Slices", "Warnings"}


def test_shares_are_told_in_percent(make):
    slices = make([scores("a", 0.5)])["Slices"].rows
    assert slices["largest document"].to_pylist() == [12.5, 12.5]
    assert slices["slice"].to_pylist() == ["old", "new"]


def test_every_column_says_what_it_means(make):
    for panel in make([scores("a", 0.5)], near("a", "old")).values():
        for field in getattr(panel, "rows", pa.table({})).schema:
            assert field.metadata[b"doc"]


def test_a_folder_without_change_is_an_error(tmp_path):
    with pytest.raises(LexbeamError, match="no change tables"):
        panels(publish(tmp_path, {}, {}))
