import pytest

from lexbeam.schemas.common_tables import REASONS, REMEDIES
from lexbeam.transforms.annotation.engines.builtin import languages
from lexbeam.transforms.formats.records.scripts import BUILTIN, LANGUAGES, letters_by_script, refusal, scripts_of

CHINESE = "政府在2020年公布了新政策，经济增长很快，大家都很高兴，因为天气也非常好，没有下雨。"
RUSSIAN = "Старик пошёл к морю, и там он увидел, что его лодки уже не было на том месте."
JAPANESE = "昨日は友達と一緒に海へ行って、古い船の写真をたくさん撮りました。"
TWEET = "老师讲了很多故事，新电影真好看，老师讲了很多故事"
ENGLISH = "The old man went down to the sea, and there he saw that his boat was gone."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (CHINESE, "en", "100 % of its letters are Han; …Latin; engines for Han: builtin:zh"),
        (JAPANESE, "en", "57 % of its letters are Hiragana; …Latin; engines for Hiragana: builtin:ja"),
        (
            RUSSIAN,
            "en",
            "100 % of its letters are Cyrillic; …Latin; engines for Cyrillic: builtin:bg, builtin:hbs, builtin:mk, "
            "builtin:ru, builtin:uk",
        ),
        (
            "ذهب الولد إلى المدرسة",
            "en",
            "100 % of its letters are Arabic; …Latin; engines for Arabic: builtin:ar, builtin:fa",
        ),
        ("लड़का घर गया", "en", "100 % of its letters are Devanagari; …Latin; engines for Devanagari: builtin:hi"),
        (
            "소년은 학교에 갔다",
            "en",
            "100 % of its letters are Hangul; …Latin; builtin has none for Hangul, stanza:ko may be one",
        ),
        (
            "ሰላም ለሁላችሁ",
            "en",
            "100 % of its letters are Ethiopic; …Latin; builtin has none for Ethiopic, stanza:LANG may be one",
        ),
        (ENGLISH, "ru", "100 % of its letters are Latin; …Cyrillic; engines for Latin: 41 languages of builtin"),
        (
            "ᚠᚢᚦᚨᚱᚲ",
            "en",
            "100 % of its letters are of another script; …Latin; builtin has none for that, stanza:LANG may be one",
        ),
        (
            ENGLISH[:20] + RUSSIAN,
            "zh",
            "78 % of its letters are Cyrillic; …Han, Bopomofo; engines for Cyrillic: builtin:bg, builtin:hbs, "
            "builtin:mk, builtin:ru, builtin:uk",
        ),
        (JAPANESE, "zh", "57 % of its letters are Hiragana; …Han, Bopomofo; engines for Hiragana: builtin:ja"),
        (
            "東京都知事選挙を小池氏が制す",
            "zh",
            "21 % of its letters are Hiragana; …Han, Bopomofo; engines for Hiragana: builtin:ja",
        ),
        (
            CHINESE + CHINESE,
            "ja",
            "100 % of its letters are Han, with no kana among them; …Han, Hiragana, Katakana; engines for Han: "
            "builtin:zh",
        ),
    ],
)
def test_a_script_that_the_language_is_not_written_in_is_refused(text, language, expected):
    assert refusal(text, scripts_of(language)) == (
        "script",
        expected.replace("…", "the language of the engine is written in "),
    )


