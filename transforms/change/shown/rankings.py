"""Rankings as text: at the end of a change run, and for `lexbeam show`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NULL_REASONS, SCORES
from lexbeam.transforms.change.scores.measures import FREQUENCY, needs_alignment, of_usage
from lexbeam.transforms.change.scores.null_deals import UNITS
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.shown.ranking_rows import (
    NO_NULL,
    Pair,
    PairRanking,
    RankingRequest,
    chosen_kind,
    classes_of,
    has_null,
    left_out,
    near_words,
    noise,
    null_band,
    pair_facts,
    pair_ranking,
    pairs_of,
    ranked_rows,
    ranked_words,
    score_text,
    shown_pos,
    spearman,
    told_class,
    why_no_score,
)
from lexbeam.transforms.change.shown.verdict import (
    comparability_warnings,
    frequency_warning,
    overlap_warnings,
    shift_warnings,
    size_warnings,
    verdict,
)
from lexbeam.transforms.common.publish.differences import matched_rows, rows_as_now
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, columns_with, listed, number
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.neighbours import Neighbour, mean_neighbours
from lexbeam.transforms.embeddings.published import first_variant, load_space
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, SGNS

SHOWN = 10
NEIGHBOURS_SHOWN = 5

_HEADS = (
    ("rank", ">"),
    ("word", "<"),
    ("part of speech", "<"),
    ("score", ">"),
    ("training noise", ">"),
    ("null band", ">"),
    ("q usage differs", ">"),
    ("q more than the vocabulary at large", ">"),
    ("uses", ">"),
    ("documents", ">"),
    ("no score", "<"),
)


def missing_targets(snapshot: Snapshot) -> Iterator[str]:
    """Yield a line for each target that no slice has, with words that may be meant."""
    targets = snapshot.section("change")["targets"]
    if not targets:
        return
    used_words: set[str] = set()
    columns = ["word", "target", "count_from", "count_to"]
    for rows in read_rows(snapshot.paths("scores"), columns):
        used = pc.or_(pc.greater(rows["count_from"], 0), pc.greater(rows["count_to"], 0))
        used_words.update(rows.filter(pc.and_(rows["target"], used))["word"].to_pylist())
    missing = [word for word in targets if word not in used_words]
    near = near_words(snapshot, missing)
    for word in missing:
        hint = f"; the corpus has {', '.join(near[word])}" if near[word] else ""
        yield f"target {word!r} was not found in any slice{hint}"


def ranking(snapshot: Snapshot) -> Iterator[Block]:
    """Yield targets and the most changed words of every pair, by the first alignment and measure.

    Nothing for a run that measures only frequencies: it compares no usage.
    """
    options = snapshot.section("change")["options"]
    measures = list(filter(of_usage, options["measure"]))
    if measures:
        request = RankingRequest(
            pairs_of(snapshot),
            *chosen_kind(snapshot, measure=measures[0]),
            shown_pos(snapshot),
            SHOWN,
            neighbours=NEIGHBOURS_SHOWN,
        )
        yield from tell_ranking(snapshot, request)


def tell_ranking(snapshot: Snapshot, request: RankingRequest) -> Iterator[Block]:
    """Yield rankings: targets first, those without a score with the reason, then words."""
    near: dict[tuple[str, str], list[Neighbour]] = {}
    rankings = [
        pair_ranking(ranked_rows(snapshot, pair, request.alignment, request.measure), request) for pair in request.pairs
    ]
    if request.neighbours:
        wanted: dict[str, list[str]] = {}
        for pair, ranking in zip(request.pairs, rankings, strict=True):
            for name in pair:
                wanted.setdefault(name, []).extend(ranking.with_neighbours())
        near = neighbours_by_slice(snapshot, wanted, request.neighbours)
    section = snapshot.section("change")
    seeds = len(section["seeds"])
    for pair, ranking in zip(request.pairs, rankings, strict=True):
        yield ""
        yield from _heading(snapshot, pair, request, ranking)
        yield from _words(request, ranking, seeds)
        yield from _legend(ranking, seeds)
        if request.neighbours and (words := ranking.with_neighbours()):
            yield ""
            yield f"nearest neighbours ({_of_seeds('cosine', section)}):"
            heads = [("word", "<"), (pair[0], "<"), (pair[1], "<")]
            yield columns_with(heads, [[word, *(_near(near.get((n, word))) for n in pair)] for word in words], 2)
        for warning in _warnings(snapshot, pair, request, ranking):
            yield f"warning: {warning}"
        facts = pair_facts(snapshot, pair, request.alignment, request.measure)
        for line in verdict(facts, ranking.rows):
            yield f"verdict: {line}"


def _words(request: RankingRequest, ranking: PairRanking, seeds: int) -> Iterator[Block]:
    if request.significant is not None:
        yield ""
        what = "both q-values up to .05" if request.significant else "a q-value above .05"
        if ranking.shown.num_rows:
            yield f"words with {what}, with their rank among words of any part of speech:"
            yield _grid(ranking.shown, seeds)
        else:
            yield f"no word has {what}"
        return
    if ranking.targets.num_rows:
        yield ""
        yield "targets:"
        yield _grid(ranking.targets, seeds)
    if request.targets_alone:
        return
    yield ""
    if ranking.words.num_rows:
        yield f"the first {ranking.shown.num_rows} of {ranking.words.num_rows} words:"
        yield _grid(ranking.shown, seeds)
    else:
        yield _nothing_ranked(ranking.rows, request)
    yield from left_out(ranking.rows, ranking.words["word"].to_pylist(), ranking.shown.num_rows)


# Why no word at all may have a score, and what to do.
_REMEDIES = {
    "too_few_shared": "lower `dim`, or ask for another `alignment`",
    "rank_deficient": "ask for another `alignment`",
    "too_few_neighbours": "lower `neighbourhood`",
    "too_few_pivots": "lower `pivots`",
}


def _nothing_ranked(rows: pa.Table, request: RankingRequest) -> str:
    for reason in pc.unique(rows["reason"]).to_pylist():
        if reason in _REMEDIES:
            by = request.alignment if needs_alignment(request.measure) else request.measure
            return f"no word has a score by {by} ({NULL_REASONS[reason]}): {_REMEDIES[reason]}"
    return "no word is frequent enough: lower `rank_min_count` or `rank_min_documents`"


def _heading(snapshot: Snapshot, pair: Pair, request: RankingRequest, ranking: PairRanking) -> Iterator[str]:
    section = snapshot.section("change")
    options = section["options"]
    by = _of_seeds(request.measure, section) if of_usage(request.measure) else request.measure
    if needs_alignment(request.measure):
        by = f"{request.alignment}, {by}"
    elif request.measure == FREQUENCY:
        by = "frequency, difference of uses per million tokens"
    yield f"{pair[0]} to {pair[1]} ({by})"
    ranked = ranked_words(ranking.rows).num_rows
    shown = ""
    if ranking.words.num_rows < ranked:
        shown = f"; listed: {ranking.words.num_rows} of them, {', '.join(request.pos)} alone"
    yield (
        f"ranked: {ranked} words with at least {options['rank-min-count']} uses and "
        f"{options['rank-min-documents']} documents (or a fifth of a smaller slice) in both "
        f"slices, not mostly proper nouns{_without(options)}{shown}"
    )
    what = "score less the mean of the null" if has_null(ranking.rows) else "score"
    earlier, later = ("undefined" if value != value else f"{value:.2f}" for value in spearman(ranking.words))
    yield f"by {what}; Spearman's correlation of it and log count: {earlier} earlier, {later} later"
    facts = pair_facts(snapshot, pair, request.alignment, request.measure)
    yield from _evidence(facts)
    yield from map(told_class, classes_of(snapshot, facts, ranking.rows))


def _without(options: Mapping[str, Any]) -> str:
    number = options.get("rank-stop-words")  # earlier versions had none
    return f", without the {number} most frequent words" if number else ""


def _evidence(facts: Row) -> Iterator[str]:
    """Yield what scores were compared with, and how many words differ from that."""
    if facts.get("null_runs") == 0:
        yield NO_NULL
    if not facts.get("null_runs") or "share_differs" not in facts:  # or by an older version
        return
    unit = UNITS[facts.get("null_unit") or "document"].dealt
    text = f"null: dates dealt at random to {unit}, {facts['null_runs']} times"
    for name, words in (
        ("share_differs", "usage differs"),
        ("share_significant", "more than the vocabulary at large, too"),
    ):
        if facts.get(name) is not None:
            share = f"{100 * facts[name]:.1f} % of {facts['ranked']} words of any part of speech"
            text += f"; {words} (q at most .05): {share}"
    yield text


def _of_seeds(what: str, section: Mapping[str, Any]) -> str:
    seeds, name = len(section["seeds"]), section["options"].get("representation", SGNS)
    of = what if name == SGNS else f"{what} of {name}"
    if name in REPRESENTATIONS and not REPRESENTATIONS[name].chance:
        return f"{of}, which has no seeds"
    return f"mean {of} over {seeds} seeds" if seeds > 1 else f"{of}, one seed"


def _grid(rows: pa.Table, seeds: int) -> Block:
    cells = []
    for row in rows.to_pylist():
        share = "" if row["upos_share"] is None else f" {100 * row['upos_share']:.0f} %"
        cells.append(
            [
                "" if row["rank"] is None else str(row["rank"]),
                row["word"],
                f"{row['upos']}{share}" if row["upos"] else "",
                score_text(row, "score"),
                noise(row),
                null_band(row),
                number(row["q_value"]),
                number(row["q_relative"]),
                f"{row['count_from']} / {row['count_to']}",
                f"{row['documents_from']} / {row['documents_to']}",
                why_no_score(row["reason"], row["count_to"]),
            ]
        )
    return columns_with(_HEADS, cells, 2)


def _legend(ranking: PairRanking, seeds: int) -> Iterator[str]:
    parts = ["uses and documents: earlier / later"]
    if seeds > 1 and of_usage(ranking.measure):
        parts.insert(0, "training noise: standard deviation over seeds")
    if has_null(ranking.rows):
        parts.append("null band: what random dates give; where nothing changed 95 of 100 words lie in theirs")
    if ranking.rows["q_value"].null_count < ranking.rows.num_rows:
        parts.append("q: share of false discoveries among words with a q as small")
    yield "; ".join(parts)


def _near(neighbours: Sequence[Neighbour] | None) -> str:
    return "-" if not neighbours else listed([neighbour.word for neighbour in neighbours], most=len(neighbours))


def neighbours_by_slice(
    snapshot: Snapshot, words: dict[str, list[str]], most: int
) -> dict[tuple[str, str], list[Neighbour]]:
    """Return the nearest neighbours of words, by slice and word, over all seeds.

    Args:
        snapshot: with a section `change`.
        words: the words, by slice.
        most: neighbours of each.
    """
    section = snapshot.section("change")
    paths, variant = snapshot.paths("vectors"), first_variant(snapshot)
    least = section["options"]["neighbour-min-count"]
    nearest = {}
    for name, slice_words in words.items():
        if slice_words:
            spaces = (load_space(paths, name, seed, variant=variant) for seed in section["seeds"])
            near = mean_neighbours(spaces, slice_words, k=most, min_count=least)
            nearest.update({(name, word): neighbours for word, neighbours in near.items()})
    return nearest


def _warnings(snapshot: Snapshot, pair: Pair, request: RankingRequest, ranking: PairRanking) -> list[str]:
    name = f"{pair[0]} to {pair[1]}"
    what = "score less the mean of the null" if has_null(ranking.rows) else "score"
    facts = pair_facts(snapshot, pair, request.alignment, request.measure)
    tops = {}
    alignments = snapshot.section("change")["alignments"] if needs_alignment(request.measure) else []
    for alignment in alignments:
        rows = ranking.rows
        if alignment != request.alignment:
            rows = ranked_rows(snapshot, pair, alignment, request.measure)
        tops[alignment] = ranked_words(rows, request.pos)["word"].to_pylist()
    return [
        *frequency_warning(name, what, *spearman(ranking.words)),
        *overlap_warnings(name, tops),
        *shift_warnings(name, facts),
        *comparability_warnings(name, facts),
        *size_warnings(name, facts),
    ]


_KEY = ("slice_from", "slice_to", "alignment", "measure", "word")
_VALUES = ("score", "score_sd", "null_mean", "null_sd")


def moved_scores(before: Snapshot, after: Snapshot, top: int) -> pa.Table:
    """Return the `top` words whose score moved most.

    Scores are means over the seeds, of words that rankings take and of targets, that both snapshots score by the same
    measure between slices of the same names.

    Returns:
        Columns of the key (slices, alignment, measure, word), `moved` (the later score less the earlier), and of each
        snapshot `score`, `score_sd` (the noise of training: the standard deviation over seeds, null of one seed),
        `null_mean` and `null_sd` (what chance gives, null without null pairs), by the names `score_before`,
        `score_after` and so on. By the size of `moved`, the largest first, then by key.

    Raises:
        LexbeamError: the scores of one of them were written by a version that told them otherwise.
    """
    old, new = _scores(before), _scores(after)
    in_old, in_new = matched_rows(old, new, _KEY)
    old, new = old.take(in_old), new.take(in_new)
    moved = pc.subtract(new["score"], old["score"])
    columns = {name: new[name] for name in _KEY} | {"moved": moved, "size": pc.negate(pc.abs(moved))}
    for name in _VALUES:
        columns |= {f"{name}_before": old[name], f"{name}_after": new[name]}
    rows = pa.table(columns).filter(pc.not_equal(moved, 0))
    return rows.sort_by([(name, "ascending") for name in ("size", *_KEY)]).slice(0, top).drop_columns("size")


def _scores(snapshot: Snapshot) -> pa.Table:
    known = SCORES.schema()
    schema = pa.schema([known.field(name) for name in (*_KEY, "seed", "ranked", "target", *_VALUES)])
    kept = []
    for rows in rows_as_now(snapshot.parts(SCORES.name), schema, (*_KEY, "score")):
        is_shown = pc.or_(rows["ranked"].fill_null(False), rows["target"].fill_null(False))
        kept.append(rows.filter(pc.and_(pc.and_(rows["seed"].is_null(), rows["score"].is_valid()), is_shown)))
    return pa.concat_tables(kept)
