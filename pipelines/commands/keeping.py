"""What stays as it was published in a folder or snapshot that an option names, such as `splits_from`."""

from typing import Any

from pipelines.frame.inputs import folder_with
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot, find_snapshot
from transforms.common.store import files

__all__ = ["kept_entry", "kept_snapshot", "splits_from"]


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
        LexbeamError: the table is not published there.
    """
    if place is None:
        return None
    if files.absolute(place) == files.absolute(out):
        snapshot = find_snapshot(out)
        return snapshot if snapshot is not None and table in snapshot.tables else None
    return folder_with(place, table)


def kept_entry(kept: Snapshot | None) -> dict[str, str]:
    """Return what a manifest says of splits that are kept: the snapshot, by its name, which is its digest."""
    return {} if kept is None else {"kept": kept.name}
