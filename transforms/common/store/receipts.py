"""Receipts on disk: typed records with a digest of their own, so that damage is never read.

    {"check": ..., "files": [[name, bytes, SHA-256], ...], "receipt": {...}, "lexbeam": "0.2.0 (670c6261a63d)"}

Names of files are relative to the folder of artefacts, which may be moved; `files` are those that
the receipt holds, so that they are known without knowing its type. `check` is the SHA-256 of both. `lexbeam` is
the version that made it, for people: nothing hangs on it, and those of 0.1.0 have none.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

import msgspec

from transforms.common.code.version import own_build
from transforms.common.store import files
from transforms.common.store.identity import WHERE, Size

__all__ = [
    "ArtefactPath",
    "Envelope",
    "File",
    "decode",
    "encode",
    "read_envelope",
    "read_receipt",
    "summed",
    "totals",
    "write_receipt",
]

log = logging.getLogger("lexbeam")

K = TypeVar("K")
R = TypeVar("R")


class ArtefactPath(str):
    """The path of a file in the folder of artefacts; only such files are ever discarded."""

    __slots__ = ()


@dataclass(frozen=True)
class File:
    """A file that a receipt stands for: its path, its size, the SHA-256 of its bytes."""

    path: Annotated[ArtefactPath, WHERE]
    bytes: Size
    sha256: str


class FileName(NamedTuple):
    """A file as an envelope has it: its name in the folder of artefacts, size and SHA-256."""

    name: str
    bytes: int
    sha256: str


class Envelope(NamedTuple):
    """A sound receipt, its type unknown: its files, its bytes, and the version that made it; empty: not noted."""

    files: tuple[FileName, ...]
    receipt: bytes
    lexbeam: str = ""


class _Envelope(msgspec.Struct):
    check: str
    files: msgspec.Raw
    receipt: msgspec.Raw
    lexbeam: str = ""


def encode(value: object, root: str = "") -> bytes:
    """Return a value of dataclasses, named tuples and plain values as JSON.

    Paths of artefacts are relative to `root`, where one is given.
    """
    prefix = root.rstrip("/") + "/"

    def plain(value: object) -> str:
        if not isinstance(value, ArtefactPath):
            raise TypeError(f"{type(value).__name__} in a receipt")
        if root and not value.startswith(prefix):
            raise ValueError(f"{value} does not lie in {root}")
        return str(value)[len(prefix) :] if root else str(value)

    return msgspec.json.encode(value, enc_hook=plain)


def decode(content: bytes, type: type[R], root: str = "") -> R:
    """Return what `encode` wrote, checked against its type.

    Raises:
        ValueError: the content is not of this type (msgspec's errors are of this kind).
    """

    def typed(wanted: object, value: object) -> ArtefactPath:
        if wanted is ArtefactPath and isinstance(value, str):
            return ArtefactPath(files.join(root, value) if root else value)
        raise TypeError(f"{wanted} in a receipt")

    return msgspec.json.decode(content, type=type, dec_hook=typed)


def write_receipt(path: str, root: str, receipt: object, held: Iterable[File]) -> None:
    """Write a receipt whose files are on the disk."""
    listed = encode([[file.path, file.bytes, file.sha256] for file in held], root)
    content = encode(receipt, root)
    envelope = _Envelope(_check(listed, content), msgspec.Raw(listed), msgspec.Raw(content), str(own_build()))
    files.write_bytes(path, msgspec.json.encode(envelope))


def _check(listed: bytes | msgspec.Raw, content: bytes | msgspec.Raw) -> str:
    whole = hashlib.sha256(bytes(listed))
    whole.update(b"\n" + bytes(content))
    return whole.hexdigest()


def read_envelope(path: str) -> Envelope | None:
    """Return the envelope of a receipt; None, with a warning, if it is damaged, or not there."""
    content = _read(path)
    if content is None:
        return None
    try:
        envelope = msgspec.json.decode(content, type=_Envelope)
        if _check(envelope.files, envelope.receipt) != envelope.check:
            raise ValueError("its digest does not match")
        held = msgspec.json.decode(envelope.files, type=tuple[FileName, ...])
        return Envelope(held, bytes(envelope.receipt), envelope.lexbeam)
    except (ValueError, RecursionError) as error:
        log.warning("the receipt %s is damaged (%s): what it stands for is made anew", path, error)
        return None


def read_receipt(path: str, root: str, type: type[R]) -> R | None:
    """Return a receipt; None, with a warning, if it is damaged, or if there is none."""
    envelope = read_envelope(path)
    if envelope is None:
        return None
    try:
        return decode(envelope.receipt, type, root)
    except (ValueError, RecursionError) as error:
        log.warning("the receipt %s is of another kind (%s): it is made anew", path, error)
        return None


def _read(path: str) -> bytes | None:
    try:
        return files.read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError:
        if files.exists(path):
            raise
        return None


class HasCounts(Protocol):
    """A receipt with counts, records whose fields say what is counted, and how many."""

    @property
    def counts(self) -> Sequence[object]: ...


def summed(receipts: Iterable[HasCounts], by: Sequence[str], numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Sum the `counts` of receipts by what they count.

    Args:
        receipts: each has `counts`, records.
        by: fields that say what is counted.
        numbers: fields that are summed.

    Returns:
        A row for each combination of values of `by`, in their order: the values and the sums.
    """
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for receipt in receipts:
        for count in receipt.counts:
            group = sums.setdefault(tuple(getattr(count, name) for name in by), Counter())
            group.update({name: getattr(count, name) for name in numbers})
    return [{**dict(zip(by, key, strict=True)), **{name: sums[key][name] for name in numbers}} for key in sorted(sums)]


def totals(counts: Iterable[Mapping[K, int]]) -> Counter[K]:
    """Sum counts key by key.

    >>> totals([{"a": 1, "b": 2}, {"a": 3}])
    Counter({'a': 4, 'b': 2})
    """
    total: Counter[K] = Counter()
    for each in counts:
        total.update(each)
    return total
