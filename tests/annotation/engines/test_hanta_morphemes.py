"""Searches over morphemes beside HanTa's own: equal to the bit."""

import pytest
import wordfreq
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines.hanta import MorphemeSearch, model_file

LETTERS = "abcdefghilmnorstuäéß'-.19"


@pytest.fixture(scope="module", params=["de", "en", pytest.param("nl", marks=pytest.mark.slow)])
def both(request):
    from HanTa.HanoverTagger import HanoverTagger

    model = HanoverTagger(model_file(request.param))
    return request.param, model, MorphemeSearch(model)


def same(model, found, word, targets):
    assert found.analyze_forward(word) == model.analyze_forward(word)
    for target in targets:
        assert found.analyze_viterbi(word, target) == model.analyze_viterbi(word, target)


@pytest.mark.slow
def test_words_of_a_list_have_the_same_tags_and_morphemes(both):
    language, model, found = both
    words = [word for word in wordfreq.top_n_list(language, 20_000) if word not in model.cache]
    for word in words[:: len(words) // 150]:
        expected = model.analyze_forward(word)
        assert found.analyze_forward(word) == expected
        same(model, found, word, [-tag for tag, _ in expected[:3]])


def test_any_letters_under_any_final_tag(both):
    _, model, found = both
    finals = sorted(model.reachability)

    @given(st.text(LETTERS, max_size=30), st.lists(st.sampled_from(finals), max_size=3))
    @settings(max_examples=60, deadline=None)
    def equal(word, targets):
        same(model, found, word, targets)

    equal()


def test_a_final_tag_that_the_model_lacks(both):
    _, model, found = both
    same(model, found, "cats", [-9999])
