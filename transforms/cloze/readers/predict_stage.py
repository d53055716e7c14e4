"""Words that readers name for the questions of their fold, and how good they are.

READ_PREDICT  a reader, a fold, the questions of a group and its model -> a part of cloze/predictions, and its tally
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.cloze import PREDICTIONS
from lexbeam.transforms.cloze.readers.context_training import context_log_probabilities
from lexbeam.transforms.cloze.readers.data import candidates, questions
from lexbeam.transforms.cloze.readers.frequency import draw_words
from lexbeam.transforms.cloze.readers.options import Questions, Reader, top_words
from lexbeam.transforms.cloze.readers.train_stage import (
    REGISTRY,
    UNUSED_OF_ENCODED,
    FoldOptions,
    ReadTask,
    context_data,
    folds_of,
    network_of,
    training_data,
    unused_of,
    vectors_in,
)
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import PartFile, read_table, write_part
from lexbeam.transforms.evaluation.candidate_metrics import Candidates, mrr_expected_rank, recall_at_k
from lexbeam.transforms.evaluation.outcomes import Terms
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, load_model

NAMED = 50  # words of a question that are published
CUTS = (1, 5, 10)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# From questions, the candidates that each names by rank, and their log probabilities: rows of cloze/predictions.
MakeRows = Callable[[Ints, Ints, Floats], pa.Table]


class PredictTask(NamedTuple):
    """A reader with the questions that it names words for, and its model; None: it is not trained."""

    task: ReadTask
    model: SavedModel | None

    @property
    def entry(self) -> Reader:
        """The reader's entry in `READERS`."""
        return self.task.entry


@dataclass(frozen=True)
class Tally:
    """How good a reader is on a fold, as sums over questions.

    Attributes:
        questions: how many it named words for.
        unseen: those whose answer is that of no question of the other folds.
        reciprocal: sum of 1 / expected rank of the answer.
        reciprocal_seen: the same over the others.
        hits: expected answers among the first 1, 5 and 10 words.
    """

    questions: int
    unseen: int
    reciprocal: float
    reciprocal_seen: float
    hits: tuple[float, ...]


@dataclass(frozen=True)
class PredictedWords:
    """Receipt of a part of the predictions; `frequency`, which knows answers, has no tally."""

    part: PartFile
    tally: Tally | None


def _predict(artefact: Artefact, request: PredictTask, options: FoldOptions) -> PredictedWords:
    task = request.task
    asked = questions(task.encoded)
    fold = folds_of(asked.articles, options.folds, options.seed)
    rows = np.flatnonzero(fold == task.fold)
    tallies: list[Tally] = []
    make_rows = _row_maker(task)
    if not task.encoded.named:
        # There are no candidates: every answer is a miss.
        tallies.append(Tally(len(rows), len(rows), 0.0, 0.0, (0.0,) * len(CUTS)))
        nothing = np.zeros((0, NAMED), np.int64)
        tables = iter([make_rows(rows[:0], nothing, nothing.astype(np.float64))])
    elif request.model is None:
        tables = iter([make_rows(rows, *_drawn(task, asked, rows, options))])
    else:
        seen = np.isin(np.arange(task.encoded.named), asked.answers[fold != task.fold])
        tables = _predicted(task, request.model, asked, rows, options, seen, tallies, make_rows)
    part = write_part(artefact, PREDICTIONS.schema(), tables, sort_keys=PREDICTIONS.key)
    return PredictedWords(part, None if request.model is None else _added(tallies))


def _predicted(
    task: ReadTask,
    model: SavedModel,
    asked: Questions,
    rows: Ints,
    options: FoldOptions,
    seen: npt.NDArray[np.bool_],
    tallies: list[Tally],
    make_rows: MakeRows,
) -> Iterator[pa.Table]:
    weights = load_model(model).content
    if task.entry.network is None:
        others = np.flatnonzero(folds_of(asked.articles, options.folds, options.seed) != task.fold)
        data = context_data(task, asked, options)
        read = context_log_probabilities(weights["weights"], asked, rows, others, data)
    else:
        known = training_data(task, options)
        read = network_of(task.entry).log_probabilities(weights, asked, rows, known, options.reader)
    with one_thread():
        for chunk, logs in read:
            tallies.append(tally_of(logs, asked.answers[chunk], seen))
            yield make_rows(chunk, *top_words(logs, NAMED))


