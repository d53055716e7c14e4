"""Whether what a corpus run takes in is good enough: by its first files, and by all that became of them."""

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from lexbeam.schemas.common_tables import NOT_COUNTED, REMEDIES, RejectRow
from lexbeam.transforms.common.errors import HeldBackError, LexbeamError
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.encodings import encoding_remedy
from lexbeam.transforms.formats.ingest.date_rules import date_of
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile, YearChecks, acceptable, lacking
from lexbeam.transforms.formats.readers.registry import READERS, refusal_of
from lexbeam.transforms.formats.records.base import Record, Reject, Source
from lexbeam.transforms.formats.sources.archives import wrapping
from lexbeam.transforms.formats.sources.content import HEAD
from lexbeam.transforms.formats.sources.streams import peek


def refused_files(look: Sequence[InputFile], options: IngestOptions) -> list[RejectRow]:
    """Return the rejects that files are by their first bytes, as far as the first file that may hold records.

    A file whose name is one of a reader's is not opened, and may: a corpus that is known is not read again.
    """
    suffixes = tuple(suffix for reader in READERS.values() for suffix in reader.suffixes)
    refused = []
    for file in look:
        if file.name.lower().endswith(suffixes):
            break
        head = _head(file)
        source = Source(file.name, lambda: files.open_read(file.path), file.path)  # noqa: B023  is not opened
        reject = None if head is None else refusal_of(source, head, options.format, options.reader)
        if reject is None:
            break
        refused.append(RejectRow(file.name, reject.position, "ingest", reject.reason, reject.detail))
    return refused


def years_by_name(look: Sequence[InputFile], options: IngestOptions) -> set[int]:
    """Return the years of all documents that plain files can hold, if names tell them; empty if they do not."""
    if options.dates is None or options.dates.kind not in ("name", "table", "period"):
        return set()
    found = (date_of(options.dates, _NOTHING, file.name, options.date_range, options.metadata) for file in look)
    return {date.year for date in found if not isinstance(date, Reject)}


def holds_members(file: InputFile) -> bool:
    """Return whether a file may hold others, which have names of their own; true if it cannot be read."""
    head = b"" if wrapping(file.name, b"") is not None else _head(file)
    return head is None or wrapping(file.name, head) is not None


def _head(file: InputFile) -> bytes | None:
    try:
        with files.open_read(file.path) as stream:
            return peek(stream, HEAD)[0]
    except OSError:
        return None


_NOTHING = Record("", {}, "", None)


log = logging.getLogger("lexbeam")

SHOWN = 3


def check_look(
    look: Sequence[InputFile], options: IngestOptions, most: float, asked: YearChecks, *, is_all: bool
) -> None:
    """Check the first files, as far as they tell how the run is sure to end; if all are refused, others may follow.

    Args:
        look: the files, of which the first bytes are read; none where all have gone and are kept.
        options: how files become documents.
        most: share of rejects above which nothing is published.
        asked: what other sections ask of the years.
        is_all: whether there are no other files.

    Raises:
        LexbeamError: no reader takes any file, or other sections ask for other years.
    """
    if look and not acceptable(len(look), len(look), most):
        refused = refused_files(look, options)
        if len(refused) == len(look):
            reasons = Counter(row.reason for row in refused)
            if is_all:
                check_rejects(len(look), reasons, refused[:SHOWN], most)
            log.warning(
                "no reader takes any of the first %s (%s), such as %s: %s",
                amount(len(look), "files"),
                _listed(reasons),
                refused[0].source,
                refused[0].detail,
            )
    by_period = options.dates is not None and options.dates.period is not None
    years = years_by_name(look, options) if asked and (is_all or by_period) else set()
    if years and lacking(years, asked) and (by_period or not any(map(holds_members, look))):
        check_years(years, asked)


def check_rejects(records: int, rejects: Mapping[str, int], examples: Sequence[RejectRow], most: float) -> None:
    """Check that there are records, and few enough rejects among them.

    Raises:
        HeldBackError: there are none, or too many.
    """
    reasons = {k: n for k, n in rejects.items() if k not in NOT_COUNTED}
    refused = sum(reasons.values())
    if acceptable(records, refused, most):
        return
    first = "".join(f"\n  {row.source} {row.position}".rstrip() + f": {row.reason}, {row.detail}" for row in examples)
    remedies = sorted({REMEDIES[reason] for reason in reasons if reason in REMEDIES})
    cause = (
        f"{refused} of {records} input records were rejected ({_listed(reasons)}), more than `max_reject_share` {most} "
        "allows; nothing is published"
    )
    raise HeldBackError(
        f"{cause}. Some of them:{first}\nCorrect them, {''.join(f'{remedy}, ' for remedy in remedies)}or allow more "
        f"with `max_reject_share`.{encoding_remedy(row.detail for row in examples)}",
        [cause],
    )


def _listed(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items()))


def check_years(years: Collection[int], asked: YearChecks) -> None:
    """Check that documents have the years that other sections ask for.

    Raises:
        LexbeamError: they lack some.
    """
    if lacks := lacking(years, asked):
        raise LexbeamError("; ".join([*lacks, "nothing was annotated, and nothing is published"]))
