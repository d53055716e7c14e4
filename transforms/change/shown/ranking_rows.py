"""Rows of rankings: one for each word of a pair of slices, from whichever table has it.

`ranked_rows` reads table `change/summary` or, without it and for measures of counts, the
means over seeds in table `scores`. Rankings, views and warnings read rows through it alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.change.scores.measures import FREQUENCY, NO_ALIGNMENT, needs_alignment, suffix_of
from lexbeam.transforms.change.scores.ranking import Row, by_change, of_pos, spearman_with_log_count
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows, read_table
from lexbeam.transforms.embeddings.alignment import named_alignment

SUMMARY = "change/summary"
PAIRS = "change/pairs"

_OF_SCORE = (
    ("score", pa.float64()),
    ("score_sd", pa.float64()),
    ("null_mean", pa.float64()),
    ("null_sd", pa.float64()),
    ("null_high", pa.float64()),
    ("excess", pa.float64()),
    ("p_value", pa.float64()),
    ("q_value", pa.float64()),
    ("p_relative", pa.float64()),
    ("q_relative", pa.float64()),
    ("significant", pa.bool_()),
    ("changed", pa.bool_()),
    ("top50", pa.float64()),
    ("reason", pa.string()),
)
_OF_WORD = (
    ("word", pa.string()),
    ("target", pa.bool_()),
    ("slice_from", pa.string()),
    ("slice_to", pa.string()),
    ("ranked", pa.bool_()),
    ("count_from", pa.int64()),
    ("count_to", pa.int64()),
    ("relative_from", pa.float64()),
    ("relative_to", pa.float64()),
    ("documents_from", pa.int64()),
    ("documents_to", pa.int64()),
    ("upos", pa.string()),
    ("upos_share", pa.float64()),
)

Pair = tuple[str, str]


def pairs_of(snapshot: Snapshot) -> list[Pair]:
    """Return the pairs of slices that were compared, by their names, in the order of time."""
    section = snapshot.section("change")
    names = [row[0] for row in section["slices"]]
    return [(names[earlier], names[later]) for earlier, later in section["pairs"]]


def chosen_pairs(snapshot: Snapshot, spec: str | None) -> list[Pair]:
    """Return the pair that `A:B` names, all pairs if it is None.

    Raises:
        UsageError: no such pair was compared.
    """
    pairs = pairs_of(snapshot)
    if spec is None:
        return pairs
    known = {f"{earlier}:{later}": (earlier, later) for earlier, later in pairs}
    if spec not in known:
        raise UsageError(f"`pair`: {spec!r} was not compared{nearest(spec, known)}; there are {', '.join(known)}")
    return [known[spec]]


def chosen_kind(snapshot: Snapshot, alignment: str | None = None, measure: str | None = None) -> tuple[str, str]:
    """Return this alignment and measure, each the first of the run if None.

    A measure that needs no alignment, such as frequency, which every run measures, has the alignment `none`; so `none`
    without a measure means the first of these, unless the run has scores of vectors without an alignment.

    Raises:
        UsageError: the scores have no such alignment or measure.
    """
    options = snapshot.section("change")["options"]
    measures = list(dict.fromkeys([*options["measure"], FREQUENCY]))
    alignments = options["alignment"]
    if alignment == NO_ALIGNMENT and measure is None and NO_ALIGNMENT not in alignments:
        measure = next(name for name in measures if not needs_alignment(name))
    measure = _checked("measure", measure, measures)
    if not needs_alignment(measure):
        if alignment != NO_ALIGNMENT:
            _checked("alignment", alignment and named_alignment(alignment), alignments)
        return NO_ALIGNMENT, measure
    return _checked("alignment", alignment and named_alignment(alignment), alignments), measure


def _checked(name: str, wanted: str | None, known: Sequence[str]) -> str:
    if wanted is not None and wanted not in known:
        hint = nearest(wanted, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"`{name}`: the scores have no {wanted!r}{hint}")
    return wanted or known[0]


def ranked_rows(snapshot: Snapshot, pair: Pair, alignment: str, measure: str = "cosine") -> pa.Table:
    """Return all words of a pair by one alignment and measure, means over seeds, sorted by word.

    The columns are those of the word (`word` to `upos_share`), `alignment` and `measure`, and
    those of the score (`score` to `reason`), without suffix; columns that a run has not made are null.
    """
    alignment = alignment if needs_alignment(measure) else NO_ALIGNMENT
    summary = _of_pair(snapshot.read(SUMMARY), pair) if SUMMARY in snapshot.tables else None
    suffix = f"_{suffix_of(alignment, measure)}"
    if summary is not None and f"score{suffix}" in summary.schema.names:
        return _as_ranked(summary, suffix, alignment, measure)
    tables = [read_table([path]) for path in snapshot.paths("scores") if _may_hold(path, pair)]
    rows = _of_pair(pa.concat_tables(tables) if tables else snapshot.read("scores"), pair)
    rows = rows.filter(
        pc.field("seed").is_null() & (pc.field("alignment") == alignment) & (pc.field("measure") == measure)
    )
    if summary is not None:
        rows = tagged(rows, summary)
    return _as_ranked(rows, "", alignment, measure)


def shown_pos(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the parts of speech that rankings of a run show; empty, or with `ALL_TAGS`, for any."""
    return tuple(snapshot.section("change")["options"].get("rank-pos") or ())


