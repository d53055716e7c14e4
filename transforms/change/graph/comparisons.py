"""What the change pipeline compares (slices, pairs and series of slices, seeds), and the tasks that this makes.

At the end, what is published of it: the rows of table `slices`, and the numbers of parts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import NamedTuple

from lexbeam.transforms.change.scores.combined_scores import Combined, CombineTask, SummaryTask
from lexbeam.transforms.change.scores.null_deals import Deal
from lexbeam.transforms.change.scores.seed_scores import ScoredSeed
from lexbeam.transforms.change.scores.series import SeriesTask
from lexbeam.transforms.change.scores.system_ensembles import SystemsTask
from lexbeam.transforms.change.scores.traces import Traced, TraceTask
from lexbeam.transforms.change.spaces.aligning import AlignTask, NeighbourTask, SliceFacts, SliceRow
from lexbeam.transforms.change.spaces.training import JointTask, TrainedSpaces, TrainTask
from lexbeam.transforms.change.view.counts import SliceCounts
from lexbeam.transforms.change.view.slices import Slice
from lexbeam.transforms.change.view.view_stage import Viewed
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint_trainings import JOINT_TRAININGS


class SpaceVariant(NamedTuple):
    """Spaces that are made in one way.

    Attributes:
        name: as tables have it: `APART`, or a key of `JOINT_TRAININGS`.
        alignments: that compare them.
    """

    name: str
    alignments: tuple[str, ...] = ()


class CommonFrame(NamedTuple):
    """Slices are mapped onto one of them, its place, and not pair by pair; None: each onto the one before it."""

    anchor: int | None


class Comparisons(NamedTuple):
    """What is compared.

    Attributes:
        names: of slices.
        min_counts: their frequency cuts.
        pairs: of their indices.
        seeds: of training.
        variants: spaces that each slice and seed has. The first are what measures take that take no aligned vectors,
            what series follow, and what is shown of words.
        sequences: slices that are trained together where an alignment does so, in the order of time. A null pair stands
            among the other real slices, so that it is trained as the pair is that it is a null of; these have numbers
            below 0, that of place 0 being -1.
        frame: the common frame of slices; None: each pair is aligned by itself.
        origins: of null pairs, the real slices that they are nulls of.
        real: of null slices, what is compared in truth.
    """

    names: tuple[str, ...]
    min_counts: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]
    variants: tuple[SpaceVariant, ...] = (SpaceVariant(APART),)
    sequences: tuple[tuple[int, ...], ...] = ()
    frame: CommonFrame | None = None
    origins: tuple[tuple[int, int], ...] = ()
    real: "Comparisons | None" = None


class SliceReady(NamedTuple):
    """A slice, by its place in the order of time, ready for training: its counts, its sentences.

    Attributes:
        feeds: the files of its sentences; of a null slice those of the slices that it is dealt from.
        documents: those that a null slice has; None: the slice is a real one.
    """

    place: int
    counts: SliceCounts
    feeds: tuple[tuple[File, ...], ...]
    documents: File | None = None


PartView = tuple[str, list[Viewed]]  # a part of `sentences` by its digest, its view in every slice

# Keys of groupings, which Beam wants as plain tuples: places of variants, slices, pairs and sequences, and seeds.
SpaceKey = tuple[int, int, int]  # variant, slice, seed
PairSeed = tuple[int, int]  # pair, seed


def by_place(ready: SliceReady) -> tuple[int, SliceReady]:
    """Key a slice by its place."""
    return ready.place, ready


def needed_places(comparisons: Comparisons, variant: int) -> list[int]:
    """Return the slices that have spaces of a variant: all of the first, which are followed; of others, those of pairs.

    >>> compared = Comparisons(("a", "b", "c"), (1, 1, 1), ((0, 2),), (1,), (SpaceVariant("apart"), SpaceVariant("vi")))
    >>> needed_places(compared, 0), needed_places(compared, 1)
    ([0, 1, 2], [0, 2])
    """
    of_pairs = {place for pair in comparisons.pairs for place in pair}
    return [place for place in range(len(comparisons.names)) if variant == 0 or place in of_pairs]


def train_tasks(ready: SliceReady, comparisons: Comparisons, variant: int = 0) -> Iterator[tuple[SpaceKey, TrainTask]]:
    """Yield a slice's training tasks for a variant that it is needed in, one per seed."""
    if ready.place in needed_places(comparisons, variant):
        for seed in comparisons.seeds:
            yield (variant, ready.place, seed), train_task(comparisons, ready, seed)


def train_task(comparisons: Comparisons, ready: SliceReady, seed: int) -> TrainTask:
    """Return the task of training a slice apart, with a seed."""
    return TrainTask(
        tokens=ready.counts.tokens,
        slice=comparisons.names[ready.place],
        seed=seed,
        min_count=comparisons.min_counts[ready.place],
        counts=ready.counts.counts,
        sentences=ready.counts.sentences,
        feeds=ready.feeds,
        documents=ready.documents,
    )


