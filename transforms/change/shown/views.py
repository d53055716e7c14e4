"""Questions about published change tables: the most changed words, words, their neighbours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.scores.evidence_rows import LEVEL
from lexbeam.transforms.change.scores.ranking import ALL_TAGS, Row, of_pos
from lexbeam.transforms.change.shown.ranking_rows import (
    RankingRequest,
    chosen_kind,
    chosen_pairs,
    null_band,
    pair_ranking,
    ranked_rows,
    shown_pos,
)
from lexbeam.transforms.change.shown.rankings import NEIGHBOURS_SHOWN, tell_ranking
from lexbeam.transforms.change.shown.word import (
    NeighbourViewOptions,
    WordOptions,
    WordsOptions,
    facts_of,
    neighbours_of,
    scores_of,
    tell_words,
)
from lexbeam.transforms.change.view.slices import with_hyphens
from lexbeam.transforms.change.view.words import ViewOptions, near_matches, normalise_word
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.shown import Block, columns_with, listed, number
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.alignment import named_alignment

SERIES = "change/series"
POINTS = "change/points"

_BLOCKS = "▁▂▃▄▅▆▇█"
_NOTHING = "·"
_SHOWN = (("pair_previous", "to the previous"), ("pair_first", "to the first"), ("pair_last", "to the last"))
_LINES = (
    ("pair_previous", "to the previous"),
    ("pair_first", "to the first"),
    ("pair_last", "to the last"),
    ("common_first", "to the first, in the common space"),
)
_HEADS = (
    ("slice", "<"),
    ("uses", ">"),
    ("per million", ">"),
    ("documents", ">"),
    *(head for _, name in _SHOWN for head in ((name, ">"), ("null band", ">"))),
)


@dataclass(frozen=True, kw_only=True)
class SeriesViewOptions:
    """Options of the view `series`."""

    series: tuple[str, ...] = option(help="how the usage of these words moves over three or more slices", metavar="W")


def series_of(snapshot: Snapshot, options: SeriesViewOptions) -> pa.Table:
    """Return the rows of table `change/series` about words, in the order of the options.

    Raises:
        UsageError: the option names no word.
        LexbeamError: there is no series, or it has none of the words.
    """
    rows, words, _ = _matching_rows(snapshot, options)
    place = pc.index_in(rows["word"], value_set=pa.array(words, pa.string()))
    rows = rows.append_column("order", place)
    return rows.sort_by([("order", "ascending"), ("place", "ascending")]).drop_columns(["order"])


def _matching_rows(snapshot: Snapshot, options: SeriesViewOptions) -> tuple[pa.Table, list[str], list[str]]:
    """Return the rows of the words, the words that have any, and a line for each of the others."""
    section = snapshot.section("change")
    if SERIES not in snapshot.tables:
        raise LexbeamError(
            f"no series is published at {snapshot.out!r}: a series needs three or more slices, and "
            "the option `series` of `lexbeam change`"
        )
    view = ViewOptions(**section["view"])
    words = list(dict.fromkeys(normalise_word(word, view) for word in options.series if word))
    if not words:
        raise UsageError("`series`: it names no word")
    known = set(pc.unique(snapshot.read(SERIES, ["word"])["word"]).to_pylist())
    missing = [word for word in words if word not in known]
    near = near_matches(missing, sorted(known)) if missing else {}
    lines = []
    for word in missing:
        hint = f"; did you mean {', '.join(near[word])}?" if near[word] else ""
        lines.append(f"no series of {word!r}: a word needs `min_count` uses in every slice{hint}")
    words = [word for word in words if word in known]
    if not words:
        raise LexbeamError("; ".join(lines))
    return _rows_of(snapshot, SERIES, words), words, lines


def _rows_of(snapshot: Snapshot, table: str, words: Sequence[str]) -> pa.Table:
    wanted = pa.array(words, pa.string())
    groups = read_rows(snapshot.paths(table))
    return pa.concat_tables(rows.filter(pc.is_in(rows["word"], value_set=wanted)) for rows in groups)


def tell_series(snapshot: Snapshot, options: SeriesViewOptions) -> Iterator[Block]:
    """Yield for each word its change point, a table of its slices, and lines; raises as `series_of`."""
    rows, words, missing = _matching_rows(snapshot, options)
    yield from missing
    points = _rows_of(snapshot, POINTS, words)
    for place, word in enumerate(words):
        if place or missing:
            yield ""
        word_rows = rows.filter(pc.equal(rows["word"], word)).sort_by("place").to_pylist()
        point = points.filter(pc.equal(points["word"], word)).to_pylist()[0]
        yield from _word(word_rows, point)
    yield ""
    yield from _legend(rows, len(snapshot.section("change")["seeds"]))


def _word(rows: Sequence[Row], point: Row) -> Iterator[Block]:
    about = [text for text in ("target" if point["target"] else "", point["upos"] or "") if text]
    yield point["word"] + (f" ({', '.join(about)})" if about else "")
    yield f"  {_turn(point)}"
    yield columns_with(_HEADS, [_cells(row) for row in rows], 2)
    lines = []
    for name, head in _LINES:
        values = [row[name] for row in rows]
        known = [value for value in values if value is not None]
        lines.append([head, sparkline(values), f"0 to {number(max(known))}" if known else ""])
    yield columns_with((("", "<"), ("", "<"), ("", ">")), lines, 2)


def _turn(point: Row) -> str:
    """Return where a word's usage differs most, and how strong the evidence is."""
    if point["finding"] == "no_null":
        return "change point: none without null series (option `null`)"
    if point["point_from"] is None:
        return "change point: none"
    sides = f"between {point['point_from']} and {point['point_to']}"
    text = f"change point: {sides}; M {number(point['m'], 2)}"
    if point["finding"] is not None:
        return f"{text}; no finding possible at this size: {FINDINGS[point['finding']]}"
    if point["p_value"] is None:
        return f"{text}; not tested, for the word is not ranked in every slice"
    return f"{text}, p {number(point['p_value'])}, q usage differs {number(point['q_value'])}"


