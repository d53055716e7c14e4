"""Texts that a stream has annotated, found again by their content: what annotation asks before it works.

    landed = landed_texts(LandedPlace(root, scope))
    landed.find(["The cats sat."], schema)      # its annotation, why the engine failed on it, or None

An artefact of `transforms/stream/landing_windows.py` lists the texts of a window and says where their annotation lies.
Which of them are found hangs on no unit and no window: so a run that deals files out in its own way annotates nothing
again. A process keeps 24 bytes for each text.
"""

import functools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import text_digest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.identity import WHERE, Size
from lexbeam.transforms.common.store.receipts import ArtefactPath, Damaged, File, read_receipt
from lexbeam.transforms.common.store.staged import StagedFile

LAND_STAGE = "corpus/land"
TEXTS = pa.schema(
    [("text", pa.binary(16)), ("sentences", pa.int32()), ("document_id", pa.string()), ("error", pa.string())]
)


class LandedPlace(NamedTuple):
    """Where texts have been landed that were annotated in one way.

    Attributes:
        root: of the artefacts.
        scope: what decides an annotation beside the text: engine, rules, layers, code.
    """

    root: str
    scope: str


class OtherFile(NamedTuple):
    """A file of another artefact, with which it goes; a `File` goes with its own receipt."""

    path: Annotated[ArtefactPath, WHERE]
    bytes: Size
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Landed:
    """Receipt of a window of documents.

    Attributes:
        scope: see `LandedPlace`.
        intake: what decides beside a file how it becomes documents, and `scope`.
        files: the files: a batch of keys, binary of 16 bytes.
        texts: a batch of `TEXTS`: texts, each with the number of the file of `sentences` that holds it, under which
            document, or the failure of the engine.
        sentences: the staged sentences, which are of other artefacts.
        counts: files, records, documents and rejects.
    """

    scope: str
    intake: str
    files: File
    texts: File
    sentences: tuple[OtherFile, ...]
    counts: dict[str, int]


def text_key(text: str) -> bytes:
    """Return the 16 bytes by which a text is found."""
    return bytes.fromhex(text_digest(text, []))


@functools.lru_cache(8)
def landed_texts(place: LandedPlace) -> "LandedTexts":
    """Return the texts of a place, one object in a process."""
    return LandedTexts(place)


class LandedTexts:
    """The texts of a place, those included that land while it is used."""

    def __init__(self, place: LandedPlace) -> None:
        self._place = place
        self._seen: set[str] = set()
        self._receipts: list[Landed] = []
        self._ends: list[int] = []  # of each receipt's texts, among all keys
        self._keys = SortedKeys()

    def find(self, texts: Sequence[str], schema: pa.Schema) -> list[pa.RecordBatch | str | None]:
        """Return of each text its annotation, of a schema of annotation; a text: why the engine failed; None: neither.

        What is no longer sound counts as not there.
        """
        self._look()
        found: list[pa.RecordBatch | str | None] = [None] * len(texts)
        wanted: dict[int, dict[int, list[int]]] = {}
        asked = [text_key(text) for text in texts] if len(self._keys) else []
        for index, number in enumerate(self._keys.find(asked)):
            if number is not None:
                receipt = bisect_right(self._ends, number)
                row = number - (self._ends[receipt - 1] if receipt else 0)
                wanted.setdefault(receipt, {}).setdefault(row, []).append(index)
        for receipt, rows in wanted.items():
            with suppress(Damaged, FileNotFoundError):
                for row, value in self._read(self._receipts[receipt], list(rows), schema):
                    for index in rows[row]:
                        found[index] = value
        return found

    def _look(self) -> None:
        keys: list[bytes] = []
        folder = Workspace(self._place.root).stage(LAND_STAGE)
        for receipt in receipts_since(self._place.root, folder, self._seen):
            if receipt.scope == self._place.scope:
                with suppress(Damaged, FileNotFoundError), BatchReader() as reader:
                    keys += reader.read(receipt.texts, 0)["text"].to_pylist()
                    self._receipts.append(receipt)
                    self._ends.append(len(self._keys) + len(keys))
        if keys:
            self._keys.add(keys)

    def _read(
        self, receipt: Landed, wanted: Sequence[int], schema: pa.Schema
    ) -> Iterator[tuple[int, pa.RecordBatch | str]]:
        with BatchReader() as reader:
            rows = reader.read(receipt.texts, 0).take(pa.array(wanted)).to_pylist()
        of_file: dict[int, dict[str, int]] = {}
        for row, text in zip(wanted, rows, strict=True):
            if text["error"] is not None:
                yield row, text["error"]
            else:
                of_file.setdefault(text["sentences"], {})[text["document_id"]] = row
        for number, documents in of_file.items():
            with StagedFile(File(*receipt.sentences[number])) as staged:
                yield from _annotations(staged, documents, schema)


def _annotations(
    staged: StagedFile, documents: dict[str, int], schema: pa.Schema
) -> Iterator[tuple[int, pa.RecordBatch]]:
    for entries in staged.entries(1):
        starts = np.concatenate([[0], np.cumsum(entries.counts)]).tolist()
        for place, key in enumerate(entries.keys.to_pylist()):
            if (row := documents.pop(key, None)) is not None:
                rows = entries.rows.slice(starts[place], starts[place + 1] - starts[place])
                arrays = [rows.column(field.name).cast(field.type) for field in schema]
                yield row, pa.RecordBatch.from_arrays(arrays, schema=schema)


def receipts_since(root: str, folder: str, seen: set[str]) -> Iterator[Landed]:
    """Yield the receipts of windows in a folder whose names are not among those seen, to which they are added."""
    for name in files.list_folder(folder).files:
        if name.endswith(".json") and name not in seen:
            seen.add(name)
            receipt = read_receipt(files.join(folder, name), root, Landed)
            if receipt is not None:
                yield receipt


class SortedKeys:
    """Keys of 16 bytes, in the order of their first halves; each has the number of its adding."""

    def __init__(self) -> None:
        self._keys = np.empty(0, "V16")
        self._numbers = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, keys: Sequence[bytes]) -> None:
        """Add keys, numbered on from those there."""
        whole = np.concatenate([self._keys, np.frombuffer(b"".join(keys), "V16")])
        numbers = np.concatenate([self._numbers, np.arange(len(self._keys), len(whole))])
        order = np.argsort(_first_halves(whole), kind="stable")
        self._keys, self._numbers = whole[order], numbers[order]

    def find(self, asked: Sequence[bytes]) -> list[int | None]:
        """Return the number of each key, the first if it was added twice; None: it is not there."""
        if not len(self._keys) or not asked:
            return [None] * len(asked)
        halves, wanted = _first_halves(self._keys), _first_halves(np.frombuffer(b"".join(asked), "V16"))
        starts = np.searchsorted(halves, wanted, "left").tolist()
        stops = np.searchsorted(halves, wanted, "right").tolist()
        return [self._equal(key, start, stop) for key, start, stop in zip(asked, starts, stops, strict=True)]

    def _equal(self, key: bytes, start: int, stop: int) -> int | None:
        places = (place for place in range(start, stop) if self._keys[place].tobytes() == key)
        place = next(places, None)
        return None if place is None else int(self._numbers[place])


def _first_halves(keys: np.ndarray) -> npt.NDArray[np.uint64]:
    return keys.view(">u8").reshape(-1, 2)[:, 0].astype(np.uint64)
