"""Digests of the entries of a staged file, by class: what a part's merge is named by, whatever the number of parts.

The class of an entry is the remainder of its hash by `CLASSES`, so that a part of up to so many, a power of two,
has the entries of some classes, and of these all. The digest of a class is the sum of its entries' digests: the
same in whatever order and in however many files they lie. Where parts have ranges of hashes, so have classes.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.store.receipts import File

CLASSES = 64
_SIZE = 16  # bytes of a digest
_DIGEST = np.dtype(("<u8", 2))


@dataclass(frozen=True)
class Staged(File):
    """A staged file.

    Attributes:
        classes: the digests of its entries, by class, or of classes that are in one part alone together; 16 bytes for
            each: two sums modulo 2^64.
        ranges: whether parts have ranges of hashes, not remainders.
    """

    classes: bytes
    ranges: bool = False

    def for_parts(self, parts: int) -> "Staged":
        """Return the file with the digests of classes summed that no part has without the others; as it is for 0."""
        if not parts:
            return self
        numbers = np.frombuffer(self.classes, "<u8").reshape(-1, 2)
        if not self.ranges:
            sums = numbers.reshape(-1, min(parts & -parts, len(numbers)), 2).sum(0, dtype=np.uint64)
        elif len(numbers) % parts == 0:
            sums = numbers.reshape(parts, -1, 2).sum(1, dtype=np.uint64)
        else:
            return self
        return replace(self, classes=sums.astype("<u8").tobytes())

    def of_part(self, parts: int, bucket: int) -> "Staged":
        """Return the file with those digests alone whose classes have entries of a part."""
        found = self.for_parts(parts)
        digests = np.frombuffer(found.classes, f"V{_SIZE}")
        if self.ranges:
            which = slice(bucket * len(digests) // parts, -(-(bucket + 1) * len(digests) // parts))
        else:
            which = slice(bucket % len(digests), bucket % len(digests) + 1)
        return replace(found, classes=digests[which].tobytes())


class Classes:
    """The digests of entries so far; `schema` is that of their rows."""

    def __init__(self, schema: pa.Schema, ranges: bool = False) -> None:
        self._ranges = ranges
        self._schema = hashlib.blake2b(schema.serialize(), digest_size=_SIZE)
        self._sums = np.zeros(CLASSES, _DIGEST)

    def add(
        self,
        hashes: Sequence[int],
        keys: Sequence[str],
        numbers: Sequence[int],
        sizes: Sequence[int],
        contents: Iterable[bytes],
    ) -> None:
        """Add entries: of each all that a merge reads of it; a content is that of its rows, see `contents_of`."""
        found = []
        for hash, key, number, size, content in zip(hashes, keys, numbers, sizes, contents, strict=True):
            whole = self._schema.copy()
            whole.update(f"{hash} {number} {size} {key}".encode())
            whole.update(content)
            found.append(whole.digest())
        which = np.array(hashes, np.uint64)
        which = which * np.uint64(CLASSES) >> np.uint64(32) if self._ranges else which % np.uint64(CLASSES)
        np.add.at(self._sums, which.astype(np.intp), np.frombuffer(b"".join(found), "<u8").reshape(-1, 2))

    def digests(self) -> bytes:
        """Return the digests of all classes, see `Staged.classes`."""
        return self._sums.tobytes()


def summed(staged: Iterable[Staged]) -> bytes:
    """Return the digests of what several files have together, class by class."""
    sums = [np.frombuffer(file.classes, "<u8") for file in staged]
    return np.sum(sums, axis=0, dtype=np.uint64).astype("<u8").tobytes() if sums else b""
