"""What the manifest says of instances, counted from receipts; and whether they may be published."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.rejects import RejectRow
from schemas.simplification.instances import BY_RULE, FLAGS, INSTANCES, JUDGMENTS, SUBSTITUTES
from transforms.intake.staging import Loaded, reasons_of, reject_error
from transforms.simplification.instances.judgments import SimplifiableJudgment
from transforms.simplification.instances.merge_stage import SettledJudged
from transforms.simplification.instances.read_stage import acceptable_records

__all__ = ["check_records", "counted"]


def counted(
    loaded: Sequence[Loaded],
    settled: Sequence[SettledJudged],
    judgments: Sequence[SimplifiableJudgment],
    rejects: Sequence[RejectRow],
    judged: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what the manifest says.

    Args:
        loaded: receipts of files, in the order of their names.
        settled: receipts of parts.
        judgments: what people say.
        rejects: rows that are no judgments.
        judged: name, bytes and SHA-256 of the files of judgments.
    """
    reasons = reasons_of(loaded)
    used = {number for part in settled for number in part.judged}
    reasons["unknown"] += len(judgments) - len(used)
    reasons.update(row.reason for row in rejects)
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("flags", "languages", "verdicts", "known")}
    for part in settled:
        reasons.update(part.reasons)
        for name, counter in totals.items():
            counter.update(getattr(part, name))
    reasons = +reasons
    return {
        "inputs": [
            {
                "name": one.name,
                "bytes": one.inputs[0].bytes,
                "sha256": one.inputs[0].sha256,
                "layouts": list(one.tally),
                "records": one.records,
                "instances": one.count,
                "rejects": dict(one.reasons),
                **({"notes": dict(one.notes)} if one.notes else {}),
            }
            for one in loaded
        ],
        "records": sum(one.records for one in loaded),
        "instances": sum(part.tables[INSTANCES.name].rows for part in settled),
        "with_substitutes": sum(part.gold for part in settled),
        "substitutes": sum(part.tables[SUBSTITUTES.name].rows for part in settled),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
        "left_out": sum(number for reason, number in reasons.items() if reason in BY_RULE),
        "flags": {name: totals["flags"][name] for name in FLAGS if totals["flags"][name]},
        "languages": dict(sorted(totals["languages"].items())),
        "annotated": {name: totals["known"][name] for name in ("lemma", "upos", "feats")},
        **(_judgments(judgments, judged, used, totals["verdicts"]) if judged else {}),
    }


def _judgments(
    judgments: Sequence[SimplifiableJudgment],
    judged: Sequence[Mapping[str, Any]],
    used: set[int],
    verdicts: Counter[str],
) -> dict[str, Any]:
    single = [one for number, one in enumerate(judgments) if number in used and not one.joint]
    return {
        "judgments": {
            "files": list(judged),
            "judgments": len(judgments),
            "used": len(used),
            "joint": len(used) - len(single),
            "annotators": len({one.annotator for one in single if one.annotator}),
            "instances": {name: verdicts[name] for name in JUDGMENTS},
            "not_judged": verdicts[""],
        }
    }


def check_records(loaded: Sequence[Loaded], share: float) -> None:
    """Check that few enough records are faulty.

    Raises:
        LexbeamError: they are not, or there are none.
    """
    if not acceptable_records(loaded, share):
        name = "Name the `language`. " if reasons_of(loaded)["no_language"] else ""
        remedy = f"{name}Name another `layout` (`encoding`), correct the rows, or allow more with `max_reject_share`."
        raise reject_error(loaded, share, remedy, what="records", by_rule=BY_RULE)
