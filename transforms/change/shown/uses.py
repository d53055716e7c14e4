"""Uses of words in published change tables, in context, from the corpora that they were made from.

Uses are found and assigned to slices as in the training view, so a use that is shown is one that was
counted. The tables themselves hold no text.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypedDict

from lexbeam.transforms.change.shown.examples import Drawing, Example, draw_examples, token_of
from lexbeam.transforms.change.shown.typical import Vector, weighted
from lexbeam.transforms.change.view.slices import Slice
from lexbeam.transforms.change.view.targets import ViewTargets, load_targets
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_snapshot
from lexbeam.transforms.corpora.annotated_corpora import Corpus, find_corpora
from lexbeam.transforms.embeddings.published import first_variant, load_space


class UseFacts(TypedDict):
    """What is known of a use, as plain values; `left` and `right` are the text before and after it."""

    slice: str
    year: int
    author: str | None
    title: str | None
    source: str
    left: str
    target: str
    right: str
    document_id: str
    sentence: int
    typical: float | None


class TrainingView(NamedTuple):
    """The part of the training view that is needed to find a word's sentences."""

    options: ViewOptions
    slices: tuple[Slice, ...]
    targets: ViewTargets


def training_view(snapshot: Snapshot) -> TrainingView:
    """Return what the tables were trained on.

    Raises:
        LexbeamError: no change is published there.
    """
    section = snapshot.section("change")
    options = ViewOptions(**section["view"])
    targets = load_targets(section["targets"], options) if section["targets"] else ViewTargets()
    return TrainingView(options, tuple(Slice(*row) for row in section["slices"]), targets)


def corpora_of(snapshot: Snapshot, named: Sequence[str] = ()) -> tuple[list[Snapshot], list[str]]:
    """Return the corpora that uses are taken from, and notes for the reader.

    Args:
        snapshot: with a section `change`.
        named: corpus folders to take instead of those that the tables were made from.

    Raises:
        LexbeamError: a named folder holds no sentences.
    """
    places = [open_snapshot(place) for place in named]
    notes: list[str] = []
    if not places:
        origins = find_corpora(snapshot, "change")
        places, notes = list(origins.places), list(origins.notes)
    for place in places:
        place.paths("sentences")  # to fail before any output
    return places, notes


def uses_of(
    snapshot: Snapshot,
    words: Sequence[str],
    places: Sequence[Snapshot],
    drawing: Drawing,
    only: Collection[str] | None = None,
) -> dict[str, list[UseFacts]]:
    """Return by word its uses, by slice and in the order of the drawing, as plain values.

    Args:
        snapshot: with a section `change`.
        words: words of its training view.
        places: corpora, see `corpora_of`; without any there are no uses.
        drawing: which uses, and how many.
        only: names of slices; None for all.

    Raises:
        LexbeamError: a part of a corpus is damaged.
    """
    if not places or not words:
        return {}
    view = training_view(snapshot)
    slices = [slice for slice in view.slices if only is None or slice.name in only]

    def vectors(slice_name: str, near: Collection[str]) -> Mapping[str, Vector]:
        return _weighted(snapshot, slice_name, near)

    drawn = draw_examples(
        [Corpus.published(place) for place in places],
        [token_of(word, view.targets) for word in words],
        view.options,
        slices,
        drawing,
        vectors,
    )
    return {
        word: [_use(slice.name, example) for slice, examples in zip(slices, of, strict=True) for example in examples]
        for word, of in zip(words, drawn, strict=True)
    }


def _weighted(snapshot: Snapshot, name: str, words: Collection[str]) -> Mapping[str, Vector]:
    """Return weighted vectors of the slice's first seed: those of several are not alike."""
    seed = snapshot.section("change")["seeds"][0]
    rows = snapshot.read("slices", ["slice", "tokens"]).to_pylist()
    tokens = next(row["tokens"] for row in rows if row["slice"] == name)
    space = load_space(snapshot.paths("vectors"), name, seed, tokens, variant=first_variant(snapshot))
    return weighted(space, sorted(words))


def _use(slice_name: str, example: Example) -> UseFacts:
    return {
        "slice": slice_name,
        "year": example.year,
        "author": example.author,
        "title": example.title,
        "source": example.source,
        "left": example.text.left,
        "target": example.text.target,
        "right": example.text.right,
        "document_id": example.key.document_id,
        "sentence": example.key.sentence,
        "typical": example.typical,
    }
