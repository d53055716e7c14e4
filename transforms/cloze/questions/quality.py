"""The quality of questions by people's answers: which answers count, which questions are kept, and why not.

The rules of Zheng et al. (2021), appendix E: the average accuracy is higher than 40 %, both spans
of evidence are there, a question that is called easy is answered rightly; and section 2.6:
annotators have an approval rate above 90 %. Whose average it is, the text does not say: that of a
question, or of an annotator. Nor does it say, of questions with several answers, whether an answer that breaks a rule
drops the question, or itself alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lexbeam.schemas.cloze import VERDICT_REASONS
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.evaluation.reliability import fleiss_kappa, nominal_alpha

OF = ("question", "annotator")
LEVELS = ("question", "answer")
UNKNOWN = ("kept", "dropped")

Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class QualityOptions:
    """Which answers count, and which questions are kept."""

    min_accuracy: float = option(0.4, help="the accuracy must be above this", least=-1, most=1)
    accuracy_of: str = option(
        "question",
        help="whose accuracy: that of a question, which is dropped, or of an "
        "annotator, whose answers do not count then",
        choices=OF,
    )
    min_approval: float = option(0.9, help="the annotator's approval rate must be above this", least=-1, most=1)
    unknown_approval: str = option("kept", help="answers of annotators whose approval rate is unknown", choices=UNKNOWN)
    min_answers: int = option(1, help="answers that count, at least, for a question to be kept", least=1)
    evidence: bool = option(True, help="require that answers quote both passage and summary")
    easy: bool = option(True, help="require that those who call a question easy answer it correctly")
    easy_words: tuple[str, ...] = option(("easy", "very easy"), help="what difficulties count as easy", metavar="WORD")
    rules_of: str = option(
        "question",
        help="what breaks the rules of evidence and easy questions: the question is "
        "dropped, or the answer does not count",
        choices=LEVELS,
    )


class Annotation(NamedTuple):
    """An answer as a file has it.

    Attributes:
        key: question and kind.
        annotator: who answered.
        answer: the option, 0 to 4; None: undecided.
        correct: whether it is the answer.
        difficulty: how hard it was; None: unknown.
        spans: evidence in passage and summary; empty: none.
        explained: the annotator's remarks.
        approval: the annotator's approval rate, 0 to 1; None: unknown.
        source: the file.
        position: the line there; empty where it is not known.
    """

    key: Key
    annotator: str
    answer: int | None
    correct: bool
    difficulty: str | None
    spans: tuple[str, str]
    explained: str | None
    approval: float | None
    source: str
    position: str


class JudgedAnswer(NamedTuple):
    """An answer, and why it does not count; None: it does."""

    annotation: Annotation
    reason: str | None


class QuestionVerdict(NamedTuple):
    """The verdict of answers on a question, see table cloze/verdicts."""

    answers: int
    right: int
    accuracy: float | None
    evidence: int
    easy: int
    easy_wrong: int
    majority: int | None
    majority_share: float | None
    reason: str | None


def settle_annotations(annotations: Sequence[Annotation], options: QualityOptions) -> list[JudgedAnswer]:
    """Return annotations, each with the first reason for which it does not count.

    The accuracy of an annotator is that of their answers that count by the other rules.
    """
    reasons = [_reason(annotation, options) for annotation in annotations]
    if options.accuracy_of == "annotator":
        right: Counter[str] = Counter()
        count: Counter[str] = Counter()
        for annotation, reason in zip(annotations, reasons, strict=True):
            if reason is None:
                count[annotation.annotator] += 1
                right[annotation.annotator] += annotation.correct
        low = {name for name in count if right[name] / count[name] <= options.min_accuracy}
        for place, annotation in enumerate(annotations):
            if reasons[place] is None and annotation.annotator in low:
                reasons[place] = "low_accuracy"
    return [JudgedAnswer(annotation, reason) for annotation, reason in zip(annotations, reasons, strict=True)]


def _reason(annotation: Annotation, options: QualityOptions) -> str | None:
    if annotation.approval is None:
        if options.unknown_approval == "dropped":
            return "no_approval"
    elif annotation.approval <= options.min_approval:
        return "low_approval"
    if options.rules_of == "answer":
        if options.evidence and not _quotes(annotation):
            return "no_evidence"
        if options.easy and _is_easy(annotation, options) and not annotation.correct:
            return "easy_but_wrong"
    return None


def _quotes(annotation: Annotation) -> bool:
    return all(span.strip() for span in annotation.spans)


def _is_easy(annotation: Annotation, options: QualityOptions) -> bool:
    difficulty = (annotation.difficulty or "").casefold().split()
    return any(difficulty == word.casefold().split() for word in options.easy_words)


def verdict_of(judged: Sequence[JudgedAnswer], options: QualityOptions) -> QuestionVerdict:
    """Return the verdict of the answers to a question.

    Args:
        judged: its answers, those that do not count as well.
        options: the rules.
    """
    counted = [answer.annotation for answer in judged if answer.reason is None]
    right = sum(annotation.correct for annotation in counted)
    accuracy = right / len(counted) if counted else None
    evidence = sum(map(_quotes, counted))
    easy = [annotation for annotation in counted if _is_easy(annotation, options)]
    wrong = sum(not annotation.correct for annotation in easy)
    chosen = Counter(annotation.answer for annotation in counted if annotation.answer is not None)
    most = max(chosen.values(), default=0)
    first = [answer for answer, count in chosen.items() if count == most]
    broken = {
        "not_annotated": not judged,
        "too_few": len(counted) < options.min_answers,
        "low_accuracy": options.accuracy_of == "question" and (accuracy is None or accuracy <= options.min_accuracy),
        "no_evidence": options.evidence and evidence < len(counted),
        "easy_but_wrong": options.easy and wrong > 0,
    }
    return QuestionVerdict(
        len(counted),
        right,
        accuracy,
        evidence,
        len(easy),
        wrong,
        first[0] if len(first) == 1 else None,
        most / len(counted) if counted else None,
        next((name for name in VERDICT_REASONS if broken[name]), None),
    )


def agreement_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how far the answers that count agree.

    Undecided ones are no answer here. `alpha` is Krippendorff's for categories, the place of the
    option: places are drawn by hash, so that they mean nothing over questions.

    Args:
        rows: of cloze/annotations.

    Returns:
        `answers`, `annotators`, `questions`; `several`: questions with two answers or more;
        `alpha`, `kappa`: Krippendorff's, Fleiss'; `majority`: the mean share of the most frequent answer where there
        are several; `accuracy`: the share of right answers. None where it is undefined.
    """
    counted = [row for row in rows if row["kept"]]
    decided = [row for row in counted if row["answer"] is not None]
    by_key: dict[Key, Counter[int]] = {}
    for row in decided:
        by_key.setdefault(_key(row), Counter())[row["answer"]] += 1
    several = [counts for counts in by_key.values() if counts.total() > 1]
    numbers = {key: place for place, key in enumerate(sorted(by_key))}
    shares = [max(counts.values()) / counts.total() for counts in several]
    instances = np.array([numbers[_key(row)] for row in decided], np.int64)
    chosen = np.array([row["answer"] for row in decided], np.int64)
    return {
        "answers": len(counted),
        "annotators": len({row["annotator_id"] for row in counted}),
        "questions": len({_key(row) for row in counted}),
        "several": len(several),
        "alpha": nominal_alpha(instances, chosen),
        "kappa": fleiss_kappa(instances, chosen),
        "majority": sum(shares) / len(shares) if shares else None,
        "accuracy": sum(row["correct"] for row in counted) / len(counted) if counted else None,
    }


