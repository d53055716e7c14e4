"""Digests of files that were read before, so that a file is not read again to find that it is the same.

A digest is taken for known where path, size and time of change are those that it was noted with. It is noted only
if the time lay far enough before the listing (`listing.GRANULARITY`): what changes later has another one. The
digests of a unit lie in one file beside the artefacts; nothing of them is published.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.publish.removing import LISTING
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.formats.ingest.listed import ListedUnit
from lexbeam.transforms.formats.ingest.stage import InputFile, Unit
from lexbeam.transforms.formats.sources.readings import FileReading

# How files are found to be those of an earlier run.
CHECKS: Registry[Entry] = Registry(
    {
        "time": Entry(doc="size and time of change; what differs in them is read"),
        "content": Entry(doc="all files are read"),
    },
    what="check of input files",
)
_HEX = 64
_ENDING = ".arrow"
_NOTED = pa.schema([("path", pa.binary()), ("size", pa.int64()), ("changed", pa.int64()), ("sha256", pa.string())])
_Place = tuple[bytes, int, int]


class KnownDigests:
    """The digests of the files of a unit.

    Args:
        workspace: where artefacts lie.
        unit: as it was dealt out: in a listing, or of one file.
    """

    def __init__(self, workspace: Workspace, unit: ListedUnit | Unit) -> None:
        self._folder = files.join(workspace.root, LISTING)
        self._names = list(_names(unit))
        self._noted: dict[_Place, str] | None = None

    def fill(self, unit: Unit) -> Unit:
        """Return a unit with those digests of its files that are known."""
        asked = self._asked()
        filled = (file._replace(known=asked.get(_place(file), "")) if file.changed else file for file in unit.files)
        return replace(unit, files=tuple(filled))

    def _asked(self) -> dict[_Place, str]:
        """Return what is noted: for the unit, or, where their number has changed, for those that had its files."""
        for own, names in enumerate(self._names):
            found = [noted for name in names if (noted := _read(files.join(self._folder, name))) is not None]
            if found:
                merged = {place: sha256 for noted in found for place, sha256 in noted.items()}
                self._noted = merged if not own else None
                return merged
        return {}

    def keep(self, listed: Iterable[InputFile], readings: Iterable[FileReading]) -> None:
        """Note the digests of a unit's files that were read, or known before."""
        noted = {
            _place(file): reading.sha256
            for file, reading in zip(listed, readings, strict=True)
            if file.changed and reading.broken is None and len(reading.sha256) == _HEX
        }
        if noted == (self._noted or {}):
            return
        rows = [(*place, sha256) for place, sha256 in sorted(noted.items())]
        columns = zip(*rows, strict=True) if rows else [()] * len(_NOTED)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _NOTED, strict=True)]
        files.make_folder(self._folder)
        path = files.join(self._folder, self._names[0][0])
        with files.writing(path) as stream, pa.ipc.new_file(stream, _NOTED) as writer:
            writer.write_table(pa.Table.from_arrays(arrays, schema=_NOTED))


class AllKnown:
    """The digests of all files that are known, to ask whether a file is what it was. Of each, 8 bytes are held.

    Args:
        root: the folder where artefacts lie.
    """

    def __init__(self, root: str) -> None:
        self._folder = files.join(root, LISTING)

    def holds(self, file: InputFile, number: int) -> bool:
        """Return whether a file is known, as it is listed, to have a SHA-256 with this `number_of`."""
        if not file.changed:
            return False
        key = hash((*_place(file), number))
        at = int(np.searchsorted(self._keys, key))
        return at < len(self._keys) and int(self._keys[at]) == key

    @cached_property
    def _keys(self) -> "np.typing.NDArray[np.int64]":
        keys = array("q")
        for name in files.list_folder(self._folder).files:
            noted = _read(files.join(self._folder, name)) if name.endswith(_ENDING) else None
            keys.extend(hash((*place, number_of(sha256))) for place, sha256 in (noted or {}).items())
        return np.sort(np.array(keys, np.int64))


def number_of(sha256: str | None) -> int:
    """Return a number that stands for a digest within this process; -1 for None, or for why there is none."""
    return hash(sha256) if sha256 and len(sha256) == _HEX else -1


def _place(file: InputFile) -> _Place:
    return file.path.encode("utf-8", "surrogateescape"), file.size, file.changed


def _names(unit: ListedUnit | Unit) -> Iterator[Sequence[str]]:
    """Yield names of files with digests: the unit's own, then those of others that may have had its files."""
    if isinstance(unit, Unit):
        yield [f"file-{digest(unit.files[0].name)}{_ENDING}"]
        return
    yield [_bucket(unit.bits, unit.bucket)]
    for up in range(1, unit.bits + 1):
        yield [_bucket(unit.bits - up, unit.bucket >> up)]
    yield [_bucket(unit.bits + 1, 2 * unit.bucket), _bucket(unit.bits + 1, 2 * unit.bucket + 1)]


def _bucket(bits: int, bucket: int) -> str:
    return f"bucket-{bits:02d}-{bucket:x}{_ENDING}"


def _read(path: str) -> dict[_Place, str] | None:
    if not files.exists(path):
        return None
    try:
        with files.open_read(path) as stream:
            rows = pa.ipc.open_file(stream).read_all().cast(_NOTED)
    except (OSError, ValueError, KeyError):  # damaged: pyarrow's errors are of these kinds
        return None
    places = zip(*(rows[name].to_pylist() for name in ("path", "size", "changed")), strict=True)
    return dict(zip(places, rows["sha256"].to_pylist(), strict=True))
