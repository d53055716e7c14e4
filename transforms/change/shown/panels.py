"""What a report shows of change: slices, warnings, evidence, systems, words, pictures of words, series."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import FINDINGS, NO_RHO, NO_THRESHOLD, SYSTEM_CONTROLS, SYSTEM_SCORES
from lexbeam.schemas.change.spaces import SLICES
from lexbeam.schemas.columns import column
from lexbeam.transforms.change.scores.null_deals import UNITS
from lexbeam.transforms.change.scores.ranking import Row, of_pos
from lexbeam.transforms.change.scores.system_ensembles import OVER
from lexbeam.transforms.change.shown.examples import TYPICAL, Drawing, corpora_of, uses_of
from lexbeam.transforms.change.shown.pictures import picture_panels, series_panels
from lexbeam.transforms.change.shown.ranking_rows import (
    SUMMARY,
    UNCLASSED,
    Pair,
    classes_of,
    pair_facts,
    pairs_of,
    ranked_rows,
    shown_pos,
    tagged,
)
from lexbeam.transforms.change.shown.rankings import missing_targets
from lexbeam.transforms.change.shown.verdict import (
    comparability_warnings,
    frequency_warning,
    overlap_warnings,
    shift_warnings,
    size_warnings,
    slice_warnings,
    verdict,
)
from lexbeam.transforms.change.shown.word import where
from lexbeam.transforms.change.shown.word_panels import PAIRS, Compared, compared, flagged_of, pictured, word_panels
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.evaluation.metrics import spearman
from lexbeam.transforms.report.panels import Note, Panel, Rows, UsesPanel

WORDS = 10  # first ones of a system
KINDS = {"ranked": "ranked words", "targets": "targets"}

_RHOS = {
    "spearman_from": ("rho earlier", "Spearman's rho of score and uses in the earlier slice"),
    "spearman_to": ("rho later", "the same of uses in the later slice"),
    "spearman_growth": ("rho growth", "Spearman's rho of score and how many times as frequent a word has become"),
    "spearman_change": ("rho change", "the same, be it growth or decline"),
}
_COMPARED = [
    column("compared", pa.string(), "slices"),
    column("of", pa.string(), "which words the row is about"),
    column("system", pa.string(), "name of the system, or of what systems make together"),
]
_SCHEMA = pa.schema(
    [
        *_COMPARED,
        column("first words", pa.string(), "those with the highest scores"),
        column("scored", pa.int64(), "words with a score"),
        column("classed", pa.int64(), "words with a class"),
        column("changed", pa.int64(), "words that it calls changed"),
        column("share", pa.float64(), "changed words of those with a class", unit="%"),
        column("share by chance", pa.float64(), "the same under dealt dates", unit="%"),
        column("no class since", pa.string(), "why no word has one"),
        *(column(name, pa.float64(), doc) for name, doc in _RHOS.values()),
        column("no rho since", pa.string(), "why one is missing"),
    ]
)
_AGREEMENT = pa.schema(
    [
        *_COMPARED,
        column("other", pa.string(), "the system that it is compared with"),
        column("both score", pa.int64(), "words that both score"),
        column("rho", pa.float64(), "Spearman's rho of both scores; none where they do not vary"),
    ]
)

Scores = Mapping[str, Mapping[str, float]]  # by system, then by word


def system_panels(snapshot: Snapshot) -> list[Panel]:
    """Return a panel of the systems that were run by name, and one of their agreement if several score words.

    Words are ranked ones of the parts of speech that rankings show, whether or not the run's own measures score them,
    and targets.
    """
    if SYSTEM_CONTROLS.name not in snapshot.tables:
        return []
    controls = snapshot.read(SYSTEM_CONTROLS.name).to_pylist()
    by_system: list[tuple[object, ...]] = []
    by_two: list[tuple[object, ...]] = []
    for pair in pairs_of(snapshot)[:PAIRS]:
        for over, scores in _scores(snapshot, pair):
            head = (f"{pair[0]} to {pair[1]}", KINDS[over])
            of_pair = [row for row in controls if (row["slice_from"], row["slice_to"], row["over"]) == (*pair, over)]
            by_system += [(*head, *_row(row, scores)) for row in of_pair if row["words"]]
            by_two += [(*head, *compared) for compared in _agreement(scores)]
    found: list[Panel] = [Rows("Systems", _TEXT, _table(by_system, _SCHEMA))] if by_system else []
    return [*found, Rows("Agreement of systems", _OF_TWO, _table(by_two, _AGREEMENT))] if by_two else found


_TEXT = (
    "A row is a system by name, over the ranked words of two slices or the targets; first words are of the parts of "
    "speech that rankings show. Classes that are as many by chance, where null pairs deal dates out anew, say "
    "nothing of the slices, and scores that follow frequency may say no more than that does."
)
_OF_TWO = "A row is two systems, over the ranked words of two slices that rankings show, or the targets."


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    return pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)


def _scores(snapshot: Snapshot, pair: Pair) -> Iterator[tuple[str, Scores]]:
    """Yield the scores of a pair over ranked words that are shown, and over targets."""
    columns = ["system", "score", *OVER.values()]
    rows = _of_pair(snapshot, SYSTEM_SCORES.name, pair, columns).filter(pc.field("score").is_valid())
    if SUMMARY in snapshot.tables:
        rows = tagged(rows, _of_pair(snapshot, SUMMARY, pair, ["upos", "upos_share"]))
    for over, flag in OVER.items():
        words = rows.filter(pc.field(flag))
        scores: dict[str, dict[str, float]] = {}
        for row in (of_pos(words, shown_pos(snapshot)) if over == "ranked" else words).to_pylist():
            scores.setdefault(row["system"], {})[row["word"]] = row["score"]
        yield over, scores


def _of_pair(snapshot: Snapshot, table: str, pair: Pair, columns: Sequence[str]) -> pa.Table:
    """Return the words of a pair with some columns; tables have a part for each pair."""
    same = (pc.field("slice_from") == pair[0]) & (pc.field("slice_to") == pair[1])
    names = ["slice_from", "slice_to", "word", *columns]
    return pa.concat_tables(read_table([path], names).filter(same) for path in snapshot.paths(table))


def _row(row: Row, scores: Scores) -> tuple[object, ...]:
    of_system = scores.get(row["system"], {})
    first = sorted(of_system, key=lambda word: (-of_system[word], word))[:WORDS]
    shares = (row["share_changed"], row["null_changed"])
    return (
        row["system"],
        ", ".join(first) or None,
        *(row[name] for name in ("scored", "classed", "changed")),
        *(None if share is None else 100.0 * share for share in shares),
        _why_no_class(row),
        *(row[name] for name in _RHOS),
        NO_RHO.get(row["spearman_reason"]),
    )


def _why_no_class(row: Row) -> str | None:
    """Return why no word has a class, for a person; None if some have, or each has none for want of a score."""
    if row["classed"]:  # where seeds vote, some may have a threshold
        return None
    if row["threshold"] is None and row["measure"] is not None:
        return UNCLASSED
    return None if row["threshold_reason"] == "votes" else NO_THRESHOLD.get(row["threshold_reason"])


def _agreement(scores: Scores) -> Iterator[tuple[object, ...]]:
    for one, other in combinations(sorted(scores), 2):
        both = sorted(scores[one].keys() & scores[other].keys())
        first, second = (np.array([scores[name][word] for word in both]) for name in (one, other))
        rho = spearman(first, second) if both else None
        yield one, other, len(both), rho if isinstance(rho, float) else None


_SLICE_COLUMNS = (
    "slice",
    "from",
    "to",
    "documents",
    "sentences",
    "tokens_before",
    "tokens",
    "types",
    "vocabulary",
    "min_count",
    "sentences_short",
    "tokens_short",
    "largest_document_share",
)


def panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of section `change` but those that quote the corpus.

    Raises:
        LexbeamError: no change is published there, or the extra `report` is not installed.
    """
    rankings = compared(snapshot)
    return [
        *_verdict(snapshot, rankings),
        _slices(snapshot),
        _warnings(snapshot, rankings),
        *_evidence(snapshot, rankings),
        *_classes(snapshot, rankings),
        *system_panels(snapshot),
        *word_panels(snapshot, rankings),
        *series_panels(snapshot, pictured(rankings), flagged_of(rankings)),
        *picture_panels(snapshot, rankings),
    ]


