import pytest

from lexbeam.transforms.annotation.engines.builtin import languages, splitting
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine, load_tagger
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.common.errors import UsageError


def rows(text, spec, **options):
    return [
        list(zip(s.forms, s.lemmas, s.upos or [None] * len(s.forms), strict=True))
        for s in annotate_text(text, load_engine(spec), **options)
    ]


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        (
            "builtin:en",
            "The cats sat.",
            [("The", "the", "DET"), ("cats", "cat", "NOUN"), ("sat", "sit", "VERB"), (".", ".", "PUNCT")],
        ),
        (
            "builtin:de",
            "Die Katzen schliefen.",
            [
                ("Die", "der", "DET"),
                ("Katzen", "Katze", "NOUN"),
                ("schliefen", "schlafen", "VERB"),
                (".", ".", "PUNCT"),
            ],
        ),
        (
            "builtin:nl",
            "De hond sliep.",
            [("De", "de", "DET"), ("hond", "hond", "NOUN"), ("sliep", "slapen", "VERB"), (".", ".", "PUNCT")],
        ),
        (
            "builtin:es",
            "Los niños hablaban.",
            [("Los", "el", None), ("niños", "niño", None), ("hablaban", "hablar", None), (".", ".", None)],
        ),
        pytest.param(
            "builtin:sv",
            "Flickorna läste.",
            [("Flickorna", "flicka", None), ("läste", "läsa", None), (".", ".", None)],
            marks=pytest.mark.soak,
        ),
        ("builtin:la", "Puellae cantant.", [("Puellae", "puella", None), ("cantant", "canto", None), (".", ".", None)]),
    ],
)
def test_lemmas_and_tags(spec, text, expected):
    assert rows(text, spec) == [expected]


@pytest.mark.parametrize("spec", ["builtin:en", "builtin:de", "builtin:es"])
def test_a_tagger_has_the_tags_of_the_engine_without_lemmas(spec):
    text = "The cats — “sat” there, 7 of them. Die Katzen schliefen; costó 3 € ..."
    engine, tagger = load_engine(spec), load_tagger(spec)
    assert (tagger.has_lemmas, tagger.has_upos, tagger.fingerprint) == (False, engine.has_upos, engine.fingerprint)
    assert annotate_text(text, tagger) == [s._replace(lemmas=None) for s in annotate_text(text, engine)]


def test_parts_of_speech_only_where_hanta_has_the_language():
    assert [describe_engine(f"builtin:{code}").has_upos for code in ("en", "de", "nl")] == [True] * 3
    assert not describe_engine("builtin:la").has_upos
    assert annotate_text("Arma.", load_engine("builtin:la"))[0].upos is None
    assert {"de", "en", "es", "la", "nl", "sv"} <= set(languages())


def test_a_language_without_rules_in_spacy_is_split_by_the_general_ones():
    assert [[form for form, _, _ in row] for row in rows("Mae hi. Oes?", "builtin:cy")] == [
        ["Mae", "hi", "."],
        ["Oes", "?"],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He came. She left!", ["He came .", "She left !"]),
        ("Mr. Smith paid $3.50. Why?", ["Mr. Smith paid $ 3.50 .", "Why ?"]),
        ("“Go.” He went.", ["“ Go . ”", "He went ."]),
        ("one\n\ntwo", ["one", "two"]),
        ("one\ntwo", ["one two"]),
    ],
)
def test_sentences_end_after_final_punctuation_and_paragraphs(text, expected):
    sentences = annotate_text(text, load_engine("builtin:en"))
    assert [" ".join(sentence.forms) for sentence in sentences] == expected


# A word of each script, and combining marks.
WORDS = {
    "ar": ("قرأ", "\u064e"),
    "fa": ("کتاب", "\u0650"),
    "he": ("שלום", "\u05b8"),
    "hi": ("घर", "\u0940"),
    "el": ("λόγος", "\u0330"),
    "ru": ("слово", "\u0301"),
    "ka": ("წიგნი", "\u0301"),
    "en": ("thing", "\u0323\u0302"),
    None: ("ഭാഷ", "\u0d3e"),
    "syr": ("ܟܬܒܐ", "\u0732"),
    "am": ("ቤት", "\u135f"),
    "km": ("ភាសា", "\u17cb"),
    "ta": ("மொழி", "\u0bbe"),
    "yo": ("owo", "\u0323\u0301"),
}


def test_sentences_end_behind_letters_and_marks_of_every_script():
    """Once a full stop behind a vowel sign of Arabic was part of the word, and no sentence of Armenian ended."""
    wrong = []
    for language, (word, mark) in WORDS.items():
        annotate = splitting(language)
        for form in (word, word + mark, word + mark * 2):
            for final in (".", "!", "?", "؟", "۔", "।", "॥", "։", "።", "។", '!"', ".»", ").", '".', "».", "’."):
                text = f"{word} {form}{final} {form} {word}{final}"
                found = [sentence.forms for sentence in annotate([text])[0]]
                if [len(forms) for forms in found] != [2 + len(final)] * 2 or found[0][1] != form:
                    wrong.append((language, form, final, found))
    assert not wrong


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("builtin:hy", "Նա եկավ։ Ես գնացի։", 2),
        ("builtin:hy", "Նա եկավ. ես գնացի։", 1),  # there it is a pause
        ("builtin:fa", "در سال ۱۳۹۰. او رفت.", 2),
        ("builtin:ka", "ა. ბერიძე მოვიდა. წავიდა.", 2),
        ("builtin:en", "Dr. J. Doe met Mr. Roe at 3.5 p.m. in the U.S. today.", 1),
    ],
)
def test_full_stops_that_end_no_sentence_do_not(spec, text, expected):
    assert len(rows(text, spec)) == expected


def test_typographic_quotes_and_dashes_are_kept_and_tagged_as_plain_ones():
    ((*tokens,),) = rows("I don’t – “we’ve” 5 %", "builtin:en")
    assert [form for form, _, _ in tokens] == ["I", "do", "n’t", "–", "“", "we", "’ve", "”", "5", "%"]
    assert tokens[2][1:] == ("not", "PART")
    assert [tokens[i][1:] for i in (3, 4, 9)] == [("–", "PUNCT"), ("“", "PUNCT"), ("%", "SYM")]


def test_form_rules_are_seen_by_the_tagger_and_offsets_stay():
    text = "They ſat vpon mats."
    rules = parse_rules("form-char\tſ\ts\nform\tvpon\tupon")
    (sentence,) = annotate_text(text, load_engine("builtin:en"), normalise=rules)
    assert sentence.forms == ["They", "sat", "upon", "mats", "."]
    assert sentence.lemmas[1] == "sit"
    assert text[sentence.starts[2] : sentence.ends[2]] == "vpon"


def test_the_fingerprint_names_library_and_model():
    english, latin = describe_engine("builtin:en"), describe_engine("builtin:la")
    assert "HanTa=" in english.fingerprint
    assert "simplemma=" in latin.fingerprint
    assert english.fingerprint != describe_engine("builtin:de").fingerprint
    assert "/" not in english.fingerprint + latin.fingerprint


def test_a_near_language_is_offered():
    with pytest.raises(UsageError, match=r"builtin has no language 'eng'.*did you mean 'en"):
        describe_engine("builtin:eng")
