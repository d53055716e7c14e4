"""Features of forms, and tag sets."""

import pytest

from lexbeam.transforms.inflection.features import feats_of, feats_text, inflection, of_eagles, of_unimorph, split


@pytest.mark.parametrize(
    ("tag", "upos", "feats"),
    [
        ("NCMS000", "NOUN", "Gender=Masc|Number=Sing"),
        ("NCCN000", "NOUN", "_"),
        ("NP00000", "PROPN", "_"),
        ("AQ0FP0", "ADJ", "Gender=Fem|Number=Plur"),
        ("AQSMS0", "ADJ", "Degree=Abs|Gender=Masc|Number=Sing"),
        ("AO0MS0", "ADJ", "Gender=Masc|Number=Sing"),
        ("VMN0000", "VERB", "VerbForm=Inf"),
        ("VMG0000", "VERB", "VerbForm=Ger"),
        ("VMP00SF", "VERB", "Gender=Fem|Number=Sing|VerbForm=Part"),
        ("VMIP1S0", "VERB", "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"),
        ("VMIS3P0", "VERB", "Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin"),
        ("VMSI3S0", "VERB", "Mood=Sub|Number=Sing|Person=3|Tense=Imp|VerbForm=Fin"),
        ("VMIC3S0", "VERB", "Mood=Cnd|Number=Sing|Person=3|VerbForm=Fin"),
        ("VMM02S0", "VERB", "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin"),
        ("VSIF3S0", "AUX", "Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin"),
        ("RG", "ADV", "_"),
        ("CS", "SCONJ", "_"),
        ("CC", "CCONJ", "_"),
        ("SPS00", "ADP", "_"),
        ("DA0FS0", "DET", "Gender=Fem|Number=Sing"),
        ("Zm", "NUM", "_"),
    ],
)
def test_eagles(tag, upos, feats):
    assert of_eagles(tag) == (upos, feats_of(feats))


@pytest.mark.parametrize("tag", ["VMN0000:PP3MSA00", "VMM02V0", "x", "", "Q", "VMX0000", "canto"])
def test_tags_that_are_none_of_ours(tag):
    assert of_eagles(tag) is None


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("N;PL;FEM", "NOUN Gender=Fem|Number=Plur"),
        ("N;SG", "NOUN Number=Sing"),
        ("ADJ;FEM;PL", "ADJ Gender=Fem|Number=Plur"),
        ("V;NFIN", "VERB VerbForm=Inf"),
        ("V;IND;PST;3;PL;PFV", "VERB Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin"),
        ("V;COND;1;SG", "VERB Mood=Cnd|Number=Sing|Person=1|VerbForm=Fin"),
        ("V;V.PTCP;PST;MASC;SG", "VERB Gender=Masc|Number=Sing|VerbForm=Part"),
        ("V;V.PTCP;PRS", "VERB Tense=Pres|VerbForm=Part"),
        ("V.CVB;PRS", "VERB Tense=Pres|VerbForm=Ger"),
        ("V;PST", "VERB Tense=Past|VerbForm=Fin"),
        ("ADJ;SPRL", "ADJ Degree=Sup"),
    ],
)
def test_unimorph(tag, name):
    assert inflection(*of_unimorph(tag)) == name


@pytest.mark.parametrize("tag", ["V;NEG;IMP;2;SG", "V;IMP;2;SG;FORM", "PL", "", "XYZ"])
def test_unimorph_that_is_left_out(tag):
    assert of_unimorph(tag) is None


def test_treebanks_that_differ_say_the_same():
    part = "VERB Gender=Masc|Number=Sing|VerbForm=Part"
    for feats in ("Gender=Masc|Number=Sing|Tense=Past|VerbForm=Part", "Gender=Masc|Number=Sing|VerbForm=Fin"):
        assert inflection("AUX", feats_of(feats)) == part
    assert inflection("NOUN", feats_of("Number=Plur|NumType=Card|Typo=Yes")) == "NOUN Number=Plur"
    assert inflection("ADJ", feats_of("Degree=Pos|VerbForm=Part")) == "ADJ _"


def test_feats_as_text():
    assert feats_of("_") == feats_of(None) == feats_of("") == {}
    assert feats_text({}) == "_"
    assert split("NOUN Gender=Fem|Number=Plur") == ("NOUN", {"Gender": "Fem", "Number": "Plur"})
    assert feats_text(feats_of("Number=Sing|Gender=Fem")) == "Gender=Fem|Number=Sing"
