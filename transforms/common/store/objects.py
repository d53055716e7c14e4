"""What a store of objects does, and S3 and Google Cloud Storage by obstore: objects, lists, compare-and-swap.

Where a store is and how one signs in there, the environment says: `AWS_ENDPOINT_URL`, `AWS_REGION`,
`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; `GOOGLE_APPLICATION_CREDENTIALS`; or the roles of
the machine. obstore asks again, ever later, for a minute, what a server refuses with 5xx or 429. What stores
say of an error may quote keys and signatures: of that only the code is told.
"""

import errno
import functools
import io
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, cast

from typing_extensions import override

from lexbeam.transforms.common.errors import LexbeamError, UsageError, missing_package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from obstore.fsspec import FsspecStore
    from obstore.store import ObjectStore
    from typing_extensions import Buffer

# Of an object that is read piece by piece, and of an upload that is made of several.
_READ_BYTES = 1 << 20
_WRITE_BYTES = 8 << 20
_UPLOADS = 4
# Of what S3 makes of one object: pieces of an upload, bytes that one request copies.
_PIECES = 10_000
_COPY_BYTES = 5 << 30
_RETRIES, _PATIENCE = 100, timedelta(seconds=60)
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION")
_SIGNING = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of which both are set or neither",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, the path of a file of keys",
}
_BUCKET = re.compile(r"[A-Za-z0-9][\w.-]*")
_BAD_KEY = re.compile(r'Error parsing Path "(.*?)": ', re.DOTALL)
_CODE = re.compile(r"<Code>(\w+)</Code>")
_STATUS = re.compile(r"status code: (\d{3} [\w ]+)")
_NO_OBJECT, _NO_BUCKET = "NoSuchKey", "NoSuchBucket"
# Of keys that are unknown, no longer valid, or of another secret; some stores answer them with 400 or 404.
_KEY_CODES = ("ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "XAdminUserNotFound")


class ObjectTag(NamedTuple):
    """Which content an object has, as its store says it: an entity tag, a generation; for `swap` alone."""

    etag: str | None
    version: str | None = None


class ObjectState(NamedTuple):
    """An object: its bytes, when it was written in nanoseconds since 1970 (0: unknown), its tag."""

    bytes: int
    changed: int
    tag: ObjectTag


class Remote(Protocol):
    """A store of objects. All raise `FileNotFoundError` for an object that is not there, unless they say otherwise."""

    def state(self, path: str) -> ObjectState | None:
        """Return the state of an object; None where there is none."""

    def read(self, path: str) -> bytes:
        """Return all bytes of an object."""

    def read_tagged(self, path: str) -> tuple[bytes, ObjectTag] | None:
        """Return all bytes of an object with their tag; None where there is none."""

    def open(self, path: str) -> BinaryIO:
        """Open an object for reading, seekable."""

    def writing(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open an object for writing; it appears whole when the block ends well, and otherwise not at all."""

    def swap(self, path: str, content: bytes, tag: ObjectTag | None) -> ObjectTag | None:
        """Write a small object if it is still the one with this tag (None: if there is none).

        Returns its new tag; None if it is another one, or has gone.
        """

    def copy(self, source: str, target: str) -> None:
        """Copy an object within the store."""

    def remove(self, path: str) -> None:
        """Remove an object; nothing happens where there is none."""

    def folder(self, path: str) -> tuple[set[str], set[str]]:
        """Return the names of the objects directly below a folder, and of the folders there."""

    def below(self, folder: str) -> Iterator[tuple[str, ObjectState]]:
        """Yield paths and states of all objects below a folder, in no order."""


class StoreFailed(LexbeamError):
    """A store does not answer, or refuses what it should do; nothing is known of the object."""


class _ConditionFailed(StoreFailed):
    """An object is not the one, or not missing, as a request has asked for."""


@functools.cache
def _opened(scheme: str, bucket: str) -> "ObjectStore":
    try:
        import obstore.store
    except ImportError as error:
        raise missing_package(f"paths {scheme}:// need", "obstore", "objects") from error
    settings: Any = _settings(scheme)
    try:
        return obstore.store.from_url(f"{scheme}://{bucket}", **settings)
    except obstore.exceptions.BaseError as error:
        raise UsageError(
            f"{scheme}://{bucket}: the environment does not say how to sign in ({_reason(error)}): check "
            f"{_SIGNING.get(scheme, 'its variables')}"
        ) from None


def object_file_system(scheme: str) -> "FsspecStore":
    """Return the objects of a scheme as a file system of fsspec, which signs in as all here does."""
    import obstore.fsspec

    made: Any = obstore.fsspec.FsspecStore
    return cast("FsspecStore", made(scheme, **_settings(scheme)))


def _settings(scheme: str) -> dict[str, object]:
    """Return how stores of a scheme are spoken to; how one signs in, obstore reads from the environment.

    Raises:
        UsageError: the environment says what cannot be.
    """
    said = {name: os.environ[name] for name in (*_ENDPOINTS, *_KEYS) if scheme == "s3" and os.environ.get(name)}
    for name, value in said.items():
        if len(value.split()) != 1 or value.strip() != value:  # obstore would panic
            raise UsageError(f"the environment variable {name} holds a space or a line end, which is no part of it")
    places = [(name, said[name]) for name in _ENDPOINTS if name in said]
    for name, place in places:
        if not place.startswith(("http://", "https://")):
            raise UsageError(f"the environment variable {name} is no address: it begins with https:// or http://")
    plain = any(place.startswith("http://") for _, place in places)
    patience = {
        "max_retries": _RETRIES,
        "retry_timeout": _PATIENCE,
        "backoff": {"base": 2, "init_backoff": timedelta(seconds=0.1), "max_backoff": timedelta(seconds=5)},
    }
    return {"client_options": {"allow_http": plain}, "retry_config": patience}


def _place(path: str) -> "tuple[ObjectStore, str]":
    scheme, _, rest = path.partition("://")
    bucket, _, key = rest.partition("/")
    if not _BUCKET.fullmatch(bucket):
        shown = f"{scheme}://{rest.rpartition('@')[2]}"  # before a host people write keys
        raise LexbeamError(f"{shown!r} names no bucket: give one, as in {scheme}://BUCKET/{key or 'PREFIX'}")
    if key.startswith("/"):  # obstore would leave it out
        raise _bad_key(path, "no key can be so")
    return _opened(scheme, bucket), key.rstrip("/")


@contextmanager
def _told(path: str) -> "Iterator[None]":
    """Raise what obstore raises as the errors of files, without what could give a secret away.

    Raises:
        FileNotFoundError: there is no such object.
        StoreFailed: anything else.
    """
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        raise _meant(path, error) from None
    except ValueError as error:
        if "parse path" not in str(error):
            raise
        raise _bad_key(path, "no key can be so") from None


def _meant(path: str, error: Exception) -> Exception:
    """Return what an error of obstore means.

    404 alone says nothing of an object: stores answer so, too, if there is no such bucket, or nobody has the access
    key; and so does what is no store at all. Only a store that says so has no such object.
    """
    from obstore.exceptions import AlreadyExistsError, PermissionDeniedError, PreconditionError, UnauthenticatedError

    text, reason = str(error), _reason(error)
    code = found[1] if (found := _CODE.search(text)) else ""
    status = _status(error)
    if found := _BAD_KEY.search(text):
        what = f"an object there has the key {found[1]!r}, which cannot be read: rename or remove it"
        return _bad_key(path, what)
    if code == _NO_BUCKET:
        return StoreFailed(f"{path}: there is no such bucket: check its name, or make it first")
    if code == _NO_OBJECT or (isinstance(error, FileNotFoundError) and not status):
        return FileNotFoundError(errno.ENOENT, "no such object", path)
    is_refused = isinstance(error, PermissionDeniedError | UnauthenticatedError) or status in ("401", "403")
    if is_refused or code in _KEY_CODES:
        other = "" if code else f", and the address{_address_of(path)}: what answers may be a proxy"
        return StoreFailed(
            f"{path}: the store refuses ({reason}): check the keys and what they allow{other}{_keys_missing(path)}"
        )
    if status == "404":
        return StoreFailed(
            f"{path}: what answers ({reason}) does not say that there is no such object: check the address of the "
            f"store{_address_of(path)}, its bucket and the keys"
        )
    if isinstance(error, AlreadyExistsError | PreconditionError):
        return _ConditionFailed(f"{path}: the object is another one by now ({reason})")
    return StoreFailed(
        f"{path}: the store failed ({reason}): check its address, the bucket and that it can be reached"
        f"{_keys_missing(path)}; what is finished is kept, and the same command again goes on"
    )


def _address_of(path: str) -> str:
    """Return, for a message, by which variable the environment says where a store is; empty if by none."""
    name = next((name for name in _ENDPOINTS if path.startswith("s3://") and os.environ.get(name)), None)
    return f" ({name})" if name else ""


def _keys_missing(path: str) -> str:
    """Return what to add to a message if requests are not signed by keys from the environment."""
    if not path.startswith("s3://") or os.environ.get("AWS_ACCESS_KEY_ID"):
        return ""
    return " (AWS_ACCESS_KEY_ID is not set, so the role of this machine was asked for)"


def _bad_key(path: str, what: str) -> LexbeamError:
    return LexbeamError(
        f"{path!r}: {what}; between two slashes stands a name, neither `.` nor `..`, without control characters"
    )


def _status(error: Exception) -> str:
    """Return the number by which a server has refused a request; empty where none has."""
    found = _STATUS.search(str(error))
    return found[1][:3] if found else ""


def _reason(error: Exception) -> str:
    """Return what a store says of an error: its code, the status, or what kept it from being asked."""
    text = str(error)
    for pattern in (_CODE, _STATUS):
        if found := pattern.search(text):
            return found[1]
    first = text.partition("\n")[0]
    return re.sub(r"Error performing \w+ \S+ in .*? - ", "", first)[:200]


def _head(store: "ObjectStore", key: str) -> ObjectState:
    """Return the state of an object.

    The answer to HEAD has no text: why it is refused, or what is not there, is said to GET alone.
    """
    import obstore

    try:
        return _of(obstore.head(store, key))
    except (FileNotFoundError, obstore.exceptions.BaseError) as error:
        if not _status(error).startswith("4"):
            raise
        return _of(obstore.get(store, key).meta)


def _of(meta: "Mapping[str, Any]") -> ObjectState:
    changed = int(meta["last_modified"].timestamp() * 1_000_000) * 1_000
    return ObjectState(meta["size"], changed, ObjectTag(meta.get("e_tag"), meta.get("version")))


class Objects(Remote):
    """The objects of S3 and of Google Cloud Storage.

    `_place` comes before obstore is imported, since it says how to install it.
    """

    @override
    def state(self, path: str) -> ObjectState | None:
        store, key = _place(path)
        with suppress(FileNotFoundError), _told(path):
            return _head(store, key) if key else None  # the bucket itself is no object
        return None

    @override
    def read(self, path: str) -> bytes:
        store, key = _place(path)
        import obstore

        with _told(path):
            return bytes(obstore.get(store, key).bytes())

    @override
    def read_tagged(self, path: str) -> tuple[bytes, ObjectTag] | None:
        store, key = _place(path)
        import obstore

        with suppress(FileNotFoundError), _told(path):
            found = obstore.get(store, key)
            return bytes(found.bytes()), _of(found.meta).tag
        return None

    @override
    def open(self, path: str) -> BinaryIO:
        return io.BufferedReader(_Reading(path), _READ_BYTES)

    @override
    @contextmanager
    def writing(self, path: str) -> Iterator[BinaryIO]:
        store, key = _place(path)
        import obstore

        # The upload begins when all is known: one that is not finished leaves nothing.
        with tempfile.SpooledTemporaryFile(_WRITE_BYTES) as whole:
            yield cast(BinaryIO, whole)
            piece = max(_WRITE_BYTES, math.ceil(whole.seek(0, io.SEEK_END) / _PIECES))
            whole.seek(0)
            with _told(path):
                obstore.put(store, key, whole, chunk_size=piece, max_concurrency=_UPLOADS)

    @override
    def swap(self, path: str, content: bytes, tag: ObjectTag | None) -> ObjectTag | None:
        store, key = _place(path)
        import obstore

        known = {name: value for name, value in (("e_tag", tag.etag), ("version", tag.version)) if value} if tag else {}
        try:
            with suppress(FileNotFoundError), _told(path):  # one that has gone is not the one with this tag
                done = obstore.put(store, key, content, mode=cast(Any, known) if tag else "create")
                return ObjectTag(done["e_tag"], done["version"])
        except _ConditionFailed:
            pass
        # A request whose answer was lost is sent again, and then refused for its own sake.
        there = self.read_tagged(path)
        return there[1] if there is not None and there[0] == content else None

    @override
    def copy(self, source: str, target: str) -> None:
        (store, key), (other, target_key) = _place(source), _place(target)
        import obstore

        if store is other:
            try:
                with _told(source):
                    obstore.copy(store, key, target_key)
                return
            except StoreFailed:
                if self._is_copied_at_once(source):
                    raise
        with self.open(source) as stream, self.writing(target) as copy:
            shutil.copyfileobj(stream, copy, _READ_BYTES)

    def _is_copied_at_once(self, path: str) -> bool:
        state = self.state(path)
        return state is None or state.bytes <= _COPY_BYTES

    @override
    def remove(self, path: str) -> None:
        store, key = _place(path)
        import obstore

        with suppress(FileNotFoundError), _told(path):
            obstore.delete(store, key)

    @override
    def folder(self, path: str) -> tuple[set[str], set[str]]:
        store, key = _place(path)
        import obstore

        with _told(path):
            found = obstore.list_with_delimiter(store, key or None)
        start = len(key) + 1 if key else 0
        return (
            {entry["path"][start:] for entry in found["objects"]},
            {prefix[start:].rstrip("/") for prefix in found["common_prefixes"]},
        )

    @override
    def below(self, folder: str) -> Iterator[tuple[str, ObjectState]]:
        store, key = _place(folder)
        import obstore

        bucket = folder[: len(folder.rstrip("/")) - len(key)].rstrip("/")
        with _told(folder):
            for entries in obstore.list(store, key or None):
                for entry in entries:
                    yield f"{bucket}/{entry['path']}", _of(entry)


class _Reading(io.RawIOBase):
    """An object that is read piece by piece; if it is replaced meanwhile, reading it fails."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._at = 0
        self._first, self._state = self._begun()

    def _begun(self) -> tuple[bytes, ObjectState]:
        store, key = _place(self._path)
        import obstore

        with _told(self._path):
            try:
                found = obstore.get(store, key, options={"range": (0, _READ_BYTES)})
                return bytes(found.bytes()), _of(found.meta)
            except obstore.exceptions.BaseError:
                state = _head(store, key)
                if state.bytes:
                    raise
                return b"", state  # of an empty object no range can be asked for

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._state.bytes}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: "Buffer") -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._at + len(view), self._state.bytes)
        if end <= self._at:
            return 0
        if self._at < len(self._first):
            piece = self._first[self._at : end]
        else:
            self._first = b""
            piece = self._range(self._at, end)
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def _range(self, start: int, end: int) -> bytes:
        store, key = _place(self._path)
        import obstore

        options: dict[str, Any] = {"range": (start, end)}
        if self._state.tag.etag:
            options["if_match"] = self._state.tag.etag
        try:
            with _told(self._path):
                return bytes(obstore.get(store, key, options=cast(Any, options)).bytes())
        except _ConditionFailed:
            raise OSError(errno.ESTALE, "the object was replaced while it was read", self._path) from None
