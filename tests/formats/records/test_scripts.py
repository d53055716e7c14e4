import pytest

from schemas.rejects import REASONS, REMEDIES
from transforms.annotation.engines.builtin import languages
from transforms.formats.records.scripts import LANGUAGES, letters_by_script, refusal, scripts_of

CHINESE = "政府在2020年公布了新政策，经济增长很快，大家都很高兴，因为天气也非常好，没有下雨。"
RUSSIAN = "Старик пошёл к морю, и там он увидел, что его лодки уже не было на том месте."
ENGLISH = "The old man went down to the sea, and there he saw that his boat was gone."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (CHINESE, "en", "100 % of its letters are Han; the language of the engine is written in Latin"),
        (RUSSIAN, "en", "100 % of its letters are Cyrillic; the language of the engine is written in Latin"),
        (ENGLISH, "ru", "100 % of its letters are Latin; the language of the engine is written in Cyrillic"),
        ("ᚠᚢᚦᚨᚱᚲ", "en", "100 % of its letters are of another script; the language of the engine is written in Latin"),
        (
            ENGLISH[:20] + RUSSIAN,
            "zh",
            "78 % of its letters are Cyrillic; the language of the engine is written in Han, Bopomofo",
        ),
    ],
)
def test_a_script_that_the_language_is_not_written_in_is_refused(text, language, expected):
    assert refusal(text, scripts_of(language)) == ("script", expected)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (RUSSIAN, "ru"),
        (RUSSIAN, "sr"),
        (ENGLISH, "sr"),
        (CHINESE, "zh"),
        ("彼女は東京へ行った。コーヒー", "ja"),
        (ENGLISH + RUSSIAN[:60], "en"),  # most letters are Latin
        (ENGLISH[:30] + RUSSIAN, "en"),  # a short text that quotes
        ("1848 -- 1849 :-) 😀", "en"),
        ("", "en"),
        (RUSSIAN, "tlh"),  # nothing is known of the language
    ],
)
def test_other_texts_are_not(text, language):
    assert refusal(text, scripts_of(language)) is None


def test_a_short_text_may_quote_what_has_spaces_and_no_other():
    assert refusal((ENGLISH[:30] + RUSSIAN) * 5, scripts_of("en"))[0] == "script"
    assert refusal(ENGLISH[:20] + CHINESE, scripts_of("en"))[0] == "script"
    assert refusal("A " + RUSSIAN, scripts_of("en"))[0] == "script"


@pytest.mark.parametrize("language", ["en", None])
def test_text_without_spaces_is_refused(language):
    assert refusal(ENGLISH.replace(" ", "").replace(",", "") * 3, scripts_of(language))[0] == "unsegmented"
    address = "see https://example.org/a/long/path/to/some/page-of-mine?with=parameters&and=more for all of it"
    assert refusal(address, scripts_of(language)) is None
    assert (
        refusal("Donaudampfschifffahrtsgesellschaftskapitän heißt ein langes Wort, das in keinem Text allein steht", ())
        is None
    )


def test_where_no_script_is_known_words_must_be_told_by_spaces():
    assert refusal(CHINESE, scripts_of(None))[0] == "unsegmented"
    assert refusal(RUSSIAN, scripts_of(None)) is None


def test_a_long_text_is_judged_by_pieces_of_all_of_it():
    assert refusal(ENGLISH * 300 + RUSSIAN * 900, scripts_of("en"))[0] == "script"
    assert refusal(ENGLISH * 900 + RUSSIAN * 300, scripts_of("en")) is None


def test_letters_that_many_scripts_share_and_marks_do_not_count():
    assert letters_by_script("aé αβ ж 12 -- ー々 \u0301") == {"Latin": 2, "Greek": 2, "Cyrillic": 1, "Han": 1}


def test_every_language_of_the_builtin_engine_has_a_script():
    assert [language for language in languages() if not scripts_of(language)] == []
    assert {"script", "unsegmented"} <= REASONS.keys() & REMEDIES.keys()
    assert len(LANGUAGES) == len({name.lower() for name in LANGUAGES})
