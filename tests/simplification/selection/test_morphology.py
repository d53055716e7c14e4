"""Filter morphology: forms of the target go, and forms of one lemma become one."""

from collections import Counter

import pytest

from transforms.inflection.dictionaries import FormEntry
from transforms.inflection.inflector import Inflector, compiled
from transforms.inflection.kept import KeptInflector
from transforms.simplification.records import Instance
from transforms.simplification.selection import filter
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting
from transforms.simplification.selection.morphology import filter_morphology, lemmas_of
from transforms.simplification.selection.options import SelectionOptions

FORMS = [
    ("cantar", "VERB Person=1", "canto", 5),
    ("cantar", "VERB Person=3", "canta", 5),
    ("canto", "NOUN Number=Sing", "canto", 2),
    ("canto", "NOUN Number=Plur", "cantos", 2),
    ("tono", "NOUN Number=Sing", "tono", 1),
    ("tono", "NOUN Number=Plur", "tonos", 1),
    ("son", "NOUN Number=Sing", "son", 1),
    ("ser", "VERB Person=3", "son", 9),
]


@pytest.fixture
def selecting(monkeypatch):
    entries = Counter({FormEntry(lemma, name, form): n for lemma, name, form, n in FORMS})
    inflector = Inflector(compiled(entries, "es"), "es")
    monkeypatch.setattr(filter, "opened_inflector", lambda kept: inflector)
    return Selecting(SelectionOptions(), inflector=KeptInflector("x", "es", "0"))


def group(target, *states, lemma=None, upos="NOUN", language="es"):
    one = Instance("1", language, f"Un {target}.", target, 3, 3 + len(target), lemma, upos, None)
    return InstanceCandidates(
        one, [CandidateState(form, form, own, None, score, votes) for form, own, score, votes in states]
    )


def outcome(found):
    return {s.form: (s.reason, s.merged_into, s.score, s.votes) for s in found.states}


def test_forms_of_the_target_go(selecting):
    found = group("cantos", ("canto", None, 1.0, None), ("tono", None, 1.0, None))
    filter_morphology([found], selecting)
    assert {form: own[0] for form, own in outcome(found).items()} == {"canto": "target_inflection", "tono": None}


def test_other_parts_of_speech_are_other_lemmas(selecting):
    found = group("cantos", ("canta", None, 1.0, None), ("canto", "cantar", 1.0, None))
    filter_morphology([found], selecting)
    # `canta` is a form of cantar alone; `canto` came with the lemma of the verb.
    assert [state.reason for state in found.states] == [None, "merged"]


def test_what_came_as_a_form_may_be_of_any_of_its_lemmas(selecting):
    found = group("ser", ("son", "son", 1.0, None), upos=None)
    filter_morphology([found], selecting)
    assert found.states[0].reason is None
    found.states[0].given = True
    filter_morphology([found], selecting)
    assert found.states[0].reason == "target_inflection"


def test_scores_and_votes_of_merged_forms_are_added(selecting):
    found = group("voz", ("tonos", None, 0.2, 1), ("tono", None, 0.5, None), ("son", None, 0.5, 2))
    filter_morphology([found], selecting)
    assert outcome(found) == {
        "tonos": ("merged", "tono", 0.2, 1),
        "tono": (None, None, 0.7, 1),
        "son": (None, None, 0.5, 2),
    }


def test_ties_go_by_code_points_and_what_was_dropped_counts_for_nothing(selecting):
    found = group("voz", ("tonos", None, 1.0, None), ("tono", None, 1.0, None))
    found.states.append(CandidateState("ton", "ton", "tono", None, 5.0, None, reason="pos_mismatch"))
    filter_morphology([found], selecting)
    assert outcome(found)["tonos"] == ("merged", "tono", 1.0, None)
    assert outcome(found)["tono"] == (None, None, 2.0, None)
    assert found.states[2].merged_into is None


def test_without_a_dictionary_the_lemmas_of_annotation_and_generation_count():
    found = group(
        "cantos",
        ("cantito", "canto", 1.0, None),
        ("Cantos".lower(), None, 1.0, None),
        ("tono", "tono", 1.0, None),
        lemma="canto",
    )
    filter_morphology([found], Selecting(SelectionOptions()))
    assert [s.reason for s in found.states] == ["target_inflection", "target_inflection", None]


def test_dictionaries_are_of_one_language(selecting):
    found = group("cantos", ("canto", None, 1.0, None), language="pt")
    filter_morphology([found], selecting)
    assert found.states[0].reason is None


def test_lemmas_by_part_of_speech_else_all(selecting):
    inflector = selecting.inflector_of("es")
    assert lemmas_of(inflector, "son", "AUX") == ["ser"]
    assert lemmas_of(inflector, "son", "ADJ") == ["ser", "son"]
    assert lemmas_of(inflector, "nada", "NOUN") == []
    assert lemmas_of(None, "son", None) == []
