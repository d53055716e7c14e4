"""What the tests of readers share: bytes in, records and rejects out."""

import io

from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Record, Reject


def reader_options(**given):
    """Return options; as on the command line, one encoding, or several with commas."""
    encodings = given.pop("encoding", "utf-8")
    return ReaderOptions(encoding=tuple(encodings.split(",")), **given)


def read(data, format="auto", name="a", **options):
    """Return what `read_file` yields for bytes, as pairs of source and entry."""
    made = reader_options(**options)
    stream = lambda: io.BytesIO(data)  # noqa: E731
    return list(read_file("/there/" + name, name, format=format, options=made, open=stream))


def entries(data, format="auto", name="a", **options):
    """Return the entries alone."""
    return [entry for _, entry in read(data, format, name, **options)]


def summary(data, format="auto", name="a", **options):
    """Return texts of records and (position, reason) of rejects, in order."""
    return [(e.position, e.reason) if isinstance(e, Reject) else e.text for e in entries(data, format, name, **options)]


def records(found):
    """Return how many records and rejects there are, blocks of one record counted once."""
    return sum(isinstance(e, Record) and e.block == 0 for e in found), sum(isinstance(e, Reject) for e in found)
