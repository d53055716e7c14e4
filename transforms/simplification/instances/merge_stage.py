"""Runs of instances merged: repeated records put together, judged, annotated, written as parts.

Part `bucket` of `parts` holds the ids of its range, so that the parts follow each other in the
order of ids. Of an instance that several records give, the first one (by file and line) says
source, position, id and language; substitutes are added up, flags are put together. Memory is that
of a batch for each run, however long the part.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.rejects import RejectRow
from schemas.simplification.instances import INSTANCE_REJECTS, INSTANCES, JUDGMENTS, SUBSTITUTES
from transforms.annotation.engines.registry import Engine, load_engine
from transforms.annotation.engines.texts import annotate_sentences, tokens_of
from transforms.common.blas import one_thread
from transforms.common.records import Sentence
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.identity import Fingerprinted
from transforms.common.store.runs import SortedRows, rows_of_part
from transforms.common.store.side_rows import SideRows
from transforms.common.store.tables import PartFile, write_rows
from transforms.formats.ingest.merges import list_rejects
from transforms.formats.ingest.staging import RejectStage, StagedRejects
from transforms.simplification.instances.instance import PAIR_DIGITS
from transforms.simplification.instances.judgments import JUDGE, Judgment, judgments_of_part, verdict_of
from transforms.simplification.instances.layouts import Given, graded, in_flag_order
from transforms.simplification.instances.read_stage import ORDER, Loaded

__all__ = ["LIST_REJECTS", "SETTLE", "PartTask", "RejectTask", "SettleOptions", "Settlement", "part_tasks"]

_ANNOTATED = 256  # instances that are annotated at a time
_ANNOTATION = ("lemma", "upos", "feats")


class PartTask(NamedTuple):
    """What becomes part `bucket` of `parts`: what was loaded, and judgments with their numbers."""

    bucket: int
    parts: int
    loaded: tuple[SortedRows, ...]
    judgments: tuple[tuple[int, Judgment], ...]


@dataclass(frozen=True, kw_only=True)
class SettleOptions:
    """What decides how instances are judged and annotated.

    Attributes:
        only_simplifiable: whether those that people do not find simplifiable are left out.
        engine: specification of the engine; empty: none.
        layers: layers that it gives.
        fingerprint: what identifies engine and model.
    """

    only_simplifiable: bool = False
    engine: Fingerprinted = ""
    layers: tuple[str, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """Receipt of a part: its files, and what the driver tells.

    Attributes:
        instances: the part of `simplification/instances`.
        substitutes: that of `simplification/substitutes`.
        rejects: where the rejects of judgments are staged.
        reasons: rejects by reason.
        judged: numbers of the judgments that are of an instance here.
        flags: instances by flag.
        languages: instances by language.
        verdicts: instances by judgment, those left out for it among them.
        known: instances that have each column of the annotation.
        records: records that gave them.
        gold: instances that have a substitute which is not the target.
    """

    instances: PartFile
    substitutes: PartFile
    rejects: StagedRejects
    reasons: dict[str, int]
    judged: tuple[int, ...]
    flags: dict[str, int]
    languages: dict[str, int]
    verdicts: dict[str, int]
    known: dict[str, int]
    records: int
    gold: int


def part_tasks(loaded: Iterable[Loaded], judgments: Sequence[Judgment], parts: int) -> list[PartTask]:
    """Return what each part is made from: all files, in the order of their names."""
    files = tuple(SortedRows(one.rows, one.runs) for one in sorted(loaded, key=lambda one: one.name))
    return [PartTask(bucket, parts, files, judgments_of_part(judgments, bucket, parts)) for bucket in range(parts)]


class _Counts:
    """What the receipt of a part counts."""

    def __init__(self) -> None:
        self.judged: set[int] = set()
        self.flags: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.records = self.gold = 0

    def add(self, row: dict[str, Any]) -> None:
        self.flags.update(row["flags"])
        self.languages[row["language"]] += 1
        self.known.update(name for name in _ANNOTATION if row[name] is not None)
        self.records += row["records"]
        self.gold += any(not one.is_target for one in row["substitutes"])


def _settle(artefact: Artefact, task: PartTask, options: SettleOptions) -> Settlement:
    engine = load_engine(options.engine, layers=options.layers) if options.engine else None
    counts = _Counts()

    def batches(held: SideRows, rejects: RejectStage) -> Iterator[pa.Table]:
        with BatchReader() as reader, one_thread():
            kept = _judged(_merged(reader, task), task, options, counts, rejects)
            while rows := list(itertools.islice(kept, _ANNOTATED)):
                if engine is not None:
                    _annotate(rows, engine, options.layers)
                held.add([one for row in rows for one in _substitutes(row)])
                for row in rows:
                    counts.add(row)
                yield pa.Table.from_pylist(rows, schema=INSTANCES.schema())

    with RejectStage(artefact) as rejects, SideRows(SUBSTITUTES.schema()) as held:
        with artefact.writing(".parquet") as stream:
            rows = batches(held, rejects)
            count = write_rows(stream, INSTANCES.schema(), rows, sort_keys=INSTANCES.key)
        instances = PartFile(artefact.file(".parquet"), count)
        with artefact.writing("-substitutes.parquet") as stream:
            schema = SUBSTITUTES.schema()
            count = write_rows(stream, schema, held.batches(), sort_keys=SUBSTITUTES.key)
        substitutes = PartFile(artefact.file("-substitutes.parquet"), count)
    return Settlement(
        instances=instances,
        substitutes=substitutes,
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


def _merged(reader: BatchReader, task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the instances of a part in the order of their ids, their records put together."""
    runs = [(one.rows, run) for one in task.loaded for run in one.runs]
    merged = rows_of_part(runs, reader, ORDER, task.bucket, task.parts)
    for key, rows in groupby(merged, key=itemgetter("key")):
        first = next(rows)
        given: Counter[tuple[str, int | None]] = Counter()
        flags, places = set(first["flags"]), []
        for row in itertools.chain([first], rows):
            places.append((row["source"], row["position"]))
            flags.update(row["flags"])
            if first["complexity"] is None:
                first["complexity"] = row["complexity"]
            for one in row["substitutes"]:
                given[one["text"], one["rank"]] += one["annotators"]
        ranked = {rank is not None for _, rank in given}
        if len(ranked) > 1:
            flags.add("ranks_dropped")
        found = [Given(text, number, rank) for (text, rank), number in given.items()]
        yield {
            **first,
            "instance_id": key,
            "flags": list(in_flag_order(flags)),
            "records": len(places),
            "places": places,
            "substitutes": graded(found, first["target"]),
        }


