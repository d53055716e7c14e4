"""Counts of a corpus: sums of what receipts of ingestion and annotation say, whose size follows reasons and years."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from lexbeam.schemas.common_tables import NOT_COUNTED, RejectRow
from lexbeam.transforms.annotation.annotate import Annotated
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.formats.ingest.stage import Ingested

EXAMPLES_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class IntakeCounts:
    """Sums over units and staging files.

    Attributes:
        inputs: bytes that were read, and records.
        notes: what readers changed or guessed, and how often.
        reasons: rejects by reason.
        examples: of rejects that count as faults the least, at most `EXAMPLES_SHOWN`.
        years_taken_in: years of documents, before duplicates are known.
        counts: documents, sentences, tokens and characters.
        years: documents by year.
        tokens_by_year: tokens by year.
        languages: documents by language, without those that have none.
        columns: columns of annotation that are not null in every sentence.
    """

    inputs: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    examples: tuple[RejectRow, ...] = ()
    years_taken_in: frozenset[int] = frozenset()
    counts: dict[str, int] = field(default_factory=dict)
    years: dict[int, int] = field(default_factory=dict)
    tokens_by_year: dict[int, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    columns: frozenset[str] = frozenset()


def counts_of(receipt: Ingested | Annotated) -> IntakeCounts:
    """Return what a unit counts, or an annotated staging file."""
    if isinstance(receipt, Ingested):
        return IntakeCounts(
            inputs={name: receipt.counts[name] for name in ("bytes", "records")},
            notes=receipt.notes,
            reasons=receipt.reasons,
            examples=receipt.examples,
            years_taken_in=frozenset(receipt.years),
        )
    return IntakeCounts(
        reasons=receipt.reasons,
        examples=receipt.examples,
        counts=receipt.counts,
        years=receipt.years,
        tokens_by_year=receipt.tokens_by_year,
        languages=receipt.languages,
        columns=frozenset(receipt.columns),
    )


def sum_counts(counts: Iterable[IntakeCounts]) -> IntakeCounts:
    """Return the sum of counts, in whatever order."""
    held = list(counts)
    faults = (row for each in held for row in each.examples if row.reason not in NOT_COUNTED)
    return IntakeCounts(
        inputs=dict(totals(each.inputs for each in held)),
        notes=dict(totals(each.notes for each in held)),
        reasons=dict(totals(each.reasons for each in held)),
        examples=tuple(heapq.nsmallest(EXAMPLES_SHOWN, faults)),
        years_taken_in=frozenset().union(*(each.years_taken_in for each in held)),
        counts=dict(totals(each.counts for each in held)),
        years=dict(totals(each.years for each in held)),
        tokens_by_year=dict(totals(each.tokens_by_year for each in held)),
        languages=dict(totals(each.languages for each in held)),
        columns=frozenset().union(*(each.columns for each in held)),
    )
