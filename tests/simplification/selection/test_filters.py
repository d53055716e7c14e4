"""Filters morphology, similarity and ngram, by hand."""

import math
from collections import Counter

import numpy as np
import pytest

from lexbeam.transforms.inflection import models
from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.inflection.models import InflectorReference
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.selection.candidate_filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
)
from lexbeam.transforms.simplification.selection.filters import (
    FILTERS,
    filter_morphology,
    filter_ngram,
    filter_similarity,
)

VECTORS = {"arduo": (1, 0), "duro": (1, 1), "roca": (0, 1), "fácil": (-1, 0.5), "de": (2, 1)}
BIGRAMS = {"un duro": 99, "duro día": 9, "del día": 999, "roca día": 3, "del duro": 99, "la duro": 9, "el duro": 7}


@pytest.fixture
def selecting(tmp_path):
    rows = "".join(f"{word} {x} {y}\n" for word, (x, y) in VECTORS.items())
    (tmp_path / "x.vec").write_text(f"{len(VECTORS)} 2\n{rows}")
    (tmp_path / "n.tsv").write_text("".join(f"{two}\t{n}\n" for two, n in BIGRAMS.items()))
    lexicon = prepare(
        LexiconOptions(
            resources=(f"vectors_=vectors:{tmp_path / 'x.vec'}", f"ngrams={tmp_path / 'n.tsv'}:word=1,value=2"),
            cache=str(tmp_path / "cache"),
        )
    )

    def of(**options):
        return Selecting(SelectionOptions(**options), lexicon)

    return of


def group(sentence, target, *forms, before=None):
    start = sentence.index(target)
    instance = Instance("1", "es", sentence, target, start, start + len(target), None, None, None)
    return InstanceCandidates(instance, [CandidateState(form, form, None, before, 1.0, None) for form in forms])


def reasons(group):
    return {state.form: state.reason for state in group.states}


def cosine(first, other):
    first, other = np.array(VECTORS[first]), np.array(VECTORS[other])
    return first @ other / np.linalg.norm(first) / np.linalg.norm(other)


@pytest.mark.parametrize("least", [-1.0, 0.0, 0.5, 0.8, 1.0])
def test_similarity_is_the_cosine_to_the_target(selecting, least):
    candidates = group("Un Arduo día.", "Arduo", "duro", "roca", "fácil", "nada", "de roca")
    filter_similarity([candidates], selecting(least_similarity=least))
    for state in candidates.states:
        if state.form in VECTORS:
            assert state.similarity == pytest.approx(cosine("arduo", state.form))
            below = cosine("arduo", state.form) < least
            assert state.reason == ("below_similarity" if below else None)
        else:  # without a vector nothing is known
            assert (state.similarity, state.reason) == (None, None)


def test_without_a_vector_of_the_target_all_go_on(selecting):
    candidates = group("Un xyz día.", "xyz", "duro", "roca")
    filter_similarity([candidates], selecting(least_similarity=0.9))
    assert reasons(candidates) == {"duro": None, "roca": None}


def test_what_is_dropped_already_keeps_its_reason(selecting):
    candidates = group("Un arduo día.", "arduo", "roca")
    candidates.states[0].reason = "merged"
    for name in ("similarity", "ngram", "none"):
        FILTERS[name].drop([candidates], selecting(least_similarity=1.0, least_ngram=9.0))
    assert reasons(candidates) == {"roca": "merged"}


def test_ngrams_are_those_with_both_neighbours(selecting):
    candidates = group("Un ARDUO día.", "ARDUO", "duro", "roca", "nada")
    filter_ngram([candidates], selecting(least_ngram=0.3))
    expected = {"duro": (math.log10(100) + math.log10(10)) / 2, "roca": math.log10(4) / 2, "nada": 0.0}
    assert {state.form: state.ngram for state in candidates.states} == pytest.approx(expected)
    assert reasons(candidates) == {"duro": None, "roca": None, "nada": "below_ngram"}


def test_ngrams_at_the_borders_of_a_sentence_and_with_another_word_before(selecting):
    first, last = group("Arduo día", "Arduo", "duro"), group("Un arduo", "arduo", "duro")
    alone, other = group("Arduo", "Arduo", "duro"), group("Una ardua día", "ardua", "duro", before="un")
    filter_ngram([first, last, alone, other], selecting(least_ngram=1.5))
    states = [case.states[0] for case in (first, last, alone, other)]
    assert [state.ngram for state in states] == pytest.approx([1.0, 2.0, None, 1.5])
    assert [state.reason for state in states] == ["below_ngram", None, None, None]


@pytest.mark.parametrize(
    ("sentence", "before", "expected"),
    [("Salió de la xyz.", "el", 2.0), ("Salió del xyz.", "de la", 1.0), ("Fue al xyz.", "a la", 1)],
)
def test_the_word_before_is_the_one_that_stands_there(sentence, before, expected, selecting):
    candidates = group(sentence, "xyz", "duro", before=before)
    filter_ngram([candidates], selecting(least_ngram=0.0))
    assert candidates.states[0].ngram == pytest.approx(expected)


