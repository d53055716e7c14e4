"""Files by path, local or remote, with the few operations that the pipelines need.

Local paths go straight to the operating system, `scheme://` paths to a store (`remote`), imported only then.
What is written appears under its name whole or not at all.
"""

import errno
import fcntl
import fnmatch
import glob
import os
import posixpath
import secrets
import shlex
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.patterns import searchable
from lexbeam.transforms.common.store.remote import glob_pattern, remote

# What `temporary` appends: nobody else's file is likely to end so.
TEMPORARY = r"\.[0-9a-f]{16}\.tmp"


class ListedFile(NamedTuple):
    """A listed file: its absolute path, its name relative to what was named, its bytes, when it was changed last.

    The change is in nanoseconds since 1970, of the content or of anything else that is known of it; 0: unknown.
    """

    path: str
    name: str
    size: int
    changed: int = 0


class Folder(NamedTuple):
    """What lies directly in a folder: names of files and of folders, sorted; links are neither."""

    files: tuple[str, ...]
    folders: tuple[str, ...]


def is_local(path: str) -> bool:
    """Return whether `path` is on this machine's own file system."""
    return "://" not in path


def absolute(path: str) -> str:
    """Return `path` made absolute; workers have another working directory than the driver."""
    return os.path.abspath(os.path.expanduser(path)) if is_local(path) else path


def real(path: str) -> str:
    """Return `path` made absolute, local links followed: equal for two names of one place."""
    return os.path.realpath(absolute(path)) if is_local(path) else path.rstrip("/")


def shown(path: str) -> str:
    """Return `path` for a person: relative to the working directory if it lies there.

    What cannot be printed is escaped, so that a name is never two lines.
    """
    if is_local(path) and os.path.isabs(path):
        relative = os.path.relpath(path)
        path = path if relative.startswith("..") else relative
    return path if path.isprintable() else repr(path)[1:-1]


def typed(path: str) -> str:
    """Return `path` as a person types it in a command: as `shown` has it, quoted where a shell needs that."""
    return shlex.quote(shown(path))


def join(folder: str, *names: str) -> str:
    """Return the path of `names` within `folder`."""
    return os.path.join(folder, *names) if is_local(folder) else posixpath.join(folder, *names)


def exists(path: str) -> bool:
    """Return whether a file is at `path`, or a local folder; object stores have files alone."""
    return os.path.exists(path) if is_local(path) else remote(path).state(path) is not None


def size(path: str) -> int | None:
    """Return the bytes of a file; None where there is none."""
    if is_local(path):
        return os.path.getsize(path) if os.path.isfile(path) else None
    state = remote(path).state(path)
    return state.bytes if state else None


def modified(path: str) -> float | None:
    """Return when a file was last written, in seconds since 1970; None where there is none, or nobody knows."""
    if is_local(path):
        return os.path.getmtime(path) if os.path.isfile(path) else None
    state = remote(path).state(path)
    return (state.changed / 1e9 or None) if state else None


