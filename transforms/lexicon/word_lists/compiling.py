"""A word list, compiled: one row per word, in the order of keys.

Tables:

- `words`: `key`, `word`, `value`, `sd`, `n`; lower-case forms have their word's values.
- `tagged`, of a list with parts of speech: the same by word and part of speech (`word` is both,
  separated by a tab).
- `about`, one row: the scale, and how many rows were left out, and why.
"""

import logging
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.lexicon.compiled.casing import TAB, entries, lowered, only, with_tags
from lexbeam.transforms.lexicon.word_lists.numbers import missing, multiplied, numbers_of, to_log10
from lexbeam.transforms.lexicon.word_lists.options import UPOS, WordListOptions, WordListRules
from lexbeam.transforms.lexicon.word_lists.reading import ROWS, read_cells
from lexbeam.transforms.lexicon.word_lists.scales import described, scale_that_fits

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
