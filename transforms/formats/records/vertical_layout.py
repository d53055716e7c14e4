r"""What stands in vertical text, line by line: columns, tags, and what the beginning of a file says of them.

>>> openings("<text id='a' year=1850><s>")[0].attributes, openings("<\tSYM\t<")
({'id': 'a', 'year': '1850'}, None)
>>> layout_of(["<doc>", "ships\tNNS\tship", "sail\tVBP\tsail"], ()).tags
'Penn'

The tag sets that taggers write into vertical files, of which universal parts of speech (UPOS) are made, are:

- UPOS itself, and CoNLL-U's `_` aside.
- English: the Penn Treebank's (Marcus, Santorini and Marcinkiewicz 1993), and TreeTagger's own, in which `VB` is *be*,
  `VH` *have* and `VV` any other verb.
- German: the Stuttgart-Tübingen tags (Schiller et al. 1999).
- French, Italian, Spanish: those of TreeTagger's parameter files.

A tag is mapped to its most frequent universal one. Which set it is, the tags tell:

    >>> tag_set(["DT", "NNS", "VBP", "SENT"]), tag_set(["ART", "NN", "VVFIN", "$."]), tag_set(["Ncmsn", "Vmip3s"])
    ('Penn', 'STTS', None)
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.texts.encodings import with_line_feeds

SURE = 0.9  # of the tags, a set must know; what is no tag, such as a lemma, is known by chance now and then


def by_upos(groups: dict[str, str]) -> dict[str, str]:
    """Return the universal part of speech of each tag, from the tags of each, with spaces between them."""
    return {tag: upos for upos, tags in groups.items() for tag in tags.split()}


_ENGLISH = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN RP",
    "ADV": "RB RBR RBS WRB",
    "CCONJ": "CC",
    "DET": "DT PDT",
    "INTJ": "UH",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "POS TO",
    "PRON": "EX PRP PRP$ PP PP$ PPZ WDT WP WP$ WPZ",
    "PROPN": "NNP NNPS NP NPS",
    "PUNCT": "SENT . , : ; `` '' \" ( ) -LRB- -RRB- HYPH NFP",
    "SCONJ": "IN/that",
    "SYM": "$ # SYM",
    "X": "FW LS ADD AFX GW XX",
}
_VERB = ("", "D", "G", "N", "P", "Z")
TAG_SETS: dict[str, dict[str, str]] = {
    "UPOS": {tag: tag for tag in UPOS},
    "Penn": by_upos({**_ENGLISH, "AUX": "MD", "VERB": " ".join(f"VB{form}" for form in _VERB)}),
    "TreeTagger English": by_upos(
        {
            **_ENGLISH,
            "AUX": " ".join(("MD", *(f"{verb}{form}" for verb in ("VB", "VH", "VD") for form in _VERB))),
            "VERB": " ".join(f"VV{form}" for form in _VERB),
        }
    ),
    "STTS": by_upos(
        {
            "ADJ": "ADJA ADJD",
            "ADP": "APPO APPR APPRART APZR PTKVZ",
            "ADV": "ADV PAV PROAV PROP PTKA PWAV",
            "AUX": "VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP",
            "CCONJ": "KOKOM KON",
            "DET": "ART PDAT PIAT PIDAT PPOSAT PWAT",
            "INTJ": "ITJ PTKANT",
            "NOUN": "NN TRUNC",
            "NUM": "CARD",
            "PART": "PTKNEG PTKZU",
            "PRON": "PDS PIS PPER PPOSS PRELAT PRELS PRF PWS",
            "PROPN": "NE",
            "PUNCT": "$( $, $. $[",
            "SCONJ": "KOUI KOUS",
            "VERB": "VVFIN VVIMP VVINF VVIZU VVPP",
            "X": "FM XY",
        }
    ),
    "TreeTagger French": by_upos(
        {
            "ADJ": "ADJ",
            "ADP": "PRP PRP:det",
            "ADV": "ADV",
            "CCONJ": "KON",
            "DET": "DET:ART DET:POS",
            "INTJ": "INT",
            "NOUN": "NOM",
            "NUM": "NUM",
            "PRON": "PRO PRO:DEM PRO:IND PRO:PER PRO:POS PRO:REL",
            "PROPN": "NAM",
            "PUNCT": "PUN PUN:cit SENT",
            "SYM": "SYM",
            "VERB": "VER:cond VER:futu VER:impe VER:impf VER:infi VER:pper VER:ppre VER:pres VER:simp VER:subi "
            "VER:subp",
            "X": "ABR",
        }
    ),
    "TreeTagger Italian": by_upos(
        {
            "ADJ": "ADJ",
            "ADP": "PRE PRE:det",
            "ADV": "ADV",
            "CCONJ": "CON",
            "DET": "DET:def DET:indef",
            "INTJ": "INT",
            "NOUN": "NOM",
            "NUM": "NUM",
            "PRON": "PRO PRO:demo PRO:indef PRO:inter PRO:pers PRO:poss PRO:refl PRO:rela",
            "PROPN": "NPR",
            "PUNCT": "PON SENT",
            "SYM": "SYM",
            "VERB": "VER:cimp VER:cond VER:cpre VER:futu VER:geru VER:impe VER:impf VER:infi VER:pper VER:ppre "
            "VER:pres VER:refl:infi VER:remo",
            "X": "ABR FW LS",
        }
    ),
    "TreeTagger Spanish": by_upos(
        {
            "ADJ": "ADJ ORD",
            "ADP": "PAL PDEL PREP PREP/DEL",
            "ADV": "ADV NEG",
            "AUX": " ".join(
                f"{verb}{form}" for verb in ("VE", "VH", "VM", "VS") for form in ("adj", "fin", "ger", "inf")
            ),
            "CCONJ": "CC CCAD CCNEG",
            "DET": "ART DM QU",
            "INTJ": "ITJN",
            "NOUN": "NC NMEA NMON UMMX",
            "NUM": "CARD",
            "PRON": "INT PPC PPO PPX REL SE",
            "PROPN": "ACRNM NP",
            "PUNCT": "BACKSLASH CM COLON DASH DOTS FS LP QT RP SEMICOLON SLASH",
            "SCONJ": "CQUE CSUBF CSUBI CSUBX",
            "SYM": "PERCT SYM",
            "VERB": "VCLIfin VCLIger VCLIinf VLadj VLfin VLger VLinf",
            "X": "ALFP ALFS CODE FO PE PNC",
        }
    ),
}


def tag_set(tags: Sequence[str]) -> str | None:
    """Return the name of the set that knows most of some tags; None if none knows nine in ten."""
    counts = Counter(tags)
    known = {name: sum(counts[tag] for tag in counts.keys() & known.keys()) for name, known in TAG_SETS.items()}
    best = max(known, key=known.__getitem__)  # the first of several
    return best if tags and known[best] >= SURE * len(tags) else None


DOCUMENTS = ("text", "doc", "document", "article", "file", "bncdoc")
SENTENCES = ("s", "sentence")
PARAGRAPHS = ("p", "para", "paragraph", "head", "heading", "title", "div", "item", "l", "u", "turn")
_VALUE = r"""\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>/]+)"""
_TAGS = re.compile(rf"(?:</?[^\W\d][\w.:-]*(?:{_VALUE})*\s*/?>\s*)+")
_TAG = re.compile(rf"<(/?)([^\W\d][\w.:-]*)((?:{_VALUE})*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>/]+))""")
ASIDE = re.compile(r"<!--.*-->\s*|<[?!][^<>]*>\s*")  # comments, declarations
NO_WORD = re.compile(r"</?[^\W\d]|<!--|<[?!]")  # begins a tag, whole or not
_NAMED = re.compile(r"<!--.*\bpositional[- ]attributes:\s*(.*?)\s*-->", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_WORDS = ("word", "form", "token", "wordform")
_LEMMAS = ("lemma", "lempos", "baseform", "base")
_TAG_COLUMNS = ("upos", "pos", "tag", "xpos", "ctag", "msd")
NO_TAG = frozenset(("", "_", "__UNDEF__"))
_CHANCES = re.compile(r"\S+(?:\t\S+ \S+ [01]\.\d+)+")  # TreeTagger's tags, lemmas and their probabilities
_REMEDY = "see --columns word,pos,lemma"
_ALIKE = 0.9  # of the lines of tokens, so many have as many columns


@dataclass(frozen=True)
class VerticalLayout:
    """How a file is read.

    Attributes:
        width: columns of a token; 0: there is no token in the beginning.
        lemma: the column of lemmas; -1: there is none.
        tag: that of tags, likewise.
        tags: the tag set, a key of `TAG_SETS`; None: unknown.
        lempos: whether lemmas end in a hyphen and a letter for the part of speech.
        document: the structure that is a document; empty: there is none in the beginning.
        outer: the outermost such structure around it; the same if there is none.
        header: a first line that names the columns, and holds no token; empty: there is none.
        fault: why the columns are not known; empty: they are.
    """

    width: int = 0
    lemma: int = -1
    tag: int = -1
    tags: str | None = None
    lempos: bool = False
    document: str = ""
    outer: str = ""
    header: str = ""
    fault: str = ""


class VerticalTag(NamedTuple):
    """A tag: whether it closes a structure, its name, its attributes, and whether it does both."""

    closes: bool
    name: str
    attributes: dict[str, str]
    empty: bool


def layout_of(lines: Sequence[str], columns: Sequence[str]) -> VerticalLayout:
    """Return how a file with this beginning is read; the names of columns count, before those that it states."""
    opens: list[str] = []  # the structures around the first word
    named: list[str] = list(columns)
    rows: list[list[str]] = []
    document = outer = ""
    for line in lines:
        if line.isspace() or not line:
            continue
        if (found := openings(line)) is not None:
            for tag in found:
                if tag.closes:
                    opens = opens[: opens.index(tag.name)] if tag.name in opens else opens
                elif not tag.empty and not (document and rows):
                    opens.append(tag.name)
                    if tag.name in DOCUMENTS:
                        document, outer = tag.name, next(name for name in opens if name in DOCUMENTS)
        elif match := _NAMED.match(line):
            named = named or match[1].replace("/", "").split()
        elif not NO_WORD.match(line) or "\t" in line:
            rows.append([plain(cell) for cell in line.split("\t")])
    layout = VerticalLayout(document=document, outer=outer)
    if not rows:
        return layout
    if _names_columns(rows[0]):
        layout = replace(layout, header="\t".join(rows[0]))
        named = named or rows[0]
        del rows[0]
    return _named(layout, rows, named) if named else _guessed(layout, rows)


def _names_columns(cells: list[str]) -> bool:
    lower = [cell.lower() for cell in cells]
    return lower[0] in _WORDS and not {*_LEMMAS, *_TAG_COLUMNS}.isdisjoint(lower[1:])


def _named(layout: VerticalLayout, rows: list[list[str]], names: list[str]) -> VerticalLayout:
    lower = [name.lower() for name in names]
    layout = replace(layout, width=len(names))
    if not (rows := [row for row in rows if len(row) == len(names)]):
        return replace(layout, fault=f"no line has {len(names)} columns, as there are names of columns")
    if lower[0] not in _WORDS and not set(_WORDS).isdisjoint(lower):
        return replace(layout, fault=f"the first column has the words, not {names[0]!r}")
    lemma = next((name for name in _LEMMAS if name in lower[1:]), "")
    column = next((name for name in _TAG_COLUMNS if name in lower[1:]), "")
    tag = lower.index(column, 1) if column else -1
    tags = tag_set(_tags_of(rows, tag)) if tag > 0 else None
    return replace(layout, lemma=lower.index(lemma, 1) if lemma else -1, tag=tag, tags=tags, lempos=lemma == "lempos")


def _tags_of(rows: list[list[str]], column: int) -> list[str]:
    return [tag for row in rows if (tag := row[column]) not in NO_TAG]


def _guessed(layout: VerticalLayout, rows: list[list[str]]) -> VerticalLayout:
    width = Counter(map(len, rows)).most_common(1)[0][0]
    layout, rows = replace(layout, width=width), [row for row in rows if len(row) == width]
    if layout.width == 1:
        fault = "vertical text with spaces between its columns; put tabs there"
        return replace(layout, fault=fault) if _spaced([row[0] for row in rows]) else layout
    found = {column: name for column in range(1, layout.width) if (name := tag_set(_tags_of(rows, column)))}
    if layout.width > 3 or len(found) != 1:
        return replace(layout, fault=f"vertical text with {layout.width} columns, which nothing names; {_REMEDY}")
    ((tag, tags),) = found.items()
    lemma = 3 - tag if layout.width == 3 else -1
    lempos = lemma > 0 and all(re.search(r".-[a-z]$", row[lemma]) for row in rows)  # as Sketch Engine has it
    return replace(layout, tag=tag, tags=tags, lemma=lemma, lempos=lempos)


def plain(cell: str) -> str:
    """Return a cell with the characters that entities stand for."""
    return _ENTITY.sub(_character, cell) if "&" in cell else cell


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return _CHARACTERS[entity[1]]
    code = int(entity[2]) if entity[2] else int(entity[3], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else entity[0]


def openings(line: str) -> list[VerticalTag] | None:
    """Return the tags that a line consists of; None if it is none of tags."""
    if not line.startswith("<") or not _TAGS.fullmatch(line):
        return None
    found = []
    for closes, name, values, empty in _TAG.findall(line):
        attributes = {key: plain(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(values)}
        found.append(VerticalTag(bool(closes), name, attributes, bool(empty)))
    return found


def table_of_words(head: bytes, *, whole: bool = False) -> str | None:
    """Return the format of a source that begins like a table of tokens: `vertical`, `conllu`, or None for neither.

    Args:
        whole: whether it is all of the source, and its last line so a whole one.
    """
    lines = with_line_feeds(head).decode("utf-8", "ignore").split("\n")
    lines = lines if whole else lines[:-1] or lines
    if any(map(_NAMED.match, lines)):
        return "vertical"
    lines = [line for line in lines if line.strip() and not ASIDE.fullmatch(line)]
    tags = [found for line in lines if (found := openings(line)) is not None]
    words_alone = [line for line in lines if "\t" in line or not (NO_WORD.match(line) or line.startswith("# "))]
    rows = [line.split("\t") for line in words_alone]
    if len(rows) < 2:
        return None
    if all(map(_CHANCES.fullmatch, words_alone)):
        return "vertical"
    width, most = Counter(map(len, rows)).most_common(1)[0]
    if most < (_ALIKE * len(rows) if width > 1 else len(rows)):  # a line may be broken
        return None
    rows = [row for row in rows if len(row) == width]
    if width == 10 and all(re.match(r"\d+([-.]\d+)?$", row[0]) for row in rows):
        return "conllu"
    names = {tag.name for found in tags for tag in found}
    if width == 1:
        marked = not names.isdisjoint((*SENTENCES, "g"))
        return "vertical" if marked and (_single(rows) or _spaced([row[0] for row in rows])) else None
    if not _single([row[:1] for row in rows]):
        return None
    marked = not names.isdisjoint((*SENTENCES, "g", *DOCUMENTS))
    if marked or any(tag_set([plain(row[column]) for row in rows]) for column in range(1, width)):
        return "vertical"
    # With tags of an unknown set it is no prose either: the reader asks what the columns are. So may a table of two
    # columns be, unless it has signs between words.
    running = width > 2 or not all(any(map(str.isalnum, row[0])) for row in rows)
    return "vertical" if running and _single(rows) else None


def _single(rows: list[list[str]]) -> bool:
    """Return whether cells hold a word each, but for some of several words."""
    spaced = sum(any(" " in cell.strip() for cell in row) for row in rows)
    return spaced * 10 <= len(rows)


def _spaced(lines: list[str]) -> bool:
    """Return whether lines are tokens with tags behind spaces, which should be tabs."""
    rows = [line.split() for line in lines]
    return (
        2 <= len(rows[0]) <= 3
        and len(set(map(len, rows))) == 1
        and any(map(tag_set, list(zip(*rows, strict=True))[1:]))
    )
