"""Words whose score moved most between two snapshots, each score with its noise and what chance gives."""

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.common.publish.differences import matched_rows, rows_as_now
from lexbeam.transforms.common.publish.snapshots import Snapshot

_KEY = ("slice_from", "slice_to", "alignment", "measure", "word")
_VALUES = ("score", "score_sd", "null_mean", "null_sd")


def moved_scores(before: Snapshot, after: Snapshot, top: int) -> pa.Table:
    """Return the `top` words whose score moved most.

    Scores are means over the seeds, of words that rankings take and of targets, that both snapshots score by the same
    measure between slices of the same names.

    Returns:
        Columns of the key (slices, alignment, measure, word), `moved` (the later score less the earlier), and of each
        snapshot `score`, `score_sd` (the noise of training: the standard deviation over seeds, null of one seed),
        `null_mean` and `null_sd` (what chance gives, null without null pairs), by the names `score_before`,
        `score_after` and so on. By the size of `moved`, the largest first, then by key.

    Raises:
        LexbeamError: the scores of one of them were written by a version that told them otherwise.
    """
    old, new = _scores(before), _scores(after)
    in_old, in_new = matched_rows(old, new, _KEY)
    old, new = old.take(in_old), new.take(in_new)
    moved = pc.subtract(new["score"], old["score"])
    columns = {name: new[name] for name in _KEY} | {"moved": moved, "size": pc.negate(pc.abs(moved))}
    for name in _VALUES:
        columns |= {f"{name}_before": old[name], f"{name}_after": new[name]}
    rows = pa.table(columns).filter(pc.not_equal(moved, 0))
    return rows.sort_by([(name, "ascending") for name in ("size", *_KEY)]).slice(0, top).drop_columns("size")


def _scores(snapshot: Snapshot) -> pa.Table:
    known = SCORES.schema()
    schema = pa.schema([known.field(name) for name in (*_KEY, "seed", "ranked", "target", *_VALUES)])
    kept = []
    for rows in rows_as_now(snapshot.parts(SCORES.name), schema, (*_KEY, "score")):
        is_shown = pc.or_(rows["ranked"].fill_null(False), rows["target"].fill_null(False))
        kept.append(rows.filter(pc.and_(pc.and_(rows["seed"].is_null(), rows["score"].is_valid()), is_shown)))
    return pa.concat_tables(kept)
