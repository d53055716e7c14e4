"""Form dictionaries of all formats."""

import io

import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.dictionaries import FormEntry, detect, read_forms

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


def test_morfologik_with_frequencies():
    dictionary = read("así_asina_RGE\nasí_así_RGQ\nvoz_voces_NCFP000A\ndar_dalo_VMM02S0:PP3MSA00B\nvoz_voces\n")
    assert dictionary.format == "morfologik-frequency"
    assert dictionary.entries == {
        FormEntry("así", "ADV _", "asina"): 16,
        FormEntry("así", "ADV _", "así"): 65536,
        FormEntry("voz", "NOUN Gender=Fem|Number=Plur", "voces"): 1,
    }
    assert dictionary.skipped == {"tag": 1, "malformed": 1}


def test_morfologik_without_frequencies():
    # RG and VMP00SM end in letters of their own, and one verb of the Portuguese dictionary has one more.
    text = "assim_assim_RG\namar_amada_VMP00SF\nvoz_vozes_NCFP000\namar_amámos_VMIS1P0P\namar_amara_VMIM3S0\n"
    dictionary = read(text)
    assert dictionary.format == "morfologik"
    assert set(dictionary.entries.values()) == {1}
    assert {entry.form: entry.inflection for entry in dictionary.entries} == {
        "assim": "ADV _",
        "amada": "VERB Gender=Fem|Number=Sing|VerbForm=Part",
        "vozes": "NOUN Gender=Fem|Number=Plur",
        "amámos": "VERB Mood=Ind|Number=Plur|Person=1|Tense=Past|VerbForm=Fin",
        "amara": "VERB Mood=Ind|Number=Sing|Person=3|Tense=Pqp|VerbForm=Fin",
    }


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
