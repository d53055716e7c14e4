"""Records of one key: which of several equal records is kept, and what is decided of the others.

Two records are duplicates if they agree in text, year, author, title and source collection; their key is the digest of
these. The least (source, ordinal) is kept. Keys are compared by bucket, so that no process needs all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.formats.ingest.staged_records import StageFile

# So many keys of a thousand million records are half a gigabyte in one of these.
_BUCKET_BITS = 6

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


def by_bucket(hashes: npt.NDArray[np.uint64]) -> Iterator[tuple[int, npt.NDArray[np.uint64]]]:
    """Yield hashes of keys by the bucket of their first bits, each with its number; equal ones are of one bucket."""
    buckets = (hashes >> np.uint64(64 - _BUCKET_BITS)).astype(np.int64)
    order = np.argsort(buckets, kind="stable")
    numbers, starts = np.unique(buckets[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(hashes[order], starts[1:]), strict=False)  # of none there is no bucket


def repeated(hashes: Sequence[npt.NDArray[np.uint64]]) -> list[npt.NDArray[np.uint64]]:
    """Return, of each of several arrays of hashes, those that stand more than once in all of them together."""
    whole = np.concatenate(hashes)
    whole.sort()
    often = np.unique(whole[1:][whole[1:] == whole[:-1]])
    return [found[np.isin(found, often)] for found in hashes]


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
