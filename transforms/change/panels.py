"""What a report shows of change: slices, warnings, words and scores of each pair, neighbours."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import column
from schemas.neighbours import NEIGHBOURS
from schemas.slices import SLICES
from transforms.change.ranking import spearman_with_log_count
from transforms.change.warnings import slice_warnings
from transforms.common.snapshots import Snapshot
from transforms.common.tables import read_rows
from transforms.report.charts import points
from transforms.report.panels import Chart, Choice, Note, Panel, Rows

__all__ = ["panels"]

PAIRS = 12  # pairs that have panels
WORDS = 2_000  # words shown of a pair, beside the targets, and at least a tenth of it
OF_ALL_PAIRS = 4_000
NEIGHBOUR_ROWS = 60_000

_SLICE_COLUMNS = (
    "slice", "from", "to", "documents", "sentences", "tokens_before", "tokens", "types",
    "vocabulary", "min_count", "sentences_short", "largest_document_share",
)  # fmt: skip
_SCORE_COLUMNS = (
    "word", "target", "slice_from", "slice_to", "seed", "alignment", "measure", "score", "score_sd",
    "reason", "changed", "ranked", "count_from", "count_to", "documents_from", "documents_to",
)  # fmt: skip
_COUNTS = (
    "score_sd", "count_from", "count_to", "documents_from", "documents_to", "changed", "ranked",
    "target", "reason",
)  # fmt: skip
_KINDS = ("ranked", "not ranked")


class _Pair(NamedTuple):
    """A pair of slices: a row per word, by falling main score, and which scores it has.

    Attributes:
        earlier, later: names of the slices.
        rows: the columns of the panel of words.
        scores: names of the columns of scores; the first one orders the words.
        words: how many words have the main score or are targets.
        ranked: how many of them rankings take.
        rho: Spearman's rho of the main score of ranked words and their uses, in either slice.
    """

    earlier: str
    later: str
    rows: pa.Table
    scores: tuple[str, ...]
    words: int
    ranked: int
    rho: tuple[float, float]


def panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of section `change`.

    Raises:
        LexbeamError: no change is published there, or the extra `report` is not installed.
    """
    section = snapshot.section("change")
    paths = snapshot.paths("scores")  # a part is a pair of slices
    most = min(WORDS, max(WORDS // 10, OF_ALL_PAIRS // max(len(paths), 1)))
    pairs = [pair for path in paths[:PAIRS] if (pair := _pair(path, section, most)) is not None]
    found: list[Panel] = [_slices(snapshot)]
    found.append(_warnings(snapshot, section, pairs, len(paths)))
    for pair in pairs:
        found += [_words(pair, section, most), _scatter(pair)]
    return found + _neighbours(snapshot, section, pairs)


def _slices(snapshot: Snapshot) -> Rows:
    table = snapshot.read("slices", list(_SLICE_COLUMNS))
    described = SLICES.schema()
    doc = "share of its tokens that the longest document has"
    share = column("largest document", pa.float64(), doc, unit="%")
    columns = [_named(described.field(name)) for name in _SLICE_COLUMNS[:-1]] + [share]
    values = [table[name] for name in _SLICE_COLUMNS[:-1]]
    values.append(pc.multiply(table["largest_document_share"], 100.0))
    text = "One row is a slice of the training view, in the order of time."
    return Rows("Slices", text, pa.table(values, schema=pa.schema(columns)))


def _named(field: pa.Field) -> pa.Field:
    """Return a published column's field as a reader sees it."""
    return field.with_name(field.name.replace("_", " "))


def _warnings(
    snapshot: Snapshot, section: dict[str, Any], pairs: Sequence[_Pair], published: int
) -> Note:
    rows = snapshot.read("slices").to_pylist()
    found = slice_warnings(rows, section["documents_outside_slices"]) if rows else []
    used: set[str] = set()
    for pair in pairs:
        counts = pc.add(pair.rows["uses earlier"], pair.rows["uses later"])
        used.update(pair.rows.filter(pc.greater(counts, 0))["word"].to_pylist())
    if published <= PAIRS:
        found += [f"target {w} was found in no slice" for w in section["targets"] if w not in used]
    else:
        found.append(f"{published} pairs of slices are published; the first {PAIRS} are shown here")
    if not found:
        return Note("Warnings", "Nothing speaks against the slices.")
    return Note("Warnings", "Keep in mind when you read the scores:", tuple(found), warning=True)


def _pair(path: str, section: dict[str, Any], most: int) -> _Pair | None:
    """Read the means over seeds of a pair and keep the words that are shown; None without any."""
    kept = []
    for rows in read_rows([path], _SCORE_COLUMNS):
        scored = pc.or_(pc.is_valid(rows["score"]), rows["target"])
        kept.append(rows.filter(pc.and_(pc.is_null(rows["seed"]), scored)))
    rows = pa.concat_tables(kept) if kept else None
    if rows is None or not rows.num_rows:
        return None
    kinds = _kinds(rows, section["options"])
    main = rows.filter(_is_kind(rows, kinds[0]))
    main = main.take(_order(main))
    ranked = main.filter(pc.and_(main["ranked"], pc.is_valid(main["score"])))
    scores = ranked["score"].to_numpy(zero_copy_only=False)
    shown = main.filter(pc.or_(pa.array(np.arange(main.num_rows) < most), main["target"]))
    names = [_name(kind) for kind in kinds]
    columns = [
        column("word", pa.string(), "word of the training view"),
        *(column(n, pa.float64(), _about(k)) for n, k in zip(names, kinds, strict=True)),
        column("sd", pa.float64(), f"standard deviation of {names[0]} over seeds"),
        column("uses earlier", pa.int64(), "uses in the earlier slice"),
        column("uses later", pa.int64(), "uses in the later slice"),
        column("documents earlier", pa.int64(), "documents that use it, earlier"),
        column("documents later", pa.int64(), "documents that use it, later"),
        column("changed", pa.bool_(), f"whether {names[0]} is above the threshold"),
        column("ranked", pa.bool_(), "whether rankings take the word"),
        column("target", pa.bool_(), "whether it stands in the targets file"),
        column("no score", pa.string(), "why there is none"),
    ]
    values = [
        shown["word"],
        *(_scores_of(rows, kind, shown["word"]) for kind in kinds),
        *(shown[name] for name in _COUNTS),
    ]
    return _Pair(
        earlier=main["slice_from"][0].as_py(),
        later=main["slice_to"][0].as_py(),
        rows=pa.table(values, schema=pa.schema(columns)),
        scores=tuple(names),
        words=main.num_rows,
        ranked=ranked.num_rows,
        rho=(
            spearman_with_log_count(scores, ranked["count_from"].to_numpy()),
            spearman_with_log_count(scores, ranked["count_to"].to_numpy()),
        ),
    )


def _kinds(rows: pa.Table, options: dict[str, Any]) -> list[tuple[str, str]]:
    """Return alignments and measures that have scores, those that were asked for first in front."""
    pairs = rows.group_by(["alignment", "measure"], use_threads=False).aggregate([]).to_pylist()
    found = sorted((pair["alignment"], pair["measure"]) for pair in pairs)

    def turn(kind: tuple[str, str]) -> tuple[bool, int, int]:
        alignments, measures = options["alignment"], options["measure"]
        places = [
            names.index(name) if name in names else len(names)
            for name, names in zip(kind, (alignments, measures), strict=True)
        ]
        return kind[1] == "frequency", places[0], places[1]

    return sorted(found, key=turn)


def _is_kind(rows: pa.Table, kind: tuple[str, str]) -> pa.ChunkedArray:
    return pc.and_(pc.equal(rows["alignment"], kind[0]), pc.equal(rows["measure"], kind[1]))


def _name(kind: tuple[str, str]) -> str:
    return kind[1] if kind[0] == "none" else " ".join(kind)


def _about(kind: tuple[str, str]) -> str:
    alignment, measure = kind
    if measure == "frequency":
        return "difference of relative frequency, 0 to 1"
    return f"{measure} distance after alignment {alignment}, 0 to 2, mean over seeds"


def _order(rows: pa.Table) -> pa.Array:
    """Return the order that is shown: ranked words by score, then others by their lesser uses."""
    least = pc.min_element_wise(rows["count_from"], rows["count_to"])
    score = pc.fill_null(rows["score"], -1.0)
    key = pc.if_else(rows["ranked"], score, pc.cast(least, pa.float64()))
    table = pa.table(
        {"ranked": pc.cast(rows["ranked"], pa.int8()), "key": key, "word": rows["word"]}
    )
    return pc.sort_indices(
        table, [("ranked", "descending"), ("key", "descending"), ("word", "ascending")]
    )


def _scores_of(rows: pa.Table, kind: tuple[str, str], words: pa.ChunkedArray) -> pa.ChunkedArray:
    same = rows.filter(_is_kind(rows, kind))
    place = pc.index_in(words, value_set=same["word"].combine_chunks())
    return same["score"].take(place)


def _words(pair: _Pair, section: dict[str, Any], most: int) -> Rows:
    options, left = section["options"], pair.words - pair.rows.num_rows
    text = (
        f"A row is a word; {pair.scores[0]} is the mean over seeds. First come the {pair.ranked:,} "
        f"ranked words (at least {options['rank-min-count']} uses and "
        f"{options['rank-min-documents']} documents, or a fifth of a smaller slice, in both "
        "slices, not mostly proper nouns), the most changed first, then others by their uses in "
        "the slice that has fewer."
    )
    if left:
        text += (
            f" {left:,} of {pair.words:,} scored words are left out: all but the first {most:,} "
            "and the targets."
        )
    rows = pair.rows
    known = [name for name in rows.column_names if rows[name].null_count < rows.num_rows]
    if not section["targets"]:
        known.remove("target")
    return Rows(f"Words, {pair.earlier} to {pair.later}", text, rows.select(known))


def _scatter(pair: _Pair) -> Chart:
    rows = pair.rows.filter(
        pc.and_(
            pc.is_valid(pair.rows[pair.scores[0]]),
            pc.greater(pc.add(pair.rows["uses earlier"], pair.rows["uses later"]), 0),
        )
    )
    kinds = pc.if_else(rows["ranked"], *_KINDS)
    table = pa.table(
        [
            rows["word"], pc.add(rows["uses earlier"], rows["uses later"]), rows[pair.scores[0]],
            kinds,
        ],
        schema=pa.schema([
            column("word", pa.string(), "word of the training view"),
            column("uses", pa.int64(), "uses in both slices together"),
            column("score", pa.float64(), f"{pair.scores[0]}, mean over seeds"),
            column("kind", pa.string(), "whether rankings take the word"),
        ]),
    )  # fmt: skip
    earlier, later = (_rho(value) for value in pair.rho)
    return Chart(
        f"Score against count, {pair.earlier} to {pair.later}",
        f"The words above: {pair.scores[0]} against uses in both slices together, on a log scale. "
        f"Spearman of score and log count of the {pair.ranked:,} ranked words: {earlier} in the "
        f"earlier slice, {later} in the later one. Far from 0, the scores tell of frequency as "
        "well as of meaning.",
        points("uses", "score", name="word", colour="kind", values=_KINDS),
        table,
    )


def _rho(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.2f}"


def _neighbours(snapshot: Snapshot, section: dict[str, Any], pairs: Sequence[_Pair]) -> list[Panel]:
    seed = section["seeds"][0]
    paths = snapshot.paths("neighbours")
    have: set[str] = set()
    for rows in read_rows(paths, ["word"]):
        have.update(pc.unique(rows["word"]).to_pylist())
    ordered = dict.fromkeys(word for pair in pairs for word in pair.rows["word"].to_pylist())
    words = [word for word in ordered if word in have] or sorted(have)
    if not words:
        return []
    per_word = len(section["slices"]) * section["options"]["neighbours"]
    chosen = pa.array(words[: max(1, NEIGHBOUR_ROWS // max(per_word, 1))])
    kept = []
    for rows in read_rows(paths):
        near = rows.filter(
            pc.and_(pc.equal(rows["seed"], seed), pc.is_in(rows["word"], value_set=chosen))
        )
        kept.append(near.select(["word", "slice", "rank", "neighbour", "cosine"]))
    table = pa.concat_tables(kept)
    # By word in the order of the panels above; the rows are by slice and rank already.
    place = pc.index_in(table["word"], value_set=chosen)
    order = np.argsort(place.to_numpy(), kind="stable")
    schema = NEIGHBOURS.schema()
    table = table.take(pa.array(order)).cast(
        pa.schema([schema.field(name) for name in table.column_names])
    )
    text = (
        f"The nearest words of a chosen word in each slice, by cosine in the space of seed {seed}. "
        f"Choose one of {len(chosen):,}: targets and the most changed words of each pair."
    )
    if len(chosen) < len(have):
        text += f" Table neighbours has {len(have) - len(chosen):,} more."
    return [Choice("Neighbours in each slice", text, table, key="word", across="slice")]
