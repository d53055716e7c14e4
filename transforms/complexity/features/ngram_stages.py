"""Counting the n-grams of the instances' sentences, in these or in a reference corpus.

WANT_NGRAMS      a part of the instances -> keys to count for it
COUNT_NGRAMS     a part of `sentences`, or of the instances, and what is wanted -> counts
COMBINE_NGRAMS   the counts of all parts -> one table

Keys are hashes (`surprisal`): rows are a number and a count. Without a corpus the distinct sentences
of the instances are counted, each language for itself; a sentence that stands in several parts
is counted in the first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import Part, read_rows, read_table, write_rows
from lexbeam.transforms.complexity.features.surprisal import (
    Hashes,
    Ints,
    Sequences,
    added,
    keys_of,
    sentence_keys,
    sequences_of,
    sequences_of_instances,
)
from lexbeam.transforms.corpora.annotated_corpora import SentencePart

_KEYS = pa.schema([("key", pa.uint64())])
_COUNTS = pa.schema([("key", pa.uint64()), ("uses", pa.int64())])


@dataclass(frozen=True)
class WantedNgrams:
    """Receipt of a part of the instances: keys to count, and those of its sentences."""

    keys: File
    sentences: File


@dataclass(frozen=True)
class CountedNgrams:
    """Receipt: counts, and whether they are of the instances' own sentences."""

    file: File
    of_instances: bool


class NgramTask(NamedTuple):
    """What to count in a part.

    Attributes:
        part: of `sentences`, or of the instances.
        wanted: keys.
        before: keys of the sentences of earlier parts of the instances. None: `part` is of a reference
            corpus.
    """

    part: Part | SentencePart
    wanted: tuple[File, ...]
    before: tuple[File, ...] | None


class NgramCounts(NamedTuple):
    """The counts of n-grams.

    Attributes:
        keys: ascending.
        uses: of each.
        of_instances: whether each language was counted for itself, in the instances' own sentences.
    """

    keys: Hashes
    uses: Ints
    of_instances: bool

    def look_up(self, keys: Hashes) -> Ints:
        """Return the counts of keys, in their shape; 0 for unknown keys."""
        if not len(self.keys):
            return np.zeros(keys.shape, np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.uses[place], 0)


def _write(
    artefact: Artefact, suffix: str, schema: pa.Schema, columns: Sequence[pa.ChunkedArray | Hashes | Ints]
) -> File:
    with artefact.writing(suffix) as stream:
        write_rows(stream, schema, [pa.table(list(columns), schema=schema)])
    return artefact.file(suffix)


def _read(files: Sequence[File]) -> Hashes:
    """Return the distinct keys of files, ascending."""
    keys = [read_table([checked(file)])["key"].to_numpy() for file in files]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *keys]))


def _instances(part: Part) -> Iterator[pa.Table]:
    return read_rows([checked(part)], ["language", "forms"])


def _want(artefact: Artefact, part: Part, by_language: bool) -> WantedNgrams:
    keys, sentences = np.empty(0, np.uint64), np.empty(0, np.uint64)
    for rows in _instances(part):
        sequences = sequences_of_instances(rows, by_language)
        whole = sentence_keys(sequences)
        sentences = np.union1d(sentences, whole[whole != 0])
        keys = np.union1d(keys, keys_of(sequences))
    return WantedNgrams(
        _write(artefact, ".keys.parquet", _KEYS, [np.union1d(keys, sentences)]),
        _write(artefact, ".sentences.parquet", _KEYS, [sentences]),
    )


def _count(artefact: Artefact, task: NgramTask, _: None) -> CountedNgrams:
    wanted = _read(task.wanted)
    uses = np.zeros(len(wanted), np.int64)
    for sequences, keys in _in_corpus(task) if task.before is None else _in_instances(task):
        uses += added(keys_of(sequences).ravel(), wanted) + added(keys, wanted)
    there = uses > 0
    file = _write(artefact, ".parquet", _COUNTS, [wanted[there], uses[there]])
    return CountedNgrams(file, task.before is not None)


def _in_corpus(task: NgramTask) -> Iterator[tuple[Sequences, Hashes]]:
    for rows in read_rows([checked(task.part)], ["forms"]):
        sequences = sequences_of(rows["forms"].combine_chunks())
        yield sequences, sentence_keys(sequences)


def _in_instances(task: NgramTask) -> Iterator[tuple[Sequences, Hashes]]:
    seen = _read(task.before or ())
    for rows in read_rows([checked(task.part)], ["language", "forms"]):
        whole = sentence_keys(sequences_of_instances(rows, True))
        distinct, first = np.unique(whole, return_index=True)
        new = first[(distinct != 0) & ~np.isin(distinct, seen)]
        seen = np.union1d(seen, whole)
        new.sort()
        yield sequences_of_instances(rows.take(pa.array(new)), True), whole[new]


def _combine(artefact: Artefact, parts: Sequence[CountedNgrams], _: None) -> CountedNgrams:
    rows = read_table([checked(part.file) for part in parts])
    sums = pa.TableGroupBy(rows, ["key"]).aggregate([("uses", "sum")]).sort_by("key")
    file = _write(artefact, ".parquet", _COUNTS, [sums["key"], sums["uses_sum"]])
    return CountedNgrams(file, parts[0].of_instances)


def open_ngrams(counted: CountedNgrams) -> NgramCounts:
    """Return counts, read into memory."""
    rows = read_table([checked(counted.file)])
    return NgramCounts(rows["key"].to_numpy(), rows["uses"].to_numpy(), counted.of_instances)


WANT_NGRAMS: Stage[Part, bool, WantedNgrams] = Stage(
    name="complexity/want_ngrams", noun="counts of words", receipt=WantedNgrams, build=_want, unit="lists of n-grams"
)
COUNT_NGRAMS: Stage[NgramTask, None, CountedNgrams] = Stage(
    name="complexity/count_ngrams",
    noun="counts of words",
    receipt=CountedNgrams,
    build=_count,
    unordered=("task.wanted", "task.before"),
    unit="parts",
)
COMBINE_NGRAMS: Stage[Sequence[CountedNgrams], None, CountedNgrams] = Stage(
    name="complexity/combine_ngrams",
    noun="counts of words",
    receipt=CountedNgrams,
    build=_combine,
    unordered=("task",),
    unit="tables",
)