def _drawn(task: ReadTask, asked: Questions, rows: Ints, options: FoldOptions) -> tuple[Ints, Floats]:
    """Return the words that reader `frequency` draws, and their log probabilities."""
    words = candidates(task.encoded)
    vectors = vectors_in(options.lexicon, task.group.language)
    keys = words["key"].combine_chunks()

    def cosine(first: Ints, second: Ints) -> Floats:
        assert vectors is not None
        cosines = vectors.cosine(keys.take(pa.array(first)), keys.take(pa.array(second)))
        return np.asarray(cosines.to_numpy(zero_copy_only=False), np.float64)

    # An answer that is no candidate, since too few questions have it, has no words like it.
    known = np.flatnonzero(asked.answers[rows] >= 0)
    named = np.full((len(rows), NAMED), -1, np.int64)
    logs = np.full((len(rows), NAMED), np.nan)
    named[known], logs[known] = draw_words(
        asked.answers[rows][known],
        asked.keys[rows][known],
        words["upos"].to_pylist(),
        np.maximum(words["count"].to_numpy(), 1).astype(np.float64),
        keys.to_pylist(),
        NAMED,
        options.bands,
        seed=options.seed,
        cosine=None if vectors is None else cosine,
    )
    return named, logs


def _row_maker(task: ReadTask) -> MakeRows:
    words = candidates(task.encoded)["word"].combine_chunks()
    ids = read_table([checked(task.encoded.questions)], ["question_id"])["question_id"]

    def make_rows(rows: Ints, named: Ints, logs: Floats) -> pa.Table:
        there = named >= 0
        place, rank = np.nonzero(there)
        count = len(place)
        return pa.table(
            {
                "question_id": ids.take(pa.array(rows[place])),
                "kind": pa.array([task.group.kind] * count, pa.string()),
                "reader": pa.array([task.reader] * count, pa.string()),
                "fold": pa.array(np.full(count, task.fold, np.int32)),
                "rank": pa.array((rank + 1).astype(np.int32)),
                "word": words.take(pa.array(named[there])),
                "log_prob": pa.array(np.minimum(logs[there], 0.0)),
            }
        )

    return make_rows


def tally_of(log_probs: Floats, answers: Ints, seen: npt.NDArray[np.bool_]) -> Tally:
    """Return how good log probabilities are; ties get the rank that is expected.

    Args:
        log_probs: shape (questions, candidates).
        answers: a candidate each, or -1.
        seen: of each candidate, whether a question that the reader learnt from has it for an answer.
    """
    number, count = log_probs.shape
    named = answers >= 0
    known = named.copy()
    known[named] = seen[answers[named]]

    def listed(of: npt.NDArray[np.bool_]) -> Candidates:
        rank = np.zeros(log_probs.shape, np.int64)
        rank[np.flatnonzero(of), answers[of]] = 1
        questions = np.repeat(np.arange(number), count)
        return Candidates(questions, log_probs.ravel(), rank.ravel(), np.ones(number, np.int64))

    of_all = listed(named)
    return Tally(
        number,
        int((~known).sum()),
        _sum(mrr_expected_rank(of_all)),
        _sum(mrr_expected_rank(listed(known))),
        tuple(_sum(recall_at_k(of_all, k)) for k in CUTS),
    )


def _sum(terms: object) -> float:
    return float(terms.numerator.sum()) if isinstance(terms, Terms) else 0.0


def _added(tallies: Collection[Tally]) -> Tally:
    hits = (sum(tally.hits[place] for tally in tallies) for place in range(len(CUTS)))
    return Tally(
        sum(tally.questions for tally in tallies),
        sum(tally.unseen for tally in tallies),
        float(sum(tally.reciprocal for tally in tallies)),
        float(sum(tally.reciprocal_seen for tally in tallies)),
        tuple(map(float, hits)),
    )


def _chosen(request: PredictTask, _: FoldOptions) -> Mapping[str, tuple[str, ...]]:
    return {REGISTRY: (request.task.reader,), FORMATS: ("safetensors",) if request.model else ()}


READ_PREDICT: Stage[PredictTask, FoldOptions, PredictedWords] = Stage(
    name="cloze/read-predict",
    noun="predictions",
    receipt=PredictedWords,
    build=_predict,
    chosen=_chosen,
    unused={
        **unused_of(attrgetter("entry")),
        **{f"task.task.encoded.{name}": reason for name, reason in UNUSED_OF_ENCODED.items()},
    },
    blas=True,
    unit="folds",
)
