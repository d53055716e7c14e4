"""Documents of word processors: their text as a reader sees it, and what they say of themselves."""

import pytest
from hostile_making import zipped
from hypothesis import given
from hypothesis import strategies as st
from packages_making import docx, odt, p
from reading import entries, summary

from transforms.formats.records.base import Record, Reject

CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>Ships &amp; seas</dc:title><dc:creator>A. Sailor</dc:creator><dc:language>en-GB</dc:language>"
    "<cp:lastModifiedBy>B. Clerk</cp:lastModifiedBy><dcterms:created>2020-01-01T00:00:00Z</dcterms:created>"
    "</cp:coreProperties>"
)


def test_a_document_of_word_is_a_record_with_its_properties():
    (record,) = entries(docx(p("<w:t>Ships sail.</w:t>"), **{"docProps/core.xml": CORE}), name="a.docx")
    assert record == Record(
        "", {"title": "Ships & seas", "author": "A. Sailor", "language": "en-GB"}, "Ships sail.", None
    )


def test_runs_breaks_and_tables_of_word():
    pretty = "\n  <w:p>\n    <w:r>\n <w:t>Sh</w:t>\n </w:r>\n <w:r><w:t xml:space='preserve'>ips </w:t></w:r></w:p>"
    cell = f"<w:tbl><w:tr><w:tc>{p('<w:t>One</w:t>')}</w:tc><w:tc>{p('<w:t>Two</w:t>')}</w:tc></w:tr></w:tbl>"
    line = p("<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t>", "<w:noBreakHyphen/><w:t>d</w:t>")
    assert summary(docx(pretty + cell + line), name="a.docx") == ["Ships\n\nOne\n\nTwo\n\na b\nc-d"]


def test_what_nobody_reads_is_left_out():
    deleted = (
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>Here.</w:t></w:r></w:ins></w:p>"
    )
    field = p("<w:instrText>PAGE</w:instrText>", "<w:t>Field.</w:t>")
    hidden = p("<w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t>", "<w:rPr><w:vanish w:val='0'/></w:rPr><w:t>Seen.</w:t>")
    gallery = "<w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
    contents = f"<w:sdt>{gallery}<w:sdtContent>{p('<w:t>Chapter 1 ... 7</w:t>')}</w:sdtContent></w:sdt>"
    text = docx(contents + deleted + field + hidden)
    assert summary(text, name="a.docx") == ["Here.\n\nField.\n\nSeen."]


def test_a_text_box_is_read_once():
    box = f"<w:txbxContent>{p('<w:t>Box.</w:t>')}</w:txbxContent>"
    both = f"<mc:Both xmlns:mc='m'><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:Both>"
    assert summary(docx(p(both, "<w:t>Around.</w:t>")), name="a.docx") == ["Box.\n\nAround."]


def test_the_main_part_is_where_the_package_says():
    data = docx(p("<w:t>Ships.</w:t>"), main="word/other.xml")
    assert summary(data, name="a.docx") == summary(data, name="a") == ["Ships."]


def test_an_open_document_is_a_record_with_its_properties():
    meta = (
        '<office:document-meta xmlns:office="o" xmlns:dc="d" xmlns:meta="m"><office:meta><dc:title>T</dc:title>'
        "<meta:initial-creator>A. Sailor</meta:initial-creator><dc:creator>B. Clerk</dc:creator></office:meta>"
        "</office:document-meta>"
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes><text:table-of-content><text:p>One ... 1</text:p>"
        "</text:table-of-content><text:h>One</text:h><text:p>Sh<text:span>ips</text:span><text:s text:c='3'/>sail"
        "<text:note><text:note-body><text:p>A note.</text:p></text:note-body></text:note>.<text:line-break/>Two"
        "<text:tab/>lines.</text:p><table:table><table:table-row><table:table-cell><text:p>Cell</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    (record,) = entries(odt(body, **{"meta.xml": meta}), name="a.odt")
    fields = {"title": "T", "author": "A. Sailor"}
    assert record == Record("", fields, "One\n\nShips sail.\nTwo lines.\n\nCell", None)


@pytest.mark.parametrize(
    ("data", "reason", "detail"),
    [
        (docx(""), "empty", "no text in the document"),
        (zipped(("[Content_Types].xml", b""), ("word/document.xml", b"")), "malformed", "no '_rels/.rels'"),
        (docx("<w:p>"), "malformed", "line 1"),
        (docx(p("<w:t>a</w:t>"))[:-30], "malformed", "zip"),
        (
            docx(p("<w:t>a</w:t>"), **{"word/document.xml": "<!DOCTYPE a [<!ENTITY b SYSTEM 'c'>]><a>&b;</a>"}),
            "unsafe",
            "entity",
        ),
        (docx("<w:a>" * 300), "too_large", "split it"),
        (docx(p(f"<w:t>{'x' * 100_000}</w:t>" * 300)), "unsafe", "--max-expansion-ratio"),
        (odt("", **{"META-INF/manifest.xml": "<a><encryption-data/></a>"}), "unreadable", "encrypted"),
        (odt(""), "empty", "no text in the document"),
    ],
)
def test_what_cannot_be_read_is_a_reject_with_its_reason(data, reason, detail):
    (reject,) = entries(data, name="a.docx")
    assert isinstance(reject, Reject)
    assert (reject.reason, detail in reject.detail) == (reason, True), reject.detail


def test_another_format_that_is_named_refuses_it():
    (reject,) = entries(docx(p("<w:t>a</w:t>")), "text", name="a.docx")
    assert reject == Reject("", "office", "a document of Word, not plain text; see --format auto")


@given(st.lists(st.text(st.characters(categories=("L", "Zs")), min_size=1, max_size=8), min_size=1, max_size=6))
def test_paragraphs_are_those_that_were_written(texts):
    expected = [" ".join(text.split()) for text in texts]
    body = "".join(p(*(f"<w:t xml:space='preserve'>{letter}</w:t>" for letter in text)) for text in texts)
    whole = "\n\n".join(filter(None, expected))
    (entry,) = entries(docx(body), name="a.docx")
    if not whole:
        assert entry.reason == "empty"
    else:
        (as_text,) = summary(whole.encode(), "text")
        assert entry.text == as_text
