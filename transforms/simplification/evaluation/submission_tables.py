"""Lists of a setting as a submission to TSAR-2022, from published tables."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.simplification.candidates import CANDIDATES, SELECTIONS
from schemas.simplification.instances import INSTANCES
from schemas.simplification.rankings import RANKINGS
from transforms.common.errors import UsageError, nearest
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store.join import Rows, joined
from transforms.common.store.tables import read_rows
from transforms.simplification.evaluation.settings import by_selection
from transforms.simplification.evaluation.submissions import submission
from transforms.simplification.records import ID

__all__ = ["SUBMITTED", "SubmissionLists", "lists_meant", "submission_of"]

log = logging.getLogger("lexbeam")

# The stages that have lists, the last first.
SUBMITTED = {"ranking": RANKINGS.name, "selection": SELECTIONS.name, "generation": CANDIDATES.name}
_COLUMNS = {
    INSTANCES.name: ("sentence", "target", "source", "position", "start"),
    CANDIDATES.name: ("setting", "form", "rank", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "place"),
}


def _one_of(option: str, wanted: str | None, known: Sequence[str], where: str) -> str:
    """Return the one that is meant.

    Raises:
        UsageError: there is none of the name, or several and none is named.
    """
    told = ", ".join(known) or "none"
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None:
        raise UsageError(f"{where} has several, {told}: name one by `{option}`")
    if wanted not in known:
        hint = nearest(wanted, known) or f"; there are {told}"
        raise UsageError(f"`{option}`: there is no {wanted!r} in {where}{hint}")
    return wanted


def _known(paths: Sequence[str], column: str, setting: str | None = None) -> list[str]:
    found: set[str] = set()
    for rows in read_rows(paths, list(dict.fromkeys(["setting", column]))):
        found.update(
            one[column]
            for one in rows.group_by(list(dict.fromkeys(["setting", column]))).aggregate([]).to_pylist()
            if setting is None or one["setting"] == setting
        )
    return sorted(found)


class SubmissionLists(NamedTuple):
    """Which lists are written: of a stage, a setting and, at stage ranking, a ranker."""

    stage: str
    setting: str
    ranker: str | None


def lists_meant(
    tables: Mapping[str, Sequence[str]], stage: str | None, setting: str | None, ranker: str | None
) -> SubmissionLists:
    """Return which lists are meant.

    Args:
        tables: by name, the paths of the parts of what is published.
        stage, setting, ranker: as of `submission_of`.

    Raises:
        UsageError: as of `submission_of`.
    """
    there = [name for name, table in SUBMITTED.items() if table in tables]
    if stage is None and not there:
        raise UsageError("`to`: there are no candidates to write: run `lexbeam simplify generate`")
    own = stage or there[0]
    if own not in there:
        raise UsageError(f"`stage`: nothing of {own} is published; there is {', '.join(there)}")
    table = SUBMITTED[own]
    paths = tables[table]
    chosen = _one_of("setting", setting, _known(paths, "setting"), f"table {table}")
    by = None
    if own == "ranking":
        rankers = _known(paths, "ranker", chosen)
        by = _one_of("ranker", ranker, rankers, f"setting {chosen}")
    elif ranker is not None:
        raise UsageError(f"`ranker` goes with stage ranking, and {own} is written")
    return SubmissionLists(own, chosen, by)


def submission_of(snapshot: Snapshot, stage: str | None, setting: str | None, ranker: str | None) -> str:
    """Return the lists of a setting at a stage as the text of a submission.

    Rows are in the order of the files that instances come from; every instance has one, those
    without candidates, too. Of instances with the same sentence and target, which such a file does
    not tell apart, the first counts, with a warning.

    Args:
        snapshot: what is published.
        stage: one of `SUBMITTED`; None: the last that is published.
        setting: its name; None: the only one.
        ranker: its name, at stage ranking; None: the only one.

    Raises:
        UsageError: the table of the stage is not there, or there is none, or more than one, of what
            is meant.
    """
    published = {name: snapshot.paths(name) for name in SUBMITTED.values() if name in snapshot.tables}
    own, chosen, by = lists_meant(published, stage, setting, ranker)
    table = SUBMITTED[own]
    tables = {
        name: snapshot.paths(name) for name in (INSTANCES.name, CANDIDATES.name, table) if name in snapshot.tables
    }
    found = list(_lists(tables, own, chosen, by))
    found.sort(key=lambda pair: pair[0])
    kept: dict[tuple[str, str], tuple[str, ...]] = {}
    for _, sentence, target, words in found:
        kept.setdefault((sentence, target), words)
    if len(kept) < len(found):
        log.warning(
            "`to`: %d instances have the sentence and target of another one, and no row: the file "
            "does not tell them apart",
            len(found) - len(kept),
        )
    return submission((*key, words) for key, words in kept.items())


_Listed = tuple[tuple[Any, ...], str, str, tuple[str, ...]]


def _lists(tables: Mapping[str, Sequence[str]], stage: str, setting: str, ranker: str | None) -> Iterator[_Listed]:
    ids = [
        one for rows in read_rows(tables[INSTANCES.name], ["instance_id"]) for one in rows["instance_id"].to_pylist()
    ]
    columns = {name: _COLUMNS[name] for name in tables}
    for identifier, rows in joined(tables, columns, ID, ids):
        for one in rows[INSTANCES.name]:
            position = str(one["position"])
            number = int(position) if position.isdecimal() else 0
            order = (one["source"], number, position, one["start"], identifier)
            words = tuple(_words(rows, stage, setting, ranker))
            yield order, one["sentence"], one["target"], words


def _words(rows: Mapping[str, Rows], stage: str, setting: str, ranker: str | None) -> list[str]:
    own = [one for one in rows[SUBMITTED[stage]] if one["setting"] == setting]
    if stage == "ranking":
        ranked = [one for one in own if one["ranker"] == ranker and one["place"] is not None]
        return [one["form"] for one in sorted(ranked, key=lambda one: one["place"])]
    places = {
        one["form"]: one["rank"]
        for one in rows.get(CANDIDATES.name, [])
        if one["setting"] == setting and one["reason"] is None
    }
    if stage == "generation":
        return sorted(places, key=lambda form: (places[form], form))
    return by_selection(own, places)
