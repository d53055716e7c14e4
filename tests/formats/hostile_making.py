"""Hostile files, made on the spot: archives, compression, XML, links, files that cannot be read."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import threading
import warnings
import zipfile
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.common.store import files

LONG = 100_000_000
NOBODY = 65534


def _zstd(data):
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": _zstd}


def tei(body="Text.", prologue=""):
    return f"{prologue}<TEI><text><body><p>{body}</p></body></text></TEI>".encode()


def tar(*members):
    """Return an archive of (name, bytes) and (name, type, link target)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content, *target in members:
            info = tarfile.TarInfo(name)
            if target:
                info.type, info.linkname = content, target[0]
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(*members):
    """Return an archive of (name, bytes), and (name, bytes, mode of Unix, number of the system)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are meant
        for name, content, *kind in members:
            info = zipfile.ZipInfo(name)
            if kind:
                info.external_attr, info.create_system = kind[0] << 16, kind[1]
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def encrypted(data):
    """Return a zip archive of one member with the mark of encryption set."""
    made = bytearray(data)
    made[6] |= 1
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def damaged(data, place):
    """Return the data with one byte changed."""
    made = bytearray(data)
    made[place] ^= 0xFF
    return bytes(made)


def parquet(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="none")
    return out.getvalue()


@contextmanager
def vanished(path):
    """The file was there when the inputs were listed, and is gone when it is read."""
    path.unlink()
    yield


@contextmanager
def rewritten(path):
    """Somebody turns the file's letters after it was read first, and leaves size and time."""
    opened, times = files.open_read, []

    def open_read(name):
        times.append(name)
        if len(times) == 2:
            before = path.stat()
            path.write_bytes(path.read_bytes().swapcase())
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return opened(name)

    files.open_read = open_read
    try:
        yield
    finally:
        files.open_read = opened


@contextmanager
def piped(path):
    """Somebody holds the pipe open and writes nothing; a reader would wait, here ten seconds."""
    held = os.fdopen(os.open(path, os.O_RDWR | os.O_NONBLOCK), "wb", 0)
    giving_up = threading.Timer(10, held.close)
    giving_up.start()
    try:
        yield
    finally:
        giving_up.cancel()
        held.close()


@contextmanager
def locked(path):
    """Nobody may read the file; root, who may read anything, is somebody else for a while."""
    path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        path.chmod(0o600)
