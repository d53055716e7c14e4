"""Lets readers see an earlier snapshot again, by one small write; nothing is removed.

lexbeam rollback results paper-v1
"""

from dataclasses import dataclass

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.common_options import FolderOptions, HookOptions
from lexbeam.pipelines.frame.publishing import check_nobody_detached
from lexbeam.pipelines.runners.hooks import tell_readers
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.layout import locked, snapshot_name
from lexbeam.transforms.common.publish.publication import rollback
from lexbeam.transforms.common.publish.snapshots import open_snapshot, output_folder
from lexbeam.transforms.common.store import files


@dataclass(frozen=True, kw_only=True)
class RollbackOptions(FolderOptions, HookOptions):
    """Options of `lexbeam rollback`."""

    snapshot: str = option(
        help="snapshot: its name, the first six or more digits of it, or a tag", metavar="SNAPSHOT", positional=True
    )


class Rollback(Command[RollbackOptions, None]):
    """`lexbeam rollback`."""

    options = RollbackOptions
    examples = "  lexbeam rollback results paper-v1"

    def action(self, options: RollbackOptions, action: Action) -> None:
        """Switch `options.path` to an earlier snapshot.

        Raises:
            UsageError: no such snapshot is kept.
            PublishHookError: readers see it, and the command that was to follow has failed.
            LexbeamError: it is damaged, nothing is published, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):
            check_nobody_detached(out)
            before = snapshot_name(out)
            earlier = rollback(out, options.snapshot, tells=options.on_publish is not None)
        if earlier.name == before:
            action.tell(f"{earlier.name} is what readers see already")
        else:
            action.tell(
                f"rolled back: readers see {earlier.name}; {before} is kept until later publications keep fewer"
            )
        tell_readers(options.on_publish, out)
