"""Words in published change tables: which of the named words they have, with scores and neighbours."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.change.shown.cells import near_words, why_unknown
from lexbeam.transforms.change.shown.examples import ORDERS, TYPICAL
from lexbeam.transforms.change.shown.rankings import neighbours_by_slice
from lexbeam.transforms.change.shown.uses import TrainingView, training_view
from lexbeam.transforms.change.view.slices import with_hyphens
from lexbeam.transforms.change.view.words import normalise_word
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.embeddings.neighbours import Neighbour, neighbours_table
from lexbeam.transforms.embeddings.published import first_variant, load_space

log = logging.getLogger("lexbeam")

NEIGHBOURS_LISTED = 10  # neighbours of a word


@dataclass(frozen=True, kw_only=True)
class WordViewOptions:
    """What is shown of a word."""

    slice: str | None = option(None, help="only this slice", metavar="S", stands_for=with_hyphens)
    examples: int = option(10, help="uses of a word in each slice", least=0, most=1000)
    order: str = option(TYPICAL, help="which uses are shown", choices=ORDERS)
    seed: int = option(0, help="which uses are drawn")
    corpus: tuple[str, ...] = option(
        (),
        help="corpus folders to take uses from, if not those that the tables were made from",
        metavar="DIR",
        path="place",
    )


@dataclass(frozen=True, kw_only=True)
class WordOptions:
    """Options of the view `word`."""

    word: tuple[str, ...] = option(help="show these words", metavar="W")
    look: WordViewOptions = embedded(WordViewOptions)


@dataclass(frozen=True, kw_only=True)
class WordsOptions:
    """Options of the view `words`."""

    words: str = option(help="show the words of this file, one a line", metavar="FILE", path="file", data="words")
    look: WordViewOptions = embedded(WordViewOptions)


@dataclass(frozen=True, kw_only=True)
class NeighbourViewOptions:
    """Options of the view `neighbours`."""

    neighbours: str = option(help="list the neighbours of this word", metavar="W")
    slice: str | None = option(None, help="only this slice", metavar="S", stands_for=with_hyphens)
    training_seed: int | None = option(None, help="by the vectors of this seed; else by the mean cosine over all seeds")
    n: int = option(NEIGHBOURS_LISTED, help="neighbours in each slice", least=1)


def scores_of(snapshot: Snapshot, options: WordOptions | WordsOptions) -> pa.Table:
    """Return the rows of table `scores` about words; words that no table has are logged.

    Raises:
        UsageError: no slice is called so, or the file of words cannot be read.
        LexbeamError: no table has any of the words.
    """
    view = training_view(snapshot)
    names = slice_names(view, options.look.slice)
    there, missing = look_up_words(snapshot, options, view)
    for line in _unknown(snapshot, missing):
        log.warning("%s", line)
    tables = []
    for rows in read_rows(snapshot.paths("scores")):
        same = pc.is_in(rows["word"], value_set=pa.array(there, pa.string()))
        if options.look.slice:
            sides = [
                pc.is_in(rows[name], value_set=pa.array(names, pa.string())) for name in ("slice_from", "slice_to")
            ]
            same = pc.and_(same, pc.or_(*sides))
        tables.append(rows.filter(same))
    return pa.concat_tables(tables)


def slice_names(view: TrainingView, only: str | None) -> list[str]:
    """Return the names of all slices, or only this one.

    Raises:
        UsageError: no slice is called so.
    """
    names = [slice.name for slice in view.slices]
    if only is not None and only not in names:
        hint = nearest(only, names) or f"; there are {', '.join(names)}"
        raise UsageError(f"no slice {only!r}{hint}")
    return [only] if only else names


def look_up_words(
    snapshot: Snapshot, options: WordOptions | WordsOptions, view: TrainingView
) -> tuple[list[str], list[str]]:
    """Return the words that the options name, each once: those that a table has, and the others.

    Raises:
        UsageError: the options name no word.
        LexbeamError: no table has any of the words.
    """
    if isinstance(options, WordsOptions):
        texts = word_lines(options.words, "words")
    else:
        texts = list(options.word)
    words = list(dict.fromkeys(normalise_word(text, view.options) for text in texts if text))
    if not words:
        name = "words" if isinstance(options, WordsOptions) else "word"
        raise UsageError(f"`{name}`: it names no word")
    known: set[str] = set()
    for table in ("scores", "vectors"):
        for rows in rows_about(snapshot, table, words, ("word",)):
            known.update(rows["word"].to_pylist())
    missing = [word for word in words if word not in known]
    if len(missing) == len(words):
        raise LexbeamError(_none_of(snapshot, missing))
    return [word for word in words if word in known], missing


def rows_about(snapshot: Snapshot, table: str, words: Collection[str], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows about words, in those of the columns that the table has."""
    paths = snapshot.paths(table)
    with files.open_read(paths[0]) as stream:
        there = pq.read_schema(stream).names
    wanted = pa.array(list(words), pa.string())
    for rows in read_rows(paths, [name for name in columns if name in there]):
        yield rows.filter(pc.is_in(rows["word"], value_set=wanted))


