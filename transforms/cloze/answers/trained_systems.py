"""Reading systems trained here: on questions of one kind, to answer questions of all kinds.

ANSWER_TRAIN    a system, a kind and what is held out -> a model
ANSWER          the same and its model -> a part of cloze/answers
CHOOSE_ANSWERS  a model that comes trained, and a part of the questions -> a part of cloze/answers

Held out is a fold, the hash of the article modulo the number of folds, or the split that is tested. Questions of an
article that has a held-out question, of whatever kind, are not trained on: so a system that was trained on another
kind has not seen the passage either.

Trained elsewhere is any local multiple-choice model of transformers, `multiple-choice:PATH`: it reads the passage, and
beside it the summary with each option in the place of @placeholder. It is identified by the digest of its files, and
loaded once in a process.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import ANSWERS
from lexbeam.transforms.cloze.answers.data import EncodedAsked, asked_texts, numbered_questions, pair_texts
from lexbeam.transforms.cloze.answers.five_way import FIVE
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER
from lexbeam.transforms.cloze.readers.context import ContextData, context_log_probabilities, train_context
from lexbeam.transforms.cloze.readers.options import (
    CONTEXT,
    RESERVED,
    MakeReader,
    NetworkOptions,
    NetworkReader,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
)
from lexbeam.transforms.cloze.readers.reading_in_folds import folds_of, reader_model, vectors_in
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.cloze.readers.words import train_vectors, vectors_of
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, Unless
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_table, write_part
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, load_model, save_model
from lexbeam.transforms.lexicon.encoders.encoder_batches import EncoderInfo
from lexbeam.transforms.lexicon.encoders.loading_encoders import (
    check_encoder,
    describe_encoder,
    kind_of,
    load_encoder,
    path_of,
)
from lexbeam.transforms.lexicon.encoders.model_heads import check_choices, choose
from lexbeam.transforms.lexicon.resources import Lexicon


@dataclass(frozen=True)
class System(Entry):
    """A system that is trained here.

    Attributes:
        network: as of a reader (`readers/options.py`); None: it is `context`.
    """

    network: MakeReader | None = None


def _five_way_gated_attention() -> NetworkReader:
    from lexbeam.transforms.cloze.readers.networks import FIVE_WAY_GATED_ATTENTION
    from lexbeam.transforms.cloze.readers.training import network_reader

    return network_reader(FIVE_WAY_GATED_ATTENTION)


SYSTEMS: Registry[System] = Registry(
    {
        "ga5": System(_five_way_gated_attention, doc="the gated-attention reader over five options, trained here"),
        CONTEXT: System(
            doc="counts of words beside each other and in the same texts, weighed, see reader `context`",
            modules=("safetensors",),
            extra="models",
        ),
    },
    what="system",
)
WHOLE = -1  # in place of a fold: the split that is tested


class AnswerTask(NamedTuple):
    """A system, the kind of questions that it is trained on, and the fold that it does not see."""

    system: str
    language: str
    kind: str
    fold: int
    encoded: EncodedAsked


class AnswerOptions(NamedTuple):
    """How systems are trained, and what they answer.

    Attributes:
        folds: how many there are; 0: by split.
        splits: the one that is trained on, that decides when to stop, that is tested.
        cross: whether systems answer questions of other kinds than they were trained on, too.
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
    """Receipt of a trained system; its numbers are those of `training.ReaderWeights`."""

    model: SavedModel
    losses: tuple[float, ...]
    best: int
    questions: int
    held_out: int


class AskTrained(NamedTuple):
    """A trained system, and the task that it was trained for."""

    task: AnswerTask
    model: SavedModel


class HeldOut(NamedTuple):
    """Which questions are trained on, and which are tested.

    Attributes:
        trained: places of those that are trained on.
        checked: places of those that decide when to stop; None: some of those trained on.
        tested: places of those that are tested.
        articles: hashes of the articles that are tested, with a question of any kind.
    """

    trained: npt.NDArray[np.int64]
    checked: npt.NDArray[np.int64] | None
    tested: npt.NDArray[np.int64]
    articles: npt.NDArray[np.uint64]


def rows_held_out(questions: Questions, rows: pa.Table, kind: str, fold: int, options: AnswerOptions) -> HeldOut:
    """Return which questions a system is trained on, and which it answers.

    Args:
        questions: of all kinds.
        rows: the same, with `kind` and `split`.
        kind: of the questions that it is trained on.
        fold: that is held out; `WHOLE`: the split that is tested.
        options: folds or splits, and whether other kinds are tested.
    """
    of_kind = np.asarray(pc.equal(rows["kind"], kind))
    dev = None
    if fold == WHOLE:
        splits = pc.fill_null(rows["split"], "")
        train, dev, test = (np.asarray(pc.equal(splits, name)) for name in options.splits)
    else:
        test = folds_of(questions.articles, options.folds, options.seed) == fold
        train = ~test
    articles = np.unique(questions.articles[test])
    unseen = of_kind & ~np.isin(questions.articles, articles)
    check = None if dev is None else np.flatnonzero(unseen & dev)
    tested = test if options.cross else test & of_kind
    return HeldOut(np.flatnonzero(unseen & train), check, np.flatnonzero(tested), articles)