def make_folder(path: str, *, private: bool = False) -> None:
    """Make the folder and its parents; object stores need none.

    If `private`, a folder that was not there is one that its user alone may enter, and one that was stays as it is;
    others have the mode that the user's umask gives them, parents always.
    """
    if not is_local(path):
        return
    if private:
        path = os.path.abspath(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
    os.makedirs(path, exist_ok=True)


def open_read(path: str) -> BinaryIO:
    """Open a file for reading bytes as they are (no decompression by name).

    Raises:
        OSError: it cannot be opened, or is a pipe or device, for which a reader would wait forever.
    """
    if is_local(path):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "a folder; name a file", path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file; name one", path)
        return open(path, "rb")
    return remote(path).open(path)


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: it cannot be read; `FileNotFoundError` if it is not there.
    """
    if not is_local(path):
        return remote(path).read(path)
    try:
        with open_read(path) as stream:
            return stream.read()
    except OSError as error:
        if error.errno and error.filename is None:
            error.filename = path  # an error while reading names none
        raise


def temporary(path: str) -> str:
    """Return a name beside `path` for a file that is not whole yet; no two calls return the same."""
    return f"{path}.{secrets.token_hex(8)}.tmp"


@contextmanager
def writing(path: str, *, durable: bool = False) -> Iterator[BinaryIO]:
    """Open `path` for writing; the file appears under its name when the block ends well.

    On object stores an upload is atomic by itself. Locally the bytes go to a temporary name first,
    so that a late or killed writer leaves no half file under the name. If `durable`, they are on
    the disk before the file has its name.
    """
    if not is_local(path):
        with remote(path).writing(path) as stream:
            yield stream
        return
    hidden = temporary(path)
    try:
        with open(hidden, "xb") as stream:
            yield stream
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(hidden, path)
    except BaseException as error:
        if isinstance(error, OSError) and error.errno and error.filename in (None, hidden):
            error.filename = path  # an error while writing names none
        with suppress(FileNotFoundError):
            os.remove(hidden)
        raise


def write_bytes(path: str, content: bytes, *, durable: bool = False) -> None:
    """Write a small file whole."""
    with writing(path, durable=durable) as stream:
        stream.write(content)


def update_bytes(path: str, change: Callable[[bytes | None], bytes | None]) -> None:
    """Change a small file, for which writers wait for each other, or which a store compares and swaps.

    Args:
        path: the file.
        change: from its content, or None where there is none, the new one; None: it stays. It may be called again,
            where another writer of an object was faster.
    """
    if is_local(path):
        with _alone_in(os.path.dirname(path)):
            changed = change(read_bytes(path) if exists(path) else None)
            if changed is not None:
                write_bytes(path, changed, durable=True)
        return
    while True:
        content, tag = remote(path).read_tagged(path) or (None, None)
        changed = change(content)
        if changed is None or remote(path).swap(path, changed, tag) is not None:
            return


@contextmanager
def _alone_in(folder: str) -> Iterator[None]:
    """Run the block while no other process does so with the same folder, if its file system has such locks."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sync_folder(path: str) -> None:
    """Bring the names in a local folder to the disk."""
    if is_local(path):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def link_or_copy(source: str, target: str) -> None:
    """Put the file `source` at `target`, where nothing is: a hard link, or a copy if need be."""
    if _scheme(source) != _scheme(target):
        with open_read(source) as stream, writing(target) as copy:
            shutil.copyfileobj(stream, copy)
        return
    if not is_local(target):
        remote(target).copy(source, target)
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _scheme(path: str) -> str:
    return "" if is_local(path) else path.partition("://")[0]


def touch(path: str) -> None:
    """Set the time of a local file to now; object stores know no such thing."""
    if is_local(path):
        os.utime(path)


def remove(path: str) -> None:
    """Remove a file; nothing happens where there is none."""
    if is_local(path):
        with suppress(FileNotFoundError):
            os.remove(path)
    else:
        remote(path).remove(path)


def list_folder(path: str) -> Folder:
    """List what is directly in a folder, or below a prefix of objects; nothing where there is none.

    Hidden files are listed like others.
    """
    if is_local(path):
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return Folder((), ())
        return Folder(
            tuple(entry.name for entry in entries if entry.is_file(follow_symlinks=False)),
            tuple(entry.name for entry in entries if entry.is_dir(follow_symlinks=False)),
        )
    names, folders = remote(path).folder(path)
    return Folder(tuple(sorted(names)), tuple(sorted(folders)))


def check_there(path: str) -> None:
    """Check, without listing it, that a local file, folder or glob exists; remote ones are not checked.

    Raises:
        LexbeamError: nothing exists at the path.
    """
    if not is_local(path) or os.path.lexists(path):
        return
    if next(_find_local(path), None) is None:
        raise _nothing_at(path)


class NoFilesError(LexbeamError):
    """A path names no files."""


def _nothing_at(path: str) -> NoFilesError:
    return NoFilesError(f"no input files at {path!r}: check the path or the pattern")


def list_files(path: str) -> list[ListedFile]:
    """Return the files that `path` names, sorted by name; see `find_files`."""
    return sorted(find_files(path), key=lambda entry: entry.name)


def find_files(path: str) -> Iterator[ListedFile]:
    """Yield the files that `path` names: a file, all files below a folder, or a glob; in no order.

    Hidden files (a name or folder that begins with a dot) are left out. Names are relative to the folder, or to
    the glob's fixed part. Links are followed, but not in circles; a link that leads nowhere is listed, since
    reading it fails with a reason.

    Raises:
        NoFilesError: nothing exists at the path.
        LexbeamError: a folder cannot be listed.
    """
    number = 0
    for entry in _find_local(path) if is_local(path) else _list_remote(path):
        number += 1
        yield entry
    if not number:
        raise _nothing_at(path)


def is_glob(path: str) -> bool:
    """Return whether a path is a pattern that may name several files, or one in several ways.

    What lies under just this name is no pattern.
    """
    if not glob.has_magic(path):
        return False
    return not (os.path.lexists(path) if is_local(path) else _is_object(path) or _has_below(path))


def _is_object(path: str) -> bool:
    return not path.endswith("/") and remote(path).state(path) is not None


def _has_below(path: str) -> bool:
    return next(remote(path).below(path), None) is not None


def root_of(path: str) -> str:
    """Return the folder that names listed for `path` are relative to, absolute."""
    if is_glob(path):
        fixed = _fixed_part(path)
        return absolute(fixed) if is_local(path) else fixed.rstrip("/")
    if is_local(path):
        single = os.path.lexists(path) and not os.path.isdir(path)
        return absolute((os.path.dirname(path) or ".") if single else path)
    return path.rpartition("/")[0] if _is_object(path) else path.rstrip("/")


def may_repeat(path: str) -> bool:
    """Return whether a path may lead to a file in several ways: it is a pattern of folders."""
    return is_local(path) and is_glob(path) and ("**" in path or len(_parts(path)[1]) > 1)


def _find_local(path: str) -> Iterator[ListedFile]:
    if os.path.isdir(path):
        yield from _entries_below(path)
    elif os.path.lexists(path):
        yield _listed(absolute(path), os.path.basename(path), path)
    elif glob.has_magic(path) and not path.endswith("/"):
        base, parts = _parts(path)
        root, prefix = absolute(base), os.path.join(base, "")
        for entry in _matching(base, parts) if os.path.isdir(base) else ():
            name = os.path.normpath(os.fspath(entry).removeprefix(prefix))
            if not any(part.startswith(".") for part in name.split("/")):
                yield _listed(join(root, name), name, entry)


def _parts(pattern: str) -> tuple[str, list[str]]:
    """Return the folder in which a pattern begins to be one, and what is to match, a name each."""
    base = _fixed_part(pattern)
    rest = pattern if base == "." and not pattern.startswith("./") else pattern[len(base) :]
    return base, [part for part in rest.split("/") if part]


def _matching(
    folder: str, parts: Sequence[str], above: Collection[str] = frozenset()
) -> "Iterator[str | os.DirEntry[str]]":
    """Yield the files that patterns of names lead to, as `glob` does with `recursive`; folders in the order of names.

    No list of them is held. Of folders that are listed, `above` has the places of those above; links do not lead there.
    """
    first, rest = parts[0], parts[1:]
    if not glob.has_magic(first):
        path = os.path.join(folder, first)
        if rest and os.path.isdir(path):
            yield from _matching(path, rest, above)
        elif not rest and os.path.lexists(path) and not os.path.isdir(path):
            yield path
        return
    deep = first == "**"
    if deep and rest:
        yield from _matching(folder, rest, above)
    pattern = "*" if deep else first
    above = {*above, os.path.realpath(folder)}
    inner = []
    with _scanned(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") > first.startswith(".") or not fnmatch.fnmatchcase(entry.name, pattern):
                continue
            if not _is_folder(entry):
                if not rest:
                    yield entry
            elif (deep or rest) and not (entry.is_symlink() and os.path.realpath(entry.path) in above):
                inner.append(entry.path)
    for path in sorted(inner):
        yield from _matching(path, parts if deep else rest, above)


@contextmanager
def _scanned(folder: str) -> "Iterator[Iterator[os.DirEntry[str]]]":
    try:
        with os.scandir(folder) as entries:
            yield entries
    except OSError as error:
        raise LexbeamError(f"the folder {folder!r} cannot be listed: {error.strerror}") from None


def _listed(path: str, name: str, entry: "str | os.DirEntry[str]") -> ListedFile:
    try:
        status = os.stat(entry) if isinstance(entry, str) else entry.stat()
    except OSError:  # a link that leads nowhere, or a file that has gone
        return ListedFile(path, name, 0)
    if not stat.S_ISREG(status.st_mode):
        return ListedFile(path, name, 0)
    # Who gives a file the time of another changes its inode.
    return ListedFile(path, name, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns))


def _entries_below(path: str) -> Iterator[ListedFile]:
    root, prefix = absolute(path), os.path.join(path, "")
    for entry in _below(path):
        relative = entry.path.removeprefix(prefix).replace(os.sep, "/")
        yield _listed(join(root, relative), relative, entry)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a folder, or a link to one; what cannot be said is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _below(root: str) -> "Iterator[os.DirEntry[str]]":
    """Yield the files below a folder, none hidden; one that links lead to in several ways is listed once."""
    tops: set[str] = set()  # places of folders below which all is listed

    def walk(top: str) -> "Iterator[os.DirEntry[str]]":
        place = os.path.realpath(top)
        links, folders = [], [top]
        while folders:
            inner = []
            with _scanned(folders.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if not _is_folder(entry):
                        yield entry
                    elif entry.is_symlink():
                        links.append(entry.path)
                    else:
                        inner.append(entry.path)
            inner.sort(reverse=True)
            folders += [path for path in inner if not (tops and _is_below(_moved(path, top, place), tops))]
        tops.add(place)
        for link in sorted(links):
            if not _is_below(os.path.realpath(link), tops):
                yield from walk(link)

    return walk(root)


def _moved(path: str, top: str, place: str) -> str:
    return os.path.join(place, path.removeprefix(top).lstrip("/"))


def _is_below(place: str, tops: Collection[str]) -> bool:
    """Return whether a place is one of some folders, or below one and no hidden name between them."""
    while place not in tops:
        place, name = os.path.split(place)
        if not name or name.startswith("."):
            return False
    return True


def _fixed_part(pattern: str) -> str:
    head = pattern
    while glob.has_magic(head):
        head = head.rpartition("/")[0]
    return head or ("/" if pattern.startswith("/") else ".")


def _list_remote(path: str) -> Iterator[ListedFile]:
    store = remote(path)
    pattern = glob_pattern(path) if is_glob(path) else None
    base = (_fixed_part(path) if pattern else path).rstrip("/")
    if pattern is None and not path.endswith("/") and (state := store.state(path)) is not None:
        yield ListedFile(path, posixpath.basename(path), state.bytes, state.changed)
    for name, state in store.below(base):
        relative = name.removeprefix(base + "/")
        if name.endswith("/") or any(part.startswith(".") for part in relative.split("/")):
            continue
        if pattern is not None and not pattern.match(searchable(name)):
            continue
        # Consoles mark a folder by an empty object `folder/`, which is listed without its slash.
        if state.bytes or (name != base and store.state(name) is not None):
            yield ListedFile(name, relative, state.bytes, state.changed)
