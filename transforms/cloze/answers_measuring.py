"""Answers measured: accuracy of systems, by kind and across kinds, beside what needs no reading.

Rows of cloze/metrics have a system and a subset: a kind, or `KIND from OTHER` for a system that was
trained on questions of another kind. Systems `chance`, `frequency` (how often an option stands in
passages) and `not-in-passage` are of `baselines`; of ties the expected accuracy counts. Intervals
resample whole articles. A question that is too long for a system counts as answered wrongly.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.cloze import CLOZE_METRICS, KINDS
from transforms.cloze.answering_data import (
    FIVE,
    EncodedAsked,
    counts_of,
    flat_numbers,
    numbered_questions,
)
from transforms.cloze.baselines import ACCURACY, BASELINES, absent, chance, most_frequent, subset_of
from transforms.common.artefacts import Artefact, Stage
from transforms.common.sound import checked
from transforms.common.tables import Part, PartFile, read_table, sort_rows, write_part
from transforms.evaluation.bootstrap import BootstrapOptions
from transforms.evaluation.evaluating import measure, row
from transforms.evaluation.outcomes import Floats

__all__ = ["MEASURE_ANSWERS", "MeasureSettings", "MeasureTask"]


class MeasureTask(NamedTuple):
    """All answers, and all questions, by language."""

    answers: tuple[Part, ...]
    encoded: tuple[tuple[str, EncodedAsked], ...]


class MeasureSettings(NamedTuple):
    """How answers are measured.

    Attributes:
        bootstrap: of intervals.
        split: questions of this split are asked alone; None: all.
    """

    bootstrap: BootstrapOptions
    split: str | None


def _measure(artefact: Artefact, task: MeasureTask, settings: MeasureSettings) -> PartFile:
    questions, known = _questions(task, settings.split)
    rows: list[dict[str, Any]] = []

    def add(system: str, subset: str, at: np.ndarray, chances: Floats) -> None:
        gold, clusters = known["label"][at], known["article_id"][at].tolist()
        found = measure(ACCURACY, (gold, chances), clusters=clusters, options=settings.bootstrap)
        rows.append(row(system, subset, "accuracy", None, found))

    for kind in KINDS:
        at = np.flatnonzero(known["kind"] == kind)
        if len(at):
            for name in BASELINES:
                add(name, kind, at, known[name][at])
    for system, trained_on, kind, own in _answered(task):
        places = np.array([questions[name, kind] for name in own["question_id"].to_pylist()])
        chosen = pc.fill_null(own["chosen"], -1).to_numpy()
        chances = (chosen[:, None] == np.arange(FIVE)).astype(np.float64)
        add(system, subset_of(kind, trained_on), places, chances)
    table = pa.Table.from_pylist(rows, CLOZE_METRICS.schema())
    return write_part(
        artefact, CLOZE_METRICS.schema(), [sort_rows(table, CLOZE_METRICS.key)],
        sort_keys=CLOZE_METRICS.key,
    )  # fmt: skip


def _questions(
    task: MeasureTask, split: str | None
) -> tuple[dict[tuple[str, str], int], Mapping[str, np.ndarray]]:
    """Return places of questions that are asked, and their label, article, kind and baselines."""
    columns: dict[str, list[np.ndarray]] = {}
    ids: list[tuple[str, str]] = []
    for _, encoded in sorted(task.encoded, key=_language):
        _, rows = numbered_questions(encoded)
        if split is not None:
            rows = rows.filter(pc.equal(pc.fill_null(rows["split"], ""), split))
        numbers = flat_numbers(rows["options"]).reshape(-1, FIVE)
        standing = flat_numbers(rows["standing"]).reshape(-1, FIVE).astype(bool)
        ids += zip(rows["question_id"].to_pylist(), rows["kind"].to_pylist(), strict=True)
        own = {
            "label": rows["label"].to_numpy(),
            **{name: np.array(rows[name].to_pylist(), object) for name in ("kind", "article_id")},
            "chance": chance(len(numbers)),
            "frequency": most_frequent(counts_of(encoded)[numbers].astype(np.float64)),
            "not-in-passage": absent(standing),
        }
        for name, values in own.items():
            columns.setdefault(name, []).append(values)
    places = {key: place for place, key in enumerate(ids)}
    return places, {name: np.concatenate(values) for name, values in columns.items()}


def _answered(task: MeasureTask) -> Iterator[tuple[str, str | None, str, pa.Table]]:
    """Yield answers by system, what it was trained on, and kind of question."""
    names = ["question_id", "kind", "system", "trained_on", "chosen"]
    rows = read_table([checked(part) for part in sorted(task.answers)], names)
    keys = rows.select(names[1:4]).group_by(names[1:4], use_threads=False).aggregate([])
    for key in sorted(keys.to_pylist(), key=str):
        own = pc.and_(pc.equal(rows["system"], key["system"]), pc.equal(rows["kind"], key["kind"]))
        given = pc.fill_null(rows["trained_on"], "")
        own = pc.and_(own, pc.equal(given, key["trained_on"] or ""))
        yield key["system"], key["trained_on"], key["kind"], rows.filter(own)


def _language(element: tuple[str, EncodedAsked]) -> str:
    return element[0]


def _identity(task: MeasureTask, settings: MeasureSettings) -> Any:
    own = settings.bootstrap
    return [
        sorted(part.sha256 for part in task.answers),
        sorted([name, one.questions.sha256, one.words.sha256] for name, one in task.encoded),
        [own.resamples, own.level, own.seed], settings.split,
    ]  # fmt: skip


MEASURE_ANSWERS: Stage[MeasureTask, MeasureSettings, PartFile] = Stage(
    name="cloze/measure-answers", receipt=PartFile, identity=_identity, build=_measure,
    unit="tables",
)  # fmt: skip
