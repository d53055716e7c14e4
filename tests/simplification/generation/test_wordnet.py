"""Generator `wordnet`: words of senses, beside a plain reading of the database files."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from wordnet_making import Synset, both_ways, open_folder, write_wordnet
from wordnet_read import PlainWordNet

from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN
from lexbeam.transforms.simplification.generation.generator import Context, GenerationOptions, WordNetOptions
from lexbeam.transforms.simplification.generation.sense_generators import propose_wordnet, wordnet_proposals
from lexbeam.transforms.simplification.records import Instance

SYNSETS = both_ways(
    [
        Synset("place", "n", ["place"]),
        Synset(
            "home",
            "n",
            ["home", "place", "dwelling_house"],
            pointers=[("@", "place", 0, 0)],
            lex_ids=[0, 1, 0],
            counts={"home": 3},
        ),
        Synset(
            "abode",
            "n",
            ["abode", "home", "Eden"],
            pointers=[("@", "home", 0, 0)],
            lex_ids=[0, 1, 0],
            counts={"home": 7, "abode": 1},
        ),
        Synset("family", "n", ["family", "home"], lex_ids=[0, 2]),
        Synset("return", "v", ["home", "go_back"], pointers=[("@", "move", 0, 0)]),
        Synset("move", "v", ["move", "travel"]),
        Synset("domestic", "a", ["domestic", "home"]),
        Synset("tired", "a", ["tired", "weary"]),
        Synset("weary", "v", ["weary", "tire"]),
    ]
)
BOTH = WordNetOptions()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, SYNSETS)
    return folder


@pytest.fixture(scope="module")
def wordnet(folder):
    return open_folder(folder)


def instance(target, lemma, upos, language="en"):
    return Instance(target, language, target, target, 0, len(target), lemma, upos, None)


def proposed(wordnet, target, lemma, upos, options=BOTH):
    return wordnet_proposals(wordnet, [instance(target, lemma, upos)], options)[0]


def test_synonyms_and_hypernyms_with_votes_of_senses(wordnet):
    proposals = {p.text: (p.score, p.votes, p.relation) for p in proposed(wordnet, "homes", "home", "NOUN")}
    assert proposals == {
        "place": (2.0, 2, "synonym"),
        "dwelling house": (2.0, 2, "synonym"),
        "abode": (1.0, 1, "synonym"),
        "Eden": (1.0, 1, "synonym"),
        "family": (1.0, 1, "synonym"),
    }
    assert all(p.is_lemma and p.reason is None for p in proposed(wordnet, "home", "home", "NOUN"))


def test_hypernyms_are_an_option(wordnet):
    words = {
        relations: {
            p.text: (p.votes, p.relation)
            for p in proposed(wordnet, "home", "home", "NOUN", WordNetOptions(wordnet_relations=relations))
        }
        for relations in (("synonym",), ("hypernym",))
    }
    assert words["hypernym",] == {"place": (2, "hypernym"), "dwelling house": (1, "hypernym")}
    assert words["synonym",] == {
        "abode": (1, "synonym"),
        "Eden": (1, "synonym"),
        "place": (1, "synonym"),
        "dwelling house": (1, "synonym"),
        "family": (1, "synonym"),
    }


def test_similar_adjectives_are_an_option(tmp_path):
    write_wordnet(
        tmp_path,
        both_ways(
            [
                Synset("big", "a", ["big", "large"]),
                Synset("huge", "s", ["huge", "vast"], pointers=[("&", "big", 0, 0)]),
                Synset("bulky", "s", ["bulky"], pointers=[("&", "big", 0, 0)]),
            ]
        ),
    )
    wordnet = open_folder(tmp_path)
    options = WordNetOptions(wordnet_relations=("synonym", "hypernym", "similar"))
    big = {p.text: (p.score, p.relation) for p in proposed(wordnet, "big", "big", "ADJ", options)}
    assert big == {
        "large": (1.0, "synonym"),
        "huge": (1.0, "similar"),
        "vast": (1.0, "similar"),
        "bulky": (1.0, "similar"),
    }
    huge = {p.text: p.relation for p in proposed(wordnet, "huge", "huge", "ADJ", options)}
    assert huge == {"vast": "synonym", "big": "similar", "large": "similar"}  # not what else is like those
    assert {p.text for p in proposed(wordnet, "huge", "huge", "ADJ")} == {"vast"}


def test_the_most_used_sense_is_first(wordnet):
    senses = {p.text: p.sense for p in proposed(wordnet, "home", "home", "NOUN")}
    keys = dict(
        zip(
            ("home", "abode", "family"),
            wordnet.sense_keys(wordnet.senses_of(pa.array(["home"]), "n").values).to_pylist(),
            strict=True,
        )
    )
    # `place` is a synonym of the sense that is tagged 3 times, and above that of 7.
    assert senses["dwelling house"] == senses["Eden"] == keys["abode"]
    assert senses["family"] == keys["family"]


def test_parts_of_speech(wordnet):
    verb = proposed(wordnet, "homed", "home", "VERB")
    assert {p.text for p in verb} == {"go back", "move", "travel"}
    assert {(p.upos, p.of) for p in verb} == {(None, "home")}
    proposals = proposed(wordnet, "home", "home", None)
    assert {p.text: p.upos for p in proposals} == {
        "place": "NOUN",
        "dwelling house": "NOUN",
        "abode": "NOUN",
        "Eden": "NOUN",
        "family": "NOUN",
        "go back": "VERB",
        "move": "VERB",
        "travel": "VERB",
        "domestic": "ADJ",
    }
    everywhere = WordNetOptions(wordnet_senses="all")
    both = proposed(wordnet, "home", "home", "NOUN", everywhere)
    assert {p.text: p.upos for p in both if p.upos} == {
        "go back": "VERB",
        "move": "VERB",
        "travel": "VERB",
        "domestic": "ADJ",
    }


def test_a_lemma_that_wordnet_lacks_is_looked_up_by_the_form(wordnet):
    assert {p.text for p in proposed(wordnet, "homes", "homes", "NOUN")} >= {"abode"}
    # As an adjective it is not there; the verb is.
    proposals = proposed(wordnet, "wearies", "wearies", "ADJ")
    assert [(p.text, p.upos, p.of) for p in proposals] == [("tire", "VERB", "weary")]
    assert proposed(wordnet, "zzz", "zzz", "NOUN") == []
    assert proposed(wordnet, "the", "the", "DET") == []
    assert {p.upos for p in proposed(wordnet, "home", "home", "DET")} == {"NOUN", "VERB", "ADJ"}


def test_other_languages_have_their_own(folder, tmp_path):
    spanish = tmp_path / "es"
    spanish.mkdir()
    write_wordnet(spanish, [Synset("casa", "n", ["casa", "hogar"])])
    lexicon = prepare(
        LexiconOptions(
            resources=(f"wordnet_=wordnet:{folder}", f"wordnet_=wordnet:{spanish}:language=es"),
            cache=str(tmp_path / "cache"),
        )
    )
    rows = [
        instance("casa", "casa", "NOUN", "es"),
        instance("weary", "weary", "VERB"),
        instance("weary", "weary", "VERB", "es"),
    ]
    (lists,) = propose_wordnet(rows, Context(GenerationOptions(), lexicon))
    assert [[p.text for p in proposals] for proposals in lists] == [["hogar"], ["tire"], []]


@pytest.mark.slow
@pytest.mark.skipif(not Path(DEBIAN, "index.sense").exists(), reason="needs Debian's wordnet-base")
def test_words_of_wordnet_are_those_of_its_files(wordnet_cache):
    plain = PlainWordNet(DEBIAN)
    lexicon = prepare(LexiconOptions(resources=("wordnet_=wordnet",), cache=wordnet_cache))
    sample = random.Random(1).sample(sorted(plain.senses), 400)
    tags = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}
    rows = [instance(word.replace("_", " "), word.replace("_", " "), tags[pos]) for word, pos in sample]
    (lists,) = propose_wordnet(rows, Context(GenerationOptions(), lexicon))
    for (word, pos), proposals in zip(sample, lists, strict=True):
        votes, synonyms = {}, set()
        for offset in plain.senses[word, pos]:
            inside = {lemma.lower() for lemma in plain.words[pos, offset]}
            above = {
                lemma.lower()
                for symbol, part, at, *_ in plain.pointers[pos, offset]
                if symbol in ("@", "@i")
                for lemma in plain.words[part, at]
            }
            synonyms |= inside
            for lemma in (inside | above) - {word}:
                votes[lemma] = votes.get(lemma, 0) + 1
        assert {p.text.lower().replace(" ", "_"): p.votes for p in proposals} == votes
        assert {p.text.lower().replace(" ", "_") for p in proposals if p.relation == "synonym"} == (synonyms - {word})
    assert sum(map(len, lists)) > 500
