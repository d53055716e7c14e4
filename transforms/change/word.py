"""One word in published change tables: counts, scores, neighbours and example sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from transforms.change.examples import draw_examples, token_of
from transforms.change.neighbours import neighbours_table
from transforms.change.slicing import Slice, with_hyphens
from transforms.change.spaces import load_space
from transforms.change.targets import Targets, load_targets, near_matches
from transforms.change.words import ViewOptions, normalise_word
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.options import option
from transforms.common.snapshots import Snapshot, open_snapshot
from transforms.common.tables import read_rows
from transforms.corpora.corpus import Corpus

__all__ = ["NeighbourViewOptions", "WordOptions", "neighbours_of", "scores_of", "tell_word"]

EXAMPLES = 10
LISTED = 10  # neighbours of a word


@dataclass(frozen=True, kw_only=True)
class WordOptions:
    """Options of the view `word`."""

    word: str = option(help="look at this word", metavar="W")
    slice: str | None = option(None, help="only this slice", metavar="S", stands_for=with_hyphens)
    seed: int = option(0, help="which sentences are drawn")
    corpus: tuple[str, ...] = option(
        (),
        help="corpus folders to draw sentences from, if not the folder itself",
        metavar="DIR",
        path="place",
    )


@dataclass(frozen=True, kw_only=True)
class NeighbourViewOptions:
    """Options of the view `neighbours`."""

    neighbours: str = option(help="list the neighbours of this word", metavar="W")
    slice: str | None = option(None, help="only this slice", metavar="S", stands_for=with_hyphens)
    training_seed: int | None = option(None, help="of the vectors of this seed; else of the first")
    n: int = option(LISTED, help="neighbours in each slice", least=1)


class _View(NamedTuple):
    """What of the training view is needed to find a word's sentences."""

    options: ViewOptions
    slices: tuple[Slice, ...]
    targets: Targets


def scores_of(snapshot: Snapshot, options: WordOptions) -> pa.Table:
    """Return the rows of table `scores` about a word.

    Raises:
        LexbeamError: no table has the word.
    """
    view = _view(snapshot)
    word = normalise_word(options.word, view.options)
    names = _slices(view, options.slice)
    found = []
    for rows in read_rows(snapshot.paths("scores")):
        same = pc.equal(rows["word"], word)
        for name in ("slice_from", "slice_to") if options.slice else ():
            side = pc.is_in(rows[name], pa.array(names, pa.string()))
            same = pc.and_(same, side) if name == "slice_from" else pc.or_(same, side)
        found.append(rows.filter(same))
    table = pa.concat_tables(found)
    if not table.num_rows and not _of_word(snapshot, "vectors", word, ("word",)):
        raise LexbeamError(_unknown(snapshot, word))
    return table


def _view(snapshot: Snapshot) -> _View:
    section = snapshot.section("change")
    options = ViewOptions(**section["view"])
    targets = load_targets(section["targets"], options) if section["targets"] else Targets()
    return _View(options, tuple(Slice(*row) for row in section["slices"]), targets)


def _slices(view: _View, only: str | None) -> list[str]:
    names = [slice.name for slice in view.slices]
    if only is not None and only not in names:
        hint = nearest(only, names) or f"; there are {', '.join(names)}"
        raise UsageError(f"no slice {only!r}{hint}")
    return [only] if only else names


def tell_word(snapshot: Snapshot, options: WordOptions) -> Iterator[str]:
    """Yield what is known of a word: counts, scores, neighbours, sentences."""
    view = _view(snapshot)
    places = [open_snapshot(place) for place in options.corpus]
    if not places and "sentences" in snapshot.tables:
        places = [snapshot]
    for place in places:
        place.paths("sentences")  # to fail before anything is told
    wanted = _slices(view, options.slice)
    word = normalise_word(options.word, view.options)
    scores = _of_word(snapshot, "scores", word)
    vectors = _of_word(snapshot, "vectors", word, ("slice", "seed", "word", "count", "documents"))
    if not scores and not vectors:
        raise LexbeamError(_unknown(snapshot, word))
    yield f"{word}\n\ncounts:"
    for name in wanted:
        row = next((row for row in vectors if row["slice"] == name), None)
        told = f"{row['count']} uses in {row['documents']} documents" if row else "no vector"
        yield f"  {name}: {told}"
    yield "\nscores (mean over seeds):"
    shown = [
        row for row in scores
        if row["seed"] is None and {row["slice_from"], row["slice_to"]} & set(wanted)
    ]  # fmt: skip
    if not shown:
        yield "  none: a score needs a vector in both slices (option min-count)"
    for row in shown:
        told = row["reason"] if row["score"] is None else _told(row)
        pair = f"{row['slice_from']} to {row['slice_to']}"
        yield f"  {pair}, {row['alignment']} {row['measure']}: {told}"
    section = snapshot.section("change")
    yield f"\nneighbours (seed {section['seeds'][0]}):"
    for name in wanted:
        yield f"  {name}: {', '.join(_neighbours(snapshot, word, name, section))}"
    yield from _sentences(word, wanted, view, options.seed, places)


