"""Frees what can be made anew: artefacts, and what killed runs have left behind.

lexbeam clean results
lexbeam clean --cache

Published tables stay as they are, and so do receipts and the artefacts that are published parts: a
run with the same options finds all it needs; another one makes anew what it lacks. With `--cache`,
it is the cache of compiled resources and of copied models that is freed.
"""

import contextlib
import os
from dataclasses import dataclass

from lexbeam.pipelines.commands.folder.survey import UNNEEDED, Leftover, leftover_sizes, survey
from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.publishing import UNFINISHED, check_nobody_detached, kept_digests
from lexbeam.pipelines.monitoring.events import ArtefactsFreed, report
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.failed import remove_failed
from lexbeam.transforms.common.publish.layout import ARTEFACTS, is_marked_folder, locked
from lexbeam.transforms.common.publish.removing import RESULTS, free, remove_hidden
from lexbeam.transforms.common.publish.snapshots import output_folder
from lexbeam.transforms.common.publish.streaming import check_not_streaming
from lexbeam.transforms.common.store import files


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """Options of `lexbeam clean`."""

    path: str | None = option(
        None,
        help="folder of published tables, or with `cache` a cache folder",
        metavar="DIR",
        positional=True,
        path="place",
    )
    cache: bool = option(False, help="free the cache of compiled resources, the user's if no folder is given")


def _clean_folder(out: str, action: Action) -> None:
    survey(out)
    # The lock is held while leftovers are found again and removed: none is of a run at work.
    with locked(out, name="path"):
        root = files.join(out, ARTEFACTS)
        check_nobody_detached(out)
        check_not_streaming(out)
        if is_marked_folder(out, ARTEFACTS):
            # Before anything else: what a job has handed back goes, and must not be looked for.
            files.remove(files.join(root, UNFINISHED))
        lines = [f"removed: {line}" for line in leftover_sizes(remove_leftovers(out))]
        if is_marked_folder(out, ARTEFACTS):
            freed = free(root, kept_digests(out))
            if freed.files:
                event = ArtefactsFreed(files=freed.files, bytes=freed.bytes)
                report(event, f"freed: {freed.files} files of artefacts, {freed.bytes / 1e6:.1f} MB", lines.append)
    for line in lines or ["nothing to remove"]:
        action.tell(line)


def remove_leftovers(out: str) -> tuple[Leftover, ...]:
    """Remove what killed and failed runs have left at a folder, which the caller has locked; return it."""
    leftovers = survey(out).leftovers
    for leftover in leftovers:
        _remove(leftover)
    remove_failed(out)
    return leftovers


def _remove(leftover: Leftover) -> None:
    if not files.is_local(leftover.path):
        files.remove(leftover.path)
    elif os.path.islink(leftover.path) or not os.path.isdir(leftover.path):
        os.remove(leftover.path)
        # The folder of a killed run's results is empty then.
        if os.path.basename(os.path.dirname(os.path.dirname(leftover.path))) == RESULTS:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(leftover.path))
        if leftover.kind == UNNEEDED:
            with contextlib.suppress(OSError):  # a folder that is not empty ends it
                os.removedirs(os.path.dirname(leftover.path))
    else:
        remove_hidden(leftover.path)


class Clean(Command[CleanOptions, None]):
    """`lexbeam clean`."""

    options = CleanOptions
    examples = """\
  lexbeam clean results
  lexbeam clean --cache"""

    def action(self, options: CleanOptions, action: Action) -> None:
        """Free artefacts and remove leftovers at `options.path`, or free a cache.

        Raises:
            UsageError: no folder is given.
            LexbeamError: a run is at work there, or none has ever written there.
        """
        if options.cache:
            from lexbeam.transforms.common.cache import default_cache
            from lexbeam.transforms.lexicon.resource_cache import clean_cache

            folder = options.path or default_cache()
            freed = clean_cache(folder)
            action.tell(f"freed: {freed / 1e6:.1f} MB of {folder}" if freed else "nothing to remove")
        elif options.path is None:
            raise UsageError("`path` must be given: the folder to clean")
        else:
            _clean_folder(output_folder(options.path), action)
