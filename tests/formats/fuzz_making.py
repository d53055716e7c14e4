"""Small inputs of every format, made from a random generator: valid ones, by each one's grammar.

`MAKERS` has a `Maker` for each reader: what makes the bytes, what draws options of the reader, and
tokens of the format's grammar, which `fuzz_mutating` splices into them. A reader without one fails
a test. All that is made depends on the generator alone.
"""

import datetime
import decimal
import functools
import io
import itertools
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["MAKERS", "Maker", "chance", "line", "text"]

WORDS = (
    *("Dogs bark The cat sat on Zoë und die Schiff- fahrt 1790 co-operate it’s l’eau".split()),
    *(". , ; ! ? - -- … text date title a b _ | 7,5 # & C++ 中文 Ελλάδα мир שלום नमस्ते".split()),
)
# Marks, what is composed or never is, jamo, bidirectional and zero-width characters, line ends and
# spaces of all kinds, controls, noncharacters, the marks of the readers' own, letters that change.
ODD = (
    "ab 1,;|.-_'\"#<>&=\\/[]{}\t\n\r\v\f\x00\x01\x1a\x1b\x1c\x1f\x7f\x85\xa0\xad\u0301\u0316\u0327"
    "\u0344\u0345\u034f\u0958\u0f71\u0f72\u1100\u1161\u11a8\u1e9b\u200b\u200c\u200d\u200e\u2010"
    "\u2011\u2028\u2029\u202e\u2060\u2066\u2069\u212b\u3000\u3099\ufb1d\ufdd0\ufdd1\ufdd2\ufdd3"
    "\ufdd4\ufdd5\ufeff\uff76\ufffd\uffff\U0001d15e\U0001f600\U000e0001\U0010ffffÅéßİſ¬"
)


class Maker(NamedTuple):
    """How inputs of a format are made.

    Attributes:
        make: returns the bytes of a valid file.
        options: returns options of the reader that matter for the format.
        tokens: of its grammar, to be spliced in.
        suffix: of names, by which the format is found out; empty where there is none.
    """

    make: Callable[[random.Random], bytes]
    options: Callable[[random.Random], dict[str, Any]]
    tokens: tuple[bytes, ...]
    suffix: str


def chance(rng: random.Random, share: float) -> bool:
    """Return true in a share of cases."""
    return rng.random() < share


def text(rng: random.Random) -> str:
    """Return a short text: words, odd characters, or a run of a few kinds of them."""
    kind = rng.random()
    if kind < 0.5:
        return " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))
    if kind < 0.8:
        return "".join(rng.choices(ODD, k=rng.randrange(8)))
    if kind < 0.97:
        return "\n".join((line(rng), "".join(rng.choices(ODD, k=3)), line(rng)))
    return "a" + "".join(rng.choices(ODD, k=2)) * rng.randrange(5, 60)


def line(rng: random.Random) -> str:
    """Return a few words."""
    return " ".join(rng.choices(WORDS, k=rng.randrange(4)))


def _utf8(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _make_text(rng: random.Random) -> bytes:
    return _utf8("\n".join(text(rng) for _ in range(rng.randrange(1, 4))))


def _make_lines(rng: random.Random) -> bytes:
    end = rng.choice(("\n", "\n", "\r\n", "\n\n", "\r"))
    return _utf8(end.join(text(rng) for _ in range(rng.randrange(1, 7))))


KEYS = ("text", "text", "text", "body", "date", "title", "Author", "GENRE", "language", "meta", "a.b")
NUMBERS = (0, -1, 1790, 1.5, 1e300, 10**30, True, False, None, float("nan"), float("inf"))


def _value(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.random()
    if kind < 0.7:
        return text(rng)
    if kind < 0.8 or not depth:
        return rng.choice(NUMBERS)
    if kind < 0.9:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(3))]
    return _object(rng, depth - 1)


def _object(rng: random.Random, depth: int = 2) -> Any:
    made = {rng.choice(KEYS): _value(rng, depth) for _ in range(rng.randrange(4))}
    if chance(rng, 0.7):
        made["text"] = text(rng)
    return made


def _row(rng: random.Random) -> Any:
    return _object(rng) if chance(rng, 0.9) else _value(rng)


def _dumped(rng: random.Random, value: Any) -> bytes:
    """Return JSON of a value, with half surrogates now and then, escaped or not."""
    made = json.dumps(value, ensure_ascii=chance(rng, 0.5))
    if chance(rng, 0.05):
        made = made.replace("a", rng.choice(("\ud800", "\\ud800", "\\udc00", "\\u0000")), 1)
    return _utf8(made)


