"""Word lists as a kind of resource: compiled, opened, queried; from a file, or from a function.

Compiled, a list has one row per word, in the order of keys, in these tables:

- `words`: `key`, `word`, `value`, `sd`, `n`; lower-case forms have their word's values.
- `tagged`, of a list with parts of speech: the same by word and part of speech (`word` is both,
  separated by a tab).
- `about`, one row: the scale, and how many rows were left out, and why.

A function that returns a list makes a kind of its own:

>>> lengths = words_from(lambda argument: pa.table({"word": ["sea"], "value": [3.0]}), help="")
>>> name, table = next(iter(lengths.compile((), lengths.parse("").options)))
>>> name, table["value"].to_pylist()
('words', [3.0])
"""

import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.lexicon.compiled.list_options import (
    DUPLICATES,
    FORM,
    UPOS,
    WordListOptions,
    WordListRules,
    described,
    parse,
    scale_that_fits,
    with_usual_scale,
)
from lexbeam.transforms.lexicon.compiled.list_reading import ROWS, missing, multiplied, numbers_of, read_cells, to_log10
from lexbeam.transforms.lexicon.compiled.resource_kind import Opened, Parsed, ResourceKind, table_in
from lexbeam.transforms.lexicon.compiled.word_keys import (
    CASES,
    MISSING,
    TAB,
    CompiledWords,
    Rows,
    coded,
    entries,
    find_words,
    lowered,
    only,
    with_tags,
)

log = logging.getLogger("lexbeam")

_SHOWN = 5

ABOUT = pa.schema(
    [
        ("rows", pa.int64()),  # of the file, the header aside
        ("words", pa.int64()),  # that can be looked up
        ("without_word", pa.int64()),
        ("without_value", pa.int64()),
        ("below_min_n", pa.int64()),
        ("merged", pa.int64()),  # rows merged into another row of their word
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("declared", pa.bool_()),  # whether the scale was declared, or is that of the values
        ("sd", pa.bool_()),
        ("n", pa.bool_()),
        ("column", pa.string()),
    ]
)


def compile_words(paths: Sequence[str], options: WordListOptions) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of a file of words and values.

    Raises:
        LexbeamError: the file does not match the options; the error names file, place and remedy.
    """
    (path,) = paths
    lines, cells, comments = read_cells(path, options)
    columns = options.columns

    def numbers(name: str) -> pa.Array:
        if name not in cells:
            return pa.nulls(len(lines), pa.float64())
        return numbers_of(cells[name], lines, columns[name], path, options.decimal)

    value = multiplied(cells["value"], numbers("value"), options.factor, options.decimal)
    sd = numbers("sd")
    if "sd" in cells:
        sd = pc.abs(multiplied(cells["sd"], sd, options.factor, options.decimal))
    if options.log10 is not None:
        value = to_log10(value, options.log10, lines, path)
    rows = pa.table(
        {
            "word": _cleaned(cells["word"]),
            "value": value,
            "sd": sd,
            "n": numbers("n"),
            "pos": _tags(cells.get("pos"), len(lines)),
            "line": lines,
        }
    )
    if comments:
        log.info("%s: %d comment lines at its start are skipped", path, comments)
    yield from compile_rows(rows, options.rules, path, columns["value"])


def _cleaned(words: pa.Array) -> pa.Array:
    parts = [pa.array([], words.type)]
    for start in range(0, len(words), ROWS):
        cleaned = [clean_field(word) for word in words[start : start + ROWS].to_pylist()]
        parts.append(pa.array(cleaned, words.type))
    return pa.concat_arrays(parts)


def _tags(texts: pa.Array | None, count: int) -> pa.Array:
    if texts is None:
        return pa.nulls(count, pa.large_string())
    trimmed = pc.utf8_trim_whitespace(texts)
    tags = [
        None if absent else UPOS.get(text.lower(), text)
        for text, absent in zip(trimmed.to_pylist(), missing(trimmed).to_pylist(), strict=True)
    ]
    return pa.array(tags, pa.large_string())


def compile_rows(rows: pa.Table, rules: WordListRules, where: str, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of rows.

    Args:
        rows: `word`, `value`, `sd`, `n`, `pos`, `line`; null for what a row lacks.
        rules: how rows become entries.
        where: where the rows come from, for errors.
        column: what the value is called there.

    Raises:
        LexbeamError: nothing is left, a value is outside the scale that is declared or usual for
            the list's name, or a word has several rows.
    """
    rows, about = _usable(rows.combine_chunks(), rules)
    if not len(rows):
        raise LexbeamError(f"{where}: no row has a word and a value in column {column!r}")
    _check_scale(rows, rules, where, column)
    _check_usual_scale(rows, rules, where, column)
    words = merge_rows(rows, only(_forms(rows["word"], rules)), rules.duplicates, where)
    values = words["value"]
    if rows["pos"].null_count < len(rows):
        tagged = _tagged(rows.filter(pc.is_valid(rows["pos"])), rules, where)
        values = pa.chunked_array([*values.chunks, *tagged["value"].chunks])
        yield "tagged", _in_order(tagged, rules.case, tags=True)
    ends = pc.min_max(values).as_py()
    scale: dict[str, object] = {
        "low": ends["min"] if rules.low is None else rules.low,
        "high": ends["max"] if rules.high is None else rules.high,
        "declared": rules.low is not None,
        "sd": rows["sd"].null_count < len(rows),
        "n": rows["n"].null_count < len(rows),
        "column": column,
    }
    yield "words", _in_order(words, rules.case)
    counts = {"words": len(words), "merged": len(rows) - len(words)}
    yield "about", pa.Table.from_pylist([{**about, **counts, **scale}], schema=ABOUT)


