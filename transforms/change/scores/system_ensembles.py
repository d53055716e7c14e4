"""Systems side by side, their ensembles and controls, as an artefact: rows of `change/systems` and `change/controls`.

CompareSystems   rows of systems, real and null, of each run that has some -> a part of either table

An ensemble scores a word by the mean of its places (`ranking.joined`) in the systems that score: among targets or,
where it is named `-ranked`, among ranked words. It calls a word changed if more than half of those systems do that have
a class for it.

Controls say how many words a system calls changed, also by chance, and how its scores go with frequency. A system whose
scores follow frequency may tell no more than that; one that calls as many words changed where dates are dealt out at
random tells nothing of the slices (Dubossarsky et al. 2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NO_SCORE, SYSTEM_CONTROLS, SYSTEM_SCORES
from lexbeam.schemas.change.spaces import USES
from lexbeam.transforms.change.scores.ranking import Place, Row, joined, ranks, spearman_with_frequency, z_scores
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, read_table, sort_rows, write_part

OVER = {"ranked": "ranked", "targets": "target"}  # by name, the column that says which words


def control_rows(rows: pa.Table, nulls: pa.Table) -> pa.Table:
    """Return the rows of table `change/controls` of a pair of slices, by system and words.

    Args:
        rows: of table `change/systems`, of the pair.
        nulls: the same of its null pairs, or of their ranked words and targets alone.
    """
    found = []
    for system in sorted(pc.unique(rows["system"]).to_pylist()):
        real, dealt = (table.filter(pc.field("system") == system) for table in (rows, nulls))
        for over, column in OVER.items():
            found.append(_row(real, over, column) | _by_chance(dealt.filter(dealt[column])))
    return pa.Table.from_pylist(found, SYSTEM_CONTROLS.schema())


_OF_SYSTEM = (
    *("slice_from", "slice_to", "system", "alignment", "measure"),
    *("threshold", "threshold_value", "threshold_reason"),
)


def _row(rows: pa.Table, over: str, column: str) -> Row:
    words = rows.filter(rows[column])
    scored = words.filter(words["score"].is_valid())
    rhos = spearman_with_frequency(scored)
    return (
        {name: rows[name][0].as_py() for name in _OF_SYSTEM}
        | {"over": over, "words": words.num_rows, "scored": scored.num_rows}
        | {"classed": pc.count(words["changed"]).as_py(), "changed": pc.sum(words["changed"]).as_py() or 0}
        | {"share_changed": pc.mean(words["changed"]).as_py()}
        | rhos
        | {"spearman_reason": _why_not(rows, scored) if None in rhos.values() else None}
    )


def _why_not(rows: pa.Table, scored: pa.Table) -> str:
    """Return why there is no correlation, a key of `NO_RHO`."""
    if pc.all(pc.equal(rows["reason"], NO_SCORE), skip_nulls=False).as_py():
        return NO_SCORE
    if scored.num_rows < 2:
        return "too_few_words"
    return "all_equal" if len(pc.unique(scored["score"])) == 1 else "same_frequency"


def _by_chance(rows: pa.Table) -> Row:
    """Return the share of words that null pairs call changed, of rows of these words."""
    shares = rows.group_by("slice_from", use_threads=False).aggregate([("changed", "mean")])["changed_mean"].drop_null()
    return {"null_changed": fmean(shares.to_pylist()) if len(shares) else None, "null_runs": len(shares)}


REGISTRY = "lexbeam.transforms.change.scores.system_ensembles:ENSEMBLES"


@dataclass(frozen=True)
class SystemEnsemble(Entry):
    """How scores of systems become one.

    Attributes:
        place: of a score among those of reference words.
        over: the column that says which these are, `target` or `ranked`.
    """

    place: Place
    over: str


def _over_both(name: str, place: Place, what: str) -> dict[str, SystemEnsemble]:
    return {
        name: SystemEnsemble(place, "target", doc=f"{what} among targets"),
        f"{name}-ranked": SystemEnsemble(place, "ranked", doc=f"{what} among ranked words"),
    }


ENSEMBLES: Registry[SystemEnsemble] = Registry(
    {
        **_over_both("mean-rank", ranks, "mean of ranks, as shares,"),
        **_over_both("mean-z", z_scores, "mean of z-scores"),
    },
    what="ensemble",
    group="lexbeam.ensembles",
)


_OF_WORD = ("word", "slice_from", "slice_to", "target", "ranked", *(field.name for field in USES))


def ensemble_rows(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return the rows of ensembles of the systems of a pair that score words.

    They have the words that all of these have rows of. A word that one of them does not score has the reason of the
    first, by name, that does not.

    Args:
        rows: of table `change/systems`, of one pair.
        names: keys of `ENSEMBLES`.
    """
    schema = SYSTEM_SCORES.schema()
    scoring = rows.filter(rows["measure"].is_valid())
    systems = [scoring.filter(pc.field("system") == name).sort_by("word") for name in _named(scoring)]
    if not systems or not names:
        return schema.empty_table()
    for other in list(systems):
        systems = [
            system.filter(pc.is_in(system["word"], value_set=other["word"].combine_chunks())) for system in systems
        ]
    scores = np.stack([system["score"].to_numpy() for system in systems])
    reasons = systems[0]["reason"]
    for system in systems[1:]:
        reasons = pc.coalesce(reasons, system["reason"])
    classes = [system["changed"] for system in systems]
    voters = np.sum([votes.is_valid().to_numpy(zero_copy_only=False) for votes in classes], axis=0)
    for_change = np.sum([votes.fill_null(False).to_numpy() for votes in classes], axis=0)
    changed = pa.array(2 * for_change > voters, mask=voters == 0)
    tables = []
    for name in sorted(set(names)):
        first, size = systems[0], systems[0].num_rows
        found = joined(scores, first[ENSEMBLES[name].over].to_numpy(), ENSEMBLES[name].place)
        lacking = pc.coalesce(reasons, pa.array(["no_reference"] * size, pa.string(), mask=~np.isnan(found)))
        columns = {column: pa.nulls(size, schema.field(column).type) for column in schema.names}
        columns |= {column: first[column] for column in _OF_WORD}
        columns["system"] = pa.array([name] * size, pa.string())
        columns |= {"score": pa.array(found, from_pandas=True), "changed": changed, "reason": lacking}
        tables.append(pa.table(columns, schema=schema))
    return pa.concat_tables(tables)


