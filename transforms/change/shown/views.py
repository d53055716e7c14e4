"""Questions about published change tables: the most changed words, words, their neighbours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.scores.ranking import ALL_TAGS
from lexbeam.transforms.change.shown.ranking_requests import RankingRequest, pair_ranking
from lexbeam.transforms.change.shown.ranking_rows import chosen_kind, chosen_pairs, ranked_rows, shown_pos
from lexbeam.transforms.change.shown.rankings import NEIGHBOURS_SHOWN, tell_ranking
from lexbeam.transforms.change.shown.series_view import SeriesViewOptions, series_of, tell_series
from lexbeam.transforms.change.shown.word import (
    NeighbourViewOptions,
    WordOptions,
    WordsOptions,
    neighbours_of,
    scores_of,
)
from lexbeam.transforms.change.shown.word_facts import facts_of
from lexbeam.transforms.change.shown.word_text import tell_words
from lexbeam.transforms.change.view.slices import with_hyphens
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.embeddings.alignment import named_alignment


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
    return _request(snapshot, options.of)._replace(pos=_pos(snapshot, options.of), most=options.top)


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


def _pos(snapshot: Snapshot, options: RankedWordsOptions) -> Sequence[str]:
    return options.pos or shown_pos(snapshot)


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
