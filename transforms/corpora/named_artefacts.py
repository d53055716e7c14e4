"""What people name to be forgotten, in the artefacts of a folder: marks of texts and of sources.

    named = marks_in_artefacts("results/_artefacts", ["letters/0417.txt"])

A text may stand there and in no snapshot: of a file that has gone, of a run that was held back, of a stream. Rows tell
by their columns what they are, whatever stage has made them: with `source` and the place in it, or the text, records,
rejects and rows that tasks read; with `name` and `sha256`, input files. Of the stages of `corpus` rows with `text` are
records and documents. Receipts quote the first rejects.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from typing import BinaryIO, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.forgotten import document_mark, id_mark, source_mark
from lexbeam.transforms.common.publish.removing import each_artefact, leftovers
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import Damaged, File, checked, state_of
from lexbeam.transforms.common.store.staged import footer_of

_RECORD = ("document_id", "key", "source", "position", "text")  # `key` is the id of the first document that has it
_PLACES = frozenset({"position", "line", "text"})  # a `source` without them is the folder that a null deals by
_INPUT = ("name", "sha256")
_ID = re.compile("[0-9a-f]{32}")
_IDS = frozenset({"document_id", "document", "source_id", "key"})

_Read = Callable[[Sequence[str]], Iterator[pa.Table]]


class NamedArtefacts(NamedTuple):
    """What artefacts say of names.

    Attributes:
        marks: of the texts and sources that are called so.
        unread: files that say nothing of what they hold: damaged ones, and those of a run that was cut off.
    """

    marks: set[str]
    unread: list[str]


def marks_in_artefacts(root: str, names: Collection[str]) -> NamedArtefacts:
    """Return the marks of documents and sources that are called so, one file being held at a time.

    Args:
        root: of the artefacts; a file that was freed says nothing.
        names: ids of documents, names of sources, or of the files that these are members of.
    """
    if not names:
        return NamedArtefacts(set(), [])
    names = frozenset(names)
    marks: set[str] = set()
    unread = list(leftovers(root))
    for stage, path, receipt, held in each_artefact(root):
        if receipt is None:
            unread.append(path)
            continue
        for source in _quoted(receipt):
            marks.update(map(source_mark, names.intersection((source, file_of(source)))))
        for file in held:
            if state_of(file.path) is not None:
                try:
                    for rows in _tables(file, _named_columns):
                        marks |= _marks(rows, names, stage.startswith("corpus/"))
                except Damaged:
                    unread.append(file.path)
    return NamedArtefacts(marks, unread)


class _Quoting(msgspec.Struct):
    examples: tuple[RejectRow, ...] = ()


def _quoted(receipt: bytes) -> list[str]:
    """Return the sources of the rejects that a receipt quotes, which stays when files are freed."""
    try:
        return [reject.source for reject in msgspec.json.decode(receipt, type=_Quoting).examples]
    except msgspec.ValidationError:  # it has examples of something else
        return []


def ids_in_artefacts(root: str, names: Collection[str]) -> set[str]:
    """Return those of some names that are ids of documents, and stand in any artefact, with the text or without."""
    asked = [name for name in names if _ID.fullmatch(name)]
    found: set[str] = set()
    for stage, _, _, held in each_artefact(root) if asked else ():
        wanted = _IDS if stage.startswith("corpus/") else _IDS - {"key"}
        for file in held:
            if state_of(file.path) is not None:
                with suppress(Damaged):
                    for rows in _tables(file, wanted.intersection):
                        for column in rows.columns:
                            if pa.types.is_string(column.type):
                                found.update(column.filter(pc.is_in(column, pa.array(asked))).to_pylist())
    return found


def _tables(file: File, wanted_of: Callable[[Sequence[str]], Collection[str]]) -> Iterator[pa.Table]:
    """Yield the rows of a file, of those of its columns that are wanted, if any are.

    Raises:
        Damaged: it is not sound.
    """
    if not file.path.endswith((".arrow", ".parquet")):
        return
    with closing(files.open_read(file.path)) as stream:
        try:
            columns, read = (_parquet if file.path.endswith(".parquet") else _arrow)(stream, file.bytes)
        except (pa.ArrowInvalid, OSError):
            checked(file)
            raise
        if wanted := wanted_of(columns):
            checked(file)  # not before: most files, and the largest, have no such columns
            yield from read(sorted(wanted))


def _parquet(stream: BinaryIO, _: int) -> tuple[list[str], _Read]:
    parquet = pq.ParquetFile(stream)

    def read(wanted: Sequence[str]) -> Iterator[pa.Table]:
        for number in range(parquet.num_row_groups):
            yield parquet.read_row_group(number, columns=wanted, use_threads=False)

    return parquet.schema_arrow.names, read


def _arrow(stream: BinaryIO, size: int) -> tuple[list[str], _Read]:
    end = footer_of(stream, size)
    columns = pa.ipc.open_file(stream, footer_offset=end).schema.names

    def read(wanted: Sequence[str]) -> Iterator[pa.Table]:
        options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=[columns.index(name) for name in wanted])
        reader = pa.ipc.open_file(stream, footer_offset=end, options=options)
        for number in range(reader.num_record_batches):
            yield pa.Table.from_batches([reader.get_batch(number)])

    return columns, read


def _named_columns(columns: Sequence[str]) -> list[str]:
    if "source" in columns and not _PLACES.isdisjoint(columns):
        return [name for name in _RECORD if name in columns]
    return [_INPUT[0]] if {*_INPUT} <= {*columns} else []


def _marks(rows: pa.Table, names: frozenset[str], is_corpus: bool) -> set[str]:
    columns = rows.schema.names
    sources = rows["source" if "source" in columns else "name"]
    called = {
        source: some
        for source in sources.unique().to_pylist()
        if source is not None and (some := names.intersection((source, file_of(source))))
    }
    marks = {source_mark(name) for some in called.values() for name in some}
    if is_corpus and {"text", "position"} <= {*columns}:
        name = "document_id" if "document_id" in columns else "key"
        called_so = [
            pc.is_in(rows[of], pa.array(some, pa.string())) for of, some in ((name, names), ("source", called))
        ]
        found = rows.filter(pc.or_(*called_so))
        marks.update(map(id_mark, found[name].to_pylist()))
        marks.update(map(document_mark, *(found[of].to_pylist() for of in ("text", "source", "position"))))
    return marks