def _named(rows: pa.Table) -> list[str]:
    return sorted(pc.unique(rows["system"]).to_pylist())


class SystemsTask(NamedTuple):
    """Rows of systems of a pair, and of its null pairs: a file for each run that has some."""

    parts: tuple[File, ...]
    nulls: tuple[File, ...] = ()


@dataclass(frozen=True)
class JoinedSystems:
    """A part of `change/systems`, and one of `change/controls`."""

    part: PartFile
    controls: PartFile


@dataclass(frozen=True)
class CompareSystems(Step[SystemsTask, JoinedSystems]):
    """Put the systems of all runs side by side, with ensembles of them.

    Attributes:
        ensembles: keys of `ENSEMBLES`, sorted.
    """

    ensembles: tuple[str, ...]

    name = "change/systems"
    unit = "pairs"

    def chosen(self, task: SystemsTask) -> dict[str, tuple[str, ...]]:
        """Return the ensembles."""
        return {REGISTRY: self.ensembles}

    def make(self, artefact: Artefact, task: SystemsTask) -> JoinedSystems:
        """Write the rows of both tables."""
        rows = _joined(task.parts, self.ensembles)
        nulls = _joined(task.nulls, self.ensembles) if task.nulls else rows.slice(0, 0)
        part = write_part(artefact, SYSTEM_SCORES.schema(), [rows], sort_keys=SYSTEM_SCORES.key)
        controls = control_rows(rows, nulls)
        schema = SYSTEM_CONTROLS.schema()
        return JoinedSystems(
            part, write_part(artefact, schema, [controls], sort_keys=SYSTEM_CONTROLS.key, suffix="-controls")
        )


def _joined(parts: Sequence[File], ensembles: Sequence[str]) -> pa.Table:
    """Return the rows of systems and ensembles; a null pair has slices of its own, and so ensembles of its own."""
    rows = read_table([checked(file) for file in parts])
    pairs = [rows.filter(pc.field("slice_from") == name) for name in pc.unique(rows["slice_from"]).to_pylist()]
    return sort_rows(pa.concat_tables([rows, *(ensemble_rows(pair, ensembles) for pair in pairs)]), SYSTEM_SCORES.key)
