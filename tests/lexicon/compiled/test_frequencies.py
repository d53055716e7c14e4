"""Frequencies against wordfreq's own function."""

import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_opened import opened

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled.frequencies import WORDFREQ

wordfreq = pytest.importorskip("wordfreq", reason="needs the extra `frequency`")


def values(resource, words):
    return resource.look_up(pa.array(words))["value"].to_pylist()


@pytest.fixture(scope="module")
def frequencies():
    """Small lists by language, compiled when they are asked for."""
    made = {}

    def of(language):
        if language not in made:
            made[language] = opened(WORDFREQ, f"{language},wordlist=small")
        return made[language]

    return of


def all_words(language, wordlist):
    return [w for band in wordfreq.get_frequency_list(language, wordlist) for w in band]


@pytest.mark.parametrize("language", ["en", "tr", "ar"])
def test_listed_words_have_wordfreqs_values(frequencies, language):
    words = all_words(language, "small")[::20]
    expected = [wordfreq.zipf_frequency(word, language, "small") for word in words]
    assert values(frequencies(language), words) == expected


@pytest.mark.soak
def test_every_word_of_the_largest_list_has_wordfreqs_value():
    words = all_words("en", "best")
    assert len(words) > 300_000
    expected = [wordfreq.zipf_frequency(word, "en") for word in words]
    assert values(opened(WORDFREQ, "en"), words) == expected


PIECES = st.sampled_from(
    [
        "The",
        "sea",
        "New York",
        "don’t",
        "1985",
        "3.14",
        "00",
        "7",
        "l'arc",
        "!",
        " ",
        "-",
        "I",
        "İstanbul",
        "ISPARTA",
        "groß",
        "naïve",
        "e\u0301te\u0301",
        "كَلِمَة",
        "Ⅷ",
        "٣٤",
        "xyzzyq",
        "@s",
        "🐟",
    ]
)


@settings(max_examples=40)
@given(st.lists(PIECES, max_size=3).map("".join) | st.text(max_size=5))
@pytest.mark.parametrize("language", ["en", "fr", "tr", "ar", "ro"])
def test_any_text_has_wordfreqs_value_or_none(frequencies, language, text):
    (value,) = values(frequencies(language), [text])
    assert (value or 0.0) == wordfreq.zipf_frequency(text, language, "small")


def test_what_is_not_listed_is_null_and_not_zero(frequencies):
    assert values(frequencies("en"), ["xyzzyq", "!", "", None, "the xyzzyq"]) == [None] * 5
    assert values(frequencies("en"), ["12345 98765 45678"]) == [0.0]  # listed, but rare


def test_languages_that_need_a_tokeniser_have_their_listed_words(frequencies):
    words = all_words("zh", "small")[:50]
    assert None not in values(frequencies("zh"), words)
    assert values(frequencies("zh"), ["不" * 9, "The sea"]) == [None, None]


def test_a_person_is_told_of_one_word(frequencies):
    value = wordfreq.zipf_frequency("sea", "en", "small")
    told = [("Zipf frequency", f"{value:g} (log10 of uses in 10^9 words, en)")]
    assert list(frequencies("en").look("Sea")) == told
    assert list(frequencies("en").look("xyzzyq")) == []


def test_wrong_words_are_told():
    with pytest.raises(UsageError, match="wordlist=larg: there are best, large, small; did you"):
        WORDFREQ.parse("en,wordlist=larg")
    with pytest.raises(UsageError, match=r"is not of the form wordfreq:LANG"):
        WORDFREQ.parse("en,list=large")
    with pytest.raises(LexbeamError, match="no list 'large' of language 'da'; there are ar, bn"):
        opened(WORDFREQ, "da,wordlist=large")
    assert WORDFREQ.parse("en").language == "en"


def test_without_the_package_the_extra_is_named(monkeypatch, frequencies):
    found = frequencies("en")
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(LexbeamError, match=r"package wordfreq: .*\bfrequency\b"):
        opened(WORDFREQ, "en")
    # Listed words need no package.
    assert values(found, ["sea", "Sea", "xyzzyq"])[0] is not None
    monkeypatch.setitem(sys.modules, "wordfreq.tokens", None)
    with pytest.raises(LexbeamError, match=r"package wordfreq: .*\bfrequency\b"):
        values(found, ["naïve fish"])
