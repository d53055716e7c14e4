"""Small documents that are zip archives, valid and broken within, made from a random generator."""

import random
from collections.abc import Callable

from fuzz_making import chance, line, text
from packages_making import docx, epub, odt, p, page

# Of the grammars, to be put where they do not belong.
PIECES = (
    "<w:p>",
    "</w:p>",
    "<w:r><w:rPr><w:vanish/></w:rPr>",
    "<w:del>",
    "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>",
    "<w:sym w:font='Symbol' w:char='F061'/>",
    "<w:tbl><w:tr><w:tc>",
    "<w:br/>",
    "<w:tab/>",
    "<w:fldChar w:fldCharType='begin'/><w:instrText>TOC</w:instrText>",
    "<w:fldChar w:fldCharType='end'/>",
    "<w:altChunk r:id='c0'/>",
    "<w:footnoteReference/>",
    "<text:section-source text:href='a'/>",
    "<ruby><rb>a<rt>",
    "<span class='pagenum'>",
    "{{",
    "%}",
    "$$",
    "<text:note>",
    "<text:s text:c='9'/>",
    "<text:table-of-content>",
    "<![CDATA[ a ]]>",
    "<!-- a -->",
    "<?a b?>",
    "&nbsp;",
    "&#0;",
    "&a;",
    "</body>",
    "<p hidden=''>",
    "<!DOCTYPE a [<!ENTITY a 'b'>]>",
    "\ud7ff\ufffe",
)
META = '<a xmlns:dc="d"><dc:title>{}</dc:title><dc:creator>{}</dc:creator><dc:language>en</dc:language></a>'


def _escaped(words: str) -> str:
    plain = "".join(sign for sign in words if sign in "\t\n" or "\x20" <= sign < "\ufffe")
    return plain.replace("&", "&amp;").replace("<", "&lt;")


def _with_pieces(rng: random.Random, body: str) -> str:
    for _ in range(rng.randrange(1, 4) if chance(rng, 0.25) else 0):
        place = rng.randrange(len(body) + 1)
        body = body[:place] + rng.choice(PIECES) + body[place:]
    return body


def _body(rng: random.Random, element: Callable[[str], str]) -> str:
    return _with_pieces(rng, "".join(element(_escaped(text(rng))) for _ in range(rng.randrange(1, 4))))


def make_docx(rng: random.Random) -> bytes:
    """Return a document of Word."""
    more = {"docProps/core.xml": META.format(_escaped(line(rng)), "A")} if chance(rng, 0.5) else {}
    main = "word/document.xml" if chance(rng, 0.8) else "word/a.xml"
    return docx(_body(rng, lambda words: p(f"<w:t>{words}</w:t>", "<w:br/><w:t>a</w:t>")), main, **more)


def make_odt(rng: random.Random) -> bytes:
    """Return an OpenDocument text."""
    more = {"meta.xml": META.format(_escaped(line(rng)), "A")} if chance(rng, 0.5) else {}
    return odt(_body(rng, lambda words: f"<text:p>{words}<text:span>a</text:span></text:p>"), **more)


def make_epub(rng: random.Random) -> bytes:
    """Return an e-book."""
    chapters = {
        f"{number}.xhtml": page(_body(rng, lambda words: f"<p>{words}<b>a</b></p>"))
        for number in range(rng.randrange(1, 3))
    }
    return epub(chapters, metadata=_with_pieces(rng, "<dc:title>T</dc:title><dc:date>1851</dc:date>"))