def _cells(row: Row) -> list[str]:
    cells = [row["slice"], str(row["count"]), number(1e6 * row["relative"], 1), str(row["documents"])]
    for name, _ in _SHOWN:
        null = {key: row.get(f"{name}_{key}") for key in ("null_mean", "null_high")}
        cells += [number(row[name]), null_band(null)]
    return cells


def _legend(rows: pa.Table, seeds: int) -> Iterator[str]:
    mean = f"mean over {seeds} seeds" if seeds > 1 else "one seed"
    text = f"distances: cosine, {mean}, slices aligned pair by pair (op); lines are drawn from 0"
    null = rows["pair_first_null_mean"].null_count < rows.num_rows
    if null:
        text += "; null band: what random dates give; where nothing changed 95 of 100 words lie in theirs"
    yield text
    if null:
        yield (
            "change point: the cut that chance explains least, by M standard deviations, which "
            "need not be the one with the greatest distance; look at the rows, too"
        )


def turning(snapshot: Snapshot) -> Iterator[str]:
    """Yield a line, at the end of a run with null series, on which words' usage turns, and where.

    Only words of the parts of speech that rankings show, by p; ties by `m`, then by word.
    """
    if POINTS not in snapshot.tables:
        return
    rows = of_pos(snapshot.read(POINTS), shown_pos(snapshot))
    finding = pc.first(rows["finding"]).as_py() if rows.num_rows else "no_null"
    if finding == "no_null":
        return
    if finding is not None:
        yield f"series: no finding possible at this size: {FINDINGS[finding]}"
        return
    rows = rows.filter(pc.field("q_value") <= LEVEL)
    rows = rows.sort_by([("p_value", "ascending"), ("m", "descending"), ("word", "ascending")])
    points = rows.select(["word", "point_from", "point_to"]).to_pylist()
    turns = listed(f"{point['word']} ({point['point_from']} | {point['point_to']})" for point in points)
    yield f"series: usage turns (q at most .05) for {len(points)} words{': ' if points else ''}{turns}"


def sparkline(values: Sequence[float | None]) -> str:
    """Return values as a line of blocks, from 0 to their maximum; a dot for a missing value.

    >>> sparkline([None, 0.1, 0.4, 0.8])
    '·▂▅█'
    """
    most = max((value for value in values if value is not None), default=0.0)
    steps = len(_BLOCKS)
    return "".join(
        _NOTHING if value is None else _BLOCKS[min(steps - 1, int(value / most * steps)) if most > 0 else 0]
        for value in values
    )


@dataclass(frozen=True, kw_only=True)
class RankedWordsOptions:
    """Which rankings a view is about, and which of their words."""

    alignment: str | None = option(
        None, help="by this alignment; if not given, by the first", stands_for=named_alignment
    )
    measure: str | None = option(None, help="by this measure; if not given, by the first")
    pair: str | None = option(
        None, help="only this pair of slices, by their names", metavar="EARLIER:LATER", stands_for=with_hyphens
    )
    targets: bool = option(
        False,
        help="only targets: `top` shows all of them, those without a score with the reason; "
        "`significant` those that it shows",
    )
    pos: tuple[str, ...] = option(
        (),
        help="words that mostly have one of these universal parts of speech, or `all`; if not given, `top` shows "
        "those of the run, `significant` all",
        choices=(*UPOS, ALL_TAGS),
        metavar="POS",
    )


