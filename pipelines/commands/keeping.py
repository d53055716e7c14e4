"""What stays as it was published in a folder or snapshot that an option names, such as `splits_from`."""

from typing import Any

from lexbeam.pipelines.frame.inputs import folder_with
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import SNAPSHOTS
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot
from lexbeam.transforms.common.store import files


def splits_from(what: str) -> Any:
    """Return the option of a command that splits: where splits are published in which these stay."""
    return option(
        None,
        help=f"folder of published splits, or one of its snapshots: {what} that are there stay in their splits, and "
        "the rule adds the others",
        metavar="DIR",
        path="place",
        published=False,
        group="splits",
    )


def kept_snapshot(place: str | None, out: str, table: str) -> Snapshot | None:
    """Return the snapshot from which something is kept; None: nothing is kept.

    Of a run's own folder nothing is kept before it has published the table there.

    Args:
        place: a folder, or one of its snapshots; None: nothing is to be kept.
        out: the run's own folder.
        table: what is kept of.

    Raises:
        LexbeamError: the table is not published there, or what was published in the run's own folder cannot be found.
    """
    if place is None:
        return None
    if files.absolute(place) == files.absolute(out):
        snapshot = find_own(out)
        return snapshot if snapshot is not None and table in snapshot.tables else None
    return folder_with(place, table)


def find_own(out: str) -> Snapshot | None:
    """Return what is published in the run's own folder, of which something is to be kept; None: nothing ever was.

    Raises:
        LexbeamError: something was, and nothing says what is now.
    """
    snapshot = find_snapshot(out)
    if snapshot is None and (before := read_history(out).publications):
        raise LexbeamError(
            f"{files.shown(out)}: `current` is missing, which says what is to be kept: name a snapshot in its place, "
            f"{files.shown(files.join(out, SNAPSHOTS, before[-1].snapshot))}, or keep nothing"
        )
    return snapshot


def kept_entry(kept: Snapshot | None) -> dict[str, str]:
    """Return what a manifest says of splits that are kept: the snapshot, by its name, which is its digest."""
    return {} if kept is None else {"kept": kept.name}