def _told(row: dict[str, Any]) -> str:
    spread = "" if row["score_sd"] is None else f" (sd {row['score_sd']:.2g})"
    verdict = "" if row["changed"] is None else (", changed" if row["changed"] else ", not changed")
    return f"{row['score']:.4g}{spread}{verdict}"


def _of_word(
    snapshot: Snapshot, table: str, word: str, columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    found = []
    for rows in read_rows(snapshot.paths(table), columns):
        found.extend(rows.filter(pc.equal(rows["word"], word)).to_pylist())
    return found


def _unknown(snapshot: Snapshot, word: str) -> str:
    vocabulary: set[str] = set()
    for rows in read_rows(snapshot.paths("vectors"), ["word"]):
        vocabulary.update(rows["word"].to_pylist())
    near = near_matches([word], sorted(vocabulary))[word]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"no word {word!r} in the tables at {snapshot.out!r}{hint}"


def _neighbours(snapshot: Snapshot, word: str, name: str, section: dict[str, Any]) -> list[str]:
    found = _in_slice(snapshot, word, name, section["seeds"][0], LISTED)
    return ["(no vector)"] if found is None else found["neighbour"].to_pylist()


def _in_slice(snapshot: Snapshot, word: str, name: str, seed: int, most: int) -> pa.Table | None:
    """Return a word's neighbours in a slice, as published or else looked for; None: no vector."""
    for rows in read_rows(snapshot.paths("neighbours")):
        rows = rows.filter(pc.and_(pc.equal(rows["word"], word), pc.equal(rows["slice"], name)))
        rows = rows.filter(pc.equal(rows["seed"], seed))
        if rows.num_rows >= most:
            return rows.slice(0, most)
    space = load_space(snapshot.paths("vectors"), name, seed)
    if word not in space.words:
        return None
    least = snapshot.section("change")["options"]["neighbour-min-count"]
    return neighbours_table(name, seed, space, [word], k=most, min_count=least)


def neighbours_of(snapshot: Snapshot, options: NeighbourViewOptions) -> pa.Table:
    """Return a word's nearest neighbours in the slices, in the columns of table `neighbours`.

    Raises:
        UsageError: no slice is called so.
        LexbeamError: the word has a vector in none of them.
    """
    view = _view(snapshot)
    word = normalise_word(options.neighbours, view.options)
    seed = (
        snapshot.section("change")["seeds"][0]
        if options.training_seed is None
        else options.training_seed
    )
    tables = [
        found
        for name in _slices(view, options.slice)
        if (found := _in_slice(snapshot, word, name, seed, options.n)) is not None
    ]
    if not tables:
        raise LexbeamError(_unknown(snapshot, word))
    return pa.concat_tables(tables, promote_options="default")


def _sentences(
    word: str, names: Sequence[str], view: _View, seed: int, places: Sequence[Snapshot]
) -> Iterator[str]:
    if not places:
        for name in names:
            yield f"\nsentences, {name}: none here; name its folder (option corpus)"
        return
    drawn = draw_examples(
        [Corpus.published(place) for place in places],
        token_of(word, view.targets),
        view.options,
        [slice for slice in view.slices if slice.name in names],
        seed=seed,
        most=EXAMPLES,
    )
    for name, examples in zip(names, drawn, strict=True):
        yield f"\nsentences, {name}:"
        for example in examples:
            yield f"  [{example.source}, {example.year}] {example.text}"
