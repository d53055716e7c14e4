"""Receipts on disk: typed records with a digest of their own, so that damage is never read.

    {"check": SHA-256 of the rest, "files": [[name, bytes, SHA-256], ...], "receipt": {...}, "made_of": [...],
     "lexbeam": "0.2.0 (670c6261a63d)"}

Names of files are relative to the folder of artefacts, which may be moved; `files` are those that
the receipt holds, so that they are known without knowing its type. `made_of` says which files the task named, by
`source_of`; it counts for nothing but plans. `lexbeam` is the version that made it, for people: nothing hangs on it.
Receipts of 0.1.0 have neither.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

import msgspec

from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import WHERE, Size

log = logging.getLogger("lexbeam")

K = TypeVar("K")
R = TypeVar("R")

NAME_DIGITS = 32
_SOURCE = 16  # hexadecimal digits
FREED = ".freed"  # beside a receipt: its files were removed on purpose, see `removing.free`


class ArtefactPath(str):
    """The path of a file in the folder of artefacts; only such files are ever discarded."""

    __slots__ = ()


def stem_of(path: str) -> str:
    """Return the path that the names of all of an artefact's files begin with, its receipt's among them."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name[:NAME_DIGITS]}"


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
    """A sound receipt, its type unknown: its files, its bytes, what it was made of (`source_of`), by which version."""

    files: tuple[FileName, ...]
    receipt: bytes
    made_of: frozenset[str] = frozenset()
    lexbeam: str = ""


class _Envelope(msgspec.Struct, omit_defaults=True):
    check: str
    files: msgspec.Raw
    receipt: msgspec.Raw
    made_of: tuple[str, ...] = ()
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


def source_of(sha256: str, *, entries: bool = False) -> str:
    """Return how `made_of` names a file by its SHA-256; `entries`: some of its entries were taken, by their keys."""
    return f"{'~' * entries}{sha256[:_SOURCE]}"


def write_receipt(path: str, root: str, receipt: object, held: Iterable[File], made_of: Iterable[str] = ()) -> None:
    """Write a receipt whose files are on the disk."""
    listed = encode([[file.path, file.bytes, file.sha256] for file in held], root)
    content = encode(receipt, root)
    sources = tuple(sorted({*made_of}))
    envelope = _Envelope(
        _check(listed, content, sources), msgspec.Raw(listed), msgspec.Raw(content), sources, str(own_build())
    )
    files.write_bytes(path, msgspec.json.encode(envelope))


def _check(listed: bytes | msgspec.Raw, content: bytes | msgspec.Raw, sources: Sequence[str]) -> str:
    whole = hashlib.sha256(bytes(listed))
    whole.update(b"\n" + bytes(content))
    if sources:
        whole.update(b"\n" + " ".join(sources).encode())
    return whole.hexdigest()


def read_envelope(path: str) -> Envelope | None:
    """Return the envelope of a receipt; None, with a warning, if it is damaged, or not there."""
    content = _read(path)
    if content is None:
        return None
    try:
        envelope = msgspec.json.decode(content, type=_Envelope)
        if _check(envelope.files, envelope.receipt, envelope.made_of) != envelope.check:
            raise ValueError("its digest does not match")
        held = msgspec.json.decode(envelope.files, type=tuple[FileName, ...])
        return Envelope(held, bytes(envelope.receipt), frozenset(envelope.made_of), envelope.lexbeam)
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
    def counts(self) -> Sequence[object]:
        """Its counts."""


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
