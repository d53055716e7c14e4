"""Encodings by their labels, and those that bytes of no UTF-8 may have.

Line ends, against Python's own universal newlines.
"""

import codecs
import io
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.texts import encodings
from lexbeam.transforms.common.texts.encodings import (
    count_line_ends,
    encoding_remedy,
    end_of_line,
    likely_encoding,
    line_feeds,
    lines_of,
    no_line_end,
    python_name,
)


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


# All labels of https://encoding.spec.whatwg.org/#names-and-labels but of those encodings that browsers replace.
LABELS = """
unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 866 cp866 csibm866 ibm866 csisolatin2
iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 csisolatin3 iso-8859-3 iso-ir-109
iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594
iso_8859-4 iso_8859-4:1988 l4 latin4 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5
iso_8859-5:1988 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i
iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7
iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek csiso88598e csisolatinhebrew hebrew iso-8859-8
iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6 iso-8859-13 iso8859-13 iso885913 iso-8859-14
iso8859-14 iso885914 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 iso-8859-16 cskoi8r koi koi8 koi8-r
koi8_r koi8-ru koi8-u csmacintosh mac macintosh x-mac-roman dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-874 cp1250 windows-1250 x-cp1250 cp1251 windows-1251 x-cp1251 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1
ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
cp1253 windows-1253 x-cp1253 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5
latin5 windows-1254 x-cp1254 cp1255 windows-1255 x-cp1255 cp1256 windows-1256 x-cp1256 cp1257 windows-1257 x-cp1257
cp1258 windows-1258 x-cp1258 x-mac-cyrillic x-mac-ukrainian chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80
gbk iso-ir-58 x-gbk gb18030 big5 big5-hkscs cn-big5 csbig5 x-x-big5 cseucpkdfmtjapanese euc-jp x-euc-jp csiso2022jp
iso-2022-jp csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis cseuckr csksc56011987 euc-kr
iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 unicodefffe utf-16be csunicode
iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le x-user-defined
"""


def test_each_label_of_pages_names_an_encoding():
    for label in LABELS.split():
        for form in (label, label.upper(), f" {label}"):
            assert codecs.lookup(python_name(form).strip()), label
    assert [python_name(name) for name in ("latin-1", "no such")] == ["latin-1", "no such"]


ENDS = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc"])).map(b"".join)


class Dripping(io.RawIOBase):
    """A stream that gives its bytes in pieces of some sizes, then an error."""

    def __init__(self, data, sizes, error):
        self._stream, self._sizes, self._error = io.BytesIO(data), iter(sizes), error

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self._stream.read(min(len(buffer), next(self._sizes, 1)))
        if not data and self._error:
            raise EOFError
        buffer[: len(data)] = data
        return len(data)


@given(ENDS, st.lists(st.integers(1, 4)), st.integers(1, 5))
def test_streams_have_the_lines_of_universal_newlines(data, sizes, chunk):
    expected = io.TextIOWrapper(io.BytesIO(data), "ascii", newline=None).read().encode()
    with mock.patch.object(encodings, "_CHUNK", chunk):
        assert line_feeds(Dripping(data, sizes, error=False)).read() == expected
    ends = [count_line_ends(data[place : place + 1], data[:place]) for place in range(len(data))]
    assert sum(ends) == count_line_ends(data) == expected.count(b"\n")
    place, count = 0, 0
    while place < len(data):
        place, count = end_of_line(data, place), count + 1
    assert count == len(expected.splitlines())


def test_what_stands_before_a_break_is_read():
    stream = line_feeds(Dripping(b"one\rtwo\r\nthree", [5, 5, 5, 5], error=True))
    assert [stream.readline(), stream.readline()] == [b"one\n", b"two\n"]
    with pytest.raises(EOFError):
        stream.readline()


def test_a_text_ends_lines_by_marks_of_its_own():
    assert lines_of("a\x85b\u2028c\u2029d\x0be\x1cf\r\n") == ["a", "b", "c", "d\x0be\x1cf", ""]
    assert no_line_end("a\x85b") == "; U+0085 ends no line here, LF, CR LF and CR do"
    assert no_line_end("a\nb") == ""
