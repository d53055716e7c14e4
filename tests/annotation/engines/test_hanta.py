import importlib.metadata
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines import hanta

WORDS = {
    "de": "Die Katzen des Herrn Müller saßen 1914 auf dem Dach , „ Donaudampfschiff ging unter .",
    "en": "The cats of Mr Smith sat on 3 mats ; they 've been left to look up Xyzzyish facts .",
    "nl": "De katten van mijn buurman zaten in 1914 op het dak , dat hij gisteren verkocht !",
}


# The Dutch model alone takes seconds to load.
@pytest.fixture(scope="module", params=["de", "en", pytest.param("nl", marks=pytest.mark.slow)])
def pair(request):
    from HanTa.HanoverTagger import HanoverTagger

    language = request.param
    return language, HanoverTagger(hanta.model_file(language)), hanta.load_tagger(language).tag


def test_this_version_has_what_is_used_beyond_its_public_methods():
    from HanTa import HanoverTagger as module

    model = module.HanoverTagger(hanta.model_file("en"))
    arguments = {"_tag_word": ({"cutoff", "casesensitive", "conditional"}, 1), "_analyze": ({"taglevel"}, 2)}
    lacking = [name for name in ("EMPTY", "END", "END_UNKNOWN", "START", "UNKNOWN") if not hasattr(module, name)]
    attributes = (
        "LP_trans_word",
        "int2tag",
        "analyze_forward",
        "analyze_viterbi",
        "Int_t",
        "LP_hapax_t",
        "LP_len_t",
        "LP_m_t",
        "LP_s_t",
        "LP_trans_final",
        "LP_trans_nonfinal",
        "reachability",
    )
    lacking += [name for name in attributes if not hasattr(model, name)]
    for name, (named, leading) in arguments.items():
        method = getattr(model, name, None)
        given_by = list(inspect.signature(method).parameters) if method else []
        if not named <= set(given_by[leading:]):
            lacking.append(f"{name}({', '.join(sorted(named))})")
    version = importlib.metadata.version("HanTa")
    assert not lacking, (
        f"HanTa {version} lacks {', '.join(lacking)}, which transforms/annotation/engines/hanta*.py use: "
        "keep the version that setup.py pins, or write them for the new one"
    )


@pytest.mark.slow
def test_output_is_that_of_hanta(pair):
    language, reference, tag = pair
    vocabulary = [*WORDS[language].split(), "¿", "é", "İ", "'s", "Über-Ich", "o'clock", "UNO", "x" * 30]

    @given(st.lists(st.sampled_from(vocabulary), max_size=12))
    @settings(max_examples=60, deadline=None)
    def same(words):
        assert tag(words) == [(lemma, name) for _, lemma, name in reference.tag_sent(words)]

    same()


def test_any_words_get_a_tag_and_a_lemma():
    tag = hanta.load_tagger("en").tag

    @given(st.lists(st.text(min_size=1, max_size=6).filter(str.strip), max_size=8))
    @settings(max_examples=25, deadline=None)
    def tagged(words):
        pairs = tag(words)
        assert len(pairs) == len(words)
        assert all(lemma and name for lemma, name in pairs)

    tagged()


def test_tags_are_the_same_however_few_steps_are_kept(monkeypatch):
    words = 2 * WORDS["en"].split()
    kept = hanta.load_tagger("en").tag(words)
    monkeypatch.setattr(hanta, "_STEPS", 1)
    assert hanta.load_tagger.__wrapped__("en").tag(words) == kept


def test_very_long_words_and_sentences_are_tagged_in_time():
    tag = hanta.load_tagger("en").tag
    word = "x" * 5_000
    pairs = tag(["See", word, "now"])
    assert [lemma for lemma, _ in pairs] == ["see", word, "now"]
    assert len(tag(["and"] * (2 * hanta.MAX_SENTENCE + 1))) == 2 * hanta.MAX_SENTENCE + 1
