"""Parts of tables that are made of spaces, as artefacts: alignments, neighbours of words, the row of a slice.

    Align            two spaces of one seed  -> a part of table `alignments`
    ListNeighbours   a space and words       -> a part of table `neighbours`
    DescribeSlice    a row                   -> a part of table `slices`

An artefact holds one alignment, so that asking for one more does not fit it again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.change.spaces import ALIGNMENTS as TABLE
from lexbeam.schemas.change.spaces import NEIGHBOURS, SLICES
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
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


class SliceSpace(NamedTuple):
    """A slice as aligning knows it: its name, its tokens, its space of a seed and a variant."""

    name: str
    tokens: int
    space: File


class PairFrame(NamedTuple):
    """What a pair of slices is mapped into, see `alignment.fit_in_frame`.

    Attributes:
        pair: places of the two slices.
        anchor: of the slice onto which all are mapped; None: each onto the one before it, as that was mapped.
        others: slices over which the two are mapped, with their places in the order of time.
    """

    pair: tuple[int, int]
    anchor: int | None
    others: tuple[tuple[int, SliceSpace], ...]


class AlignTask(NamedTuple):
    """A pair of slices, earlier and later, with a seed, a variant and an alignment.

    Attributes:
        sides: the two slices.
        seed, variant: of their spaces.
        alignment: key of `ALIGNMENTS`.
        fit: what decides how it is fitted, see `fit_arguments`.
        frame: what both are mapped into; None: one onto the other.
    """

    sides: tuple[SliceSpace, SliceSpace]
    seed: int
    variant: str
    alignment: str
    fit: Mapping[str, Any]
    frame: PairFrame | None = None


@dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """What decides how maps are fitted.

    Attributes:
        fit_on: words that maps are fitted on, or None for each alignment's default.
        rcond: singular values below this share of the first are dropped.
        whiten, reweight, dewhiten: steps of `op+`.
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
        of=f"{REGISTRY}=cca,cca-reversed",
    )
    whiten: bool = option(True, help="whiten both spaces before op+ maps them", of=f"{REGISTRY}=op+")
    reweight: float = option(
        0.5,
        help="power of the singular values that op+ weights mapped dimensions by; 0: none",
        least=0,
        most=10,
        of=f"{REGISTRY}=op+",
    )
    dewhiten: bool = option(True, help="de-whiten what op+ has whitened", of=f"{REGISTRY}=op+")
    targets: tuple[str, ...] = ()


def fit_words(options: AlignOptions, alignment: str) -> dict[str, Any]:
    """Return the words that an alignment is fitted on, as `fit_alignment` takes them.

    They are None and none where the alignment takes the same by itself: `fit_on` where it is its default, targets where
    maps are fitted on them as on other words.
    """
    default = parse_fit_on(ALIGNMENTS[alignment].fit_on)
    asked = default if options.fit_on is None else parse_fit_on(options.fit_on)
    return {
        "fit_on": None if asked == default else options.fit_on,
        "targets": tuple(sorted(set(options.targets))) if asked.without_targets else (),
    }


def fit_arguments(options: AlignOptions, alignment: str) -> dict[str, Any]:
    """Return all that decides how an alignment is fitted, as `fit_alignment` takes it."""
    return fit_words(options, alignment) | {name: getattr(options, name) for name in ALIGNMENTS[alignment].uses}


def load_spaces(sides: Sequence[SliceSpace], seed: int, variant: str = APART) -> list[Space]:
    """Return the spaces of slices, of a seed and a variant."""
    return [load_space([checked(side.space)], side.name, seed, side.tokens, variant=variant) for side in sides]


@dataclass(frozen=True)
class Align(Step[AlignTask, PartFile]):
    """Fit an alignment to the spaces of a pair."""

    name = "change/align"
    noun = unit = "alignments"
    blas = True

    def make(self, artefact: Artefact, task: AlignTask) -> PartFile:
        """Write a row for either slice."""
        earlier, later = load_spaces(task.sides, task.seed, task.variant)
        if task.frame is None:
            fitted = fit_alignment(task.alignment, earlier, later, **task.fit)
        else:
            pair, anchor, others = task.frame
            spaces = dict(zip(pair, (earlier, later), strict=True))
            over = load_spaces([side for _, side in others], task.seed, task.variant)
            spaces |= {place: space for (place, _), space in zip(others, over, strict=True)}
            fitted = fit_in_frame(task.alignment, spaces, pair, anchor, **task.fit)
        rows = [
            {
                "slice_from": task.sides[0].name,
                "slice_to": task.sides[1].name,
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
        schema = TABLE.schema()
        batches = [pa.Table.from_pylist([row], schema=schema) for row in rows]
        return write_part(artefact, schema, batches, sort_keys=TABLE.key)

    def chosen(self, task: AlignTask) -> dict[str, tuple[str, ...]]:
        """Return the alignment."""
        return {REGISTRY: (task.alignment,)}


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
class ListNeighbours(Step[NeighbourTask, PartFile]):
    """List the nearest neighbours of words in a space."""

    options: NeighbourOptions

    name = "change/neighbours"
    unit = "embeddings"
    blas = True

    def make(self, artefact: Artefact, task: NeighbourTask) -> PartFile:
        """Write the rows."""
        table = neighbours_table(
            task.slice,
            task.seed,
            load_space([checked(task.space)], task.slice, task.seed, variant=task.variant),
            task.words,
            k=self.options.neighbours,
            min_count=self.options.min_count,
            variant=task.variant,
        )
        return write_part(artefact, NEIGHBOURS.schema(), [table], sort_keys=NEIGHBOURS.key)


@dataclass(frozen=True)
class DescribeSlice(Step[SliceRow, PartFile]):
    """Write the row of a slice."""

    name = "change/slices"
    unit = "slices"

    def make(self, artefact: Artefact, task: SliceRow) -> PartFile:
        """Write the row."""
        schema = SLICES.schema()
        return write_part(artefact, schema, [pa.Table.from_pylist([task], schema=schema)])
