"""Readers in folds: each is trained on the other folds, and names words for its own.

READ_TRAIN    a reader, a fold and the questions of a group -> a model
READ_PREDICT  the same and its model -> a part of cloze/predictions, and how good it is

A fold is the hash of the article modulo their number, so that no passage is in two. Of the fold
that a reader is asked, training sees neither questions, nor further ones, nor any text.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schemas.cloze.pairs import PREDICTIONS
from transforms.cloze.readers.data import Encoded, QuestionGroup, candidates, further, pairs, questions, texts
from transforms.cloze.readers.frequency import BandOptions, draw_words
from transforms.cloze.readers.options import (
    READERS,
    RESERVED,
    UNKNOWN,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
    top_words,
)
from transforms.cloze.readers.own_vectors import own_vectors
from transforms.cloze.readers.training import log_probabilities, train_reader
from transforms.cloze.readers.words import glosses_of, vectors_of
from transforms.cloze.word_resources import VECTORS, WORDNET
from transforms.common.blas import one_thread
from transforms.common.draws.by_content import hash_of
from transforms.common.draws.folds import fold_of
from transforms.common.store.artefacts import Artefact, Stage, Unless
from transforms.common.store.sound import checked
from transforms.common.store.tables import PartFile, read_table, write_part
from transforms.evaluation.candidates import Candidates, mrr_expected_rank, recall_at_k
from transforms.evaluation.outcomes import Terms
from transforms.learning.models.keeping import SavedModel, load_model, save_model
from transforms.learning.models.model import Model
from transforms.lexicon.resources import Lexicon

__all__ = [
    "READ_PREDICT",
    "READ_TRAIN",
    "REGISTRY",
    "FoldOptions",
    "PredictTask",
    "PredictedWords",
    "ReadTask",
    "Tally",
    "TrainedReader",
    "folds_of",
    "tally_of",
]

NAMED = 50  # words of a question that are kept
CUTS = (1, 5, 10)
_TASK = "cloze"
_FOLD = "cloze/fold"


class ReadTask(NamedTuple):
    """A reader and the fold that it does not see; the questions of a group."""

    group: QuestionGroup
    reader: str
    fold: int
    encoded: Encoded


class FoldOptions(NamedTuple):
    """How readers are trained and asked.

    Attributes:
        folds: how many there are.
        seed: of folds, weights, drop-out, what is held out, and draws.
        reader: hyperparameters.
        bands: what reader `frequency` draws from.
        gloss_tokens: words of a gloss, at most.
        lexicon: resource `VECTORS`, which may be missing.
        glosses: resource `WORDNET`, likewise.
    """

    folds: int
    seed: int
    reader: ReaderNetworkOptions
    bands: BandOptions
    gloss_tokens: int
    lexicon: Lexicon
    glosses: Lexicon


@dataclass(frozen=True)
class TrainedReader:
    """Receipt of a trained reader; losses are those of `readers_training.Trained`."""

    model: SavedModel
    losses: tuple[float, ...]
    best: int
    questions: int
    held_out: int
    further: int


class PredictTask(NamedTuple):
    """What a reader is asked, and its model; None: it needs none."""

    task: ReadTask
    model: SavedModel | None


@dataclass(frozen=True)
class Tally:
    """How good a reader is on a fold, as sums over questions.

    Attributes:
        questions: how many it was asked.
        unseen: those whose answer is that of no question of the other folds: they are misses.
        reciprocal: sum of 1 / expected rank of the answer.
        hits: expected answers among the first 1, 5 and 10 words.
    """

    questions: int
    unseen: int
    reciprocal: float
    hits: tuple[float, ...]


@dataclass(frozen=True)
class PredictedWords:
    """Receipt of a part of the predictions; `frequency`, which knows answers, has no tally."""

    part: PartFile
    tally: Tally | None


def folds_of(asked: Questions, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the fold of each question, that of its article."""
    return fold_of(asked.articles, folds, seed=seed, label=_FOLD)


def _fold(articles: npt.NDArray[np.uint64], options: FoldOptions) -> npt.NDArray[np.int64]:
    return fold_of(articles, options.folds, seed=options.seed, label=_FOLD)


def _data(task: ReadTask, options: FoldOptions) -> TrainingData:
    language = task.group.language or None
    rows = candidates(task.encoded)
    words = read_table([checked(task.encoded.words)])["word"]
    data = TrainingData(len(words) + RESERVED, rows.num_rows)
    vectors: Any = options.lexicon.find(VECTORS, language)
    if vectors is not None:
        own = vectors_of(vectors, rows["key"], 0)
        data = data._replace(vectors=vectors_of(vectors, words), candidate_vectors=own)
    if _glosses(task.reader):
        glosses = glosses_of(
            options.glosses.find(WORDNET, language),
            rows["word"].to_pylist(),
            rows["lemma"].to_pylist(),
            options.gloss_tokens,
        )
        data = data._replace(glosses=glosses, gloss_words=int(glosses.values.max(initial=0)) + 1)
    return data


