"""Which reject an exception becomes."""

import gzip
import lzma
import tarfile
import zipfile
import zlib

from transforms.formats.records.base import BadRecord, Reject

__all__ = ["reject_of"]

_BROKEN = (EOFError, gzip.BadGzipFile, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


def reject_of(error: Exception) -> Reject:
    """Return the reject, at position "", that stands for a source that raised `error`."""
    kind = type(error).__name__
    if isinstance(error, BadRecord):
        return Reject("", error.reason, error.detail)
    if isinstance(error, MemoryError):
        return Reject("", "too_large", "not enough memory to read it")
    if isinstance(error, _BROKEN):
        return Reject("", "malformed", f"breaks off or is damaged: {kind}: {error}")
    if isinstance(error, OSError) and error.errno is not None:
        return Reject("", "unreadable", error.strerror or kind)
    if isinstance(error, OSError) and "ompress" not in str(error) and "stream" not in str(error):
        return Reject("", "unreadable", str(error) or kind)
    # What decompression raises is an OSError, too, but one without a number.
    return Reject("", "malformed", f"{kind}: {error}")
