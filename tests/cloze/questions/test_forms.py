"""Words in the form that an answer has in its place."""

from collections import Counter

import pytest

from lexbeam.transforms.cloze.questions.choice import AnswerForms, RightAnswer
from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.english import english_inflector
from lexbeam.transforms.inflection.inflector import Inflector, compiled

pytest.importorskip("lemminflect")


def forms(form, lemma, upos, before, *words):
    """Return words beside an answer; each is `word` or `word/lemma`."""
    made = AnswerForms(english_inflector(), RightAnswer(form, lemma, upos), before.split())
    return [made.of(word.split("/")[0], word.split("/")[-1]) for word in words]


def test_forms_are_like_the_answers():
    assert forms("cities", "city", "NOUN", "the", "child", "wolves/wolf", "fear") == ["children", "wolves", "fears"]
    assert forms("fell", "fall", "VERB", "shares", "rise", "put", "planned/plann") == ["rose", "put", "planned"]
    assert forms("biggest", "big", "ADJ", "the", "small", "good/good", "global") == ["smallest", "best", None]


def test_words_before_a_verb_say_which_of_its_forms_it_is():
    for before, expected in (
        ("to", "take"),
        ("they would not", "take"),
        ("he has recently", "taken"),
        ("the police", "took"),
        ("in all the big cities of the country they", "took"),
        ("family", "took"),
        # At the beginning of a sentence it is an imperative.
        ("", "take"),
        ("it was over .", "take"),
    ):
        assert forms("let", "let", "VERB", before, "take") == [expected], before
    # A form that has one reading keeps it.
    assert forms("lets", "let", "VERB", "to", "take") == ["takes"]


def test_what_is_no_such_part_of_speech_has_no_form():
    assert forms("let", "let", "VERB", "they", "freedom", "of") == [None, None]
    # A wrong lemma of the annotation is passed over.
    assert forms("soaring", "soaring", "VERB", "prices", "fall", "fallen/fallen") == ["falling", "falling"]


def test_beside_a_participle_that_is_tagged_as_an_adjective_stand_participles_like_it():
    assert forms("leading", "leading", "ADJ", "the", "rising", "troubled", "big") == ["rising", None, None]
    assert forms("troubled", "troubled", "ADJ", "the", "rising", "excited", "big") == [None, "excited", None]
    assert forms("red", "red", "ADJ", "the", "rising", "excited", "big") == [None, None, "big"]


def test_of_an_unknown_answer_nothing_is_known():
    assert not AnswerForms(english_inflector(), RightAnswer("fell", "fall", ""), []).known
    assert not AnswerForms(english_inflector(), RightAnswer("so", "so", "SCONJ"), []).known


def test_of_several_lemmas_the_commonest_counts():
    rows = [("abre", "Number=Sing", "cosa", 1), ("cosa", "Number=Sing", "cosa", 9), ("mar", "Number=Sing", "mar", 1)]
    rows += [(lemma, "Number=Plur", f"{lemma}s", 1) for lemma in ("abre", "cosa", "mar")]
    inflector = Inflector(compiled(Counter({FormEntry(a, f"NOUN {b}", c): n for a, b, c, n in rows}), "es"), "es")
    assert AnswerForms(inflector, RightAnswer("mars", "mar", "NOUN"), []).of("cosa", "unknown") == "cosas"
