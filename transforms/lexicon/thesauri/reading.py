"""Files of thesauri: senses with their members. The formats by name, and how a file's own is recognised."""

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.encodings import line_feeds
from lexbeam.transforms.lexicon.compiled.opening import LINE_BYTES, opened, reading
from lexbeam.transforms.lexicon.thesauri.assertions import read_conceptnet, read_ppdb
from lexbeam.transforms.lexicon.thesauri.bilingual import is_freedict, read_freedict, read_pairs
from lexbeam.transforms.lexicon.thesauri.kaikki import LINE, read_kaikki
from lexbeam.transforms.lexicon.thesauri.lists import SEPARATORS, read_list
from lexbeam.transforms.lexicon.thesauri.mythes import is_encoding, read_mythes
from lexbeam.transforms.lexicon.thesauri.senses import ThesaurusFile, ThesaurusFormat, ThesaurusOptions, WordSense
from lexbeam.transforms.lexicon.thesauri.tab import is_synset, read_tab

READERS: Registry[ThesaurusFormat] = Registry(
    {
        "mythes": ThesaurusFormat(read_mythes, doc="MyThes, as LibreOffice has it"),
        "tab": ThesaurusFormat(read_tab, doc="a sense a line, words between tabs"),
        "kaikki": ThesaurusFormat(read_kaikki, line_bytes=LINE, doc="JSON lines of Wiktionary, by wiktextract"),
        "conceptnet": ThesaurusFormat(read_conceptnet, ("least",), doc="assertions of ConceptNet"),
        "ppdb": ThesaurusFormat(read_ppdb, ("least",), doc="paraphrases of PPDB"),
        "freedict": ThesaurusFormat(
            read_freedict, ("side",), doc="a dictionary of two languages of FreeDict, for dictd"
        ),
        "pairs": ThesaurusFormat(read_pairs, ("side",), doc="words of two languages, a pair a line"),
        "list": ThesaurusFormat(read_list, doc="a word a line, then simpler ones, between tabs, semicolons or commas"),
    },
    what="format of thesauri",
    group="lexbeam.thesaurus_formats",
)


def read_thesaurus(path: str, options: ThesaurusOptions, left_out: Counter[str] | None = None) -> Iterator[WordSense]:
    """Yield the senses of a file, each with its word; None: it is a sense of all of its members.

    Args:
        path: compressed or not.
        options: how it is read.
        left_out: counts what is left out, by reason.

    Raises:
        LexbeamError: the file does not exist, is not of the format, or a line is wrong; the format does not take an
            option that is given.
    """
    with reading(path), opened(path) as whole:
        # Entries of FreeDict are found by their bytes.
        is_indexed = (options.format or "freedict") == "freedict" and is_freedict(path)
        stream = whole if is_indexed else line_feeds(whole)
        first = getattr(stream, "readline")(LINE_BYTES)  # noqa: B009 - iterating a stream has no limit
        name = options.format or detect(first, path)
        reader = READERS[name]
        for key, given in (("side", options.side), ("least", options.least)):
            if given not in ("", None) and key not in reader.takes:
                raise LexbeamError(f"{path}: {key}={given} means nothing to format {name}: leave it out")
        lines = _lines(first, stream, path, reader.line_bytes)
        yield from reader.read(ThesaurusFile(path, lines, options, Counter() if left_out is None else left_out))


def _lines(first: bytes, stream: Iterable[bytes], path: str, limit: int) -> Iterator[bytes]:
    """Yield the lines, of the first of which up to `LINE_BYTES` were read to see what they are."""
    read = getattr(stream, "readline")  # noqa: B009 - iterating a stream has no limit
    if len(first) == LINE_BYTES and limit > LINE_BYTES and not first.endswith(b"\n"):
        first += read(limit - LINE_BYTES)
    for number, line in enumerate(chain([first], iter(lambda: read(limit), b"")), start=1):
        if len(line) == limit:
            raise LexbeamError(f"{path}: line {number} has {limit:,} bytes: is it a thesaurus?")
        yield line


def detect(first: bytes, path: str) -> str:
    """Return the format of a file by its first line, or that of a dictionary of FreeDict by its name.

    Raises:
        LexbeamError: the line begins no known format.
    """
    if is_freedict(path):
        return "freedict"
    line = first.removeprefix(codecs.BOM_UTF8).strip()
    if line.startswith(b"{"):
        return "kaikki"
    if line.startswith(b"/a/["):
        return "conceptnet"
    if line.startswith(b"[") and b" ||| " in line:
        return "ppdb"
    text = line.decode("utf-8", "replace")
    if line.startswith(b"#") or is_synset(text):
        return "tab"
    if any(mark in text for mark in SEPARATORS):
        return "list"
    if line and b"|" not in line and is_encoding(text):
        return "mythes"
    raise LexbeamError(
        f"{path}: line 1 is neither an encoding, as of MyThes, nor a comment or a synset with tabs, nor a word "
        f"and a simpler one, as in 'commenced,began', nor what another format begins with: name the format, "
        f"FILE:format={'|'.join(READERS)}"
    )