def _data(task: AnswerTask, options: AnswerOptions) -> TrainingData:
    words = read_table([checked(task.encoded.words)])["word"]
    vectors = vectors_in(options.lexicon, task.language)
    known = None if vectors is None else vectors_of(vectors, words)
    return TrainingData(len(words) + RESERVED, FIVE, vectors=known)


def _with_trained_vectors(task: AnswerTask, data: TrainingData, held: HeldOut, options: AnswerOptions) -> TrainingData:
    """Return the data with vectors of all texts but those of articles that are tested."""
    passages, summaries, keys, articles = pair_texts(task.encoded)
    rows = np.flatnonzero(~np.isin(articles, held.articles))
    rows = rows[np.argsort(keys[rows], kind="stable")]
    trained = train_vectors(
        (passages, summaries),
        rows,
        data.words,
        _reader(options),
        seed=hash_of((options.seed, "own vectors", task.fold)),
    )
    return data if trained is None else data._replace(vectors=trained, static=False)


def _reader(options: AnswerOptions) -> ReaderNetworkOptions:
    return ReaderNetworkOptions(**vars(options.reader), prior=0, further_each=0)


def _context_data(task: AnswerTask, questions: Questions, held: HeldOut) -> ContextData:
    """Return what system `context` counts: all texts but those of articles that are tested."""
    passages, summaries, _, articles = pair_texts(task.encoded)
    words = read_table([checked(task.encoded.words)])["word"].to_pylist()
    assert questions.options is not None
    numbers = np.unique(questions.options)
    return ContextData(
        passages,
        summaries,
        articles,
        np.flatnonzero(~np.isin(articles, held.articles)),
        numbers,
        [words[number - RESERVED] for number in numbers.tolist()],
        len(words) + RESERVED,
    )


def _train(artefact: Artefact, task: AnswerTask, options: AnswerOptions) -> TrainedSystem:
    questions, rows = numbered_questions(task.encoded)
    held = rows_held_out(questions, rows, task.kind, task.fold, options)
    seed = hash_of((options.seed, task.system, task.kind, task.fold)) >> 1
    network = SYSTEMS[task.system].network
    with one_thread():
        if network is None:
            trained = train_context(questions, held.trained, _context_data(task, questions, held), seed=seed)
        else:
            trained = _train_network(network(), task, questions, held, options, seed)
    model = reader_model(
        trained,
        seed=options.seed,
        data=task.encoded.questions.sha256,
        options={
            "reader": task.system,
            "trained_on": task.kind,
            "fold": task.fold,
            "folds": options.folds,
            **(vars(options.reader) if network else {}),
        },
        resources=options.lexicon.held if network else (),
        made_with=("torch",) if network else (),
    )
    return TrainedSystem(
        save_model(artefact, model), tuple(trained.losses), trained.best, trained.questions, trained.held_out
    )


def _train_network(
    network: NetworkReader, task: AnswerTask, questions: Questions, held: HeldOut, options: AnswerOptions, seed: int
) -> ReaderWeights:
    check = held.checked
    if check is not None and not len(check):  # the split is empty
        check = None
    data = _data(task, options)
    if data.vectors is None and options.reader.start == "own" and len(held.trained):
        data = _with_trained_vectors(task, data, held, options)
    return network.train(questions, held.trained, data, _reader(options), seed=seed, checked_on=check)


def _answer(artefact: Artefact, request: AskTrained, options: AnswerOptions) -> PartFile:
    task = request.task
    questions, rows = numbered_questions(task.encoded)
    held = rows_held_out(questions, rows, task.kind, task.fold, options)
    weights = load_model(request.model).content
    network = SYSTEMS[task.system].network
    tables = []
    with one_thread():
        if network is None:
            data = _context_data(task, questions, held)
            read = context_log_probabilities(weights["weights"], questions, held.tested, held.trained, data)
        else:
            read = network().log_probabilities(weights, questions, held.tested, _data(task, options), _reader(options))
        for places, logs in read:
            tables.append(_answers_of(task, rows.take(pa.array(places)), np.exp(logs)))
    return write_part(artefact, ANSWERS.schema(), tables, sort_keys=ANSWERS.key)


def _answers_of(task: AnswerTask, rows: pa.Table, chances: npt.NDArray[np.float64]) -> pa.Table:
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
    best = [None if row is None else int(np.argmax(row)) for row in chances]
    count = len(ids)
    columns = [ids, kinds, [system] * count, [trained_on] * count, [fold] * count, chances, best]
    return pa.table(columns, schema=ANSWERS.schema())


def _by_split(_: object, options: AnswerOptions) -> bool:
    return not options.folds


REGISTRY = "lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS"


def _chosen_to_train(task: AnswerTask, _: AnswerOptions) -> Mapping[str, tuple[str, ...]]:
    return {REGISTRY: (task.system,), FORMATS: ("safetensors",)}


def _chosen_to_answer(request: AskTrained, _: AnswerOptions) -> Mapping[str, tuple[str, ...]]:
    return {REGISTRY: (request.task.system,), FORMATS: ("safetensors",)}


