"""E-books and documents of word processors, and what stands within the text of pages and is not of it."""

from collections import Counter
from pathlib import Path
from typing import Any

from hostile_feeding import ingest_options
from hostile_meaning import Meaning
from packages_making import docx, epub, field, odt, p, page, parts

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.ingestion import InputFile, read_documents

ALL = {"html": "all"}
EPUB = 'xmlns:epub="http://www.idpf.org/2007/ops"'


def read_with_notes(path: Path, options: dict[str, Any]) -> str:
    """Return the text of a file, or its reject; and its notes in brackets."""
    reading = ingest_options({"engine": "", **options}, path.parent)
    notes = Counter[str]()
    (entry,) = files.list_files(str(path))
    (found,) = read_documents(InputFile(escape(entry.name), entry.path, entry.size, "in"), reading, notes=notes)
    text = f"{found.reason}: {found.detail}" if isinstance(found, RejectRow) else found[1].text
    return text.replace("\n\n", " | ").replace("\n", "⏎") + "".join(
        f" [{number} {note}]" for note, number in sorted(notes.items())
    )


def _chapters(*media, spine=None, items="", body="<p>One ship.</p>", **more):
    """Return a book of a first chapter, and one for each media type."""
    items += "".join(f'<item id="m{n}" href="m{n}.html" media-type="{name}"/>' for n, name in enumerate(media))
    spine = spine or '<itemref idref="0"/>' + "".join(f'<itemref idref="m{n}"/>' for n in range(len(media)))
    more |= {f"OEBPS/m{n}.html": page(f"<p>And {n + 2}.</p>") for n in range(len(media))}
    return epub({"1.xhtml": page(body)}, spine, items=items, **more)


def _pages(body):
    return _chapters(body=f"<div {EPUB}>{body}</div>")


def _word(body, **more):
    return docx(f"{p('<w:t>Begin.</w:t>')}{body}{p('<w:t>End.</w:t>')}", **more)


def _runs(*runs):
    return docx(p(*runs))


def _html(body):
    return f"<!DOCTYPE html><html><body>{body}</body></html>".encode()


def _cipher(uri):
    return {"META-INF/encryption.xml": f'<e><CipherReference URI="{uri}"/></e>'}


ROW = "<w:tr>{}<w:tc>{}" + p("<w:t>{}</w:t>") + "</w:tc></w:tr>"
TABLE = "<w:tbl>" + ROW.format("<w:trPr><w:del w:id='1'/></w:trPr>", "", "Gone.")
TABLE += ROW.format("", "<w:tcPr><w:cellDel w:id='2'/></w:tcPr>", "Gone.") + ROW.format("", "", "Kept.") + "</w:tbl>"
CONTENTS = (
    f"<w:p>{field('TOC x', '<w:r><w:t>The storm</w:t></w:r>' + field('PAGEREF a', '<w:r><w:t>3</w:t></w:r>'))}</w:p>"
)
ENCRYPTED = "unreadable: it is encrypted, as books with digital rights management are"
OTHER = "chapters of e-books by another media type than XHTML"
PAGE = "printed page numbers left out"
RUBY = "ruby readings left out"
TEX = "formulas in TeX left out"
CODE = "template code left out"
MAIL = (
    b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html; charset=cp1252\n"
    b"Content-Transfer-Encoding: quoted-printable\n\n<p>caf=E9</p>\n--b--\n"
)


def _fed(fed, name, data, read, **options):
    return Meaning(fed, name, data, read, options, read_with_notes)


