"""Reading systems that come trained: any local multiple-choice model of transformers.

    multiple-choice:PATH

reads the passage, and beside it the summary with each option in the place of @placeholder.
A model is identified by the digest of its files, and loaded once in a process.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.cloze import ANSWERS
from lexbeam.transforms.cloze.answers.data import asked_texts
from lexbeam.transforms.cloze.answers.trained_systems import SYSTEMS, answer_rows
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.common.store.tables import Part, PartFile, write_part
from lexbeam.transforms.lexicon.encoders.encoder_batches import EncoderInfo
from lexbeam.transforms.lexicon.encoders.loading_encoders import (
    check_encoder,
    describe_encoder,
    kind_of,
    load_encoder,
    path_of,
)
from lexbeam.transforms.lexicon.encoders.model_heads import check_choices, choose

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
