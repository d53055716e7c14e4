"""Languages that no resource serves are told before anything is generated."""

import pytest
from wordnet_making import Synset, write_wordnet

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.generation.generators import check_languages


@pytest.fixture
def lexicon(tmp_path):
    write_wordnet(tmp_path / "wordnet", [Synset("ship", "n", ["ship", "vessel"])])
    (tmp_path / "th.dat").write_text("UTF-8\nmar|1\n-|agua\n")
    resources = (
        f"wordnet_=wordnet:{tmp_path / 'wordnet'}",
        f"thesaurus_1=thesaurus:{tmp_path / 'th.dat'}:language=es",
        f"thesaurus_2=thesaurus:{tmp_path / 'th.dat'}",
    )
    return prepare(LexiconOptions(resources=resources, cache=str(tmp_path / "cache")))


def test_a_language_without_any_resource_says_what_to_bring(lexicon):
    message = (
        r"setting a generates by thesaurus, wordnet, whose files are of en, es, and instances are of pt-BR: .*"
        r"`thesaurus` FILE .*th_pt_\*\.dat.*mythes-pt.*languages/"
    )
    with pytest.raises(UsageError, match=message):
        check_languages(["pt-BR"], {"a": ("thesaurus", "wordnet")}, lexicon, ("thesaurus_1",))


def test_one_of_several_languages_is_a_warning(lexicon, caplog):
    check_languages(["sv", "en"], {"a": ("wordnet",)}, lexicon, ())
    assert "instances are of sv: those get no candidates" in caplog.text


def test_what_serves_every_language_is_no_matter(lexicon, caplog):
    check_languages(
        ["pt"], {"a": ("thesaurus",), "b": ("gold",), "c": ("wordnet", "masked-lm")}, lexicon, ("thesaurus_2",)
    )
    check_languages([], {"a": ("wordnet",)}, lexicon, ())
    assert caplog.text == ""