def test_a_phrase_meets_its_neighbours_by_its_ends(selecting):
    candidates = group("Un arduo día", "arduo", "duro de roca")
    filter_ngram([candidates], selecting(least_ngram=0.0))
    (state,) = candidates.states
    assert state.ngram == pytest.approx((math.log10(100) + math.log10(4)) / 2)


@pytest.mark.parametrize("name", ["similarity", "ngram"])
def test_the_company_of_other_instances_changes_nothing(name, selecting):
    def filtered():
        return [
            group("Un arduo día.", "arduo", "duro", "roca", "nada"),
            group("Un xyz día.", "xyz", "duro"),
            group("Un roca día", "roca", "fácil"),
        ]

    together, alone = filtered(), filtered()
    options = selecting(least_similarity=0.5, least_ngram=0.5)
    FILTERS[name].drop(together, options)
    for single in alone:
        FILTERS[name].drop([single], options)
    assert together == alone
    assert {reason for single in together for reason in reasons(single).values()} == {None, f"below_{name}"}


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
def with_forms(monkeypatch):
    entries = Counter({FormEntry(lemma, name, form): n for lemma, name, form, n in FORMS})
    inflector = Inflector(compiled(entries, "es"), "es")
    monkeypatch.setattr(models, "open_inflector", lambda _: inflector)
    return Selecting(SelectionOptions(), inflector=InflectorReference("x", "es", "0"))


def lemma_group(target, *states, lemma=None, upos="NOUN", language="es"):
    instance = Instance("1", language, f"Un {target}.", target, 3, 3 + len(target), lemma, upos, None)
    return InstanceCandidates(
        instance,
        [
            CandidateState(form, form, candidate_lemma, None, score, votes)
            for form, candidate_lemma, score, votes in states
        ],
    )


def outcome(candidates):
    return {s.form: (s.reason, s.merged_into, s.score, s.votes) for s in candidates.states}


def test_forms_of_the_target_go(with_forms):
    candidates = lemma_group("cantos", ("canto", None, 1.0, None), ("tono", None, 1.0, None))
    filter_morphology([candidates], with_forms)
    assert {form: state[0] for form, state in outcome(candidates).items()} == {
        "canto": "target_inflection",
        "tono": None,
    }


def test_other_parts_of_speech_are_other_lemmas(with_forms):
    candidates = lemma_group("cantos", ("canta", None, 1.0, None), ("canto", "cantar", 1.0, None))
    filter_morphology([candidates], with_forms)
    # `canta` is a form of cantar alone; `canto` came with the lemma of the verb.
    assert [state.reason for state in candidates.states] == [None, "merged"]


def test_what_came_as_a_form_may_be_of_any_of_its_lemmas(with_forms):
    candidates = lemma_group("ser", ("son", "son", 1.0, None), upos=None)
    filter_morphology([candidates], with_forms)
    assert candidates.states[0].reason is None
    candidates.states[0].came_as_form = True
    filter_morphology([candidates], with_forms)
    assert candidates.states[0].reason == "target_inflection"


def test_scores_and_votes_of_merged_forms_are_added(with_forms):
    candidates = lemma_group("voz", ("tonos", None, 0.2, 1), ("tono", None, 0.5, None), ("son", None, 0.5, 2))
    filter_morphology([candidates], with_forms)
    assert outcome(candidates) == {
        "tonos": ("merged", "tono", 0.2, 1),
        "tono": (None, None, 0.7, 1),
        "son": (None, None, 0.5, 2),
    }


def test_ties_go_by_code_points_and_what_was_dropped_counts_for_nothing(with_forms):
    candidates = lemma_group("voz", ("tonos", None, 1.0, None), ("tono", None, 1.0, None))
    candidates.states.append(CandidateState("ton", "ton", "tono", None, 5.0, None, reason="pos_mismatch"))
    filter_morphology([candidates], with_forms)
    assert outcome(candidates)["tonos"] == ("merged", "tono", 1.0, None)
    assert outcome(candidates)["tono"] == (None, None, 2.0, None)
    assert candidates.states[2].merged_into is None


def test_without_a_dictionary_the_lemmas_of_annotation_and_generation_count():
    candidates = lemma_group(
        "cantos",
        ("cantito", "canto", 1.0, None),
        ("Cantos".lower(), None, 1.0, None),
        ("tono", "tono", 1.0, None),
        lemma="canto",
    )
    filter_morphology([candidates], Selecting(SelectionOptions()))
    assert [s.reason for s in candidates.states] == ["target_inflection", "target_inflection", None]


def test_dictionaries_are_of_one_language(with_forms):
    candidates = lemma_group("cantos", ("canto", None, 1.0, None), language="pt")
    filter_morphology([candidates], with_forms)
    assert candidates.states[0].reason is None
