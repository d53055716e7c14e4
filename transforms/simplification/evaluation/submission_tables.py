"""Lists of a setting as a submission to TSAR-2022, from published tables."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.join import Rows, joined
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.simplification.evaluation.settings import by_selection
from lexbeam.transforms.simplification.evaluation.submissions import submission
from lexbeam.transforms.simplification.records import ID

log = logging.getLogger("lexbeam")


@dataclass(frozen=True)
class ListStage(Entry):
    """A stage that has lists, in a table."""

    table: str


# The last stage first.
SUBMITTED: Registry[ListStage] = Registry(
    {
        "ranking": ListStage(RANKINGS.name, doc="candidates in the order of a ranker"),
        "selection": ListStage(SELECTIONS.name, doc="candidates that filters keep, by score"),
        "generation": ListStage(CANDIDATES.name, doc="candidates as generated, by rank"),
    },
    what="stage with lists",
)
_COLUMNS = {
    INSTANCES.name: ("sentence", "target", "source", "position", "start"),
    CANDIDATES.name: ("setting", "form", "rank", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "place"),
}


def _named_or_only(option: str, wanted: str | None, known: Sequence[str], where: str) -> str:
    """Return the name that is wanted, or the only one there is.

    Raises:
        UsageError: there is no such name, or there are several and none is wanted.
    """
    names = ", ".join(known) or "none"
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None:
        raise UsageError(f"{where} has several, {names}: name one by `{option}`")
    if wanted not in known:
        hint = nearest(wanted, known) or f"; there are {names}"
        raise UsageError(f"`{option}`: there is no {wanted!r} in {where}{hint}")
    return wanted


def _known(paths: Sequence[str], column: str, setting: str | None = None) -> list[str]:
    values: set[str] = set()
    for rows in read_rows(paths, list(dict.fromkeys(["setting", column]))):
        values.update(
            row[column]
            for row in rows.group_by(list(dict.fromkeys(["setting", column]))).aggregate([]).to_pylist()
            if setting is None or row["setting"] == setting
        )
    return sorted(values)


class SubmissionLists(NamedTuple):
    """Which lists are written: of a stage, a setting and, at stage ranking, a ranker."""

    stage: str
    setting: str
    ranker: str | None


def chosen_lists(
    tables: Mapping[str, Sequence[str]], stage: str | None, setting: str | None, ranker: str | None
) -> SubmissionLists:
    """Return the lists that are to be written.

    Args:
        tables: by name, the paths of the parts of published tables.
        stage, setting, ranker: as in `submission_of`.

    Raises:
        UsageError: as in `submission_of`.
    """
    published = [name for name, entry in SUBMITTED.items() if entry.table in tables]
    if stage is None and not published:
        raise UsageError("`to`: there are no candidates to write: run `lexbeam simplify generate`")
    listed_stage = stage or published[0]
    if listed_stage not in published:
        raise UsageError(f"`stage`: nothing of {listed_stage} is published; there is {', '.join(published)}")
    table = SUBMITTED[listed_stage].table
    paths = tables[table]
    chosen = _named_or_only("setting", setting, _known(paths, "setting"), f"table {table}")
    by = None
    if listed_stage == "ranking":
        rankers = _known(paths, "ranker", chosen)
        by = _named_or_only("ranker", ranker, rankers, f"setting {chosen}")
    elif ranker is not None:
        raise UsageError(f"`ranker` goes with stage ranking, and {listed_stage} is written")
    return SubmissionLists(listed_stage, chosen, by)


def submission_of(snapshot: Snapshot, stage: str | None, setting: str | None, ranker: str | None) -> str:
    """Return the lists of a setting at a stage as the text of a submission.

    Rows are in the order of the files that instances come from; every instance has one, even without
    candidates. Of instances with the same sentence and target, which such a file cannot tell apart,
    the first counts, with a warning.

    Args:
        snapshot: the published tables.
        stage: one of `SUBMITTED`; None: the last that is published.
        setting: its name; None: the only one.
        ranker: its name, at stage ranking; None: the only one.

    Raises:
        UsageError: the table of the stage is not published, or `setting` or `ranker` names none, or
            names nothing where there are several.
    """
    names = [entry.table for entry in SUBMITTED.values()]
    published = {name: snapshot.paths(name) for name in names if name in snapshot.tables}
    listed_stage, chosen, by = chosen_lists(published, stage, setting, ranker)
    table = SUBMITTED[listed_stage].table
    tables = {
        name: snapshot.paths(name) for name in (INSTANCES.name, CANDIDATES.name, table) if name in snapshot.tables
    }
    lists = list(_lists(tables, listed_stage, chosen, by))
    lists.sort(key=lambda pair: pair[0])
    by_pair: dict[tuple[str, str], tuple[str, ...]] = {}
    for _, sentence, target, words in lists:
        by_pair.setdefault((sentence, target), words)
    if len(by_pair) < len(lists):
        log.warning(
            "`to`: %d instances have the sentence and target of another one, and no row: the file "
            "does not tell them apart",
            len(lists) - len(by_pair),
        )
    return submission((*key, words) for key, words in by_pair.items())


_Listed = tuple[tuple[str, int, str, int, str], str, str, tuple[str, ...]]


def _lists(tables: Mapping[str, Sequence[str]], stage: str, setting: str, ranker: str | None) -> Iterator[_Listed]:
    ids = [
        identifier
        for rows in read_rows(tables[INSTANCES.name], ["instance_id"])
        for identifier in rows["instance_id"].to_pylist()
    ]
    columns = {name: _COLUMNS[name] for name in tables}
    for identifier, rows in joined(tables, columns, ID, ids):
        for row in rows[INSTANCES.name]:
            position = str(row["position"])
            number = int(position) if position.isdecimal() else 0
            order = (row["source"], number, position, row["start"], identifier)
            words = tuple(_words(rows, stage, setting, ranker))
            yield order, row["sentence"], row["target"], words


def _words(rows: Mapping[str, Rows], stage: str, setting: str, ranker: str | None) -> list[str]:
    setting_rows = [row for row in rows[SUBMITTED[stage].table] if row["setting"] == setting]
    if stage == "ranking":
        ranked = [row for row in setting_rows if row["ranker"] == ranker and row["place"] is not None]
        return [row["form"] for row in sorted(ranked, key=lambda row: row["place"])]
    places = {
        row["form"]: row["rank"]
        for row in rows.get(CANDIDATES.name, [])
        if row["setting"] == setting and row["reason"] is None
    }
    if stage == "generation":
        return sorted(places, key=lambda form: (places[form], form))
    return by_selection(setting_rows, places)