@dataclass(frozen=True, kw_only=True)
class TopOptions:
    """Options of the view `top`."""

    top: int = option(20, help="the words of each pair of slices whose usage differs most", least=1)
    of: RankedWordsOptions = embedded(RankedWordsOptions)


@dataclass(frozen=True, kw_only=True)
class SignificantOptions:
    """Options of the view `significant`."""

    significant: bool = option(True, help="words with both q-values up to .05; no: the other words that are tested")
    of: RankedWordsOptions = embedded(RankedWordsOptions)


def top_words(snapshot: Snapshot, options: TopOptions) -> pa.Table:
    """Return the most changed words of each pair of slices, or its targets, with their ranks.

    Raises:
        UsageError: an unknown alignment, measure or pair, or no part of speech is known.
    """
    return _table(snapshot, options.of, _top(snapshot, options))


def significant_words(snapshot: Snapshot, options: SignificantOptions) -> pa.Table:
    """Return the words of each pair of slices with both q-values up to .05, of any rank; raises as `top_words`."""
    return _table(snapshot, options.of, _significant(snapshot, options))


def tell_top(snapshot: Snapshot, options: TopOptions) -> Iterator[Block]:
    """Yield targets and the most changed words; raises as `top_words`."""
    return _tell(snapshot, options.of, _top(snapshot, options))


def tell_significant(snapshot: Snapshot, options: SignificantOptions) -> Iterator[Block]:
    """Yield the words with both q-values up to .05; raises as `top_words`."""
    return _tell(snapshot, options.of, _significant(snapshot, options))


def _table(snapshot: Snapshot, options: RankedWordsOptions, request: RankingRequest) -> pa.Table:
    tables = []
    for pair in request.pairs:
        rows = ranked_rows(snapshot, pair, request.alignment, request.measure)
        _check_tags(options, rows)
        ranking = pair_ranking(rows, request)
        tables.append(ranking.targets if options.targets and request.significant is None else ranking.shown)
    return pa.concat_tables(tables).combine_chunks()


def _tell(snapshot: Snapshot, options: RankedWordsOptions, request: RankingRequest) -> Iterator[Block]:
    if options.pos:
        _check_tags(options, ranked_rows(snapshot, request.pairs[0], request.alignment, request.measure))
    if options.targets and not snapshot.section("change")["targets"]:
        yield "no targets were given"
        return
    yield from tell_ranking(snapshot, request)


def _top(snapshot: Snapshot, options: TopOptions) -> RankingRequest:
    return _request(snapshot, options.of)._replace(pos=options.of.pos or shown_pos(snapshot), most=options.top)


def _significant(snapshot: Snapshot, options: SignificantOptions) -> RankingRequest:
    return _request(snapshot, options.of)._replace(significant=options.significant)


def _request(snapshot: Snapshot, options: RankedWordsOptions) -> RankingRequest:
    return RankingRequest(
        chosen_pairs(snapshot, options.pair),
        *chosen_kind(snapshot, options.alignment, options.measure),
        options.pos,
        0,
        options.targets,
        NEIGHBOURS_SHOWN,
    )


def _check_tags(options: RankedWordsOptions, rows: pa.Table) -> None:
    tags = [name for name in options.pos if name != ALL_TAGS]
    if tags and rows.num_rows and not pc.any(pc.is_valid(rows["upos"])).as_py():
        raise UsageError(
            f"`pos` {','.join(tags)}: no part of speech is known of these words; the corpus needs "
            "an engine that tags, and its change tables are to be made anew"
        )


VIEWS: Registry[View[Any]] = Registry(
    {
        "top": View(TopOptions, top_words, tell_top, doc="the words of each pair of slices whose usage differs most"),
        "significant": View(
            SignificantOptions,
            significant_words,
            tell_significant,
            doc="all words with both q-values up to .05, of any rank and part of speech",
        ),
        "word": View(WordOptions, scores_of, tell_words, facts_of, doc="scores, neighbours and uses of words"),
        "words": View(
            WordsOptions, scores_of, tell_words, facts_of, doc="scores, neighbours and uses of the words of a file"
        ),
        "series": View(
            SeriesViewOptions,
            series_of,
            tell_series,
            doc="how the usage of words moves over three or more slices, and where it turns",
        ),
        "neighbours": View(NeighbourViewOptions, neighbours_of, doc="the neighbours of a word in every slice"),
    },
    what="view",
    group="lexbeam.change_views",
)
