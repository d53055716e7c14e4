"""What a folder has forgotten: documents and sources that every later run leaves out, known by digests alone.

    DIR/_snapshots/.forgotten     marks, and whether what they are of is still to be removed

A mark is a digest: of a document's text, wherever it stands; of the name of a source; of a place in a source, for a
document that came annotated and without text. Nothing of a text can be read from it.
"""

import functools
import hashlib
from collections.abc import Collection
from typing import NamedTuple

import msgspec

from lexbeam.transforms.common.code.fingerprints import digest, text_digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.layout import FORGOTTEN, SNAPSHOTS
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Place


def document_mark(text: str | None, source: str, position: str) -> str:
    """Return the mark of a document: of its text, or of its place if it came without."""
    return digest(["place", source, position]) if text is None else text_digest(text, ["text"])


@functools.lru_cache(256)  # records of a source come one after the other
def source_mark(source: str) -> str:
    """Return the mark of a source, such as a file's name or `archive!member`."""
    return digest(["source", source])


def id_mark(document_id: str) -> str:
    """Return the mark of a document's id, by which alone a command that is given again knows it."""
    return digest(["id", document_id])


class ForgottenMarks(frozenset[str]):
    """A set of marks."""

    __slots__ = ()

    def has_source(self, source: str) -> bool:
        """Return whether a source, or the file that it is a member of, is forgotten."""
        return source_mark(source) in self or source_mark(file_of(source)) in self

    def has_document(self, text: str | None, source: str, position: str) -> bool:
        """Return whether a document is forgotten, or its source."""
        return document_mark(text, source, position) in self or self.has_source(source)


class Forgotten(NamedTuple):
    """Where marks lie, and their digest: what stages are given."""

    path: Place
    digest: str

    def marks(self) -> ForgottenMarks:
        """Return the marks.

        Raises:
            LexbeamError: they are damaged, or others than when the run began.
        """
        marks, _ = _read(self.path)
        if _digest(marks) != self.digest:
            raise LexbeamError(f"{self.path} has changed since the run began: run the same command again")
        return marks


class _List(msgspec.Struct, frozen=True):
    marks: tuple[str, ...]
    pending: bool
    check: str


def _path(out: str) -> str:
    return files.join(out, SNAPSHOTS, FORGOTTEN)


def _digest(marks: Collection[str]) -> str:
    return hashlib.sha256("\n".join(sorted(marks)).encode()).hexdigest()


def _read(path: str) -> tuple[ForgottenMarks, bool]:
    try:
        listed = msgspec.json.decode(files.read_bytes(path), type=_List)
        if _digest(listed.marks) == listed.check:
            return ForgottenMarks(listed.marks), listed.pending
    except FileNotFoundError:
        return ForgottenMarks(), False
    except msgspec.MsgspecError:
        pass
    raise LexbeamError(
        f"{path} is damaged: it said which documents are forgotten, and nothing is made while it cannot be read, since "
        "they would come back. Remove it, and give `lexbeam forget` all their names again"
    )


def read_marks(out: str) -> tuple[ForgottenMarks, bool]:
    """Return what a folder has forgotten, and whether some of it is still to be removed.

    Raises:
        LexbeamError: the list is damaged.
    """
    return _read(_path(out))


def write_marks(out: str, marks: Collection[str], *, pending: bool) -> None:
    """Write what a folder, which has published and is locked by the caller, has forgotten."""
    listed = _List(tuple(sorted(marks)), pending, _digest(marks))
    files.write_bytes(_path(out), msgspec.json.encode(listed) + b"\n", durable=True)


def forgotten_at(out: str | None) -> Forgotten | None:
    """Return what stages that make tables for a folder are given; None if it has forgotten nothing.

    Raises:
        LexbeamError: the list is damaged.
    """
    marks = read_marks(out)[0] if out else ForgottenMarks()
    return Forgotten(_path(files.absolute(out)), _digest(marks)) if out and marks else None
