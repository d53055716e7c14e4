"""Resource files: digests of models, and data files that are packaged with our code.

A digest is a name for content, wherever it lies. A folder's covers the names of its files, relative
to it, and their bytes, in the order of the names; modification times and the folder's own place do
not count.
"""

import hashlib
import importlib.resources

from transforms.common import files
from transforms.common.errors import LexbeamError

__all__ = ["model_digest", "packaged_text"]

_CHUNK = 1 << 20


def model_digest(path: str) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's file names and bytes.

    Hidden files (a name that begins with a dot) do not count. `path` may be remote.

    Returns 64 hexadecimal digits.

    Raises:
        LexbeamError: nothing is there.
    """
    if not files.exists(path) and not any(files.list_folder(path)):
        raise LexbeamError(f"no model at {path!r}: check the path")
    whole = hashlib.sha256()
    for entry in files.list_files(path):
        # The length before each part keeps a name from running into the bytes after it.
        name = entry.name.encode()
        whole.update(b"%d:%b%d:" % (len(name), name, entry.size))
        with files.open_read(entry.path) as stream:
            while chunk := stream.read(_CHUNK):
                whole.update(chunk)
    return whole.hexdigest()


def packaged_text(package: str, name: str) -> str:
    """Return the text of a data file of one of our packages, as it is installed.

    Both arguments are string literals at the call, so that the file counts for the identity of the
    code that reads it (`code_walk`).

    Raises:
        LexbeamError: the file is not there.
    """
    try:
        return importlib.resources.files(package).joinpath(name).read_text("utf-8")
    except OSError as error:
        raise LexbeamError(
            f"{name} of package {package} cannot be read ({error}): reinstall Lexbeam"
        ) from error
