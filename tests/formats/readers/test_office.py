"""Documents of word processors: their text as a reader sees it, and what they say of themselves.

Text of a document of Word that lies in its other parts, or elsewhere.
"""

import io
from collections import Counter

import pytest
from hostile_making import zipped
from hypothesis import given
from hypothesis import strategies as st
from nets import ends
from packages_making import ODF, W, docx, field, odt, p, parts
from reading import entries, summary

from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Record, Reject

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


def whole(text):
    return f"<w:r><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (field(" TOC \\o ", f"{whole('a')}</w:p><w:p>{whole('b')}") + whole("c"), "c"),
        (field("toc", whole("a") + field("PAGEREF x", whole("3")) + whole("b")) + whole("c"), "c"),
        (field("INDEX", whole("a")) + field("BIBLIOGRAPHY", whole("a")) + field("TOA", whole("a")) + whole("c"), "c"),
        (field("REF x", whole("a") + field("PAGE", whole("3"))) + whole("c"), "a c"),
        (field("TOCX", whole("a")) + field("", whole("b")), "ab"),
        (
            field("IF", whole("a")).replace("<w:r><w:instrText>F", field("PAGE", whole("no")) + "<w:r><w:instrText>F"),
            "a",
        ),
        (field("TOC", whole("a")).rpartition("<w:r>")[0] + whole("b"), "ab"),  # it never ends
        (whole("a") + field("TOC", whole("b")).partition("</w:r>")[2] + whole("c"), "abc"),  # it never begins
        (f"<w:fldSimple w:instr=' TOC x'>{whole('a')}</w:fldSimple>{whole('b')}", "b"),
        (f"{whole('p')}<w:fldSimple w:instr='PAGE'>{whole('3')}</w:fldSimple>{whole('b')}", "p b"),
        (f"{whole('p')}<w:fldSimple w:instr='PAGE'/>{whole('b')}", "p b"),
    ],
)
def test_lists_that_fields_make_are_left_out(body, text):
    assert summary(docx(f"<w:p>{body}</w:p>"), name="a.docx") == [text]


def test_a_gallery_of_contents_is_left_out_whatever_its_kind():
    gallery = "<w:sdtPr><w:docPartObj><w:docPartGallery w:val='Custom Table of Contents'/></w:docPartObj></w:sdtPr>"
    contents = f"<w:sdt>{gallery}<w:sdtContent>{p('<w:t>One 3</w:t>')}</w:sdtContent></w:sdt>"
    assert summary(docx(contents + p("<w:t>One</w:t>")), name="a.docx") == ["One"]


def test_fields_in_each_other_end_soon():
    begin = field("PAGE", "").partition("PA")[0] + "TOC</w:instrText></w:r>"
    with ends():
        assert summary(docx(f"<w:p>{begin * 20_000}{whole('x')}</w:p>"), name="a.docx") == ["x"]


@pytest.mark.parametrize("code", ["EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(かん),漢)", "eq \\o(\\s\\up9(かん);漢)"])
def test_readings_of_word_are_no_text(code):
    before, _, behind = field(code, "").partition('<w:r><w:fldChar w:fldCharType="separate"/></w:r>')
    ruby = "<w:ruby><w:rt><w:r><w:t>じ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>字</w:t></w:r></w:rubyBase></w:ruby>"
    assert summary(docx(f"<w:p>{before}{behind}<w:r>{ruby}</w:r></w:p>"), name="a.docx") == ["漢字"]


@pytest.mark.parametrize(
    ("between", "text"),
    [
        *((f"<w:{name}/>", "one two") for name in ("tab", "ptab", "pgNum", "dayLong", "monthShort", "yearLong")),
        *((f"<w:{name}/>", "one\ntwo") for name in ("br", "cr")),
        *((f"<w:{name}/>", "onetwo") for name in ("softHyphen", "lastRenderedPageBreak", "bookmarkStart")),
        ("<w:noBreakHyphen/>", "one-two"),
        ("<w:footnoteReference/>", "one two"),
        ("<w:endnoteReference/><w:footnoteReference/>", "one two"),
        ("<w:footnoteReference/><w:t> </w:t>", "one two"),
        ("<w:footnoteReference/><w:t>.</w:t>", "one.two"),
        ("<w:t>.</w:t><w:footnoteReference/>", "one. two"),
        ("<w:t>l\u2019</w:t><w:footnoteReference/>", "onel\u2019two"),
        ("<w:t>漢</w:t><w:footnoteReference/>", "one漢two"),
        ("</w:r><w:r><w:footnoteReference w:customMarkFollows='1'/><w:t>*</w:t></w:r><w:r>", "one two"),
    ],
)
def test_what_parts_words_of_word(between, text):
    assert summary(docx(p(f"<w:t>one</w:t>{between}<w:t>two</w:t>")), name="a.docx") == [text]