def _with_own_vectors(task: ReadTask, data: TrainingData, asked: Questions, options: FoldOptions) -> TrainingData:
    """Return the data with vectors of the texts of the other folds, all readers with the same."""
    keys, articles = pairs(task.encoded)
    rows = np.flatnonzero(_fold(articles, options) != task.fold)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    made = own_vectors(
        (asked.passages, texts(task.encoded)),
        rows,
        data.words,
        options.reader,
        seed=hash_of((options.seed, "own vectors", task.fold)),
    )
    if made is None:
        return data
    words = read_table([checked(task.encoded.words)])["word"].combine_chunks()
    at = pc.index_in(candidates(task.encoded)["key"], words).cast(pa.int64())
    numbers = pc.fill_null(pc.add(at, RESERVED), UNKNOWN).to_numpy()
    own = (made[0][numbers], made[1][numbers])
    return data._replace(vectors=made, candidate_vectors=own, given=False)


def _train(artefact: Artefact, task: ReadTask, options: FoldOptions) -> TrainedReader:
    asked = questions(task.encoded)
    others = np.flatnonzero(folds_of(asked, options.folds, options.seed) != task.fold)
    seed = hash_of((options.seed, task.reader, task.fold)) >> 1
    data = _data(task, options)
    more = further(task.encoded)
    more_rows = np.flatnonzero(_fold(more.articles, options) != task.fold)
    if not data.candidates:  # nothing is asked
        others, more_rows = others[:0], more_rows[:0]
        data = data._replace(candidates=1)
    if data.vectors is None and options.reader.start == "own" and len(others):
        data = _with_own_vectors(task, data, asked, options)
    with one_thread():
        made = train_reader(
            task.reader, asked, others, data, options.reader, seed=seed, further=more, further_rows=more_rows
        )
    own = {name: value for name, value in vars(options.reader).items() if name != "hops" or READERS[task.reader].hops}
    resources = (*options.lexicon.held, *(options.glosses.held if _glosses(task.reader) else ()))
    model = Model(
        kind="reader",
        task=_TASK,
        format="safetensors",
        content=made.weights,
        seed=options.seed,
        data=task.encoded.questions.sha256,
        made_with=("torch",),
        options={"reader": task.reader, "fold": task.fold, "folds": options.folds, **own},
        resources={held.name: held.compiled.digest for held in resources},
    )
    return TrainedReader(
        save_model(artefact, model), tuple(made.losses), made.best, made.questions, made.held_out, made.further
    )


def _predict(artefact: Artefact, asking: PredictTask, options: FoldOptions) -> PredictedWords:
    task = asking.task
    asked = questions(task.encoded)
    fold = folds_of(asked, options.folds, options.seed)
    own, others = np.flatnonzero(fold == task.fold), np.flatnonzero(fold != task.fold)
    tallies: list[Tally] = []
    name = _names(task, own)
    if not task.encoded.named:
        # There is nothing to name: every answer is a miss.
        tallies.append(Tally(len(own), len(own), 0.0, (0.0,) * len(CUTS)))
        nothing = np.zeros((0, NAMED), np.int64)
        tables = iter([name(own[:0], nothing, nothing.astype(np.float64))])
    elif asking.model is None:
        tables = iter([name(own, *_drawn(task, asked, own, options))])
    else:
        seen = np.isin(np.arange(task.encoded.named), asked.answers[others])
        tables = _asked(task, asking.model, asked, own, options, seen, tallies, name)
    part = write_part(artefact, PREDICTIONS.schema(), tables, sort_keys=PREDICTIONS.key)
    if asking.model is None:
        return PredictedWords(part, None)
    return PredictedWords(part, _added(tallies))


Named = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]], pa.Table]


def _asked(
    task: ReadTask,
    model: SavedModel,
    asked: Questions,
    own: npt.NDArray[np.int64],
    options: FoldOptions,
    seen: npt.NDArray[np.bool_],
    tallies: list[Tally],
    name: Named,
) -> Iterator[pa.Table]:
    weights = load_model(model).content
    with one_thread():
        for rows, logs in log_probabilities(task.reader, weights, asked, own, _data(task, options), options.reader):
            tallies.append(tally_of(logs, asked.answers[rows], seen))
            yield name(rows, *top_words(logs, NAMED))


