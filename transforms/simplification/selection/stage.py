"""Selection as a stage: candidates that were generated, after the filters of their setting.

SELECT    the parts of one number of instances and candidates -> a part of selections, and counts
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from schemas.simplification.candidates import CANDIDATES, SELECTIONS
from transforms.common.batched import batched
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.tables import PartFile, write_part
from transforms.simplification.records import BATCH, InstanceRows, JoinTask, instance_rows
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting
from transforms.simplification.selection.filters import FILTERS

__all__ = ["SELECT", "Selected", "SelectedCount", "Selection", "select"]

_COLUMNS = ("setting", "form", "lemma", "shown", "before", "score", "votes", "inflected", "reason")


# By setting, in the order of names, what its candidates are filtered by.
Selection = Mapping[str, Selecting]


@dataclass(frozen=True)
class SelectedCount:
    """How many candidates of a setting have a reason, or a note (`kept`: neither)."""

    setting: str
    outcome: str
    candidates: int


@dataclass(frozen=True)
class Selected:
    """Receipt of a part of the selections, and what became of candidates."""

    part: PartFile
    counts: tuple[SelectedCount, ...]


def select(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Apply the filters of a setting, in their order, to the candidates of instances."""
    for name in selecting.options.filters:
        FILTERS[name].drop(groups, selecting)
    for group in groups:
        for state in group.states:
            state.note = state.note if state.reason is None else None


def _select(artefact: Artefact, task: JoinTask, selection: Selection) -> Selected:
    counts: Counter[tuple[str, str]] = Counter()

    def tables() -> Iterator[pa.Table]:
        for batch in batched(instance_rows(task, {CANDIDATES.name: _COLUMNS}), BATCH):
            yield _selected(batch, selection, counts)

    part = write_part(artefact, SELECTIONS.schema(), tables(), sort_keys=SELECTIONS.key)
    found = tuple(SelectedCount(*key, counts[key]) for key in sorted(counts))
    return Selected(part, found)


def _selected(batch: Sequence[InstanceRows], selection: Selection, counts: Counter[tuple[str, str]]) -> pa.Table:
    by_setting: dict[str, list[InstanceCandidates]] = {}
    for one in batch:
        own: dict[str, list[CandidateState]] = {}
        for row in one.rows[CANDIDATES.name]:
            if row["reason"] is None:
                own.setdefault(row["setting"], []).append(_state(row))
        for setting, states in own.items():
            by_setting.setdefault(setting, []).append(InstanceCandidates(one.instance, states))
    rows = []
    tagged: dict[Any, str] = {}
    for setting, groups in sorted(by_setting.items()):
        select(groups, selection[setting]._replace(tagged=tagged))
        for group in groups:
            for state in group.states:
                counts[setting, state.reason or state.note or "kept"] += 1
                rows.append(_row(group.instance.instance_id, setting, state))
    rows.sort(key=_key)
    return pa.Table.from_pylist(rows, SELECTIONS.schema())


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["instance_id"], row["setting"], row["form"]


def _state(row: Mapping[str, Any]) -> CandidateState:
    shown = row["shown"] if row["shown"] is not None else row["form"]
    return CandidateState(
        row["form"], shown, row["lemma"], row["before"], row["score"], row["votes"], given=row["inflected"] is None
    )


def _row(instance_id: str, setting: str, state: CandidateState) -> dict[str, Any]:
    own = asdict(state)
    del own["shown"], own["before"], own["given"]
    return {**own, "instance_id": instance_id, "setting": setting, "kept": state.reason is None}


def _chosen(_: Any, selection: Selection) -> Mapping[str, Collection[str]]:
    used = {name for one in selection.values() for name in one.options.filters}
    first = next(iter(selection.values()))
    kind = first.engine.partition(":")[0]
    kinds = [kind] if kind and "pos" in used else []
    return {
        "transforms.simplification.selection.filters:FILTERS": sorted(used),
        "transforms.annotation.engines.registry:ENGINES": kinds,
    }


SELECT: Stage[JoinTask, Selection, Selected] = Stage(
    name="simplification/select", receipt=Selected, build=_select, chosen=_chosen, blas=True, unit="parts"
)
