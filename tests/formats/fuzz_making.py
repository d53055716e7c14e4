"""Small valid inputs of every format, by its grammar, made from a random generator.

Each function returns the bytes of a file; `fuzz_formats.py` says of which format.
"""

import datetime
import decimal
import functools
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fuzz_signing import SHAMS

_WORDS = """
Dogs bark The cat sat on Zoë und die Schiff- fahrt 1790 co-operate it’s l’eau . , ; ! ? - -- … text
date title a b _ | 7,5 # & C++ 中文 Ελλάδα мир שלום नमस्ते
"""
WORDS = tuple(_WORDS.split())
# Marks, what is composed or never is, jamo, bidirectional and zero-width characters, line ends and
# spaces of all kinds, controls, noncharacters, the marks of the readers' own, letters that change.
ODD = (
    "ab 1,;|.-_'\"#<>&=\\/[]{}\t\n\r\v\f\x00\x01\x1a\x1b\x1c\x1f\x7f\x85\xa0\xad\u0301\u0316\u0327"
    "\u0344\u0345\u034f\u0958\u0f71\u0f72\u1100\u1161\u11a8\u1e9b\u200b\u200c\u200d\u200e\u2010"
    "\u2011\u2028\u2029\u202e\u2060\u2066\u2069\u212b\u3000\u3099\ufb1d\ufdd0\ufdd1\ufdd2\ufdd3"
    "\ufdd4\ufdd5\ufeff\uff76\ufffd\uffff\U0001d15e\U0001f600\U000e0001\U0010ffffÅéßİſ¬"
)


# What is more than its characters: composed, cut, line ends, escapes.
ODD_RUNS = (
    "e\u0301",
    "\u1100\u1161",
    "\u1100\u1161\u11a8",
    "a\u0316\u0301",
    "\u0928\u093c",
    "\xad\n",
    "-\n",
    "\r\n",
    "\n\n\n",
    " \n \n ",
    "\n\u200b\n",
    "\u2029\n",
    '\\"',
    "\\\\",
    '"',
    "\\u0041",
    "a",
    "b ",
    "\\ud800",
    "\\N{DIGIT ONE}",
    "+AGE-",
    "&amp;",
    "\x1b$B",
    "xn--a",
)
# Marks of one and two characters, an enclosing one that does not count, what stands between runs.
MARKS = "\u0301\u0301\u0316\u0344\u0345\u3099\u0f73\u20dd\u034f\u200b\xad\U0001d165"


def chance(rng: random.Random, share: float) -> bool:
    """Return true in a share of cases."""
    return rng.random() < share


def text(rng: random.Random) -> str:
    """Return a short text: words, odd characters, or a run of a few kinds of them."""
    kind = rng.random()
    if kind < 0.5:
        return " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))
    if kind < 0.8:
        return "".join(rng.choices(ODD_RUNS if kind < 0.6 else ODD, k=rng.randrange(8)))
    if kind < 0.97:
        return "\n".join((line(rng), "".join(rng.choices(ODD, k=3)), line(rng)))
    if kind < 0.985:
        return "a" + "".join(rng.choices(ODD, k=2)) * rng.randrange(5, 60)
    return rng.choice("aǖ中") + "".join(rng.choices(MARKS, k=rng.randrange(25, 70))) + line(rng)


def line(rng: random.Random) -> str:
    """Return a few words."""
    return " ".join(rng.choices(WORDS, k=rng.randrange(4)))


def utf8(value: str) -> bytes:
    """Return UTF-8 of a text, and of half surrogate pairs what would be theirs."""
    return value.encode("utf-8", "surrogatepass")


def make_text(rng: random.Random) -> bytes:
    """Return a plain text; some begin as files do that are none."""
    sham = rng.choice(SHAMS) + rng.choice((" ", "\n", ", ")) if chance(rng, 0.05) else ""
    return utf8(sham + "\n".join(text(rng) for _ in range(rng.randrange(1, 4))))


