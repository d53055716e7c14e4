"""Encodings that bytes of no UTF-8 may have."""

import pytest

from transforms.common.texts.encodings import encoding_remedy, likely_encoding


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("Où est l’été, garçon ?", "cp1252", "as cp1252 it reads 'Où', 'été', 'garçon'"),
        ("MÜNCHEN und Köln", "latin-1", "as cp1252 it reads 'MÜNCHEN', 'Köln'"),
        ("20 °C – 5 €", "cp1252", "as cp1252 it reads '°', '–', '€'"),
        ("zażółć gęślą jaźń", "cp1250", "as cp1250 it reads 'zażółć', 'gęślą', 'jaźń'"),
        ("Привет, как дела", "cp1251", "as cp1251 it reads 'Привет', 'как', 'дела'"),
        ("Καλημέρα κόσμε", "cp1253", "as cp1253 it reads 'Καλημέρα', 'κόσμε'"),
        ("die See", "utf-16", "it begins as utf-16 does"),
    ],
)
def test_the_code_page_by_which_words_look_like_words_is_named(text, encoding, told):
    assert likely_encoding(text.encode(encoding)) == f"; {told}"
    named = "utf-16" if encoding == "utf-16" else f"utf-8,{told.split()[1]}"
    kept = likely_encoding(text.encode(encoding), quoting=False)
    assert kept == ("; it begins as utf-16 does" if encoding == "utf-16" else f"; it may be {told.split()[1]}")
    assert encoding_remedy([kept]) == encoding_remedy([f"; {told}"])
    assert encoding_remedy([f"not utf-8: byte 1{likely_encoding(text.encode(encoding))}"]) == (
        f" Some of them are read by `encoding` {named}."
    )


def test_bytes_that_no_code_page_makes_words_of_have_none():
    assert likely_encoding("été à l'île".encode("mac_roman")) == ""
    assert likely_encoding(bytes(range(128, 256))) == ""
    assert encoding_remedy(["not utf-8: byte 1 (0xf6): invalid start byte"]) == ""