def by_annotator(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return figures of each annotator, sorted by name.

    Args:
        rows: of cloze/annotations.

    Returns:
        `annotator`; `answers`; `counted`: those that count; of these `undecided`, `accuracy`: the share of right ones,
        `agreement`: of the others' answers to the same questions the share that is the same, None where there is none.
    """
    counted = [row for row in rows if row["kept"]]
    chosen: dict[Key, Counter[int]] = {}
    for row in counted:
        if row["answer"] is not None:
            chosen.setdefault(_key(row), Counter())[row["answer"]] += 1
    answers = Counter(row["annotator_id"] for row in rows)
    by_name: dict[str, list[Mapping[str, Any]]] = {name: [] for name in sorted(answers)}
    for row in counted:
        by_name[row["annotator_id"]].append(row)
    figures = []
    for name, own in by_name.items():
        decided = [(row["answer"], chosen[_key(row)]) for row in own if row["answer"] is not None]
        others = sum(counts.total() - 1 for _, counts in decided)
        same = sum(counts[answer] - 1 for answer, counts in decided)
        figures.append(
            {
                "annotator": name,
                "answers": answers[name],
                "counted": len(own),
                "undecided": len(own) - len(decided),
                "accuracy": sum(row["correct"] for row in own) / len(own) if own else None,
                "agreement": same / others if others else None,
            }
        )
    return figures


def _key(row: Mapping[str, Any]) -> Key:
    return row["question_id"], row["kind"]
