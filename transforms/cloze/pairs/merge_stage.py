"""Runs of pairs merged: equal ones joined, texts annotated, targets found, parts written.

Part `bucket` of `parts` holds the pairs whose ids are in its range, so that the parts follow each
other in the order of ids, and the pairs of an article lie side by side. Memory is that of a batch
for each run, and of the pairs that are annotated at a time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.cloze.pairs import PAIR_REJECTS, PAIRS
from transforms.annotation.engines.registry import load_engine
from transforms.cloze.pairs.annotation import TEXTS, annotate_pairs, give_places
from transforms.cloze.pairs.pair import join_rows
from transforms.cloze.pairs.read_stage import ORDER, Loaded
from transforms.common.blas import one_thread
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.identity import Fingerprinted
from transforms.common.store.runs import SortedRows, rows_of_part
from transforms.common.store.tables import PartFile, write_rows
from transforms.formats.ingest.merges import list_rejects
from transforms.formats.ingest.stage import acceptable
from transforms.formats.ingest.staging import StagedRejects

__all__ = ["LIST_REJECTS", "SETTLE", "PartTask", "SettleOptions", "Settled", "acceptable_units", "part_tasks"]

_ANNOTATED = 64  # pairs that are annotated at a time, and their code points
_CHARACTERS = 1 << 19


class PartTask(NamedTuple):
    """What becomes part `bucket` of `parts`."""

    bucket: int
    parts: int
    loaded: tuple[SortedRows, ...]


@dataclass(frozen=True, kw_only=True)
class SettleOptions:
    """What decides how texts are annotated.

    Attributes:
        engine: its specification; empty: none, or pairs come annotated.
        fingerprint: what identifies engine and model.
    """

    engine: Fingerprinted = ""
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Receipt of a part: its file, and what the driver tells.

    Attributes:
        part: the part of `cloze/pairs`.
        flags: pairs by flag.
        targets: targets by kind, and how many of them were found.
        languages: pairs by language; empty: of none.
        articles: passages that differ.
        repeated: records that joined a pair that was there.
        words: tokens of summaries and of passages.
    """

    part: PartFile
    flags: dict[str, int]
    targets: dict[str, tuple[int, int]]
    languages: dict[str, int]
    articles: int
    repeated: int
    words: tuple[int, int]


def acceptable_units(loaded: Iterable[Loaded], share: float) -> bool:
    """Return whether few enough of the records of all units were rejected, see `acceptable`."""
    units = list(loaded)
    rejected = sum(sum(one.reasons.values()) for one in units)
    return acceptable(sum(one.records for one in units) + rejected, rejected, share)


def part_tasks(loaded: Iterable[Loaded], parts: int) -> list[PartTask]:
    """Return what each part is made from: all units, in the order of their names."""
    units = tuple(SortedRows(one.rows, one.runs) for one in sorted(loaded, key=lambda one: one.name))
    return [PartTask(bucket, parts, units) for bucket in range(parts)]


class _Tally:
    """Counts what the driver tells of a part."""

    def __init__(self) -> None:
        self.flags: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.articles = self.repeated = 0
        self.words = [0, 0]
        self._article = ""

    def add(self, pair: Mapping[str, Any]) -> None:
        self.flags.update(pair["flags"])
        for target in pair["targets"]:
            self.targets[target["kind"]] += 1
            self.found[target["kind"]] += target["token"] is not None
        self.languages[pair["language"] or ""] += 1
        self.articles += pair["article_id"] != self._article
        self._article = pair["article_id"]
        self.repeated += pair["rows"] - 1
        for place, name in enumerate(TEXTS):
            self.words[place] += len(pair[f"{name}_forms"])


def _settle(artefact: Artefact, task: PartTask, options: SettleOptions) -> Settled:
    engine = load_engine(options.engine) if options.engine else None
    tally = _Tally()

    def batches() -> Iterator[pa.Table]:
        with BatchReader() as reader, one_thread():
            for pairs in _some(_pairs(reader, task)):
                annotate_pairs(pairs, engine)
                for pair in pairs:
                    give_places(pair)
                    tally.add(pair)
                yield pa.Table.from_pylist(pairs, schema=PAIRS.schema())

    with artefact.writing(".parquet") as stream:
        count = write_rows(stream, PAIRS.schema(), batches(), sort_keys=PAIRS.key)
    return Settled(
        part=PartFile(artefact.file(".parquet"), count),
        flags=dict(sorted(tally.flags.items())),
        targets={kind: (tally.targets[kind], tally.found[kind]) for kind in sorted(tally.targets)},
        languages=dict(sorted(tally.languages.items())),
        articles=tally.articles,
        repeated=tally.repeated,
        words=(tally.words[0], tally.words[1]),
    )


def _pairs(reader: BatchReader, task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a part in the order of their ids."""
    runs = [(one.rows, run) for one in task.loaded for run in one.runs]
    merged = rows_of_part(runs, reader, ORDER, task.bucket, task.parts)
    for _, rows in groupby(merged, key=itemgetter("key")):
        yield join_rows(rows)


def _some(pairs: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    held, size = [], 0
    for pair in pairs:
        held.append(pair)
        size += sum(len(pair[name]) for name in TEXTS)
        if len(held) >= _ANNOTATED or size >= _CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


def _list_rejects(artefact: Artefact, task: Sequence[StagedRejects], _: None) -> PartFile:
    return list_rejects(artefact, PAIR_REJECTS, task)


def _chosen(_: PartTask, options: SettleOptions) -> dict[str, tuple[str, ...]]:
    kind = options.engine.partition(":")[0]
    return {"transforms.annotation.engines.registry:ENGINES": (kind,) if kind else ()}


SETTLE: Stage[PartTask, SettleOptions, Settled] = Stage(
    name="cloze/settle", receipt=Settled, build=_settle, unordered=("task.loaded",), chosen=_chosen, unit="parts"
)
LIST_REJECTS: Stage[Sequence[StagedRejects], None, PartFile] = Stage(
    name="cloze/list-rejects", receipt=PartFile, build=_list_rejects, unordered=("task",), unit="tables"
)
