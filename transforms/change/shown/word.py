"""Words in published change tables: which of the named words they have, with scores and neighbours."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.change.scores.evidence_rows import EVIDENCE
from lexbeam.transforms.change.scores.measures import FREQUENCY
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.shown.examples import (
    ORDERS,
    TYPICAL,
    Drawing,
    TrainingView,
    UseFacts,
    corpora_of,
    training_view,
    uses_of,
)
from lexbeam.transforms.change.shown.ranking_rows import (
    NO_NULL,
    chosen_kind,
    near_words,
    noise,
    null_band,
    pair_facts,
    pairs_of,
    score_text,
    why_no_score,
    why_unknown,
)
from lexbeam.transforms.change.shown.rankings import neighbours_by_slice
from lexbeam.transforms.change.shown.verdict import comparability_warnings, shift_warnings, size_warnings
from lexbeam.transforms.change.view.slices import with_hyphens
from lexbeam.transforms.change.view.words import normalise_word
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, Kwic, Use, columns_with, number
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


_SCORE_FACTS = (
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
    *EVIDENCE,
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
    for rows in rows_about(snapshot, "scores", words, _SCORE_FACTS):
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


_COUNTS = (("slice", "<"), ("uses", ">"), ("per million", ">"), ("documents", ">"), ("", "<"))
_SCORES = (
    ("slices", "<"),
    ("alignment", "<"),
    ("measure", "<"),
    ("score", ">"),
    ("training noise", ">"),
    ("null band", ">"),
    ("q usage differs", ">"),
    ("q more than the vocabulary at large", ">"),
    ("", "<"),
)


def tell_words(snapshot: Snapshot, options: WordOptions | WordsOptions) -> Iterator[Block]:
    """Yield what is known of words: counts, scores, neighbours over all seeds, uses in context.

    Raises:
        UsageError: no slice is called so, or the file of words cannot be read.
        LexbeamError: no table has any of the words.
    """
    facts = facts_of(snapshot, options)
    seeds = len(snapshot.section("change")["seeds"])
    for missing_word in facts["missing"]:
        near = f"; did you mean {', '.join(missing_word['near'])}?" if missing_word["near"] else ""
        yield f"no word {missing_word['word']!r} in the tables{near}"
    if facts["missing"]:
        yield f"  {why_unknown(snapshot)}"
    for place, word in enumerate(facts["words"]):
        if place or facts["missing"]:
            yield ""
        yield from _word(word, seeds)
        yield from _uses(word, options, facts)
    if facts["words"]:
        yield from _warnings(snapshot)
    for note in facts["notes"]:
        yield ""
        yield f"note: {note}"


def _warnings(snapshot: Snapshot) -> Iterator[str]:
    """Tell where pairs of slices differ as wholes, allow no finding, or have no null."""
    kind = chosen_kind(snapshot)
    for pair in pairs_of(snapshot):
        facts = pair_facts(snapshot, pair, *kind)
        name = f"{pair[0]} to {pair[1]}"
        if facts.get("null_runs") == 0:
            yield f"\nwarning: {name}: {NO_NULL}"
        warnings = (*shift_warnings(name, facts), *comparability_warnings(name, facts), *size_warnings(name, facts))
        for warning in warnings:
            yield f"\nwarning: {warning}"


def _word(word: WordProfile, seeds: int) -> Iterator[Block]:
    tags = ", ".join(dict.fromkeys(word["upos"].values()))
    about = [text for text in ("target" if word["target"] else "", tags) if text]
    yield word["word"] + (f" ({', '.join(about)})" if about else "")
    yield "\ncounts:"
    yield columns_with(_COUNTS, [_count(row) for row in word["counts"]], 2)
    yield f"\nscores{' (mean over seeds)' if seeds > 1 else ''}:"
    uses = {row["slice"]: row["count"] for row in word["counts"]}
    if word["scores"]:
        yield columns_with(_SCORES, [_score(row, uses) for row in word["scores"]], 2)
        if any(row["measure"] == FREQUENCY for row in word["scores"]):
            yield "  frequency: difference of uses per million tokens"
    else:
        yield "  none: a score needs a vector in both slices (option `min_count`)"
    what = f"mean cosine over {seeds} seeds" if seeds > 1 else "cosine"
    yield f"\nnearest neighbours ({what}):"
    slices = [row["slice"] for row in word["counts"]]
    yield columns_with((("slice", "<"), ("neighbours", "<")), [_neighbours(word, name) for name in slices], 2)


def _count(row: SliceUses) -> list[str]:
    rate = "" if row["relative"] is None else f"{1e6 * row['relative']:.1f}"
    none = "" if row["vector"] else "no vector"
    return [row["slice"], str(row["count"]), rate, str(row["documents"]), none]


def _score(row: Row, uses: dict[str, int]) -> list[str]:
    verdict = "above the threshold" if row.get("changed") else ""
    return [
        f"{row['slice_from']} to {row['slice_to']}",
        row["alignment"],
        row["measure"],
        score_text(row, "score"),
        noise(row),
        null_band(row),
        number(row.get("q_value")),
        number(row.get("q_relative")),
        why_no_score(row["reason"], uses.get(row["slice_to"])) if row["score"] is None else verdict,
    ]


def _neighbours(word: WordProfile, name: str) -> list[str]:
    near = [row for row in word["neighbours"] if row["slice"] == name]
    text = ", ".join(f"{row['neighbour']} {row['cosine']:.2f}" for row in near)
    return [name, text or "-"]


def _uses(word: WordProfile, options: WordOptions | WordsOptions, facts: WordProfiles) -> Iterator[Block]:
    look = options.look
    if not look.examples or (facts["notes"] and not word["uses"]):
        return
    for name in (row["slice"] for row in word["counts"]):
        uses = [row for row in word["uses"] if row["slice"] == name]
        if uses:
            yield f"\nuses, {name} ({ORDERS[look.order].doc}; at most two of a document):"
            yield Kwic(tuple(Use(row["left"], row["target"], row["right"], where(row)) for row in uses))
        else:
            yield f"\nuses, {name}: none"


def where(use: UseFacts) -> str:
    """Return where a use is: author, title and year; the source where both names are missing."""
    named = [name for name in (use["author"], use["title"]) if name] or [use["source"]]
    return f"{', '.join(named)}, {use['year']}"
