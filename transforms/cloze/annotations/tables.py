"""Annotations of published questions as rows: tables cloze/annotations and cloze/verdicts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import KINDS
from lexbeam.schemas.cloze.questions import ANNOTATIONS, VERDICT_REASONS, VERDICTS
from lexbeam.transforms.cloze.annotations.files import Question
from lexbeam.transforms.cloze.annotations.quality import (
    JudgedAnswer,
    Key,
    QualityOptions,
    agreement_of,
    by_annotator,
    verdict_of,
)

QUESTION_COLUMNS = ("question_id", "kind", "options", "label", "kept")


def questions_of(rows: Iterable[pa.Table]) -> dict[Key, Question]:
    """Return the questions that are kept, in the order of the table, without their texts.

    Args:
        rows: row groups of cloze/questions, with `QUESTION_COLUMNS`.
    """
    return {
        (row["question_id"], row["kind"]): Question(tuple(row["options"]), row["label"])
        for group in rows
        for row in group.filter(group["kept"]).to_pylist()
    }


def annotation_rows(judged: Sequence[JudgedAnswer]) -> pa.Table:
    """Return rows of cloze/annotations, sorted by their key."""
    rows = []
    for annotation, reason in judged:
        rows.append(
            {
                "question_id": annotation.key[0],
                "kind": annotation.key[1],
                "annotator_id": annotation.annotator,
                "answer": annotation.answer,
                "correct": annotation.correct,
                "difficulty": annotation.difficulty,
                "span_passage": annotation.spans[0] or None,
                "span_summary": annotation.spans[1] or None,
                "explained": annotation.explained,
                "approval_rate": annotation.approval,
                "kept": reason is None,
                "reason": reason,
                "source": annotation.source,
                "position": annotation.position,
            }
        )
    rows.sort(key=lambda row: tuple(row[name] for name in ANNOTATIONS.key))
    return pa.Table.from_pylist(rows, ANNOTATIONS.schema())


def verdict_rows(judged: Sequence[JudgedAnswer], questions: Iterable[Key], options: QualityOptions) -> pa.Table:
    """Return rows of cloze/verdicts, one for each question, sorted."""
    by_key: dict[Key, list[JudgedAnswer]] = {}
    for answer in judged:
        by_key.setdefault(answer.annotation.key, []).append(answer)
    rows = []
    for key in sorted(questions):
        verdict = verdict_of(by_key.get(key, ()), options)._asdict()
        rows.append({"question_id": key[0], "kind": key[1], **verdict, "kept": verdict["reason"] is None})
    return pa.Table.from_pylist(rows, VERDICTS.schema())


def figures_of(annotations: pa.Table, verdicts: pa.Table) -> Mapping[str, Any]:
    """Return figures for the manifest: counts, reasons, how far people agree, by kind and person."""
    names = ["question_id", "kind", "annotator_id", "answer", "correct", "kept", "reason"]
    answers = annotations.select(names).to_pylist()
    rows = verdicts.select(["kind", "kept", "reason"]).to_pylist()
    reasons = Counter(row["reason"] for row in answers if row["reason"])
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    return {
        "annotations": len(answers),
        "annotators": len({row["annotator_id"] for row in answers}),
        "counted": sum(row["kept"] for row in answers),
        "reasons": dict(sorted(reasons.items())),
        "kinds": [
            {
                "kind": kind,
                "questions": sum(row["kind"] == kind for row in rows),
                "kept": sum(row["kind"] == kind and row["kept"] for row in rows),
                "dropped": {
                    name: sum((row["kind"], row["reason"]) == (kind, name) for row in rows) for name in VERDICT_REASONS
                },
                "agreement": agreement_of([row for row in answers if row["kind"] == kind]),
            }
            for kind in kinds
        ],
        "agreement": agreement_of(answers),
        "by_annotator": by_annotator(answers),
    }
