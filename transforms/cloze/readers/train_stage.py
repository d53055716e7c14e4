"""Readers trained in folds: each on the other folds, to name words for its own.

READ_TRAIN    a reader, a fold and the questions of a group -> a model

The fold of an article is its hash modulo the number of folds, so that no passage is in two. Of the fold that a reader
predicts, training sees neither questions, nor further ones, nor any text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.readers.context_training import ContextData, train_context
from lexbeam.transforms.cloze.readers.data import Encoded, QuestionGroup, candidates, further, pairs, questions, texts
from lexbeam.transforms.cloze.readers.frequency import BandOptions
from lexbeam.transforms.cloze.readers.options import (
    READERS,
    RESERVED,
    UNKNOWN,
    NetworkReader,
    Questions,
    Reader,
    ReaderNetworkOptions,
    TrainingData,
)
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.cloze.readers.words import glosses_of, train_vectors, vectors_of
from lexbeam.transforms.cloze.word_resources import VECTORS, WORDNET
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, Unless
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, save_model
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
