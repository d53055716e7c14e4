"""Counting the words of targets in a reference corpus.

WANT      a part of the instances -> what is to be counted for it
COUNT     a part of `sentences`, and what is wanted -> counts by document
COMBINE   the counts of all parts -> counts, documents, dispersion
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows, read_table, write_rows
from transforms.complexity.features.base import READ
from transforms.complexity.features.corpus_counts import (
    COUNTED,
    COUNTS,
    WANTED,
    CorpusCounts,
    combined,
    counted,
    wanted_of,
)
from transforms.corpora.corpus import SentencePart

__all__ = ["COMBINE", "COUNT", "WANT", "CountTask", "CountedWords", "Wanted", "open_counts"]


@dataclass(frozen=True)
class Wanted:
    """Receipt: what is to be counted for a part of the instances."""

    file: File


@dataclass(frozen=True)
class CountedWords:
    """Receipt: counts, in a part of a corpus or in all of it, with its tokens and documents."""

    file: File
    tokens: int
    documents: int


class CountTask(NamedTuple):
    """A part of `sentences`, and what is to be counted in it."""

    part: SentencePart
    wanted: tuple[File, ...]


def _write(artefact: Artefact, schema: pa.Schema, rows: pa.Table) -> File:
    with artefact.writing(".parquet") as stream:
        write_rows(stream, schema, [rows])
    return artefact.file(".parquet")


def _union(tables: Iterable[pa.Table]) -> pa.Table:
    whole = pa.concat_tables([WANTED.empty_table(), *tables])
    distinct = pa.TableGroupBy(whole, WANTED.names).aggregate([])
    return distinct.sort_by([(name, "ascending") for name in WANTED.names])


def _want(artefact: Artefact, part: Part, _: None) -> Wanted:
    rows = _union(wanted_of(rows) for rows in read_rows([checked(part)], list(READ)))
    return Wanted(_write(artefact, WANTED, rows))


def _count(artefact: Artefact, task: CountTask, _: None) -> CountedWords:
    wanted = _union([read_table([checked(file) for file in task.wanted])])
    columns = ["document_id", "forms", "lemmas"]
    rows, tokens, documents = counted(read_rows([checked(task.part)], columns), wanted)
    return CountedWords(_write(artefact, COUNTED, rows), tokens, documents)


def _combine(artefact: Artefact, parts: Sequence[CountedWords], _: None) -> CountedWords:
    tokens = sum(part.tokens for part in parts)
    rows = read_table([checked(part.file) for part in parts])
    documents = sum(part.documents for part in parts)
    return CountedWords(_write(artefact, COUNTS, combined(rows, tokens)), tokens, documents)


def open_counts(counted: CountedWords) -> CorpusCounts:
    """Return the counts of a corpus, read into memory."""
    return CorpusCounts(read_table([checked(counted.file)]), counted.tokens, counted.documents)


WANT: Stage[Part, None, Wanted] = Stage(name="complexity/want", receipt=Wanted, build=_want, unit="lists of words")
COUNT: Stage[CountTask, None, CountedWords] = Stage(
    name="complexity/count", receipt=CountedWords, build=_count, unordered=("task.wanted",), unit="parts of the corpus"
)
COMBINE: Stage[Sequence[CountedWords], None, CountedWords] = Stage(
    name="complexity/combine", receipt=CountedWords, build=_combine, unordered=("task",), unit="tables"
)
