"""Word lists as kinds of resources: lists from a file, and lists that a function returns.

>>> lengths = words_from(lambda argument: pa.table({"word": ["sea"], "value": [3.0]}), help="")
>>> name, table = next(iter(lengths.compile((), lengths.parse("").options)))
>>> name, table["value"].to_pylist()
('words', [3.0])
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.lexicon.compiled.casing import CASES, CompiledWords, coded, find_words, lowered, only, with_tags
from lexbeam.transforms.lexicon.compiled.keys import MISSING, Rows
from lexbeam.transforms.lexicon.compiled.kind import Opened, Parsed, ResourceKind, table_in
from lexbeam.transforms.lexicon.word_lists.compiling import compile_rows, compile_words
from lexbeam.transforms.lexicon.word_lists.options import (
    DUPLICATES,
    FORM,
    UPOS,
    WordListOptions,
    WordListRules,
    parse,
    with_usual_scale,
)

_COLUMNS = ("value", "sd", "n")
LOOKED_UP = pa.schema([(name, pa.float64()) for name in _COLUMNS])


class WordList:
    """Values of words.

    Attributes:
        facts: the row of `about`: `rows`, `words`, how many rows were left out and why, the scale.
        scale: the least and the greatest value: as declared, else those of the rows.
    """

    def __init__(self, opened: Opened, case: str) -> None:
        self._rows = table_in(opened, "words")
        self._words = CompiledWords(self._rows, case)
        self._tagged_rows = table_in(opened, "tagged") if "tagged" in opened else None
        self._tagged = None if self._tagged_rows is None else CompiledWords(self._tagged_rows, case)
        self.facts: dict[str, Any] = table_in(opened, "about").to_pylist()[0]
        self.scale: tuple[float, float] = (self.facts["low"], self.facts["high"])

    @property
    def listed(self) -> pa.Table:
        """All entries, `word` and `value`; lower-case forms are entries, too."""
        return self._rows.select(["word", "value"])

    def look_up(self, words: pa.Array | pa.ChunkedArray, pos: pa.Array | pa.ChunkedArray | None = None) -> pa.Table:
        """Return `value`, `sd` and `n` of each word, float64, null where the list has none.

        Args:
            words: in NFC, as in our tables; phrases stand in it as they stand in the list.
            pos: parts of speech. If the list has them, a word is looked up as that part of speech;
                alone where that is null, or where the list has none.
        """
        distinct, places = coded(words)
        if pos is None or self._tagged is None:
            return values_of(self._rows, self._words.find(distinct), places)
        tags, tag_places = coded(pos)
        # Pairs of word and tag, as one number each: few of them are distinct.
        pairs, places = np.unique(places * (len(tags) + 1) + tag_places, return_inverse=True)
        null = pa.nulls(1, pa.large_string())
        pair_words = pa.concat_arrays([distinct, null]).take(pa.array(pairs // (len(tags) + 1)))
        pair_tags = pa.concat_arrays([tags, null]).take(pa.array(pairs % (len(tags) + 1)))
        rows = self._words.find(pair_words)
        tagged_rows = _find_tagged(self._tagged, pair_words, pair_tags)
        alone = values_of(self._rows, rows, np.arange(len(rows)))
        tagged = values_of(self._tagged_rows, tagged_rows, np.arange(len(tagged_rows)))
        untagged = pc.is_null(pair_tags)
        pair_of = pa.array(places.ravel())
        columns = [only(pc.if_else(untagged, alone[name], tagged[name])) for name in _COLUMNS]
        return pa.table([column.take(pair_of) for column in columns], schema=LOOKED_UP)

    def values(self, distinct: pa.Array) -> np.ndarray:
        """Return the value of each word, float64, NaN where the list has none."""
        rows = self._words.find(distinct)
        values = np.full(len(rows), np.nan)
        listed = rows != MISSING
        # A list without rows has no chunk of values, and none of the words.
        values[listed] = only(self._rows["value"]).to_numpy(zero_copy_only=False)[rows[listed]]
        return values

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the list says of a word, for a person, who may write n or Noun for `NOUN`."""
        tags = dict.fromkeys((pos, UPOS.get(pos.lower(), pos) if pos else None))
        rows = [self.look_up(pa.array([word]), pa.array([tag], pa.string())).to_pylist()[0] for tag in tags]
        row = next((row for row in rows if row["value"] is not None), None)
        if row is None:
            return
        scale = "from {:.10g} to {:.10g}".format(*self.scale)
        yield "value", f"{row['value']:.10g} ({self.facts['column']}, {scale})"
        if row["sd"] is not None:
            yield "standard deviation", f"{row['sd']:.10g}"
        if row["n"] is not None:
            yield "people or uses", f"{row['n']:.10g}"


