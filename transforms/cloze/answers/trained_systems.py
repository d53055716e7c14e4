"""Reading systems trained here: on questions of one kind, to answer questions of all kinds.

FitSystem         a system, a kind and what is held out -> a model
AnswerQuestions   the same and its model -> a part of cloze/answers
ChooseAnswers     a model that comes trained, and a part of the questions -> a part of cloze/answers

Held out is a fold, the hash of the article modulo the number of folds, or the split that is tested. Questions of an
article that has a held-out question, of whatever kind, are not trained on: so a system that was trained on another
kind has not seen the passage either.

Trained elsewhere is any local multiple-choice model of transformers, `multiple-choice:PATH`: it reads the passage, and
beside it the summary with each option in the place of @placeholder. It is identified by the digest of its files, and
loaded once in a process.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import ANSWERS
from lexbeam.transforms.cloze.answers.data import asked_texts, numbered_questions
from lexbeam.transforms.cloze.answers.five_way import FIVE
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER
from lexbeam.transforms.cloze.readers.data import NumberedTexts
from lexbeam.transforms.cloze.readers.options import (
    CONTEXT,
    RESERVED,
    MakeReader,
    NetworkReader,
    Questions,
    TrainingData,
)
from lexbeam.transforms.cloze.readers.reading_in_folds import (
    NetworkSetting,
    ReadSides,
    ReadTexts,
    article_sides,
    log_probabilities_of,
    reader_model,
    train_on,
    vectors_in,
    words_in,
)
from lexbeam.transforms.cloze.readers.words import vectors_of
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.tables import Part, PartFile, write_part
from lexbeam.transforms.learning.crossfitting import Asked, Figures, FitModel, PredictRows, formats_chosen
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.encoders.encoder_batches import EncoderInfo
from lexbeam.transforms.lexicon.encoders.loading_encoders import (
    check_encoder,
    describe_encoder,
    kind_of,
    load_encoder,
    path_of,
)
from lexbeam.transforms.lexicon.encoders.model_heads import check_choices, choose


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
REGISTRY = "lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS"
WHOLE = -1  # in place of a fold: the split that is tested


class AnswerTask(NamedTuple):
    """A system, the kind of questions that it is trained on, and the fold that it does not see.

    `setting` is what its network is trained with, if it is one.
    """

    system: str
    language: str
    kind: str
    fold: int
    encoded: NumberedTexts
    setting: NetworkSetting | None


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


class HeldBy(NamedTuple):
    """By what questions are held out.

    Attributes:
        folds: how many there are; 0: by split.
        splits: the one that is trained on, that decides when to stop, that is tested; none with folds.
        seed: of folds.
    """

    folds: int
    splits: tuple[str, ...]
    seed: int


def rows_held_out(
    questions: Questions, rows: pa.Table, kind: str, fold: int, by: HeldBy, *, cross: bool = True
) -> HeldOut:
    """Return which questions a system is trained on, and which are tested.

    Args:
        questions: of all kinds.
        rows: the same, with `kind` and `split`.
        kind: of the questions that it is trained on.
        fold: that is held out; `WHOLE`: the split that is tested.
        by: folds or splits.
        cross: whether other kinds are tested, too.
    """
    of_kind = np.asarray(pc.equal(rows["kind"], kind))
    dev = None
    if fold == WHOLE:
        splits = pc.fill_null(rows["split"], "")
        train, dev, test = (np.asarray(pc.equal(splits, name)) for name in by.splits)
    else:
        train, test = article_sides(questions.articles, by.folds, fold, by.seed)
    articles = np.unique(questions.articles[test])
    unseen = of_kind & ~np.isin(questions.articles, articles)
    check = None if dev is None else np.flatnonzero(unseen & dev)
    tested = test if cross else test & of_kind
    return HeldOut(np.flatnonzero(unseen & train), check, np.flatnonzero(tested), articles)


def _known(task: AnswerTask) -> TrainingData:
    assert task.setting is not None
    words = words_in(task.encoded.words)
    vectors = vectors_in(task.setting.vectors, task.language)
    known = None if vectors is None else vectors_of(vectors, words)
    return TrainingData(len(words) + RESERVED, FIVE, vectors=known)


def _read(task: AnswerTask, by: HeldBy, *, cross: bool = True) -> tuple[ReadTexts, ReadSides, pa.Table]:
    """Return questions and texts, what a system sees of them, and table `NUMBERED`.

    It sees all texts but those of articles that are tested.
    """
    questions, rows = numbered_questions(task.encoded)
    held = rows_held_out(questions, rows, task.kind, task.fold, by, cross=cross)
    words = words_in(task.encoded.words).to_pylist()
    assert questions.options is not None
    numbers = np.unique(questions.options)
    spellings = [words[number - RESERVED] for number in numbers.tolist()]
    read = ReadTexts.of(task.encoded, questions, numbers, spellings, words)
    check = held.checked if held.checked is not None and len(held.checked) else None  # the split may be empty
    return (
        read,
        ReadSides(held.trained, held.tested, np.flatnonzero(~np.isin(read.articles, held.articles)), check),
        rows,
    )


@dataclass(frozen=True)
class FitSystem(FitModel[AnswerTask]):
    """Train a system on questions of a kind that are not held out."""

    by: HeldBy

    name = "cloze/answer-train"
    noun = unit = "systems"

    def fit(self, task: AnswerTask) -> tuple[Model, Figures]:
        """Return the system."""
        read, sides, _ = _read(task, self.by)
        seed = self.by.seed
        trained = train_on(
            SYSTEMS[task.system].network,
            read,
            sides,
            task.setting,
            lambda: _known(task),
            seed=hash_of((seed, task.system, task.kind, task.fold)) >> 1,
            vector_seed=hash_of((seed, "own vectors", task.fold)),
        )
        told = {"trained_on": task.kind, "fold": task.fold, "folds": self.by.folds}
        data = task.encoded.questions.sha256
        return reader_model(trained, task.system, task.setting, seed=seed, data=data, options=told)

    def chosen(self, task: AnswerTask) -> Mapping[str, Collection[str]]:
        """Return the system."""
        return {REGISTRY: (task.system,), **formats_chosen("safetensors")}


@dataclass(frozen=True)
class AnswerQuestions(PredictRows[AnswerTask, PartFile]):
    """Ask a trained system what is held out; where it is asked `cross`, of all kinds, and not of its own alone."""

    by: HeldBy
    cross: bool

    name, noun, unit = "cloze/answer", "answers", "parts of answers"

    def predict(self, artefact: Artefact, task: AnswerTask, model: Model | None) -> PartFile:
        """Write the answers."""
        assert model is not None
        read, sides, rows = _read(task, self.by, cross=self.cross)
        network = SYSTEMS[task.system].network
        asked = log_probabilities_of(network, model.content, read, sides, task.setting, lambda: _known(task))
        tables = (_answers_of(task, rows.take(pa.array(places)), np.exp(logs)) for places, logs in asked)
        return write_part(artefact, ANSWERS.schema(), tables, sort_keys=ANSWERS.key)

    def chosen(self, task: Asked[AnswerTask]) -> Mapping[str, Collection[str]]:
        """Return the system."""
        return {REGISTRY: (task.task.system,), **formats_chosen("safetensors")}


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


@dataclass(frozen=True)
class ChooseAnswers(Step[ChoiceTask, PartFile]):
    """Ask a model that comes trained.

    Attributes:
        max_length: pieces of passage and question together, at most; None: what a model takes.
        device: where models run.
        split: only questions of this split are answered; None: all.
    """

    max_length: int | None
    device: str
    split: str | None

    name, noun, unit = "cloze/choose-answers", "answers", "parts of questions"
    blas = True

    def make(self, artefact: Artefact, task: ChoiceTask) -> PartFile:
        """Write the answers."""
        return write_part(artefact, ANSWERS.schema(), self._tables(task), sort_keys=ANSWERS.key)

    def _tables(self, task: ChoiceTask) -> Iterator[pa.Table]:
        model = task.model
        encoder = load_encoder(model.path, device=self.device, digest=model.info.digest)
        ids: list[str] = []
        kinds: list[str] = []
        chances: list[list[float] | None] = []
        for row, passage, summary in asked_texts(task.pairs, task.asked):
            if self.split is not None and row["split"] != self.split:
                continue
            filled = [summary.replace(PLACEHOLDER, word) for word in row["options"]]
            probabilities = choose(encoder, passage, filled, max_length=self.max_length)
            ids.append(row["question_id"])
            kinds.append(row["kind"])
            chances.append(None if isinstance(probabilities, str) else probabilities.tolist())
            if len(ids) == _ROWS:
                yield answer_rows(ids, kinds, model.system, chances)
                ids, kinds, chances = [], [], []
        if ids:
            yield answer_rows(ids, kinds, model.system, chances)

    def chosen(self, task: ChoiceTask) -> Mapping[str, Collection[str]]:
        """Return the kind of encoder."""
        return encoders_chosen([task.model])


def encoders_chosen(models: Iterable[ChoiceModel]) -> Mapping[str, Collection[str]]:
    """Return the kinds of encoders that models are of."""
    return {"lexbeam.transforms.lexicon.encoders.loading_encoders:ENCODERS": sorted({model.kind for model in models})}
