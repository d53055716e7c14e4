"""What is known of words, as plain values: counts, scores, neighbours over all seeds, uses in context."""

from collections.abc import Sequence
from typing import TypedDict

import pyarrow.compute as pc

from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.shown.cells import near_words
from lexbeam.transforms.change.shown.examples import Drawing
from lexbeam.transforms.change.shown.rankings import neighbours_by_slice
from lexbeam.transforms.change.shown.uses import UseFacts, corpora_of, training_view, uses_of
from lexbeam.transforms.change.shown.word import (
    NEIGHBOURS_LISTED,
    WordOptions,
    WordsOptions,
    look_up_words,
    rows_about,
    slice_names,
)
from lexbeam.transforms.common.publish.snapshots import Snapshot

_SCORES = (
    "word",
    "target",
    "slice_from",
    "slice_to",
    "seed",
    "alignment",
    "measure",
    "score",
    "score_sd",
    "seeds",
    "null_mean",
    "null_sd",
    "null_high",
    "excess",
    "p_value",
    "q_value",
    "p_relative",
    "q_relative",
    "significant",
    "reason",
    "changed",
    "ranked",
    "count_from",
    "count_to",
    "relative_from",
    "relative_to",
    "documents_from",
    "documents_to",
)
_OF_SLICE = ("count", "relative", "documents")
_VECTORS = ("word", "slice", "count", "documents", "upos", "upos_share")


class SliceUses(TypedDict):
    """Uses of a word in a slice; `vector` says whether it has one there."""

    slice: str
    count: int
    relative: float | None
    documents: int
    vector: bool


class NeighbourFacts(TypedDict):
    """A neighbour of a word in a slice, with the seeds that its mean cosine is over."""

    slice: str
    neighbour: str
    cosine: float
    seeds: int


class WordProfile(TypedDict):
    """What is known of a word; `upos` is by slice, `scores` are rows of table `scores`."""

    word: str
    target: bool
    upos: dict[str, str]
    counts: list[SliceUses]
    scores: list[Row]
    neighbours: list[NeighbourFacts]
    uses: list[UseFacts]


class MissingWord(TypedDict):
    """A word that no table has, and words that may be meant by it."""

    word: str
    near: list[str]


class WordProfiles(TypedDict):
    """What is known of words, which words no table has, and what is to be said of the corpus."""

    words: list[WordProfile]
    missing: list[MissingWord]
    notes: list[str]


def facts_of(snapshot: Snapshot, options: WordOptions | WordsOptions) -> WordProfiles:
    """Return what is known of words, as plain values.

    Raises:
        UsageError: as `scores_of`.
        LexbeamError: as `scores_of`.
    """
    look = options.look
    view = training_view(snapshot)
    names = slice_names(view, look.slice)
    places, notes = corpora_of(snapshot, look.corpus) if look.examples else ([], [])
    there, missing = look_up_words(snapshot, options, view)
    scores, vectors = _by_word(snapshot, there)
    near = neighbours_by_slice(snapshot, dict.fromkeys(names, there), NEIGHBOURS_LISTED)
    uses = uses_of(snapshot, there, places, Drawing(look.examples, look.order, look.seed), names)
    meant = near_words(snapshot, missing)
    return {
        "words": [
            {
                "word": word,
                "target": word in view.targets.words,
                "upos": {row["slice"]: row["upos"] for row in vectors[word] if row.get("upos")},
                "counts": _counts(scores[word], vectors[word], names),
                "scores": [
                    {name: row[name] for name in row if not name.endswith(("_from", "_to")) or name.startswith("slice")}
                    for row in scores[word]
                    if {row["slice_from"], row["slice_to"]} & set(names)
                ],
                "neighbours": [
                    {"slice": name, "neighbour": neighbour.word, "cosine": neighbour.cosine, "seeds": neighbour.seeds}
                    for name in names
                    for neighbour in near.get((name, word), ())
                ],
                "uses": uses.get(word, []),
            }
            for word in there
        ],
        "missing": [{"word": word, "near": list(meant[word])} for word in missing],
        "notes": notes,
    }


def _by_word(snapshot: Snapshot, words: Sequence[str]) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
    """Return by word its means in table `scores`, and its rows of `vectors`, one a slice."""
    scores: dict[str, list[Row]] = {word: [] for word in words}
    for rows in rows_about(snapshot, "scores", words, _SCORES):
        for row in rows.filter(pc.field("seed").is_null()).drop_columns(["seed"]).to_pylist():
            scores[row.pop("word")].append(row)
    vectors: dict[str, list[Row]] = {word: [] for word in words}
    for rows in rows_about(snapshot, "vectors", words, _VECTORS):
        for row in rows.to_pylist():
            word_rows = vectors[row.pop("word")]
            if all(other["slice"] != row["slice"] for other in word_rows):  # else of another seed
                word_rows.append(row)
    return scores, vectors


def _counts(scores: Sequence[Row], vectors: Sequence[Row], names: Sequence[str]) -> list[SliceUses]:
    """Return uses and documents by slice; a slice that is in no pair has what `vectors` say."""
    uses: dict[str, SliceUses] = {}
    trained = {row["slice"] for row in vectors}

    def add(name: str, count: int, relative: float | None, documents: int) -> None:
        uses[name] = SliceUses(slice=name, count=count, relative=relative, documents=documents, vector=name in trained)

    for row in vectors:
        add(row["slice"], row["count"], None, row["documents"])
    for row in scores:
        for side in ("from", "to"):
            add(row[f"slice_{side}"], *(row[f"{name}_{side}"] for name in _OF_SLICE))
    for name in names:
        if name not in uses:
            add(name, 0, 0.0, 0)
    return [uses[name] for name in names]