PACKS: dict[str, list[Meaning]] = {
    "E-books": [
        _fed(
            "chapters of other media types that hold pages",
            "a.epub",
            _chapters("application/xhtml+xml; charset=utf-8", "text/xml", "", "TEXT/HTML", "image/jpeg"),
            f"One ship. | And 2. | And 3. | And 4. | And 5. | And 6. [5 {OTHER}]",
        ),
        _fed(
            "a place in the order of reading that holds no page",
            "a.epub",
            _chapters(
                items='<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
                spine='<itemref idref="n"/><itemref idref="0"/>',
                **{"OEBPS/toc.ncx": "<ncx><text>No</text></ncx>"},
            ),
            "One ship. [1 places in the order of reading of e-books that hold no page left out]",
        ),
        _fed(
            "a place in the order of reading that nothing is listed for",
            "a.epub",
            _chapters(spine='<itemref idref="0"/><itemref idref="b"/>'),
            "One ship. [1 places in the order of reading of e-books that their packages do not list]",
        ),
        _fed(
            "a chapter that is encrypted, its name escaped",
            "a.epub",
            epub({"a%20b.xhtml": "\x01\x02"}, **_cipher("OEBPS/a%20b.xhtml")),
            ENCRYPTED,
        ),
        _fed(
            "the same, its name as the book has it",
            "a.epub",
            epub({"a%20b.xhtml": "\x01\x02"}, **_cipher("a b.xhtml")),
            ENCRYPTED,
        ),
    ],
    "Documents of word processors": [
        _fed(
            "a page as a part (`w:altChunk`)",
            "a.docx",
            _word('<w:altChunk r:id="c0"/>', **parts("a.html", **{"word/a.html": "<h1>Nine</h1>ships"})),
            "Begin. | Nine | ships | End.",
        ),
        _fed(
            "text, a document of Word and a page of mail as parts",
            "a.docx",
            _word(
                "".join(f'<w:altChunk r:id="c{n}"/>' for n in range(3)),
                **parts(
                    *("a.txt", "a.docx", "a.mht"),
                    **{"word/a.txt": "Nine", "word/a.docx": docx(p("<w:t>Ships</w:t>")), "word/a.mht": MAIL},
                ),
            ),
            "Begin. | Nine | Ships | café | End.",
        ),
        _fed(
            "a part in RTF, and one in another file (`w:subDoc`)",
            "a.docx",
            _word(
                '<w:altChunk r:id="c0"/><w:p><w:subDoc r:id="c1"/></w:p>',
                **parts("a.rtf", "file:///b.docx", **{"word/a.rtf": r"{\rtf1 Nine}"}),
            ),
            "Begin. | End. [1 text of documents of Word left out, w:altChunk .rtf] "
            "[1 text of documents of Word left out, w:subDoc .docx]",
        ),
        _fed(
            "tabs and numbers between words",
            "a.docx",
            _runs(
                *("<w:t>One</w:t>", "<w:ptab/>", "<w:t>two</w:t>", "<w:pgNum/>", "<w:t>three</w:t>"),
                *(
                    "<w:footnoteReference w:id='1'/>",
                    "<w:t>four</w:t>",
                    "<w:footnoteReference w:id='2'/>",
                    "<w:t>.</w:t>",
                ),
            ),
            "One two three four.",
        ),
        _fed(
            "fields with the number of a page",
            "a.docx",
            docx(
                f"<w:p><w:r><w:t>One</w:t></w:r>{field('PAGE', '<w:r><w:t>12</w:t></w:r>')}<w:r><w:t>two,</w:t></w:r>"
                "<w:fldSimple w:instr=' PAGE '><w:r><w:t>13</w:t></w:r></w:fldSimple><w:r><w:t>three.</w:t></w:r></w:p>"
            ),
            "One two, three.",
        ),
        _fed(
            "choices for versions of Word: two, none with text, none",
            "a.docx",
            _runs(
                *(
                    f'<mc:AlternateContent xmlns:mc="m">{choices}</mc:AlternateContent>'
                    for choices in (
                        "<mc:Choice><w:t>One </w:t></mc:Choice><mc:Choice><w:t>No </w:t></mc:Choice>",
                        "<mc:Choice/><mc:Fallback><w:t>two </w:t></mc:Fallback>",
                        "<mc:Fallback><w:t>three.</w:t></mc:Fallback>",
                    )
                )
            ),
            "One two three.",
        ),
        _fed("contents that a field makes", "a.docx", _word(CONTENTS), "Begin. | End."),
        _fed(
            "the field that makes them in an element of its own",
            "a.docx",
            _word(f"<w:p><w:fldSimple w:instr=' TOC '>{p('<w:t>The storm</w:t>')}</w:fldSimple></w:p>"),
            "Begin. | End.",
        ),
        _fed("a row and a cell that tracked changes delete", "a.docx", _word(TABLE), "Begin. | Kept. | End."),
        _fed(
            "numbers of headings and items, written out",
            "a.odt",
            odt(
                "<text:h><text:number>1.</text:number>Storm</text:h><text:p><text:number>2.</text:number>Calm.</text:p>"
            ),
            "Storm | Calm.",
        ),
        _fed(
            "a section in another file",
            "a.odt",
            odt(
                '<text:p>Begin.</text:p><text:section><text:section-source l:href="b.odt" xmlns:l="l"/></text:section>'
            ),
            "Begin. [1 sections of open documents in other files left out]",
        ),
    ],
    "Numbers of printed pages": [
        _fed(
            f"a number within a word: {fed}",
            "a.epub",
            _pages(f"<p>The govern{mark}ment fell.</p>"),
            f"The government fell. [1 {PAGE}]",
        )
        for fed, mark in {
            "of EPUB": '<span epub:type="pagebreak">12</span>',
            "by its role": '<span role="doc-pagebreak" aria-label="page 12">page 12</span>',
            "by its class": '<span class="pagenum">[p. xii]</span>',
            "of Project Gutenberg": '<span class="x-ebookmaker-pageno"><a id="Page_12">[Pg 12]</a></span>',
            "by its place": '<a id="Page_12">12</a>',
            "without an element": "[Pg 12]",
            "as a block": '<div epub:type="pagebreak">12</div>',
            "of HTMLBook": '<span data-type="pagebreak">12</span>',
            "in brackets of any kind": "{12}",
        }.items()
    ]
    + [
        _fed(
            "a number behind a hyphen",
            "a.epub",
            _pages('<p>The govern-<a id="Page_12">[12]</a>ment, a well-[Pg 13]known government.</p>'),
            f"The government, a well-known government. [2 {PAGE}]",
        ),
        _fed(
            "first letters and citations that look like numbers of pages",
            "a.html",
            _html('<p><span class="page-cap">I</span>n <span class="p1">D</span>avid <i class="cite">[p. 12]</i>.'),
            "In David [p. 12].",
            **ALL,
        ),
        _fed(
            "numbers that are text",
            "a.html",
            _html('<p>He is <span id="age">12</span>, see <a href="#p13">page 13</a>.<h2 class="pagebreak">XII</h2>'),
            "He is 12, see page 13. | XII",
            **ALL,
        ),
    ],
    "Readings, formulas, templates": [
        _fed(
            "ruby",
            "a.html",
            _html("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を読む"),
            f"漢字を読む [2 {RUBY}]",
            **ALL,
        ),
        _fed(
            "ruby without end tags",
            "a.html",
            _html("<ruby><rb>漢<rt>かん<rb>字<rt>じ</ruby>を読む"),
            f"漢字を読む [2 {RUBY}]",
            **ALL,
        ),
        _fed(
            "ruby",
            "a.epub",
            _pages("<p><ruby>\n <rb>漢字</rb>\n <rt>かんじ</rt>\n</ruby>を読む</p>"),
            f"漢字を読む [1 {RUBY}]",
        ),
        _fed("ruby", "a.md", "<ruby>漢字<rt>かんじ</rt></ruby>を読む".encode(), f"漢字を読む [1 {RUBY}]"),
        _fed(
            "ruby",
            "a.docx",
            _runs(
                "<w:ruby><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby>",
                "<w:t>を読む</w:t>",
            ),
            f"漢字を読む [1 {RUBY}]",
        ),
        _fed(
            "ruby",
            "a.odt",
            odt(
                "<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>を読む</text:p>"
            ),
            f"漢字を読む [1 {RUBY}]",
        ),
        _fed(
            "ruby",
            "a.xml",
            "<TEI><text><body><p><ruby><rb>漢字</rb> <rt>かんじ</rt></ruby>を読む</p></body></text></TEI>".encode(),
            f"漢字を読む [1 {RUBY}]",
        ),
        _fed(
            "an annotation of MathML",
            "a.html",
            _html(
                "<p>Area <math><semantics><mrow><mi>x</mi><mo>=</mo><mn>2</mn></mrow>"
                "<annotation encoding='application/x-tex'>{x=2}</annotation></semantics></math> holds."
            ),
            "Area x=2 holds. [1 annotations of formulas left out]",
            **ALL,
        ),
        _fed(
            "a formula of MathJax, drawn as text and as a picture",
            "a.html",
            _html(
                "<p>Area <mjx-container><mjx-math>x</mjx-math><mjx-assistive-mml><math><mi>x</mi></math>"
                "</mjx-assistive-mml></mjx-container> and <mjx-container><svg></svg><mjx-assistive-mml><math><mi>y</mi>"
                "</math></mjx-assistive-mml></mjx-container>."
            ),
            "Area x and y. [1 annotations of formulas left out]",
            **ALL,
        ),
        _fed(
            "prices, sets and process numbers that look like formulas and templates",
            "a.html",
            _html("<p>Pay $$ now = $$ later; {{1}, {1,2}}; kill /tmp/x.$$ or ~/y_$$."),
            "Pay $$ now = $$ later; {{1}, {1,2}}; kill /tmp/x.$$ or ~/y_$$.",
            **ALL,
        ),
        _fed(
            "templates and formulas in TeX, and what is none",
            "a.html",
            _html("<p>Dear {{ name }}, {% if a %}pay{% endif %} $5 or $$ to $$$ {so} <code>{{ x }}</code> $$x^2$$."),
            f"Dear , pay $5 or $$ to $$$ {{so}} {{{{ x }}}} . [1 {TEX}] [3 {CODE}]",
            **ALL,
        ),
        _fed(
            "the same",
            "a.md",
            b"Dear {{< name >}}, {% if a %}pay{% endif %} $5 or $$ to $$$ {so} `{{ x }}`.\n\n$$\nx_1^2\n$$\n",
            f"Dear , pay $5 or $$ to $$$ {{so}} {{{{ x }}}}. [1 {TEX}] [3 {CODE}]",
        ),
    ],
}
