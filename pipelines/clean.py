"""Sweeping of what killed runs have left behind; published tables stay as they are.

lexbeam clean results
"""

import os
from dataclasses import dataclass

from pipelines.options import option
from pipelines.status import WORK_KIND, Leftover, summed, survey
from transforms.common import files
from transforms.common.publish import locked

__all__ = ["CleanOptions", "run"]


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """Options of `lexbeam clean`."""

    path: str = option(help="folder of published tables", metavar="DIR", positional=True)


def run(options: CleanOptions) -> None:
    """Remove unfinished work, temporary files and stale snapshots at `options.path`.

    Raises:
        LexbeamError: a run is at work there, or never was one.
    """
    survey(options.path)
    # The lock is held while leftovers are found again and removed: what a run has is no leftover.
    with locked(options.path, resume=True, overwrite=True):
        found = [entry for entry in survey(options.path).leftovers if not _is_new(entry)]
        for leftover in found:
            if os.path.isdir(leftover.path) and not os.path.islink(leftover.path):
                files.remove_tree(leftover.path)
            else:
                os.remove(leftover.path)
    print("\n".join(f"removed: {line}" for line in summed(tuple(found))) or "nothing to remove")


def _is_new(leftover: Leftover) -> bool:
    """Tell the empty work folder that comes with the lock."""
    return leftover.kind == WORK_KIND and not leftover.bytes
