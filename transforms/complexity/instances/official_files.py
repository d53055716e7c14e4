"""Files of complexity by id: the format of the shared task, and tables with a header.

- official: no header, lines `id,score`, as SemEval-2021 Task 1 takes them;
- a table: tab-separated with a header and quoting off, as the task's data are, with columns `id`
  and `complexity`; or separated by commas, with such a header. Columns `corpus` or `subcorpus` and
  `token` of gold make subsets and clusters.
"""

import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.small_texts import cells_of, delimiter_of, filled_lines, rows_within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.complexity.scorers.scorer_metrics import ScorerMeasureOptions, measured_rows
from lexbeam.transforms.evaluation.evaluating import matched

log = logging.getLogger("lexbeam")

IDS = ("id", "instance_id")
VALUES = ("complexity", "prediction", "score")
GENRES = ("corpus", "subcorpus", "genre")
TOKEN = "token"
GOLD = "gold"


class OfficialScores(NamedTuple):
    """Complexity of instances, in the order of a file.

    Attributes:
        ids: as in the file.
        values: complexity.
        genres, tokens: if the file has them, else empty texts.
    """

    ids: list[str]
    values: npt.NDArray[np.float64]
    genres: list[str]
    tokens: list[str]


class _Row(NamedTuple):
    line: int
    id: str
    value: float
    genre: str
    token: str


def read_scores(path: str, name: str) -> OfficialScores:
    """Read a file of complexity by id.

    Args:
        name: the option that names it, `gold` or `predictions`.

    Returns:
        The instances. Predictions may lie outside 0 to 1, as for the official scorer; a warning counts
        them.

    Raises:
        UsageError: it cannot be read or lacks a column; a line has no id, no number or more cells than
            there are columns; an id is repeated; or gold lies outside 0 to 1.
    """
    shown = f"`{name}` {files.shown(path)}"
    lines = filled_lines(path, name, "a line for each instance")
    delimiter = delimiter_of(lines[0][1])
    header = [cell.lower() for cell in cells_of(lines[0][1], delimiter)]
    columns = {"id": _place(header, IDS), "value": _place(header, VALUES)}
    if columns["id"] is None and columns["value"] is None and len(header) == 2:
        columns, body = {"id": 0, "value": 1, "genre": None, "token": None}, lines
    else:
        for what, names in (("id", IDS), ("value", VALUES)):
            if columns[what] is None:
                raise UsageError(
                    f"{shown}: its header has no column {' or '.join(map(repr, names))} "
                    f"(it has {', '.join(header[:8])}); or give lines `id,score` without a header"
                )
        header_of = {"genre": GENRES, "token": (TOKEN,)}
        columns |= {what: _place(header, names) for what, names in header_of.items()}
        body = lines[1:]
    rows = list(_rows(body, delimiter, len(header), columns, shown))
    _check_ids(rows, shown)
    _check_scale(rows, shown, gold=name == GOLD)
    values = np.array([row.value for row in rows], np.float64)
    return OfficialScores([row.id for row in rows], values, [row.genre for row in rows], [row.token for row in rows])


def _check_ids(rows: Iterable[_Row], shown: str) -> None:
    first: dict[str, int] = {}
    for row in rows:
        if row.id in first:
            raise UsageError(
                f"{shown}, line {row.line}: id {row.id!r} is in line {first[row.id]} already: "
                "give one line for each instance"
            )
        first[row.id] = row.line


def _check_scale(rows: Iterable[_Row], shown: str, *, gold: bool) -> None:
    outside = [row for row in rows if not 0 <= row.value <= 1]
    if not outside:
        return
    first = f"line {outside[0].line}, id {outside[0].id!r}: {outside[0].value:g}"
    if gold:
        raise UsageError(
            f"{shown}, {first} is outside 0 to 1, the scale of complexity: of ratings from 1 to 5 take (rating - 1) / 4"
        )
    log.warning("%s: %d scores are outside 0 to 1 (%s); they count as they are", shown, len(outside), first)


def _place(header: Sequence[str], names: Iterable[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _rows(
    lines: Iterable[tuple[int, str]], delimiter: str, width: int, columns: Mapping[str, int | None], shown: str
) -> Iterator[_Row]:
    for number, cells in rows_within(lines, delimiter, width, shown):
        row = {what: "" if place is None or place >= len(cells) else cells[place] for what, place in columns.items()}
        try:
            value = float(row["value"])
        except ValueError:
            value = math.nan
        if not row["id"] or not math.isfinite(value):
            raise UsageError(
                f"{shown}, line {number}: id {row['id']!r} with {row['value']!r}, where an id "
                "and a number should be: correct the line"
            )
        yield _Row(number, row["id"], value, row["genre"], row["token"])


def evaluate_files(
    gold: OfficialScores, predicted: OfficialScores, system: str, options: ScorerMeasureOptions
) -> list[dict[str, object]]:
    """Return rows of `complexity/metrics` of predictions by id.

    The subsets are `all` and, if gold has several, its genres; the cluster of an instance is its
    case-folded token, if gold has tokens.

    Raises:
        LexbeamError: predictions lack an id of gold, or gold lacks one of theirs; it is named.
    """
    order = matched(gold.ids, predicted.ids)
    labels, scores = gold.values[order.gold], predicted.values[order.predicted]
    ids = [gold.ids[place] for place in order.gold.tolist()]
    tokens = [gold.tokens[place].casefold() for place in order.gold.tolist()]
    clusters = [token or name for token, name in zip(tokens, ids, strict=True)]
    genres = np.array([gold.genres[place] for place in order.gold.tolist()], object)
    subsets = {"all": np.ones(len(ids), bool)}
    named = sorted(set(genres.tolist()) - {""})
    if len(named) > 1:
        subsets |= {f"all/{genre}": genres == genre for genre in named}
    rows: list[dict[str, object]] = []
    for subset, which in subsets.items():
        members = [name for name, there in zip(clusters, which.tolist(), strict=True) if there]
        rows += measured_rows(system, subset, labels[which], scores[which], members, options)
    return rows


def official_ids(names: Iterable[str], instances: Iterable[Mapping[str, str | None]]) -> list[str]:
    """Return the ids of instances in the files that they came from, or else their own ids.

    Args:
        names: ids of instances.
        instances: rows with `instance_id` and `source_id`, of these and possibly of others.

    Raises:
        LexbeamError: an instance is not among the rows, or two have the same id there.
    """
    names = list(names)
    source_ids = {row["instance_id"]: row["source_id"] for row in instances}
    if gone := [name for name in names if name not in source_ids]:
        raise LexbeamError(
            f"{len(gone)} instances are predicted, but not in complexity/instances ({gone[0]}), so that their ids "
            "in the files are not known: run `lexbeam complexity score` again with `overwrite`"
        )
    official = [source_ids[name] or name for name in names]
    if doubled := sorted(name for name, times in Counter(official).items() if times > 1):
        raise LexbeamError(
            f"{len(doubled)} ids of the files are those of several instances ({doubled[0]!r}): "
            "export one `kind`, or load the files apart"
        )
    return official


def official_lines(ids: Iterable[str], predictions: Iterable[float]) -> Iterator[str]:
    """Yield predictions in the shared task's format, `id,score`, in the order given."""
    return (f"{name},{value!r}" for name, value in zip(ids, predictions, strict=True))
