"""Files that are no text, whatever they are called, and texts that begin as such files do.

    signed(random.Random(1))

returns the bytes of one, and the reason of the one reject that it must be in every format.
"""

import io
import random
import zipfile

OF_NO_TEXT = ("html", "pdf", "image", "office", "executable", "binary")
# How a text may begin that is no such file.
SHAMS = (
    "BMW, a letter",
    "MZ is short for it",
    "GIF89a is a format.",
    "%PDF-1.4 is a version, too.",
    "<html> is the first tag of a page.",
    "<!doctype html> stands before it.",
    "II*",
    "RIFF of us",
    "ID3 and so on",
    "%!PS",
    "OggS",
    "{\\rtfm}",
    "BZhx",
    "PK",
    "\u007fELF",
    "8BPS",
    "FLV",
    "CWS",
    "SQLite format 3",
    "<svg> is another.",
    "<head> and <body> are in it.",
    "wOFF",
    "!<arch>",
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGNATURES = (
    ("image", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"),
    ("image", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00"),
    ("image", b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00"),
    ("image", b"BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"),
    ("image", b"II*\x00\x08\x00\x00\x00\x0e\x00"),
    ("image", b"RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00"),
    ("image", b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><path d="M0"/>'),
    ("office", _OLE + b"\x00" * 16 + b"\x3e\x00\x03\x00"),
    ("office", b"{\\rtf1\\ansi\\deff0 {\\fonttbl}"),
    ("executable", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00"),
    ("executable", b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00"),
    ("executable", b"\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x1d"),
    ("executable", b"\x00asm\x01\x00\x00\x00\x01\x04"),
    ("pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj\n"),
    ("pdf", b"%!PS-Adobe-3.0\n%%Creator: a\n"),
    ("binary", b"OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"),
    ("binary", b"ID3\x04\x00\x00\x00\x00\x00\x23TSSE\x00\x00"),
    ("binary", b"SQLite format 3\x00\x10\x00\x01\x01\x00\x40"),
    ("binary", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'}"),
    ("binary", b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"),
    ("html", b"<!DOCTYPE html>\n<html><head><title>T</title></head><body><p>Text.</p>"),
    ("html", b"\n<html lang=en>\n<head>"),
)
_PACKAGES = (
    (("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")),
    (("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", b"<a/>")),
    (("META-INF/container.xml", b"<container/>"), ("a.xml", b"<a/>")),
)


def signed(rng: random.Random) -> tuple[bytes, str]:
    """Return the beginning of a file that is no text, random bytes behind it, and its reason."""
    if rng.random() < 0.1:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in rng.choice(_PACKAGES):
                archive.writestr(zipfile.ZipInfo(name), data)
        return out.getvalue(), "office"
    reason, data = rng.choice(_SIGNATURES)
    if reason == "html" and rng.random() < 0.3:
        return data.decode().encode(rng.choice(("utf-16", "utf-32", "utf-8-sig"))), reason
    return data + rng.randbytes(rng.randrange(80)), reason
