"""Frequencies: of the word, its lemma, the words within it, in other languages."""

import pytest
from featured import ZIPF, columns, computed, instance, setting_with

from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

USE = ("frequency",)


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), use=USE)


def test_parts_of_words_by_brute_force(setting):
    words = ["shipyard", "shipyards", "theyard", "sea", "gene", "genesea", "ship-yard"]
    listed = ZIPF["en"]
    for word, row in zip(words, computed(setting, *map(instance, words)), strict=True):
        cuts = range(4, len(word)) if word.isalpha() else ()
        begins = [listed[word[:n]] for n in cuts if word[:n] in listed]
        ends = [listed[word[-n:]] for n in cuts if word[-n:] in listed]
        assert row["zipf"] == listed.get(word)
        assert row["zipf_prefix"] == max(begins, default=None)
        assert row["zipf_suffix"] == max(ends, default=None)


def test_other_languages(setting):
    gene, expression, sea, mar = computed(
        setting, instance("gene"), instance("expression"), instance("sea"), instance("mar", language="es")
    )
    assert columns(gene, "zipf_de", "zipf_es", "languages", "zipf_elsewhere") == [4, None, 1, 2]
    assert columns(expression, "languages", "zipf_elsewhere") == [2, 1.75]
    assert columns(sea, "languages", "zipf_elsewhere") == [0, 0]
    # Its own language is none of the others.
    assert columns(mar, "zipf_es", "zipf", "languages", "zipf_elsewhere") == [5.2, 5.2, 0, 0]


@pytest.mark.slow
def test_values_of_wordfreq(wordfreq_cache):
    wordfreq = pytest.importorskip("wordfreq")
    tags = ("de", "en", "es")
    resources = tuple(f"zipf_=wordfreq:{tag}" for tag in tags)
    lexicon = prepare(LexiconOptions(resources=resources, cache=wordfreq_cache))
    setting = FeatureSetting(USE, lexicon, (), tags)
    words = ["Sea", "mitochondria", "Schiff", "barco", "cross-linked", "1984", "xqzvb"]
    for tag in tags:
        rows = computed(setting, *(instance(word, language=tag) for word in words))
        for word, row in zip(words, rows, strict=True):
            assert (row["zipf"] or 0) == wordfreq.zipf_frequency(word, tag)
            for other in tags:
                assert (row[f"zipf_{other}"] or 0) == wordfreq.zipf_frequency(word, other)