def _verdict(snapshot: Snapshot, rankings: Sequence[Compared]) -> list[Panel]:
    """Return a note on what each pair has shown and could have shown, by its first ranking; none without nulls."""
    firsts: dict[Pair, Compared] = {}
    for ranking in rankings:
        firsts.setdefault(ranking.pair, ranking)
    items = []
    for pair, first in firsts.items():
        of_pair = ranked_rows(snapshot, pair, first.alignment, first.measure)
        name = f"{pair[0]} to {pair[1]}: " if len(firsts) > 1 else ""
        items += [f"{name}{line}." for line in verdict(_facts(snapshot, first), of_pair)]
    return [Note("Verdict", _VERDICT, tuple(items))] if items else []


_VERDICT = "What was found, what texts of this size could have shown, and what more text would show:"


def _slices(snapshot: Snapshot) -> Rows:
    table = snapshot.read("slices")
    described = SLICES.schema()
    names = [name for name in _SLICE_COLUMNS[:-1] if name in table.schema.names]  # an older version has fewer
    doc = "share of its tokens that the longest document has"
    share = column("largest document", pa.float64(), doc, unit="%")
    columns = [_named(described.field(name)) for name in names] + [share]
    values = [table[name] for name in names]
    values.append(pc.multiply(table["largest_document_share"], 100.0))
    text = "One row is a slice of the training view, in the order of time."
    return Rows("Slices", text, pa.table(values, schema=pa.schema(columns)))


