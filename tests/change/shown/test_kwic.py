"""Words in context, cut from texts and from forms."""

from corpora_making import document
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.shown.kwic import CONTEXT, Concordance, cut
from lexbeam.transforms.corpora.document_reading import FetchedSentence


def passage(text, sentence, with_text=True):
    """A sentence of a document with those beside it, as `fetch` gives it."""
    rows = text.sentences
    near = rows[max(0, sentence - 1) : sentence + 2]
    starts = [start for row in near for start in row.starts or ()]
    ends = [end for row in near for end in row.ends or ()]
    cut_text = text.row.text[min(starts) : max(ends)] if with_text else None
    before, after = rows[max(0, sentence - 1) : sentence], rows[sentence + 1 : sentence + 2]
    start = min(starts) if with_text else None
    return FetchedSentence(rows[sentence], tuple(before), tuple(after), cut_text, start)


@given(st.integers(0, 9), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_the_parts_are_the_text_with_single_spaces(number, sizes, data):
    text = document(number, sizes)
    sentence = data.draw(st.integers(0, len(sizes) - 1))
    place = data.draw(st.integers(0, sizes[sentence] - 1))
    found = cut(passage(text, sentence), place)
    assert found.target == text.sentences[sentence].forms[place]
    whole = " ".join(passage(text, sentence).text.split())
    assert found.left + found.target + found.right == whole
    without = passage(document(number, sizes, with_text=False), sentence, with_text=False)
    assert cut(without, place) == found  # the words of these texts have spaces between them


def test_what_stands_close_in_the_text_stays_close():
    text = document(0, [1])
    row = text.sentences[0]._replace(forms=["(", "ship", ")", "sails"], starts=[0, 1, 5, 8], ends=[1, 5, 6, 13])
    whole = FetchedSentence(row, (), (), "(ship)\n sails", 0)
    assert cut(whole, 1) == Concordance("(", "ship", ") sails")


def test_long_contexts_end_at_words():
    words = [f"word{n}" for n in range(200)]
    row = document(0, [1]).sentences[0]._replace(forms=words, starts=None, ends=None)
    found = cut(FetchedSentence(row), 100)
    assert found.target == "word100"
    assert CONTEXT - 10 < len(found.left) <= CONTEXT
    assert CONTEXT - 10 < len(found.right) <= CONTEXT
    assert found.left.split() == words[100 - len(found.left.split()) : 100]
    assert found.right.split() == words[101 : 101 + len(found.right.split())]


def test_lemmas_stand_in_where_there_are_no_forms():
    row = document(0, [1]).sentences[0]._replace(forms=None, lemmas=["the", "ship", "sail"], starts=None, ends=None)
    assert cut(FetchedSentence(row), 1) == Concordance("the ", "ship", " sail")
