"""Alignment as an artefact: two spaces of one seed in, a part of table `alignments` out.

An artefact holds one alignment, so that asking for one more does not fit it again.

Small parts as artefacts: neighbours of words in one space, and the row of a slice.

NEIGHBOURS   a space and words  -> a part of table `neighbours`
SLICE        a row              -> a part of table `slices`
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.change.spaces import ALIGNMENTS as MAPS_TABLE
from lexbeam.schemas.change.spaces import NEIGHBOURS as TABLE
from lexbeam.schemas.change.spaces import SLICES
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, Unless
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import PartFile, read_rows, write_part
from lexbeam.transforms.embeddings.alignment import (
    ALIGNMENTS,
    APART,
    Alignment,
    fit_alignment,
    fit_in_frame,
    parse_fit_on,
)
from lexbeam.transforms.embeddings.neighbours import neighbours_table
from lexbeam.transforms.embeddings.published import load_side, load_space, side_row
from lexbeam.transforms.embeddings.spaces import Side, Space

REGISTRY = "lexbeam.transforms.embeddings.alignment:ALIGNMENTS"


class SliceFacts(NamedTuple):
    """What aligning and scoring know of a slice: its name, its counts, and sizes."""

    name: str
    counts: File
    tokens: int
    documents: int
    min_count: int


class FrameSlice(NamedTuple):
    """A slice over which another one is mapped: its place in the order of time, name, tokens, space."""

    place: int
    name: str
    tokens: int
    space: File


class PairFrame(NamedTuple):
    """What a pair of slices is mapped into, see `frames`.

    Attributes:
        pair: places of the two slices.
        anchor: of the slice onto which all are mapped; None: each onto the one before it, as that was mapped.
        others: slices over which the two are mapped.
    """

    pair: tuple[int, int]
    anchor: int | None
    others: tuple[FrameSlice, ...]


class AlignTask(NamedTuple):
    """A pair of slices, earlier and later, with their spaces of a seed and a variant, and an alignment.

    Attributes:
        frame: what both are mapped into; None: one onto the other.
    """

    slices: tuple[SliceFacts, SliceFacts]
    spaces: tuple[File, File]
    seed: int
    variant: str
    alignment: str
    frame: PairFrame | None = None


@dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """What decides how maps are fitted.

    Attributes:
        fit_on: words that maps are fitted on, or None for each alignment's default.
        rcond: singular values below this share of the first are dropped.
        whiten, reweight, dewhiten: steps of `op+`.
        targets: target words.
    """

    fit_on: str | None = option(
        None,
        help="words to fit on: shared, without-targets, top:N (at most), or several joined by +; "
        "default shared for op, without-targets+top:100000 for cca",
        metavar="WORDS",
    )
    rcond: float = option(
        1e-10,
        help="cca drops singular values below this share of the first",
        least=0,
        most=1,
        of="lexbeam.transforms.embeddings.alignment:ALIGNMENTS=cca,cca-reversed",
    )
    whiten: bool = option(
        True,
        help="whiten both spaces before op+ maps them",
        of="lexbeam.transforms.embeddings.alignment:ALIGNMENTS=op+",
    )
    reweight: float = option(
        0.5,
        help="power of the singular values that op+ weights mapped dimensions by; 0: none",
        least=0,
        most=10,
        of="lexbeam.transforms.embeddings.alignment:ALIGNMENTS=op+",
    )
    dewhiten: bool = option(
        True, help="de-whiten what op+ has whitened", of="lexbeam.transforms.embeddings.alignment:ALIGNMENTS=op+"
    )
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aligned:
    """Both sides of a fitted alignment, a part of table `alignments`."""

    part: PartFile


def _leaves_out_targets(task: AlignTask, options: AlignOptions) -> bool:
    return without_targets(options, task.alignment)


def _fits_on_others(task: AlignTask, options: AlignOptions) -> bool:
    return fits_on_others(options, task.alignment)


def without_targets(options: AlignOptions, alignment: str) -> bool:
    """Return whether the words that an alignment is fitted on depend on the targets."""
    return parse_fit_on(options.fit_on or ALIGNMENTS[alignment].fit_on).without_targets


def fits_on_others(options: AlignOptions, alignment: str) -> bool:
    """Return whether an alignment is fitted on other words than by its default."""
    default = ALIGNMENTS[alignment].fit_on
    return parse_fit_on(options.fit_on or default) != parse_fit_on(default)


def _chosen(task: AlignTask, _: AlignOptions) -> dict[str, tuple[str, ...]]:
    return {REGISTRY: (task.alignment,)}


def load_spaces(
    slices: Sequence[SliceFacts], spaces: Sequence[File], seed: int, variant: str = APART
) -> tuple[Space, Space]:
    """Return the two spaces of a pair, of a variant."""
    earlier, later = (
        load_space([checked(file)], facts.name, seed, facts.tokens, variant=variant)
        for file, facts in zip(spaces, slices, strict=True)
    )
    return earlier, later


def _align(artefact: Artefact, task: AlignTask, options: AlignOptions) -> Aligned:
    earlier, later = load_spaces(task.slices, task.spaces, task.seed, task.variant)
    parameters = {name: getattr(options, name) for name in ALIGNMENTS[task.alignment].uses}
    parameters |= {"fit_on": options.fit_on, "targets": options.targets}
    if task.frame is None:
        fitted = fit_alignment(task.alignment, earlier, later, **parameters)
    else:
        pair, anchor, others = task.frame
        spaces = dict(zip(pair, (earlier, later), strict=True))
        for place, name, tokens, file in others:
            spaces[place] = load_space([checked(file)], name, task.seed, tokens, variant=task.variant)
        fitted = fit_in_frame(task.alignment, spaces, pair, anchor, **parameters)
    rows = [
        {
            "slice_from": task.slices[0].name,
            "slice_to": task.slices[1].name,
            "seed": task.seed,
            "alignment": task.alignment,
            "variant": task.variant,
            "side": side,
            "fit_words": fitted.fit_words,
            "residual": fitted.residual,
            "reason": fitted.reason,
            **side_row(values, fitted.residual is not None),
        }
        for side, values in (("from", fitted.source), ("to", fitted.target))
    ]
    schema = MAPS_TABLE.schema()
    batches = [pa.Table.from_pylist([row], schema=schema) for row in rows]
    return Aligned(write_part(artefact, schema, batches, sort_keys=MAPS_TABLE.key))


def load_alignments(parts: Mapping[str, File | None]) -> dict[str, Alignment]:
    """Return alignments by name, as they are published; None stands for no alignment at all."""
    alignments = {}
    for name, part in parts.items():
        if part is None:
            alignments[name] = Alignment(*_UNALIGNED, 0, 0.0)
            continue
        source, target = (row for table in read_rows([checked(part)]) for row in table.to_pylist())
        facts = (source[name] for name in ("fit_words", "residual", "reason"))
        alignments[name] = Alignment(load_side(source), load_side(target), *facts)
    return alignments


_UNALIGNED = (Side(), Side())

ALIGN: Stage[AlignTask, AlignOptions, Aligned] = Stage(
    name="change/align",
    noun="alignments",
    receipt=Aligned,
    build=_align,
    unused={
        **dict.fromkeys(
            ("task.slices.counts", "task.slices.documents", "task.slices.min_count"), "maps are fitted on vectors alone"
        ),
        "options.fit_on": Unless("it names what the alignment is fitted on anyway", used=_fits_on_others),
        "options.targets": Unless("maps are fitted on targets as on other words", used=_leaves_out_targets),
    },
    unordered=("options.targets",),
    chosen=_chosen,
    blas=True,
    unit="alignments",
)


SliceRow = dict[str, str | int | float | None]  # of table `slices`, by column


class NeighbourTask(NamedTuple):
    """A space, by slice, seed and variant, and the words that get neighbours in it, sorted."""

    slice: str
    seed: int
    variant: str
    space: File
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NeighbourOptions:
    """How many neighbours a word gets, and the uses that a neighbour needs."""

    neighbours: int = option(10, help="neighbours to list per word", least=1, most=10_000)
    min_count: int = option(20, name="neighbour_min_count", help="uses that a neighbour needs", least=1)


@dataclass(frozen=True)
class ListedPart:
    """A part of a table."""

    part: PartFile


def _find(artefact: Artefact, task: NeighbourTask, options: NeighbourOptions) -> ListedPart:
    table = neighbours_table(
        task.slice,
        task.seed,
        load_space([checked(task.space)], task.slice, task.seed, variant=task.variant),
        task.words,
        k=options.neighbours,
        min_count=options.min_count,
        variant=task.variant,
    )
    return ListedPart(write_part(artefact, TABLE.schema(), [table], sort_keys=TABLE.key))


def _write_row(artefact: Artefact, row: SliceRow, _: None) -> ListedPart:
    schema = SLICES.schema()
    return ListedPart(write_part(artefact, schema, [pa.Table.from_pylist([row], schema=schema)]))


NEIGHBOURS: Stage[NeighbourTask, NeighbourOptions, ListedPart] = Stage(
    name="change/neighbours", receipt=ListedPart, build=_find, blas=True, unit="embeddings"
)
SLICE: Stage[SliceRow, None, ListedPart] = Stage(
    name="change/slices", receipt=ListedPart, build=_write_row, unit="slices"
)
