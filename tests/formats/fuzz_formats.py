"""How inputs of each format are made: `MAKERS` has a `Maker` for each reader.

A reader without one fails a test. All that is made depends on the random generator alone.
"""

import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from fuzz_making import (
    EMPTY,
    HEADS,
    MARKDOWN_SIGNS,
    PROLOGUES,
    chance,
    make_conllu,
    make_csv,
    make_json,
    make_jsonl,
    make_lines,
    make_markdown,
    make_parquet,
    make_tei,
    make_text,
    make_vertical,
    utf8,
)
from fuzz_making_html import TAGS, make_html
from fuzz_making_packages import PIECES, make_docx, make_epub, make_odt


class Maker(NamedTuple):
    """How inputs of a format are made.

    Attributes:
        make: returns the bytes of a valid file.
        options: returns options of the reader that matter for the format.
        tokens: of its grammar, to be spliced in.
        suffix: of names, by which the format is found out; empty where there is none.
        share: of inputs that are given options.
    """

    make: Callable[[random.Random], bytes]
    options: Callable[[random.Random], dict[str, Any]]
    tokens: tuple[bytes, ...]
    suffix: str
    share: float = 0.5


PATHS = (
    *("text", "text", "body", "meta.text", "a.b", "0", "text.0", "..", "", "meta.", "a.b.c"),
    *("a[].text", "a[].b[].text", "text[]", "b[]", "meta.a[].text", "a.0.b[].date", "[]", "a[]b"),
)
RECORDS = ("a[]", "a[]", "b[]", "a[].b[]", "meta.a[]", "text[]", "a.0.b[]", "a[].b[].a[]", "meta[]")
_ENCODINGS = """
latin-1 cp1252 utf-16 utf-16-le utf-32 utf-8-sig utf-7 ascii shift_jis gb18030 cp037 iso2022_jp hz
big5 UTF8 unicode_escape idna punycode
utf-8,cp1252 utf-8,cp1252 utf-8,latin-1 ascii,utf-8,cp1252 shift_jis,utf-8 cp1252,utf-8 utf-8,utf-7
utf-8,gb18030,big5,latin-1
"""
ENCODINGS = tuple(tuple(names.split(",")) for names in _ENCODINGS.split())
LIMITS = (1, 2, 10, 40, 100)


def _common(rng: random.Random) -> dict[str, Any]:
    """Draw options that most readers know; mostly none."""
    options: dict[str, Any] = {}  # never changed
    if chance(rng, 0.12):
        options["encoding"] = rng.choice(ENCODINGS)
    if chance(rng, 0.1):
        options["control"] = "drop"
    if chance(rng, 0.1):
        options["marks"] = "break"
    if chance(rng, 0.06):
        options["max_line_bytes"] = rng.choice(LIMITS)
    if chance(rng, 0.04):
        options["max_record_bytes"] = rng.choice(LIMITS)
    return options


def _fields(rng: random.Random) -> dict[str, Any]:
    options = _common(rng)
    if chance(rng, 0.1):
        options["text_field"] = rng.choice(PATHS)
    if chance(rng, 0.15):
        names = ("title", "date", "x", "a.b")
        pairs = [f"{rng.choice(names)}={rng.choice(PATHS) or 'b'}" for _ in range(rng.randrange(3))]
        options["fields"] = tuple(pairs)
    return options


def _nested_options(rng: random.Random) -> dict[str, Any]:
    options = _fields(rng)
    if chance(rng, 0.4):
        options["records"] = rng.choice(RECORDS)
        if chance(rng, 0.3):
            options["fields"] = (rng.choice(("date=.date", "x=..date", "title=.a[].text", "x=.")),)
    return options


def _html_options(rng: random.Random) -> dict[str, Any]:
    # To find the main text takes ten times as long as the rest.
    options = _common(rng)
    return {**options, "html": rng.choice((*10 * ("all",), "main", "reject"))}


def _json_options(rng: random.Random) -> dict[str, Any]:
    options = _nested_options(rng)
    if chance(rng, 0.25):
        options["json_path"] = rng.choice(
            ("a", "b", "a.b", "a.0", "0", ".", "text", "meta.text", "a[]", "a[].b", "a[].b[]")
        )
    return options


def _csv_options(rng: random.Random) -> dict[str, Any]:
    options = _fields(rng)
    if chance(rng, 0.3):
        options["quoting"] = False
    if chance(rng, 0.2):
        options["header"] = False
        options["text_field"] = rng.choice(("1", "2", "text"))
    if chance(rng, 0.2):
        options["columns"] = ("text", "date", "b")[: rng.randrange(4)]
    if chance(rng, 0.3):
        options["delimiter"] = rng.choice((",", "\t", "tab", "\\t", ";", "x", " ", "\u2028", "_", "ß"))
    return options


def _conllu_options(rng: random.Random) -> dict[str, Any]:
    options = _common(rng)
    if chance(rng, 0.3):
        options["layers"] = rng.choice((("heads",), ("feats",), ("heads", "deprels", "feats")))
    return options


