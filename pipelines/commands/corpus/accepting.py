"""Whether what a corpus run takes in is good enough: by its first files, and by all that became of them."""

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from lexbeam.schemas.common_tables import NOT_COUNTED, REMEDIES, RejectRow
from lexbeam.transforms.common.errors import HeldBackError, LexbeamError
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.texts.encodings import encoding_remedy
from lexbeam.transforms.formats.ingest.looking import holds_members, refused_files, years_by_name
from lexbeam.transforms.formats.ingest.stage import IngestOptions, InputFile, YearChecks, acceptable, lacking

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
