"""Which occurrences may be taken: of each target those with the smallest draws.

    losers = repeated(...)              # of identical sentences one copy counts
    rows = least(table, contexts)       # of a part, or of what is left of several

`least` of several parts is `least` of the remainders of each: if an occurrence is left out of a part, the
part has `contexts` smaller ones of its target. So only the remainders need be shuffled. The quota of a
genre draws anew among all that are left: the draws of these are the smallest of several, the more so the
more frequent their target is, and by them it would take frequent words before others.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.complexity.select.find_stage import OCCURRENCE, OccurrenceFile

QUOTAS = "complexity/quotas"  # label of the draw of a genre; that of a target is `OCCURRENCES`

Hashes = npt.NDArray[np.uint64]


class TargetOccurrence(NamedTuple):
    """A target that may be taken.

    Attributes:
        document_id: its document.
        sentence: ordinal of its sentence.
        position: place of its first token there.
        tokens: how many it has.
        kind: kind of instance.
        genre: its genre, if any.
        part: SHA-256 of the part of `sentences` that holds it.
    """

    document_id: str
    sentence: int
    position: int
    tokens: int
    kind: str
    genre: str | None
    part: str


class Copies(NamedTuple):
    """Sentences with targets: uint64 hashes of their forms, and what these copies draw."""

    content: Hashes
    copy: Hashes


def copies_of(occurrences: OccurrenceFile) -> Copies:
    """Return the distinct sentences with targets of a part, sorted by content."""
    pairs = [np.empty((0, 2), np.uint64)]
    with BatchReader() as reader:
        for ordinal in range(occurrences.batches):
            batch = reader.read(occurrences.file, ordinal)
            columns = [batch["content"].to_numpy(), batch["copy"].to_numpy()]
            pairs.append(np.unique(np.stack(columns, axis=1), axis=0))
    whole = np.unique(np.concatenate(pairs), axis=0)
    return Copies(whole[:, 0], whole[:, 1])


def shares(copies: Copies, number: int) -> Iterator[tuple[int, Copies]]:
    """Yield the shares that hashes of forms are dealt into, 0 to `number` - 1, with their rows."""
    share_of = copies.content % np.uint64(number)
    for share in np.unique(share_of).tolist():
        rows = share_of == share
        yield share, Copies(copies.content[rows], copies.copy[rows])


def repeated(parts: Sequence[tuple[str, Copies]]) -> dict[str, Hashes]:
    """Return, by part, the copies that do not count, sorted; parts without any are left out.

    Args:
        parts: names of parts, with their sentences; copies of one sentence must all be among them.
    """
    parts = sorted(parts, key=_name)
    content = np.concatenate([np.empty(0, np.uint64), *(copies.content for _, copies in parts)])
    copy = np.concatenate([np.empty(0, np.uint64), *(copies.copy for _, copies in parts)])
    part = np.repeat(np.arange(len(parts)), [len(copies.copy) for _, copies in parts])
    order = np.lexsort((copy, content))
    again = np.zeros(len(order), bool)
    again[1:] = content[order][1:] == content[order][:-1]
    lost = order[again]
    by_part = ((name, np.sort(copy[lost[part[lost] == n]])) for n, (name, _) in enumerate(parts))
    return {name: copies for name, copies in by_part if len(copies)}


def _name(entry: tuple[str, Copies]) -> str:
    return entry[0]


def pick(occurrences: OccurrenceFile, lost: Hashes, contexts: int) -> pa.Table:
    """Return the rows of a part that may be taken, batch by batch; see `least`.

    Args:
        occurrences: its occurrences.
        lost: copies of sentences that do not count.
        contexts: see `least`.
    """
    held = OCCURRENCE.empty_table()
    with BatchReader() as reader:
        for ordinal in range(occurrences.batches):
            batch = pa.Table.from_batches([reader.read(occurrences.file, ordinal)])
            batch = batch.filter(pa.array(~np.isin(batch["copy"].to_numpy(), lost)))
            held = least(pa.concat_tables([held, batch]), contexts).combine_chunks()
    return held


def least(table: pa.Table, contexts: int) -> pa.Table:
    """Return the occurrences of each target with the smallest draws.

    Args:
        table: rows of `OCCURRENCE`.
        contexts: most rows of a target, kind and genre.
    """
    drawn = table["number"].to_numpy()
    kind, genre, target = (_codes(table[name]) for name in ("kind", "genre", "target"))
    group = (kind * (genre.max(initial=0) + 1) + genre) * (target.max(initial=0) + 1) + target
    order = np.lexsort((drawn, group))
    grouped = group[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(grouped, grouped)
    return table.filter(pa.array(place < contexts))


def _codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    codes: npt.NDArray[np.int64] = pc.rank(column, tiebreaker="dense").to_numpy().astype(np.int64)
    return codes


def occurrences_of(rows: pa.Table, part: str) -> Iterator[tuple[str, TargetOccurrence]]:
    """Yield case-folded targets with their occurrences."""
    names = ["document_id", "sentence", "position", "tokens", "kind", "genre", "target"]
    for *values, target in zip(*(rows[name].to_pylist() for name in names), strict=True):
        document_id, sentence, position, tokens, kind, genre = values
        yield target, TargetOccurrence(document_id, sentence, position, tokens, kind, genre, part)
