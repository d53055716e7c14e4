"""Thesauri as a kind of resource: how one is written, compiled, opened.

Its compiled tables:

- `words`: `key`, `word` in lower case, `start` and `end` of its rows in `of_word`; in the order of
  keys. A form with straight apostrophes has the rows of its word.
- `of_word`: `sense`, the senses of a word in the order of the file.
- `senses`: `id`, `pos`, `start` and `end` of its rows in `members`.
- `members`: `text`, `hypernym`, `placeholder`.
- `about`: one row of facts.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.lexicon.compiled.resource_kind import (
    Opened,
    Parsed,
    ResourceKind,
    choice,
    number,
    split_spec,
    table_in,
)
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import READERS, read_thesaurus
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import (
    SIDES,
    Member,
    ThesaurusOptions,
    ThesaurusSense,
    index_of,
    is_freedict,
)
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, CompiledWords, coded, entries, only

log = logging.getLogger("lexbeam")

_KEYS = ("format", "encoding", "language", "side", "least")
FORM = (
    "thesaurus:FILE[:format=mythes|tab|kaikki|conceptnet|ppdb|freedict|pairs|list,encoding=,language=,side=left|right,"
    "least=]"
)
_SHOWN = 12

ABOUT = pa.schema([(name, pa.int64()) for name in ("words", "senses", "members", "placeholders", "left_out")])
SENSES = pa.schema([("id", pa.large_string()), ("pos", pa.large_string()), ("start", pa.int64()), ("end", pa.int64())])
MEMBERS = pa.schema([("text", pa.large_string()), ("hypernym", pa.bool_()), ("placeholder", pa.bool_())])


def parse(argument: str) -> Parsed:
    """Return the thesaurus that a person names by `FILE[:key=value,...]`.

    Raises:
        UsageError: the argument is not of that form, or there is no such format or encoding.
    """
    path, values = split_spec(argument, _KEYS, form=FORM)
    encoding = values.get("encoding", "")
    if encoding:
        encoding = ReaderOptions(encoding=(encoding,)).encoding[0]
    options = ThesaurusOptions(
        format=choice(values, "format", READERS, ""),
        encoding=encoding,
        language=values.get("language", ""),
        side=choice(values, "side", SIDES, ""),
        least=number(values, "least"),
    )
    of_dictd = options.format in ("", "freedict") and is_freedict(path)
    return Parsed((path, index_of(path)) if of_dictd else (path,), options, values.get("language"))


def _compile(paths: Sequence[str], options: ThesaurusOptions) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of a thesaurus, and log how much of it was left out, and why.

    Raises:
        LexbeamError: the file does not exist, a line is wrong, or it has no word.
    """
    path = paths[0]
    left_out: Counter[str] = Counter()
    senses: list[ThesaurusSense] = []
    of_words: dict[str, list[int]] = {}
    for place, (word, sense) in enumerate(read_thesaurus(path, options, left_out)):
        senses.append(sense)
        members = (member.text.lower() for member in sense.members if not member.placeholder)
        for name in [word] if word is not None else dict.fromkeys(members):
            of_words.setdefault(name, []).append(place)
    if not of_words:
        raise LexbeamError(f"{files.shown(path)} has no word with a sense")
    if left_out:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(left_out.items()))
        log.warning("%s: left out: %s", files.shown(path), reasons)
    yield from _word_tables(of_words)
    yield from _sense_tables(senses, len(of_words), left_out.total())


def _word_tables(of_words: dict[str, list[int]]) -> Iterator[tuple[str, pa.Table]]:
    """Yield the words in the order of keys, and the numbers of their senses."""
    words = list(of_words)
    table, places = entries(pa.array(words, pa.large_string()), "keep")
    numbers = [of_words[words[place]] for place in places.tolist()]
    bounds = np.cumsum([0, *map(len, numbers)])
    yield "words", table.append_column("start", [bounds[:-1]]).append_column("end", [bounds[1:]])
    yield "of_word", pa.table({"sense": pa.array([sense for senses in numbers for sense in senses], pa.int64())})


def _sense_tables(senses: Sequence[ThesaurusSense], words: int, left_out: int) -> Iterator[tuple[str, pa.Table]]:
    members = [member for sense in senses for member in sense.members]
    bounds = np.cumsum([0, *(len(sense.members) for sense in senses)])
    columns = [[sense.id for sense in senses], [sense.pos for sense in senses], bounds[:-1], bounds[1:]]
    yield "senses", pa.table(columns, schema=SENSES)
    yield "members", pa.table([list(column) for column in zip(*members, strict=True)], schema=MEMBERS)
    about = {
        "words": words,
        "senses": len(senses),
        "members": len(members),
        "placeholders": sum(member.placeholder for member in members),
        "left_out": left_out,
    }
    yield "about", pa.Table.from_pylist([about], schema=ABOUT)


class Thesaurus:
    """Senses of words.

    Attributes:
        facts: how many `words`, `senses`, `members` and `placeholders` it has, and how much was `left_out`.
    """

    def __init__(self, opened: Opened) -> None:
        words, senses = table_in(opened, "words"), table_in(opened, "senses")
        self._words = CompiledWords(words, "lower")
        self._start = only(words["start"]).to_numpy()
        self._end = only(words["end"]).to_numpy()
        self._senses = only(table_in(opened, "of_word")["sense"]).to_numpy()
        self._ids, self._pos = only(senses["id"]), only(senses["pos"])
        self._first_member = only(senses["start"]).to_numpy()
        self._end_of_members = only(senses["end"]).to_numpy()
        self._members = table_in(opened, "members")
        self.facts: dict[str, int] = table_in(opened, "about").to_pylist()[0]

    def senses(self, words: pa.Array | pa.ChunkedArray) -> list[tuple[ThesaurusSense, ...]]:
        """Return the senses of each word, whatever its capitals, in the order of the file.

        A word without senses, or a null, has an empty tuple. A word of synsets is among their members.
        """
        distinct, places = coded(words)
        senses = [
            () if row == MISSING else tuple(map(self._sense, self._numbers(row)))
            for row in self._words.find(distinct).tolist()
        ]
        senses.append(())
        return [senses[place] for place in places.tolist()]

    def _numbers(self, row: int) -> list[int]:
        numbers: list[int] = self._senses[self._start[row] : self._end[row]].tolist()
        return numbers

    def _sense(self, number: int) -> ThesaurusSense:
        start, end = int(self._first_member[number]), int(self._end_of_members[number])
        rows = self._members.slice(start, end - start).to_pylist()
        members = tuple(Member(**row) for row in rows)
        return ThesaurusSense(self._ids[number].as_py(), self._pos[number].as_py(), members)

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield the senses of a word, for a person."""
        for sense in self.senses(pa.array([word]))[0]:
            if pos is None or sense.pos in (None, pos):
                texts = [member.text for member in sense.members if not member.placeholder]
                more = f" ... ({len(texts)})" if len(texts) > _SHOWN else ""
                tag = f" {sense.pos}" if sense.pos else ""
                yield f"sense {sense.id}{tag}", ", ".join(texts[:_SHOWN]) + more


def _open(opened: Opened, options: ThesaurusOptions) -> Thesaurus:
    return Thesaurus(opened)


THESAURUS = ResourceKind(parse=parse, compile=_compile, open=_open, help=FORM)