def _drawn(
    task: ReadTask, asked: Questions, own: npt.NDArray[np.int64], options: FoldOptions
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    rows = candidates(task.encoded)
    vectors: Any = options.lexicon.find(VECTORS, task.group.language or None)
    key = rows["key"].combine_chunks()

    def cosine(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        found = vectors.cosine(key.take(pa.array(first)), key.take(pa.array(second)))
        values: npt.NDArray[np.float64] = found.to_numpy(zero_copy_only=False)
        return values

    # A word that is no candidate, for too few questions have it, has nothing to be like.
    there = np.flatnonzero(asked.answers[own] >= 0)
    found = np.full((len(own), NAMED), -1, np.int64)
    logs = np.full((len(own), NAMED), np.nan)
    found[there], logs[there] = draw_words(
        asked.answers[own][there],
        asked.keys[own][there],
        rows["upos"].to_pylist(),
        np.maximum(rows["count"].to_numpy(), 1).astype(np.float64),
        key.to_pylist(),
        NAMED,
        options.bands,
        seed=options.seed,
        cosine=None if vectors is None else cosine,
    )
    return found, logs


def _names(task: ReadTask, own: npt.NDArray[np.int64]) -> Named:
    """Return what makes rows of cloze/predictions of words."""
    words = candidates(task.encoded)["word"].combine_chunks()
    ids = read_table([checked(task.encoded.questions)], ["question_id"])["question_id"]

    def name(rows: npt.NDArray[np.int64], found: npt.NDArray[np.int64], logs: npt.NDArray[np.float64]) -> pa.Table:
        there = found >= 0
        place, rank = np.nonzero(there)
        count = len(place)
        return pa.table(
            {
                "question_id": ids.take(pa.array(rows[place])),
                "kind": pa.array([task.group.kind] * count, pa.string()),
                "reader": pa.array([task.reader] * count, pa.string()),
                "fold": pa.array(np.full(count, task.fold, np.int32)),
                "rank": pa.array((rank + 1).astype(np.int32)),
                "word": words.take(pa.array(found[there])),
                "log_prob": pa.array(np.minimum(logs[there], 0.0)),
            }
        )

    return name


def tally_of(log_probs: npt.NDArray[np.float64], answers: npt.NDArray[np.int64], seen: npt.NDArray[np.bool_]) -> Tally:
    """Return how good log probabilities are; ties get the rank that is expected.

    Args:
        log_probs: shape (questions, candidates).
        answers: a candidate each, or -1.
        seen: of each candidate, whether it may be found: others are misses.
    """
    number, count = log_probs.shape
    known = answers >= 0
    known[known] = seen[answers[known]]
    rank = np.zeros(log_probs.shape, np.int64)
    rank[np.flatnonzero(known), answers[known]] = 1
    listed = Candidates(np.repeat(np.arange(number), count), log_probs.ravel(), rank.ravel(), np.ones(number, np.int64))
    return Tally(
        number, int((~known).sum()), _sum(mrr_expected_rank(listed)), tuple(_sum(recall_at_k(listed, k)) for k in CUTS)
    )


def _sum(terms: Any) -> float:
    return float(terms.numerator.sum()) if isinstance(terms, Terms) else 0.0


def _added(tallies: Collection[Tally]) -> Tally:
    hits = (sum(one.hits[place] for one in tallies) for place in range(len(CUTS)))
    return Tally(
        sum(one.questions for one in tallies),
        sum(one.unseen for one in tallies),
        float(sum(one.reciprocal for one in tallies)),
        tuple(map(float, hits)),
    )


def _glosses(reader: str) -> bool:
    return READERS[reader].glosses


def _reader_of(task: ReadTask | PredictTask) -> str:
    return task.reader if isinstance(task, ReadTask) else task.task.reader


def _unless(reason: str, used: Callable[[str], bool]) -> Unless:
    """Return what a field is that only some readers use."""
    return Unless(reason, used=lambda task, _: used(_reader_of(task)))


_UNUSED: dict[str, str | Unless] = {
    **{
        f"options.reader.{one.name}": _unless(
            "reader `frequency` learns nothing", lambda reader: READERS[reader].trained
        )
        for one in fields(ReaderNetworkOptions)
    },
    "options.reader.hops": _unless("reader `ga` alone reads in hops", lambda reader: READERS[reader].hops),
    "options.bands": _unless("reader `frequency` alone draws from bands", lambda reader: not READERS[reader].trained),
    **dict.fromkeys(
        ("options.gloss_tokens", "options.glosses"), _unless("reader `ar-gloss` alone has glosses", _glosses)
    ),
}
_OF_ENCODED = dict.fromkeys(("forms", "asked", "named"), "readers know words as numbers, and count what they read")


REGISTRY = "transforms.cloze.readers.options:READERS"


def _chosen(task: ReadTask | PredictTask, _: FoldOptions) -> Mapping[str, Collection[str]]:
    return {REGISTRY: [_reader_of(task)]}


READ_TRAIN: Stage[ReadTask, FoldOptions, TrainedReader] = Stage(
    name="cloze/read-train",
    receipt=TrainedReader,
    build=_train,
    chosen=_chosen,
    unused={**_UNUSED, **{f"task.encoded.{name}": why for name, why in _OF_ENCODED.items()}},
    blas=True,
    unit="readers",
)
READ_PREDICT: Stage[PredictTask, FoldOptions, PredictedWords] = Stage(
    name="cloze/read-predict",
    receipt=PredictedWords,
    build=_predict,
    chosen=_chosen,
    unused={**_UNUSED, **{f"task.task.encoded.{name}": why for name, why in _OF_ENCODED.items()}},
    blas=True,
    unit="folds",
)