MARKDOWN_LINES = (
    *("", "", "", "# ", "> ", "- ", "1. ", "    ", "| ", "[a]: ", "[^a]: ", "```\n", "<p>\n"),
    "---\ntitle: a\n---\n",
)
MARKDOWN_SIGNS = (
    *("*", "**", "_", "`", "~~", "[", "]", "](b)", "[a]", "![", "[^a]", "<b>", "<br>", "<!--", "-->", "<http://a.b>"),
    *("&amp;", "&#233;", "\\", "\\*", "|", "\n|-|-|\n", "\n===\n", "\n\n", "#"),
)


def make_markdown(rng: random.Random) -> bytes:
    """Return a document of Markdown, of which some signs mean nothing."""
    lines = [rng.choice(MARKDOWN_LINES) + text(rng) for _ in range(rng.randrange(1, 6))]
    joined = rng.choice(("\n", "\n\n", "\r\n", "  \n")).join(lines)
    for _ in range(rng.randrange(5)):
        place = rng.randrange(len(joined) + 1)
        joined = joined[:place] + rng.choice(MARKDOWN_SIGNS) + joined[place:]
    return utf8(joined)


def make_lines(rng: random.Random) -> bytes:
    """Return lines of words."""
    end = rng.choice(("\n", "\n", "\r\n", "\n\n", "\r"))
    return utf8(end.join(text(rng) for _ in range(rng.randrange(1, 7))))


KEYS = (
    *("text", "text", "text", "body", "date", "title", "Author", "GENRE", "language", "meta"),
    *("a.b", "a", "b", "a[]"),
)
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


def _nested(rng: random.Random, depth: int = 2) -> Any:
    """Return an object whose arrays hold objects."""
    made = _object(rng, 1)
    for key in rng.sample(("a", "b", "meta", "text"), rng.randrange(3) if depth else 0):
        elements = (_nested(rng, depth - 1) for _ in range(rng.randrange(4)))
        made[key] = [one if chance(rng, 0.9) else _value(rng, 1) for one in elements]
    return {"meta": made, "date": "1790"} if chance(rng, 0.1) else made


def _row(rng: random.Random) -> Any:
    if chance(rng, 0.3):
        return _nested(rng)
    return _object(rng) if chance(rng, 0.9) else _value(rng)


def _dumped(rng: random.Random, value: Any) -> bytes:
    """Return JSON of a value, with half surrogates now and then, escaped or not."""
    made = json.dumps(value, ensure_ascii=chance(rng, 0.5))
    if chance(rng, 0.05):
        made = made.replace("a", rng.choice(("\ud800", "\\ud800", "\\udc00", "\\u0000")), 1)
    return utf8(made)


def make_jsonl(rng: random.Random) -> bytes:
    """Return lines of JSON."""
    rows = [_dumped(rng, _row(rng)) for _ in range(rng.randrange(1, 5))]
    return rng.choice((b"\n", b"\n", b"\r\n", b"\n \n")).join(rows)


def make_json(rng: random.Random) -> bytes:
    """Return an array, an object, one at a path, or another value."""
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


def make_csv(rng: random.Random) -> bytes:
    """Return a table, mostly with a header."""
    delimiter = rng.choice(",,\t;|")
    width = rng.randrange(1, 5)
    rows = [[_cell(rng, delimiter) for _ in range(width)] for _ in range(rng.randrange(5))]
    if chance(rng, 0.9):
        names = ["text", "date", "Title", "b"][:width]
        rng.shuffle(names)
        rows.insert(0, names)
    if rows and chance(rng, 0.2):
        rng.choice(rows).append("x")
    if len(rows) > 1 and chance(rng, 0.2):  # stray quotes, of which one may find the other
        first, column = rng.randrange(len(rows) - 1), rng.randrange(width)
        for row, form in ((rows[first], '"{}'), (rng.choice(rows[first + 1 :]), '{}"')):
            place = column if chance(rng, 0.8) else rng.randrange(width)
            row[place] = form.format(line(rng).replace(delimiter, " "))
    end = rng.choice(("\n", "\n", "\r\n", "\r\n", "\n\n"))
    return utf8(end.join(map(delimiter.join, rows)) + rng.choice(("", end)))