def facts_of(comparisons: Comparisons, place: int, slices: Mapping[int, SliceCounts]) -> SliceFacts:
    """Return what aligning and scoring know of a slice."""
    counts = slices[place]
    return SliceFacts(
        comparisons.names[place], counts.counts, counts.tokens, counts.documents, comparisons.min_counts[place]
    )


def counts_of(comparisons: Comparisons, pair: int, slices: Mapping[int, SliceCounts]) -> tuple[File, ...]:
    """Return the files of counts of a pair's slices, the earlier one first."""
    return tuple(slices[place].counts for place in comparisons.pairs[pair])


def combine_tasks(
    pair: int,
    seeds: Iterable[ScoredSeed],
    comparisons: Comparisons,
    slices: Mapping[int, SliceCounts],
    nulls: Iterable[ScoredSeed] = (),
    deals: Iterable[Deal] = (),
) -> Iterator[tuple[int, CombineTask]]:
    """Yield the task of a pair from the scores of its seeds and of its null pairs, if any."""
    counts = counts_of(comparisons, pair, slices)
    ordered, of_nulls = (tuple(sorted(scored, key=attrgetter("rows.sha256"))) for scored in (seeds, nulls))
    deal = next((replace(deal, nulls=()) for deal in deals), None)
    yield pair, CombineTask(ordered, counts, of_nulls, deal)


def summary_tasks(
    element: tuple[int, Combined], comparisons: Comparisons, slices: Mapping[int, SliceCounts]
) -> Iterator[tuple[int, SummaryTask]]:
    """Yield the task of bringing together all that is known of the words of a pair."""
    pair, combined = element
    yield pair, SummaryTask(combined.part.file, counts_of(comparisons, pair, slices))


def systems_tasks(pair: int, runs: Iterable[Combined]) -> Iterator[tuple[int, SystemsTask]]:
    """Yield the task of bringing the systems of all runs together, if any run has some."""
    if having := [run for run in runs if run.systems is not None]:
        yield pair, SystemsTask(_files(run.systems for run in having), _files(run.system_nulls for run in having))


def _files(parts: Iterable[PartFile | None]) -> tuple[File, ...]:
    return tuple(sorted((part.file for part in parts if part is not None), key=attrgetter("sha256")))


def neighbour_tasks(
    element: tuple[SpaceKey, PartFile],
    comparisons: Comparisons,
    combined: Mapping[int, Combined],
    targets: Sequence[str],
    most: int,
) -> Iterator[tuple[SpaceKey, NeighbourTask]]:
    """Yield the task of a space; its words are the targets and the `most` changed words of each of its pairs.

    `combined` are the scores of all pairs, by place.
    """
    (variant, place, seed), space = element
    words = set(targets)
    for pair, scores in combined.items():
        if place in comparisons.pairs[pair]:
            for ranking in scores.tops:
                words.update(ranking.words[:most])
    name = comparisons.variants[variant].name
    yield element[0], NeighbourTask(comparisons.names[place], seed, name, space.file, tuple(sorted(words)))


def slice_row(slice: Slice, counts: SliceCounts, vocabulary: int, min_count: int) -> SliceRow:
    """Return the row of a slice.

    Args:
        slice: name and years.
        counts: what was counted in it.
        vocabulary: words that have a vector.
        min_count: the fewest uses of such a word.
    """
    tokens = counts.tokens
    return {
        "slice": slice.name,
        "from": slice.start,
        "to": slice.end,
        "documents": counts.documents,
        "sentences": counts.sentences,
        "tokens_before": counts.tokens_before,
        "tokens": tokens,
        "sentences_short": counts.short,
        "tokens_short": counts.short_tokens,
        "sentences_sampled_out": counts.sampled_out,
        "sentences_split": counts.split,
        "types": counts.types,
        "vocabulary": vocabulary,
        "min_count": min_count,
        "largest_document_share": counts.largest_document / tokens if tokens else 0.0,
    }


def slice_rows(
    place: int,
    words: Iterable[int],
    comparisons: Comparisons,
    slices: Mapping[int, SliceCounts],
    periods: Sequence[Slice],
) -> Iterator[tuple[int, SliceRow]]:
    """Yield the row of a slice, by its place; its spaces, of all variants, have a row for each of its `words`."""
    vocabulary = next(iter(words))
    yield place, slice_row(periods[place], slices[place], vocabulary, comparisons.min_counts[place])


def space_number(comparisons: Comparisons, key: SpaceKey) -> int:
    """Return the number of a space's part: by variant, then by slice, then by seed."""
    variant, place, seed = key
    return (variant * len(comparisons.names) + place) * len(comparisons.seeds) + comparisons.seeds.index(seed)


def map_number(comparisons: Comparisons, alignments: tuple[str, ...], key: PairSeed, alignment: str) -> int | None:
    """Return the number of an alignment's part: by pair, seed, then name; None for `none`."""
    if alignment == "none":
        return None
    names = sorted(set(alignments) - {"none"})
    pair, seed = key
    number = pair * len(comparisons.seeds) + comparisons.seeds.index(seed)
    return number * len(names) + names.index(alignment)


