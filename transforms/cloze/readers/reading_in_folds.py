"""Readers trained in folds, each on the other folds, and the words that they name for the questions of their own.

READ_TRAIN    a reader, a fold and the questions of a group -> a model
READ_PREDICT  a reader, a fold, the questions of a group and its model -> a part of cloze/predictions, and its tally

The fold of an article is its hash modulo the number of folds, so that no passage is in two. Of the fold that a reader
predicts, training sees neither questions, nor further ones, nor any text.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import PREDICTIONS
from lexbeam.transforms.cloze.readers.context import ContextData, context_log_probabilities, train_context
from lexbeam.transforms.cloze.readers.data import Encoded, QuestionGroup, candidates, further, pairs, questions, texts
from lexbeam.transforms.cloze.readers.options import (
    READERS,
    RESERVED,
    UNKNOWN,
    NetworkReader,
    Questions,
    Reader,
    ReaderNetworkOptions,
    TrainingData,
    top_words,
)
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.cloze.readers.words import BandOptions, draw_words, glosses_of, train_vectors, vectors_of
from lexbeam.transforms.cloze.word_resources import VECTORS, WORDNET
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.folds import fold_of
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, Unless
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import PartFile, read_table, write_part
from lexbeam.transforms.evaluation.candidate_metrics import Candidates, mrr_expected_rank, recall_at_k
from lexbeam.transforms.evaluation.outcomes import Terms
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, load_model, save_model
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.resources import HeldResource, Lexicon

REGISTRY = "lexbeam.transforms.cloze.readers.options:READERS"

Ints = npt.NDArray[np.int64]


class ReadTask(NamedTuple):
    """A reader and the fold that it does not see; the questions of a group."""

    group: QuestionGroup
    reader: str
    fold: int
    encoded: Encoded

    @property
    def entry(self) -> Reader:
        """The reader's entry in `READERS`."""
        return READERS[self.reader]


