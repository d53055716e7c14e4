"""Pronouns behind verbs: told by letters, by the dictionary, by the annotation."""

from collections import Counter

import pytest

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.inflection.placing import likeliest_features, place, without_pronouns

IMP = "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin"
IMPS = IMP.replace("Sing", "Plur")
PAST = "Mood=Ind|Number=Sing|Person=1|Tense=Past|VerbForm=Fin"
S3 = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
FORMS = [
    ("decir", IMP, "di"),
    ("dar", PAST, "di"),
    ("contar", IMP, "cuenta"),
    ("contar", PAST, "conté"),
    ("poner", IMP, "pon"),
    ("poner", IMPS, "poned"),
    ("colocar", IMPS, "colocad"),
    ("colocar", IMP, "coloca"),
    ("velar", S3, "vela"),
    ("ver", IMP, "ve"),
    ("contar", "VerbForm=Ger", "contando"),
    ("contar", "VerbForm=Inf", "contar"),
]


@pytest.fixture(scope="module")
def spanish():
    entries = Counter(FormEntry(lemma, inflection("VERB", feats_of(feats)), form) for lemma, feats, form in FORMS)
    return Inflector(compiled(entries, "es"), "es")


@pytest.mark.parametrize(
    ("form", "host", "pronouns"),
    [
        ("dímelo", "di", ("me", "lo")),
        ("dime", "di", ("me",)),
        ("ponlas", "pon", ("las",)),
        ("colocadlos", "colocad", ("los",)),
        ("colócalos", "coloca", ("los",)),
        ("vela", "vela", ()),  # a word of the dictionary, though `ve` is an imperative
        ("mesa", "mesa", ()),
        ("contándolas", "contando", ("las",)),
        ("licuándolo", "licuando", ("lo",)),  # a gerund that no dictionary has
        ("licuarlo", "licuarlo", ()),
        ("perla", "perla", ()),
    ],
)
def test_hosts(spanish, form, host, pronouns):
    assert without_pronouns(spanish, form) == (host, pronouns)


def test_the_annotation_tells_infinitives(spanish):
    assert without_pronouns(spanish, "licuarlo", {"VerbForm": "Inf"}) == ("licuar", ("lo",))
    assert without_pronouns(spanish, "licuarlo", feats_of(S3)) == ("licuarlo", ())


def test_a_form_with_pronouns_is_an_imperative(spanish):
    assert likeliest_features(spanish, "Dímelo", "VERB") == feats_of(IMP)
    assert likeliest_features(spanish, "di", "VERB", "dar") == feats_of(PAST)
    assert likeliest_features(spanish, "hola", "INTJ") is None


@pytest.mark.parametrize(
    ("lemma", "target", "form"),
    [
        ("contar", "dímelo", "cuéntamelo"),
        ("poner", "colocadlos", "ponedlos"),
        ("contar", "licuándola", "contándola"),
        ("colocar", "Ponlas", "Colócalas"),
    ],
)
def test_pronouns_go_on_again(spanish, lemma, target, form):
    assert place(spanish, lemma, "VERB", target).form == form