@pytest.mark.parametrize(
    "text",
    [
        f"RT @user_name: {TWEET} https://t.co/ebhhddMgjf 26",
        "RT @user_name: Сегодня мы были в музее, и там было очень красиво https://t.co/ebhhddMgjf",
        "RT @user_name Купил iPhone и очень доволен, снимает отлично pic.twitter.com/ebhhddMgjf #Москва",
        f"{TWEET} www.example.org/a/long/path https://example.org/another/one?of=them t.co/ebhhddMgjf",
        f"{TWEET}https://t.co/ebhhddMgjf via @user_name@some.example.org",
        f"{TWEET} write.to+me@mail.example.org or to.us@mail.example.org",
        f'<td class="text cell wide"><p style="color: black">{TWEET}</p><br/></td><!-- a comment of some length -->',
        f"{TWEET}&nbsp;&nbsp;&quot;&quot;&lt;&gt;&nbsp;&nbsp;&nbsp;",
        "我今天用iPhone拍照发到Facebook上面",  # nearly half its letters are Han, most of its words
    ],
)
def test_letters_of_addresses_and_tags_do_not_count(text):
    assert refusal(text, scripts_of("en"))[0] == "script"
    assert refusal(" ".join([text] * 40), scripts_of("en"))[0] == "script"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (RUSSIAN, "ru"),
        (RUSSIAN, "sr"),
        (ENGLISH, "sr"),
        (CHINESE, "zh"),
        ("彼女は東京へ行った。コーヒー", "ja"),
        ("衆議院議員総選挙小選挙区選出議員選挙", "ja"),  # a headline
        (CHINESE * 2 + "日本的“の”字很常见。", "zh"),
        (f"{ENGLISH} The word for it is 老师, see https://example.org/老师", "en"),
        (ENGLISH + RUSSIAN[:60], "en"),  # most letters are Latin
        (ENGLISH[:20] + RUSSIAN, "en"),  # a short text that quotes
        ("en ruso: Кубок чемпионов Содружества", "es"),
        ("RT @user_name: https://t.co/ebhhddMgjf", "ru"),  # no letters
        ("a < b and c > d", "en"),
        ("1848 -- 1849 :-) 😀", "en"),
        ("", "en"),
        (RUSSIAN, "tlh"),  # nothing is known of the language
    ],
)
def test_other_texts_are_not(text, language):
    assert refusal(text, scripts_of(language)) is None


def test_a_short_text_may_quote_what_has_spaces_and_no_other():
    assert refusal((ENGLISH[:20] + RUSSIAN) * 2, scripts_of("en"))[0] == "script"
    assert refusal(ENGLISH[:20] + CHINESE, scripts_of("en"))[0] == "script"
    assert refusal("A " + RUSSIAN, scripts_of("en"))[0] == "script"


@pytest.mark.parametrize("language", ["en", None])
def test_text_without_spaces_is_refused(language):
    assert refusal(ENGLISH.replace(" ", "").replace(",", "") * 3, scripts_of(language))[0] == "unsegmented"
    address = "see https://example.org/a/long/path/to/some/page-of-mine?with=parameters&and=more for all of it"
    assert refusal(address, scripts_of(language)) is None
    dashes = "Can—hardly—pretend—clearly—to—understand—the—full—meaning—of—the—situation,—and—must—feel"
    assert refusal(dashes, scripts_of(language)) is None
    assert (
        refusal("Donaudampfschifffahrtsgesellschaftskapitän heißt ein langes Wort, das in keinem Text allein steht", ())
        is None
    )


def test_where_no_script_is_known_words_must_be_told_by_spaces():
    assert refusal(CHINESE, scripts_of(None))[0] == "unsegmented"
    assert refusal("老师讲了很多故事，新电影真好看 https://t.co/ebhhddMgjf", scripts_of(None))[0] == "unsegmented"
    assert refusal(RUSSIAN, scripts_of(None)) is None
    assert refusal("老师 讲 了 很多 故事 ， 新 电影 真 好看", scripts_of(None)) is None


def test_a_long_text_is_judged_by_pieces_of_all_of_it():
    assert refusal(ENGLISH * 300 + RUSSIAN * 900, scripts_of("en"))[0] == "script"
    assert refusal(ENGLISH * 900 + RUSSIAN * 300, scripts_of("en")) is None


def test_letters_that_many_scripts_share_and_marks_do_not_count():
    assert letters_by_script("aé αβ ж 12 -- ー々 \u0301") == {"Latin": 2, "Greek": 2, "Cyrillic": 1, "Han": 1}
    assert letters_by_script("@a: <b>ж</b>&amp;α, http://a.bc") == {"Greek": 1, "Cyrillic": 1}


def test_every_language_of_the_builtin_engine_has_a_script():
    assert [language for language in languages() if not scripts_of(language)] == []
    assert BUILTIN.split() == languages()
    assert {"script", "unsegmented"} <= REASONS.keys() & REMEDIES.keys()
    assert len(LANGUAGES) == len({name.lower() for name in LANGUAGES})
