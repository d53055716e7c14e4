"""Resource files: digests of models, and data files that are packaged with our code.

A digest is a name for content, wherever it lies. A folder's covers the names of its files, relative
to it, and their bytes, in the order of the names; modification times and the place of the folder do
not count.
"""

import hashlib
import importlib.resources
import os
import time

from lexbeam.transforms.common.code.fingerprints import stream_digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files

_CHUNK = 1 << 20
_AT_REST = 2_000_000_000  # nanoseconds: no file system's clock ticks more slowly


def model_digest(path: str) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's file names and bytes.

    Hidden files (a name that begins with a dot) do not count. `path` may be remote.

    Returns 64 hexadecimal digits.

    Raises:
        LexbeamError: nothing exists at the path.
    """
    if not files.exists(path) and not any(files.list_folder(path)):
        raise LexbeamError(f"no model at {path!r}: check the path")
    whole = hashlib.sha256()
    for entry in files.list_files(path):
        # The length before each part keeps a name from running into the bytes after it.
        name = entry.name.encode("utf-8", "surrogateescape")  # bytes, whatever they are
        whole.update(b"%d:%b%d:" % (len(name), name, entry.size))
        with files.open_read(entry.path) as stream:
            while chunk := stream.read(_CHUNK):
                whole.update(chunk)
    return whole.hexdigest()


def content_digest(path: str) -> str:
    """Return the SHA-256 of a file's bytes, or a folder's `model_digest`.

    A file of this machine that this process has read already is not read again as long as its size,
    its times and its inode stay as they are, if it was at rest for two seconds when it was read.

    Raises:
        LexbeamError: nothing exists at the path.
    """
    if files.is_local(path) and os.path.isfile(path):
        status = os.stat(path)
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if path in _READ and _READ[path][0] == state:
            return _READ[path][1]
        digest = _sha256(path)
        # Within one tick of the file system's clock a file may change and keep its times.
        if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _AT_REST:
            _READ[path] = state, digest
        return digest
    if not files.exists(path) and not any(files.list_folder(path)):
        raise LexbeamError(f"no file or folder is at {path!r}: check the path")
    if files.is_local(path) or not files.exists(path):
        return model_digest(path)
    return _sha256(path)


_READ: dict[str, tuple[tuple[int, ...], str]] = {}


def _sha256(path: str) -> str:
    with files.open_read(path) as stream:
        return stream_digest(stream)


def packaged_text(package: str, name: str) -> str:
    """Return the text of a data file of one of our packages, as it is installed.

    Both arguments are string literals at the call, so that the file counts for the identity of the
    code that reads it (`code/walk.py`).

    Raises:
        LexbeamError: the file is missing.
    """
    try:
        return importlib.resources.files(package).joinpath(name).read_text("utf-8")
    except OSError as error:
        raise LexbeamError(f"{name} of package {package} cannot be read ({error}): reinstall Lexbeam") from error
