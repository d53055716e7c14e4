import doctest
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.corpora import corpus_panels as module
from lexbeam.transforms.corpora.corpus_panels import (
    DOCUMENT_COLUMNS,
    LARGEST,
    Distinct,
    Growth,
    Point,
    Sums,
    Totals,
    bin_width,
    tokens_by_document,
)

ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-3, 3)),
        st.sampled_from([None, "a", "b"]),
        st.sampled_from(["x.txt", "y.zip!1", "y.zip!2"]),
        st.integers(0, 9),
    ),
    max_size=60,
)
SCHEMA = pa.schema([(name, pa.int32() if name == "year" else pa.string()) for name in DOCUMENT_COLUMNS])


def table_of(rows, start):
    return pa.Table.from_pylist(
        [
            {"document_id": f"{start + n:03}", "source": source, "year": year, "genre": genre}
            for n, (year, genre, source, _) in enumerate(rows)
        ],
        schema=SCHEMA,
    )


@given(ROWS, st.integers(1, 20))
def test_totals_agree_with_brute_force_however_the_rows_come(rows, step):
    totals = Totals()
    tokens = {f"{n:03}": row[3] for n, row in enumerate(rows)}
    for start in range(0, len(rows), step):
        totals.add(table_of(rows[start : start + step], start), tokens)
    for genre in (None, "a", "b"):
        own = [row[3] for row in rows if row[1] == genre]
        assert totals.of_genre(genre) == Sums(len(own), sum(own))
    undated = [row[3] for row in rows if row[0] is None]
    assert totals.undated() == Sums(len(undated), sum(undated))
    years = [row[0] for row in rows if row[0] is not None]
    assert totals.years() == ((min(years), max(years)) if years else None)
    archive = [row[3] for row in rows if row[2].startswith("y.zip")]
    assert totals.source_documents["y.zip"] == len(archive)
    assert totals.source_tokens["y.zip"] == sum(archive)
    largest = sorted(tokens, key=lambda name: (-tokens[name], name))[:LARGEST]
    assert [document.document_id for document in totals.largest] == largest
    sizes = [totals.of_genre(genre).tokens for genre in totals.genres()]
    assert sizes == sorted(sizes, reverse=True)


WORDS = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "."]), max_size=4))


@given(st.lists(st.tuples(st.sampled_from("xyz"), WORDS, WORDS), max_size=20))
def test_tokens_are_those_of_forms_else_of_lemmas(rows):
    columns = list(zip(*rows, strict=True)) or [[], [], []]
    lists = pa.list_(pa.string())
    table = pa.table(
        {
            "document_id": pa.array(columns[0], pa.string()),
            "forms": pa.array(columns[1], lists),
            "lemmas": pa.array(columns[2], lists),
        }
    )
    found: Counter[str] = Counter()
    tokens_by_document(table, found)
    expected = Counter()
    for document, forms, lemmas in rows:
        expected[document] += len(forms if forms is not None else lemmas or [])
    assert found == expected


@given(st.integers(-5_000, 3_000), st.integers(0, 8_000), st.integers(1, 60))
def test_bins_are_few_and_the_narrowest_of_their_kind(first, length, most):
    width = bin_width(first, first + length, most)
    bins = {year // width for year in range(first, first + length + 1)}
    assert len(bins) <= most + 1
    narrower = [w for w in (1, 2, 5, 10, 20, 25, 50, 100) if w < width]
    for other in narrower:
        assert len({year // other for year in range(first, first + length + 1)}) > most


def test_doctests():
    assert doctest.testmod(module).failed == 0


LISTS = st.one_of(st.none(), st.lists(st.sampled_from(["Sea", "sea", "ship", ".", "7", "é"])))


@given(st.lists(st.lists(st.text(max_size=2))))
def test_few_words_are_counted_exactly(batches):
    distinct = Distinct(smallest=10_000)
    for batch in batches:
        distinct.add(batch)
    assert distinct.number() == len({word for batch in batches for word in batch})


@pytest.mark.parametrize("number", [1_000, 20_000, 100_000])
def test_many_words_are_estimated_within_four_standard_errors(number):
    distinct = Distinct(smallest=1_000)
    words = [f"word {n}" for n in range(number)]
    distinct.add(words)
    once = distinct.number()
    assert abs(once / number - 1) < 4 / 1_000**0.5
    distinct.add(words[::-1])
    assert distinct.number() == once


@given(st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=30), st.integers(1, 7), st.integers(1, 9))
def test_points_agree_with_brute_force_however_the_rows_come(rows, step, size):
    growth = Growth(step)
    for start in range(0, len(rows), size):
        growth.add(lists_of(rows[start : start + size]))
    growth.end()
    expected = []
    for end in [*range(step, len(rows), step), len(rows)]:
        head = rows[:end]
        tokens = sum(len(forms if forms is not None else lemmas or []) for forms, lemmas in head)
        for unit, place in (("forms", 0), ("lemmas", 1)):
            words = {word for row in head for word in row[place] or [] if word.isalpha()}
            expected += [Point(tokens, unit, len(words))] if words else []
    assert growth.points == expected


def lists_of(rows):
    lists = pa.list_(pa.string())
    forms, lemmas = zip(*rows, strict=True)
    return pa.table({"forms": pa.array(forms, lists), "lemmas": pa.array(lemmas, lists)})