def tagged(rows: pa.Table, summary: pa.Table) -> pa.Table:
    """Return rows of words of a pair with `upos` and `upos_share`, null for words that the summary lacks.

    Args:
        rows: with a column `word`.
        summary: rows of table `change/summary` of the pair.
    """
    place = pc.index_in(rows["word"], value_set=summary["word"].combine_chunks()).combine_chunks()
    for name in ("upos", "upos_share"):
        rows = rows.append_column(name, summary[name].combine_chunks().take(place))
    return rows


def _of_pair(rows: pa.Table, pair: Pair) -> pa.Table:
    return rows.filter((pc.field("slice_from") == pair[0]) & (pc.field("slice_to") == pair[1]))


def _may_hold(path: str, pair: Pair) -> bool:
    """Return whether a part of `scores`, which is of one pair, is of this one."""
    with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
        if not reader.metadata.num_row_groups:
            return False
        first = reader.read_row_group(0, ["slice_from", "slice_to"]).slice(0, 1).to_pylist()
    return [tuple(row.values()) for row in first] == [pair]


def _as_ranked(rows: pa.Table, suffix: str, alignment: str, measure: str) -> pa.Table:
    empty = pa.nulls(rows.num_rows)
    columns: dict[str, Any] = {}
    for name, kind in (*_OF_WORD, *((name + suffix, kind) for name, kind in _OF_SCORE)):
        value = rows[name] if name in rows.schema.names else empty
        columns[name.removesuffix(suffix)] = pc.cast(value, kind)
    columns["alignment"] = pa.array([alignment] * rows.num_rows, pa.string())
    columns["measure"] = pa.array([measure] * rows.num_rows, pa.string())
    names = [name for name, _ in _OF_WORD] + ["alignment", "measure"]
    table = pa.table({name: columns[name] for name in [*names, *(n for n, _ in _OF_SCORE)]})
    return table.sort_by("word")


def has_null(rows: pa.Table) -> bool:
    """Return whether scores were compared with nulls, so that rankings go by `excess`."""
    return bool(rows["excess"].null_count < rows.num_rows)


def ranked_words(rows: pa.Table, pos: Sequence[str] = ()) -> pa.Table:
    """Return the words of a ranking, the most changed first, with their `rank` from 1.

    By falling `excess` if there are nulls, else by `score`; ties by word. Words without an excess come
    last.

    Args:
        rows: see `ranked_rows`.
        pos: only words that mostly have one of these universal parts of speech, or no known one;
            empty, or `ALL_TAGS`, for all.
    """
    ranked = rows.filter(pc.field("ranked") & pc.field("score").is_valid())
    return _numbered(by_change(of_pos(ranked, pos)))


def _numbered(rows: pa.Table) -> pa.Table:
    ranks = pa.array(np.arange(1, rows.num_rows + 1), pa.int64())
    return rows.append_column("rank", ranks)


def target_rows(rows: pa.Table, words: pa.Table) -> pa.Table:
    """Return the rows of all targets: those that have a score first, in the order of rankings.

    Args:
        rows: see `ranked_rows`.
        words: the ranking, see `ranked_words`; targets in it have their `rank` there.
    """
    rows = rows.filter(rows["target"])
    rows = by_change(rows)
    places = pc.index_in(rows["word"], value_set=words["word"].combine_chunks())
    return rows.append_column("rank", words["rank"].combine_chunks().take(places.combine_chunks()))


def spearman(rows: pa.Table) -> tuple[float, float]:
    """Return Spearman's rho of what words are ranked by and their uses, in either slice.

    nan if undefined, see `spearman_with_log_count`.
    """
    value = rows["excess" if has_null(rows) else "score"].to_numpy().astype(np.float64)
    counts = (rows[name].to_numpy() for name in ("count_from", "count_to"))
    earlier, later = (spearman_with_log_count(value, count) for count in counts)
    return earlier, later


def pair_facts(snapshot: Snapshot, pair: Pair, alignment: str, measure: str) -> Row:
    """Return the row of table `change/pairs` about a pair; empty if there is none."""
    if PAIRS not in snapshot.tables:
        return {}
    for rows in read_rows(snapshot.paths(PAIRS)):
        for row in _of_pair(rows, pair).to_pylist():
            if row["alignment"] == alignment and row["measure"] == measure:
                return dict(row)
    return {}