def test_deleted_rows_and_cells_are_gone():
    def row(text, properties="", cell=""):
        return f"<w:tr><w:trPr>{properties}</w:trPr><w:tc><w:tcPr>{cell}</w:tcPr>{p(run(text))}</w:tc></w:tr>"

    inner = f"<w:tbl>{row('c', '<w:del/>')}{row('d')}</w:tbl>"
    rows = row("a", "<w:del/>") + row("b", "<w:ins/>") + row("e", "<w:moveFrom/>") + row("f", "", "<w:cellDel/>")
    table = f"<w:tbl>{rows}<w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>"
    assert summary(docx(table), name="a.docx") == ["b\n\nd"]


STYLES = """
<w:style w:type="paragraph" w:styleId="Normal" w:default="1"/>
<w:style w:type="paragraph" w:styleId="Notes"><w:basedOn w:val="Secret"/></w:style>
<w:style w:type="paragraph" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Open"><w:basedOn w:val="Notes"/><w:rPr><w:vanish w:val="off"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Goner"><w:basedOn w:val="Gone"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:basedOn w:val="Trip"/></w:style>
<w:style w:type="paragraph" w:styleId="Trip"><w:basedOn w:val="Round"/></w:style>
"""


def styled(style, *runs):
    return p(*runs).replace("<w:p>", f"<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr>")


