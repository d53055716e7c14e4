"""Words in the form that an answer has in its place."""

import pytest

from transforms.cloze.options.choice import RightAnswer
from transforms.cloze.options.forms import AnswerForms
from transforms.inflection.english import english_inflector

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
    ):
        assert forms("let", "let", "VERB", before, "take") == [expected], before
    # A form that has one reading keeps it.
    assert forms("lets", "let", "VERB", "to", "take") == ["takes"]


def test_what_is_no_such_part_of_speech_has_no_form():
    assert forms("let", "let", "VERB", "they", "freedom", "of") == [None, None]
    # A wrong lemma of the annotation is passed over.
    assert forms("soaring", "soaring", "VERB", "prices", "fall", "fallen/fallen") == ["falling", "falling"]


def test_of_an_unknown_answer_nothing_is_known():
    assert not AnswerForms(english_inflector(), RightAnswer("fell", "fall", ""), []).known
    assert not AnswerForms(english_inflector(), RightAnswer("so", "so", "SCONJ"), []).known
