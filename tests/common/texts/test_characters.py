import re
import sys
import unicodedata
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from idna.idnadata import joining_types
from nets import ends
from simplemma.strategies.dictionaries import DefaultDictionaryFactory

from lexbeam.transforms.common.texts.characters import (
    LIMIT,
    UNSEEN,
    broken,
    is_nfc,
    nfc,
    seen,
    straight,
    straight_words,
    too_many,
)

ZWSP, ZWNJ, ZWJ = "\u200b\u200c\u200d"
PERSIAN = "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیآئ"
WORD = st.text(alphabet=PERSIAN, min_size=1, max_size=6)
ANY = st.text(alphabet=st.sampled_from([*UNSEEN, *"ab é.1\n\u0301-میرक\u094dര漢❤👩\u17c9\u1837"]), max_size=30)


def told(text):
    counts = Counter()
    found = seen(text, lambda what, times: counts.update({what: times}))
    return found, dict(counts)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم کتاب\u200cها",
        "برادر\u200cها",  # where no letters would join: Persian writes it all the same
        "DVD\u200cها ۲۰\u200cساله",
        "مِ\u200cي",  # behind a mark
        "ه\u200d.ق",  # the initial form of an abbreviation
        "ܫ\u200cܠ ߊ\u200cߋ \u1820\u200d \u1820\u180b \u1837\u180e\u1820",  # Syriac, N'Ko, Mongolian
        "क्\u200dष क्\u200cष",
        "ന്\u200d",  # a chillu
        "র\u200d্যাব",
        "ශ්\u200dරී",
        "ពុ៉\u200cី",
        "👩🏽\u200d💻 👩\u200d❤\ufe0f\u200d👨 🙂\u200d↔\ufe0f ☀\ufe0e 1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_what_carries_meaning_stays(text):
    assert told(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "kept", "why"),
    [
        ("Auf\u200clage ab\u200dc", "Auflage abc", {"joiners without effect dropped": 2}),
        ("می\u200c\u200cخواهم", "می\u200cخواهم", {"joiners without effect dropped": 1}),
        ("می\u200c خ\u200c،", "می خ،", {"joiners without effect dropped": 2}),
        ("है\u200d है\u200cं", "है हैं", {"joiners without effect dropped": 2}),
        ("price\u200bwas \u200b\u200bit\u200b", "price was it", {"U+200B read as a space": 4}),
        ("\u200f\u202bשלום\u202c\u2066a\u2069\u061c", "שלוםa", {"marks of direction dropped": 6}),
        ("Dampf\u00adschiff", "Dampfschiff", {"soft hyphens dropped": 1}),
        ("f\u2061(x\u2062y)\u2060\ufeff", "f(xy)", {"invisible characters dropped": 4}),
        ("a\u180eb \u1837\u180e\u180e\u1820", "ab \u1837\u180e\u1820", {"invisible characters dropped": 2}),
        ("a\U000e0041\U000e0001b", "ab", {"invisible characters dropped": 2}),
        ("葛\U000e0100城 a\ufe0f ≨\ufe00", "葛城 a ≨", {"variation selectors dropped": 3}),
    ],
)
def test_what_means_nothing_goes_and_is_told(text, kept, why):
    assert told(text) == (kept, why)


@given(ANY)
def test_nothing_but_what_is_not_seen_changes_and_no_words_are_joined(text):
    found, counts = told(text)
    assert [c for c in found if c not in UNSEEN and not c.isspace()] == [
        c for c in text if c not in UNSEEN and not c.isspace()
    ]
    words = filter(None, map(seen, re.split(rf"[\s{ZWSP}]+", text)))
    assert found.split() == list(words)
    assert seen(found) == found
    gone = sum(times for what, times in counts.items() if "space" not in what)
    assert gone == sum(c in UNSEEN and c != ZWSP for c in text) - sum(c in UNSEEN for c in found)
    assert counts.get("U+200B read as a space", 0) == text.count(ZWSP)


@given(st.lists(WORD, min_size=1, max_size=4), st.sampled_from(["", "\u064b", "\u0654"]))
def test_a_persian_word_with_non_joiners_is_left_alone(parts, mark):
    word = f"{mark}{ZWNJ}".join(parts) + mark
    assert seen(word) == word
    assert seen(f"«{word}» {word}، {word}.") == f"«{word}» {word}، {word}."


