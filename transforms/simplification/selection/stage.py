"""Selection as a stage: generated candidates, filtered by the filters of their setting.

SELECT    the parts of one number of instances and candidates -> a part of selections, and counts
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification.candidates import CANDIDATES, SELECTIONS
from lexbeam.transforms.annotation.engines.known_engines import chosen_entries
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Inheritance, Stage
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.simplification.records import (
    BATCH,
    ID,
    INSTANCE_COLUMNS,
    InstanceRows,
    JoinTask,
    Row,
    instance_rows,
)
from lexbeam.transforms.simplification.selection.filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    TaggedPlace,
)
from lexbeam.transforms.simplification.selection.filters import FILTERS

_COLUMNS = ("setting", "form", "lemma", "shown", "before", "score", "votes", "inflected", "reason")


# By setting, in the order of names, what its candidates are filtered by.
Selection = Mapping[str, Selecting]


@dataclass(frozen=True)
class SelectedCount:
    """How many candidates of a setting have an outcome, and whether they go on.

    Attributes:
        outcome: their reason, else their note, else `kept`.
        kept: whether they go on.
    """

    setting: str
    outcome: str
    kept: bool
    candidates: int


@dataclass(frozen=True)
class Selected:
    """Receipt of a part of the selections, with what each instance's were made from, and what became of candidates."""

    part: PartFile
    keys: File
    counts: tuple[SelectedCount, ...]


def select(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Apply the filters of a setting, in their order, to the candidates of instances."""
    for name in selecting.options.filters:
        FILTERS[name].drop(groups, selecting)
    for group in groups:
        for state in group.states:
            state.note = state.note if state.reason is None else None


def _select(artefact: Artefact, task: JoinTask, selection: Selection) -> Selected:
    used = _used(selection)
    schema = SELECTIONS.schema(filters=used)
    counts: Counter[tuple[str, str, bool]] = Counter()

    def made(wanted: Mask) -> Iterator[pa.Table]:
        for batch in batched(instance_rows(task, {CANDIDATES.name: _COLUMNS}, wanted), BATCH):
            yield pa.Table.from_pylist(_selected(batch, selection), schema)

    def count(rows: pa.Table) -> None:
        outcomes = pc.coalesce(rows["reason"], rows["note"], "kept").to_pylist()
        counts.update(zip(rows["setting"].to_pylist(), outcomes, rows["kept"].to_pylist(), strict=True))

    read = [Read([task.instances], INSTANCE_COLUMNS), Read([task.tables[CANDIDATES.name]], [ID, *_COLUMNS])]
    if "pos" in used:  # an engine may tag a sentence otherwise beside others
        artefact.before = None
    part, keys = write_inheriting(artefact, schema, ID, SELECTIONS.key, read, made, count)
    return Selected(part, keys, tuple(SelectedCount(*key, counts[key]) for key in sorted(counts)))


def _selected(batch: Sequence[InstanceRows], selection: Selection) -> list[Row]:
    by_setting: dict[str, list[InstanceCandidates]] = {}
    for joined in batch:
        states_by_setting: dict[str, list[CandidateState]] = {}
        for row in joined.rows[CANDIDATES.name]:
            if row["reason"] is None:
                states_by_setting.setdefault(row["setting"], []).append(_state(row))
        for setting, states in states_by_setting.items():
            by_setting.setdefault(setting, []).append(InstanceCandidates(joined.instance, states))
    rows = []
    tagged: dict[TaggedPlace, str] = {}
    for setting, groups in sorted(by_setting.items()):
        select(groups, selection[setting]._replace(tagged=tagged))
        rows += [_row(group.instance.instance_id, setting, state) for group in groups for state in group.states]
    return sorted(rows, key=_key)


def _key(row: Row) -> tuple[str, str, str]:
    return row["instance_id"], row["setting"], row["form"]


def _state(row: Row) -> CandidateState:
    shown = row["shown"] if row["shown"] is not None else row["form"]
    return CandidateState(
        row["form"],
        shown,
        row["lemma"],
        row["before"],
        row["score"],
        row["votes"],
        came_as_form=row["inflected"] is None,
    )


def _row(instance_id: str, setting: str, state: CandidateState) -> Row:
    columns = asdict(state)
    del columns["shown"], columns["before"], columns["came_as_form"]
    return {**columns, "instance_id": instance_id, "setting": setting, "kept": state.reason is None}


def _used(selection: Selection) -> set[str]:
    return {name for selecting in selection.values() for name in selecting.options.filters}


def _chosen(_: JoinTask, selection: Selection) -> Mapping[str, Collection[str]]:
    used = _used(selection)
    first = next(iter(selection.values()))
    encoders = (one.encoder.chosen() for one in selection.values() if one.encoder is not None)
    return {
        **next(encoders, {}),
        "lexbeam.transforms.simplification.selection.filters:FILTERS": sorted(used),
        **chosen_entries(first.engine if "pos" in used else ""),
        **chosen_formats(*(one.inflector for one in selection.values())),
    }


SELECT: Stage[JoinTask, Selection, Selected] = Stage(
    name="simplification/select",
    noun="selections",
    receipt=Selected,
    build=_select,
    chosen=_chosen,
    blas=True,
    unit="parts",
    inherits=Inheritance(attrgetter("instances.number"), ("task.instances", "task.tables")),
)
