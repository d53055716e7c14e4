"""Text of bytes, decoded and refused without the readers' code, by docs/reference/formats.md."""

import codecs
import re
import unicodedata

BOM = b"\xef\xbb\xbf"
INVISIBLE = "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
NO_TEXT = re.compile("[\x00\ud800-\udfff]")
CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
# In this order: the mark of UTF-32 begins like that of UTF-16.
MARKS = (
    ("utf-32", codecs.BOM_UTF32_LE),
    ("utf-32", codecs.BOM_UTF32_BE),
    ("utf-16", codecs.BOM_UTF16_LE),
    ("utf-16", codecs.BOM_UTF16_BE),
)
MOST = 30


def encodings_of(data, options):
    """Return the encodings in which bytes are to be tried, a byte order mark seen."""
    if any(name.lower().replace("-", "") in ("utf8", "utf8sig") for name in options.encoding):
        for name, mark in MARKS:
            if data.startswith(mark):
                return (name,)
    return options.encoding


def decoded(data, encodings):
    """Return text in the first encoding that takes it, None if none does."""
    for encoding in encodings:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except UnicodeError:
            continue
    return None


def raw_lines(data):
    """Return the lines of bytes, without their ends and a mark before the first."""
    return re.split(rb"\r\n|\r|\n", data.removeprefix(BOM))


def decoded_lines(data, options):
    """Return the lines as text, None for one that is in no encoding, or too long."""
    lines = []
    for raw in raw_lines(data):
        fits = len(raw) <= options.max_line_bytes
        lines.append(decoded(raw, options.encoding) if fits else None)
    return lines


def without_control(text, options):
    """Return text with what may be dropped gone, None if it must be refused."""
    if options.control == "drop":
        return CONTROL.sub("", text)
    return None if NO_TEXT.search(text) else text


def refused(text, options):
    """Return whether cleaned text has more marks in a row than are allowed."""
    shown = re.sub(INVISIBLE, "", text.replace("\u200b", " "))
    return options.marks == "reject" and longest_run(shown) > MOST


def longest_run(text):
    """Return how many combining marks follow each other at most, in the NFKD of a text."""
    longest = run = 0
    for letter in text:
        for character in unicodedata.normalize("NFKD", letter):
            run = run + 1 if unicodedata.combining(character) else 0
            longest = max(longest, run)
    return longest