COMMENTS = (
    "# newdoc",
    "# newdoc id = a1",
    "#newdoc",
    "# newpar",
    "# sent_id = 3",
    "# text = Dogs bark.",
    "# year = 1790",
    "# meta::genre = letter",
    "# date = 1790-01-02",
    "# newdocs = b",
    "#",
    "# = x",
)
TAGS = ("NOUN", "VERB", "_", "X", "PUNCT", "", "no tag")


def _word(rng: random.Random, number: str) -> str:
    form = rng.choice(WORDS) if chance(rng, 0.9) else text(rng).replace("\n", " ")
    lemma = rng.choice((form.lower(), "_", "dog"))
    misc = rng.choice(("_", "_", "SpaceAfter=No", "A=b|SpaceAfter=No"))
    feats = rng.choice(("_", "Case=Nom|Number=Sing", "|", "="))
    head = rng.choice(("0", "1", "2", "_", "9", "-1", "x"))
    return "\t".join((number, form, lemma, rng.choice(TAGS), "_", feats, head, "root", "_", misc))


def make_conllu(rng: random.Random) -> bytes:
    """Return sentences with comments, ranges and empty nodes."""
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
    return utf8(rng.choice(("\n\n", "\n\n", "\n \n")).join(blocks) + rng.choice(("", "\n\n")))


NAMED_COLUMNS = "<!-- #vrt positional-attributes: word pos lemma -->"


def make_vertical(rng: random.Random) -> bytes:
    """Return vertical text with named columns, documents, sentences, glue."""
    rows = [NAMED_COLUMNS]
    for _ in range(rng.randrange(1, 5)):
        documented, sentenced = chance(rng, 0.8), chance(rng, 0.8)
        rows += [f'<text id="{rng.choice(WORDS[:4])}" year="1790">'] * documented
        for _ in range(rng.randrange(3)):
            rows += ["<s>"] * sentenced
            for _ in range(rng.randrange(4)):
                form = rng.choice(WORDS) if chance(rng, 0.9) else text(rng).replace("\n", " ")
                lemma = rng.choice((form.lower(), "<unknown>", "a|b", "|"))
                rows += [rng.choice(("<g/>", "<p>", "", "<hi>")) for _ in range(chance(rng, 0.1))]
                rows.append("\t".join((form, rng.choice(("NN", "DT", "SENT", "?")), lemma)))
            rows += ["</s>"] * sentenced
        rows += ["</text>"] * (documented and chance(rng, 0.8))
    return utf8("\n".join(rows) + rng.choice(("", "\n")))


