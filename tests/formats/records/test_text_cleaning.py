import itertools
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.texts.characters import seen
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_bytes, clean_field, clean_text, decode, may_combine

ANY = st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
RARE = st.text(alphabet="Яи\u0306字🎉가ᄀ\u1161\u2126\u0958a\n\r ")
ODD = st.text(alphabet="a e\u0301\u00e9\u00ad\u200b\u200c\u200d\u200f\ufeff\r\n\t\x0b\x0c\x85\u2028\u2029-")


@given(ANY | ODD)
def test_cleaning_is_nfc_idempotent_and_leaves_no_invisible_character(text):
    once = clean_text(text)
    assert unicodedata.is_normalized("NFC", once)
    assert not set(once) & set("\u00ad\u200b\u200c\u200d\u200f\u2060\ufeff\r\x0b\x0c\x85\u2028\u2029")
    assert "\n\n\n" not in once
    assert once == once.strip()
    assert clean_text(once) == once


@given(ODD)
def test_cleaning_keeps_all_letters(text):
    letters = [c for c in unicodedata.normalize("NFD", text) if c.isalpha()]
    assert [c for c in unicodedata.normalize("NFD", clean_text(text)) if c.isalpha()] == letters


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\n \t\nb\n\n\n\nc", "a\n\nb\n\nc"),
        ("Schiff\u00ad\n fahrt", "Schifffahrt"),
        ("Schiff\u00ad\n\nfahrt", "Schiff\n\nfahrt"),
        ("Schiff\u00adfahrt\u200b", "Schifffahrt"),
        ("e\u00ad\u0301", "é"),
        ("a\x0cb", "a\nb"),
        ("a\u2029b", "a\n\nb"),
        ("\ufeff a ", "a"),
    ],
)
def test_cleaned_text(text, cleaned):
    assert clean_text(text) == cleaned


def test_a_nul_is_refused_with_its_place():
    with pytest.raises(BadRecord, match="code point 1"):
        clean_text("a\x00")


def test_a_field_is_one_line_that_any_table_can_hold():
    assert clean_field(" A\n title\x00\ud800 e\u0301") == "A title\ufffd\ufffd é"


def test_decoding_is_strict_and_drops_a_byte_order_mark():
    assert decode(b"\xef\xbb\xbfa", ("utf-8",)) == "a"
    assert decode("é".encode("utf-16"), ("utf-16",)) == "é"
    with pytest.raises(BadRecord, match="byte 1 \\(0xe9\\)"):
        decode(b"a\xe9", ("utf-8",))
    with pytest.raises(BadRecord):
        decode(b"a", ("utf-16",))


def reference(text):
    """What cleaning means, step by step and slowly."""
    for end in ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028"):
        text = text.replace(end, "\n")
    text = text.replace("\u2029", "\n\n")
    text = re.sub(r"\u00ad[^\S\n]*\n(?!\s*\n)[^\S\n]*", "", text)
    text = seen(text)  # tests/common/texts/test_characters.py
    return re.sub(r"\n\s*\n", "\n\n", unicodedata.normalize("NFC", text)).strip()


@given(ANY | ODD | RARE, st.integers(1, 3))
def test_cleaning_is_what_its_steps_are_one_by_one(text, times):
    text *= times
    assert clean_text(text) == reference(text)
    data = text.encode()
    assert clean_bytes(data, ("utf-8",)) == reference(text.removeprefix("\ufeff"))
    long = text + " many kinds of characters " * 1000 + "a".join(map(chr, range(0x400, 0x3000)))
    assert clean_text(long) == reference(long)


def test_line_ends_in_bytes_are_those_of_text():
    pieces = ("\n", "\r\n", "\r", " ", "\t", "\u200b", "\u00ad", "\u2028")
    for some in itertools.product(pieces, repeat=5):
        text = f"a{''.join(some)}b"
        assert clean_bytes(text.encode(), ("utf-8",)) == clean_text(text), text


@given(st.binary(max_size=30) | st.lists(st.sampled_from([b"\xe2", b"\x80", b"\r\n", b"a"])))
def test_bytes_are_refused_where_the_decoder_refuses_them(data):
    data = b"".join(data) if isinstance(data, list) else data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        with pytest.raises(BadRecord, match=f"byte {error.start} "):
            clean_bytes(data, ("utf-8",))
        return
    if b"\x00" in data:
        with pytest.raises(BadRecord, match="NUL"):
            clean_bytes(data, ("utf-8",))
        return
    assert clean_bytes(data, ("utf-8",)) == clean_text(decode(data, ("utf-8",)))


def test_characters_that_may_combine_are_known():
    composed = {}
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            composed[chr(int(parts[1], 16))] = chr(code)
        if not may_combine(chr(code)):
            assert unicodedata.is_normalized("NFC", chr(code))
            assert not unicodedata.combining(chr(code))
    assert all(map(may_combine, composed))


def test_half_a_surrogate_pair_is_refused_with_its_place():
    with pytest.raises(BadRecord, match="surrogate pair at code point 2"):
        clean_text("é \udc00 \ud800")