def _named(field: pa.Field) -> pa.Field:
    """Return a published column's field as a reader sees it."""
    return field.with_name(field.name.replace("_", " "))


def _warnings(snapshot: Snapshot, rankings: Sequence[Compared]) -> Note:
    rows = snapshot.read("slices").to_pylist()
    outside = snapshot.section("change")["documents_outside_slices"]
    warnings = slice_warnings(rows, outside) if rows else []
    warnings += missing_targets(snapshot)
    pairs = pairs_of(snapshot)
    if len(pairs) > PAIRS:
        warnings.append(f"{len(pairs)} pairs of slices were compared; the first {PAIRS} are shown")
    for ranking in rankings:
        what = "score less the mean of the null" if ranking.by_null else "score"
        warnings += frequency_warning(ranking.name, what, *ranking.rho)
        facts = _facts(snapshot, ranking)
        warnings += shift_warnings(ranking.name, facts)
        warnings += comparability_warnings(f"{ranking.pair[0]} to {ranking.pair[1]}", facts)
        warnings += size_warnings(ranking.name, facts)
    tops: dict[tuple[tuple[str, str], str], dict[str, list[str]]] = {}
    for ranking in rankings:
        tops.setdefault((ranking.pair, ranking.measure), {})[ranking.alignment] = ranking.ranking
    for (pair, _), by_alignment in tops.items():
        warnings += overlap_warnings(f"{pair[0]} to {pair[1]}", by_alignment)
    if not warnings:
        return Note("Warnings", f"There are none. {_CHECKED if _has_nulls(snapshot, rankings) else _UNCHECKED}")
    text = "Keep in mind when you read the scores:"
    return Note("Warnings", text, tuple(dict.fromkeys(warnings)), warning=True)


_CHECKED = (
    "Compared were the slices' sizes, how far the vocabulary at large has moved, and the genres, sources, authors and "
    "lengths of their documents, as far as these are known."
)
_UNCHECKED = (
    "Compared were the slices' sizes, and the genres, sources, authors and lengths of their documents, as far as these "
    "are known; without null pairs (option `null`) nothing tells how far the vocabulary at large has moved."
)


def _has_nulls(snapshot: Snapshot, rankings: Sequence[Compared]) -> bool:
    return any(_facts(snapshot, ranking).get("null_runs") for ranking in rankings)


def _facts(snapshot: Snapshot, ranking: Compared) -> Row:
    return pair_facts(snapshot, ranking.pair, ranking.alignment, ranking.measure)


_LOW_POWER = "possible, but power is low: most changes go unnoticed"
_POSSIBLE = "possible for words with enough uses: see the verdict"


_EVIDENCE_SCHEMA = pa.schema(
    [
        column("compared", pa.string(), "slices and alignment"),
        column("dealt", pa.string(), "what a null pair deals out anew between the two slices"),
        column("null pairs", pa.int32(), "how many were made"),
        column("earlier", pa.int64(), "such units in the earlier slice"),
        column("later", pa.int64(), "such units in the later slice"),
        column("ranked words", pa.int64(), "words that are ranked and tested"),
        column("shift", pa.float64(), "how far the vocabulary at large has moved, in standard deviations of chance"),
        column("usage differs", pa.float64(), "share of the ranked words with q up to .05", unit="%"),
        column(
            "more than the vocabulary at large",
            pa.float64(),
            "the same, beyond how far the vocabulary at large has moved",
            unit="%",
        ),
        column("a finding is", pa.string(), "whether this size allows one"),
    ]
)


