"""Panels of systems by name: their first words, how many words they call changed, and how far two of them agree."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NO_THRESHOLD
from lexbeam.schemas.change.systems import NO_RHO, SYSTEM_CONTROLS, SYSTEM_SCORES
from lexbeam.schemas.columns import column
from lexbeam.transforms.change.report.rankings import PAIRS
from lexbeam.transforms.change.scores.ranking import Row, of_pos
from lexbeam.transforms.change.scores.system_controls import OVER
from lexbeam.transforms.change.shown.classes import UNCLASSED
from lexbeam.transforms.change.shown.ranking_rows import SUMMARY, Pair, pairs_of, shown_pos, tagged
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.evaluation.metrics import spearman
from lexbeam.transforms.report.panels import Panel, Rows

WORDS = 10  # first ones of a system
KINDS = {"ranked": "ranked words", "targets": "targets"}

_RHOS = {
    "spearman_from": ("rho earlier", "Spearman's rho of score and uses in the earlier slice"),
    "spearman_to": ("rho later", "the same of uses in the later slice"),
    "spearman_growth": ("rho growth", "Spearman's rho of score and how many times as frequent a word has become"),
    "spearman_change": ("rho change", "the same, be it growth or decline"),
}
_COMPARED = [
    column("compared", pa.string(), "slices"),
    column("of", pa.string(), "which words the row is about"),
    column("system", pa.string(), "name of the system, or of what systems make together"),
]
_SCHEMA = pa.schema(
    [
        *_COMPARED,
        column("first words", pa.string(), "those with the highest scores"),
        column("scored", pa.int64(), "words with a score"),
        column("classed", pa.int64(), "words with a class"),
        column("changed", pa.int64(), "words that it calls changed"),
        column("share", pa.float64(), "changed words of those with a class", unit="%"),
        column("share by chance", pa.float64(), "the same under dealt dates", unit="%"),
        column("no class since", pa.string(), "why no word has one"),
        *(column(name, pa.float64(), doc) for name, doc in _RHOS.values()),
        column("no rho since", pa.string(), "why one is missing"),
    ]
)
_AGREEMENT = pa.schema(
    [
        *_COMPARED,
        column("other", pa.string(), "the system that it is compared with"),
        column("both score", pa.int64(), "words that both score"),
        column("rho", pa.float64(), "Spearman's rho of both scores; none where they do not vary"),
    ]
)

Scores = Mapping[str, Mapping[str, float]]  # by system, then by word


def system_panels(snapshot: Snapshot) -> list[Panel]:
    """Return a panel of the systems that were run by name, and one of their agreement if several score words.

    Words are ranked ones of the parts of speech that rankings show, whether or not the run's own measures score them,
    and targets.
    """
    if SYSTEM_CONTROLS.name not in snapshot.tables:
        return []
    controls = snapshot.read(SYSTEM_CONTROLS.name).to_pylist()
    by_system: list[tuple[object, ...]] = []
    by_two: list[tuple[object, ...]] = []
    for pair in pairs_of(snapshot)[:PAIRS]:
        for over, scores in _scores(snapshot, pair):
            head = (f"{pair[0]} to {pair[1]}", KINDS[over])
            of_pair = [row for row in controls if (row["slice_from"], row["slice_to"], row["over"]) == (*pair, over)]
            by_system += [(*head, *_row(row, scores)) for row in of_pair if row["words"]]
            by_two += [(*head, *compared) for compared in _agreement(scores)]
    found: list[Panel] = [Rows("Systems", _TEXT, _table(by_system, _SCHEMA))] if by_system else []
    return [*found, Rows("Agreement of systems", _OF_TWO, _table(by_two, _AGREEMENT))] if by_two else found


_TEXT = (
    "A row is a system by name, over the ranked words of two slices or the targets; first words are of the parts of "
    "speech that rankings show. Classes that are as many by chance, where null pairs deal dates out anew, say "
    "nothing of the slices, and scores that follow frequency may say no more than that does."
)
_OF_TWO = "A row is two systems, over the ranked words of two slices that rankings show, or the targets."


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    return pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)


def _scores(snapshot: Snapshot, pair: Pair) -> Iterator[tuple[str, Scores]]:
    """Yield the scores of a pair over ranked words that are shown, and over targets."""
    columns = ["system", "score", *OVER.values()]
    rows = _of_pair(snapshot, SYSTEM_SCORES.name, pair, columns).filter(pc.field("score").is_valid())
    if SUMMARY in snapshot.tables:
        rows = tagged(rows, _of_pair(snapshot, SUMMARY, pair, ["upos", "upos_share"]))
    for over, flag in OVER.items():
        words = rows.filter(pc.field(flag))
        scores: dict[str, dict[str, float]] = {}
        for row in (of_pos(words, shown_pos(snapshot)) if over == "ranked" else words).to_pylist():
            scores.setdefault(row["system"], {})[row["word"]] = row["score"]
        yield over, scores


def _of_pair(snapshot: Snapshot, table: str, pair: Pair, columns: Sequence[str]) -> pa.Table:
    """Return the words of a pair with some columns; tables have a part for each pair."""
    same = (pc.field("slice_from") == pair[0]) & (pc.field("slice_to") == pair[1])
    names = ["slice_from", "slice_to", "word", *columns]
    return pa.concat_tables(read_table([path], names).filter(same) for path in snapshot.paths(table))


def _row(row: Row, scores: Scores) -> tuple[object, ...]:
    of_system = scores.get(row["system"], {})
    first = sorted(of_system, key=lambda word: (-of_system[word], word))[:WORDS]
    shares = (row["share_changed"], row["null_changed"])
    return (
        row["system"],
        ", ".join(first) or None,
        *(row[name] for name in ("scored", "classed", "changed")),
        *(None if share is None else 100.0 * share for share in shares),
        _why_no_class(row),
        *(row[name] for name in _RHOS),
        NO_RHO.get(row["spearman_reason"]),
    )


def _why_no_class(row: Row) -> str | None:
    """Return why no word has a class, for a person; None if some have, or each has none for want of a score."""
    if row["classed"]:  # where seeds vote, some may have a threshold
        return None
    if row["threshold"] is None and row["measure"] is not None:
        return UNCLASSED
    return None if row["threshold_reason"] == "votes" else NO_THRESHOLD.get(row["threshold_reason"])


def _agreement(scores: Scores) -> Iterator[tuple[object, ...]]:
    for one, other in combinations(sorted(scores), 2):
        both = sorted(scores[one].keys() & scores[other].keys())
        first, second = (np.array([scores[name][word] for word in both]) for name in (one, other))
        rho = spearman(first, second) if both else None
        yield one, other, len(both), rho if isinstance(rho, float) else None
