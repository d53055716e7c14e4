"""Rows of rankings: one for each word of a pair of slices, from whichever table has it.

`ranked_rows` reads table `change/summary` or, without it and for measures of counts, the
means over seeds in table `scores`. Rankings, views and warnings read rows through it alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.change.scores import NO_THRESHOLD, NULL_REASONS, SYSTEM_SCORES, of_threshold
from lexbeam.transforms.change.scores.measures import FREQUENCY, NO_ALIGNMENT, needs_alignment, of_usage, suffix_of
from lexbeam.transforms.change.scores.ranking import Row, by_change, of_pos, spearman_with_log_count
from lexbeam.transforms.change.scores.thresholds import RANKED, TARGETS, THRESHOLDS
from lexbeam.transforms.change.view.words import near_matches
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import number
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
    ranked = by_change(of_pos(rows.filter(pc.field("ranked") & pc.field("score").is_valid()), pos))
    return ranked.append_column("rank", pa.array(np.arange(1, ranked.num_rows + 1), pa.int64()))


def with_rank(rows: pa.Table, words: pa.Table) -> pa.Table:
    """Return rows with the `rank` that their words have in a ranking, null for others; see `ranked_words`."""
    place = pc.index_in(rows["word"], value_set=words["word"].combine_chunks()).combine_chunks()
    return rows.append_column("rank", words["rank"].combine_chunks().take(place))


def target_rows(rows: pa.Table, words: pa.Table) -> pa.Table:
    """Return the rows of all targets: those that have a score first, in the order of rankings.

    Args:
        rows: see `ranked_rows`.
        words: the ranking, see `ranked_words`; targets in it have their `rank` there.
    """
    return with_rank(by_change(rows.filter(rows["target"])), words)


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


def flagged_words(rows: pa.Table, pos: Sequence[str] = (), *, significant: bool = True) -> pa.Table:
    """Return the words with both q-values up to .05, ranked ones and targets, in the order of rankings.

    Their `rank` is that among the ranked words of any part of speech.

    Args:
        rows: see `ranked_rows`.
        pos: see `ranked_words`; empty for words of any.
        significant: False for the other words that are tested.
    """
    flagged = of_pos(by_change(rows.filter(pc.fill_null(pc.equal(rows["significant"], significant), False))), pos)
    return with_rank(flagged, ranked_words(rows))


def left_out(rows: pa.Table, words: Iterable[str], most: int) -> Iterator[str]:
    """Yield a line on the words with both q-values up to .05 that a ranking does not show, if there are any.

    Args:
        rows: see `ranked_rows`.
        words: the words of the ranking, of which the first are shown; targets are shown anyway.
        most: how many are shown.
    """
    place = {word: number for number, word in enumerate(words)}
    flagged = flagged_words(rows)
    others = flagged.filter(pc.invert(flagged["target"]))["word"].to_pylist()
    by_pos = sum(word not in place for word in others)
    by_rank = sum(place.get(word, 0) >= most for word in others)
    reasons = [f"{number} by {what}" for number, what in ((by_pos, "part of speech"), (by_rank, "rank")) if number]
    if reasons:
        number = by_pos + by_rank
        words_are = "word is" if number == 1 else "words are"
        yield (
            f"{number} flagged {words_are} not among these: {', '.join(reasons)} "
            "(both q at most .05; option `significant` shows all)"
        )


WITH_NEIGHBOURS = 10  # targets, and words


class RankingRequest(NamedTuple):
    """Which rankings are shown.

    Attributes:
        alignment: what words are scored by.
        measure: what words are scored by.
        pos: only words that mostly have one of these parts of speech; empty for all.
        most: how many words.
        targets_alone: whether only targets are shown.
        neighbours: how many neighbours of each word; 0 for none.
        significant: whether all tested words are shown whose `significant` is this, of any rank, in place of
            targets and first words; None for these.
    """

    pairs: Sequence[Pair]
    alignment: str
    measure: str
    pos: Sequence[str]
    most: int
    targets_alone: bool = False
    neighbours: int = 0
    significant: bool | None = None


class PairRanking(NamedTuple):
    """A pair's words, those of its ranking, its targets, and the words that are shown beside these."""

    rows: pa.Table
    words: pa.Table
    targets: pa.Table
    shown: pa.Table
    measure: str

    def with_neighbours(self) -> list[str]:
        """Return the words that are shown with neighbours."""
        targets = self.targets.filter(pc.field("score").is_valid())["word"].to_pylist()
        words = self.shown["word"].to_pylist()
        return list(dict.fromkeys([*targets[:WITH_NEIGHBOURS], *words[:WITH_NEIGHBOURS]]))


