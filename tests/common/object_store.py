"""An object store for tests: objects by whole names, no folders, no links, kept in memory."""

import io
from collections.abc import Iterator

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem

STORE = "store://bucket/out"
OBJECTS: dict[str, bytes] = {}


class _Upload(io.BytesIO):
    """What appears under its name when it is closed."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed:
            OBJECTS[self._path] = self.getvalue()
        super().close()


class Store(FileSystem):
    """`store://bucket/name`, in `OBJECTS`."""

    @classmethod
    def scheme(cls) -> str:
        return "store"

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join((basepath.rstrip("/"), *paths))

    def split(self, path: str) -> tuple[str, str]:
        head, _, tail = path.rpartition("/")
        return head, tail

    def mkdirs(self, path: str) -> None:
        raise BeamIOError("there are no folders")

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        for path, content in sorted(OBJECTS.items()):
            if path.startswith(dir_or_prefix):
                yield FileMetadata(path, len(content))

    def create(self, path, mime_type="", compression_type=CompressionTypes.AUTO):
        return _Upload(path)

    def open(self, path, mime_type="", compression_type=CompressionTypes.AUTO):
        if path not in OBJECTS:
            raise LookupError(f"no object {path}")  # no OSError, as with the stores' libraries
        return io.BytesIO(OBJECTS[path])

    def copy(self, source_file_names, destination_file_names) -> None:
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            OBJECTS[target] = OBJECTS[source]

    def rename(self, source_file_names, destination_file_names) -> None:
        self.copy(source_file_names, destination_file_names)
        self.delete(source_file_names)

    def exists(self, path: str) -> bool:
        return path in OBJECTS

    def size(self, path: str) -> int:
        return len(OBJECTS[path])

    def last_updated(self, path: str) -> float:
        return 0.0

    def checksum(self, path: str) -> str:
        return str(hash(OBJECTS[path]))

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, len(OBJECTS[path]))

    def delete(self, paths) -> None:
        for path in paths:
            del OBJECTS[path]
