"""Depth and sense of nouns and verbs, against a walk up the hypernyms."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from wordnet_making import Synset, open_folder, write_wordnet

from lexbeam.transforms.cloze.filters.abstract_words import ContextTargets, deep_senses, sense_names
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.lesk import contexts_of
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

LIST = pa.list_(pa.string())
TEXT = pa.string()

# entity <- thing <- (also directly) town; Bergen is an instance of a town.
SMALL = [
    Synset("entity", "n", ["entity"], "what is"),
    Synset("thing", "n", ["thing"], "an entity", pointers=[("@", "entity", 0, 0)]),
    Synset("town", "n", ["town", "place"], "where people live", pointers=[("@", "thing", 0, 0), ("@", "entity", 0, 0)]),
    Synset("Bergen", "n", ["Bergen"], "a rainy town", pointers=[("@i", "town", 0, 0)]),
    Synset("spot", "n", ["place"], "a point", pointers=[("@", "thing", 0, 0)]),
    Synset("put", "v", ["place", "put"], "set down"),
    Synset("perceive", "v", ["see"], "look at", pointers=[("@", "put", 0, 0)]),
    Synset("cut", "v", ["saw"], "cut by a saw"),
    Synset("quick", "r", ["quick"], "fast"),
]
PLACE = {"place.n.1": (1, 2), "place.n.2": (2, 2), "place.v.1": (0, 0)}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, SMALL, index_sense=False)
    return open_folder(folder)


def asked(wordnet, word, tag, text="", lemma=None, **options):
    targets = ContextTargets(pa.array([word]), pa.array([lemma], TEXT), pa.array([tag], TEXT), np.zeros(1, int))
    contexts = contexts_of(wordnet, [pa.array([text.split()], LIST)])
    senses, depths = deep_senses(wordnet, contexts, targets, **options)
    return sense_names(wordnet, senses)[0].as_py(), depths[0]


@pytest.mark.parametrize(
    ("word", "tag", "options", "expected"),
    [
        ("places", "NOUN", {"sense": "first", "depth": "max"}, ("place.n.1", 2)),
        ("places", "NOUN", {"sense": "first", "depth": "min"}, ("place.n.1", 1)),
        ("places", "NOUN", {"sense": "any", "depth": "max"}, ("place.n.1", 2)),
        ("places", None, {"sense": "any", "depth": "min"}, ("place.v.1", 0)),
        ("placed", "VERB", {"sense": "first"}, ("place.v.1", 0)),
        ("places", "ADJ", {"sense": "first", "depth": "max"}, ("place.n.1", 2)),
        ("Bergen", "PROPN", {"sense": "any", "depth": "max"}, ("Bergen.n.1", 3)),
        ("Bergen", "PROPN", {"sense": "any", "depth": "min"}, ("Bergen.n.1", 2)),
    ],
)
def test_depth_and_sense(small, word, tag, options, expected):
    assert asked(small, word, tag, **options) == expected


@pytest.mark.parametrize(("word", "tag"), [("quick", "ADV"), ("qux", "NOUN"), ("place", "DET")])
@pytest.mark.parametrize("sense", ["lesk", "first", "any"])
def test_what_is_no_noun_or_verb_of_wordnet_has_none(small, word, tag, sense):
    name, depth = asked(small, word, tag, sense=sense)
    assert name is None
    assert np.isnan(depth)


def test_senses_are_those_of_the_lemma_that_the_annotation_has(small):
    assert asked(small, "saw", "VERB", lemma="see", sense="first") == ("see.v.1", 1)
    assert asked(small, "saw", "VERB", lemma="saw", sense="first") == ("saw.v.1", 0)
    # A lemma that WordNet lacks says nothing.
    assert asked(small, "puts", "VERB", lemma="putte", sense="first") == ("put.v.1", 0)


def test_lesk_reads_the_context(small):
    assert asked(small, "place", "NOUN", "the point")[0] == "place.n.2"
    assert asked(small, "place", "NOUN", "people live here")[0] == "place.n.1"
    assert asked(small, "place", "NOUN", "")[0] == "place.n.1"


@pytest.mark.slow
@pytest.mark.skipif(
    not Path(DEBIAN, "index.sense").exists(), reason="needs Debian's packages wordnet-base and wordnet-sense-index"
)
def test_depths_of_wordnet_are_those_of_a_walk(wordnet_cache):
    wordnet = prepare(LexiconOptions(resources=(f"wordnet_=wordnet:{DEBIAN}",), cache=wordnet_cache)).get(
        "wordnet_", "en"
    )
    words = ["person", "child", "London", "run", "thing", "dog", "mississippi", "be"]
    tags = ["NOUN", "NOUN", "PROPN", "VERB", "NOUN", "NOUN", "PROPN", "AUX"]
    targets = ContextTargets(pa.array(words), pa.array(words), pa.array(tags), np.zeros(len(words), int))
    for depth, of in (("max", max), ("min", min)):

        def steps(synset, of=of):
            above = wordnet.hypernyms(np.array([synset])).values
            return 1 + of(map(steps, above)) if len(above) else 0

        senses, deep = deep_senses(wordnet, None, targets, sense="first", depth=depth)
        assert deep.tolist() == [steps(sense_synset) for sense_synset in wordnet.synset_of(senses)]
        # Of all senses the least deep.
        _, least = deep_senses(wordnet, None, targets, sense="any", depth=depth)
        all_words = [
            wordnet.synset_of(wordnet.senses_of(pa.array([word]), tag).values)
            for word, tag in zip(words, tags, strict=True)
        ]
        assert least.tolist() == [min(map(steps, synsets)) for synsets in all_words]
