"""What a folder has published, in order, and the tags that people gave to snapshots.

    DIR/_snapshots/.history     publications, the newest last, and tags

Both are beside what is published and have no effect on it. A publication is noted in the snapshot's log before
readers see it, and in the history after; where a run was killed in between, the log says it. A publication that readers
are to be told of is noted as untold, by which whoever tells them knows, until that is done.
"""

import hashlib
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.publish.differences import SectionChange, TableChange, changes
from lexbeam.transforms.common.publish.layout import (
    HISTORY,
    MANIFEST,
    POINTER,
    RUN_LOG,
    SNAPSHOTS,
    DamagedFolderError,
    read_record,
    snapshot_name,
)
from lexbeam.transforms.common.publish.snapshots import Snapshot, read_log
from lexbeam.transforms.common.store import files

MOST = 10_000  # publications that are remembered: thirty years of nights
_DIGITS = 12  # of a digest that is noted
_DIGEST = re.compile(r"[0-9a-f]{6,32}")
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Publication(msgspec.Struct, frozen=True, omit_defaults=True):
    """That a snapshot became what readers see.

    Attributes:
        snapshot: its name.
        time: when, in UTC, to the second; by the clock of the machine that published.
        how: published, or rolled back.
        code: a digest of the code of all stages that made what it holds; empty of one that was noted before this was.
        configuration: a digest of the options of all its sections; likewise.
        sections: the sections that changed by it.
        tables: the tables that changed by it.
        token: what names it to those who are told of it, as no other; empty where nobody was to be told.
        untold: whether they are still to be told.
    """

    snapshot: str
    time: str
    how: str = "published"
    code: str = ""
    configuration: str = ""
    sections: dict[str, SectionChange] = {}
    tables: dict[str, TableChange] = {}
    token: str = ""
    untold: bool = False

    @property
    def at(self) -> float:
        """When, in seconds since 1970."""
        return datetime.fromisoformat(self.time).timestamp()


class History(msgspec.Struct, frozen=True):
    """What a folder has published, the newest last, and its tags: the snapshot of each."""

    publications: tuple[Publication, ...] = ()
    tags: dict[str, str] = {}


class _Kept(msgspec.Struct, frozen=True):
    """The file: a history, and the SHA-256 of it."""

    history: msgspec.Raw
    check: str


def now() -> float:
    """Return the time that publications are noted with, in seconds since 1970."""
    return time.time()


