"""Documents that are zip archives: docx, odt and epub, as small as their readers take them."""

from hostile_making import zipped

R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W = f'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{R}"'
RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="{}"/>'
    "</Relationships>"
)
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)
EXTERNAL = ' TargetMode="External"'
CONTAINER = '<container xmlns="c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
METADATA = (
    "<dc:title>Sea</dc:title><dc:creator>A. Sailor</dc:creator><dc:creator>B. Mate</dc:creator>"
    '<dc:language>en</dc:language><dc:date opf:event="publication">2011</dc:date>'
    '<dc:date opf:event="original-publication">1851</dc:date>'
)


def docx(body, main="word/document.xml", **more):
    members = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": RELS.format(main),
        main: f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "word/footnotes.xml": f"<w:footnotes {W}><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnotes>",
        **more,
    }
    return zipped(*members.items())


def p(*runs):
    return f"<w:p>{''.join(f'<w:r>{run}</w:r>' for run in runs)}</w:p>"


def parts(*targets, **members):
    """Return members of a docx: parts, and that the main one names them, by `c0`, `c1`, ..."""
    named = "".join(
        f'<Relationship Id="c{n}" Type="{R}/aFChunk" Target="{target}"{EXTERNAL * (":" in target)}/>'
        for n, target in enumerate(targets)
    )
    return {"word/_rels/document.xml.rels": f'<Relationships xmlns="r">{named}</Relationships>', **members}


def field(code, shown):
    marks = (f'<w:r><w:fldChar w:fldCharType="{mark}"/></w:r>' for mark in ("begin", "separate", "end"))
    begin, separate, end = marks
    half = len(code) // 2
    instruction = "".join(f"<w:r><w:instrText>{some}</w:instrText></w:r>" for some in (code[:half], code[half:]))
    return f"{begin}{instruction}{separate}{shown}{end}"


def odt(body, styles="", **more):
    content = (
        f"<office:content {ODF}>{styles}<office:body><office:text>{body}</office:text></office:body></office:content>"
    )
    members = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, **more}
    return zipped(*members.items())


def page(text):
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{text}</body></html>'


def epub(chapters, spine=None, metadata=METADATA, items="", **more):
    manifest = "".join(
        f'<item id="{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = spine or "".join(f'<itemref idref="{n}"/>' for n in range(len(chapters)))
    book = (
        f'<package xmlns="p" xmlns:dc="d" xmlns:opf="o"><metadata>{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine>{spine}</spine></package>"
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/book.opf": book}
    members |= {f"OEBPS/{name.replace('%20', ' ')}": data for name, data in chapters.items()}
    return zipped(*{**members, **more}.items())
