"""Staged instances merged: repeated records put together, judged, annotated, written as parts.

Where several records give an instance, the first one (by file and line) decides source, position, id and language;
substitutes are added up, flags are united.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lexbeam.schemas.rejects import RejectRow
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
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.formats.ingest.staged_records import RejectStage
from lexbeam.transforms.intake.intake_staging import LoadedCounts, reject_error
from lexbeam.transforms.intake.settling import (
    Settled,
    TaskStages,
    TextAnnotationOptions,
    chosen_engine,
    engine_of,
    grouped_rows,
    sentences_of,
    write_tables,
)
from lexbeam.transforms.simplification.instances.benchmark_layouts import (
    PAIR_DIGITS,
    RawSubstitute,
    graded,
    in_flag_order,
)
from lexbeam.transforms.simplification.instances.found_instances import TALLIED
from lexbeam.transforms.simplification.instances.instances_read import ROWS, acceptable_records
from lexbeam.transforms.simplification.instances.judgments import (
    JUDGE,
    SimplifiableJudgment,
    judgments_of_part,
    unknown_judgments,
    verdict_of,
)
from lexbeam.transforms.simplification.records import Row

_ANNOTATED = 256  # instances that are annotated at a time
_ANNOTATION = ("lemma", "upos", "feats")


class JudgedTask(NamedTuple):
    """A part of the instances, and the judgments of it with their numbers; the first part has their rejects, too."""

    part: MergeTask
    judgments: tuple[tuple[int, SimplifiableJudgment], ...]
    rejects: tuple[RejectRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JudgedOptions:
    """What decides how instances are judged and annotated.

    Attributes:
        only_simplifiable: whether instances that people do not find simplifiable are left out.
        annotate: how sentences are annotated.
    """

    only_simplifiable: bool = False
    annotate: TextAnnotationOptions = field(default_factory=TextAnnotationOptions)


@dataclass(frozen=True, kw_only=True)
class SettledJudged(Settled):
    """Receipt of a part: its files, and what the driver counts.

    Attributes:
        reasons: rejects by reason.
        judged: numbers of the judgments of instances in this part.
        flags: instances by flag.
        languages: instances by language.
        verdicts: instances by judgment, including those left out for it.
        known: by column of the annotation, instances that have it.
        records: records that gave them.
        gold: instances that have a substitute other than the target.
    """

    reasons: dict[str, int]
    judged: tuple[int, ...]
    flags: dict[str, int]
    languages: dict[str, int]
    verdicts: dict[str, int]
    known: dict[str, int]
    records: int
    gold: int


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


class _Counts:
    """What the receipt of a part counts."""

    def __init__(self) -> None:
        self.judged: set[int] = set()
        self.flags: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.records = self.gold = 0

    def add(self, row: Row) -> None:
        self.flags.update(row["flags"])
        self.languages[row["language"]] += 1
        self.known.update(name for name in _ANNOTATION if row[name] is not None)
        self.records += row["records"]
        self.gold += any(not substitute.is_target for substitute in row["substitutes"])


def _settle(artefact: Artefact, task: JudgedTask, options: JudgedOptions) -> SettledJudged:
    engine, layers = engine_of(options.annotate), options.annotate.layers
    counts = _Counts()

    def batches(rejects: RejectStage) -> Iterator[tuple[list[Row], ...]]:
        with one_thread():
            judged = _judged(_merged(task.part), task, options, counts, rejects)
            for rows in batched(judged, _ANNOTATED):
                if engine is not None:
                    _annotate(rows, engine, layers)
                for row in rows:
                    counts.add(row)
                yield rows, [substitute for row in rows for substitute in _substitutes(row)]

    with RejectStage(artefact, one_part=True) as rejects:
        tables = write_tables(artefact, (INSTANCES, SUBSTITUTES), batches(rejects))
        for row in (*task.rejects, *unknown_judgments(task.judgments, counts.judged)):
            rejects.add(row)
    return SettledJudged(
        tables=tables,
        rejects=rejects.staged(),
        reasons=dict(sorted(rejects.reasons.items())),
        judged=tuple(sorted(counts.judged)),
        flags=dict(sorted(counts.flags.items())),
        languages=dict(sorted(counts.languages.items())),
        verdicts=dict(sorted(counts.verdicts.items())),
        known=dict(sorted(counts.known.items())),
        records=counts.records,
        gold=counts.gold,
    )


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
            "flags": list(in_flag_order(flags)),
            "records": len(places),
            "places": places,
            "substitutes": graded(substitutes, first["target"]),
        }


def _judged(
    rows: Iterable[Row], task: JudgedTask, options: JudgedOptions, counts: _Counts, rejects: RejectStage
) -> Iterator[Row]:
    """Yield instances with their verdicts, without those that are left out for it."""
    by_pair: dict[str, list[tuple[int, SimplifiableJudgment]]] = {}
    for number, judgment in task.judgments:
        by_pair.setdefault(judgment.key[:PAIR_DIGITS], []).append((number, judgment))
    for row in rows:
        name = row["instance_id"]
        instance_judgments = [
            (number, judgment)
            for number, judgment in by_pair.get(name[:PAIR_DIGITS], ())
            if judgment.is_of(name, row["start"])
        ]
        counts.judged.update(number for number, _ in instance_judgments)
        verdict = verdict_of(judgment for _, judgment in instance_judgments)
        row["judgment"] = verdict.judgment if verdict else None
        row["judges"] = verdict.judges if verdict else None
        counts.verdicts[row["judgment"] or ""] += 1
        if options.only_simplifiable and row["judgment"] != "simplifiable":
            reason = row["judgment"] or "not_judged"
            meaning = JUDGMENTS.get(reason, "nobody judged it")
            detail = f"{row['target'][:60]!r}, {name}: {meaning}"
            for source, position in row["places"]:
                rejects.add(RejectRow(source, position, JUDGE, reason, detail))
            continue
        yield row


def _substitutes(row: Row) -> list[Row]:
    return [{"instance_id": row["instance_id"], **substitute._asdict()} for substitute in row["substitutes"]]


def _annotate(rows: Sequence[Row], engine: Engine, layers: Sequence[str]) -> None:
    """Give instances the annotation of the token that covers them; each sentence is annotated once."""
    sentences = sentences_of(rows, engine)
    for row in rows:
        values, flags = _of_token(sentences[row["sentence"]], row["start"], row["end"], layers)
        row.update(zip(_ANNOTATION, values, strict=True))
        row["flags"] = list(in_flag_order([*row["flags"], *flags]))


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


def _chosen(task: JudgedTask, options: JudgedOptions) -> dict[str, tuple[str, ...]]:
    return chosen_engine(task, options.annotate)


SETTLE: Stage[JudgedTask, JudgedOptions, SettledJudged] = Stage(
    name="simplification/settle", noun="instances", receipt=SettledJudged, build=_settle, chosen=_chosen, unit="parts"
)
SETTLING = TaskStages.of(SETTLE, INSTANCE_REJECTS, INSTANCE_INPUTS)


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
