"""The words of the sample corpus and the engine that annotates it."""

import pytest
from HanTa.HanoverTagger import HanoverTagger

from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.sample import language
from lexbeam.transforms.sample.language import RARE_WORDS
from lexbeam.transforms.sample.planting import PLANTED_WORDS


def all_words() -> list[str]:
    heads = [word for words in language.TOPICS.values() for word in words]
    return [*heads, *language.GENERAL, *language.NAMES, *language.FUNCTION_WORDS, *language.pseudo_words()]


def test_no_word_is_in_two_groups():
    words = all_words()
    assert len(set(words)) == len(words)
    lowered = [word.lower() for word in words]
    assert len(set(lowered)) == len(lowered)


def test_pseudo_words_suffice_for_topics_and_targets():
    needed = len(language.TOPICS) * RARE_WORDS + PLANTED_WORDS
    assert len(language.pseudo_words()) >= needed


@pytest.fixture(scope="module")
def tagger():
    return HanoverTagger("morphmodel_en.pgz")


def lemmas_under_any_tag(tagger, word: str, *, first: bool) -> set[str]:
    """Lemmas under every tag that HanTa weighs for the word, whatever stands around it.

    The tagger's inner functions are asked, since what it offers in public is one tag a sentence.
    """
    return {
        tagger._analyze(word, tag)[0]
        for case in ([False, True] if first else [True])
        for tag, _ in tagger._tag_word(word, cutoff=5, casesensitive=case, conditional=True)
    }


def test_every_word_is_its_own_lemma_under_every_tag(tagger):
    wrong = [
        word for word in all_words() if lemmas_under_any_tag(tagger, word, first=word in language.OPENERS) != {word}
    ]
    assert wrong == []


def test_the_tokeniser_takes_every_word_as_one_token():
    engine = load_engine("builtin:en")
    for word in all_words():
        [sentence] = annotate_text(f"The {word}.", engine)
        assert sentence.forms == ["The", word, "."]
