import re
from collections import Counter
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import summary

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.identity import canonical
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.records.hyphens import CUT_WORDS, TextForms, listed_words, mended, read_hyphen_words

TEXTS = st.lists(
    st.sampled_from(["a", "bc", "Bc", "-", "\u2011", "\u00ac", "=", "\u2e17", "\n", " ", "und", "1", "\n\n", "."]),
    max_size=20,
)
WORDS = st.lists(st.sampled_from(["abc", "a-bc", "bca", "Abc", "aa", "a\u2011a", "bc-a"])).map(listed_words)


def joined(text, words=None):
    notes = Counter()
    return mended(text, "join", notes, words), dict(notes)


def breaks(text):
    """Return what is read of a text as a paragraph of TEI whose lines end in breaks."""
    data = f"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><p>{text}</p></body></text></TEI>"
    return data.replace("\n", "<lb/>").encode()


@pytest.mark.parametrize(
    ("text", "expected", "cut"),
    [
        ("govern-\nment, government", "government, government", 1),
        ("govern- \n  ment, Government", "government, Government", 1),
        ("govern-\nment", "govern-ment", 1),
        ("well-\nknown wellknown well-known well-known", "well-known wellknown well-known well-known", 1),
        ("pro=\nvince province", "province province", 1),
        ("pro=\nvince", "pro=\nvince", 1),
        ("go\u00ac\nvern", "govern", 1),
        ("Krönungs-\nund Feste", "Krönungs-\nund Feste", 0),
        ("Lotto-\nAnnahme Lottoannahme", "Lotto-Annahme Lottoannahme", 1),
        ("Lotto=\nAnnahme", "Lotto=\nAnnahme", 1),
        ("Dampf\u2e17\nschiff", "Dampfschiff", 1),
        ("govern\u2011\nment govern-ment government", "government govern-ment government", 1),
        ("well\u2010\nknown well-known well-known wellknown", "well\u2010known well-known well-known wellknown", 1),
        ("1914-\n18 a -\nb c--\nd e-\n\nf -\ng", "1914-\n18 a -\nb c--\nd e-\n\nf -\ng", 0),
    ],
)
def test_words_cut_at_line_ends(text, expected, cut):
    found, notes = joined(text)
    assert (found, notes.get(CUT_WORDS, 0)) == (expected, cut)


@given(TEXTS)
def test_nothing_but_hyphens_and_line_ends_goes_and_both_ways_count_alike(pieces):
    text, notes = "".join(pieces), Counter()
    assert mended(text, "keep", notes) == text
    found, told = joined(text)
    assert told.get(CUT_WORDS, 0) == notes[CUT_WORDS]
    strip = str.maketrans("", "", "-\u2011\u00ac=\u2e17\n ")
    assert found.translate(strip) == text.translate(strip)
    assert found == text or notes[CUT_WORDS]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["Government"], "A government"),
        (["government", "govern-ment"], "A govern-ment"),
        (["govern", "ment"], "A govern-ment"),
    ],
)
def test_where_a_text_has_neither_form_a_list_tells(words, expected):
    assert joined("A govern-\nment", listed_words(words)) == (
        expected,
        {CUT_WORDS: 1} | ({"words joined at line ends": 1} if expected == "A government" else {}),
    )


@pytest.mark.parametrize(("form", "expected"), [("well-known", "well-known"), ("wellknown", "wellknown")])
def test_what_a_text_has_counts_before_a_list(form, expected):
    listed = listed_words(["wellknown"] if form == "well-known" else ["well-known"])
    assert joined(f"well-\nknown, {form}", listed)[0] == f"{expected}, {form}"


@given(TEXTS, WORDS)
def test_a_list_joins_more_words_and_parts_none(pieces, words):
    text = "".join(pieces)
    without, with_list = joined(text)[0], joined(text, words)[0]
    strip = str.maketrans("", "", "-\u2011=\n")
    assert with_list.translate(strip) == without.translate(strip)
    assert len(with_list) <= len(without)
    if not words.words:
        assert with_list == without


@given(
    st.lists(st.sampled_from(["a-\nbc", "a-\nBc", "bc\u2e17\na", "a\u00ac\na", "a-\nund", "abc", "a-bc", "aa"])), WORDS
)
def test_breaks_of_tei_follow_the_same_rule(words_cut, words):
    text = " ".join(words_cut)
    expected = joined(text, words)[0].replace("\n", " ")
    assert summary(breaks(text), name="a.xml", words=words) == ([expected] if text else [("", "empty")])


@pytest.mark.parametrize("budget", [1, 201, 1 << 30])
@given(st.lists(st.sampled_from(["a", "ab", "É", "-", "\u2011", " ", "A\n"]), max_size=12), st.data())
def test_looking_for_a_form_and_counting_all_are_one(budget, pieces, data):
    text = "".join(pieces)
    every = Counter(re.findall(r"\w+(?:-\w+)*", text.lower().replace("\u2011", "-")))
    with mock.patch.object(TextForms, "_BUDGET", budget):
        forms = TextForms(text.encode(), None)
        for form in data.draw(st.lists(st.sampled_from(["a", "ab", "a-a", "é", "ab-é", "aa"]), max_size=4)):
            assert forms.count(form) == every[form]


def test_a_file_of_words(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("word\tcount\nGovernment\t3\nwell\u2010known\t1\n", encoding="utf-8")
    assert read_hyphen_words(str(path), "join") == listed_words(["government", "WELL-known"])
    assert read_hyphen_words(None, "keep") is None
    with pytest.raises(UsageError, match="give `hyphens` join, too"):
        read_hyphen_words(str(path), "keep")
    path.write_text("\n# none\n")
    with pytest.raises(UsageError, match=r"words\.tsv has no word"):
        read_hyphen_words(str(path), "join")


def test_the_words_of_a_file_count_and_not_where_it_lies():
    name = lambda words, path="a": canonical(ReaderOptions(hyphen_words=path, words=listed_words(words)))  # noqa: E731
    assert name(["one", "two"]) == name(["Two", "one", "one"], "b") != name(["one"])