def run(text, properties=""):
    return f"<w:rPr>{properties}</w:rPr><w:t>{text}</w:t>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (styled("Notes", run("a"), run("b", "<w:vanish w:val='0'/>"), run("c")), "b"),
        (styled("Secret", run("a")) + styled("Open", run("b")) + styled("Round", run("c")), "b\n\nc"),
        (p(run("a", "<w:rStyle w:val='Goner'/>"), run("b", "<w:rStyle w:val='Goner'/><w:vanish w:val='off'/>")), "b"),
        (styled("Notes", run("a", "<w:rStyle w:val='Gone'/>")), "a"),  # one toggles the other
        (p(run("a", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>")), "a"),
        ("<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>" + p(run("b")), "a\n\nb"),
    ],
)
def test_styles_of_word_hide_text(body, text):
    styles = f"<w:styles xmlns:w='w'>{STYLES}</w:styles>"
    assert summary(docx(body, **{"word/styles.xml": styles}), name="a.docx") == [text]


def test_the_styles_are_where_the_main_part_says():
    relations = '<Relationships xmlns="r"><Relationship Type="r/styles" Target="styles2.xml"/></Relationships>'
    parts = {
        "word/_rels/document.xml.rels": relations,
        "word/styles2.xml": f"<w:styles xmlns:w='w'>{STYLES}</w:styles>",
    }
    text = docx(styled("Secret", run("a")) + p(run("b")), **parts)
    assert summary(text, name="a.docx") == ["b"]
    usual = parts["word/styles2.xml"].replace('w:default="1"/>', 'w:default="1"><w:basedOn w:val="Secret"/></w:style>')
    text = docx(styled("Open", run("a")) + p(run("b")), **parts | {"word/styles2.xml": usual})
    assert summary(text, name="a.docx") == ["a"]


def test_a_deleted_mark_of_a_paragraph_joins_it_with_the_next():
    joined = [f"<w:p><w:pPr><w:rPr><w:{gone}/></w:rPr></w:pPr>{{}}</w:p>" for gone in ("del", "moveFrom")]
    first, second = (each.format(f"<w:r><w:t>{text}</w:t></w:r>") for each, text in zip(joined, "ab", strict=True))
    table = f"<w:tbl><w:tr><w:tc>{p(run('e'))}</w:tc></w:tr></w:tbl>"
    text = docx(first + "<w:bookmarkEnd/>" + second + p(run("c")) + p(run("d")) + first + table)
    assert summary(text, name="a.docx") == ["abc\n\nd\n\na\n\ne"]


def test_symbols_of_word_are_characters_or_noted():
    def sym(font, char, tag="sym"):
        return f"<w:t>a</w:t><w:{tag} w:font='{font}' w:char='{char}'/><w:t>b</w:t>"

    known = p(sym("Times New Roman", "03B1"), sym("Segoe UI Symbol", "2192"), sym("Segoe UI Emoji", "1F60A", "symEx"))
    unknown = p(sym("Wingdings", "F04A"), sym("Symbol", "0061"), sym("Arial", "F0E0"), sym("Arial", "x"))
    deleted = f"<w:p><w:del>{p(sym('Symbol', 'F061'))}</w:del></w:p>"
    notes = Counter()
    data = docx(known + unknown + deleted)
    ((_, record),) = read_file("a.docx", "a.docx", open=lambda: io.BytesIO(data), notes=notes)
    assert record.text == "a\u03b1ba\u2192ba\U0001f60ab\n\na ba ba ba b"
    assert notes == {"symbols of a font left out": 4}


STYLE = 'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
SVG = 'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
AUTOMATIC = f"""<office:automatic-styles {STYLE}>
<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="T2" style:family="text" style:parent-style-name="T1"/>
<style:style style:name="T3" style:family="text"><style:text-properties text:display="true"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Secret"/>
<style:style style:name="T1" style:family="paragraph"/></office:automatic-styles>
"""
NAMED = """
<office:styles><style:style style:name="Secret" style:family="paragraph"><style:text-properties text:display="none"/>
</style:style></office:styles><office:automatic-styles><style:style style:name="P2" style:family="paragraph">
<style:text-properties text:display="none"/></style:style></office:automatic-styles>
"""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<text:p>a<text:span text:style-name='T1'>b</text:span>c</text:p>", "ac"),
        (
            "<text:p>a<text:span text:style-name='T2'>b</text:span></text:p><text:p text:style-name='T1'>c</text:p>",
            "a\n\nc",
        ),
        ("<text:p text:style-name='P1'>a<text:span text:style-name='T3'>b</text:span></text:p>", "b"),
        ("<text:h text:style-name='Secret'>a</text:h><text:p text:style-name='P2'>b</text:p>", "b"),
        ("<text:section text:display='none'><text:p>a</text:p></text:section><text:p>b</text:p>", "b"),
        (
            "<text:section text:display='condition' text:is-hidden='true'><text:p>a</text:p></text:section>"
            "<text:section text:display='condition'><text:p>b</text:p></text:section>",
            "b",
        ),
        (
            f"<text:p><draw:frame xmlns:draw='d' {SVG}><svg:title>T</svg:title><svg:desc>Ship</svg:desc></draw:frame>"
            "sails, <text:title>a title</text:title>.</text:p>",
            "sails, a title.",
        ),
    ],
)
def test_styles_sections_and_titles_of_drawings_hide_text_of_an_open_document(body, text):
    styles = f"<office:styles-all {ODF} {STYLE}>{NAMED}</office:styles-all>"
    assert summary(odt(body, AUTOMATIC, **{"styles.xml": styles}), name="a.odt") == [text]


def test_notes_and_sections_in_other_files_of_an_open_document():
    source = "<text:section-source xmlns:l='l' l:href='b.odt'/>"
    body = (
        "<text:p>one<text:note><text:note-body><text:p>no</text:p></text:note-body></text:note>two."
        "<text:note/></text:p>"
        f"<text:section>{source}</text:section><text:section>{source}<text:p>here</text:p></text:section>"
    )
    notes = Counter()
    data = odt(body)
    ((_, record),) = read_file("a.odt", "a.odt", open=lambda: io.BytesIO(data), notes=notes)
    assert record.text == "one two.\n\nhere"
    assert notes == {"sections of open documents in other files left out": 1}


def test_a_text_box_is_read_once():
    box = f"<w:txbxContent>{p('<w:t>Box.</w:t>')}</w:txbxContent>"
    choices = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    both = f"<mc:AlternateContent xmlns:mc='m'>{choices}</mc:AlternateContent>"
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
