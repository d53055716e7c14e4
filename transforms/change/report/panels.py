"""What a report shows of change: slices, warnings, evidence, systems, words, pictures of words, series."""

import logging
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import FINDINGS
from lexbeam.schemas.change.spaces import SLICES
from lexbeam.schemas.columns import column
from lexbeam.transforms.change.nulls.deals import UNITS
from lexbeam.transforms.change.report.pictures import picture_panels
from lexbeam.transforms.change.report.rankings import PAIRS, Compared, compared, flagged_of, pictured
from lexbeam.transforms.change.report.series import series_panels
from lexbeam.transforms.change.report.systems import system_panels
from lexbeam.transforms.change.report.words import word_panels
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.shown.classes import classes_of
from lexbeam.transforms.change.shown.examples import TYPICAL, Drawing
from lexbeam.transforms.change.shown.ranking_rows import Pair, pair_facts, pairs_of, ranked_rows
from lexbeam.transforms.change.shown.rankings import missing_targets
from lexbeam.transforms.change.shown.uses import corpora_of, uses_of
from lexbeam.transforms.change.shown.verdict import verdict
from lexbeam.transforms.change.shown.warnings import (
    comparability_warnings,
    frequency_warning,
    overlap_warnings,
    shift_warnings,
    size_warnings,
    slice_warnings,
)
from lexbeam.transforms.change.shown.word_text import where
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.panels import Note, Panel, Rows, UsesPanel

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
