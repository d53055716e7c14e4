"""Comparisons, slices and files that are names alone."""

from lexbeam.transforms.change.graph.comparisons import CommonFrame, Comparisons, SliceReady, SpaceVariant
from lexbeam.transforms.change.view.counts import SliceCounts
from lexbeam.transforms.common.store.receipts import ArtefactPath, File

COMPARISONS = Comparisons(("a", "b", "c"), (2, 3, 4), ((0, 1), (1, 2)), (5, 9))


def file(name):
    return File(ArtefactPath(name), 1, name)


COUNTS = SliceCounts(
    counts=file("counts"),
    documents=1,
    sentences=2,
    tokens=3,
    largest_document=3,
    types=2,
    tokens_before=4,
    short=0,
    short_tokens=0,
    split=0,
    sampled_out=0,
)


JOINT = Comparisons(
    ("a", "b", "c"),
    (2, 3, 4),
    ((0, 1), (1, 2)),
    (5, 9),
    (SpaceVariant("tr", ("tr",)), SpaceVariant("apart", ("op", "cca")), SpaceVariant("vi", ("vi",))),
    ((0, 1, 2),),
    CommonFrame(1),
)


def ready(place):
    return SliceReady(place, COUNTS, ((file(f"feed {place}"),),))


def grouped(entries):
    found = {}
    for key, value in entries:
        found.setdefault(key, []).append(value)
    return found
