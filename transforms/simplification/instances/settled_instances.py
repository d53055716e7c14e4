"""Staged instances merged: repeated records put together, judged, annotated, written as parts.

Where several records give an instance, the first one (by file and line) decides source, position, id and language;
substitutes are added up, flags are united.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.schemas.simplification import (
    BY_RULE,
    FLAGS,
    INSTANCE_INPUTS,
    INSTANCE_REJECTS,
    INSTANCES,
    JUDGMENTS,
    SUBSTITUTES,
)
from lexbeam.transforms.annotation.engines.engine import Engine, tokens_of
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.formats.ingest.staged_records import RejectStage
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.row_files import in_order
from lexbeam.transforms.intake.settling import Counts, Settled, SettleRows, grouped_rows, sentences_of, sum_settled
from lexbeam.transforms.simplification.instances.benchmark_layouts import PAIR_DIGITS, RawSubstitute, graded
from lexbeam.transforms.simplification.instances.found_instances import TALLIED
from lexbeam.transforms.simplification.instances.instances_read import ROWS, RULE
from lexbeam.transforms.simplification.instances.judgments import (
    JUDGE,
    SimplifiableJudgment,
    judgments_of_part,
    unknown_judgments,
    verdict_of,
)
from lexbeam.transforms.simplification.records import Row

_ANNOTATION = ("lemma", "upos", "feats")


class JudgedTask(NamedTuple):
    """A part of the instances, and the judgments of it with their numbers; the first part has their rejects, too."""

    part: MergeTask
    judgments: tuple[tuple[int, SimplifiableJudgment], ...]
    rejects: tuple[RejectRow, ...] = ()


def task_of(
    part: MergeTask, _: LoadedCounts, judgments: Sequence[SimplifiableJudgment], rejects: Sequence[RejectRow]
) -> JudgedTask:
    """Return the task of a part.

    Args:
        part: its rows.
        judgments: those of all parts.
        rejects: rows that are no judgments.
    """
    here = judgments_of_part(judgments, part.bucket, part.parts)
    return JudgedTask(part, here, tuple(rejects) if part.bucket == 0 else ())


@dataclass(frozen=True, kw_only=True)
class SettleInstances(SettleRows[JudgedTask]):
    """Put repeated records of instances together, judge and annotate them.

    Attributes:
        only_simplifiable: whether instances that people do not find simplifiable are left out.
    """

    only_simplifiable: bool = False

    name = "simplification/settle"
    noun = "instances"
    tables = (INSTANCES, SUBSTITUTES)
    rejects = INSTANCE_REJECTS
    inputs = INSTANCE_INPUTS

    def merged(self, task: JudgedTask, counts: Counts, rejects: RejectStage) -> Iterator[Row]:
        """Yield instances in the order of their ids, with their verdicts, without those that are left out for it."""
        by_pair: dict[str, list[tuple[int, SimplifiableJudgment]]] = {}
        for number, judgment in task.judgments:
            by_pair.setdefault(judgment.key[:PAIR_DIGITS], []).append((number, judgment))
        for row in _merged(task.part):
            name = row["instance_id"]
            of_instance = [
                (number, judgment)
                for number, judgment in by_pair.get(name[:PAIR_DIGITS], ())
                if judgment.is_of(name, row["start"])
            ]
            counts["judged"].update({str(number): 1 for number, _ in of_instance})
            verdict = verdict_of(judgment for _, judgment in of_instance)
            row["judgment"], row["judges"] = verdict or (None, None)
            counts["verdicts"][row["judgment"] or ""] += 1
            if self.only_simplifiable and row["judgment"] != "simplifiable":
                reason = row["judgment"] or "not_judged"
                meaning = JUDGMENTS.get(reason, "nobody judged it")
                detail = f"{row['target'][:60]!r}, {name}: {meaning}"
                for source, position in row["places"]:
                    rejects.add(RejectRow(source, position, JUDGE, reason, detail))
                continue
            yield row

    def finish(self, rows: list[Row], engine: Engine | None) -> None:
        """Give instances the annotation of the token that covers them; each sentence is annotated once."""
        if engine is None:
            return
        sentences = sentences_of(rows, engine)
        for row in rows:
            values, flags = _of_token(sentences[row["sentence"]], row["start"], row["end"], self.annotate.layers)
            row.update(zip(_ANNOTATION, values, strict=True))
            row["flags"] = in_order([*row["flags"], *flags], FLAGS)

    def count(self, row: Row, counts: Counts) -> None:
        """Count flags, languages, what is annotated, and instances with a substitute that is not the target."""
        counts["flags"].update(row["flags"])
        counts["languages"][row["language"]] += 1
        counts["known"].update(name for name in _ANNOTATION if row[name] is not None)
        counts["amounts"]["gold"] += any(not substitute.is_target for substitute in row["substitutes"])

    def beside(self, row: Row) -> Iterator[Row]:
        """Yield the substitutes of an instance."""
        return ({"instance_id": row["instance_id"], **substitute._asdict()} for substitute in row["substitutes"])

    def left(self, task: JudgedTask, counts: Counts) -> Iterator[RejectRow]:
        """Yield rows that are no judgments, and judgments of no instance."""
        yield from task.rejects
        yield from unknown_judgments(task.judgments, set(map(int, counts["judged"])))


def _merged(task: MergeTask) -> Iterator[Row]:
    """Yield the instances of a part in the order of their ids, their records put together."""
    for key, rows in grouped_rows(task, ROWS):
        first = next(rows)
        annotators: Counter[tuple[str, int | None]] = Counter()
        flags, places = set(first["flags"]), []
        for row in itertools.chain([first], rows):
            places.append((row["source"], row["position"]))
            flags.update(row["flags"])
            if first["complexity"] is None:
                first["complexity"] = row["complexity"]
            for substitute in row["substitutes"]:
                annotators[substitute["text"], substitute["rank"]] += substitute["annotators"]
        ranked = {rank is not None for _, rank in annotators}
        if len(ranked) > 1:
            flags.add("ranks_dropped")
        substitutes = [RawSubstitute(text, number, rank) for (text, rank), number in annotators.items()]
        yield {
            **first,
            "instance_id": key,
            "flags": in_order(flags, FLAGS),
            "records": len(places),
            "places": places,
            "substitutes": graded(substitutes, first["target"]),
        }


_Annotation = tuple[str | None, str | None, str | None]


def _of_token(sentence: Sentence, start: int, end: int, layers: Sequence[str]) -> tuple[_Annotation, list[str]]:
    """Return lemma, part of speech and features of the token that covers a place, and flags."""
    place, tokens = tokens_of(sentence, start, end)
    if place is None or tokens is None or tokens > 1:
        return (None, None, None), ["several_tokens"]
    begin = sentence.starts[place] if sentence.starts else start
    ends = sentence.ends[place] if sentence.ends else end
    lemma = sentence.lemmas[place] if sentence.lemmas else None
    upos = sentence.upos[place] if sentence.upos else None
    feats = None
    if layers and sentence.layers:
        values = sentence.layers[list(layers).index("feats")]
        feats = values[place] if values is not None else None
    flags = ["within_token"] if begin < start or ends > end else []
    return (lemma.lower() if lemma else None, upos or None, feats or None), flags


def counted(
    loaded: LoadedCounts,
    settled: Sequence[Settled],
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
    counts = sum_settled(settled)
    reasons = counts["rejects"] + Counter(loaded.reasons)
    tally = Counter(loaded.tally)
    used = set(map(int, counts["judged"]))
    single = [judgment for number, judgment in enumerate(judgments) if number in used and not judgment.joint]
    of_judgments = {
        "files": list(judged),
        "judgments": len(judgments),
        "used": len(used),
        "joint": len(used) - len(single),
        "annotators": len({judgment.annotator for judgment in single if judgment.annotator}),
        "instances": {name: counts["verdicts"][name] for name in JUDGMENTS},
        "not_judged": counts["verdicts"][""],
    }
    return {
        "layouts": {name: number for name, number in loaded.tally.items() if name not in TALLIED},
        **({"notes": loaded.notes} if loaded.notes else {}),
        "records": loaded.records,
        "instances": sum(part.tables[INSTANCES.name].rows for part in settled),
        "with_substitutes": counts["amounts"]["gold"],
        "substitutes": sum(part.tables[SUBSTITUTES.name].rows for part in settled),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
        "left_out": sum(number for reason, number in reasons.items() if reason in BY_RULE),
        "flags": {name: counts["flags"][name] for name in FLAGS if counts["flags"][name]},
        "languages": dict(sorted(counts["languages"].items())),
        # What words were chosen from; nothing where the input names them.
        **({"found": {name: tally[name] for name in TALLIED}} if tally.keys() & set(TALLIED) else {}),
        "annotated": {name: counts["known"][name] for name in _ANNOTATION},
        **({"judgments": of_judgments} if judged else {}),
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
    name = "Name the `language`. " if loaded.reasons.get("no_language") else ""
    RULE.check(loaded, share, f"{name}{remedy}, or allow more with `max_reject_share`.")
