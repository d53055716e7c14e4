"""Where words stand in files of any kind that Lexbeam writes: as bytes, compressed or not, or in cells of tables."""

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq


def decoded(name, content):
    """Return all that a file says, with the bytes as they are."""
    if name.endswith(".gz"):
        return content + gzip.decompress(content)
    if name.endswith(".parquet"):
        table = pq.read_table(io.BytesIO(content))
        return content + str(table.to_pydict()).encode() + str(table.schema).encode()
    if name.endswith(".arrow"):
        try:
            reader = pa.ipc.open_file(content)
        except pa.ArrowInvalid:  # a staged file, which says where its batches end
            reader = pa.ipc.open_file(content, footer_offset=int.from_bytes(content[-32:-24], "little"))
        return content + str(reader.read_all().to_pydict()).encode()
    return content


def holding(files, words):
    """Return the names of the files, of a mapping to their bytes, that hold one of some words."""
    return [
        name
        for name, content in sorted(files.items())
        if any(word in text for text in [decoded(name, content)] for word in words)
    ]
