import pyarrow as pa
import pytest
from published import CORPUS, documents, publish, sentences

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.corpora.corpus_panels import panels
from lexbeam.transforms.report.panels import Chart, Note, Rows

DOCUMENTS = [
    documents(
        {"document_id": "a", "year": 1801, "genre": "law", "source": "x.zip!1", "title": "A"},
        {"document_id": "c", "year": 1855, "genre": "letter", "source": "x.zip!2"},
    ),
    documents(
        {"document_id": "b", "year": 1809, "genre": "law", "source": "y.txt"},
        {"document_id": "d", "genre": None, "source": "z.txt"},
    ),
]
SENTENCES = [
    sentences(("a", ["The", "sea", "."], ["the", "sea", "."]), ("c", ["Seas"], ["sea"]), ("c", ["Sea", "sea"], None)),
    sentences(("b", None, ["ship", "sail"])),
]
REJECTS = [
    [{"source": "q.xml", "position": "3", "stage": "ingest", "reason": "malformed", "detail": "no"}],
    [{"source": "p.xml", "position": "", "stage": "ingest", "reason": "malformed", "detail": "end"}],
]


@pytest.fixture
def make(tmp_path):
    def made(documents=DOCUMENTS, sentences=SENTENCES, rejects=REJECTS, **other):
        tables = {"documents": documents, "sentences": sentences, "rejects": rejects}
        found = panels(publish(tmp_path, {"corpus": CORPUS | other}, tables))
        return {panel.title: panel for panel in found}

    return made


def test_sizes_over_time_are_those_of_the_documents(make):
    chart = make()["Tokens over time"]
    assert isinstance(chart, Chart)
    assert chart.rows.to_pylist() == [
        {"from": 1800, "before": 1802, "genre": "law", "documents": 1, "tokens": 3},
        {"from": 1808, "before": 1810, "genre": "law", "documents": 1, "tokens": 2},
        {"from": 1854, "before": 1856, "genre": "letter", "documents": 1, "tokens": 3},
    ]
    assert "per 2 years, by genre" in chart.text
    assert "Not shown: 1 without a year (0 tokens)." in chart.text


def test_genres_are_in_the_order_of_their_tokens(make):
    assert make()["Genres"].rows.to_pylist() == [
        {"genre": "law", "documents": 2, "tokens": 5, "share": 62.5},
        {"genre": "letter", "documents": 1, "tokens": 3, "share": 37.5},
        {"genre": None, "documents": 1, "tokens": 0, "share": 0.0},
    ]


def test_members_count_for_their_archive(make):
    assert make()["Sources"].rows.to_pylist() == [
        {"source": "x.zip", "documents": 2, "tokens": 6},
        {"source": "y.txt", "documents": 1, "tokens": 2},
        {"source": "z.txt", "documents": 1, "tokens": 0},
    ]


def test_rejects_are_told_by_reason_with_the_first_of_them(make):
    (row,) = make(records=8)["Rejects"].rows.to_pylist()
    assert (row["reason"], row["records"], row["share"]) == ("malformed", 2, 25.0)
    assert (row["example"], row["detail"]) == ("p.xml", "end")
    assert "format" in row["meaning"]


def test_the_vocabulary_grows_over_both_forms_and_lemmas(make):
    rows = make()["Vocabulary growth"].rows.to_pylist()
    assert rows[-2:] == [{"tokens": 8, "unit": "forms", "words": 4}, {"tokens": 8, "unit": "lemmas", "words": 4}]


def test_the_largest_documents_show_the_columns_that_say_something(make):
    panel = make()["Largest documents"]
    assert panel.rows["document"].to_pylist() == ["a", "c", "b", "d"]
    assert "title" in panel.rows.column_names
    assert "author" not in panel.rows.column_names


def test_parts_of_other_numbers_are_read_all_the_same(make):
    chart = make(sentences=[SENTENCES[0] + SENTENCES[1]])["Tokens over time"]
    assert sum(chart.rows["tokens"].to_pylist()) == 8


def test_a_corpus_without_years_genres_or_rejects_says_so(make):
    bare = documents(*({"document_id": name, "source": name} for name in "abc"))
    found = make([bare], [sentences(("a", ["x"], None))], [[]], documents_by_year={})
    assert found["Over time"] == Note("Over time", "No document has a year, so nothing is shown over time.")
    assert found["Rejects"] == Note("Rejects", "No input record was left out.")
    assert not {"Genres", "Sources"} & set(found)


def test_many_genres_are_shown_by_the_largest_and_the_others_together(make):
    rows = documents(*({"document_id": f"{n:02}", "year": 1800, "genre": f"g{n:02}"} for n in range(20)))
    texts = sentences(*((f"{n:02}", ["x"] * (100 - n), None) for n in range(20)))
    found = make([rows], [texts])
    shown = found["Documents over time"].rows
    assert shown["genre"].to_pylist() == [f"g{n:02}" for n in range(7)] + ["13 others"]
    assert sum(shown["documents"].to_pylist()) == 20
    assert isinstance(found["Genres"], Rows)
    assert found["Genres"].rows.num_rows == 20


def test_every_column_says_what_it_means(make):
    for panel in make().values():
        for field in getattr(panel, "rows", pa.table({})).schema:
            assert field.metadata[b"doc"]


def test_a_folder_without_a_corpus_is_an_error(tmp_path):
    with pytest.raises(LexbeamError, match="no corpus tables"):
        panels(publish(tmp_path, {}, {}))