def _vertical_options(rng: random.Random) -> dict[str, Any]:
    options = _common(rng)
    if chance(rng, 0.03):
        options["columns"] = rng.choice((("word", "pos", "lemma"), ("word", "lemma", "x"), ("a", "b")))
    return {**options, "layers": ("xpos",)} if chance(rng, 0.3) else options


def _lines_options(rng: random.Random) -> dict[str, Any]:
    return {**_common(rng), "lines_hold": rng.choice(("lemmas", "forms", "text"))}


def _tei_options(rng: random.Random) -> dict[str, Any]:
    options = _common(rng)
    if chance(rng, 0.3):
        parts = itertools.compress(("body", "front", "back"), rng.choices((0, 1), k=3))
        options["tei_parts"] = tuple(parts)
    return options


def _tokens(*given: str) -> tuple[bytes, ...]:
    return tuple(map(utf8, given))


MAKERS: dict[str, Maker] = {
    "text": Maker(make_text, _common, _tokens("\n\n", "\r\n \r\n", "\xad\n", "-\n", "\f"), ".txt"),
    "tei": Maker(
        make_tei,
        _tei_options,
        _tokens(
            *EMPTY,
            *PROLOGUES,
            *HEADS,
            "<TEI>",
            "</TEI>",
            "</p>",
            "<p>",
            "<![CDATA[",
            "]]>",
            "<w>",
            "</w>",
            "<s>",
            "</s>",
            "<!--",
            "-->",
            "&amp;",
            "&mdash;",
            "&a;",
            "&#0;",
            "&#xD800;",
            "&#x110000;",
            "&#xFDD1;",
            "&#13;",
            "&#x7f;",
            "<a:b>",
            "<text>",
            "<?x?>",
            "<choice><sic>a</sic><corr>b</corr></choice>",
            "-<lb/>",
            "xml:id='a'",
        ),
        ".xml",
    ),
    "jsonl": Maker(
        make_jsonl,
        _nested_options,
        _tokens(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            "\\",
            "\\u0000",
            "\\ud800",
            "\\udc00",
            "NaN",
            "null",
            '"text":',
            '{"text": "a"}',
            "\n",
            "[" * 2000,
            '{"a":' * 1500,
            "1e999",
            "-",
            "9" * 5000,
            "\\u2028",
            "{}",
            '""',
            "\r",
            "\x0b\n",
        ),
        ".jsonl",
    ),
    "json": Maker(
        make_json,
        _json_options,
        _tokens(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            "\\",
            '\\"',
            "\\u0000",
            "\\ud800",
            "\\udc00",
            "NaN",
            "null",
            '"text":',
            '{"text": "a"},',
            "[[",
            "[]",
            "[" * 2000,
            "9" * 5000,
        ),
        ".json",
    ),
    "csv": Maker(
        make_csv,
        _csv_options,
        _tokens(
            '"',
            '""',
            '"\n',
            ',"',
            '",',
            ",",
            "\t",
            ";",
            "|",
            "\n",
            "\r",
            "\r\n",
            "text",
            " ",
            "\ufeff",
            ",,",
            '"a\nb"',
            ",\n,\n",
            '\nx,"\n-","\n\ud800\n',
        ),
        ".csv",
    ),
    "parquet": Maker(
        make_parquet,
        _nested_options,
        (b"PAR1", b"text", b"\x15\x00", b"\x00" * 8, b"\xff\xff\xff\x7f", b"\x80" * 9, b"\x19\x4c"),
        ".parquet",
    ),
    "conllu": Maker(
        make_conllu,
        _conllu_options,
        _tokens(
            "# newdoc\n",
            "#newdoc id = x\n",
            "\n\n",
            "\n",
            "\t",
            "1\ta\ta\tX" + "\t_" * 6 + "\n",
            "1-2\tab\t_\t_" + "\t_" * 6 + "\n",
            "1.1",
            "2",
            "²",
            "٣",
            "0",
            "-1",
            "1-",
            "SpaceAfter=No",
            "_",
            "# newpar\n",
            "\n# date = 1790\n",
        ),
        ".conllu",
    ),
    "vertical": Maker(
        make_vertical,
        _vertical_options,
        _tokens(
            "<text>\n",
            '<text id="a">\n',
            "</text>\n",
            "<s>\n",
            "</s>\n",
            "<g/>\n",
            "<text\n",
            "<doc>\n",
            "<p>",
            "a\tNN\ta\n",
            "\t",
            "\n",
            "\r",
            "&lt;",
            "&#0;",
            "&#xD800;",
            "<!-- a -->\n",
            "|",
        ),
        ".vrt",
    ),
    "markdown": Maker(make_markdown, _common, _tokens(*MARKDOWN_SIGNS), ".md"),
    "html": Maker(make_html, _html_options, _tokens(*TAGS), ".html", 1.0),
    "lines": Maker(make_lines, _lines_options, _tokens("\n", "\r", "\r\n", " ", "\n\n\n"), ""),
    "docx": Maker(make_docx, _common, _tokens(*PIECES, "word/"), ".docx"),
    "odt": Maker(make_odt, _common, _tokens(*PIECES, "mimetype"), ".odt"),
    "epub": Maker(make_epub, _common, _tokens(*PIECES, "META-INF/"), ".epub"),
}
