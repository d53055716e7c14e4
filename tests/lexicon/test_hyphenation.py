"""Syllables by patterns of hyphenation: those that pyphen finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.lexicon.letters import syllables

pyphen = pytest.importorskip("pyphen")

# Hungarian has patterns that change letters, Dutch words long ones.
LETTERS = {"en": "abcdeinorstuy'-.", "hu": "acdeknosyzáéöü", "nl": "acdeghijklnorstvë", "ru": "абеийостнчь"}
WORDS = {
    "en": ("", "a", "I", "information", "Present", "recognise", "twenty-one", "don't", "x2", "..."),
    "de": ("Schifffahrt", "Straße", "Donaudampfschifffahrtsgesellschaft", "ÄRZTE"),
    "hu": ("asszonnyal", "menyboltozat", "hosszú"),
    "es": ("ferrocarril", "año", "vergüenza"),
}


def places(word: str, language: str) -> int:
    return len(pyphen.Pyphen(lang=pyphen.language_fallback(language)).positions(word.lower()))


@pytest.mark.parametrize("language", WORDS)
def test_words(language):
    found = [syllables(word, language) for word in WORDS[language]]
    assert found == [places(word, language) + 1 for word in WORDS[language]]


@pytest.mark.parametrize("language", LETTERS)
def test_any_letters(language):
    @given(st.text(LETTERS[language], max_size=20))
    def check(word: str) -> None:
        assert syllables(word, language) == places(word, language) + 1

    check()
