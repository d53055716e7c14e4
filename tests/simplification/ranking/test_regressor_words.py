"""What a regressor of complexity learns from, and what it must not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import labelled, word
from simplified import candidates, instance, parts_of, substitutes

from lexbeam.transforms.simplification.ranking.regressor import (
    KnownWords,
    LabelledWord,
    excluded_words,
    labelled_words,
    left_to_learn,
)


def labelled_word(text, language="es", lemmas=(), name=False):
    return LabelledWord(text, language, 0.5, 1, frozenset(lemmas), name)


def paths(made, name):
    return [part.path for part in made.get(f"simplification/{name}", ())]


def test_the_mean_of_instances_by_all_annotators(tmp_path):
    rows = [
        word("arduo", 0.2, lemma="arduo"),
        word("arduo", 0.4, lemma="Arduo"),
        word("arduo", 0.9, language="pt"),
        word("mar", None),
        word("mar adentro", 0.7, kind="mwe"),
        word("nin\u0303o", 0.1),
    ]
    words = labelled_words(*labelled(tmp_path / "made", rows))
    assert words == [
        LabelledWord("arduo", "es", pytest.approx(0.3), 2, frozenset(["arduo"]), False),
        LabelledWord("ni\u00f1o", "es", 0.1, 1, frozenset(), False),
        LabelledWord("arduo", "pt", 0.9, 1, frozenset(), False),
    ]


def test_capitals_make_a_name_where_no_other_instance_has_none(tmp_path):
    rows = [
        word("Roma", 0.9),
        word("Flores", 0.9),
        word("flores", 0.1),
        word("sol", 0.3, upos="PROPN"),
        word("Haus", 0.2, language="de"),
        word("Köln", 0.6, language="de", upos="PROPN"),
        word("Luna", 0.2, upos="NOUN"),
    ]
    words = {word.word: word for word in labelled_words(*labelled(tmp_path / "made", rows))}
    names = {text for text, word in words.items() if word.name}
    assert names == {"roma", "sol", "köln", "luna"}
    # The instance that looks like a name does not count beside one that does not.
    assert (words["flores"].complexity, words["flores"].instances) == (0.1, 1)


def test_targets_substitutes_their_words_and_their_lemmas(tmp_path):
    rows = [
        instance(1, "Perros", lemma="Perro"),
        *substitutes(1, {"canes": 1, "Mejor amigo": 2}),
        instance(2, "ágil"),
        *substitutes(2, {"veloces": 1}, "ágil"),
        *candidates(1, "a", ["canes", "gatos"], lemma="can"),
    ]
    made = parts_of(tmp_path / "own", rows)
    labels = [labelled_word("veloces", lemmas=["veloz"]), labelled_word("feas", lemmas=["feo"])]
    excluded = excluded_words(paths(made, "instances"), paths(made, "substitutes"), paths(made, "candidates"), labels)
    assert excluded.words == {"perros", "canes", "mejor amigo", "mejor", "amigo", "ágil", "veloces"}
    # Of `gatos`, which nobody gave, the lemma does not count.
    assert excluded.lemmas == {"perro", "can", "veloz"}
    without = excluded_words(paths(made, "instances"), [], [], [])
    assert without == KnownWords(frozenset(["perros", "ágil"]), frozenset(["perro"]))


def test_each_word_that_is_left_out_has_a_reason():
    labels = [
        labelled_word("canes"),
        labelled_word("perrito", lemmas=["perro"]),
        labelled_word("veloz"),
        labelled_word("mar"),
        labelled_word("roma", name=True),
        labelled_word("canes", "pt"),
        labelled_word("sea", "en"),
        labelled_word("costa", "es-MX"),
    ]
    known = KnownWords(frozenset(["canes"]), frozenset(["perro", "veloz"]))
    remaining, left = left_to_learn(labels, known, ["es"])
    assert [word.word for word in remaining] == ["mar", "costa"]
    assert left == {"excluded": 3, "name": 1, "other_language": 2}
    # Where no word of the folder's language is labelled, those of the others are learned from.
    remaining, left = left_to_learn(labels, known, ["fr"])
    assert [word.word for word in remaining] == ["mar", "sea", "costa"]
    assert left == {"excluded": 4, "name": 1, "other_language": 0}


WORDS = st.sampled_from(["a", "b", "ß", "ss", "SS", "é", "e"])
LABELLED = st.builds(
    LabelledWord,
    WORDS.map(str.lower),
    st.sampled_from(["es", "pt", ""]),
    st.just(0.5),
    st.just(1),
    st.frozensets(WORDS.map(str.casefold), max_size=2),
    st.booleans(),
)


@given(
    st.lists(LABELLED),
    st.frozensets(WORDS.map(str.casefold)),
    st.frozensets(WORDS.map(str.casefold)),
    st.lists(st.sampled_from(["es", "fr"])),
)
def test_nothing_that_is_learned_from_stands_there(labelled_words, words, lemmas, languages):
    remaining, left = left_to_learn(labelled_words, KnownWords(words, lemmas), languages)
    assert len(remaining) + sum(left.values()) == len(labelled_words)
    for learned in remaining:
        assert {learned.word.casefold(), *learned.lemmas}.isdisjoint(words | lemmas)
        assert not learned.name
