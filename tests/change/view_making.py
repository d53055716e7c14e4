"""A small corpus, and its view made as the pipeline makes it."""

from dataclasses import fields
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.corpus_tables import SENTENCES
from lexbeam.transforms.change.view.counts import CountSlice, PartCounts, ShuffleRange
from lexbeam.transforms.change.view.feeds import StagedView, read_feed
from lexbeam.transforms.change.view.slices import parse_slices
from lexbeam.transforms.change.view.view_stage import (
    MeasureTokens,
    SlicePart,
    ViewSlices,
    ViewSpec,
    ViewTask,
    limits_of,
)
from lexbeam.transforms.change.view.words import ViewOptions, load_targets
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make, make_all
from lexbeam.transforms.common.store.tables import write_part
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.embeddings.sgns import sentences_of

SCHEMA = SENTENCES.schema()
EMPTY = dict.fromkeys(SCHEMA.names)
OPTIONS = ViewOptions(min_sentence=3)


def spec_of(slices="1800-1840,1850-1890", targets=("w7",), ranges=1):
    parsed = parse_slices(slices)
    return ViewSpec(
        slices=parsed, targets=load_targets(targets, OPTIONS), options=OPTIONS, ranges=(ranges,) * len(parsed)
    )


SPEC = spec_of()


def corpus():
    """Rows of `sentences`: 40 documents, two years apart."""
    random = np.random.default_rng(1)
    made = []
    for document in range(40):
        for sentence in range(random.integers(1, 20)):
            words = [f"w{n}" for n in random.zipf(1.5, random.integers(2, 12)) % 40]
            made.append(
                {
                    **EMPTY,
                    "document_id": f"{document:032x}",
                    "sentence": sentence,
                    "year": 1800 + 2 * document + (10 if document > 35 else 0),
                    "lemmas": [*words, "."],
                    "upos": ["PROPN" if word == "w3" else "NOUN" for word in words] + ["PUNCT"],
                }
            )
    return made


def write_parts(folder, rows, parts=1):
    """Write rows as parts of `sentences`, documents dealt out."""
    written = []
    for number in range(parts):
        mine = [row for row in rows if int(row["document_id"], 16) % parts == number]
        artefact = Artefact(str(folder / f"{number}"))
        part = write_part(artefact, SCHEMA, [pa.Table.from_pylist(mine, schema=SCHEMA)])
        file = part.file
        written.append(SentencePart(part.rows, str(file.path), file.bytes, file.sha256))
    return written


def tasks_of(part, spec=SPEC, limits=None, left_out=()):
    """Return the tasks of a part, one per slice."""
    bins = limits or [None] * len(spec.slices)
    return [
        ViewTask(SlicePart(part, slice, tuple(left_out)), ranges, limit)
        for slice, ranges, limit in zip(spec.slices, spec.ranges, bins, strict=True)
    ]


def measured_in(space, part, spec=SPEC):
    """Measure the slices of a part."""
    return make_all(space, MeasureTokens(spec.targets, spec.options), [task.of for task in tasks_of(part, spec)])


def viewed_in(space, part, spec=SPEC, limits=None, left_out=()):
    """Derive the view of a part in all slices."""
    step = ViewSlices.of_spec(spec, limited=limits is not None)
    return make_all(space, step, tasks_of(part, spec, limits, left_out))


def counts_of(viewed):
    return PartCounts(**{each.name: getattr(viewed, each.name) for each in fields(PartCounts)})


class Prepared(NamedTuple):
    """Counts and sentences by slice, and the view by part and slice."""

    slices: list
    feeds: list
    viewed: list


def shuffled(space, views, ranges):
    """The files of a slice in the order of training, from its views in all parts."""
    made = []
    for number in range(ranges):
        staged = tuple(
            StagedView(found.staged, ordinal)
            for found in views
            for ordinal, where in enumerate(found.ranges)
            if where == number
        )
        made.append(make(space, ShuffleRange(), staged))
    return tuple(made)


def prepare(folder, rows, *, parts=1, budget=None, spec=SPEC):
    folder.mkdir(exist_ok=True)
    space = Workspace(str(folder / "work"))
    inputs = write_parts(folder, rows, parts)
    limits = None
    if budget is not None:
        measured = [measured_in(space, part, spec) for part in inputs]
        limits = limits_of(measured, budget)
    viewed = [viewed_in(space, part, spec, limits) for part in inputs]
    slices, feeds = [], []
    for index in range(len(spec.slices)):
        own = [part[index] for part in viewed]
        slices.append(make(space, CountSlice(), tuple(map(counts_of, own))))
        feeds.append(list(sentences_of(read_feed(shuffled(space, own, spec.ranges[index])))))
    return Prepared(slices, feeds, viewed)
