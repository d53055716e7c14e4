"""Documents that are zip archives: their members, decompressed within the limits of archives."""

import io
import zipfile
from functools import partial
from typing import BinaryIO, cast

from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.sources.compression import Guard, Guarded
from lexbeam.transforms.formats.sources.streams import read_all


class Package:
    """A document that is a zip archive."""

    def __init__(self, source: Source, options: ReaderOptions) -> None:
        """Read the archive, whole.

        Raises:
            BadRecord, zipfile.BadZipFile: it cannot be read, or is larger than a record may be.
        """
        data = read_all(source, options)
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._guard = Guard(options, lambda: len(data))
        self._options = options

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """Return a member.

        Raises:
            BadRecord: there is none of this name, or it is encrypted, or expands too much.
        """
        if name not in self:
            raise BadRecord("malformed", f"its archive has no {name!r}")
        info = self._archive.getinfo(name)
        if info.flag_bits & 1:
            raise BadRecord("unreadable", "it is encrypted")
        return read_all(Source(name, partial(self._open, info), name), self._options)

    def _open(self, info: zipfile.ZipInfo) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(Guarded(self._archive.open(info), self._guard)))
