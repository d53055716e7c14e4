r"""The formats of thesauri: what their files say, as senses.

Assertions of ConceptNet and paraphrases of PPDB relate two words a line: there each word has a sense a part of speech.

**ConceptNet** (`conceptnet-assertions-5.7.0.csv.gz`): `uri<TAB>relation<TAB>start<TAB>end<TAB>JSON`, where start and
end are `/c/LANGUAGE/word/pos/...`, with `_` for spaces. Taken are `/r/Synonym` and `/r/SimilarTo`, both ways, and
`/r/IsA`, whose end is a hypernym, between two words of the language that is named; the JSON has a `weight`.

**PPDB**: `[LHS] ||| word ||| paraphrase ||| features ||| alignment ||| entailment`, the last two not in all files.
Taken are single words (the lexical part) that neither exclude nor merely go with the other (`Exclusion`,
`Independent`, `OtherRelated`); the score is `PPDB2.0Score`, which files before version 2 lack.

**Wiktionary**, in extracts (kaikki.org, wiktextract): JSON lines, a word with one part of speech each. Taken are
`word`, `pos`, and of its `senses`, and beside them, `synonyms` and `hypernyms` (`word`, `tags`, `sense`). Synonyms
beside the senses belong to one sense for each text of `sense`; those without it are one sense together. What has a tag
of `MARKED` is left out: such a word is no simpler one, and such a sense not the one that is meant. A file of several
languages is read for one, by `lang_code`, if the language is named.

    >>> line = b'{"word": "casa", "pos": "noun", "senses": [{"synonyms": [{"word": "hogar"}]}]}'
    >>> for word, sense in read_kaikki(ThesaurusFile("es.jsonl", [line])):
    ...     print(word, sense.id, sense.pos, [member.text for member in sense.members])
    casa casa#1 NOUN ['hogar']

**Lists** of a person's own: a word a line, then one or more simpler ones, between tabs, semicolons or commas.

    >>> lines = [b"word,simpler\n", b"commenced,began\n", b'reimburse,"pay back, repay"\n']
    >>> for word, sense in read_list(ThesaurusFile("own.csv", lines)):
    ...     print(word, [member.text for member in sense.members])
    commenced ['began']
    reimburse ['pay back', 'repay']

The first line settles what separates words: a tab, else a semicolon, else a comma. Further words of a cell stand
between `,`, `;` or `|`. A header is one whose cells are called as `HEADS` says; lines that begin with `#` are skipped.

**MyThes** (LibreOffice, OpenThesaurus). The first line names the encoding; then `word|n` and, for its n senses, lines
`(pos)|member|member...`, with `-` or nothing for no part of speech. Remarks in brackets may follow a member:
`generic term` makes it a hypernym, `antonym` takes it out, and others are removed from its text. Commas separate
members, too, since some files use them so. An entry without a word (`|2`, in Debian's `mythes-de`) is left out with
its senses.

    >>> lines = [b"UTF-8\n", b"house|2\n", b"(n)|home|building (generic term)\n", b"-|firm\n"]
    >>> for word, sense in read_mythes(ThesaurusFile("th.dat", lines)):
    ...     print(word, sense.id, sense.pos, [member.text for member in sense.members])
    house house#1 NOUN ['home', 'building']
    house house#2 None ['firm']

**Tab files** (Open Multilingual Wordnet, MCR): `synset<TAB>language:lemma<TAB>lemma`. The synset is `offset-pos`;
underscores are spaces. Other lines (`spa:def`, comments) are skipped. A lemma that begins with a backtick is English
that nobody has translated: a placeholder.
"""

import codecs
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.characters import seen
from lexbeam.transforms.common.texts.encodings import csv_rows, line_feeds, python_name
from lexbeam.transforms.lexicon.compiled.resource_kind import LINE_BYTES, opened, reading
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import (
    Member,
    ThesaurusFile,
    ThesaurusFormat,
    ThesaurusOptions,
    ThesaurusSense,
    WordSense,
    decoded,
    is_freedict,
    pos_of,
    read_freedict,
    read_pairs,
    tidy,
)

