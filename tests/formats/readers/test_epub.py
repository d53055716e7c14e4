"""E-books: chapters in the order of reading, and what the package says."""

import io
from collections import Counter

import pytest
from hostile_making import zipped
from packages_making import epub, page
from reading import entries, summary

from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import Record

MISSING = '<item id="x" href="no.xhtml" media-type="text/html"/>'
ENCRYPTED = '<e><CipherReference URI="OEBPS/{}"/></e>'


def test_a_book_is_a_record_with_what_it_says_of_itself():
    (record,) = entries(epub({"1.xhtml": page("<p>Ships <b>sail</b>.</p>")}), name="a.epub")
    fields = {"title": "Sea", "author": "A. Sailor; B. Mate", "language": "en", "date": "1851"}
    assert record == Record("", fields, "Ships sail.", None)


def test_chapters_come_in_the_order_of_reading():
    chapters = {"b.xhtml": page("<p>Two.</p>"), "a%20b.xhtml": page("<h1>One</h1>"), "aside.xhtml": page("<p>No.</p>")}
    items = '<item id="nav" href="b.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    items += '<item id="cover" href="cover.jpg" media-type="image/jpeg"/>'
    spine = "".join(f'<itemref idref="{name}"/>' for name in ("nav", "cover", "1", "0", "1", "missing"))
    spine += '<itemref idref="2" linear="no"/>'
    assert summary(epub(chapters, spine, items=items), name="a.epub") == ["One\n\nTwo."]


def test_pages_beside_the_order_of_reading_are_left_out_and_noted():
    chapters = {"1.xhtml": page("<p>One.</p>"), "2.xhtml": page("<p>Answers.</p>"), "3.xhtml": page("<p>Two.</p>")}
    spine = "".join(
        f'<itemref idref="{n}" linear="{linear}"/>' for n, linear in ((1, "no"), (2, "no"), (0, "yes"), (2, "yes"))
    )
    notes = Counter()
    data = epub(chapters, spine)
    ((_, record),) = read_file("a.epub", "a.epub", open=lambda: io.BytesIO(data), notes=notes)
    assert record.text == "One.\n\nTwo."
    assert notes == {"pages of e-books beside the order of reading left out": 1}


def of_type(media, name, data, said=None):
    items = f'<item id="x" href="{name}" media-type="{media}" {said or ""}/>'
    return epub({"1.xhtml": page("<p>One.</p>")}, '<itemref idref="0"/><itemref idref="x"/>', items=items, **data)


def read(data):
    notes = Counter()
    ((_, record),) = read_file("a.epub", "a.epub", open=lambda: io.BytesIO(data), notes=notes)
    return (record.text if isinstance(record, Record) else record.reason), notes


OTHER = "chapters of e-books by another media type than XHTML"
NO_PAGE = "places in the order of reading of e-books that hold no page left out"
CHAPTERS = {
    "x.html": page("<p>Two.</p>"),
    "y.html": "<html><body><p>Two<br>lines&nbsp;",
    "z.txt": "Two.\n\nThree.",
    "d.xml": "<dtbook><book><p>Two<noteref>1</noteref>.</p></book></dtbook>",
    "n.ncx": "<ncx><text>no</text></ncx>",
    "s.svg": "<svg><text>no</text></svg>",
    "j.jpg": b"\xff\xd8\xff",
}


@pytest.mark.parametrize(
    ("name", "media", "text"),
    [
        *(
            ("x.html", media, "Two.")
            for media in ("text/html", "TEXT/XML", "", "application/xml", "image/png", "a;b=c")
        ),
        *(("y.html", media, "Two\nlines") for media in ("text/html", "text/x-oeb1-document", "application/XHTML+XML")),
        ("z.txt", "text/plain", "Two.\n\nThree."),
        ("d.xml", "text/xml", "Two."),
        *(("n.ncx", "application/x-dtbncx+xml", None), ("s.svg", "image/svg+xml", None), ("j.jpg", "image/jpeg", None)),
        *(("missing.jpg", "image/jpeg", None), ("z.txt", "text/css", None)),
    ],
)
def test_a_chapter_is_what_it_holds(name, media, text):
    data = of_type(media, name, {f"OEBPS/{member}": held for member, held in CHAPTERS.items()})
    assert read(data) == ("\n\n".join(filter(None, ("One.", text))), {OTHER if text else NO_PAGE: 1})


def test_what_stands_for_a_chapter_is_read():
    items = '<item id="x" href="a.pdf" media-type="application/pdf" fallback="0"/>'
    items += '<item id="y" href="b.pdf" media-type="application/pdf" fallback="y"/>'
    data = epub({"1.xhtml": page("<p>One.</p>")}, '<itemref idref="x"/>', items=items)
    assert read(data) == ("One.", {})
    assert read(epub({}, '<itemref idref="y"/>', items=items, **{"OEBPS/b.pdf": "%PDF"})) == ("empty", {NO_PAGE: 1})


