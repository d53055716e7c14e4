"""Controls of systems by name: how many words each calls changed, also by chance, and how scores go with frequency.

A system whose scores follow frequency may tell no more than that; one that calls as many words changed where dates are
dealt out at random tells nothing of the slices (Dubossarsky et al. 2017).
"""

from statistics import fmean

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.systems import NO_SCORE, SYSTEM_CONTROLS
from lexbeam.transforms.change.scores.ranking import Row, spearman_with_frequency

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