def _find_tagged(table: CompiledWords, words: pa.Array, tags: pa.Array) -> Rows:
    """Return the rows of words as parts of speech, or `MISSING`."""
    return find_words(table.keys, table.words, with_tags(words, tags), table.case, with_tags(lowered(words), tags))


def values_of(table: pa.Table, rows: Rows, places: Rows) -> pa.Table:
    """Return the values at rows, for each place.

    Args:
        table: columns `value`, `sd`, `n`.
        rows: of the table, `MISSING` for none.
        places: indices into the rows; the one after the last stands for null.
    """
    rows = np.append(rows, MISSING)[places]
    taken = pa.array(rows, mask=rows == MISSING)
    return pa.table([only(table[name]).take(taken) for name in _COLUMNS], LOOKED_UP)


def open_words(opened: Opened, options: "WordListOptions | ArgumentOptions") -> WordList:
    """Return the list of opened tables."""
    return WordList(opened, options.rules.case)


WORDS = ResourceKind(parse=parse, compile=compile_words, open=open_words, help=FORM, named=with_usual_scale)

Read = Callable[[str], pa.Table]

_TYPES = {
    "word": pa.large_string(),
    "value": pa.float64(),
    "sd": pa.float64(),
    "n": pa.float64(),
    "pos": pa.large_string(),
}


@dataclass(frozen=True, kw_only=True)
class ArgumentOptions:
    """What decides a list that a function returns.

    Attributes:
        argument: what the function is called with.
        rules: how its rows become entries.
    """

    argument: str
    rules: WordListRules


def _no_language(argument: str) -> None:
    """Return None: the rows serve every language."""
    return


def words_from(
    read: Read,
    *,
    help: str,
    language: Callable[[str], str | None] = _no_language,
    case: str = "fold",
    duplicates: str = "error",
    scale: tuple[float, float] | None = None,
) -> ResourceKind:
    """Return the kind of resource whose rows a function returns.

    Args:
        read: takes what follows `KIND:`, and returns `word` and `value`, optionally `sd`, `n` and
            `pos`; it must depend on nothing but installed packages.
        help: how it is written, for a person.
        language: takes the same, and returns the language that the rows serve, or None for
            every language; it may raise UsageError.
        case: an entry of `CASES`.
        duplicates: an entry of `DUPLICATES`.
        scale: the least and the greatest value; those of the rows if not given.

    Raises:
        UsageError: there is no such rule of case or for duplicates.
    """
    for name, value, known in (("case", case, CASES), ("duplicates", duplicates, DUPLICATES)):
        if value not in known:
            raise UsageError(f"`{name}` takes {', '.join(known)}, not {value!r}{nearest(value, known)}")
    low, high = scale or (None, None)
    rules = WordListRules(case=case, duplicates=duplicates, low=low, high=high)
    return ResourceKind(
        parse=functools.partial(_parse, rules, language),
        compile=functools.partial(_compile, read),
        open=open_words,
        help=help,
    )


def _parse(rules: WordListRules, language: Callable[[str], str | None], argument: str) -> Parsed:
    return Parsed((), ArgumentOptions(argument=argument, rules=rules), language(argument))


def _compile(read: Read, paths: Sequence[str], options: ArgumentOptions) -> Iterator[tuple[str, pa.Table]]:
    name = getattr(read, "__name__", repr(read))
    where = f"{name}({options.argument!r})"
    table = read(options.argument)
    for column in ("word", "value"):
        if column not in table.column_names:
            raise LexbeamError(f"{where} returns no column {column!r}: {table.column_names}")
    if unknown := [column for column in table.column_names if column not in _TYPES]:
        raise LexbeamError(f"{where} returns the column {unknown[0]!r}; known are {', '.join(_TYPES)}")
    columns = {}
    for column, type_ in _TYPES.items():
        if column not in table.column_names:
            columns[column] = pa.nulls(len(table), type_)
            continue
        try:
            columns[column] = table[column].cast(type_)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise LexbeamError(f"{where}: column {column!r} is not {type_}: {error}") from error
    columns["line"] = pa.array(range(1, len(table) + 1), pa.int64())
    yield from compile_rows(pa.table(columns), options.rules, where, "value")
