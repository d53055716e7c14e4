"""Codes, tags and names of languages."""

import pytest
from nets import ends

from lexbeam.transforms.annotation.engines.builtin import languages
from lexbeam.transforms.annotation.language_guessing import LANGUAGES
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.texts.languages import code_or_text, language_of, short_tag, stated_language

# Of each language its names in English and in itself, and its codes of three letters.
NAMED = {
    "ca": ("Catalan", "català", "cat"),
    "cs": ("Czech", "čeština", "ces", "cze"),
    "da": ("Danish", "dansk", "dan"),
    "de": ("German", "Deutsch", "deu", "ger"),
    "el": ("Greek", "Ελληνικά", "ell", "gre"),
    "en": ("English", "eng"),
    "es": ("Spanish", "Español", "spa"),
    "fi": ("Finnish", "suomi", "fin"),
    "fr": ("French", "français", "fra", "fre"),
    "hu": ("Hungarian", "magyar", "hun"),
    "it": ("Italian", "italiano", "ita"),
    "ja": ("Japanese", "日本語", "jpn"),
    "la": ("Latin", "lat"),
    "nb": ("Norwegian", "norsk", "nor", "no", "nob", "Norwegian Bokmål"),
    "nl": ("Dutch", "Nederlands", "nld", "dut"),
    "pl": ("Polish", "polski", "pol"),
    "pt": ("Portuguese", "português", "por"),
    "ro": ("Romanian", "română", "ron", "rum"),
    "ru": ("Russian", "русский", "rus"),
    "sq": ("Albanian", "shqip", "sqi", "alb"),
    "sv": ("Swedish", "svenska", "swe"),
    "tr": ("Turkish", "Türkçe", "tur"),
    "uk": ("Ukrainian", "українська", "ukr"),
    "zh": ("Chinese", "中文", "zho", "chi"),
    "grc": ("Ancient Greek",),
    "hbs": ("hbs",),
    "he": ("Hebrew", "heb", "iw"),
    "id": ("Indonesian", "ind", "in"),
    "sh": ("Serbo-Croatian",),
    "tl": ("Tagalog", "tgl"),
}


def test_a_language_is_its_code_whatever_it_is_called():
    called = [
        (name, code)
        for code, names in NAMED.items()
        for text in (code, *names)
        for name in (text, text.upper(), f" {text} ")
    ]
    assert [(name, language_of(name)) for name, code in called if language_of(name) != code] == []
    assert [(name, short_tag(name)) for name, code in called if short_tag(name) != code] == []


def test_codes_that_engines_have_stay_as_they_are():
    assert [code for code in {*languages(), *LANGUAGES} if language_of(code) != code] == []


def test_a_region_stays_but_for_engines():
    assert language_of("en_GB") == "en-GB"
    assert language_of("deu-AT") == "de-AT"
    assert language_of("Brazilian Portuguese") == "pt-BR"
    assert short_tag("pt-BR") == "pt"


@pytest.mark.parametrize("text", ["", "xx", "xyz", "Elvish", "auto", "none", "en_US.UTF-8", "e" * 1000])
def test_what_is_no_language_is_told_where_a_person_states_it_and_stays_where_data_do(text):
    assert language_of(text) is None
    assert code_or_text(text) == text
    with pytest.raises(UsageError, match=r"is no language: write a code such as en, or a name such as English"):
        stated_language(text)


def test_the_language_that_may_be_meant_is_named():
    with pytest.raises(UsageError, match=r"did you mean 'español'\?"):
        stated_language("espanol")
    with pytest.raises(UsageError, match=r"did you mean 'english'\?"):
        stated_language("Englsh")


def test_a_megabyte_is_no_language_and_takes_no_time():
    with ends(2):
        assert language_of("x" * 1_000_000) is None
