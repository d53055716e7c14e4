"""Documents with their sentences and text, against the rows that were written."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora_making import document, documents, id_of, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import SentenceRow
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.corpora import document_reading
from lexbeam.transforms.corpora.annotated_corpora import Corpus, PartPair
from lexbeam.transforms.corpora.document_reading import by_document, read_annotated, read_documents, read_wanted


def annotated(corpus, columns=SentenceRow._fields, **options):
    return [found for pair in corpus.pairs for found in read_annotated(pair, columns=columns, **options)]


@settings(max_examples=40)
@given(documents(), st.integers(1, 3), st.integers(1, 6))
def test_every_document_comes_once_with_its_text_and_its_sentences(tmp_path_factory, texts, parts, group):
    corpus = write_corpus(tmp_path_factory.mktemp("c"), texts, parts=parts, group=group)
    found = annotated(corpus, document_columns=["text", "title"])
    by_id = {text.row.document_id: text for text in texts}
    assert sorted(row.document.document_id for row in found) == sorted(by_id)
    for row in found:
        made = by_id[row.document.document_id]
        assert (row.document.text, row.document.title) == (made.row.text, made.row.title)
        assert row.document.source is None  # it was not asked for
        assert [SentenceRow(**values) for values in row.sentences.to_pylist()] == made.sentences
        for sentence in made.sentences if row.document.text else []:
            spans = zip(sentence.starts, sentence.ends, strict=True)
            assert [row.document.text[start:end] for start, end in spans] == sentence.forms


def test_a_part_s_documents_come_in_order_with_the_columns_asked_for(tmp_path):
    texts = [document(number, [1] * (number % 3)) for number in range(9)]
    corpus = write_corpus(tmp_path, texts, parts=1)
    found = annotated(corpus, columns=["sentence", "forms"])
    names = [row.document.document_id for row in found]
    assert names == sorted(id_of(number) for number in range(9))
    assert {tuple(row.sentences.column_names) for row in found} == {("sentence", "forms")}
    assert {row.sentences.num_rows for row in found} == {0, 1, 2}


def test_sentences_of_no_document_are_an_error(tmp_path):
    more = write_corpus(tmp_path / "a", [document(n, [1]) for n in range(4)], parts=1).pairs[0]
    for number in range(4):
        rest = [document(n, [1]) for n in range(4) if n != number]
        less = write_corpus(tmp_path / f"{number}", rest, parts=1).pairs[0]
        mixed = PartPair(less.documents, more.sentences)
        with pytest.raises(LexbeamError, match=rf"sentences0.*{id_of(number)}.*corpus again"):
            list(read_annotated(mixed, columns=["forms"]))


@pytest.mark.parametrize("table", ["documents", "sentences"])
def test_a_damaged_part_is_not_read(tmp_path, table):
    corpus = write_corpus(tmp_path, [document(0, [1])], parts=1)
    path = Path(corpus.parts[table][0].path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(LexbeamError, match="was damaged on disk"):
        annotated(corpus)
    path.unlink()
    with pytest.raises(LexbeamError, match="is not there"):
        annotated(corpus)


class _Noted(pq.ParquetFile):
    """Notes which row groups are read, and which columns."""

    read: list = []  # noqa: RUF012  # emptied by the fixture

    def read_row_group(self, group, columns=None, **options):
        self.read.append((group, tuple(columns)))
        return super().read_row_group(group, columns=columns, **options)


@pytest.fixture
def noted(monkeypatch):
    monkeypatch.setattr(_Noted, "read", [])
    monkeypatch.setattr(document_reading.pq, "ParquetFile", _Noted)
    return _Noted.read


KEYS = ("document_id", "sentence")
COLUMNS = ["sentence", "forms"]


def rows_of(part, wanted):
    return [row for table in read_wanted(part, COLUMNS, wanted) for row in table.to_pylist()]


def test_only_row_groups_are_read_that_may_hold_what_is_wanted(tmp_path, noted):
    texts = sorted(document(number, [1, 2, 3]) for number in range(6))
    (pair,) = write_corpus(tmp_path, texts, parts=1, group=3).pairs
    wanted = texts[4]
    found = rows_of(pair.sentences, {wanted.row.document_id: [1]})
    assert found == [{"sentence": 1, "forms": wanted.sentences[1].forms}]
    assert noted == [(4, KEYS), (4, tuple(COLUMNS))]


def test_of_a_long_document_only_row_groups_near_the_sentence_are_read(tmp_path, noted):
    (pair,) = write_corpus(tmp_path, [document(7, [2] * 30)], parts=1, group=5).pairs
    assert [row["sentence"] for row in rows_of(pair.sentences, {id_of(7): [3, 14, 15]})] == [3, 14, 15]
    assert [group for group, columns in noted if columns == KEYS] == [0, 2, 3]


def test_where_no_row_is_wanted_only_keys_are_read(tmp_path, noted):
    texts = sorted(document(number, [1, 2]) for number in range(6))
    (pair,) = write_corpus(tmp_path, texts, parts=1, group=12).pairs
    between = texts[2].row.document_id + "0"
    assert rows_of(pair.sentences, {between: [0], texts[3].row.document_id: [2]}) == []
    assert noted == [(0, KEYS)]
    noted.clear()
    assert rows_of(pair.sentences, {"": [0], "z": [0]}) == []
    assert rows_of(pair.sentences, {}) == []
    assert noted == []


def without_statistics(part, path):
    pq.write_table(pq.read_table(part.path), path, row_group_size=2, write_statistics=False)
    return part._replace(path=str(path), **described(path))


def described(path):
    import hashlib

    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


WANTED = st.dictionaries(
    st.one_of(st.integers(0, 7).map(id_of), st.sampled_from(["", "zz", "0" * 32])),
    st.one_of(st.none(), st.sets(st.integers(-3, 9)), st.just({1 << 32, 1 << 70, -(1 << 70)})),
)


@settings(max_examples=40)
@given(documents(), st.integers(1, 6), WANTED, st.booleans())
def test_the_rows_wanted_are_those_of_a_plain_filter(tmp_path_factory, texts, group, wanted, with_statistics):
    folder = tmp_path_factory.mktemp("c")
    (pair,) = write_corpus(folder, texts, parts=1, group=group).pairs
    part = pair.sentences
    if not with_statistics:
        part = without_statistics(part, folder / "plain.parquet")
    found = [
        SentenceRow(**row) for table in read_wanted(part, SentenceRow._fields, wanted) for row in table.to_pylist()
    ]
    assert found == [
        row
        for text in sorted(texts)
        for row in text.sentences
        if row.document_id in wanted and (wanted[row.document_id] is None or row.sentence in wanted[row.document_id])
    ]


@given(st.lists(st.lists(st.sampled_from("aabc"), max_size=6), max_size=5))
def test_adjacent_rows_of_a_document_come_together_over_the_borders_of_tables(tables):
    rows = [name for table in tables for name in table]
    numbered = iter(range(len(rows)))
    made = [
        pa.table(
            {"document_id": pa.array(table, pa.string()), "row": pa.array([next(numbered) for _ in table], pa.int32())}
        )
        for table in tables
    ]
    expected = []
    for number, name in enumerate(rows):
        if number and rows[number - 1] == name:
            expected[-1][1].append(number)
        else:
            expected.append((name, [number]))
    assert [(name, table["row"].to_pylist()) for name, table in by_document(made)] == expected


def test_rows_of_documents_have_what_is_asked_for(tmp_path):
    made = document(3, [1])
    (pair,) = write_corpus(tmp_path, [made, document(4, [])], parts=1).pairs
    (row,) = read_documents(pair.documents, ["source", "year"], {id_of(3): None})
    nothing = dict.fromkeys(row._fields)
    asked = {name: getattr(made.row, name) for name in ("document_id", "source", "year")}
    assert row._asdict() == {**nothing, **asked}
    assert len(list(read_documents(pair.documents, []))) == 2


def test_memory_is_that_of_row_groups_however_long_the_part(tmp_path):
    size, number = 100_000, 120
    texts = []
    for place in range(number):
        made = document(place, [2, 2])
        texts.append(made._replace(row=made.row._replace(text="x" * size)))
    (pair,) = write_corpus(tmp_path, texts, parts=1, group=4).pairs
    before, most, seen = pa.total_allocated_bytes(), 0, 0
    for found in read_annotated(pair, columns=["forms"]):
        most = max(most, pa.total_allocated_bytes() - before)
        seen += len(found.document.text)
    assert seen == size * number
    assert most < seen / 5


def test_a_part_of_a_corpus_without_documents_is_empty(tmp_path):
    corpus = write_corpus(tmp_path, [], parts=2)
    assert annotated(corpus) == []
    assert isinstance(corpus, Corpus)
    assert all(isinstance(part, Part) for part in corpus.parts["sentences"])
