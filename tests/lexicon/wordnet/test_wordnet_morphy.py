import pyarrow as pa
import pytest
from wordnet_making import EXCEPTIONS, SMALL, open_folder, write_wordnet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, SMALL, exceptions=EXCEPTIONS)
    return folder


@pytest.fixture(scope="module")
def wordnet(folder):
    return open_folder(folder)


@pytest.mark.parametrize(
    ("form", "pos", "bases"),
    [
        ("dog", "n", ["dog"]),
        ("DOGS", "n", ["dog"]),
        ("Domestic Dogs", "n", ["domestic_dog"]),
        ("axes", "n", ["ax", "axis"]),  # of the list, in its order
        ("men", "n", ["men", "man"]),  # it is a word, and on the list
        ("geese", "n", []),  # WordNet has no goose here
        ("dogmen", "n", []),  # on the list: the rule from -men to -man is not tried
        ("boxes", "n", ["box"]),
        ("boxesful", "n", ["boxful"]),
        ("full", "n", []),
        ("cities", "n", []),  # -ies to -y leads to city, which comes after -s to -: see below
        ("class", "n", []),  # nouns in -ss are left alone
        ("as", "n", ["as"]),  # and short ones
        ("elves", "n", []),  # Princeton has no rule from -ves to -f
        ("els", "n", ["el"]),
        ("attorneys general", "n", ["attorney_general"]),
        ("ear-rings", "n", ["ear-ring"]),
        ("ear_rings", "n", []),
        ("moves", "v", ["move"]),
        ("moved", "v", ["move"]),
        ("moving", "v", ["move"]),
        ("movings", "v", []),
        ("dashes", "v", ["dash"]),
        ("ran", "v", ["run"]),
        ("asking for", "v", ["ask_for"]),
        ("asked_for", "v", ["ask_for"]),
        ("asked-for", "v", []),
        ("going dog", "v", ["go_dog"]),
        ("went dog", "v", ["go_dog"]),
        ("ran for men", "v", ["run_for_man"]),
        ("runs for men", "v", ["run_for_man"]),
        ("hotter", "a", []),  # no doubling of consonants
        ("colder", "a", ["cold"]),
        ("coldest", "a", ["cold"]),
        ("colds", "a", []),
        ("better", "r", ["well"]),
        ("hotlys", "r", []),
        ("running", "a", ["running"]),
        ("nothing", "n", []),
        ("", "n", []),
        ("s", "n", []),
        ("-", "n", []),
        ("_", "v", []),
        ("_for", "v", []),
        ("dogs\0dogs", "n", []),
        ("ear-\0rings", "n", []),
    ],
)
def test_base_forms(wordnet, form, pos, bases):
    if form == "cities":
        bases = ["city"]
    assert wordnet.base_forms(pa.array([form]), pos).to_pylist() == [bases]
    assert wordnet.morphy(pa.array([form]), pos).to_pylist() == [bases[0] if bases else None]


def test_any_part_of_speech_is_all_of_them_in_order(wordnet):
    forms = pa.array(["running", "dogs", "better", None, "dogs", "men"])
    assert wordnet.base_forms(forms).to_pylist() == [["run", "running"], ["dog"], ["well"], [], ["dog"], ["men", "man"]]
    assert wordnet.morphy(forms).to_pylist() == ["run", "dog", "well", None, "dog", "men"]


def test_each_word_has_its_own_part_of_speech(wordnet):
    forms = pa.array(["running", "running", "running", "running", "Dogs", "dogs"])
    tags = pa.array(["ADJ", "VERB", "NOUN", None, "PROPN", "DET"])
    assert wordnet.morphy(forms, tags).to_pylist() == ["running", "run", None, "run", "dog", None]
    assert wordnet.base_forms(forms, tags).to_pylist() == [["running"], ["run"], [], ["run", "running"], ["dog"], []]


def test_chunks_and_dictionaries_are_words_too(wordnet):
    forms = pa.chunked_array([["dogs"], ["ran", None]])
    assert wordnet.morphy(forms).to_pylist() == ["dog", "run", None]
    assert wordnet.morphy(forms.combine_chunks().dictionary_encode()).to_pylist() == ["dog", "run", None]
    assert wordnet.morphy(pa.array([], pa.string())).to_pylist() == []
    assert wordnet.base_forms(pa.array([], pa.string()), "n").to_pylist() == []


def test_other_languages_have_no_english_endings(folder):
    german = open_folder(folder, "de")
    forms = pa.array(["dog", "dogs", "men", "ran"])
    assert german.base_forms(forms).to_pylist() == [["dog"], [], ["men", "man"], ["run"]]