def _make_jsonl(rng: random.Random) -> bytes:
    rows = [_dumped(rng, _row(rng)) for _ in range(rng.randrange(1, 5))]
    return rng.choice((b"\n", b"\n", b"\r\n", b"\n \n")).join(rows)


def _make_json(rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.6:
        value: Any = [_row(rng) for _ in range(rng.randrange(5))]
    elif kind < 0.8:
        value = _object(rng)
    elif kind < 0.95:
        value = {rng.choice(("a", "b")): [_row(rng) for _ in range(rng.randrange(4))]}
    else:
        value = _value(rng)
    return rng.choice((b"", b"", b" ", b"\n\n", b"\xef\xbb\xbf")) + _dumped(rng, value)


def _cell(rng: random.Random, delimiter: str) -> str:
    kind = rng.random()
    if kind < 0.5:
        return line(rng).replace(delimiter, " ")
    if kind < 0.6:
        return text(rng)
    if kind < 0.65:
        return ""
    return '"' + text(rng).replace('"', '""') + '"'


def _make_csv(rng: random.Random) -> bytes:
    delimiter = rng.choice(",,\t;|")
    width = rng.randrange(1, 5)
    rows = [[_cell(rng, delimiter) for _ in range(width)] for _ in range(rng.randrange(5))]
    if chance(rng, 0.9):
        names = ["text", "date", "Title", "b"][:width]
        rng.shuffle(names)
        rows.insert(0, names)
    if rows and chance(rng, 0.2):
        rng.choice(rows).append("x")
    end = rng.choice(("\n", "\n", "\r\n", "\r\n", "\n\n"))
    return _utf8(end.join(map(delimiter.join, rows)) + rng.choice(("", end)))


COMMENTS = (
    "# newdoc", "# newdoc id = a1", "#newdoc", "# newpar", "# sent_id = 3", "# text = Dogs bark.",
    "# year = 1790", "# meta::genre = letter", "# date = 1790-01-02", "# newdocs = b", "#", "# = x",
)  # fmt: skip
TAGS = ("NOUN", "VERB", "_", "X", "PUNCT", "", "no tag")


def _word(rng: random.Random, number: str) -> str:
    form = rng.choice(WORDS) if chance(rng, 0.9) else text(rng).replace("\n", " ")
    lemma = rng.choice((form.lower(), "_", "dog"))
    misc = rng.choice(("_", "_", "SpaceAfter=No", "A=b|SpaceAfter=No"))
    feats = rng.choice(("_", "Case=Nom|Number=Sing", "|", "="))
    head = rng.choice(("0", "1", "2", "_", "9", "-1", "x"))
    return "\t".join((number, form, lemma, rng.choice(TAGS), "_", feats, head, "root", "_", misc))


def _make_conllu(rng: random.Random) -> bytes:
    blocks = []
    for _ in range(rng.randrange(1, 5)):
        rows = rng.choices(COMMENTS, k=rng.choice((0, 0, 1, 1, 2)))
        for number in range(1, rng.randrange(1, 5)):
            if chance(rng, 0.1):
                rows.append(_word(rng, f"{number}-{number + rng.randrange(3)}"))
            if chance(rng, 0.05):
                rows.append(_word(rng, f"{number}.1"))
            rows.append(_word(rng, str(number)))
        blocks.append("\n".join(rows))
    return _utf8(rng.choice(("\n\n", "\n\n", "\n \n")).join(blocks) + rng.choice(("", "\n\n")))


INLINE = ("hi", "note", "w", "pc", "choice", "corr", "sic", "app", "rdg", "lem", "s", "seg", "q")
BLOCKS = ("p", "div", "lg", "l", "head", "ab", "list", "item", "floatingText", "s")
EMPTY = ('<lb break="no"/>', "<lb/>", "<pb/>", '<pb break="yes"/>', "<gap/>", "<milestone/>")
VALUES = (
    "", "", ' lemma="dog"', ' lemma="a" pos="NOUN"', ' pos="X" join="left"', ' join="both"',
    ' msd="UPosTag=VERB|A=b"', ' lemma="&#x301;"', ' part="I"',
)  # fmt: skip
HEADS = (
    "<teiHeader><fileDesc><titleStmt><title>T</title><author>A</author></titleStmt><sourceDesc>"
    '<bibl type="firstEdition"><date when="1790"/></bibl><date>no</date></sourceDesc></fileDesc>'
    "</teiHeader>",
    '<teiHeader><profileDesc><creation><date from="1790" to="1792">x</date></creation><langUsage>'
    '<language ident="en"/></langUsage></profileDesc></teiHeader>',
    "<teiHeader/>",
)
PROLOGUES = (
    '<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-8"?>', "<!-- a -->",
    '<?xml version="1.0" encoding="iso-8859-1"?>', '<?xml version="1.1"?>', "<!DOCTYPE TEI>",
    '<!DOCTYPE TEI [<!ENTITY a "b"><!ENTITY mdash "&#8212;">]>', "<?pi a?>", "\ufeff",
    '<!DOCTYPE TEI SYSTEM "x.dtd">', '<!DOCTYPE TEI [<!ENTITY b "&a;&a;">]>',
)  # fmt: skip


def _xml(rng: random.Random) -> str:
    made = "".join(c for c in text(rng) if c in "\t\n\r" or c > "\x1f" and not "\ufffd" < c < "𐀀")
    return made.replace("&", "&amp;").replace("<", "&lt;")


def _element(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if kind < 0.4 or not depth:
        return _xml(rng)
    if kind < 0.55:
        return rng.choice(EMPTY)
    name = rng.choice(INLINE if kind < 0.85 else BLOCKS)
    values = rng.choice(VALUES) if name in ("w", "pc") else ""
    inner = "".join(_element(rng, depth - 1) for _ in range(rng.randrange(1, 4)))
    return f"<{name}{values}>{inner}</{name}>"


def _tei_text(rng: random.Random) -> str:
    inner = "".join(
        f"<p>{''.join(_element(rng, 3) for _ in range(rng.randrange(1, 3)))}</p>"
        for _ in range(rng.randrange(1, 4))
    )
    part = rng.choice(("body", "body", "body", "front", "back"))
    head = rng.choice(HEADS) if chance(rng, 0.4) else ""
    space = rng.choice(('', ' xmlns="http://www.tei-c.org/ns/1.0"', ' xmlns="urn:own"', ' xml:lang="en"'))
    return f"<TEI{space}>{head}<text><{part}>{inner}</{part}></text></TEI>"


def _make_tei(rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.8:
        made = _tei_text(rng)
    else:
        made = f"<teiCorpus>{''.join(_tei_text(rng) for _ in range(rng.randrange(4)))}</teiCorpus>"
    if chance(rng, 0.3):
        made = rng.choice(PROLOGUES) + made
    return _utf8(made)


def _struct(value: str) -> dict[str, Any]:
    return {"text": value, "date": datetime.date(1790, 1, 2)}


# Columns of Parquet: how a value is made of a text, and its type.
COLUMNS: tuple[tuple[Callable[[str], Any], pa.DataType], ...] = (
    (str, pa.string()),
    (str, pa.large_string()),
    (str, pa.dictionary(pa.int32(), pa.string())),
    (str.encode, pa.binary()),
    (lambda value: value.encode("utf-16"), pa.large_binary()),
    (lambda value: (value.encode() + b"abcd")[:4], pa.binary(4)),
    (lambda value: [value, value], pa.list_(pa.string())),
    (len, pa.int64()),
    (lambda value: len(value) / 3, pa.float32()),
    (bool, pa.bool_()),
    (lambda value: datetime.date.fromordinal(650000 + len(value)), pa.date32()),
    (lambda value: len(value) * 10**9, pa.timestamp("ns")),
    (lambda value: -(2**40) - len(value), pa.timestamp("s")),
    (len, pa.timestamp("us", "Europe/Berlin")),
    (len, pa.duration("s")),
    (len, pa.time64("us")),
    (lambda value: decimal.Decimal(len(value)), pa.decimal128(9, 2)),
    (_struct, pa.struct([("text", pa.string()), ("date", pa.date32())])),
    (lambda value: [("k", value)], pa.map_(pa.string(), pa.string())),
    (lambda value: None, pa.null()),
)


@functools.lru_cache(1)
def _tables() -> list[bytes]:
    """Return some hundred Parquet files: to write one takes as long as to read ten."""
    rng = random.Random(0)
    made = []
    for _ in range(400):
        length = rng.randrange(6)
        names = ["text", *rng.sample(("date", "Title", "meta", "b", "body"), rng.randrange(3))]
        columns = []
        for place in range(len(names)):
            of, kind = COLUMNS[0] if not place and chance(rng, 0.6) else rng.choice(COLUMNS)
            values = (_storable(text(rng)) for _ in range(length))
            columns.append(pa.array([None if chance(rng, 0.1) else of(v) for v in values], kind))
        out = io.BytesIO()
        pq.write_table(
            pa.table(columns, names[: len(columns)]), out,
            row_group_size=rng.choice((1, 2, 100)), use_dictionary=chance(rng, 0.5),
            compression=rng.choice(("none", "snappy", "gzip", "zstd")),
            data_page_version=rng.choice(("1.0", "2.0")), write_statistics=chance(rng, 0.5),
        )  # fmt: skip
        made.append(out.getvalue())
    return made


def _storable(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def _make_parquet(rng: random.Random) -> bytes:
    return rng.choice(_tables())


PATHS = ("text", "text", "body", "meta.text", "a.b", "0", "text.0", "..", "", "meta.", "[]", "a.b.c")
ENCODINGS = (
    *("latin-1 cp1252 utf-16 utf-16-le utf-32 utf-8-sig utf-7 ascii shift_jis gb18030 cp037".split()),
    *("iso2022_jp hz big5 UTF8 unicode_escape idna punycode undefined".split()),
)
LIMITS = (1, 2, 10, 40, 100)


def _common(rng: random.Random) -> dict[str, Any]:
    """Draw options that most readers know; mostly none."""
    options: dict[str, Any] = {}
    if chance(rng, 0.12):
        options["encoding"] = rng.choice(ENCODINGS)
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


def _json_options(rng: random.Random) -> dict[str, Any]:
    options = _fields(rng)
    if chance(rng, 0.25):
        options["json_path"] = rng.choice(("a", "b", "a.b", "a.0", "0", ".", "text", "meta.text"))
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


def _lines_options(rng: random.Random) -> dict[str, Any]:
    return {**_common(rng), "lines_hold": rng.choice(("lemmas", "forms", "text"))}


def _tei_options(rng: random.Random) -> dict[str, Any]:
    options = _common(rng)
    if chance(rng, 0.3):
        parts = itertools.compress(("body", "front", "back"), rng.choices((0, 1), k=3))
        options["tei_parts"] = tuple(parts)
    return options


def _tokens(*given: str) -> tuple[bytes, ...]:
    return tuple(map(_utf8, given))


MAKERS: dict[str, Maker] = {
    "text": Maker(_make_text, _common, _tokens("\n\n", "\r\n \r\n", "\xad\n", "-\n", "\f"), ".txt"),
    "tei": Maker(
        _make_tei, _tei_options,
        _tokens(*EMPTY, *PROLOGUES, *HEADS, "<TEI>", "</TEI>", "</p>", "<p>", "<![CDATA[", "]]>",
                "<w>", "</w>", "<s>", "</s>", "<!--", "-->", "&amp;", "&mdash;", "&a;", "&#0;",
                "&#xD800;", "&#x110000;", "&#xFDD1;", "&#13;", "&#x7f;", "<a:b>", "<text>", "<?x?>",
                "<choice><sic>a</sic><corr>b</corr></choice>", "-<lb/>", "xml:id='a'"),
        ".xml",
    ),
    "jsonl": Maker(
        _make_jsonl, _fields,
        _tokens("{", "}", "[", "]", ",", ":", '"', "\\", "\\u0000", "\\ud800", "\\udc00", "NaN",
                "null", '"text":', '{"text": "a"}', "\n", "[" * 2000, '{"a":' * 1500, "1e999", "-",
                "9" * 5000, "\\u2028", "{}", '""', "\r", "\x0b\n"),
        ".jsonl",
    ),
    "json": Maker(
        _make_json, _json_options,
        _tokens("{", "}", "[", "]", ",", ":", '"', "\\", '\\"', "\\u0000", "\\ud800", "\\udc00",
                "NaN", "null", '"text":', '{"text": "a"},', "[[", "[]", "[" * 2000, "9" * 5000, " "),
        ".json",
    ),
    "csv": Maker(
        _make_csv, _csv_options,
        _tokens('"', '""', '"\n', ',"', '",', ",", "\t", ";", "|", "\n", "\r", "\r\n", "text", " ",
                "\ufeff", ",,", '"a\nb"', ",\n,\n"),
        ".csv",
    ),
    "parquet": Maker(
        _make_parquet, _fields,
        (b"PAR1", b"text", b"\x15\x00", b"\x00" * 8, b"\xff\xff\xff\x7f", b"\x80" * 9, b"\x19\x4c"),
        ".parquet",
    ),
    "conllu": Maker(
        _make_conllu, _conllu_options,
        _tokens("# newdoc\n", "#newdoc id = x\n", "\n\n", "\n", "\t", "1\ta\ta\tX" + "\t_" * 6 + "\n",
                "1-2\tab\t_\t_" + "\t_" * 6 + "\n", "1.1", "2", "²", "٣", "0", "-1", "1-",
                "SpaceAfter=No", "_", "# newpar\n", "\n# date = 1790\n"),
        ".conllu",
    ),
    "lines": Maker(_make_lines, _lines_options, _tokens("\n", "\r", "\r\n", " ", "\n\n\n"), ""),
}  # fmt: skip
