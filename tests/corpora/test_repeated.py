from corpora_making import documents, write_corpus
from hypothesis import given
from hypothesis import strategies as st

from transforms.corpora.repeated import copies, document_ids


@given(documents(), st.integers(1, 4))
def test_documents_of_a_part_are_named_once(tmp_path_factory, texts, group):
    (pair,) = write_corpus(tmp_path_factory.mktemp("c"), texts, parts=1, group=group).pairs
    with_sentences = {text.row.document_id for text in texts if text.sentences}
    assert document_ids(pair.sentences) == sorted(with_sentences)
    assert document_ids(pair.documents) == sorted(text.row.document_id for text in texts)


@given(st.sets(st.text("0123456789abcdef", min_size=4, max_size=4), min_size=1), st.randoms())
def test_a_document_counts_in_one_part_whatever_the_order(parts, random):
    shuffled = sorted(parts)
    random.shuffle(shuffled)
    first, rest = copies(shuffled)
    assert (first, rest) == copies(sorted(parts))
    assert {first, *rest} == parts
    assert first not in rest
    assert len(rest) == len(parts) - 1
