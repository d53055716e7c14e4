r"""Content that is not text, recognised by a file's first bytes: a page, a picture, a program, ...

    >>> content_of(b"%PDF-1.4\n1 0 obj\n<<")
    Content(reason='pdf', what='PDF', format='')
    >>> content_of(b"<html> is the first tag of a page."), content_of(b"GIF89a is a format.")
    (None, None)

The table is our own, since it must never be wrong about a text: the packages `filetype` and
`puremagic` go by two or three bytes, so that a letter about `BMW` is a picture and one that begins
with `MZ` a program, and libmagic's answers depend on the version on a machine. Here a
signature counts only beside a control character that no text holds, and markup only if more of
it follows.
"""

import functools
import re
import zlib
from collections.abc import Collection
from typing import NamedTuple

from lexbeam.transforms.formats.sources.streams import marked_encoding

# First bytes that are looked at, where a stream gives as many at once.
HEAD = 1 << 16


class Content(NamedTuple):
    """A kind of content that is not plain text.

    Attributes:
        reason: of its reject.
        what: its name for a person.
        format: the reader that takes it; empty for none.
    """

    reason: str
    what: str
    format: str = ""


# Line ends, tabs, form feeds and the escape of terminals do occur in texts, NUL and others do not.
_ODD = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b")
_SOME = 3  # so many are in what is no text, beside a signature that has none itself
_MUCH = 20  # of one byte in so many that is odd no text is made
_SPACE = re.compile(rb"\s*")

_SIGNATURES: dict[str, dict[str, bytes]] = {
    "image": {
        "PNG": rb"\x89PNG\r\n\x1a\n",
        "JPEG": rb"\xff\xd8\xff[\xc0-\xfe]",
        "GIF": rb"GIF8[79]a",
        "WebP": rb"RIFF[\s\S]{4}WEBP",
        "TIFF": rb"II[*+]\x00|MM\x00[*+]",
        "BMP": rb"BM[\s\S]{4}\x00{4}[\s\S]{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\x00{3}",
        "icon": rb"\x00\x00[\x01\x02]\x00[\x01-\x40]\x00",
        "JPEG 2000": rb"\x00\x00\x00\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51",
        "JPEG XL": rb"\x00\x00\x00\x0cJXL \r\n\x87\n",
        "HEIF or AVIF": rb"\x00\x00\x00[\s\S]ftyp(?:hei[cfmsx]|hev[cx]|mif1|msf1|avi[fs])",
        "Photoshop": rb"8BPS\x00[\x01\x02]",
        "GIMP": rb"gimp xcf ",
        "OpenEXR": rb"\x76\x2f\x31\x01",
        "DjVu": rb"AT&TFORM",
    },
    "office": {
        "Word, Excel or PowerPoint": rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "Mobipocket": rb"[\s\S]{60}(?:BOOKMOBI|TEXtREAd)",
        "compiled help": rb"ITSF[\x02-\x04]\x00|ITOLITLS",
    },
    "executable": {
        "ELF": rb"\x7fELF",
        "a Windows program": rb"MZ(?=[\s\S]{0,61}\x00[\s\S]{0,60}\x00[\s\S]{0,60}\x00)",
        "Mach-O": rb"\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe",
        "Java, or Mach-O": rb"\xca\xfe\xba\xbe",
        "WebAssembly": rb"\x00asm",
        "Python bytecode": rb"[\s\S]{2}\r\n[\x00-\x03]\x00{3}",
        "Lua bytecode": rb"\x1bLua[\x40-\x60]",
        "Dalvik": rb"dex\n\d{3}\x00",
        "LLVM bitcode": rb"BC\xc0\xde",
    },
    "binary": {
        "Ogg": rb"OggS\x00",
        "FLAC": rb"fLaC\x00",
        "MP3": rb"ID3[\x02-\x04]",
        "WAVE or AVI": rb"RIFF[\s\S]{4}(?:WAVE|AVI )",
        "AIFF": rb"FORM[\s\S]{4}AIF[FC]",
        "MIDI": rb"MThd\x00{3}",
        "Sun audio": rb"\.snd\x00",
        "MPEG-4 or QuickTime": rb"\x00\x00[\s\S]{2}(?:ftyp|moov|mdat|wide|free)",
        "Matroska or WebM": rb"\x1a\x45\xdf\xa3",
        "MPEG": rb"\x00\x00\x01[\xb3\xba]",
        "Windows media": rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11",
        "Flash": rb"FLV\x01|[CFZ]WS[\x01-\x40](?=[\s\S]{0,8}\x00)",
        "a font": rb"wOF[F2]|OTTO\x00|\x00\x01\x00\x00\x00[\s\S]{7}[A-Z]|ttcf\x00",
        "SQLite": rb"SQLite format 3\x00",
        "HDF5": rb"\x89HDF\r\n\x1a\n",
        "NumPy": rb"\x93NUMPY",
        "a pickle": rb"\x80(?:[\x04\x05]\x95|[\x02\x03](?:[\]}]q\x00|c))",
        "Arrow": rb"ARROW1\x00\x00",
        "Avro": rb"Obj\x01",
        "TeX DVI": rb"\xf7\x02\x01",
        "gzip": rb"\x1f\x8b\x08",
        "bzip2": rb"BZh[1-9](?:1AY&SY|\x17rE8P)",
        "xz": rb"\xfd7zXZ\x00",
        "Zstandard": rb"\x28\xb5\x2f\xfd",
        "LZ4": rb"\x04\x22\x4d\x18",
        "compress": rb"\x1f\x9d[\x80-\x90]",
        "a cabinet": rb"MSCF\x00{4}",
        "an archive of ar": rb"!<arch>\n",
        "RPM": rb"\xed\xab\xee\xdb",
        "a folder's settings": rb"\x00\x00\x00\x01Bud1",
    },
}
_KINDS = [Content(reason, what) for reason, kinds in _SIGNATURES.items() for what in kinds]
_MAGIC = re.compile(b"|".join(b"(%b)" % magic for kinds in _SIGNATURES.values() for magic in kinds.values()))
_ISO = slice(32769, 32774)

