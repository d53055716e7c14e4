"""What a failed run leaves for a person to read: files in DIR/_failed, each whole or absent.

The mark of the folder names them, so that nothing else is ever removed from it: a publication that
succeeds removes them, and so does `lexbeam clean`.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress

from lexbeam.transforms.common.publish.layout import FAILED, MARK, is_marked_folder, make_marked_folder
from lexbeam.transforms.common.store import files

_NAME = re.compile(r"[\w.-]+\.tsv")
_TEMPORARY = re.compile(r"(.*)" + files.TEMPORARY, re.DOTALL)
_IN_MEMORY = 8 << 20


def write_failed(out: str, name: str, lines: Iterable[str]) -> str:
    """Write lines of text as the file `name` of a failed run; return its path.

    Raises:
        ValueError: the name is not one of ours.
        OSError: the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name of a failed run's file")
    folder = make_marked_folder(out, FAILED)
    named = sorted({*_named(out), name})
    # Noted before the file exists, so that what a killed run leaves is known as ours.
    files.write_bytes(files.join(folder, MARK), json.dumps(named).encode(), durable=True)
    path = files.join(folder, name)
    # An object exists once its upload ends, however it ends: so the upload begins when all is known.
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as whole:
        for line in lines:
            whole.write(line.encode())
        whole.seek(0)
        with files.writing(path, durable=True) as stream:
            shutil.copyfileobj(whole, stream)
    return path


def failed_files(out: str) -> list[str]:
    """Return the paths of what failed runs have left at `out`, also half written."""
    folder = files.join(out, FAILED)
    if not is_marked_folder(out, FAILED):
        return []
    named = _named(out)
    return [
        files.join(folder, name)
        for name in files.list_folder(folder).files
        if name in named or ((match := _TEMPORARY.fullmatch(name)) and match[1] in {*named, MARK})
    ]


def remove_failed(out: str) -> None:
    """Remove what failed runs have left at `out`; files of others stay, and so does their folder."""
    folder = files.join(out, FAILED)
    if not is_marked_folder(out, FAILED):
        return
    for path in failed_files(out):
        files.remove(path)
    if not files.is_local(out):
        files.remove(files.join(folder, MARK))
    elif os.listdir(folder) == [MARK]:
        files.remove(os.path.join(folder, MARK))
        with suppress(OSError):
            os.rmdir(folder)


def _named(out: str) -> set[str]:
    """Return the names in the mark; none if it is damaged, since then nobody knows what is ours."""
    with suppress(OSError, ValueError, TypeError):
        value = json.loads(files.read_bytes(files.join(out, FAILED, MARK)))
        return {name for name in value if _NAME.fullmatch(name)}
    return set()
