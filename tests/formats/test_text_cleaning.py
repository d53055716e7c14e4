import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.formats.base import BadRecord
from transforms.formats.text_cleaning import clean_field, clean_text, decode

ANY = st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
ODD = st.text(alphabet="a e\u0301\u00e9\u00ad\u200b\ufeff\r\n\t\x0b\x0c\x85\u2028\u2029-")


@given(ANY | ODD)
def test_cleaning_is_nfc_idempotent_and_leaves_no_invisible_character(text):
    once = clean_text(text)
    assert unicodedata.is_normalized("NFC", once)
    assert not set(once) & set("\u00ad\u200b\u200c\u200d\u2060\ufeff\r\x0b\x0c\x85\u2028\u2029")
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
    assert decode(b"\xef\xbb\xbfa", "utf-8") == "a"
    assert decode("é".encode("utf-16"), "utf-16") == "é"
    with pytest.raises(BadRecord, match="byte 1 \\(0xe9\\)"):
        decode(b"a\xe9", "utf-8")
    with pytest.raises(BadRecord):
        decode(b"a", "utf-16")
