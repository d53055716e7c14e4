"""What is no text is told by its first bytes, and no text is ever told to be something else."""

import gzip
import io
import wave
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hostile_making import tar, zipped
from hypothesis import given
from hypothesis import strategies as st
from reading import entries, read, summary

from lexbeam.schemas.common_tables import REASONS
from lexbeam.transforms.formats.readers.registry import READERS, Format, detect
from lexbeam.transforms.formats.records.base import Record, Reject
from lexbeam.transforms.formats.sources.content import content_of, is_binary, package_of


def made(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def sound(out):
    with wave.open(out, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(8000)
        made.writeframes(b"\0\1" * 100)


NO_TEXT = {
    "html": [
        b"<!DOCTYPE html>\n<html><p>One.",
        b"<!doctype HTML><title>One",
        b'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">\nOne.',
        b"\xef\xbb\xbf\r\n <!-- saved --><HTML>\n<HEAD>",
        b"<html lang='de'>\n<!-- a --><body>",
        b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b'>]><html xmlns='x'>",
        b"<html>One.</html>\n",
        b"<body class=a><p>One.",
        "<html><head>".encode("utf-16"),
        "<html><head>".encode("utf-32"),
        b"<!DOCTYPE html><!-- " + b"x" * 100_000,
        b"<h:html xmlns:h='x'><h:head>",
        b"<title>T</title><p>Hello",
        b"<meta charset=utf-8>\n<p>One.<br>Two.",
        b"\n<div class=a><p>One.</p></div>",
        b"<P>One.</P>\n<P>Two.</P>",
    ],
    "pdf": [
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        b"%PDF-1.4\r\n1 0 obj\r\n<<",
        b"%PDF-1.4",
        b"\xef\xbb\xbf%PDF-1.4\n% made by hand\n12  0  obj",
        b"junk\n%PDF-1.5\n1 0 obj",
        b"%!PS-Adobe-3.0\n%%Title: a",
    ],
    "image": [
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
        b"GIF89a\x01\x00\x01\x00\x80\x00",
        b"RIFF\x24\x00\x00\x00WEBPVP8 ",
        b"II*\x00\x08\x00\x00\x00",
        b"MM\x00*\x00\x00\x00\x08",
        b"BM" + (70).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + b"\x28\0\0\0",
        b"\x00\x00\x00\x1cftypavif",
        b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'>",
        b"\x00\x00\x01\x00\x01\x00\x10\x10",
    ],
    "office": [
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(20),
        b"{\\rtf1\\ansi\\deff0 One.}",
        b"{\\rtf1 One.}\r\n",
        b"<?xml version='1.0'?><?mso-application progid='Word.Document'?><w:wordDocument>",
        b"<office:document office:version='1.2'>",
        bytes(60) + b"BOOKMOBI",
    ],
    "executable": [
        b"\x7fELF\x02\x01\x01\x00",
        b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00",
        b"\xca\xfe\xba\xbe\x00\x00\x00\x34",
        b"\xcf\xfa\xed\xfe\x07\x00\x00\x01",
        b"\x00asm\x01\x00",
        b"\xa7\x0d\x0d\x0a\x00\x00\x00\x00",
        b"dex\n035\x00",
    ],
    "binary": [
        made(sound),
        made(lambda out: np.save(out, np.zeros(3))),
        gzip.compress(b"One."),
        b"OggS\x00\x02",
        b"ID3\x04\x00",
        b"SQLite format 3\x00",
        b"\x00\x00\x00\x20ftypisom",
        b"\x1a\x45\xdf\xa3\x01",
        b"\x80\x04\x95\x10\x00",
    ],
}


@pytest.mark.parametrize("reason", NO_TEXT)
def test_a_kind_is_told_and_is_a_reject_of_its_own_reason(reason):
    for head in NO_TEXT[reason]:
        found = content_of(head)
        assert found is not None, head
        assert found.reason == reason, head
        for format in ("text", "lines", "jsonl", "conllu"):
            if head.startswith(b"\x1f\x8b"):
                continue  # the file is decompressed, and holds a text
            (reject,) = entries(head, format, "a.txt")
            assert reject.reason == reason
            assert found.what in reject.detail
        name = "a.txt.gz"  # compressed files as well
        assert entries(gzip.compress(head), name=name)[0].reason == reason
    assert reason in REASONS


TEXTS = [
    b"<html> is the first tag of a page.",
    b"<!DOCTYPE html> is what a page begins with.",
    b"<body> and <head> are tags.",
    b"<p> opens what </p> closes.",
    b"<p>One. <p>Two. <p>Three.",
    b"<title>A text</title> of one line",
    b"<li> and <ul> and <ol> and </ul>",
    b"<htmlx><y>",
    b"<TEI><text/></TEI>",
    b"<svg> is a picture.",
    b"<html",
    b"<!-- <html><body> --> One.",
    b"The tag <html><body>",
    b"<head n='1'>Title</head>",
    b"<?xml version='1.0'?><!DOCTYPE TEI><TEI>",
    b"<!DOCTYPE html",
    b"&lt;html&gt;&lt;body&gt;",
    b"%PDF-1.4 is a version of PDF.",
    b"%PDF-1.4\nis what the first line says.",
    b"%!PS-Adobe-3.0 begins PostScript.",
    b"{\\rtf1 begins RTF.} So it does.",
    b"BMW is a maker of cars.",
    b"BM" + b"a" * 50,
    b"MZ was his name, Mark Zbikowski.",
    b"GIF89a is a format.",
    b"GIF89a and one NUL\x00 somewhere",
    b"PACK of wolves",
    b"II. Chapter",
    b"MM. Chapter",
    b"RIFF and RAFF, WEBP",
    b"ID3 is a tag.",
    b"FORM 1040AIFF",
    b"OggS",
    b"SQLite format 3 is a format.",
    b"8BPS",
    b"Obj",
    b"wOFF",
    b"CWS, FWS",
    b"ITSF",
    b"BC\xc0\xde",
    b"#!/bin/sh\necho One.",
    b"Rar! cried he.",
    b"7z is an archive.",
    b"BZh",
    b"AT&TFORM",
    "яШя".encode("cp1251"),
    "þíúÎ".encode("latin-1"),
    "Пъню".encode("cp1251"),
    "я\x00".encode("cp1251"),
    "\ufeffOne.".encode(),
    "One.".encode("utf-16"),
    "<p>One".encode("utf-16"),
    b"\x1b[1mBold\x1b[0m",
    b"",
    b"\n",
    b"<",
    b"One\x00 two",
    b"-----BEGIN PGP MESSAGE-----",
    b"From: a\nMIME-Version: 1.0",
]


def test_content_goes_before_a_page_s_name():
    """Where pages are rejects, a PDF that is called one was said to be a page."""
    assert summary(b"%PDF-1.7\n1 0 obj\n", name="a.html") == [("", "pdf")]
    assert summary(b"Text.", name="a.html") == [("", "html")]


def test_what_merely_begins_so_is_text():
    for head in TEXTS:
        assert content_of(head) is None, head


@given(st.text())
def test_no_text_in_any_encoding_is_taken_for_something_else(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1251", "latin-1"):
        data = text.encode(encoding, "ignore")
        assert content_of(data) is None
        assert is_binary(data) <= (b"\x00" in data)


@given(
    st.sampled_from([head for heads in NO_TEXT.values() for head in heads]), st.binary(max_size=30), st.integers(0, 40)
)
def test_any_bytes_are_some_kind_or_none(head, more, cut):
    for data in (head[:cut] + more, more + head):
        found = content_of(data)
        assert found is None or found.reason in NO_TEXT


def test_parquet_and_pages_of_other_formats_go_to_their_readers():
    data = made(lambda out: pq.write_table(pa.table({"text": ["One."]}), out))
    assert summary(data) == ["One."]
    page = b"<html><body><p>One.</p></body></html>"
    assert summary(page + b",b\n" + b"x,y\n", "csv", header=False, text_field="1")[1] == "x"
    assert summary(page + b"\n", "csv") == [("", "html")]


def test_what_is_named_as_a_page_is_told_by_its_content():
    pdf = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n"
    assert summary(pdf, name="a.html") == [("", "pdf")]
    assert summary(b"<p>One.</p>", name="a.html") == [("", "html")]


def test_a_reader_from_outside_gets_what_ours_refuse(monkeypatch):
    def read_pdf(source, options):
        with source.open() as stream:
            yield Record("", {}, stream.read(8).decode(), None)

    monkeypatch.setitem(READERS, "pdf", Format(read_pdf, any_content=True, doc="toys"))
    assert summary(b"%PDF-1.4\n1 0 obj", "pdf") == ["%PDF-1.4"]


def test_a_text_with_a_nul_and_no_suffix_is_not_binary():
    text = b"Arma virumque cano. " * 50 + b"\x00" + b" Troiae qui primus ab oris."
    assert detect("a", text) == "text"
    assert detect("a", bytes(range(256))) is None
    assert summary(bytes(range(256))) == [("", "binary")]


CONTENT_TYPES = ("[Content_Types].xml", b"<Types/>")
PACKAGES = {
    "docx": [("_rels/.rels", b"<r/>"), ("word/document.xml", b"<w/>"), CONTENT_TYPES],
    "xlsx": [CONTENT_TYPES, ("xl/workbook.xml", b"<x/>"), ("xl/worksheets/1.xml", b"<x/>")],
    "odt": [("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", b"<o/>")],
    "epub": [("mimetype", b"application/epub+zip\n"), ("OEBPS/1.xhtml", b"<html><body>")],
    "jar": [("META-INF/MANIFEST.MF", b"Manifest"), ("a/B.class", b"\xca\xfe\xba\xbe\0\0\0\x34")],
}


@pytest.mark.parametrize("suffix", PACKAGES)
def test_an_archive_that_is_one_document_is_one_source(suffix):
    data = zipped(*PACKAGES[suffix])
    refused = "executable" if suffix == "jar" else "office"
    for format in ("text", "tei"):
        assert summary(data, format, f"a.{suffix}") == [("", refused)]
    reason = {"docx": "malformed", "odt": "empty", "epub": "malformed"}.get(suffix, refused)
    for name in (f"a.{suffix}", "a.zip"):
        assert summary(data, name=name) == [("", reason)]
    if suffix in ("docx", "odt", "epub"):
        assert summary(gzip.compress(data), name=f"a.{suffix}.gz") == [("", reason)]
        inner = [(f"b.{suffix}", data), ("c.txt", b"One.")]
        for outer in (zipped(*inner), tar(*inner)):
            assert summary(outer, name="a.zip"[: -4 * (outer[:2] != b"PK")]) == [("", reason), "One."]


def test_an_archive_of_texts_is_read_whatever_its_members_are_called():
    members = [
        ("mimetype", b"What a mimetype is."),
        ("word/a.txt", b"Two."),
        ("doc/[Content_Types].xml", b"<TEI/>"),
        ("META-INF/MANIFEST.MF", b"Four."),
    ]
    names = [name for name, _ in read(zipped(*members), "text", "a.zip")]
    assert names == [f"a.zip!{name}" for name, _ in members]
    assert package_of(["a.class"], b"") is None


def test_an_encrypted_archive_with_a_damaged_mimetype_is_still_an_archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", b"application/epub+zip" * 9, zipfile.ZIP_DEFLATED)
        archive.writestr("a.txt", b"One.")
    broken = bytearray(out.getvalue())
    broken[42] ^= 0xFF
    found = entries(bytes(broken), "text", "a.zip")
    assert [type(entry) for entry in found] == [Reject, Record]