_PDF = re.compile(rb"(?:\A|[\r\n])%PDF-\d\.\d(?=\s*(?:[\r\n%]|\Z))")
_PDF_GOES_ON = re.compile(rb"\s*(?:\Z|%[\x80-\xff]{4})|[\s\S]*?\b\d+\s+\d+\s+obj\b")
_POSTSCRIPT = re.compile(rb"%!PS-Adobe-\d\.\d[^\r\n]*[\r\n]+%%")
# With more markup, or closed where the file ends.
_RTF = re.compile(rb"\{\\rtf(?:\d?\s*[\\{]|1\s[\s\S]*\}\s*\Z)")

_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)(?=[\s/>])")
_DOCTYPE = re.compile(rb"<!doctype\s+([\w.:-]+)\s*([^\[>]*)", re.IGNORECASE)
_MARKUP = re.compile(rb"<[A-Za-z/!?]")
_EMPTY = {b"meta", b"link"}
_FRAGMENTS = _EMPTY.union(b"title style script div p h1 h2 h3 h4 table ul ol dl center font".split())
_ELEMENT = re.compile(
    rb"</?(?:title|meta|link|style|script|div|p|h[1-6]|table|t[rdh]|[uod]l|li|d[td]|center|font|"
    rb"article|section|main|header|nav|span|a|b|i|em|strong|br|hr|img)(?=[\s/>])",
    re.IGNORECASE,
)
_PAGE_END = re.compile(rb"</(?:html|body)\s*>\s*\Z", re.IGNORECASE)
_SVG = b"http://www.w3.org/2000/svg"
_OFFICE_ROOTS = {b"office:document", b"office:document-content", b"w:worddocument", b"pkg:package"}

_MIMETYPES = (
    b"application/epub+zip",
    b"application/vnd.oasis.",
    b"application/vnd.sun.xml.",
    b"application/vnd.adobe.indesign",
    b"application/x-vnd.oasis.",
)
_OOXML = "[Content_Types].xml"
_OOXML_MEMBERS = {
    _OOXML,
    "_rels/.rels",
    "docProps/app.xml",
    "docProps/core.xml",
    "word/document.xml",
    "xl/workbook.xml",
    "ppt/presentation.xml",
}
_OFFICE = Content("office", "an office document or e-book")
_DOCX = Content("office", "a document of Word", "docx")
_READ = {
    b"application/epub+zip": Content("office", "an e-book", "epub"),
    b"application/vnd.oasis.opendocument.text": Content("office", "an OpenDocument text", "odt"),
}
# A member's local header, as far as its name (APPNOTE 4.3.7), of what makes a package a document of Word.
_WORD = re.compile(rb"PK\x03\x04[\s\S]{26}word/")
_PROGRAM = Content("executable", "an archive of Java or Android classes")


@functools.lru_cache(1)  # of a file's head it is asked twice
def content_of(head: bytes) -> Content | None:
    """Return the kind of content that the first bytes of a file show, if they are certainly not text.

    None does not mean that they are text: `is_binary`, or whoever decodes them, finds that out. Zip
    archives are left to `package_of`.
    """
    if encoding := marked_encoding(head):
        return _markup(head.decode(encoding, "ignore").encode())
    head = head.removeprefix(b"\xef\xbb\xbf")
    odd = _count_odd(head[:4096])
    if odd and (signature := _MAGIC.match(head)) and (odd >= _SOME or _count_odd(signature[0])):
        assert signature.lastindex is not None
        return _KINDS[signature.lastindex - 1]
    if odd and head[_ISO] == b"CD001":
        return Content("binary", "a disc image")
    start = head[:4096].lstrip()
    for page in _PDF.finditer(start[:1040]) if b"%PDF" in start[:1040] else ():
        if odd or _PDF_GOES_ON.match(start, page.end()):
            return Content("pdf", "PDF")
    if _POSTSCRIPT.match(start):
        return Content("pdf", "PostScript")
    if _RTF.match(start):
        return Content("office", "RTF")
    return _markup(head)


