"""Layouts of benchmarks."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.simplification.instances.benchmark_layouts import (
    RawSubstitute,
    graded,
    read_annotated,
    read_benchls,
    read_easier,
)


def test_annotators_are_counted():
    row = read_annotated(["Es muy típico, dice.", "típico", "común", "normal", "común", "", "Típico"])
    assert row.places == ((7, 13),)
    assert row.flags == ("empty_cell", "target_in_gold")
    assert [tuple(substitute) for substitute in graded(row.substitutes, row.target)] == [
        ("Típico", 1, None, True),
        ("común", 2, 1, False),
        ("normal", 1, 2, False),
    ]


def test_quotes_are_characters_and_words_whole():
    row = read_annotated(['Un "sol" solo.', "sol", "astro"])
    assert (row.places, row.flags) == (((4, 7),), ())
    assert read_annotated(["Sol y sol.", "sol", "x"]).places == ((6, 9),)
    row = read_annotated(["SOL.", "sol", "x"])
    assert (row.places, row.flags) == (((0, 3),), ("other_case",))
    assert read_annotated(["sol y sol", "sol"]).flags == ("several",)
    row = read_annotated(["luna y soles", "sol"])
    assert (row.places, row.flags) == (((7, 10),), ("within_word",))
    assert read_annotated(["luna", "sol"]).places == ()


def test_benchls_ranks_have_gaps_and_ties():
    row = read_benchls(["no pieces or pieces .", "pieces", "3", "1:parts", "4:bits", "4:items", "7:Parts"])
    assert (row.places, row.flags) == (((13, 19),), ())
    assert [tuple(substitute) for substitute in graded(row.substitutes, row.target)] == [
        ("Parts", None, 1, False),
        ("bits", None, 2, False),
        ("items", None, 2, False),
    ]


def test_benchls_with_another_place():
    row = read_benchls(["a big house", "house", "1", "1:home"])
    assert (row.places, row.flags) == (((6, 11),), ("wrong_place",))


def test_benchls_of_a_phrase_and_of_a_capital():
    row = read_benchls(["A heart attack , a Heart attack", "heart attack", "5", "1:seizure", ""])
    assert (row.places, row.flags) == (((19, 31),), ("other_case", "empty_cell"))


def test_ranks_and_counts_together_are_counts():
    substitutes = graded([RawSubstitute("x", 3), RawSubstitute("y", 1, 1), RawSubstitute("Y", 1, 2)], "d")
    assert [tuple(substitute) for substitute in substitutes] == [("Y", 2, 2, False), ("x", 3, 1, False)]


@pytest.mark.parametrize("cells", [[], ["a b"], ["", "b"], ["a", " "]])
def test_rows_without_a_target(cells):
    with pytest.raises(BadRecord):
        read_annotated(cells)


@pytest.mark.parametrize("cells", [["a", "a", "x", "1:b"], ["a", "a", "9" * 5000], ["a", "a", "0", "b"], ["a", "a"]])
def test_benchls_that_is_none(cells):
    with pytest.raises(BadRecord):
        read_benchls(cells)


@given(st.lists(st.sampled_from(["a", "A", "b", "c", "d"]), max_size=25))
def test_ranks_are_dense(texts):
    substitutes = graded([RawSubstitute(text, n) for text, n in Counter(texts).items()], "d")
    counts = Counter(text.lower() for text in texts)
    assert sum(substitute.annotators for substitute in substitutes) == len(texts)
    for substitute in substitutes:
        above = {n for text, n in counts.items() if text != "d" and n > substitute.annotators}
        assert substitute.gold_rank == (None if substitute.is_target else len(above) + 1)


@pytest.mark.data
def test_alexsis_as_it_is(data):
    lines = (data / "alexsis" / "ALEXSIS_first190.tsv").read_text().splitlines()
    rows = [read_annotated(line.split("\t")) for line in lines]
    assert len(rows) == 190
    assert sum("target_in_gold" in row.flags for row in rows) == 116
    assert sum("empty_cell" in row.flags for row in rows) == 1
    assert all(row.places for row in rows)


@pytest.mark.data
def test_benchls_as_it_is(data):
    lines = (data / "lexsub" / "BenchLS.txt").read_text().splitlines()
    rows = [read_benchls(line.split("\t")) for line in lines]
    assert sum("wrong_place" in row.flags for row in rows) == 1
    matches = [row.sentence[slice(*row.places[0])] == row.target for row in rows]
    assert matches.count(False) == 2  # they differ in a capital


@pytest.mark.data
@pytest.mark.parametrize(("language", "rows"), [("en", 373), ("pt", 374)])
def test_tsar_as_it_is(data, language, rows):
    file = data / "lexsub" / "tsar2022" / "test" / f"tsar2022_{language}_test_gold.tsv"
    read = [read_annotated(line.split("\t")) for line in file.read_text().splitlines()]
    assert len(read) == rows
    assert not any("empty_cell" in row.flags for row in read)
    if language == "en":
        assert sum("target_in_gold" in row.flags for row in read) == 238


def test_easier_with_semicolons_and_with_tabs():
    line = '3;14;cesar;"Cesó; y dijo ""no"", sin cesar.";parar, acabar,,'
    row = read_easier([line])
    assert row.sentence == 'Cesó; y dijo "no", sin cesar.'
    assert (row.target, row.source_id, row.flags) == ("cesar", "3 14", ())
    assert row.substitutes == (RawSubstitute("acabar", 1), RawSubstitute("parar", 1))
    assert read_easier(["3", "14", "cesar", row.sentence, "parar, acabar"])[:4] == row[:4]
    assert read_easier(["3;14;cesar;sin cesar;"]).flags == ("empty_cell",)
    for broken in ("3;14;cesar", "3;14;;sin cesar;parar"):
        with pytest.raises(BadRecord):
            read_easier([broken])