INLINE = (
    "hi",
    "note",
    "w",
    "w",
    "pc",
    "pc",
    "choice",
    "corr",
    "sic",
    "app",
    "rdg",
    "lem",
    "s",
    "seg",
    "q",
    "m",
    "desc",
)
INLINE += ("vocal", "ex", "form", "orth")
BLOCKS = ("p", "div", "lg", "l", "head", "ab", "list", "item", "floatingText", "s", "u", "stage", "sound")
EMPTY = ('<lb break="no"/>', "<lb/>", "<pb/>", '<pb break="yes"/>', "<gap/>", "<milestone/>", "<pause/>", "<space/>")
EMPTY += ('<gap unit="chars"/>', "-<lb/>", "⸗<lb/>", '<pc force="weak">-</pc><lb/>', '<w part="F">b</w>')
VALUES = (
    "",
    "",
    ' lemma="dog"',
    ' lemma="a" pos="NOUN"',
    ' pos="X" join="left"',
    ' join="both"',
    ' msd="UPosTag=VERB|A=b"',
    ' lemma="&#x301;"',
    ' part="I"',
    ' part="M" join="right"',
    ' part="F"',
    ' join="no"',
    ' force="weak"',
)
SPACES = ("", ' xmlns="http://www.tei-c.org/ns/1.0"', ' xmlns="urn:own"', ' xml:lang="en"')
HEADS = (
    "<teiHeader><fileDesc><titleStmt><title>T</title><author>A</author></titleStmt><sourceDesc>"
    '<bibl type="firstEdition"><date when="1790"/></bibl><date>no</date></sourceDesc></fileDesc>'
    "</teiHeader>",
    '<teiHeader><profileDesc><creation><date from="1790" to="1792">x</date></creation><langUsage>'
    '<language ident="en"/></langUsage></profileDesc></teiHeader>',
    "<teiHeader/>",
)
PROLOGUES = (
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="utf-8"?>',
    "<!-- a -->",
    '<?xml version="1.0" encoding="iso-8859-1"?>',
    '<?xml version="1.1"?>',
    "<!DOCTYPE TEI>",
    '<!DOCTYPE TEI [<!ENTITY a "b"><!ENTITY mdash "&#8212;">]>',
    "<?pi a?>",
    "\ufeff",
    '<!DOCTYPE TEI SYSTEM "x.dtd">',
    '<!DOCTYPE TEI [<!ENTITY b "&a;&a;">]>',
)


def _xml(rng: random.Random) -> str:
    given = text(rng)
    made = "".join(c for c in given if c in "\t\n\r" or (c > "\x1f" and not "\ufffd" < c < "𐀀"))
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
        f"<p>{''.join(_element(rng, 3) for _ in range(rng.randrange(1, 3)))}</p>" for _ in range(rng.randrange(1, 4))
    )
    part = rng.choice(("body", "body", "body", "front", "back"))
    head = rng.choice(HEADS) if chance(rng, 0.4) else ""
    return f"<TEI{rng.choice(SPACES)}>{head}<text><{part}>{inner}</{part}></text></TEI>"


def _corpus(texts: str) -> str:
    return f"<teiCorpus>{texts}</teiCorpus>"


def make_tei(rng: random.Random) -> bytes:
    """Return a document, or a corpus of some."""
    kind = rng.random()
    if kind < 0.8:
        made = _tei_text(rng)
    else:
        made = _corpus("".join(_tei_text(rng) for _ in range(rng.randrange(4))))
        if chance(rng, 0.3):  # in a corpus of corpora
            made = _corpus(made + _tei_text(rng))
    if chance(rng, 0.3):
        made = rng.choice(PROLOGUES) + made
    return utf8(made)


def _struct(value: str) -> dict[str, Any]:
    return {"text": value, "date": datetime.date(1790, 1, 2)}


_ARRAYS = pa.list_(pa.struct([("text", pa.string()), ("b", pa.list_(pa.struct([("text", pa.string())])))]))
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
    (lambda value: [{"text": value}, None, {"b": [{"text": value}]}], _ARRAYS),
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
        names = ["text", *rng.sample(("date", "Title", "meta", "b", "body", "a"), rng.randrange(3))]
        columns = []
        for place in range(len(names)):
            of, kind = COLUMNS[0] if not place and chance(rng, 0.6) else rng.choice(COLUMNS)
            values = (_storable(text(rng)) for _ in range(length))
            columns.append(pa.array([None if chance(rng, 0.1) else of(v) for v in values], kind))
        out = io.BytesIO()
        pq.write_table(
            pa.table(columns, names[: len(columns)]),
            out,
            row_group_size=rng.choice((2, 100, 100)),
            use_dictionary=chance(rng, 0.5),
            compression=rng.choice(("none", "snappy", "gzip", "zstd")),
            data_page_version=rng.choice(("1.0", "2.0")),
            write_statistics=chance(rng, 0.5),
        )
        made.append(out.getvalue())
    return made


def _storable(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def make_parquet(rng: random.Random) -> bytes:
    """Return a table of columns of many types."""
    return rng.choice(_tables())
