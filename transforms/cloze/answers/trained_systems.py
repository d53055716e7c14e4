"""Reading systems trained here: on questions of a kind, asked questions of all kinds.

ANSWER_TRAIN    a system, a kind and what is held out -> a model
ANSWER          the same and its model -> a part of cloze/answers

What is held out is a fold, the hash of the article modulo their number, or the split that is
tested. A question of which the article has a question in there, of whatever kind, is not trained
on: a system that was trained on another kind has not seen the passage either.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schemas.cloze.answers import ANSWERS
from transforms.cloze.answers.data import EncodedAsked, numbered_questions, pair_texts
from transforms.cloze.answers.keys import FIVE
from transforms.cloze.readers.options import RESERVED, NetworkOptions, Questions, ReaderNetworkOptions, TrainingData
from transforms.cloze.readers.own_vectors import own_vectors
from transforms.cloze.readers.training import log_probabilities, train_reader
from transforms.cloze.readers.words import vectors_of
from transforms.cloze.word_resources import VECTORS
from transforms.common.blas import one_thread
from transforms.common.draws.by_content import hash_of
from transforms.common.draws.folds import fold_of
from transforms.common.store.artefacts import Artefact, Stage, Unless
from transforms.common.store.sound import checked
from transforms.common.store.tables import PartFile, read_table, write_part
from transforms.learning.models.keeping import SavedModel, load_model, save_model
from transforms.learning.models.model import Model
from transforms.lexicon.resources import Lexicon

__all__ = [
    "ANSWER",
    "ANSWER_TRAIN",
    "SYSTEMS",
    "WHOLE",
    "AnswerOptions",
    "AnswerTask",
    "AskTrained",
    "TrainedSystem",
    "answer_rows",
    "rows_held_out",
]

SYSTEMS = ("ga5",)
WHOLE = -1  # in place of a fold: the split that is tested


class AnswerTask(NamedTuple):
    """A system, the kind of questions that it is trained on, and the fold that it does not see."""

    system: str
    language: str
    kind: str
    fold: int
    encoded: EncodedAsked


class AnswerOptions(NamedTuple):
    """How systems are trained and asked.

    Attributes:
        folds: how many there are; 0: by split.
        splits: the one that is trained on, that decides when to stop, that is tested.
        cross: whether systems are asked questions of other kinds than they were trained on.
        seed: of folds, weights, drop-out, and what is held out.
        reader: hyperparameters.
        lexicon: resource `VECTORS`, which may be missing.
    """

    folds: int
    splits: tuple[str, str, str]
    cross: bool
    seed: int
    reader: NetworkOptions
    lexicon: Lexicon


@dataclass(frozen=True)
class TrainedSystem:
    """Receipt of a trained system; losses are those of `readers_training.Trained`."""

    model: SavedModel
    losses: tuple[float, ...]
    best: int
    questions: int
    held_out: int


class AskTrained(NamedTuple):
    """A trained system, and what it was trained for."""

    task: AnswerTask
    model: SavedModel


class HeldOut(NamedTuple):
    """Places of questions: trained on, checked on (None: of those trained on), tested.

    `articles` are hashes of those that are tested with a question of any kind.
    """

    trained: npt.NDArray[np.int64]
    checked: npt.NDArray[np.int64] | None
    tested: npt.NDArray[np.int64]
    articles: npt.NDArray[np.uint64]


def rows_held_out(questions: Questions, rows: pa.Table, kind: str, fold: int, options: AnswerOptions) -> HeldOut:
    """Return which questions a system is trained on, and which it is asked.

    Args:
        questions: of all kinds.
        rows: the same, with `kind` and `split`.
        kind: of the questions that it is trained on.
        fold: that is held out; `WHOLE`: the split that is tested.
        options: folds or splits, and whether other kinds are tested.
    """
    own = np.asarray(pc.equal(rows["kind"], kind))
    check = None
    if fold == WHOLE:
        given = pc.fill_null(rows["split"], "")
        train, dev, test = (np.asarray(pc.equal(given, name)) for name in options.splits)
    else:
        test = fold_of(questions.articles, options.folds, seed=options.seed, label="cloze/fold")
        test = test == fold
        train, dev = ~test, None
    articles = np.unique(questions.articles[test])
    unseen = own & ~np.isin(questions.articles, articles)
    if dev is not None:
        check = np.flatnonzero(unseen & dev)
    asked = test if options.cross else test & own
    return HeldOut(np.flatnonzero(unseen & train), check, np.flatnonzero(asked), articles)


def _data(task: AnswerTask, options: AnswerOptions) -> TrainingData:
    words = read_table([checked(task.encoded.words)])["word"]
    vectors: Any = options.lexicon.find(VECTORS, task.language or None)
    given = None if vectors is None else vectors_of(vectors, words)
    return TrainingData(len(words) + RESERVED, FIVE, vectors=given)


def _with_own_vectors(task: AnswerTask, data: TrainingData, held: HeldOut, options: AnswerOptions) -> TrainingData:
    """Return the data with vectors of all texts but those of articles that are tested."""
    passages, summaries, keys, articles = pair_texts(task.encoded)
    rows = np.flatnonzero(~np.isin(articles, held.articles))
    rows = rows[np.argsort(keys[rows], kind="stable")]
    made = own_vectors(
        (passages, summaries),
        rows,
        data.words,
        _reader(options),
        seed=hash_of((options.seed, "own vectors", task.fold)),
    )
    return data if made is None else data._replace(vectors=made, given=False)


def _reader(options: AnswerOptions) -> ReaderNetworkOptions:
    return ReaderNetworkOptions(**vars(options.reader), prior=0, further_each=0)


def _train(artefact: Artefact, task: AnswerTask, options: AnswerOptions) -> TrainedSystem:
    questions, rows = numbered_questions(task.encoded)
    held = rows_held_out(questions, rows, task.kind, task.fold, options)
    check = held.checked
    if check is not None and not len(check):  # the split is empty
        check = None
    data = _data(task, options)
    if data.vectors is None and options.reader.start == "own" and len(held.trained):
        data = _with_own_vectors(task, data, held, options)
    seed = hash_of((options.seed, task.system, task.kind, task.fold)) >> 1
    with one_thread():
        made = train_reader(task.system, questions, held.trained, data, _reader(options), seed=seed, checked_on=check)
    model = Model(
        kind="reader",
        task="cloze",
        format="safetensors",
        content=made.weights,
        seed=options.seed,
        data=task.encoded.questions.sha256,
        made_with=("torch",),
        options={
            "reader": task.system,
            "trained_on": task.kind,
            "fold": task.fold,
            "folds": options.folds,
            **vars(options.reader),
        },
        resources={held.name: held.compiled.digest for held in options.lexicon.held},
    )
    return TrainedSystem(save_model(artefact, model), tuple(made.losses), made.best, made.questions, made.held_out)


def _answer(artefact: Artefact, asking: AskTrained, options: AnswerOptions) -> PartFile:
    task = asking.task
    questions, rows = numbered_questions(task.encoded)
    asked = rows_held_out(questions, rows, task.kind, task.fold, options).tested
    weights = load_model(asking.model).content
    found = []
    with one_thread():
        for places, logs in log_probabilities(
            task.system, weights, questions, asked, _data(task, options), _reader(options)
        ):
            found.append(_of_system(task, rows.take(pa.array(places)), np.exp(logs)))
    return write_part(artefact, ANSWERS.schema(), found, sort_keys=ANSWERS.key)


def _of_system(task: AnswerTask, rows: pa.Table, chances: npt.NDArray[np.float64]) -> pa.Table:
    fold = None if task.fold == WHOLE else task.fold
    return answer_rows(
        rows["question_id"].to_pylist(), rows["kind"].to_pylist(), task.system, chances.tolist(), task.kind, fold
    )


def answer_rows(
    ids: list[str],
    kinds: list[str],
    system: str,
    chances: list[list[float] | None],
    trained_on: str | None = None,
    fold: int | None = None,
) -> pa.Table:
    """Return rows of cloze/answers; chances of None are of a question too long for the system."""
    best = [None if own is None else int(np.argmax(own)) for own in chances]
    count = len(ids)
    columns = [ids, kinds, [system] * count, [trained_on] * count, [fold] * count, chances, best]
    return pa.table(columns, schema=ANSWERS.schema())


def _by_split(_: Any, options: AnswerOptions) -> bool:
    return not options.folds


ANSWER_TRAIN: Stage[AnswerTask, AnswerOptions, TrainedSystem] = Stage(
    name="cloze/answer-train",
    receipt=TrainedSystem,
    build=_train,
    unused={
        "options.cross": "it decides what a system is asked",
        "options.splits": Unless("questions are held out by folds", used=_by_split),
    },
    blas=True,
    unit="systems",
)
ANSWER: Stage[AskTrained, AnswerOptions, PartFile] = Stage(
    name="cloze/answer",
    receipt=PartFile,
    build=_answer,
    unused={"options.splits": Unless("questions are held out by folds", used=_by_split)},
    blas=True,
    unit="parts of answers",
)
