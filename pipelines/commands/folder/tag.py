"""Gives a snapshot a name, under which it is found and kept whatever is published later; and takes it away.

lexbeam tag results 06ce316fc29b paper-v1
lexbeam untag results paper-v1
"""

from dataclasses import dataclass

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.common_options import FolderOptions
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.history import check_tag, resolve_snapshot, tag_snapshot, untag
from lexbeam.transforms.common.publish.layout import locked
from lexbeam.transforms.common.publish.snapshots import open_snapshot, output_folder
from lexbeam.transforms.common.store import files


@dataclass(frozen=True, kw_only=True)
class TagOptions(FolderOptions):
    """Options of `lexbeam tag`."""

    snapshot: str = option(
        help="snapshot: its name, the first six or more digits of it, or a tag", metavar="SNAPSHOT", positional=True
    )
    name: str = option(help="the tag", metavar="NAME", positional=True, check=check_tag)


@dataclass(frozen=True, kw_only=True)
class UntagOptions(FolderOptions):
    """Options of `lexbeam untag`."""

    name: str = option(help="the tag to take away", metavar="NAME", positional=True)


class Tag(Command[TagOptions, None]):
    """`lexbeam tag`."""

    options = TagOptions
    examples = "  lexbeam tag results 06ce316fc29b paper-v1"

    def action(self, options: TagOptions, action: Action) -> None:
        """Give a snapshot at `options.path` a tag.

        Raises:
            UsageError: there is no such snapshot, or the tag is of another.
            LexbeamError: nothing is published there, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):  # or a publication might remove the snapshot meanwhile
            added = tag_snapshot(out, options.snapshot, options.name)
            name = resolve_snapshot(out, options.name)
        action.tell(f"{'tag' if added else 'tag stands already'}: {options.name} is {name}")


class Untag(Command[UntagOptions, None]):
    """`lexbeam untag`."""

    options = UntagOptions
    examples = "  lexbeam untag results paper-v1"

    def action(self, options: UntagOptions, action: Action) -> None:
        """Take a tag away at `options.path`.

        Raises:
            UsageError: there is no such tag.
            LexbeamError: nothing is published there, or a run is at work.
        """
        out = files.absolute(output_folder(options.path))
        open_snapshot(out)
        with locked(out, name="path"):
            snapshot = untag(out, options.name)
        action.tell(f"no tag any more: {options.name} of {snapshot}, which is kept as others are now")
