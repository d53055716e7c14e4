"""Filters similarity and ngram: floors of cosines and of counts of bigrams."""

import math

import numpy as np
import pytest

from transforms.lexicon.resources import LexiconOptions, prepare
from transforms.simplification.records import Instance
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting
from transforms.simplification.selection.filters import FILTERS, filter_ngram, filter_similarity
from transforms.simplification.selection.options import SelectionOptions

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
    one = Instance("1", "es", sentence, target, start, start + len(target), None, None, None)
    return InstanceCandidates(one, [CandidateState(form, form, None, before, 1.0, None) for form in forms])


def reasons(found):
    return {state.form: state.reason for state in found.states}


def cosine(one, other):
    one, other = np.array(VECTORS[one]), np.array(VECTORS[other])
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


@pytest.mark.parametrize("least", [-1.0, 0.0, 0.5, 0.8, 1.0])
def test_similarity_is_the_cosine_to_the_target(selecting, least):
    found = group("Un Arduo día.", "Arduo", "duro", "roca", "fácil", "nada", "de roca")
    filter_similarity([found], selecting(least_similarity=least))
    for state in found.states:
        if state.form in VECTORS:
            assert state.similarity == pytest.approx(cosine("arduo", state.form))
            below = cosine("arduo", state.form) < least
            assert state.reason == ("below_similarity" if below else None)
        else:  # without a vector nothing is known
            assert (state.similarity, state.reason) == (None, None)


def test_without_a_vector_of_the_target_all_go_on(selecting):
    found = group("Un xyz día.", "xyz", "duro", "roca")
    filter_similarity([found], selecting(least_similarity=0.9))
    assert reasons(found) == {"duro": None, "roca": None}


def test_what_is_dropped_already_keeps_its_reason(selecting):
    found = group("Un arduo día.", "arduo", "roca")
    found.states[0].reason = "merged"
    for name in ("similarity", "ngram", "none"):
        FILTERS[name].drop([found], selecting(least_similarity=1.0, least_ngram=9.0))
    assert reasons(found) == {"roca": "merged"}


def test_ngrams_are_those_with_both_neighbours(selecting):
    found = group("Un ARDUO día.", "ARDUO", "duro", "roca", "nada")
    filter_ngram([found], selecting(least_ngram=0.3))
    expected = {"duro": (math.log10(100) + math.log10(10)) / 2, "roca": math.log10(4) / 2, "nada": 0.0}
    assert {state.form: state.ngram for state in found.states} == pytest.approx(expected)
    assert reasons(found) == {"duro": None, "roca": None, "nada": "below_ngram"}


def test_ngrams_at_the_borders_of_a_sentence_and_with_another_word_before(selecting):
    first, last = group("Arduo día", "Arduo", "duro"), group("Un arduo", "arduo", "duro")
    alone, other = group("Arduo", "Arduo", "duro"), group("Una ardua día", "ardua", "duro", before="un")
    filter_ngram([first, last, alone, other], selecting(least_ngram=1.5))
    found = [one.states[0] for one in (first, last, alone, other)]
    assert [state.ngram for state in found] == pytest.approx([1.0, 2.0, None, 1.5])
    assert [state.reason for state in found] == ["below_ngram", None, None, None]


@pytest.mark.parametrize(
    ("sentence", "before", "expected"),
    [("Salió de la xyz.", "el", 2.0), ("Salió del xyz.", "de la", 1.0), ("Fue al xyz.", "a la", 1)],
)
def test_the_word_before_is_the_one_that_stands_there(sentence, before, expected, selecting):
    found = group(sentence, "xyz", "duro", before=before)
    filter_ngram([found], selecting(least_ngram=0.0))
    assert found.states[0].ngram == pytest.approx(expected)


def test_a_phrase_meets_its_neighbours_by_its_ends(selecting):
    found = group("Un arduo día", "arduo", "duro de roca")
    filter_ngram([found], selecting(least_ngram=0.0))
    (state,) = found.states
    assert state.ngram == pytest.approx((math.log10(100) + math.log10(4)) / 2)


@pytest.mark.parametrize("name", ["similarity", "ngram"])
def test_the_company_of_other_instances_changes_nothing(name, selecting):
    def asked():
        return [
            group("Un arduo día.", "arduo", "duro", "roca", "nada"),
            group("Un xyz día.", "xyz", "duro"),
            group("Un roca día", "roca", "fácil"),
        ]

    together, alone = asked(), asked()
    options = selecting(least_similarity=0.5, least_ngram=0.5)
    FILTERS[name].drop(together, options)
    for one in alone:
        FILTERS[name].drop([one], options)
    assert together == alone
    assert {reason for one in together for reason in reasons(one).values()} == {None, f"below_{name}"}