def publication_of(
    before: Snapshot | None, after: Snapshot, how: str = "published", *, tells: bool = False
) -> Publication:
    """Return what is noted of a snapshot's publication now.

    Args:
        before: what readers saw.
        after: what they are to see.
        how: published, or rolled back.
        tells: whether they are to be told.
    """
    sections, tables = changes(before, after)
    at = datetime.fromtimestamp(now(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    code, configuration = (
        digest({name: section.get(what, {}) for name, section in after.sections.items()})[:_DIGITS]
        for what in ("stages", "options")
    )
    # A snapshot may be published again: by the clock, the token is another then.
    token = digest([before.name if before else None, after.name, time.time_ns()]) if tells else ""
    return Publication(after.name, at, how, code, configuration, sections, tables, token, tells)


def read_history(out: str) -> History:
    """Return what a folder has published, and its tags.

    What readers see now is among it, though the run that published it was killed before it noted that.

    Raises:
        LexbeamError: the file is damaged.
    """
    return _completed(out, _decoded(out, _content(out)))


def _content(out: str) -> bytes | None:
    with suppress(FileNotFoundError):
        return files.read_bytes(files.join(out, SNAPSHOTS, HISTORY))
    return None


def _decoded(out: str, content: bytes | None) -> History:
    if content is None:
        return History()
    with suppress(msgspec.MsgspecError):
        kept = msgspec.json.decode(content, type=_Kept)
        if hashlib.sha256(kept.history).hexdigest() == kept.check:
            return msgspec.json.decode(kept.history, type=History)
    path = files.join(out, SNAPSHOTS, HISTORY)
    raise DamagedFolderError(
        f"{path} is damaged: it held what was published when, and tags. Until it is removed, no snapshot is; "
        "tables and readers are not touched by that, but tags are lost with it"
    )


def _completed(out: str, history: History) -> History:
    name = snapshot_name(out)
    last = history.publications[-1].snapshot if history.publications else None
    noted = None if name is None or name == last else _in_log(out, name)
    if noted is None:
        return history
    return msgspec.structs.replace(history, publications=(*history.publications, noted)[-MOST:])


def _in_log(out: str, name: str) -> Publication | None:
    """Return the last publication of a snapshot, as the log beside it has it."""
    with suppress(msgspec.ValidationError):
        return msgspec.convert(read_log(out, name).get("publication"), Publication)
    return None


def untold_publications(out: str) -> list[Publication]:
    """Return the publications that readers are still to be told of, the oldest first.

    Where the history is damaged, of which `read_history` tells, it is what readers see that the log knows of.
    """
    try:
        found = read_history(out).publications
    except DamagedFolderError:
        name = snapshot_name(out)
        noted = None if name is None else _in_log(out, name)
        found = () if noted is None else (noted,)
    return [publication for publication in found if publication.untold]


def note_told(out: str, token: str) -> None:
    """Note that readers have been told of the publication with a token.

    Raises:
        LexbeamError: the history is damaged.
    """

    def change(history: History) -> History:
        publications = tuple(
            msgspec.structs.replace(each, untold=False) if each.token == token else each
            for each in _completed(out, history).publications
        )
        return msgspec.structs.replace(history, publications=publications)

    _changed(out, change)


def published_at(out: str, snapshot: str) -> float | None:
    """Return when readers got a snapshot last, in seconds since 1970; None where that is not noted."""
    with suppress(DamagedFolderError):  # the history
        return next((each.at for each in reversed(read_history(out).publications) if each.snapshot == snapshot), None)
    return None


def last_success(out: str, snapshot: str) -> float | None:
    """Return when a run or a refresh has ended well last, in seconds since 1970; None where that is not known.

    Args:
        out: the folder.
        snapshot: the name of what readers see; after a rollback, another was published last.
    """
    seen = {snapshot}
    with suppress(DamagedFolderError):  # the history
        seen.update(publication.snapshot for publication in read_history(out).publications)
    kept = [name for name in {snapshot, *read_record(out).snapshots} if name in seen]  # others were never switched to
    logs = [files.modified(files.join(out, SNAPSHOTS, name + RUN_LOG)) for name in kept]
    return max(filter(None, logs), default=None) or files.modified(files.join(out, SNAPSHOTS, snapshot, MANIFEST))


def note_publication(out: str) -> History | None:
    """Note that readers see another snapshot now, and return the history; None: it is damaged."""
    try:
        return _changed(out, lambda history: _completed(out, history))
    except DamagedFolderError:
        return None


def _changed(out: str, change: Callable[[History], History]) -> History:
    changed = History()

    def content(before: bytes | None) -> bytes | None:
        nonlocal changed
        history = _decoded(out, before)
        changed = change(history)
        if changed == history:
            return None
        raw = msgspec.json.encode(changed)
        return msgspec.json.encode(_Kept(msgspec.Raw(raw), hashlib.sha256(raw).hexdigest())) + b"\n"

    files.update_bytes(files.join(out, SNAPSHOTS, HISTORY), content)
    return changed


def check_tag(name: str) -> None:
    """Check the name of a tag.

    Raises:
        UsageError: it is no name, or might be that of a snapshot.
    """
    if not _TAG.fullmatch(name):
        raise UsageError(f"a tag has letters, digits, '.', '_' and '-', at most 64, not {quoted(name)}")
    if name == POINTER:
        raise UsageError(f"{quoted(name)} is what readers see, whichever it is: give the tag another name")
    if _DIGEST.fullmatch(name):
        raise UsageError(f"{quoted(name)} might be the name of a snapshot: give the tag another letter")


def tag_snapshot(out: str, snapshot: str, name: str) -> bool:
    """Give a snapshot a tag, by which it is named and never removed; return whether it was not there already.

    Raises:
        UsageError: no such snapshot is kept, the tag is of another, or its name is none.
        LexbeamError: the history is damaged.
    """
    check_tag(name)
    digest = resolve_snapshot(out, snapshot)
    added = False

    def change(history: History) -> History:
        nonlocal added
        other = history.tags.get(name)
        if other not in (None, digest):
            raise UsageError(
                f"the tag {name} is of snapshot {other}: give another name, or take it away first by `lexbeam untag "
                f"{files.typed(files.shown(out))} {name}`"
            )
        added = other is None
        return msgspec.structs.replace(
            _completed(out, history), tags=dict(sorted({**history.tags, name: digest}.items()))
        )

    _changed(out, change)
    return added


def untag(out: str, name: str) -> str:
    """Remove a tag, and return the snapshot that had it, which stays until the next publication.

    Raises:
        UsageError: there is no such tag.
        LexbeamError: the history is damaged.
    """
    snapshot = ""

    def change(history: History) -> History:
        nonlocal snapshot
        if name not in history.tags:
            raise UsageError(f"no tag {quoted(name)} at {out!r}{_known_tags(name, history)}")
        snapshot = history.tags[name]
        return msgspec.structs.replace(history, tags={n: s for n, s in history.tags.items() if n != name})

    _changed(out, change)
    return snapshot


def untag_snapshots(out: str, snapshots: Collection[str]) -> list[str]:
    """Remove the tags of snapshots, and return them.

    Raises:
        LexbeamError: the history is damaged.
    """
    gone: list[str] = []

    def change(history: History) -> History:
        gone[:] = [name for name, snapshot in history.tags.items() if snapshot in snapshots]
        left = {name: snapshot for name, snapshot in history.tags.items() if snapshot not in snapshots}
        return msgspec.structs.replace(history, tags=left)

    _changed(out, change)
    return gone


def _known_tags(name: str, history: History) -> str:
    return nearest(name, history.tags) or f"; its tags: {', '.join(history.tags) or 'none'}"


def resolve_snapshot(out: str, name: str) -> str:
    """Return the name of a snapshot that is kept, of its tag, its name or six and more first digits of that.

    Raises:
        UsageError: no snapshot is called so, several are, or it is no longer kept.
        LexbeamError: the history is damaged, and `name` may be a tag.
    """
    kept = read_record(out).snapshots
    found = [snapshot for snapshot in kept if snapshot.startswith(name)] if _DIGEST.fullmatch(name) else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name} may be {' or '.join(found)}: give more digits")
    history = read_history(out)
    if history.tags.get(name) in kept:
        return history.tags[name]
    if _DIGEST.fullmatch(name) and any(p.snapshot.startswith(name) for p in history.publications):
        raise UsageError(
            f"snapshot {name} of {out!r} is no longer kept: run it again, or keep more by `keep_snapshots`, "
            "`keep_days` or a tag"
        )
    listed = ", ".join(snapshot[:12] for snapshot in reversed(kept)) or "none"
    raise UsageError(
        f"no snapshot or tag {quoted(name)} at {out!r}; its snapshots: {listed}{_known_tags(name, history)}"
    )
