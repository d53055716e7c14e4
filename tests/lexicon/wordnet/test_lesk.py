"""Adapted Lesk against its definition word by word, and an example worked by hand."""

from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lesk_reference import choice, score, shared_phrases
from wordnet_making import Synset, both_ways, open_folder, write_wordnet

from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.wordnet.glosses import Glosses, gloss_tables
from lexbeam.transforms.lexicon.wordnet.lesk import STOP_WORDS, choose_senses, contexts_of, sense_scores
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged, Tables

LIST = pa.list_(pa.string())

BANK = both_ways(
    [
        Synset("shore", "n", ["bank"], 'sloping land beside a river; "on the bank"'),
        Synset("firm", "n", ["bank"], "a firm that lends money", pointers=[("@", "company", 0, 0)]),
        Synset("company", "n", ["company"], "people who lend money to a bank of their own"),
        Synset("lend", "v", ["lend"], "give for a time"),
        Synset("money", "n", ["money"], "what one pays with"),
        Synset("river", "n", ["river"], "a stream of water"),
        Synset("land", "n", ["land"], "solid ground"),
        Synset("rob", "v", ["rob"], "take from by force"),
    ]
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, BANK, index_sense=False)
    return open_folder(folder)


def chosen(wordnet, word, *texts, pos="n", lemma=None):
    asked = pa.array([word])
    contexts = contexts_of(wordnet, [pa.array([text.split()], LIST) for text in texts])
    senses = wordnet.senses_of(pa.array([lemma or word]), pos)
    targets = [asked, pa.array([lemma or word])]
    (sense,) = choose_senses(wordnet, contexts, np.zeros(1, int), targets, senses)
    return sense


def scores(wordnet, word, *texts, pos="n"):
    contexts = contexts_of(wordnet, [pa.array([text.split()], LIST) for text in texts])
    senses = wordnet.senses_of(pa.array([word]), pos)
    without = wordnet.glosses.rows(pa.array([word]))
    return sense_scores(wordnet, contexts, np.zeros(1, int), without, senses).tolist()


def test_an_example_worked_by_hand(bank):
    # Glosses of the shore: "sloping land beside a river". Of the firm: "a firm that lends money";
    # of what it is, a company: "people who lend money to a bank of their own".
    text = ("They robbed the bank .", "It lent money , as banks that lend money to people do .")
    # The shore: nothing. Of the firm's gloss stands "lend money" (2 words: 4), and "that lend
    # money" (3: 9), which holds it and so counts alone; "a" and "firm" do not stand there. Of the
    # company's: "people" (1), "lend money to" (3: 9), "who", "a", "of", "their", "own" not; "bank"
    # is the target. Together 9 + 1 + 9.
    assert scores(bank, "bank", *text) == [0, 19]
    assert bank.sense_numbers(np.array([chosen(bank, "bank", *text)])) == [2]


def test_the_first_sense_on_a_tie_and_without_overlap(bank):
    for text in ("Nothing is shared", "land and firm", ""):
        assert bank.sense_numbers(np.array([chosen(bank, "bank", text)])) == [1]


def test_what_is_in_neither_case_nor_sign_is_shared(bank):
    assert scores(bank, "bank", "LENDING ; money")[1] == 8  # "lend money" in two glosses


def test_stop_words_alone_do_not_count(bank):
    assert scores(bank, "bank", "a to of their that") == [0, 0]
    assert scores(bank, "bank", "to a") == [0, 0]
    assert scores(bank, "bank", "money to a") == [0, 1 + 9]  # "money"; "money to a"


def test_no_phrase_runs_from_summary_into_passage(bank):
    assert scores(bank, "bank", "lend", "money") == [0, 4]
    assert scores(bank, "bank", "lend money", "") == [0, 8]


def test_the_target_itself_is_not_in_its_context(bank):
    assert scores(bank, "bank", "to a bank of people") == [0, 1]
    assert scores(bank, "bank", "money to a bank") == [0, 1 + 9]


def test_a_word_without_senses_has_none(bank):
    assert chosen(bank, "qux", "a bank") == MISSING


def test_nothing_asked(bank):
    contexts = contexts_of(bank, [pa.array([], LIST)])
    empty = Ragged(np.zeros(1, int), np.zeros(0, int))
    chosen = choose_senses(bank, contexts, np.zeros(0, int), [pa.array([], pa.string())], empty)
    assert chosen.tolist() == []


def test_phrases_of_the_reference():
    # Two that overlap are both maximal; what one holds is not.
    assert shared_phrases([*"abcd"], [[*"abxbc"], ["d"]]) == [("a", "b"), ("b", "c"), ("d",)]


WORDS = st.sampled_from(["sea", "ship", "sail", "wind", "of", "the", "dogs", "dog"])
TEXTS = st.lists(WORDS, max_size=9)


class Defined:
    """Synsets of given definitions, each the one sense of its number."""

    def __init__(self, definitions, around):
        def morphy(words):
            return pa.array(["dog" if word == "dogs" else None for word in words.to_pylist()], pa.large_string())

        def related(rows):
            lists = [around[row] for row in rows]
            offsets = np.cumsum([0, *map(len, lists)])
            return Ragged(offsets, np.array([*chain.from_iterable(lists)], np.int64))

        tables = dict(gloss_tables(pa.array(definitions, pa.string()), morphy, related))
        self.glosses = Glosses(Tables(tables), morphy)

    def synset_of(self, senses):
        return senses


@st.composite
def made(draw):
    """Definitions, the synsets around each, contexts of two texts, and senses for each."""
    count = draw(st.integers(1, 6))
    places = st.lists(st.integers(0, count - 1), max_size=4)
    definitions = [draw(TEXTS) for _ in range(count)]
    around = [draw(places) for _ in range(count)]
    texts = draw(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
    senses = [draw(places) for _ in texts]
    return definitions, around, texts, senses


@settings(max_examples=60, deadline=None)
@given(made())
def test_scores_and_choices_are_those_of_the_definition(given):
    definitions, around, texts, senses = given
    wordnet = Defined([" ".join(words) for words in definitions], around)

    def lemmas(words):
        return ["dog" if word == "dogs" else word for word in words]

    expected = [
        [
            score(
                [lemmas(definitions[near]) for near in dict.fromkeys([synset, *around[synset]])],
                [lemmas(text) for text in pair],
                {"dog"},
                STOP_WORDS,
            )
            for synset in target_rows
        ]
        for pair, target_rows in zip(texts, senses, strict=True)
    ]
    offsets = np.cumsum([0, *map(len, senses)])
    asked = Ragged(offsets, np.array([*chain.from_iterable(senses)], np.int64))
    contexts = contexts_of(wordnet, [pa.array([pair[side] for pair in texts], LIST) for side in (0, 1)])
    owners = np.arange(len(texts))
    words = pa.array(["dogs"] * len(texts))
    target_rows = wordnet.glosses.rows(words)
    assert sense_scores(wordnet, contexts, owners, target_rows, asked).tolist() == [*chain.from_iterable(expected)]
    picked = choose_senses(wordnet, contexts, owners, [words, words], asked)
    assert picked.tolist() == [
        target_rows[choice(scores)] if target_rows else MISSING
        for target_rows, scores in zip(senses, expected, strict=True)
    ]
