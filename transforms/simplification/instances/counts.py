"""What the manifest says of instances, counted from receipts, and whether they may be published."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lexbeam.schemas.simplification import BY_RULE, FLAGS, INSTANCES, JUDGMENTS, SUBSTITUTES
from lexbeam.transforms.intake.staging import LoadedCounts, reject_error
from lexbeam.transforms.simplification.instances.find_stage import TALLIED
from lexbeam.transforms.simplification.instances.judgments import SimplifiableJudgment
from lexbeam.transforms.simplification.instances.merge_stage import SettledJudged
from lexbeam.transforms.simplification.instances.read_stage import acceptable_records


def counted(
    loaded: LoadedCounts,
    settled: Sequence[SettledJudged],
    judgments: Sequence[SimplifiableJudgment] = (),
    judged: Sequence[Mapping[str, object]] = (),
) -> dict[str, object]:
    """Return what the manifest says.

    Args:
        loaded: counts of all files.
        settled: receipts of parts.
        judgments: of people.
        judged: name, bytes and SHA-256 of the files of judgments.
    """
    used = {number for part in settled for number in part.judged}
    reasons = Counter(loaded.reasons)
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("flags", "languages", "verdicts", "known")}
    for part in settled:
        reasons.update(part.reasons)
        for name, counter in totals.items():
            counter.update(getattr(part, name))
    return {
        "layouts": {name: number for name, number in loaded.tally.items() if name not in TALLIED},
        **({"notes": loaded.notes} if loaded.notes else {}),
        "records": loaded.records,
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


def _found(loaded: LoadedCounts) -> dict[str, object]:
    """Return what the words were chosen from; nothing where the input names them."""
    found = Counter(loaded.tally)
    return {"found": {name: found[name] for name in TALLIED}} if any(name in found for name in TALLIED) else {}


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


def check_records(loaded: LoadedCounts, share: float, remedy: str) -> None:
    """Check that few enough records are faulty.

    Args:
        loaded: counts of the input.
        share: the greatest share of records that may be.
        remedy: what may be done about it, as a sentence begins.

    Raises:
        LexbeamError: too many are, or there are no records.
    """
    if not acceptable_records(loaded, share):
        name = "Name the `language`. " if loaded.reasons.get("no_language") else ""
        remedy = f"{name}{remedy}, or allow more with `max_reject_share`."
        raise reject_error(loaded, share, remedy, what="records", by_rule=BY_RULE)
