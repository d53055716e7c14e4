"""Adjectives whose form does not show their gender: the words before them say it."""

from collections import Counter

import pytest
from nets import ends

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.inflection.placing import gender_before
from lexbeam.transforms.simplification.generation.target_forms import formed
from lexbeam.transforms.simplification.records import Instance, Proposal

FORMS = [
    ("lengua", "NOUN", "Gender=Fem|Number=Sing", "lengua"),
    ("era", "NOUN", "Gender=Fem", "era"),
    ("ser", "VERB", "Mood=Ind|Number=Sing", "era"),
    ("agua", "NOUN", "Gender=Fem", "agua"),
    ("mar", "NOUN", "Gender=Fem", "mar"),
    ("mar", "NOUN", "Gender=Masc", "mar"),
    ("puente", "NOUN", "Gender=Masc|Number=Sing", "puente"),
    ("grande", "ADJ", "Number=Sing", "grande"),
    ("amplio", "ADJ", "Gender=Masc|Number=Sing", "amplio"),
    ("amplio", "ADJ", "Gender=Fem|Number=Sing", "amplia"),
]


@pytest.fixture(scope="module")
def spanish():
    entries = Counter(FormEntry(lemma, inflection(upos, feats_of(feats)), form) for lemma, upos, feats, form in FORMS)
    return Inflector(compiled(entries, "es"), "es")


@pytest.mark.parametrize(
    ("left", "gender"),
    [
        ("La lengua ", "Fem"),
        ("la muy ", "Fem"),
        ("Es una de las más ", "Fem"),
        ("El ", "Masc"),
        ("El puente tan ", "Masc"),
        ("El agua ", "Fem"),
        ("en otra era ", "Fem"),
        ("de era ", "Fem"),
        ("Todo era ", None),
        ("Juan era ", None),
        ("era ", None),
        ("el mar ", None),
        ("la lengua, ", None),
        ("la lengua (", None),
        ("", None),
        ("¿La ", "Fem"),
        ("xyz ", None),
    ],
)
def test_what_stands_before(spanish, left, gender):
    assert gender_before(left, spanish) == gender


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("Una lengua grande.", "amplia"),
        ("El puente grande.", "amplio"),
        ("La grande ola.", "amplia"),
        ("Juan era grande.", "amplio"),
    ],
)
@pytest.mark.parametrize("feats", [None, "Number=Sing"])
def test_candidates_agree(spanish, sentence, form, feats):
    start = sentence.index("grande")
    instance = Instance("1", "es", sentence, "grande", start, start + 6, "grande", "ADJ", feats)
    (made,) = formed(instance, [Proposal("amplio", 1.0, True)], spanish)
    assert made.form == form


def test_a_sentence_of_any_length_takes_no_time(spanish):
    for left in ("a" * 200_000, "la " * 70_000, "la" + " " * 200_000):
        with ends(10):  # 20,000 letters took 4 s, and with the square of them
            assert gender_before(left, spanish) == ("Fem" if left.startswith("la l") else None)
