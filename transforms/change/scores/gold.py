"""Gold standards of change, which say what words changed and how far, and the systems that are evaluated against them.

Gold is read in two forms:

- files of SemEval-2020 Task 1, without a header, `word<TAB>value`: 0 or 1 in subtask 1, a number in
  subtask 2, which the values tell where the option does not;
- a table with a header, Parquet or text: a column of words, and columns of classes and of graded change, with the
  names below or others. The published statistics of DWUG and the truth of `lexbeam sample` are such tables.

Cells of a text are separated by tabs, without quoting, or by commas or semicolons.

An empty cell of a table has no gold value. Words go through the normalisation of the training view.

What is evaluated are systems of table `scores`, files of words and scores, and means of ranks of several. A system is a
value of a pair of slices, alignment, measure and seed: its score, or, of means over seeds, what evidence says of it.
Its name is `EARLIER:LATER/ALIGNMENT/MEASURE/RUN`, RUN `mean` or `seed N`, with `/VALUE` before the run where that is
not the score; a file is called as it is named. Systems of table `change/systems` are `EARLIER:LATER/SYSTEM/mean`.
"""

import io
import math
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.change.scores.evidence_rows import LEVEL
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.view.words import ViewOptions, target_word
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.small_texts import (
    WORD_COLUMNS,
    cells_of,
    delimiter_of,
    filled_lines,
    word_column,
)
from lexbeam.transforms.common.store import files
from lexbeam.transforms.evaluation.outcomes import Floats, average_ranks

# Default names of the columns of a table; the first that it has is taken.
BINARY = ("binary", "change_binary")
GRADED = ("graded", "change_graded", "changed")