def _unknown(snapshot: Snapshot, words: Sequence[str]) -> Iterator[str]:
    near = near_words(snapshot, words)
    for word in words:
        hint = f"; did you mean {', '.join(near[word])}?" if near[word] else "; give a lemma of the texts"
        yield f"no word {word!r} in the tables at {snapshot.out!r}{hint}"


def _none_of(snapshot: Snapshot, words: Sequence[str]) -> str:
    return f"{'; '.join(_unknown(snapshot, words))}\n{why_unknown(snapshot)}"


def neighbours_of(snapshot: Snapshot, options: NeighbourViewOptions) -> pa.Table:
    """Return a word's nearest neighbours in the slices, in the columns of table `neighbours`.

    Without a seed the cosine is the mean over all seeds, and `seed` is null.

    Raises:
        UsageError: no slice is called so, or no seed was trained.
        LexbeamError: the word has a vector in none of them.
    """
    view = training_view(snapshot)
    word = normalise_word(options.neighbours, view.options)
    names = slice_names(view, options.slice)
    seed = options.training_seed
    known = snapshot.section("change")["seeds"]
    if seed is not None and seed not in known:
        raise UsageError(f"`training_seed`: there are {', '.join(map(str, known))}, not {seed}")
    if seed is None:
        near = neighbours_by_slice(snapshot, {name: [word] for name in names}, options.n)
        tables = [_mean_rows(word, name, near.get((name, word))) for name in names]
    else:
        tables = [_of_seed(snapshot, word, name, seed, options.n) for name in names]
    tables = [table for table in tables if table is not None]
    if not tables:
        raise LexbeamError(_none_of(snapshot, [word]))
    return pa.concat_tables(tables, promote_options="default")


def _mean_rows(word: str, name: str, near: Sequence[Neighbour] | None) -> pa.Table | None:
    if near is None:
        return None
    return pa.table(
        {
            "word": [word] * len(near),
            "slice": [name] * len(near),
            "seed": pa.nulls(len(near), pa.int32()),
            "rank": pa.array(range(1, len(near) + 1), pa.int32()),
            "neighbour": pa.array([neighbour.word for neighbour in near], pa.string()),
            "cosine": pa.array([neighbour.cosine for neighbour in near], pa.float64()),
        }
    )


def _of_seed(snapshot: Snapshot, word: str, name: str, seed: int, most: int) -> pa.Table | None:
    variant = first_variant(snapshot)
    space = load_space(snapshot.paths("vectors"), name, seed, variant=variant)
    if word not in space.words:
        return None
    least = snapshot.section("change")["options"]["neighbour-min-count"]
    return neighbours_table(name, seed, space, [word], k=most, min_count=least, variant=variant)
