"""Duplicates: which of several equal records is kept, and the ids of those that are.

Two records are duplicates if they agree in text, year, author, title and source collection; their
key is the digest of these. The least (source, ordinal) is kept.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from transforms.common.code.fingerprints import digest
from transforms.common.code.registry import Entry, Registry
from transforms.common.store.identity import Place
from transforms.formats.ingest.staging import StageFile

__all__ = ["DUPLICATES", "AnnotateTask", "Decision", "RecordOccurrence", "decide", "document_id"]

DUPLICATES: Registry[Entry] = Registry(
    {
        "reject": Entry(doc="all but the first are rejects"),
        "keep": Entry(doc="all are kept, each with an id of its own"),
    },
    what="treatment of duplicates",
)


class RecordOccurrence(NamedTuple):
    """A record with a given key: its source and place there, and its staging file and place there."""

    source: str
    ordinal: int
    position: str
    file: Place
    place: int


class Decision(NamedTuple):
    """What becomes of a record that is not the first with its key.

    `number` counts the kept occurrences from 0; `same_as` names the source and position of the kept
    record if this one is rejected, and is empty if it is kept.
    """

    file: Place
    place: int
    number: int
    same_as: str


class AnnotateTask(NamedTuple):
    """A staging file to annotate, and the decisions on its records that are not the first of their key."""

    stage: StageFile
    decisions: tuple[Decision, ...]


def decide(occurrences: Iterable[RecordOccurrence], mode: str) -> Iterator[Decision]:
    """Yield a decision for each occurrence of one key but the first, which needs none.

    `mode` is an entry of `DUPLICATES`.
    """
    first, *others = sorted(occurrences)
    for number, other in enumerate(others, 1):
        same_as = f"{first.source} {first.position}".rstrip() if mode == "reject" else ""
        yield Decision(other.file, other.place, number, same_as)


def document_id(key: str, number: int) -> str:
    """Return the id of the `number`-th kept record with this key."""
    return key if number == 0 else digest([key, number])
