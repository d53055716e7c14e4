"""Text of a document of Word that lies in its other parts, or elsewhere."""

import io
from collections import Counter

import pytest
from packages_making import W, docx, p, parts

from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject

FLAT = f"<w:document {W}><w:body>{p('<w:t>One.</w:t>')}</w:body></w:document>"
FLAT = f"<?xml version='1.0'?><pkg:package xmlns:pkg='p'>{FLAT}</pkg:package>"
MAIL = (
    "From: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
    "Content-Type: text/{}; charset=cp1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}\r\n--b--\r\n"
)
LEFT_OUT = "text of documents of Word left out, w:altChunk {}"


def read(data, **options):
    notes = Counter()
    ((_, record),) = read_file(
        "a.docx", "a.docx", open=lambda: io.BytesIO(data), notes=notes, options=ReaderOptions(**options)
    )
    return (record.reason if isinstance(record, Reject) else record.text), notes


def with_part(name, data, place="", element='<w:altChunk r:id="c0"/>'):
    body = p("<w:t>Begin.</w:t>") + element + p("<w:t>End.</w:t>")
    return docx(body, **parts(place or name, **{f"word/{name}": data}))


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.html", "<p>One<br>line.<p>Two.<script>no</script>", "One\nline.\n\nTwo."),
        ("a.dat", "<html><body>caf&eacute; <ruby>a<rt>b</rt></ruby>", "café a"),
        ("a.htm", "<meta charset=cp1252><p>café".encode("cp1252"), "café"),
        ("a.xhtml", "<?xml version='1.0'?><html xmlns='h'><body><p>One.</p></body></html>", "One."),
        ("a.txt", "\ufeffOne\nline.\n\nTwo.", "One\nline.\n\nTwo."),
        ("a b.docx", docx(p("<w:t>One.</w:t>") + p("<w:t>Two</w:t><w:br/><w:t>a</w:t>")), "One.\n\nTwo\na"),
        ("a.xml", FLAT, "One."),
        ("a.mht", MAIL.format("html", "<p>caf=E9</p>"), "café"),
        ("a.mht", MAIL.format("plain", "caf=E9"), "café"),
        ("a.html", "<html></html>", ""),
    ],
)
def test_a_part_is_read_in_its_place(name, data, text):
    found, notes = read(with_part(name, data, name.replace(" ", "%20")))
    assert found.split("\n\n") == ["Begin.", *filter(None, text.split("\n\n")), "End."]
    assert notes == (Counter({"ruby readings left out": 1}) if "ruby" in str(data) else Counter())


@pytest.mark.parametrize(
    ("name", "data", "place", "kind"),
    [
        ("a.rtf", r"{\rtf1 One.}", "", ".rtf"),
        ("a.txt", b"caf\xe9", "", ".txt"),
        ("a.docx", b"PK\x03\x04 broken", "", ".docx"),
        ("a.xml", "<other/>", "", ".xml"),
        ("a.html", "", "b.html", ".html"),
        ("a.html", "", "http://a/b.html", ".html"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", ".doc"),
    ],
)
def test_a_part_that_cannot_be_read_is_noted(name, data, place, kind):
    assert read(with_part(name, data, place)) == ("Begin.\n\nEnd.", {LEFT_OUT.format(kind): 1})


def test_a_place_that_names_nothing_is_noted():
    assert read(docx(p("<w:t>A.</w:t>") + '<w:altChunk r:id="c0"/>')) == ("A.", {LEFT_OUT.format("without ending"): 1})


def test_a_document_within_the_package_is_read_and_one_beside_it_is_noted():
    element = '<w:p><w:subDoc r:id="c0"/></w:p>'
    assert read(with_part("b.docx", docx(p("<w:t>One.</w:t>")), element=element))[0] == "Begin.\n\nOne.\n\nEnd."
    noted = {"text of documents of Word left out, w:subDoc .docx": 1}
    assert read(with_part("b.docx", "", "file:///b.docx", element=element)) == ("Begin.\n\nEnd.", noted)


def test_parts_that_are_not_seen_are_not_read():
    element = '<w:del><w:altChunk r:id="c0"/></w:del>'
    assert read(with_part("a.html", "<p>One.", element=element))[0] == "Begin.\n\nEnd."


def test_documents_in_each_other_end_somewhere():
    data = docx(p("<w:t>deep</w:t>"))
    for _ in range(3):
        data = with_part("a.docx", data)
    assert read(data)[0].split("\n\n") == ["Begin."] * 3 + ["deep"] + ["End."] * 3
    assert read(with_part("a.docx", data))[0] == "too_large"


def test_a_part_is_named_again_and_again_within_limits():
    large = docx(p(f"<w:t>{'a ' * 100_000}</w:t>"))
    body = '<w:altChunk r:id="c0"/>' * 30
    found, _ = read(docx(body, **parts("a.docx", **{"word/a.docx": large})), max_record_bytes=2_000_000)
    assert found == "too_large"