_SYMMETRIC = ("/r/Synonym", "/r/SimilarTo")
_WIDER = "/r/IsA"
_LETTERS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_PENN = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
_UNLIKE = ("Exclusion", "Independent", "OtherRelated")
_SCORE = re.compile(r"(?:^|\s)PPDB2\.0Score=(-?\d{1,6}(?:\.\d{1,20})?)(?=\s|$)")

# By word in lower case and part of speech, its members by their text in lower case.
_Gathered = dict[tuple[str, str | None], dict[str, Member]]


def _add(gathered: _Gathered, word: str, pos: str | None, member: Member) -> None:
    """Add a member; one that is a synonym by any line is no hypernym."""
    if word.lower() == member.text.lower():
        return
    members = gathered.setdefault((word.lower(), pos), {})
    held = members.get(member.text.lower())
    if held is None or (held.hypernym and not member.hypernym):
        members[member.text.lower()] = member


def _gathered_senses(gathered: _Gathered) -> Iterator[WordSense]:
    for (word, pos), members in gathered.items():
        yield word, ThesaurusSense(f"{word}#{(pos or 'any').lower()}", pos, tuple(members.values()))


def read_conceptnet(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the words of a language with those that mean the same, or are wider.

    Counts `other_relation`, `other_language` and `below_least` (lines).

    Raises:
        LexbeamError: no language is named, or a line is wrong.
    """
    language = source.options.language
    if not language:
        raise LexbeamError(f"{source.path}: ConceptNet has many languages: name one, FILE:language=CODE")
    gathered: _Gathered = {}
    for number, line in source.texts():
        cells = line.split("\t")
        if len(cells) < 5 or not cells[1].startswith("/r/"):
            raise source.wrong(number, "URI, RELATION, START, END and JSON with tabs", line)
        relation = cells[1]
        if relation not in _SYMMETRIC and relation != _WIDER:
            source.left_out["other_relation"] += 1
            continue
        start, end = (_term(cell, language) for cell in cells[2:4])
        if start is None or end is None:
            source.left_out["other_language"] += 1
            continue
        least = source.options.least
        if least is not None and _weight(cells[4], source, number) < least:
            source.left_out["below_least"] += 1
            continue
        _add(gathered, *start, Member(end[0], hypernym=relation == _WIDER))
        if relation != _WIDER:
            _add(gathered, *end, Member(start[0]))
    yield from _gathered_senses(gathered)


def _term(uri: str, language: str) -> tuple[str, str | None] | None:
    """Return the word and part of speech of `/c/LANGUAGE/word/pos`; None: it is of another language, or empty."""
    parts = uri.split("/", 5)
    if len(parts) < 4 or parts[:3] != ["", "c", language]:
        return None
    word = tidy(parts[3].replace("_", " "))
    return (word, _LETTERS.get(parts[4]) if len(parts) > 4 else None) if word else None


def _weight(text: str, source: ThesaurusFile, number: int) -> float:
    try:
        return float(json.loads(text)["weight"])
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise source.wrong(number, 'URI, RELATION, START, END and JSON with "weight"', text) from None


def read_ppdb(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield words with their paraphrases.

    Counts `phrase`, `not_equivalent` and `below_least` (lines; the last also has those without a score).

    Raises:
        LexbeamError: a line is wrong.
    """
    gathered: _Gathered = {}
    for number, line in source.texts():
        cells = [cell.strip() for cell in line.split("|||")]
        if len(cells) < 4 or not (cells[1] and cells[2]):
            raise source.wrong(number, "[LHS] ||| WORD ||| PARAPHRASE ||| FEATURES", line)
        label, word, paraphrase, features = cells[:4]
        if len(word.split()) > 1 or len(paraphrase.split()) > 1:
            source.left_out["phrase"] += 1
        elif cells[-1] in _UNLIKE:
            source.left_out["not_equivalent"] += 1
        elif not _reaches(features, source.options.least):
            source.left_out["below_least"] += 1
        else:
            _add(gathered, word, _PENN.get(label.strip("[]")[:2]), Member(paraphrase))
    yield from _gathered_senses(gathered)


def _reaches(features: str, least: float | None) -> bool:
    if least is None:
        return True
    found = _SCORE.search(features)
    return found is not None and float(found[1]) >= least


LINE = 1 << 24  # a word with all of its translations and quotations
MARKED = frozenset({"archaic", "obsolete", "dated", "historical", "misspelling", "nonstandard", "rare", "slang"})
_RELATIONS = ("synonyms", "hypernyms")
_THESAURUS = "Thesaurus:"  # a page of its own, not a word


def read_kaikki(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses that have another word, with their words in lower case.

    Counts `other_language` (words), `marked` (senses, and synonyms) and `no_text` (synonyms).

    Raises:
        LexbeamError: a line is no JSON object with a word.
    """
    senses_of: Counter[str] = Counter()
    language = source.options.language
    for number, line in source.texts():
        entry = _parsed(line)
        word = entry.get("word")
        if not isinstance(word, str):
            raise source.wrong(number, 'a JSON object with "word"', line)
        word = _text(word).lower()
        if language and entry.get("lang_code", language) != language:
            source.left_out["other_language"] += 1
            continue
        pos = entry.get("pos")
        for members in _listed_senses(entry, source):
            members.pop(word, None)
            if word and members:
                senses_of[word] += 1
                name = f"{word}#{senses_of[word]}"
                yield word, ThesaurusSense(name, pos_of(pos) if isinstance(pos, str) else None, tuple(members.values()))


def _parsed(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _listed_senses(entry: dict[str, Any], source: ThesaurusFile) -> Iterator[dict[str, Member]]:
    """Yield the members of each sense by their text in lower case: those of `senses`, then those beside them."""
    for sense in _objects(entry, "senses"):
        if _is_marked(sense):
            source.left_out["marked"] += 1
        else:
            yield _members_of(((key, item) for key in _RELATIONS for item in _objects(sense, key)), source)
    beside: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for key in _RELATIONS:
        for item in _objects(entry, key):
            text = item.get("sense")
            beside.setdefault(text if isinstance(text, str) else "", []).append((key, item))
    for items in beside.values():
        yield _members_of(items, source)


def _members_of(items: Iterable[tuple[str, dict[str, Any]]], source: ThesaurusFile) -> dict[str, Member]:
    members: dict[str, Member] = {}
    for key, item in items:
        text = item.get("word")
        shown = _text(text) if isinstance(text, str) else ""
        if not shown or shown.startswith(_THESAURUS):
            source.left_out["no_text"] += 1
        elif _is_marked(item):
            source.left_out["marked"] += 1
        else:
            members.setdefault(shown.lower(), Member(shown, hypernym=key == "hypernyms"))
    return members


def _objects(of: dict[str, Any], key: str) -> list[dict[str, Any]]:
    values = of.get(key)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _is_marked(item: dict[str, Any]) -> bool:
    tags = item.get("tags")
    return isinstance(tags, list) and any(isinstance(tag, str) and tag in MARKED for tag in tags)


def _text(text: str) -> str:
    """Return a text as files should have it: JSON can escape what is no character, or not in NFC."""
    return tidy(unicodedata.normalize("NFC", seen(text.encode("utf-8", "replace").decode("utf-8"))))


SEPARATORS = ("\t", ";", ",")
# How the first two columns are called.
HEADS = (
    ("word", "words", "target", "term", "lemma", "token", "hard", "difficult", "complex", "original"),
    ("simpler", "simple", "easy", "easier", "replacement", "substitute", "substitutes", "synonym", "synonyms"),
)
_WITHIN = re.compile(r"[,;|]")


def read_list(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield a sense for each line.

    Raises:
        LexbeamError: a line has no word, no simpler one, or one without a letter.
    """
    separator = ""
    for number, line in source.texts():
        if line.startswith("#"):
            continue
        first = not separator
        separator = separator or next((mark for mark in SEPARATORS if mark in line), SEPARATORS[0])
        cells = [tidy(cell) for cell in next(csv_rows([line], separator))]
        if first and all(cell.lower() in names for cell, names in zip(cells, HEADS, strict=False)):
            continue
        words = dict.fromkeys(word for cell in cells[1:] for part in _WITHIN.split(cell) if (word := tidy(part)))
        if not cells[0] or not words or not all(any(map(str.isalpha, word)) for word in words):  # grades are no words
            raise source.wrong(number, f"WORD and SIMPLER WORD with {separator!r} between them", line)
        word = cells[0].lower()
        yield word, ThesaurusSense(f"{word}#{number}", None, tuple(map(Member, words)))


_REMARK = re.compile(r"\s*\)([^()]*)\(")  # backwards
_ANTONYM = re.compile(r"ant.*n[iyí]m", re.IGNORECASE)
_HEAD = re.compile(r"(.*)\|(\d+)\s*\Z")


def is_encoding(name: str) -> bool:
    """Return whether text can be of an encoding of this name."""
    try:
        b"a".decode(python_name(name))
    except (LookupError, ValueError):  # also codecs of other things than text, or of 16-bit units
        return False
    return True


def read_mythes(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses of a MyThes file with their words, in lower case; counts `no_word`, senses of no word.

    Raises:
        LexbeamError: a line is wrong.
    """
    path, encoding = source.path, source.options.encoding
    word, left, number_of_sense = "", 0, 0
    for number, raw in enumerate(source.lines, start=1):
        if number == 1:
            name = raw.removeprefix(codecs.BOM_UTF8).strip().decode("ascii", "replace")
            encoding = encoding or name
            if not is_encoding(encoding):
                raise LexbeamError(
                    f"{path}: line 1 should name the encoding, not {name[:60]!r}: name it, FILE:encoding=NAME"
                )
            continue
        line = decoded(raw, encoding, path, number)
        if not left:
            if not line.strip():
                continue
            head = _HEAD.match(line)
            if head is None:
                raise source.wrong(number, "WORD|SENSES", line)
            word, left, number_of_sense = tidy(head[1]).lower(), int(head[2]), 0
            continue
        pos, bar, rest = line.partition("|")
        if not bar:
            raise LexbeamError(
                f"{path}: line {number} should be a sense, POS|WORD|..., not {line[:60]!r}: repair "
                f"it, or the number of senses of {word!r}"
            )
        left -= 1
        number_of_sense += 1
        members = tuple(_members(rest))
        if not word:
            source.left_out["no_word"] += 1
        elif members:
            yield word, ThesaurusSense(f"{word}#{number_of_sense}", pos_of(pos), members)
    if left:
        raise LexbeamError(f"{path} ends within the senses of {word!r}: take it anew")


def _members(text: str) -> Iterator[Member]:
    seen = set()
    for part in re.split(r"[|,]", text):
        remarks = []
        backwards, place = part[::-1], 0
        while remark := _REMARK.match(backwards, place):
            remarks.append(remark[1][::-1].strip().lower())
            place = remark.end()
        part = tidy(part[: len(part) - place])
        if part and part not in seen and not any(map(_ANTONYM.match, remarks)):
            seen.add(part)
            yield Member(part, hypernym="generic term" in remarks)


PLACEHOLDER = "`"
# In synsets `s` is an adjective satellite.
_SYNSET = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_SYNSET_ID = re.compile(r"\S*\d-([nvasr])\Z")


def is_synset(line: str) -> bool:
    """Return whether a line is one of a synset."""
    name, tab, _ = line.partition("\t")
    return bool(tab) and _SYNSET_ID.match(name) is not None


def read_tab(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the synsets of a tab file, in the order in which they begin; None stands for all members.

    Raises:
        LexbeamError: a line is wrong, or the file has no lemma.
    """
    synsets: dict[str, dict[Member, None]] = {}
    for number, line in source.texts():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) < 3 or _SYNSET_ID.match(cells[0]) is None:
            raise source.wrong(number, "OFFSET-POS, TYPE and LEMMA with tabs", line)
        if cells[1].rpartition(":")[2] != "lemma":
            continue
        text = tidy(cells[2].replace("_", " "))
        shown = tidy(text.removeprefix(PLACEHOLDER))
        if shown:
            members = synsets.setdefault(cells[0], {})
            members[Member(shown, placeholder=text.startswith(PLACEHOLDER))] = None
    if not synsets:
        raise LexbeamError(f"{source.path} has no line of a lemma (LANGUAGE:lemma): is it a wordnet?")
    for name, members in synsets.items():
        yield None, ThesaurusSense(name, _SYNSET[name[-1]], tuple(members))


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
