"""Files elsewhere, `scheme://` paths: which store serves a path.

`s3://` and `gs://` go through obstore (`objects`), whose writes can be conditional; other schemes, such as
`hdfs://`, through Beam's file systems, whose writes cannot. What is read by `rowless://` is made when it is read.
"""

import errno
import glob
import hashlib
import importlib.util
import io
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from lexbeam.transforms.common.errors import LexbeamError, UsageError, explained, missing_package
from lexbeam.transforms.common.patterns import compiled
from lexbeam.transforms.common.store.objects import (
    Objects,
    ObjectState,
    ObjectTag,
    Remote,
    StoreFailed,
    object_file_system,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from apache_beam.io.filesystem import FileMetadata
    from apache_beam.io.filesystems import FileSystems
    from fsspec import AbstractFileSystem


def remote(path: str) -> Remote:
    """Return the store that serves a path.

    Raises:
        UsageError: a package is missing.
        LexbeamError: none does.
    """
    scheme = path.partition("://")[0]
    return REMOTES.get(scheme) or _beam(path, scheme)


def file_system(path: str) -> "AbstractFileSystem":
    """Return the file system of a path, local or remote, as fsspec has it, for other programs to read by.

    Raises:
        UsageError: a package is missing.
        LexbeamError: fsspec has none.
    """
    scheme = path.partition("://")[0] if "://" in path else "file"
    try:
        import fsspec
    except ImportError as error:
        raise missing_package("file systems need", "fsspec", "objects") from error
    if scheme in REMOTES:
        return object_file_system(scheme)
    try:
        return fsspec.filesystem(scheme)
    except (ImportError, ValueError) as error:
        raise LexbeamError(f"fsspec has no file system for '{scheme}://': {error}") from error


def glob_pattern(path: str) -> re.Pattern[str]:
    """Return a glob of a remote file system as RE2 matches it, with the meaning that Beam gives it.

    But that `**/` may be no folder, as it may in a glob of this machine's.

    Raises:
        LexbeamError: it is no pattern.
    """
    from apache_beam.io.filesystem import FileSystem

    glob_of_folders = path + "*" if path.endswith("/") else path
    regex = FileSystem.translate_pattern(glob_of_folders).removesuffix(r"\Z") + r"\z"
    regex = regex.replace("/.*/", "/(?:.*/)?")
    try:
        return compiled(regex, "inputs")
    except UsageError:
        raise LexbeamError(f"{path!r} is not a pattern of file names") from None


class _Rowless:
    """Parts of tables without rows, which have no files: `rowless://PATH` has the columns of the Parquet file at PATH.

    Nobody writes there.
    """

    def state(self, path: str) -> ObjectState:
        return ObjectState(len(self.read(path)), 0, ObjectTag(None))

    def read(self, path: str) -> bytes:
        import pyarrow.parquet as pq

        beside = path.removeprefix(ROWLESS)
        with remote(beside).open(beside) if "://" in beside else open(beside, "rb") as stream:
            schema = as_written(pq.read_schema(stream))
        made = io.BytesIO()
        pq.ParquetWriter(made, schema, compression="zstd", store_schema=True).close()
        return made.getvalue()

    def open(self, path: str) -> BinaryIO:
        return io.BytesIO(self.read(path))


def as_written(schema: "pa.Schema") -> "pa.Schema":
    """Return a schema with the names of lists' items that tables are written with: Parquet has others."""
    import pyarrow as pa

    for place, field in enumerate(schema):
        if pa.types.is_list(field.type):
            schema = schema.set(place, field.with_type(pa.list_(field.type.value_type)))
    return schema


ROWLESS = "rowless://"
# By scheme, what serves it; others, Beam.
REMOTES: dict[str, Remote] = {"s3": Objects(), "gs": Objects(), ROWLESS.partition(":")[0]: cast(Remote, _Rowless())}
# Packages that Beam's file systems import when they are first used, with the extra of Beam that installs them.
_PACKAGES = {"hdfs": ("hdfs", "hadoop"), "azfs": ("azure", "azure")}


def _beam(path: str, scheme: str) -> Remote:
    from apache_beam.io.filesystem import FileSystem
    from apache_beam.io.filesystems import FileSystems

    package, extra = _PACKAGES.get(scheme, ("", ""))
    if package and importlib.util.find_spec(package) is None:
        raise UsageError(f"paths {scheme}:// need the Python package {package}: pip install 'apache-beam[{extra}]'")
    try:
        FileSystems.get_filesystem(f"{scheme}://")
    except ValueError as error:
        schemes = {kind.scheme() for kind in FileSystem.get_all_subclasses()}
        known = sorted({*REMOTES, *_PACKAGES, *filter(None, schemes)} - {ROWLESS.partition(":")[0]})
        raise LexbeamError(
            f"no file system for '{scheme}://' of {path!r}; there are {', '.join(f'{name}://' for name in known)}; "
            "download other files first"
        ) from error
    return _BeamFiles(FileSystems)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Raise what Beam's file systems raise of a store as `StoreFailed`: it says nothing of a file."""
    from apache_beam.io.filesystem import BeamIOError

    try:
        yield
    except BeamIOError as error:
        raise StoreFailed(str(explained(error, path))) from error


class _BeamFiles:
    """What Beam's file systems serve; `swap` looks and writes, and another may write in between."""

    def __init__(self, beam: "type[FileSystems]") -> None:
        from apache_beam.io.filesystem import CompressionTypes

        self._beam = beam
        self._as_it_is = {"compression_type": CompressionTypes.UNCOMPRESSED}

    def state(self, path: str) -> ObjectState | None:
        with _told(path):
            entries = self._beam.match([glob.escape(path)])[0].metadata_list
        return _state(entries[0]) if entries else None

    def read(self, path: str) -> bytes:
        with self.open(path) as stream:
            return stream.read()

    def read_tagged(self, path: str) -> tuple[bytes, ObjectTag] | None:
        try:
            content = self.read(path)
        except FileNotFoundError:
            return None
        return content, _tag(content)

    def open(self, path: str) -> BinaryIO:
        # For a missing object a store raises an exception of its own library.
        if self.state(path) is None:
            raise FileNotFoundError(errno.ENOENT, "no such object", path)
        with _told(path):
            stream: BinaryIO = self._beam.open(path, **self._as_it_is)
        return stream

    def writing(self, path: str) -> AbstractContextManager[BinaryIO]:
        with _told(path):
            stream: AbstractContextManager[BinaryIO] = self._beam.create(path, **self._as_it_is)
        return stream

    def swap(self, path: str, content: bytes, tag: ObjectTag | None) -> ObjectTag | None:
        there = self.read_tagged(path)
        if (there and there[1]) != tag:
            return None
        with self.writing(path) as stream:
            stream.write(content)
        return _tag(content)

    def copy(self, source: str, target: str) -> None:
        with _told(source):
            self._beam.copy([source], [target])

    def remove(self, path: str) -> None:
        if self.state(path) is not None:
            with _told(path):
                self._beam.delete([path])

    def folder(self, path: str) -> tuple[set[str], set[str]]:
        base = path.rstrip("/") + "/"
        names = [found.removeprefix(base).partition("/") for found, _ in self.below(path)]
        return {name for name, slash, _ in names if name and not slash}, {name for name, slash, _ in names if slash}

    def below(self, folder: str) -> Iterator[tuple[str, ObjectState]]:
        with _told(folder):
            entries = self._beam.match([glob.escape(folder.rstrip("/")) + "/**"])[0].metadata_list
        for entry in entries:
            yield entry.path, _state(entry)


def _tag(content: bytes) -> ObjectTag:
    return ObjectTag(hashlib.sha256(content).hexdigest())


def _state(entry: "FileMetadata") -> ObjectState:
    return ObjectState(entry.size_in_bytes, int((entry.last_updated_in_seconds or 0) * 1e9), ObjectTag(None))
