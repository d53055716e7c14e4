import pytest
from corpora_making import document, id_of, write_corpus
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.sections import table_entry
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.corpora.annotated_corpora import (
    Corpus,
    check_columns,
    place_of,
    sentence_parts,
    tokens_by_year,
    years,
)


def texts(*numbers):
    return [document(number, [2, 3]) for number in numbers]


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "c", texts(*range(5)))


def test_a_published_corpus_has_the_parts_of_its_manifest(corpus):
    entries = {name: table_entry(parts, "1") for name, parts in corpus.parts.items()}
    manifest = {"tables": entries, "corpus": dict(corpus.section)}
    found = Corpus.published(Snapshot("out", "n", "out/_snapshots/n", manifest))
    assert found.section == corpus.section
    for table, parts in corpus.parts.items():
        assert [part.sha256 for part in found.parts[table]] == [part.sha256 for part in parts]
        assert all(part.path.startswith(f"out/_snapshots/n/{table}/") for part in found.parts[table])
    with pytest.raises(LexbeamError, match="run `lexbeam corpus` first"):
        Corpus.published(Snapshot("out", "n", "f", {"tables": entries}))


def test_every_document_is_in_the_pair_of_parts_that_its_place_names(tmp_path):
    made = texts(*range(12))
    pairs = write_corpus(tmp_path, made, parts=3).pairs
    assert [(pair.documents.table, pair.sentences.table) for pair in pairs] == [("documents", "sentences")] * 3
    dealt = [0, 0, 0]
    for text in made:
        dealt[place_of(text.row.document_id, 3)] += 1
    assert [pair.documents.rows for pair in pairs] == dealt
    assert [pair.sentences.rows for pair in pairs] == [2 * number for number in dealt]


@given(st.text(), st.integers(1, 50))
def test_any_text_has_a_place(text, parts):
    assert 0 <= place_of(text, parts) < parts


def test_parts_with_the_same_content_are_there_once_in_an_order_of_their_own(tmp_path):
    one = write_corpus(tmp_path / "a", texts(0, 1, 2, 3))
    two = write_corpus(tmp_path / "b", texts(4, 5))
    same = write_corpus(tmp_path / "c", texts(0, 1, 2, 3))
    found = sentence_parts([one, two])
    assert found == sorted(found) == sentence_parts([two, one])
    every = {part.sha256: part.rows for corpus in (one, two) for part in corpus.parts["sentences"]}
    assert {part.sha256: part.rows for part in found} == every
    again = sentence_parts([one, two, same])
    assert sorted(part.sha256 for part in again) == sorted(every)


def test_years_and_tokens_are_summed_over_corpora(tmp_path):
    one = write_corpus(tmp_path / "a", texts(0, 1))
    two = write_corpus(tmp_path / "b", [document(1, [4]), document(-1803, [1])])
    assert years([one, two]) == {1800: 1, 1801: 2, -3: 1}
    assert tokens_by_year([one, two]) == {1800: 5, 1801: 9, -3: 1}


def test_corpora_without_years_say_what_to_do(corpus):
    bare = Corpus(corpus.parts, {"documents_by_year": {}, "tokens_by_year": {}})
    with pytest.raises(LexbeamError, match=r"no document has a year: .* `dates`"):
        years([bare])
    assert tokens_by_year([bare]) == {}
    assert years([bare, corpus]) == years([corpus])


def test_each_corpus_must_have_the_columns(tmp_path):
    one = write_corpus(tmp_path / "a", texts(0), columns=["forms", "lemmas", "upos"])
    two = write_corpus(tmp_path / "b", texts(1), columns=["forms"])
    check_columns([one, two], {"forms"}, remedy="no")
    check_columns([one], ["upos", "lemmas"], remedy="no")
    with pytest.raises(UsageError) as caught:
        check_columns([one, two], ["upos", "lemmas", "forms"], remedy="choose another engine")
    assert str(caught.value) == ("the corpus annotated by 'toy:en' has no lemmas and no upos: choose another engine")


def test_the_makers_of_these_tests_deal_documents_out(corpus):
    assert len({place_of(id_of(number), 2) for number in range(5)}) == 2
    assert all(part.rows for table in corpus.parts.values() for part in table)