def _evidence(snapshot: Snapshot, rankings: Sequence[Compared]) -> list[Panel]:
    """Return a panel that says what scores were compared with, and how many words differ from that."""
    if not rankings:
        return []
    facts = [_facts(snapshot, ranking) for ranking in rankings]
    if not _has_nulls(snapshot, rankings):
        return [Note("Evidence", NO_NULL)]
    rows = [
        (
            ranking.name,
            UNITS[unit].dealt if (unit := row.get("null_unit")) else None,
            row.get("null_runs"),
            row.get("clusters_from"),
            row.get("clusters_to"),
            row.get("ranked"),
            row.get("shift"),
            _percent(row.get("share_differs")),
            _percent(row.get("share_significant")),
            _possible(row),
        )
        for ranking, row in zip(rankings, facts, strict=True)
    ]
    text = (
        "A row is a ranking. Null pairs deal the dates of documents out anew, and are trained, "
        "aligned and scored as the real pair is: a word's usage differs where its score is higher "
        "than these allow. That says nothing about meaning, which is for the reader of the "
        "sentences."
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=_EVIDENCE_SCHEMA)
    return [Rows("Evidence", text, table)]


_CLASS_SCHEMA = pa.schema(
    [
        column("compared", pa.string(), "slices and alignment"),
        column("threshold", pa.string(), "name of the threshold"),
        column("value", pa.float64(), "the score above which a word counts as changed"),
        column("above", pa.int64(), "words above it"),
        column("of", pa.int64(), "words with a score"),
        column("words", pa.string(), "the words whose scores decide it"),
        column("none since", pa.string(), "why there is none"),
    ]
)


def _classes(snapshot: Snapshot, rankings: Sequence[Compared]) -> list[Panel]:
    """Return a panel of the thresholds, and how many words lie above them; none without words to decide one."""
    rows = [
        (ranking.name, found.name, found.value, found.above, found.of, found.words, found.why)
        for ranking in rankings
        for found in classes_of(snapshot, _facts(snapshot, ranking), ranking.rows)
    ]
    if not rows:
        return []
    text = (
        "A row is a threshold of a ranking. Those of targets suppose something of how many of them have changed, "
        "as the tasks from which they come do; none says how many words chance would put above it, as q-values do."
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=_CLASS_SCHEMA)
    return [Rows("Thresholds", text, table)]


NO_NULL = (
    "No null pairs were made, so nothing says which scores chance alone gives, and no finding is "
    "possible. Words stand with their training noise, the standard deviation over seeds, which is "
    "no evidence. Option `null` of the change command, 3 or 5, makes null pairs."
)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _possible(row: Row) -> str:
    if row.get("finding"):
        return f"not possible at this size: {FINDINGS.get(row['finding'], row['finding'])}"
    return _LOW_POWER if row.get("low_power") else _POSSIBLE


log = logging.getLogger("lexbeam")

TITLE = "Words in context"
MISSING = (
    "Uses are not shown: the corpus that the tables were made from was not found when this page "
    "was made. Option `corpus` of `lexbeam report` names it."
)
OTHER = "A corpus has been annotated anew, or was not found; the command said which one."
EACH = 4  # uses of a word in a slice, and fewer of many slices
ALL_USES = 1_000


def quotes(snapshot: Snapshot, corpora: Sequence[str] = ()) -> list[Panel]:
    """Return panels that quote the corpus: uses of targets and the most changed words, or a note on why not.

    Args:
        snapshot: with a section `change`.
        corpora: folders of the corpora to quote, if not those that the tables were made from.

    Raises:
        LexbeamError: no change is published there, a named corpus holds no sentences, or a part of
            one is damaged.
    """
    words = pictured(compared(snapshot, first_alone=True))
    if not words:
        return []
    places, notes = corpora_of(snapshot, corpora)
    for note in notes:  # they name folders, which a page that is passed on does not
        log.warning("%s", note)
    if not places:
        return [Note(TITLE, MISSING)]
    slices = [row[0] for row in snapshot.section("change")["slices"]]
    most = max(1, min(EACH, ALL_USES // (len(words) * len(slices))))
    uses = uses_of(snapshot, words, places, Drawing(most, TYPICAL))
    rows = [
        (word, use["slice"], use["left"], use["target"], use["right"], where(use))
        for word in words
        for use in uses.get(word, ())
    ]
    noted: list[Panel] = [Note(TITLE, OTHER)] if notes else []
    if not rows:
        return noted
    schema = pa.schema(
        [
            column("word", pa.string(), "word of the training view"),
            column("slice", pa.string(), "slice of the document's year"),
            column("before", pa.string(), "the text before it"),
            column("use", pa.string(), "the word as it stands in the text"),
            column("after", pa.string(), "the text after it"),
            column("from", pa.string(), "author, title and year, or source and year"),
        ]
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)
    text = (
        f"Up to {most} uses of a chosen word in each slice, the most typical first: those whose "
        "words nearby are most like those of all its uses there. At most two of a document."
    )
    return [*noted, UsesPanel(TITLE, text, table)]