def test_a_place_that_is_not_listed_is_noted():
    data = epub({"1.xhtml": page("<p>One.</p>")}, '<itemref idref="a"/><itemref idref="0"/><itemref/>')
    assert read(data) == ("One.", {"places in the order of reading of e-books that their packages do not list": 2})


@pytest.mark.parametrize(
    ("reference", "member"),
    [("c%C3%A9.html#x", "cé.html"), ("a%20b.html", "a%20b.html"), ("A.HTML", "a.html"), ("cé.html", "ce\u0301.html")],
)
def test_names_of_chapters_may_be_written_in_other_ways(reference, member):
    data = of_type("application/xhtml+xml", reference, {f"OEBPS/{member}": page("<p>Two.</p>")})
    assert read(data) == ("One.\n\nTwo.", {})


@pytest.mark.parametrize(
    "place",
    [
        "OEBPS/a%20b.html",
        "OEBPS/a b.html",
        "/OEBPS/./a%20b.html",
        "../OEBPS/a%20b.html",
        "a%20b.html",
        "OEBPS/A%20B.html",
    ],
)
def test_an_encrypted_chapter_is_a_reject_however_it_is_named(place):
    more = {"OEBPS/a b.html": b"\x01\x02", "META-INF/encryption.xml": ENCRYPTED.replace("OEBPS/{}", place)}
    for media in ("application/xhtml+xml", "text/html"):
        ((_, reject),) = read_file("a.epub", "a", open=lambda m=media: io.BytesIO(of_type(m, "a%20b.html", more)))
        assert (reject.reason, "encrypted" in reject.detail) == ("unreadable", True), place


@pytest.mark.parametrize(
    "mark",
    [
        '<a epub:type="noteref" href="#n">1</a>',
        '<sup>[<a epub:type="noteref">1</a>,<a epub:type="noteref"><b>2</b></a>]</sup>',
        '<a role="doc-noteref"><sup>1</sup></a>',
        '<sup>[<a href="notes.html#n1">12</a>]</sup>',
        '<a href="#n1"><sup>*</sup></a>',
    ],
)
@pytest.mark.parametrize("broken", ["", "<br>"])
def test_marks_of_notes_are_left_out(mark, broken):
    chapter = page(f'<p xmlns:epub="http://www.idpf.org/2007/ops">Ships{mark} <a href="#x">sail</a>.</p>{broken}')
    assert summary(epub({"1.xhtml": chapter}), name="a.epub") == ["Ships sail."]


@pytest.mark.parametrize(
    "link", ['<sup><a href="#n">th</a></sup>', '<a href="#n">1</a>', '<sup><a href="n">1</a></sup>', "<sup>1</sup>"]
)
def test_other_raised_text_and_links_are_read(link):
    assert "sail1" in summary(epub({"1.xhtml": page(f"<p>sail{link}</p>")}), name="a.epub")[0].replace("th", "1")


def test_a_chapter_that_is_no_xml_is_read_as_a_page():
    chapters = {"1.xhtml": "<html><body><p>One<br>line&nbsp;more<p>Two</body></html>"}
    assert summary(epub(chapters), name="a.epub") == ["One\nline more\n\nTwo"]


@pytest.mark.parametrize(
    ("data", "reason", "detail"),
    [
        (epub({"1.xhtml": page("")}), "empty", "no text in the book"),
        (zipped(("mimetype", b"application/epub+zip"), ("a", b"")), "malformed", "no 'META-INF/container.xml'"),
        (epub({}, **{"META-INF/container.xml": "<container/>"}), "malformed", "names no package"),
        (
            epub({}, '<itemref idref="x"/>', items='<item id="x" href="no.xhtml" media-type="text/html"/>'),
            "malformed",
            "no.xhtml",
        ),
        (
            epub(
                {"1.xhtml": page("x")}, **{"META-INF/encryption.xml": '<e><CipherReference URI="OEBPS/1.xhtml"/></e>'}
            ),
            "unreadable",
            "rights",
        ),
    ],
)
def test_what_cannot_be_read_is_a_reject_with_its_reason(data, reason, detail):
    (reject,) = entries(data, name="a.epub")
    assert (reject.reason, detail in reject.detail) == (reason, True), reject


def test_fonts_that_are_obfuscated_are_no_obstacle():
    fonts = {"META-INF/encryption.xml": ENCRYPTED.format("font.otf")}
    assert summary(epub({"1.xhtml": page("<p>x</p>")}, **fonts), name="a") == ["x"]