def _judged(
    rows: Iterable[dict[str, Any]], task: PartTask, options: SettleOptions, counts: _Counts, rejects: RejectStage
) -> Iterator[dict[str, Any]]:
    """Yield instances with what people say of them, without those that are left out for it."""
    by_pair: dict[str, list[tuple[int, Judgment]]] = {}
    for number, one in task.judgments:
        by_pair.setdefault(one.key[:PAIR_DIGITS], []).append((number, one))
    for row in rows:
        name = row["instance_id"]
        own = [(number, one) for number, one in by_pair.get(name[:PAIR_DIGITS], ()) if one.is_of(name, row["start"])]
        counts.judged.update(number for number, _ in own)
        verdict = verdict_of(one for _, one in own)
        row["judgment"] = verdict.judgment if verdict else None
        row["judges"] = verdict.judges if verdict else None
        counts.verdicts[row["judgment"] or ""] += 1
        if options.only_simplifiable and row["judgment"] != "simplifiable":
            reason = row["judgment"] or "not_judged"
            said = JUDGMENTS.get(reason, "nobody judged it")
            detail = f"{row['target'][:60]!r}, {name}: {said}"
            for source, position in row["places"]:
                rejects.add(RejectRow(source, position, JUDGE, reason, detail))
            continue
        yield row


def _substitutes(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"instance_id": row["instance_id"], **one._asdict()} for one in row["substitutes"]]


def _annotate(rows: Sequence[dict[str, Any]], engine: Engine, layers: Sequence[str]) -> None:
    """Give instances the annotation of the token that covers them; each sentence is read once."""
    texts = list(dict.fromkeys(row["sentence"] for row in rows))
    found = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    for row in rows:
        values, flags = _of_token(found[row["sentence"]], row["start"], row["end"], layers)
        row.update(zip(_ANNOTATION, values, strict=True))
        row["flags"] = list(in_flag_order([*row["flags"], *flags]))


_Annotation = tuple[str | None, str | None, str | None]


def _of_token(sentence: Sentence, start: int, end: int, layers: Sequence[str]) -> tuple[_Annotation, list[str]]:
    """Return lemma, part of speech and features of the token that covers a place, and flags."""
    place, tokens = tokens_of(sentence, start, end)
    if place is None or tokens is None or tokens > 1:
        return (None, None, None), ["several_tokens"]
    own = sentence.starts[place] if sentence.starts else start
    ends = sentence.ends[place] if sentence.ends else end
    lemma = sentence.lemmas[place] if sentence.lemmas else None
    upos = sentence.upos[place] if sentence.upos else None
    feats = None
    if layers and sentence.layers:
        values = sentence.layers[list(layers).index("feats")]
        feats = values[place] if values is not None else None
    flags = ["within_token"] if own < start or ends > end else []
    return (lemma.lower() if lemma else None, upos or None, feats or None), flags


class RejectTask(NamedTuple):
    """What the table of rejects is made from; `judgments` are those of no instance, and no row."""

    staged: tuple[StagedRejects, ...]
    judgments: tuple[RejectRow, ...]


def _list_rejects(artefact: Artefact, task: RejectTask, _: None) -> PartFile:
    return list_rejects(artefact, INSTANCE_REJECTS, task.staged, task.judgments)


def _chosen(_: PartTask, options: SettleOptions) -> dict[str, tuple[str, ...]]:
    kind = options.engine.partition(":")[0]
    return {
        "transforms.annotation.engines.registry:ENGINES": (kind,) if kind else (),
        "transforms.layers.registry:LAYERS": options.layers,
    }


SETTLE: Stage[PartTask, SettleOptions, Settlement] = Stage(
    name="simplification/settle",
    receipt=Settlement,
    build=_settle,
    unordered=("task.loaded",),
    chosen=_chosen,
    unit="parts",
)
LIST_REJECTS: Stage[RejectTask, None, PartFile] = Stage(
    name="simplification/list-rejects", receipt=PartFile, build=_list_rejects, unordered=("task.staged",), unit="tables"
)