class FoldOptions(NamedTuple):
    """How readers are trained, and how they predict.

    Attributes:
        folds: how many there are.
        seed: of folds, weights, drop-out, what is held out, and draws.
        reader: hyperparameters.
        bands: what reader `frequency` draws from.
        gloss_tokens: words of a gloss, at most.
        lexicon: resource `VECTORS`, which may be missing.
        glosses: resource `WORDNET`, which may be missing.
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
    """Receipt of a trained reader; its numbers are those of `training.ReaderWeights`."""

    model: SavedModel
    losses: tuple[float, ...]
    best: int
    questions: int
    held_out: int
    further: int


def folds_of(articles: npt.NDArray[np.uint64], folds: int, seed: int) -> Ints:
    """Return the fold of each article, given by its hash."""
    return fold_of(articles, folds, seed=seed, label="cloze/fold")


def vectors_in(lexicon: Lexicon, language: str) -> Any:
    """Return the static vectors of a language (empty: unknown), None where there are none."""
    return lexicon.find(VECTORS, language or None)


def network_of(entry: Reader) -> NetworkReader:
    """Return the network of a reader that is one."""
    assert entry.network is not None
    return entry.network()


def training_data(task: ReadTask, options: FoldOptions) -> TrainingData:
    """Return what a reader knows beside questions: its words, and what resources say of them."""
    rows = candidates(task.encoded)
    words = read_table([checked(task.encoded.words)])["word"]
    data = TrainingData(len(words) + RESERVED, rows.num_rows)
    vectors = vectors_in(options.lexicon, task.group.language)
    if vectors is not None:
        of_candidates = vectors_of(vectors, rows["key"], 0)
        data = data._replace(vectors=vectors_of(vectors, words), candidate_vectors=of_candidates)
    if task.entry.glosses:
        glosses = glosses_of(
            options.glosses.find(WORDNET, task.group.language or None),
            rows["word"].to_pylist(),
            rows["lemma"].to_pylist(),
            options.gloss_tokens,
        )
        data = data._replace(glosses=glosses, gloss_words=int(glosses.values.max(initial=0)) + 1)
    return data


def _with_trained_vectors(task: ReadTask, data: TrainingData, asked: Questions, options: FoldOptions) -> TrainingData:
    """Return the data with vectors of the texts of the other folds, all readers with the same."""
    keys, articles = pairs(task.encoded)
    rows = np.flatnonzero(folds_of(articles, options.folds, options.seed) != task.fold)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    trained = train_vectors(
        (asked.passages, texts(task.encoded)),
        rows,
        data.words,
        options.reader,
        seed=hash_of((options.seed, "own vectors", task.fold)),
    )
    if trained is None:
        return data
    numbers = _numbers_of_candidates(task)
    vectors, known = trained
    return data._replace(vectors=trained, candidate_vectors=(vectors[numbers], known[numbers]), static=False)


def _numbers_of_candidates(task: ReadTask) -> Ints:
    """Return the number that each candidate word has in texts, or `UNKNOWN`."""
    words = read_table([checked(task.encoded.words)])["word"].combine_chunks()
    at = pc.index_in(candidates(task.encoded)["key"].combine_chunks(), words).cast(pa.int64())
    numbers: Ints = pc.fill_null(pc.add(at, RESERVED), UNKNOWN).to_numpy(zero_copy_only=False)
    return numbers


def context_data(task: ReadTask, asked: Questions, options: FoldOptions) -> ContextData:
    """Return what reader `context` counts: the texts of the other folds."""
    articles = pairs(task.encoded)[1]
    return ContextData(
        asked.passages,
        texts(task.encoded),
        articles,
        np.flatnonzero(folds_of(articles, options.folds, options.seed) != task.fold),
        _numbers_of_candidates(task),
        candidates(task.encoded)["key"].to_pylist(),
        read_table([checked(task.encoded.words)]).num_rows + RESERVED,
    )


def _train(artefact: Artefact, task: ReadTask, options: FoldOptions) -> TrainedReader:
    asked = questions(task.encoded)
    rows = np.flatnonzero(folds_of(asked.articles, options.folds, options.seed) != task.fold)
    seed = hash_of((options.seed, task.reader, task.fold)) >> 1
    if task.entry.network is None:
        with one_thread():
            trained = train_context(asked, rows, context_data(task, asked, options), seed=seed)
    else:
        trained = _train_network(task, asked, rows, options, seed)
    hyperparameters = dict(vars(options.reader)) if task.entry.network else {}
    if not task.entry.hops:
        hyperparameters.pop("hops", None)
    model = reader_model(
        trained,
        seed=options.seed,
        data=task.encoded.questions.sha256,
        options={"reader": task.reader, "fold": task.fold, "folds": options.folds, **hyperparameters},
        resources=(
            *(options.lexicon.held if task.entry.network else ()),
            *(options.glosses.held if task.entry.glosses else ()),
        ),
        made_with=("torch",) if task.entry.network else (),
    )
    return TrainedReader(
        save_model(artefact, model),
        tuple(trained.losses),
        trained.best,
        trained.questions,
        trained.held_out,
        trained.further,
    )


def _train_network(task: ReadTask, asked: Questions, rows: Ints, options: FoldOptions, seed: int) -> ReaderWeights:
    data = training_data(task, options)
    more = further(task.encoded)
    more_rows = np.flatnonzero(folds_of(more.articles, options.folds, options.seed) != task.fold)
    if not data.candidates:  # there are no questions
        rows, more_rows = rows[:0], more_rows[:0]
        data = data._replace(candidates=1)
    if data.vectors is None and options.reader.start == "own" and len(rows):
        data = _with_trained_vectors(task, data, asked, options)
    with one_thread():
        return network_of(task.entry).train(
            asked, rows, data, options.reader, seed=seed, further=more, further_rows=more_rows
        )


def reader_model(
    trained: ReaderWeights,
    *,
    seed: int,
    data: str,
    options: Mapping[str, object],
    resources: Iterable[HeldResource],
    made_with: tuple[str, ...] = ("torch",),
) -> Model:
    """Return a trained reader as a model that is kept.

    Args:
        trained: its weights.
        seed: of its training.
        data: digest of the questions that it was trained on.
        options: what decided it.
        resources: what it looked words up in.
        made_with: packages whose versions are kept with it.
    """
    return Model(
        kind="reader",
        task="cloze",
        format="safetensors",
        content=trained.weights,
        seed=seed,
        data=data,
        made_with=made_with,
        options=options,
        resources={held.name: held.compiled.digest for held in resources},
    )


def unused_of(reader: Callable[[Any], Reader]) -> dict[str, str | Unless]:
    """Return what of `FoldOptions` only some readers use, for a stage.

    Args:
        reader: from a task of the stage, its reader.
    """

    def only(reason: str, uses: Callable[[Reader], bool]) -> Unless:
        return Unless(reason, used=lambda task, _: uses(reader(task)))

    return {
        "options.reader.hops": only("reader `ga` alone reads in hops", lambda entry: entry.hops),
        "options.reader": only(
            "readers `context` and `frequency` are no networks", lambda entry: entry.network is not None
        ),
        "options.bands": only("reader `frequency` alone draws from bands", lambda entry: entry.draws),
        "options.gloss_tokens": only("reader `ar-gloss` alone has glosses", lambda entry: entry.glosses),
        "options.glosses": only("reader `ar-gloss` alone has glosses", lambda entry: entry.glosses),
    }


# Fields of `Encoded` that no reader uses.
UNUSED_OF_ENCODED = dict.fromkeys(
    ("forms", "asked", "named"), "readers know words as numbers, and count what they read"
)


def _chosen(task: ReadTask, _: FoldOptions) -> Mapping[str, tuple[str, ...]]:
    return {REGISTRY: (task.reader,), FORMATS: ("safetensors",)}


READ_TRAIN: Stage[ReadTask, FoldOptions, TrainedReader] = Stage(
    name="cloze/read-train",
    noun="readers",
    receipt=TrainedReader,
    build=_train,
    chosen=_chosen,
    unused={
        **unused_of(attrgetter("entry")),
        **{f"task.encoded.{name}": reason for name, reason in UNUSED_OF_ENCODED.items()},
    },
    blas=True,
    unit="readers",
)


NAMED = 50  # words of a question that are published
CUTS = (1, 5, 10)

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


def _chosen_to_predict(request: PredictTask, _: FoldOptions) -> Mapping[str, tuple[str, ...]]:
    return {REGISTRY: (request.task.reader,), FORMATS: ("safetensors",) if request.model else ()}


READ_PREDICT: Stage[PredictTask, FoldOptions, PredictedWords] = Stage(
    name="cloze/read-predict",
    noun="predictions",
    receipt=PredictedWords,
    build=_predict,
    chosen=_chosen_to_predict,
    unused={
        **unused_of(attrgetter("entry")),
        **{f"task.task.encoded.{name}": reason for name, reason in UNUSED_OF_ENCODED.items()},
    },
    blas=True,
    unit="folds",
)
