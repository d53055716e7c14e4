"""A word list, compiled: one row per word, in the order of keys.

Tables:

- `words`: `key`, `word`, `value`, `sd`, `n`; lower-case forms have their word's values.
- `tagged`, of a list with parts of speech: the same by word and part of speech (`word` is both,
  separated by a tab).
- `about`, one row: the scale, and how many rows were left out, and why.
"""

import logging
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.errors import LexbeamError
from transforms.formats.records.text_cleaning import clean_field
from transforms.lexicon.compiled.casing import TAB, entries, lowered, only, with_tags
from transforms.lexicon.word_lists.merging import merged
from transforms.lexicon.word_lists.numbers import missing, multiplied, numbers_of, to_log10
from transforms.lexicon.word_lists.options import UPOS, WordListOptions, WordListRules
from transforms.lexicon.word_lists.reading import ROWS, read_cells
from transforms.lexicon.word_lists.scales import scale_that_fits, told

__all__ = ["ABOUT", "compile_words", "compiled"]

log = logging.getLogger("lexbeam")

ABOUT = pa.schema(
    [
        ("rows", pa.int64()),  # of the file, the header aside
        ("words", pa.int64()),  # that can be asked for
        ("without_word", pa.int64()),
        ("without_value", pa.int64()),
        ("below_min_n", pa.int64()),
        ("merged", pa.int64()),  # rows that are one with another row of their word
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("declared", pa.bool_()),  # whether the scale was, or is what was found
        ("sd", pa.bool_()),
        ("n", pa.bool_()),
        ("column", pa.string()),
    ]
)


def compile_words(paths: Sequence[str], options: WordListOptions) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of a file of words and values.

    Raises:
        LexbeamError: the file is not as the options say; the error names file, place and remedy.
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
        log.info("%s: %d comment lines at its start are passed over", path, comments)
    yield from compiled(rows, options.rules, path, columns["value"])


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
        None if gone else UPOS.get(text.lower(), text)
        for text, gone in zip(trimmed.to_pylist(), missing(trimmed).to_pylist(), strict=True)
    ]
    return pa.array(tags, pa.large_string())


def compiled(rows: pa.Table, rules: WordListRules, where: str, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of rows.

    Args:
        rows: `word`, `value`, `sd`, `n`, `pos`, `line`; null for what there is not.
        rules: what is made of them.
        where: what they are of, for errors.
        column: what the value is called there.

    Raises:
        LexbeamError: nothing is left, a value is outside the scale that is declared or usual for
            the list's name, or a word has several rows.
    """
    rows = rows.combine_chunks()
    about: dict[str, object] = {"rows": len(rows)}
    rows, about["without_word"] = _without(
        rows, pc.equal(pc.fill_null(rows["word"], ""), pa.scalar("", pa.large_string()))
    )
    rows, about["without_value"] = _without(rows, pc.is_null(rows["value"]))
    about["below_min_n"] = 0
    if rules.min_n is not None:
        few = pc.less(pc.fill_null(rows["n"], -1.0), rules.min_n)
        rows, about["below_min_n"] = _without(rows, few)
    if not len(rows):
        raise LexbeamError(f"{where}: no row has a word and a value in column {column!r}")
    _check_scale(rows, rules, where, column)
    _check_usual_scale(rows, rules, where, column)
    by_word = rows["word"]
    if rules.case == "lower":
        by_word = lowered(by_word)
    words = merged(rows, only(by_word), rules.duplicates, where)
    values = words["value"]
    if rows["pos"].null_count < len(rows):
        having = rows.filter(pc.is_valid(rows["pos"]))
        names = lowered(having["word"]) if rules.case == "lower" else having["word"]
        by_tag = only(with_tags(names, having["pos"]))
        tagged = merged(having, by_tag, rules.duplicates, where)
        values = pa.chunked_array([*values.chunks, *tagged["value"].chunks])
        tagged = tagged.set_column(0, "word", with_tags(tagged["word"], tagged["pos"]))
        yield "tagged", _in_order(tagged, rules.case, tags=True)
    ends = pc.min_max(values).as_py()
    about |= {
        "words": len(words),
        "merged": len(rows) - len(words),
        "low": ends["min"] if rules.low is None else rules.low,
        "high": ends["max"] if rules.high is None else rules.high,
        "declared": rules.low is not None,
        "sd": rows["sd"].null_count < len(rows),
        "n": rows["n"].null_count < len(rows),
        "column": column,
    }
    yield "words", _in_order(words, rules.case)
    yield "about", pa.Table.from_pylist([about], schema=ABOUT)


def _without(rows: pa.Table, gone: pa.ChunkedArray) -> tuple[pa.Table, int]:
    if not pc.any(gone).as_py():
        return rows, 0
    left = rows.filter(pc.invert(gone)).combine_chunks()
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
        f"where lists of this name go from {told(rules.usual)}: give the right column or "
        "`factor=`, or say the scale by `scale=LOW-HIGH` or `scale=read`"
    )


def _in_order(rows: pa.Table, case: str, *, tags: bool = False) -> pa.Table:
    """Return rows in the order of keys, with the entries that a rule of case adds."""
    words = only(rows["word"])
    if tags:  # capitals of words count, those of tags do not change
        bare = pc.list_element(pc.split_pattern(words, TAB), 0)
        low = with_tags(lowered(bare), only(rows["pos"]))
        found, places = entries(words, case, low)
    else:
        found, places = entries(words, case)
    values = rows.select(["value", "sd", "n"]).take(pa.array(places))
    for name in values.column_names:
        found = found.append_column(name, values[name])
    return found.combine_chunks()