# A run of a series: which null series, 0 for the real one, and the seed.
RunKey = tuple[int, int]
Side = tuple[int, SliceFacts, File]  # the place in its series, the slice, its space


def series_sides(
    element: tuple[SpaceKey, PartFile],
    comparisons: Comparisons,
    first: int,
    length: int,
    slices: Mapping[int, SliceCounts],
) -> Iterator[tuple[RunKey, Side]]:
    """Yield the run of a series that a space of the first variant belongs to, if to any, with its place there.

    The first series begins at place `first`; each has this many slices, its length.
    """
    (variant, place, seed), trained = element
    if variant == 0 and place >= first:
        series, number = divmod(place - first, length)
        yield (series, seed), (number, facts_of(comparisons, place, slices), trained.file)


def maps_of(
    element: tuple[PairSeed, tuple[AlignTask, PartFile]], comparisons: Comparisons, alignment: str
) -> Iterator[tuple[RunKey, tuple[int, int, File]]]:
    """Yield the run of the real series that a map belongs to, with its slices, if it is of an alignment."""
    (pair, seed), (task, aligned) = element
    if task.alignment == alignment:
        yield (0, seed), (*comparisons.pairs[pair], aligned.file)


def trace_tasks(
    key: RunKey, sides: Iterable[Side], maps: Iterable[tuple[int, int, File]] = ()
) -> Iterator[tuple[RunKey, TraceTask]]:
    """Yield the task of a run."""
    ordered = sorted(sides, key=itemgetter(0))
    yield (
        key,
        TraceTask(
            tuple(facts for _, facts, _ in ordered),
            tuple(space for _, _, space in ordered),
            key[1],
            tuple(sorted(maps, key=itemgetter(0, 1))),
        ),
    )


def series_tasks(
    key: int,
    seeds: Iterable[Traced],
    comparisons: Comparisons,
    slices: Mapping[int, SliceCounts],
    nulls: Iterable[Traced] = (),
    deals: Iterable[Deal] = (),
) -> Iterator[tuple[int, SeriesTask]]:
    """Yield the task of a series from what was traced of its seeds and null series, if any."""
    yield (
        key,
        SeriesTask(
            tuple(facts_of(comparisons, place, slices) for place in range(len(comparisons.names))),
            tuple(sorted(seeds, key=attrgetter("rows.sha256"))),
            tuple(sorted(nulls, key=attrgetter("rows.sha256"))),
            next((replace(deal, nulls=(), slices=None) for deal in deals), None),
        ),
    )


# Keys of groupings, as in `comparisons`.
SequenceKey = tuple[int, int]  # variant, sequence
JointKey = tuple[int, int, int]  # variant, sequence, seed


def needed_sequences(comparisons: Comparisons, variant: int) -> list[int]:
    """Return the sequences that are trained together for a variant, by their numbers."""
    needed = set(needed_places(comparisons, variant))
    return [number for number, places in enumerate(comparisons.sequences) if needed.intersection(places)]


def joint_slices(
    ready: SliceReady, comparisons: Comparisons, *, of_real: bool = False
) -> Iterator[tuple[SequenceKey, tuple[int, SliceReady]]]:
    """Yield a slice, with its number, by the variants and sequences in which it is trained together with others.

    Args:
        comparisons: what is compared.
        of_real: whether it is a real one that null slices stand among.
    """
    place = -1 - ready.place if of_real else ready.place
    for number, variant in enumerate(comparisons.variants):
        if variant.name != APART:
            for sequence in needed_sequences(comparisons, number):
                if place in comparisons.sequences[sequence]:
                    yield (number, sequence), (place, ready)


def joint_tasks(
    key: SequenceKey, slices: Iterable[tuple[int, SliceReady]], comparisons: Comparisons, targets: Sequence[str] = ()
) -> Iterator[tuple[JointKey, JointTask]]:
    """Yield the tasks of slices that are trained together, one per seed.

    Args:
        key: variant and sequence.
        slices: of the sequence, by number.
        comparisons: what is compared.
        targets: words that may have a vector in each slice.
    """
    number, sequence = key
    name = comparisons.variants[number].name
    training = JOINT_TRAININGS[name]
    places, ready = comparisons.sequences[sequence], dict(slices)
    known = tuple(sorted(set(targets))) if training.of_targets else ()
    anchor = comparisons.frame.anchor if comparisons.frame and training.goes_on else None
    wanted = tuple(index for index, place in enumerate(places) if place >= 0)
    for seed in comparisons.seeds:
        tasks = (
            train_task(comparisons.real if place < 0 and comparisons.real else comparisons, ready[place], seed)
            for place in places
        )
        yield (number, sequence, seed), JointTask(tuple(tasks), name, wanted, known, anchor)


def joint_spaces(
    element: tuple[JointKey, TrainedSpaces], comparisons: Comparisons
) -> Iterator[tuple[SpaceKey, PartFile]]:
    """Yield the spaces of slices that were trained together."""
    (variant, sequence, seed), made = element
    wanted = [place for place in comparisons.sequences[sequence] if place >= 0]
    for place, space in zip(wanted, made.spaces, strict=True):
        yield (variant, place, seed), space
