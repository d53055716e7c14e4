"""Which occurrences are taken: those with the smallest draws, first of a target, then of a genre.

    losers = repeated(...)                        # of identical sentences one copy counts
    rows = least(table, contexts, quotas)         # of a part, or of what is left of several

`least` of several parts is `least` of the remainders of each: if an occurrence is left out of a part for
its target, the part has `contexts` smaller ones of that target; if for its genre, it has `quota` smaller
ones of that genre, each of which stays or gives way to a smaller one of its target. So only the
remainders need be shuffled.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.store.batches import BatchReader
from transforms.complexity.select.find_stage import OCCURRENCE, OccurrenceFile

__all__ = ["Copies", "TargetOccurrence", "copies_of", "least", "occurrences_of", "pick", "repeated", "shares"]

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


def pick(occurrences: OccurrenceFile, lost: Hashes, contexts: int, quotas: Mapping[str, int | None]) -> pa.Table:
    """Return the rows of a part that may be taken, batch by batch; see `least`.

    Args:
        occurrences: its occurrences.
        lost: copies of sentences that do not count.
        contexts: see `least`.
        quotas: see `least`.
    """
    held = OCCURRENCE.empty_table()
    with BatchReader() as reader:
        for ordinal in range(occurrences.batches):
            batch = pa.Table.from_batches([reader.read(occurrences.file, ordinal)])
            batch = batch.filter(pa.array(~np.isin(batch["copy"].to_numpy(), lost)))
            held = least(pa.concat_tables([held, batch]), contexts, quotas).combine_chunks()
    return held


def least(table: pa.Table, contexts: int, quotas: Mapping[str, int | None]) -> pa.Table:
    """Return the occurrences with the smallest draws.

    Args:
        table: rows of `OCCURRENCE`.
        contexts: most rows of a target, kind and genre.
        quotas: by kind, most rows of a genre after that; None for all.
    """
    drawn = table["number"].to_numpy()
    kind, genre, target = (_codes(table[name]) for name in ("kind", "genre", "target"))
    group = kind * (genre.max(initial=0) + 1) + genre
    rows = _first(drawn, group * (target.max(initial=0) + 1) + target, np.int64(contexts))
    most = np.full(int(kind.max(initial=0)) + 1, table.num_rows, np.int64)
    for code, name in zip(kind.tolist(), table["kind"].to_pylist(), strict=True):
        if (quota := quotas.get(name)) is not None:
            most[code] = quota
    rows = rows[_first(drawn[rows], group[rows], most[kind[rows]])]
    return table.take(pa.array(rows))


def _codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    codes: npt.NDArray[np.int64] = pc.rank(column, tiebreaker="dense").to_numpy().astype(np.int64)
    return codes


def _first(drawn: Hashes, group: npt.NDArray[np.int64], most: npt.NDArray[np.int64] | np.int64) -> npt.NDArray[np.intp]:
    """Return the `most` rows of each group that draw the least."""
    order = np.lexsort((drawn, group))
    place = np.empty(len(order), np.int64)
    grouped = group[order]
    place[order] = np.arange(len(order)) - np.searchsorted(grouped, grouped)
    return np.flatnonzero(place < most)


def occurrences_of(rows: pa.Table, part: str) -> Iterator[tuple[str, TargetOccurrence]]:
    """Yield case-folded targets with their occurrences."""
    names = ["document_id", "sentence", "position", "tokens", "kind", "genre", "target"]
    for *values, target in zip(*(rows[name].to_pylist() for name in names), strict=True):
        document_id, sentence, position, tokens, kind, genre = values
        yield target, TargetOccurrence(document_id, sentence, position, tokens, kind, genre, part)
