"""JSON in one form, and digests that name things by what they are: values, files, the environment."""

import ctypes
import functools
import glob
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple, NotRequired, TypedDict

import threadpoolctl

from lexbeam.transforms.common.code.version import VERSION, commit

_DIGITS = 32
_PIECE = 1 << 20


def canonical_json(value: object) -> bytes:
    """Return the one JSON form of a plain value: sorted keys, no spaces, UTF-8."""
    return _utf8(_CANONICAL.encode(value))


# `json.dumps` makes one for each call, which takes as long as a short value.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def readable_json(value: object, indent: int | None = None) -> bytes:
    """Return a plain value as JSON for people: sorted keys, UTF-8."""
    return _utf8(json.dumps(value, indent=indent, sort_keys=True, ensure_ascii=False))


def _utf8(text: str) -> bytes:
    # Halves of surrogate pairs, as which Python reads the bytes of a path that are not UTF-8, become
    # escapes of JSON, which lead back to them.
    return text.encode("utf-8", "backslashreplace")


def digest(value: object) -> str:
    """Return 32 hexadecimal digits of the SHA-256 of a plain value's canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()[:_DIGITS]


def text_digest(text: str, others: Sequence[object]) -> str:
    """Return `digest([text, *others])`, in little memory however long the text is."""
    whole = hashlib.sha256(b'["')
    for start in range(0, len(text), _PIECE):
        whole.update(canonical_json(text[start : start + _PIECE])[1:-1])
    whole.update(b'"' + (b"," + canonical_json(list(others))[1:] if others else b"]"))
    return whole.hexdigest()[:_DIGITS]


def stream_digest(stream: BinaryIO) -> str:
    """Return the SHA-256 of what is left in a binary stream, 64 hexadecimal digits."""
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def bucket_of(identifier: str, buckets: int) -> int:
    """Return the bucket, 0 to `buckets` - 1, of a hexadecimal identifier."""
    return hash_of(identifier) % buckets


def hash_of(identifier: str) -> int:
    """Return the first 32 bits of a hexadecimal identifier, which decide its bucket."""
    return int(identifier[:8], 16)


class Environment(TypedDict):
    """The versions of Lexbeam (with the commit where that is known), Python and packages, and a digest of the last."""

    lexbeam: str
    commit: NotRequired[str]
    python: str
    packages: dict[str, str]
    lock: str


@functools.cache
def environment() -> Environment:
    """Return what results may depend on besides input, options and code.

    The versions of Lexbeam, of Python, and of the core's dependencies, direct and indirect, as installed: what the
    lock file fixes.
    """
    versions = {name: version_of(name) for name in sorted(_closure("lexbeam"))}
    found: Environment = {
        "lexbeam": VERSION,
        "python": platform.python_version(),
        "packages": versions,
        "lock": digest(versions),
    }
    if of := commit():
        found["commit"] = of
    return found


class _Distribution(NamedTuple):
    version: str
    requires: tuple[str, ...]


@functools.cache
def _distribution(name: str) -> _Distribution | None:
    """Return what an installed distribution says of itself: to find it all folders of the path are listed."""
    try:
        return _Distribution(importlib.metadata.version(name), tuple(importlib.metadata.requires(name) or ()))
    except importlib.metadata.PackageNotFoundError:
        return None


def version_of(name: str) -> str:
    """Return the version of an installed distribution.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    if (found := _distribution(name)) is None:
        raise importlib.metadata.PackageNotFoundError(name)
    return found.version


def _closure(distribution: str) -> set[str]:
    """Return what a distribution requires here without any extra, and what that requires, as far as it is installed.

    What it requires elsewhere alone, such as on another system, may be here for another's sake and does not count.
    """
    from packaging.requirements import Requirement

    seen: set[str] = set()
    left = [distribution]
    while left:
        found = _distribution(left.pop())
        for requirement in map(Requirement, found.requires if found else ()):
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            is_required = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if is_required and name not in seen and _distribution(name):
                seen.add(name)
                left.append(name)
    return seen


@functools.cache
def blas_kernels() -> tuple[str, ...]:
    """Return the CPU kernels of BLAS, on which a product's last bits depend.

    These are the kernels of numpy and scipy, whatever else the process has loaded.
    """
    import numpy

    places = (numpy.__file__, getattr(importlib.util.find_spec("scipy"), "origin", None))
    homes = [os.path.realpath(os.path.dirname(str(place))) for place in places]
    # A BLAS must be loaded to be seen; the modules of scipy that load theirs take a seventh of a second.
    if brought := glob.glob(glob.escape(homes[1] + ".libs") + "/*openblas*"):
        for library in brought:
            ctypes.CDLL(library)
    else:
        import scipy.linalg  # noqa: F401
    libraries = [lib for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]
    relevant = [lib for lib in libraries if any(_of(lib["filepath"], home) for home in homes)]
    kernels = {
        f"{library['internal_api']} {library.get('version')} {library.get('architecture', '')}"
        for library in relevant or libraries
    }
    return tuple(sorted(name.strip() for name in kernels))


def _of(library: str, package: str) -> bool:
    """Return whether a wheel brought a library: it lies in its package, or beside it in `.libs`."""
    return library.startswith((package + os.sep, package + ".libs" + os.sep))


def parse_json(content: bytes | str) -> Any:
    """Return the value of a text of JSON; whatever the text, damage is a ValueError.

    Raises:
        ValueError: the text is not JSON, not UTF-8, -16 or -32, or nested too deeply to be read.
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
