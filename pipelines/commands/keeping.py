"""Splits that stay as they were published: `splits_from`, for commands that split."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pipelines.frame.inputs import folder_with
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import open_snapshot

__all__ = ["kept_entry", "kept_from", "splits_from"]


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


def kept_from(folder: str | None, table: str, columns: Sequence[str]) -> pa.Table | None:
    """Return what is published of a table with splits; None: no split is kept.

    Raises:
        LexbeamError: the table is not published there.
    """
    return None if folder is None else folder_with(folder, table).read(table, columns)


def kept_entry(folder: str | None) -> dict[str, str]:
    """Return what a manifest says of splits that are kept: the snapshot, by its name, which is its digest."""
    return {} if folder is None else {"kept": open_snapshot(folder).name}
