"""Form dictionaries of three formats."""

import io

import pytest

from transforms.common.errors import LexbeamError, UsageError
from transforms.inflection.dictionaries import FormEntry, detect, read_forms

UNIMORPH = "cantar\tcanto\tV;IND;PRS;1;SG\nvoz\tvoces\tN;PL\n"
FREELING = "canto cantar VMIP1S0 canto NCMS000\nvoces voz NCFP000\n"
CONLLU = (
    "# text = Voces\n1\tVoces\tvoz\tNOUN\t_\tGender=Fem|Number=Plur\t0\troot\t_\t_\n"
    "2-3\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n2\tvozz\tvoz\tNOUN\t_\tNumber=Sing|Typo=Yes\t1\tdep\t_\t_\n"
    "3\tthe\tthe\tX\t_\tForeign=Yes\t1\tdep\t_\t_\n4\t12\t12\tNUM\t_\t_\t1\tdep\t_\t_\n\n"
)


def read(text, format=None):
    return read_forms(io.BytesIO(text.encode()), "forms.txt", format)


def test_unimorph():
    dictionary = read(UNIMORPH)
    assert dictionary.format == "unimorph"
    assert FormEntry("voz", "NOUN Number=Plur", "voces") in dictionary.entries


def test_freeling_has_several_readings_a_line():
    dictionary = read(FREELING)
    assert dictionary.format == "freeling"
    assert sorted(entry.lemma for entry in dictionary.entries) == ["cantar", "canto", "voz"]


def test_conllu_leaves_out_what_is_marked():
    dictionary = read(CONLLU)
    assert dictionary.format == "conllu"
    assert dict(dictionary.entries) == {FormEntry("voz", "NOUN Gender=Fem|Number=Plur", "voces"): 1}
    assert dict(dictionary.skipped) == {"typo_or_foreign": 2, "not_a_word": 1}


def test_bad_lines_are_counted():
    dictionary = read("canto cantar VMIP1S0\ncanto cantar\nvos vos XX\n" + FREELING, "freeling")
    assert dictionary.skipped == {"malformed": 1, "tag": 1}


def test_a_file_that_is_none():
    with pytest.raises(UsageError, match=r"forms\.txt .*`format`"):
        read("Call me Ishmael. Some years ago\nnever mind how long\n")
    with pytest.raises(UsageError, match="format"):
        read("")
    with pytest.raises(LexbeamError, match="no form"):
        read("Call me Ishmael.\n", "conllu")
    with pytest.raises(LexbeamError, match="UTF-8"):
        read_forms(io.BytesIO("niño niño NCMS000\n".encode("latin-1")), "x", None)


def test_a_byte_order_mark_and_dos_lines():
    dictionary = read("\ufeff" + FREELING.replace("\n", "\r\n"))
    assert FormEntry("voz", "NOUN Gender=Fem|Number=Plur", "voces") in dictionary.entries


def test_detect_asks_for_half_of_the_lines():
    assert detect(FREELING.splitlines()) == "freeling"
    assert detect(["canto cantar VMIP1S0", "one two", "three four", "five six"]) is None