NAMED = 5
_MOST_BYTES = 1 << 28
_BATCH = 1 << 14  # rows

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class GoldOptions:
    """Where gold is, and in which form."""

    gold: str | None = option(
        None,
        help="table of gold with a header, Parquet, TSV or CSV; or a file such as `binary` and `graded` take",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    binary: str | None = option(
        None,
        help="gold classes as SemEval-2020 Task 1 has them: a word, a tab, 0 or 1",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    graded: str | None = option(
        None,
        help="graded gold as SemEval-2020 Task 1 has it: a word, a tab, a number",
        metavar="FILE",
        path="file",
        data="cells",
        published=False,
    )
    word_column: str | None = option(
        None, help=f"column of `gold`; the first of {', '.join(WORD_COLUMNS)} if not given"
    )
    binary_column: str | None = option(None, help=f"column of `gold`; the first of {', '.join(BINARY)} if not given")
    graded_column: str | None = option(None, help=f"column of `gold`; the first of {', '.join(GRADED)} if not given")
    changed_above: float | None = option(
        None, help="without gold classes: words with a graded change above this have changed"
    )


class Gold(NamedTuple):
    """Gold values by word of the training view: whether it changed, and how far."""

    binary: Mapping[str, bool]
    graded: Mapping[str, float]

    @property
    def words(self) -> list[str]:
        """All words that have a value, sorted."""
        return sorted({*self.binary, *self.graded})


def read_gold(options: GoldOptions, view: ViewOptions) -> Gold:
    """Read gold.

    Args:
        view: how words of the corpus became words of the training view.

    Raises:
        UsageError: no file is given, or a column does not exist.
        LexbeamError: a file does not have its form, a value is not valid, or a word occurs twice.
    """
    if options.gold and (options.binary or options.graded):
        raise UsageError("gold comes from `gold`, or from `binary` and `graded`, not from both")
    if options.gold:
        binary, graded = _table(options.gold, options)
    elif options.binary or options.graded:
        binary, graded = _pairs(options.binary, "binary"), _pairs(options.graded, "graded")
    else:
        raise UsageError("gold must be given: a table as `gold`, or `binary` or `graded`")
    classes = _values(binary, _class, view)
    numbers = _values(graded, _number, view)
    if options.changed_above is not None:
        if math.isnan(options.changed_above):
            raise UsageError("`changed_above` must be a number")
        if classes:
            raise UsageError("`changed_above` makes classes, and gold has classes already")
        classes = {word: value > options.changed_above for word, value in numbers.items()}
    if not classes and not numbers:
        path = options.gold or options.binary or options.graded
        raise LexbeamError(f"{files.shown(str(path))}: no gold value")
    return Gold(classes, numbers)


class _Cell(NamedTuple):
    """A value as a file has it: where it stands, its word, and the value."""

    where: str
    word: str
    value: object


def _pairs(path: str | None, name: str) -> Iterator[_Cell]:
    if path is None:
        return
    for number, cells in _rows(path, name):
        where = f"{files.shown(path)}, line {number}"
        if len(cells) != 2:
            raise LexbeamError(
                f"{where}: a word, a tab and a value are expected, without a header; give a table with a header as "
                "`gold`"
            )
        if not cells[0]:
            raise LexbeamError(f"{where}: {cells[0]!r} is no word")
        yield _Cell(where, *cells)


def _rows(path: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the cells of each line of a file that is not blank."""
    lines = filled_lines(path, name, "words and values")
    delimiter = delimiter_of(lines[0][1])
    return [(number, cells_of(line, delimiter)) for number, line in lines]


def _table(path: str, options: GoldOptions) -> tuple[Iterator[_Cell], Iterator[_Cell]]:
    rows = table_of(path, "gold")
    if pairs := pairs_without_header(rows):
        words, values = zip(*pairs, strict=True)
        is_binary = all(_float(value) in (0, 1) for value in values)
        rows = pa.table({WORD_COLUMNS[0]: words, (BINARY if is_binary else GRADED)[0]: values})
    if doubled := sorted(n for n, times in Counter(rows.column_names).items() if times > 1):
        raise LexbeamError(f"{files.shown(path)} has several columns {', '.join(map(repr, doubled))}: rename them")
    place = word_column(rows.column_names)
    known = () if place is None else (rows.column_names[place],)
    word = _column(rows, path, "word_column", options.word_column, known)
    if word is None:
        raise UsageError(
            f"{files.shown(path)} has no column of words: it has "
            f"{', '.join(map(repr, rows.column_names))}; name one as `word_column`"
        )
    columns = [
        _column(rows, path, "binary_column", options.binary_column, BINARY),
        _column(rows, path, "graded_column", options.graded_column, GRADED),
    ]
    if columns == [None, None]:
        raise UsageError(
            f"{files.shown(path)} has no column of gold values: it has "
            f"{', '.join(map(repr, rows.column_names))}; name one as `binary_column` or "
            "`graded_column`"
        )
    binary, graded = (_cells(rows, path, word, name) for name in columns)
    return binary, graded


def pairs_without_header(rows: pa.Table) -> list[tuple[str, str]]:
    """Return the words and values of a table that has none but them: its first line is no header; else nothing."""
    if rows.num_columns != 2 or math.isnan(_float(rows.column_names[1])):
        return []
    return [tuple(rows.column_names), *zip(*(column.to_pylist() for column in rows.columns), strict=True)]


def table_of(path: str, name: str) -> pa.Table:
    """Return the table in a file: Parquet, or text separated by tabs without quoting, by commas or by semicolons.

    Args:
        path: the file.
        name: the option that names it.

    Raises:
        LexbeamError: the file is empty or damaged, or its rows differ in length.
    """
    with files.open_read(path) as stream:
        is_parquet = stream.read(4) == b"PAR1"
    return _parquet(path, files.read_bytes(path)) if is_parquet else _text_table(path, name)


def _parquet(path: str, content: bytes) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        size = sum(file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups))
        rest = file.iter_batches(_BATCH)
        while size <= _MOST_BYTES and (batch := next(rest, None)) is not None:
            batches.append(batch)
            size += batch.nbytes
        if size > _MOST_BYTES:
            raise LexbeamError(f"{files.shown(path)} expands to over {_MOST_BYTES >> 20} MiB: no table of words does")
        return pa.Table.from_batches(batches, file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        raise LexbeamError(f"{files.shown(path)} is no Parquet file: {str(error).strip()}") from error


def _text_table(path: str, name: str) -> pa.Table:
    (_, header), *below = _rows(path, name)
    rows = [cells for _, cells in below]
    for number, cells in below:
        if len(cells) != len(header):
            raise LexbeamError(
                f"{files.shown(path)}, line {number}: {len(cells)} cells under a header of {len(header)}"
            )
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=header)


def _column(rows: pa.Table, path: str, option_name: str, name: str | None, known: Iterable[str]) -> str | None:
    if name is not None and name not in rows.column_names:
        hint = nearest(name, rows.column_names) or f"; it has {', '.join(rows.column_names)}"
        raise UsageError(f"`{option_name}`: {files.shown(path)} has no column {name!r}{hint}")
    return name or next((column for column in known if column in rows.column_names), None)


def _cells(rows: pa.Table, path: str, word: str, name: str | None) -> Iterator[_Cell]:
    if name is None:
        return
    pairs = zip(rows[word].to_pylist(), rows[name].to_pylist(), strict=True)
    for number, (text, value) in enumerate(pairs, 1):
        where = f"{files.shown(path)}, row {number}"
        if not isinstance(text, str) or not text.strip():
            raise LexbeamError(f"{where}: {text!r} is no word")
        if value is not None and str(value).strip():
            yield _Cell(where, text.strip(), value)


def _values(cells: Iterable[_Cell], read: Callable[[_Cell], T], view: ViewOptions) -> dict[str, T]:
    values: dict[str, T] = {}
    doubled: dict[str, str] = {}
    for cell in cells:
        word = target_word(cell.word, view)
        if word in values:
            doubled.setdefault(word, cell.where)
        values[word] = read(cell)
    if doubled:
        named = ", ".join(sorted(doubled)[:NAMED]) + (", ..." if len(doubled) > NAMED else "")
        raise LexbeamError(
            f"{next(iter(doubled.values()))}: {len(doubled)} words stand there more than once ({named}), "
            "after normalisation; keep one row for each"
        )
    return values


def _float(value: object) -> float:
    """Return a value as a number, nan if it is not one."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _class(cell: _Cell) -> bool:
    value = _float(cell.value)
    if value not in (0, 1):
        raise LexbeamError(f"{cell.where}: the class of {cell.word!r} is {cell.value!r}; give 0 or 1")
    return value == 1


def _number(cell: _Cell) -> float:
    value = _float(cell.value)
    if not math.isfinite(value):
        raise LexbeamError(f"{cell.where}: the change of {cell.word!r} is {cell.value!r}; give a number, such as 0.5")
    return value


SCORE = "score"
# What a system ranks words by, with what each says of classes: words that changed most have the highest value.
VALUES = (SCORE, "excess", "p_value", "q_value", "p_relative", "q_relative", "significant")
# What of table `scores` is read.
COLUMNS = (
    *("word", "slice_from", "slice_to", "alignment", "measure", "seed", "changed", "reason"),
    *("relative_from", "relative_to", *VALUES),
)
# What of table `change/systems` is read.
NAMED_COLUMNS = ("word", "slice_from", "slice_to", "system", "score", "changed", "reason")
NOT_SCORED = "not_scored"  # the reason of a word that has no row
NO_EVIDENCE = "no_evidence"  # of a word that is not tested
RANKS = "ranks"


class SystemScores(NamedTuple):
    """What a system says of words, in their order; nan and None if it says nothing of a word.

    Attributes:
        pair: the slices; empty of a file.
        way: alignment, measure and value, or the name of a file.
        seed: None for means over seeds.
        scores: the higher, the more a word has changed.
        changed: predicted classes.
        missing: words without a score, with the reason.
        frequencies: of the words in the slices, see `frequencies_in`; None where they are not known.
    """

    pair: str
    way: str
    seed: int | None
    scores: Floats
    changed: tuple[bool | None, ...]
    missing: Mapping[str, str]
    frequencies: Floats | None = None

    @property
    def name(self) -> str:
        """What the table of metrics calls it."""
        run = "mean" if self.seed is None else f"seed {self.seed}"
        return f"{self.pair}/{self.way}/{run}" if self.pair else self.way


class ScoredWords(NamedTuple):
    """A file of words and scores: what it is called, and the scores."""

    name: str
    scores: Mapping[str, float]


def systems_in(
    scores: pa.Table, predictions: Sequence[ScoredWords], words: Sequence[str], by: Sequence[str] = VALUES
) -> Iterator[SystemScores]:
    """Yield the systems of a table of scores and of files, by name; a value that no word has is no system.

    Args:
        scores: rows with `COLUMNS`.
        predictions: files.
        words: those that systems are asked about.
        by: values of `VALUES` beside the score.

    Raises:
        LexbeamError: a word has two scores.
    """
    by_system: dict[tuple[str, str, bool, int], dict[str, Row]] = {}
    for score in scores.select(COLUMNS).to_pylist():
        pair = f"{score['slice_from']}:{score['slice_to']}"
        seed = score["seed"]
        key = (pair, f"{score['alignment']}/{score['measure']}", seed is not None, seed or 0)
        by_word = by_system.setdefault(key, {})
        if score["word"] in by_word:
            raise LexbeamError(f"table scores has {score['word']!r} twice for {'/'.join(key[:2])}")
        by_word[score["word"]] = score
    for (pair, way, single, seed), by_word in sorted(by_system.items()):
        rows = [by_word.get(word, {}) for word in words]
        for value in [SCORE] if single else dict.fromkeys([SCORE, *by]):
            system = _system(words, rows, value)._replace(pair=pair, way=way, seed=seed if single else None)
            if value == SCORE:
                yield system
            elif len(system.missing) < len(words):
                yield system._replace(way=f"{way}/{value}")
    for file in predictions:
        values = [file.scores.get(word, math.nan) for word in words]
        missing = {word: NOT_SCORED for word, value in zip(words, values, strict=True) if math.isnan(value)}
        yield SystemScores("", file.name, None, np.array(values), (None,) * len(words), missing)


def frequencies_in(scores: pa.Table, words: Sequence[str]) -> dict[str, Floats]:
    """Return for each pair of slices in table `scores` how frequent words are, by how they call it.

    Returns:
        Of shape (words, 3): the natural logarithms of the relative frequencies in the earlier and the later slice, and
        the size of their difference. A word that a slice lacks is as frequent there as half the rarest word of all;
        one without a row has nan.
    """
    found: dict[str, Floats] = {}
    places = {word: place for place, word in enumerate(words)}
    names = ["word", "slice_from", "slice_to", "relative_from", "relative_to"]
    for row in scores.select(names).group_by(names, use_threads=False).aggregate([]).to_pylist():
        shares = found.setdefault(f"{row['slice_from']}:{row['slice_to']}", np.full((len(words), 2), np.nan))
        if row["word"] in places:
            shares[places[row["word"]]] = row["relative_from"], row["relative_to"]
    for pair, shares in found.items():
        least = shares[shares > 0].min(initial=1.0) / 2
        logs = np.log(np.where(shares > 0, shares, np.where(np.isnan(shares), np.nan, least)))
        found[pair] = np.column_stack([logs, np.abs(logs[:, 1] - logs[:, 0])])
    return found


def named_systems_in(rows: pa.Table, words: Sequence[str]) -> Iterator[SystemScores]:
    """Yield the systems of table `change/systems`, by pair and name; they are means over seeds."""
    by_system: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows.select(NAMED_COLUMNS).to_pylist():
        by_system.setdefault((f"{row['slice_from']}:{row['slice_to']}", row["system"]), {})[row["word"]] = row
    for (pair, name), by_word in sorted(by_system.items()):
        yield _system(words, [by_word.get(word, {}) for word in words], SCORE)._replace(pair=pair, way=name)


def _system(words: Sequence[str], rows: Sequence[Row], value: str) -> SystemScores:
    """Return what rows of a system say by a value."""
    numbers = np.array([_strength(row, value) for row in rows], np.float64)
    reasons = {}
    for word, row, number in zip(words, rows, numbers, strict=True):
        if math.isnan(number):
            reasons[word] = str(row.get("reason") or NO_EVIDENCE) if row else NOT_SCORED
    return SystemScores("", "", None, numbers, tuple(_claimed(row, value) for row in rows), reasons)


def _strength(row: Row, value: str) -> float:
    """Return how far a word has changed by a value: of p and q the smallest says most."""
    if value in (SCORE, "excess"):
        found = row.get(value)
        return math.nan if found is None else float(found)
    names = ("q_value", "q_relative") if value == "significant" else (value,)
    found = [row.get(name) for name in names]
    return math.nan if None in found else -max(map(float, found))


def _claimed(row: Row, value: str) -> bool | None:
    if value == SCORE:
        return row.get("changed")
    if value == "significant":
        return row.get(value)
    found = row.get(value)
    return None if found is None or value == "excess" else bool(found <= LEVEL)


def mean_ranks(systems: Sequence[SystemScores], ways: Sequence[str], words: Sequence[str]) -> Iterator[SystemScores]:
    """Yield for each pair of slices a system that ranks words by the mean of their ranks in several systems.

    Ranks are over the words to which all of these give a score, ties by mean rank; other words have none.

    Args:
        systems: their means over seeds; files belong to every pair.
        ways: which of them, `ALIGNMENT/MEASURE`, perhaps `/VALUE`, or the name of a file.
        words: those that systems are about.

    Raises:
        UsageError: no system is called so.
    """
    known = list(dict.fromkeys(system.way for system in systems if system.seed is None))
    for way in ways:
        if way not in known:
            hint = nearest(way, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"`mean_ranks`: there is no {way!r}{hint}")
    means = [system for system in systems if system.seed is None and system.way in ways]
    for pair in dict.fromkeys(system.pair for system in means if system.pair) or [""]:
        own = [system for system in means if system.pair in (pair, "")]
        if len({system.way for system in own}) < len(set(ways)):
            continue
        scores = np.stack([system.scores for system in own])
        shared = ~np.isnan(scores).any(axis=0)
        ranks = np.full(len(words), np.nan)
        ranks[shared] = np.mean([average_ranks(row[shared]) for row in scores], axis=0)
        missing = {word: NOT_SCORED for word, rank in zip(words, ranks.tolist(), strict=True) if math.isnan(rank)}
        yield SystemScores(pair, RANKS, None, ranks, (None,) * len(words), missing)


def read_predictions(paths: Sequence[str], view: ViewOptions) -> list[ScoredWords]:
    """Read files of words and scores, each a system that is called as its file without the suffix.

    A file is a table, Parquet or separated by tabs, commas or semicolons, with columns `word` and `score` in any
    letter case; or lines of a word, a tab and a number, without a header, as SemEval-2020 Task 1 takes them.

    Args:
        view: how words of the corpus became words of the training view.

    Raises:
        UsageError: two files have the same name, or a column does not exist.
        LexbeamError: a word occurs twice, or a score is no number.
    """
    names = [posixpath.basename(path).rpartition(".")[0] or posixpath.basename(path) for path in paths]
    if doubled := [name for name, times in Counter(names).items() if times > 1]:
        raise UsageError(
            f"`predictions`: several files are called {doubled[0]!r}: rename one, for a system has its name"
        )
    return [ScoredWords(name, _scores(path, view)) for name, path in zip(names, paths, strict=True)]


def _scores(path: str, view: ViewOptions) -> dict[str, float]:
    found: dict[str, float] = {}
    doubled: list[str] = []
    for number, (word, value) in enumerate(_predicted(path), 1):
        where = f"{files.shown(path)}, row {number}"
        if not isinstance(word, str) or not word.strip():
            raise LexbeamError(f"{where}: {word!r} is no word")
        try:
            score = math.nan if value is None or not str(value).strip() else float(value)
        except ValueError:
            score = math.inf
        if math.isinf(score):
            raise LexbeamError(f"{where}: the score of {word!r} is {value!r}; give a number, or leave it empty")
        name = target_word(word.strip(), view)
        if name in found:
            doubled.append(name)
        found[name] = score
    if doubled:
        named = ", ".join(sorted(set(doubled))[:NAMED])
        raise LexbeamError(f"{files.shown(path)}: words stand there more than once ({named}); keep one row for each")
    if all(math.isnan(score) for score in found.values()):
        raise LexbeamError(f"{files.shown(path)}: no word has a score")
    return found


def _predicted(path: str) -> Iterable[tuple[Any, Any]]:
    rows = table_of(path, "predictions")
    names = [name.strip().lower() for name in rows.column_names]
    columns = [column.to_pylist() for column in rows.columns]
    if doubled := [name for name in ("word", SCORE) if names.count(name) > 1]:
        raise LexbeamError(f"{files.shown(path)} has several columns {', '.join(map(repr, doubled))}: rename them")
    if {"word", SCORE} <= set(names):
        return zip(columns[names.index("word")], columns[names.index(SCORE)], strict=True)
    if pairs := pairs_without_header(rows):
        return pairs
    raise UsageError(
        f"`predictions`: {files.shown(path)} has no columns 'word' and 'score': it has "
        f"{', '.join(map(repr, rows.column_names))}; name two columns so, or give lines of a word, a tab and a number"
    )