def _usable(rows: pa.Table, rules: WordListRules) -> tuple[pa.Table, dict[str, int]]:
    """Return the rows that have a word, a value and enough people or uses, and how many do not."""
    counts = {"rows": len(rows)}
    empty = pc.equal(pc.fill_null(rows["word"], ""), pa.scalar("", pa.large_string()))
    rows, counts["without_word"] = _without(rows, empty)
    rows, counts["without_value"] = _without(rows, pc.is_null(rows["value"]))
    counts["below_min_n"] = 0
    if rules.min_n is not None:
        few = pc.less(pc.fill_null(rows["n"], -1.0), rules.min_n)
        rows, counts["below_min_n"] = _without(rows, few)
    return rows, counts


def _forms(words: pa.ChunkedArray, rules: WordListRules) -> pa.ChunkedArray:
    """Return the forms by which rows are of one word."""
    return lowered(words) if rules.case == "lower" else words


def _tagged(rows: pa.Table, rules: WordListRules, where: str) -> pa.Table:
    """Return one row per word and part of speech; `word` is both."""
    keys = only(with_tags(_forms(rows["word"], rules), rows["pos"]))
    tagged = merge_rows(rows, keys, rules.duplicates, where)
    return tagged.set_column(0, "word", with_tags(tagged["word"], tagged["pos"]))


def _without(rows: pa.Table, excluded: pa.ChunkedArray) -> tuple[pa.Table, int]:
    if not pc.any(excluded).as_py():
        return rows, 0
    left = rows.filter(pc.invert(excluded)).combine_chunks()
    return left, len(rows) - len(left)


def _check_scale(rows: pa.Table, rules: WordListRules, where: str, column: str) -> None:
    if rules.low is None or rules.high is None:
        return
    outside = pc.or_(pc.less(rows["value"], rules.low), pc.greater(rows["value"], rules.high))
    place = pc.index(outside, True).as_py()
    if place < 0:
        return
    row = {name: rows[name][place].as_py() for name in ("word", "value", "line")}
    raise LexbeamError(
        f"{where}, line {row['line']}: {row['value']:g} in column {column!r} (word "
        f"{row['word']!r}) is outside the scale {rules.low:g}-{rules.high:g}: correct `scale=`, "
        "`factor=` or the column, or give `scale=read`"
    )


def _check_usual_scale(rows: pa.Table, rules: WordListRules, where: str, column: str) -> None:
    if not rules.usual:
        return
    ends = pc.min_max(rows["value"]).as_py()
    if scale_that_fits(rules.usual, ends["min"], ends["max"]) is not None:
        return
    raise LexbeamError(
        f"{where}: the values in column {column!r} go from {ends['min']:g} to {ends['max']:g}, "
        f"where lists of this name go from {described(rules.usual)}: give the right column or "
        "`factor=`, or state the scale, `scale=LOW-HIGH` or `scale=read`"
    )


