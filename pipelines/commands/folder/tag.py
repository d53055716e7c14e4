"""Gives a snapshot a name, under which it is found and kept whatever is published later.

lexbeam tag results 06ce316fc29b paper-v1
lexbeam tag results --remove paper-v1
"""

from dataclasses import dataclass

from pipelines.frame.command import Action, Command
from pipelines.frame.common_options import FolderOptions
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.publish.history import check_tag, resolve_snapshot, tag_snapshot, untag
from transforms.common.publish.layout import locked
from transforms.common.publish.snapshots import open_snapshot
from transforms.common.store import files

__all__ = ["TAG", "TagOptions"]


@dataclass(frozen=True, kw_only=True)
class TagOptions(FolderOptions):
    """Options of `lexbeam tag`."""

    snapshot: str | None = option(
        None,
        help="snapshot: its name, the first six or more digits of it, or a tag",
        metavar="SNAPSHOT",
        positional=True,
    )
    name: str | None = option(None, help="the tag", metavar="NAME", positional=True, check=check_tag)
    remove: str | None = option(None, help="a tag to remove", metavar="NAME")

    def __post_init__(self) -> None:
        if self.remove is not None and (self.snapshot or self.name):
            raise UsageError("`remove` takes a tag away: give no snapshot and no name with it")
        if self.remove is None and self.name is None:
            raise UsageError("give a snapshot and a name for it, or a tag to `remove`")


def _tag(options: TagOptions, action: Action) -> None:
    """Give or remove a tag at `options.path`.

    Raises:
        UsageError: there is no such snapshot or tag, or the tag is of another snapshot.
        LexbeamError: nothing is published there, or a run is at work.
    """
    out = files.absolute(options.path)
    open_snapshot(out)
    with locked(out, name="path"):  # or a publication might remove the snapshot meanwhile
        if options.remove is not None:
            snapshot = untag(out, options.remove)
            action.tell(f"removed: tag {options.remove} of {snapshot}, which is kept as others are now")
        else:
            assert options.snapshot is not None
            assert options.name is not None
            added = tag_snapshot(out, options.snapshot, options.name)
            action.tell(
                f"{'tag' if added else 'tag stands already'}: {options.name} is {resolve_snapshot(out, options.name)}"
            )


TAG: Command[TagOptions, None] = Command(
    options=TagOptions,
    examples="  lexbeam tag results 06ce316fc29b paper-v1\n  lexbeam tag results --remove paper-v1",
    action=_tag,
)