def test_lemmas_of_persian_are_left_alone():
    """But for the few of the list that have two joiners in a row, or end in one: neither is seen."""
    lemmas = set(DefaultDictionaryFactory().get_dictionary("fa").values())
    with_joiners = {lemma for lemma in lemmas if ZWNJ in lemma}
    odd = {lemma for lemma in with_joiners if ZWNJ * 2 in lemma or lemma.endswith(ZWNJ)}
    assert len(with_joiners) > 1000 > 20 * len(odd)
    assert {lemma for lemma in with_joiners if seen(lemma) != lemma} == odd
    assert all(seen(lemma) == re.sub(f"{ZWNJ}+", ZWNJ, lemma).strip(ZWNJ) for lemma in odd)


def test_joiners_stay_wherever_unicode_lets_identifiers_have_them():
    """Contexts A1, A2 and B of UAX #31, by the joining types of another package."""
    kinds = {
        kind: [chr(point) for both in ranges for point in range(both >> 32, both & 0xFFFFFFFF)]  # as idna packs them
        for kind, ranges in joining_types.items()
    }
    letters = [c for c in (*kinds["D"], *kinds["L"]) if unicodedata.category(c)[0] == "L"]
    following = [c for c in (*kinds["D"], *kinds["R"]) if unicodedata.category(c)[0] == "L"]
    assert len(letters) > 400
    for before in letters:
        assert seen(f"{before}{ZWNJ}{following[0]}") == f"{before}{ZWNJ}{following[0]}", hex(ord(before))
    for after in following:
        assert seen(f"{letters[0]}{ZWNJ}{after}") == f"{letters[0]}{ZWNJ}{after}", hex(ord(after))
    viramas = [chr(point) for point in range(0x20000) if unicodedata.combining(chr(point)) == 9]
    assert len(viramas) > 40
    for virama in viramas:
        for text in (f"क{virama}{ZWNJ}ष", f"क{virama}{ZWJ}ष", f"क{virama}\u0951{ZWJ}ष", f"क{virama}{ZWJ}"):
            assert seen(text) == text, hex(ord(virama))
        assert seen(f"क{virama}{ZWJ}\u093e") == f"क{virama}\u093e"


# Letters that end in up to three marks, marks alone and two in one, some beyond the first plane.
PIECES = "a é ǖ ᾂ \u0301 \u0316 \u0344 \u0f73 \U0001d165 \U0001e944 \U0001f389 \u034f \u0bbe \ufc5e"
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES.split()), st.integers(1, 35)).map(lambda of: of[0] * of[1]), max_size=8
).map("".join)


def starters(text):
    """Whether each character of the compatibility decomposition is a starter."""
    return [not unicodedata.combining(c) for c in unicodedata.normalize("NFKD", text)]


def process(text):
    """The Stream-Safe Text Process; and where it inserts."""
    out, places, count = [], [], 0
    for place, character in enumerate(text):
        found = starters(character)
        initial = found.index(True) if True in found else len(found)
        if count + initial > LIMIT:
            out.append("\u034f")
            places.append(place)
            count = 0
        out.append(character)
        count = found[::-1].index(True) if True in found else count + len(found)
    return "".join(out), places


@given(TEXTS)
def test_breaking_is_the_stream_safe_text_process(text):
    expected, places = process(text)
    assert broken(text) == (expected, len(places))
    assert too_many(text) == (places[0] if places else None)
    assert nfc(text) == unicodedata.normalize("NFC", expected)
    assert is_nfc(text) == (not places and unicodedata.is_normalized("NFC", text))
    assert broken(nfc(text)) == (nfc(text), 0)


def test_every_mark_of_unicode_counts():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.combining(character) or unicodedata.decomposition(character):
            found = starters(character)
            assert (too_many("a" + character * 31) is not None) == (not any(found)), hex(code)
            assert any(found) == found[0], hex(code)  # none begins with a mark and has a starter


@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0316\u0344", "\U0001d165\U0001e8d0", "á\u0316"])
def test_megabytes_of_marks_take_seconds(run):
    text = run * 1_000_000
    with ends():  # 400 kB took a minute
        assert too_many(text) is None if run[0] == "á" else too_many(text) < 40
        made = nfc(text)
    assert len(made) >= len(text) // 2


SIGNS = "'\u2019\u2018\u201b\u02bc\u02bb\uff07"
TEXT = st.text(f"abé \u2032\u02b9`´\u201c{SIGNS}", max_size=6)


@given(TEXT)
def test_each_sign_becomes_a_straight_one_in_its_place_and_nothing_else_changes(text):
    assert straight(text) == "".join("'" if sign in SIGNS else sign for sign in text)


@given(st.lists(st.none() | TEXT), st.integers(0, 3), st.sampled_from([pa.string(), pa.large_string()]))
def test_arrays_of_words_are_made_straight_as_words_are(words, start, type_):
    array = pa.array(words, type_)[start:]
    plain = straight_words(array)
    assert plain.type == type_
    assert plain.to_pylist() == [None if word is None else straight(word) for word in words[start:]]