def _in_order(rows: pa.Table, case: str, *, tags: bool = False) -> pa.Table:
    """Return rows in the order of keys, with the entries that a rule of case adds."""
    words = only(rows["word"])
    if tags:  # words have lower-case forms, tags stay as they are
        bare = pc.list_element(pc.split_pattern(words, TAB), 0)
        low = with_tags(lowered(bare), only(rows["pos"]))
        table, places = entries(words, case, low)
    else:
        table, places = entries(words, case)
    values = rows.select(["value", "sd", "n"]).take(pa.array(places))
    for name in values.column_names:
        table = table.append_column(name, values[name])
    return table.combine_chunks()


def merge_rows(rows: pa.Table, words: pa.Array, rule: str, where: str) -> pa.Table:
    """Return one row per word, in the order in which words first occur.

    Args:
        rows: columns `word`, `value`, `sd`, `n` and others; rows of one word differ in `line`.
        words: the word of each row.
        rule: an entry of `DUPLICATES`. `sum` and `mean` add up `n` and have no `sd`.
        where: where the rows come from, for the error.

    Raises:
        LexbeamError: the rule is `error` and a word has several rows.
    """
    coded = words.dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    distinct = len(coded.dictionary)
    if distinct == len(rows):
        return rows
    counts = np.bincount(codes, minlength=distinct)
    if rule == "error":
        raise _doubled(rows, coded.dictionary, codes, np.flatnonzero(counts > 1), where)
    order = np.arange(len(rows))
    if rule == "last":
        order = order[::-1]
    elif rule == "most":
        n = rows["n"].combine_chunks().fill_null(-1.0).to_numpy(zero_copy_only=False)
        order = np.argsort(-n, kind="stable")
    _, firsts = np.unique(codes[order], return_index=True)
    # Codes are numbered in the order in which words first occur, and so are these rows.
    chosen = rows.take(pa.array(order[firsts]))
    return _reduced(chosen, rows, codes, counts, rule) if rule in ("sum", "mean") else chosen


def _reduced(
    chosen: pa.Table, rows: pa.Table, codes: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], rule: str
) -> pa.Table:
    """Return rows whose values are sums or means; those of words with a single row stay as they are."""
    single = pa.array(counts == 1)

    def total(column: str) -> npt.NDArray[np.float64]:
        values = rows[column].combine_chunks().fill_null(0.0).to_numpy(zero_copy_only=False)
        return np.bincount(codes, weights=values, minlength=len(counts)).astype(np.float64)

    value = total("value") / (counts if rule == "mean" else 1)
    with_n = np.bincount(codes, weights=rows["n"].is_valid().to_numpy(), minlength=len(counts))
    new = {
        "value": pc.if_else(single, chosen["value"], pa.array(value)),
        "sd": pc.if_else(single, chosen["sd"], pa.scalar(None, pa.float64())),
        "n": pa.array(total("n"), mask=with_n == 0),
    }
    for name, column in new.items():
        chosen = chosen.set_column(chosen.schema.get_field_index(name), name, column)
    return chosen


def _doubled(
    rows: pa.Table,
    words: pa.Array,
    codes: npt.NDArray[np.int32],
    several: Sequence[int] | npt.NDArray[np.int64],
    where: str,
) -> LexbeamError:
    lines = rows["line"]
    shown = []
    for code in several[:_SHOWN]:
        numbers = [str(lines[int(place)].as_py()) for place in np.flatnonzero(codes == code)[:_SHOWN]]
        word = words[int(code)].as_py().replace("\t", " as ")
        shown.append(f"{word!r} (lines {', '.join(numbers)})")
    more = f" and {len(several) - _SHOWN} more" if len(several) > _SHOWN else ""
    return LexbeamError(
        f"{where}: {len(several)} words have several rows: {', '.join(shown)}{more}: choose by "
        "`duplicates=`: first, last, mean, sum, or most (of n)"
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