def pair_ranking(rows: pa.Table, request: RankingRequest) -> PairRanking:
    """Return the ranking that is asked for, of the rows of a pair (see `ranked_rows`)."""
    words = ranked_words(rows, request.pos)
    if request.significant is not None:
        chosen = flagged_words(rows, request.pos, significant=request.significant)
        chosen = chosen.filter(chosen["target"]) if request.targets_alone else chosen
        return PairRanking(rows, words, rows[:0], chosen, request.measure)
    shown = words[: 0 if request.targets_alone else request.most]
    return PairRanking(rows, words, target_rows(rows, words), shown, request.measure)


NO_NULL = "no null: nothing says which of these scores chance gives (option `null`)"
ABSENT_FROM_BOTH = "the word occurs in neither slice"


def score_text(row: Row, name: str) -> str:
    """Return a value in the unit of scores as text; of frequency in uses per million tokens."""
    value = row.get(name)
    if row.get("measure") == FREQUENCY:
        return number(None if value is None else 1e6 * value, 1)
    return number(value)


def noise(row: Row) -> str:
    """Return the training noise of a word's score; empty for measures of counts, which are not trained."""
    return number(row["score_sd"]) if of_usage(row.get("measure") or "") else ""


def null_band(row: Row) -> str:
    """Return the upper end of what chance gives a word; for words that are not tested the mean of its null scores."""
    if row.get("null_high") is not None:
        return f"up to {score_text(row, 'null_high')}"
    return f"mean {score_text(row, 'null_mean')}" if row.get("null_mean") is not None else ""


def why_no_score(reason: str | None, later: int | None = None) -> str:
    """Return in words why a word has no score; empty without a reason.

    If several reasons hold, the first is published, that of the earlier slice.

    Args:
        reason: the published reason.
        later: the word's uses in the later slice, if known.
    """
    if reason == "absent_from" and later == 0:
        return ABSENT_FROM_BOTH
    return "" if reason is None else NULL_REASONS.get(reason, reason.replace("_", " "))


def why_unknown(snapshot: Snapshot) -> str:
    """Return why a word of the texts may be missing from all tables, with the numbers of the run."""
    section = snapshot.section("change")
    view = section["view"]
    rows = {row["slice"]: row for row in snapshot.read("slices").to_pylist()}
    slices = [rows[name] for name, *_ in section["slices"] if name in rows]
    needed = _by_slice(slices, "min_count")
    words = "lemmas" if view["unit"] == "lemma" else "forms"
    text = (
        f"the tables have {'targets, and ' if section['targets'] else ''}"
        f"{words} with at least {needed} uses in a slice "
        "(`min_count`)"
    )
    if short := sum(row["sentences_short"] for row in slices):
        text += (
            f"; words of sentences with fewer than {view['min_sentence']} tokens are not counted "
            f"(`min_sentence` leaves out {short:,} sentences)"
        )
    if sampled := sum(row["sentences_sampled_out"] for row in slices):
        text += f"; words of {sampled:,} sentences that `max_tokens` leaves out are not counted"
    return text