def _count_odd(data: bytes) -> int:
    return len(data) - len(data.translate(None, _ODD))


def is_binary(head: bytes) -> bool:
    """Return whether bytes without a byte order mark are not text in any single-byte encoding or UTF-8.

    A NUL alone does not make them binary: some texts have one somewhere.
    """
    return b"\x00" in head and _count_odd(head) * _MUCH > len(head)


def _markup(head: bytes) -> Content | None:
    place, declared, certain = _root(head)
    tag = _TAG.match(head, place)
    root = tag[1].lower() if tag else b""
    if root in _OFFICE_ROOTS or b"<?mso-application" in head[:place]:
        return Content("office", "an office document in XML")
    if root.rpartition(b":")[2] == b"svg" and (declared == b"svg" or _SVG in head):
        return Content("image", "SVG")
    if declared == b"html":
        more = certain or _MARKUP.match(head, place) or not head[place:]
        return Content("html", "HTML") if more else None
    if tag and not declared and root.rpartition(b":")[2] in (b"html", b"head", b"body"):
        end = head.find(b">", tag.end())
        inner = _root(head, end + 1)[0] if end >= 0 else len(head)
        if _MARKUP.match(head, inner) or _PAGE_END.search(head):
            return Content("html", "HTML")
    if tag and not declared and root in _FRAGMENTS and _is_fragment(head[place:], root):
        return Content("html", "HTML without a page around it")
    return None


def _is_fragment(head: bytes, root: bytes) -> bool:
    """Return whether text that begins with an element of pages goes on like one."""
    closed = root in _EMPTY or b"</" + root in head.lower()
    return closed and len(_ELEMENT.findall(head)) >= _SOME


def _root(head: bytes, place: int = 0) -> tuple[int, bytes, bool]:
    """Skip white space, comments, instructions and the document type.

    Returns the place behind them, the name of the type, and whether the type says more than a name.
    """
    declared, certain = b"", False
    while True:
        place = _SPACE.match(head, place).end()  # type: ignore[union-attr]
        if head.startswith(b"<!--", place):
            place = _after(head, b"-->", place + 4)
        elif head.startswith(b"<?", place):
            place = _after(head, b"?>", place)
        elif (doctype := _DOCTYPE.match(head, place)) and b">" in head[place:]:
            declared, certain = doctype[1].lower(), bool(doctype[2].strip())
            place = doctype.end()
            if head.startswith(b"[", place):
                place = _after(head, b"]", place)
            place = _after(head, b">", place)
        else:
            return place, declared, certain


def _after(head: bytes, end: bytes, place: int) -> int:
    start = head.find(end, place)
    return len(head) if start < 0 else start + len(end)


def package_of(names: Collection[str], mimetype: bytes) -> Content | None:
    """Return the kind of document or program that a zip archive is, by its members' names and `mimetype`.

    None if it is an archive of files.
    """
    known = set(names)
    if _OOXML in known and not known.isdisjoint(_OOXML_MEMBERS - {_OOXML}):
        return _DOCX if any(name.startswith("word/") for name in known) else _OFFICE
    if kind := _READ.get(mimetype.strip()):
        return kind
    if mimetype.lstrip().startswith(_MIMETYPES) or "META-INF/container.xml" in known:
        return _OFFICE
    compiled = any(name.endswith((".class", ".dex")) for name in known)
    return _PROGRAM if compiled and "META-INF/MANIFEST.MF" in known else None


def packaged_head(head: bytes) -> Content | None:
    """Return the same by the first bytes of a zip archive alone, for one that cannot be opened."""
    length, extra = (int.from_bytes(head[at : at + 2], "little") for at in (26, 28))
    name = head[30 : 30 + length].decode("latin-1")
    if not head.startswith(b"PK\x03\x04"):
        return None
    if name in _OOXML_MEMBERS or name.startswith("word/"):
        return _DOCX if _WORD.search(head) else _OFFICE
    content = head[30 + length + extra :] if name == "mimetype" else b""
    if not head[8:10].strip(b"\0"):  # as it is, and ends with the next member
        content = content[: int.from_bytes(head[18:22], "little")] or content.partition(b"PK")[0]
    if content and head[8:10] == b"\x08\x00":  # compressed, which it should not be
        try:
            content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, 100)
        except zlib.error:
            return None
    return package_of((), content)