ANSWER_TRAIN: Stage[AnswerTask, AnswerOptions, TrainedSystem] = Stage(
    name="cloze/answer-train",
    noun="systems",
    receipt=TrainedSystem,
    build=_train,
    chosen=_chosen_to_train,
    unused={
        "options.cross": "it decides what a system answers",
        "options.splits": Unless("questions are held out by folds", used=_by_split),
    },
    blas=True,
    unit="systems",
)
ANSWER: Stage[AskTrained, AnswerOptions, PartFile] = Stage(
    name="cloze/answer",
    noun="answers",
    receipt=PartFile,
    build=_answer,
    chosen=_chosen_to_answer,
    unused={"options.splits": Unless("questions are held out by folds", used=_by_split)},
    blas=True,
    unit="parts of answers",
)


PREFIX = "multiple-choice:"
_ROWS = 256  # of a table that is written


class ChoiceModel(NamedTuple):
    """A model: what rows call it, where it is, and what it is."""

    system: str
    path: Place
    info: EncoderInfo

    @property
    def kind(self) -> str:
        """Its kind of encoder."""
        return kind_of(self.path)[0]


class ChoiceSettings(NamedTuple):
    """How models are run.

    Attributes:
        max_length: pieces of passage and question together, at most; None: what a model takes.
        device: where they run.
        split: only questions of this split are answered; None: all.
        kinds: kinds of encoders that models are of.
    """

    max_length: int | None
    device: str
    split: str | None
    kinds: tuple[str, ...]


class ChoiceTask(NamedTuple):
    """A model, and a part of the questions with that of the pairs."""

    model: ChoiceModel
    pairs: Part
    asked: Part


def within_system(system: str) -> Within | None:
    """Return the path within the name of a system, for `common/options`."""
    if not system.startswith(PREFIX):
        return None
    path = path_of(system.removeprefix(PREFIX))
    return None if path is None else path._replace(before=PREFIX + path.before)


def check_systems(systems: Sequence[str]) -> None:
    """Check the names of systems.

    Raises:
        UsageError: there are none, or there is no system of a name.
    """
    if not systems:
        raise UsageError("`systems` names none: give at least one")
    for system in systems:
        if system.startswith(PREFIX):
            check_encoder(system.removeprefix(PREFIX))
        elif system not in SYSTEMS:
            known = (*SYSTEMS, f"{PREFIX}PATH")
            raise UsageError(
                f"`systems`: there is no system {system!r}{nearest(system, known)} (systems: {', '.join(known)}; "
                "baselines are measured beside them without being named)"
            )


def choice_models(systems: Sequence[str]) -> tuple[ChoiceModel, ...]:
    """Return the multiple-choice models among systems.

    Raises:
        UsageError: there is no such model, it does not choose, or two have the same name.
    """
    models: dict[str, ChoiceModel] = {}
    for system in systems:
        if not system.startswith(PREFIX):
            continue
        path = system.removeprefix(PREFIX)
        info = describe_encoder(path)
        check_choices(info)
        name = PREFIX + info.name.partition(":")[2]
        if name in models:
            raise UsageError(
                f"`systems`: two models are called {name!r}, and rows could not tell them apart: rename one folder"
            )
        models[name] = ChoiceModel(name, path, info)
    return tuple(models.values())


def _choose(artefact: Artefact, task: ChoiceTask, settings: ChoiceSettings) -> PartFile:
    return write_part(artefact, ANSWERS.schema(), _tables(task, settings), sort_keys=ANSWERS.key)


def _tables(task: ChoiceTask, settings: ChoiceSettings) -> Iterator[pa.Table]:
    model = task.model
    encoder = load_encoder(model.path, device=settings.device, digest=model.info.digest)
    ids: list[str] = []
    kinds: list[str] = []
    chances: list[list[float] | None] = []
    for row, passage, summary in asked_texts(task.pairs, task.asked):
        if settings.split is not None and row["split"] != settings.split:
            continue
        filled = [summary.replace(PLACEHOLDER, word) for word in row["options"]]
        probabilities = choose(encoder, passage, filled, max_length=settings.max_length)
        ids.append(row["question_id"])
        kinds.append(row["kind"])
        chances.append(None if isinstance(probabilities, str) else probabilities.tolist())
        if len(ids) == _ROWS:
            yield answer_rows(ids, kinds, model.system, chances)
            ids, kinds, chances = [], [], []
    if ids:
        yield answer_rows(ids, kinds, model.system, chances)


def _chosen(_: object, settings: ChoiceSettings) -> Mapping[str, Collection[str]]:
    return {"lexbeam.transforms.lexicon.encoders.loading_encoders:ENCODERS": list(settings.kinds)}


CHOOSE_ANSWERS: Stage[ChoiceTask, ChoiceSettings, PartFile] = Stage(
    name="cloze/choose-answers",
    noun="answers",
    receipt=PartFile,
    build=_choose,
    unused={"options.kinds": "`chosen` says which kinds count"},
    chosen=_chosen,
    blas=True,
    unit="parts of questions",
)
