"""What the manifest says of instances, counted from receipts, and whether they may be published."""

from collections import Counter
from collections.abc import Mapping, Sequence

from schemas.rejects import RejectRow
from schemas.simplification.instances import BY_RULE, FLAGS, INSTANCES, JUDGMENTS, SUBSTITUTES
from transforms.common.store.receipts import totals
from transforms.intake.staging import Loaded, reasons_of, reject_error
from transforms.simplification.instances.find_stage import TALLIED
from transforms.simplification.instances.judgments import SimplifiableJudgment
from transforms.simplification.instances.merge_stage import SettledJudged
from transforms.simplification.instances.read_stage import acceptable_records

__all__ = ["check_records", "counted"]


def counted(
    loaded: Sequence[Loaded],
    settled: Sequence[SettledJudged],
    judgments: Sequence[SimplifiableJudgment],
    rejects: Sequence[RejectRow],
    judged: Sequence[Mapping[str, object]],
) -> dict[str, object]:
    """Return what the manifest says.

    Args:
        loaded: receipts of files, in the order of their names.
        settled: receipts of parts.
        judgments: of people.
        rejects: rows that are no judgments.
        judged: name, bytes and SHA-256 of the files of judgments.
    """
    used = {number for part in settled for number in part.judged}
    reasons = reasons_of(loaded)
    reasons["unknown"] += len(judgments) - len(used)
    reasons.update(row.reason for row in rejects)
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("flags", "languages", "verdicts", "known")}
    for part in settled:
        reasons.update(part.reasons)
        for name, counter in totals.items():
            counter.update(getattr(part, name))
    reasons = +reasons
    return {
        "inputs": [_input(receipt) for receipt in loaded],
        "records": sum(receipt.records for receipt in loaded),
        "instances": sum(part.tables[INSTANCES.name].rows for part in settled),
        "with_substitutes": sum(part.gold for part in settled),
        "substitutes": sum(part.tables[SUBSTITUTES.name].rows for part in settled),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
        "left_out": sum(number for reason, number in reasons.items() if reason in BY_RULE),
        "flags": {name: totals["flags"][name] for name in FLAGS if totals["flags"][name]},
        "languages": dict(sorted(totals["languages"].items())),
        **_found(loaded),
        "annotated": {name: totals["known"][name] for name in ("lemma", "upos", "feats")},
        **({"judgments": _judgments(judgments, judged, used, totals["verdicts"])} if judged else {}),
    }


def _found(loaded: Sequence[Loaded]) -> dict[str, object]:
    """Return what the words were chosen from; nothing where the input names them."""
    found = totals(receipt.tally for receipt in loaded)
    return {"found": {name: found[name] for name in TALLIED}} if any(name in found for name in TALLIED) else {}


def _input(receipt: Loaded) -> dict[str, object]:
    """Return what the manifest says of a file."""
    return {
        "name": receipt.name,
        "bytes": receipt.inputs[0].bytes,
        "sha256": receipt.inputs[0].sha256,
        "layouts": [name for name in receipt.tally if name not in TALLIED],
        "records": receipt.records,
        "instances": receipt.count,
        "rejects": dict(receipt.reasons),
        **({"notes": dict(receipt.notes)} if receipt.notes else {}),
    }


def _judgments(
    judgments: Sequence[SimplifiableJudgment],
    judged: Sequence[Mapping[str, object]],
    used: set[int],
    verdicts: Counter[str],
) -> dict[str, object]:
    single = [judgment for number, judgment in enumerate(judgments) if number in used and not judgment.joint]
    return {
        "files": list(judged),
        "judgments": len(judgments),
        "used": len(used),
        "joint": len(used) - len(single),
        "annotators": len({judgment.annotator for judgment in single if judgment.annotator}),
        "instances": {name: verdicts[name] for name in JUDGMENTS},
        "not_judged": verdicts[""],
    }


def check_records(loaded: Sequence[Loaded], share: float, remedy: str) -> None:
    """Check that few enough records are faulty.

    Args:
        loaded: receipts of the input.
        share: the greatest share of records that may be.
        remedy: what may be done about it, as a sentence begins.

    Raises:
        LexbeamError: too many are, or there are no records.
    """
    if not acceptable_records(loaded, share):
        name = "Name the `language`. " if reasons_of(loaded)["no_language"] else ""
        remedy = f"{name}{remedy}, or allow more with `max_reject_share`."
        raise reject_error(loaded, share, remedy, what="records", by_rule=BY_RULE)