def _by_slice(slices: Iterable[Row], name: str) -> str:
    """Return the number of each slice, or the number that all share."""
    values = {str(row["slice"]): row[name] for row in slices}
    if len(set(values.values())) == 1:
        return str(next(iter(values.values())))
    return " or ".join(f"{number} (in {slice})" for slice, number in values.items())


def near_words(snapshot: Snapshot, words: Sequence[str]) -> Mapping[str, list[str]]:
    """Return, for words that no table has, words that may be meant."""
    if not words:
        return {}
    vocabulary: set[str] = set()
    for rows in read_rows(snapshot.paths("vectors"), ["word"]):
        vocabulary.update(pc.unique(rows["word"]).to_pylist())
    return near_matches(words, sorted(vocabulary))


NO_CLASS = "so few scores give no threshold"
UNCLASSED = "the system has no threshold"
WORDS = {TARGETS: "targets", RANKED: "ranked words"}


class AboveThreshold(NamedTuple):
    """A threshold of a ranking, and the words that it is over.

    Attributes:
        name: of the threshold.
        words: what they are, for a person.
        value: the threshold; None if there is none.
        above: how many of them have a score above it.
        of: how many have a score.
        why: why there is no threshold, for a person; empty if there is.
    """

    name: str
    words: str
    value: float | None
    above: int
    of: int
    why: str


def classes_of(snapshot: Snapshot, facts: Row, rows: pa.Table) -> Iterator[AboveThreshold]:
    """Yield the thresholds of a ranking in the order of the option; of targets none where none was named.

    Args:
        snapshot: with a section `change`.
        facts: the row of table `change/pairs`; empty if there is none.
        rows: see `ranked_rows`.
    """
    names = snapshot.section("change")["options"].get("threshold") or ()
    for name in names:
        over = THRESHOLDS[name].over if name in THRESHOLDS else TARGETS
        words = rows.filter(rows["target" if over == TARGETS else "ranked"])
        if words.num_rows and facts:
            value, reason = (facts.get(of_threshold(what, name, names)) for what in ("threshold", "threshold_reason"))
            scores = words["score"].drop_null()
            above = 0 if value is None else pc.sum(pc.greater(scores, value)).as_py() or 0
            yield AboveThreshold(
                name, WORDS[over], value, above, len(scores), NO_THRESHOLD.get(reason or "", reason or "")
            )


def told_class(found: AboveThreshold) -> str:
    """Return a line on a threshold.

    >>> told_class(AboveThreshold("mean", "targets", 0.43, 16, 40, ""))
    'threshold mean: 0.430, 16 of 40 targets above it'
    """
    if found.value is None:
        return f"threshold {found.name}: none, {found.why}"
    return f"threshold {found.name}: {number(found.value)}, {found.above} of {found.of} {found.words} above it"


def told_systems(snapshot: Snapshot) -> Iterator[str]:
    """Yield a line for each pair of slices and system that was named.

    It says how many targets the system calls changed, and why others have no class.
    """
    if SYSTEM_SCORES.name not in snapshot.tables:
        return
    columns = ["slice_from", "slice_to", "system", "target", "changed", "reason", "measure", "threshold"]
    classes: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
    lacking: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for rows in read_rows(snapshot.paths(SYSTEM_SCORES.name), columns):
        for row in rows.filter(rows["target"]).to_pylist():
            key = (row["slice_from"], row["slice_to"], row["system"])
            classes[key].update([] if row["changed"] is None else [row["changed"]])
            why = UNCLASSED if row["threshold"] is None and row["measure"] is not None else NO_CLASS
            lacking[key].update([why_no_score(row["reason"]) or why] if row["changed"] is None else [])
    for (earlier, later, system), of in sorted(classes.items()):
        reasons = sorted(lacking[earlier, later, system].items(), key=lambda found: (-found[1], found[0]))
        told = [f"{of[True]} of {of.total()} targets changed"] if of else []
        told += [f"no class: {', '.join(f'{why} ({times})' for why, times in reasons)}"] if reasons else []
        yield f"{earlier} to {later}, system {system}: {'; '.join(told)}"
