"""Splits of labelled instances: no token in two of them, genres and complexities alike; and their tables.

A method is a function of the instances of one kind, the shares and the options; single words and
multi-word expressions are split apart. Tokens are compared case-folded, by their hashes. Nothing
depends on the order of rows: groups are ordered by complexity and by hashes that the seed stirs.

For each instance 70 bytes are held: its id (36), hashes of the case-folded target and of the sentence
(8 each), genre (8), complexity (8), kind and whether it repeats another (2). Text is read a row group
at a time; while labels are joined to instances, their ids and values are held as well.

A stratum is what a split has of a kind and a genre, or of all kinds, or of all genres. Where splits are
made kind by kind, leaks between the kinds show in the strata of all kinds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import KINDS, SPLITS, STRATA
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.balancing import Floats, Ints
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.draws.folds import Oversized, components
from lexbeam.transforms.common.draws.splits import (
    Shares,
    deal,
    deal_alike,
    distances,
    kept_splits,
    parse_shares,
    pattern,
)
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, UsageError
from lexbeam.transforms.common.options.fields import option

Hashes = npt.NDArray[np.uint64]

NO_SENTENCE = np.uint64(0)  # instead of the hash of a sentence


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """How labelled instances are split."""

    method: str = option(
        "balanced",
        help="how instances are split",
        choices="lexbeam.transforms.complexity.labels.label_splits:SPLIT_METHODS",
    )
    shares: tuple[str, ...] = option(
        ("train=.85", "trial=.05", "test=.10"),
        help="splits and their shares of the instances",
        metavar="NAME=SHARE",
        check=parse_shares,
    )
    seed: int = option(1, help="other seeds give other splits")
    one_sentence: bool = option(
        False,
        help="balanced: no sentence in two splits either; a group connected by tokens and "
        "sentences that is too large goes to the largest split",
    )
    bands: int = option(
        256, help="balanced: bands of complexity that are distinguished, if labels have more values", least=2, most=4096
    )
    duplicates: str = option(
        "keep",
        help="instances that repeat another's target and sentence: split like the others, or left out of all splits",
        choices=("keep", "leave-out"),
    )


class Instances(NamedTuple):
    """Labelled instances of one kind.

    Attributes:
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` for none.
        genre: place among the genres in sorted order (without one: the last), int64.
        complexity: float64, no nan.
        kept: place among the shares of the split that each keeps, int64; -1: it is dealt out.
    """

    token: Hashes
    sentence: Hashes
    genre: Ints
    complexity: Floats
    kept: Ints


class DealtSplits(NamedTuple):
    """Splits of instances.

    Attributes:
        split: place among the shares, int64.
        too_large: groups that went to the largest split because of their size, largest first.
    """

    split: Ints
    too_large: tuple[Oversized, ...] = ()


def _literally(token: Hashes, complexity: Floats, kept: Ints, shares: Shares, seed: int) -> tuple[Hashes, Ints]:
    """Return tokens in ascending order and their splits, by the paper's rule; those of rows that keep one are kept."""
    tokens, of = np.unique(token, return_inverse=True)
    least = np.full(len(tokens), np.inf)
    np.minimum.at(least, of, complexity)
    ties = numbers(tokens, seed=seed, label="complexity/split ties")
    split = kept_splits(of, kept, len(tokens))
    order = np.lexsort((ties, least))
    free = order[split[order] < 0]
    split[free] = deal(len(free), pattern(shares), len(order) - len(free))
    return tokens, split


def paper(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split as in Shardlow et al. (2021), section 4, genre by genre.

    The instances of a genre are grouped by token, groups sorted by the complexity of their least
    complex instance (ties by the hash of the token), and dealt out in blocks, see `pattern` and
    `deal`. A token of two genres may get two splits.
    """
    split = np.zeros(len(rows.token), np.int64)
    for genre in np.unique(rows.genre):
        of_genre = np.flatnonzero(rows.genre == genre)
        held = rows.token[of_genre], rows.complexity[of_genre], rows.kept[of_genre]
        tokens, dealt = _literally(*held, shares, options.seed)
        split[of_genre] = dealt[np.searchsorted(tokens, rows.token[of_genre])]
    return DealtSplits(split)


def paper_global(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split like `paper`, but put all instances of a token where those of its first genre are, in sorted order.

    All groups of a genre are dealt out, even those whose token gets its split from another genre.
    """
    tokens, of = np.unique(rows.token, return_inverse=True)
    literal = paper(rows, shares, options).split
    order = np.lexsort((rows.genre, of))
    first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
    kept = kept_splits(of, rows.kept, len(tokens))
    return DealtSplits(np.where(kept < 0, literal[first], kept)[of])


def balanced(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split so that genres and complexities are alike and no token is in two splits.

    Groups of instances (tokens; with `one_sentence` those connected by tokens and sentences)
    are dealt out by `deal_alike`. Groups too large for that are reported.
    """
    if not len(rows.token):
        return DealtSplits(np.zeros(0, np.int64))
    names, of, called = _groups(rows, whole_sentences=options.one_sentence)
    kept = kept_splits(of, rows.kept, len(names))
    dealt = deal_alike(
        names, of, rows.genre, rows.complexity, shares, bands=options.bands, seed=options.seed, kept=kept
    )
    sizes = np.bincount(of)
    large = sorted(np.flatnonzero(dealt.fixed).tolist(), key=lambda group: (-sizes[group], group))
    too_large = (Oversized(called(group), int(sizes[group]), float(sizes[group] / len(of))) for group in large)
    return DealtSplits(dealt.split[of], tuple(too_large))


def _groups(rows: Instances, *, whole_sentences: bool) -> tuple[Hashes, Ints, Callable[[int], str]]:
    """Return hashes of groups, ascending, the group of each row, and a function that names a group."""
    if not whole_sentences:
        tokens, of = np.unique(rows.token, return_inverse=True)
        return tokens, of.astype(np.int64), lambda group: f"token {tokens[group]:016x}"
    sentence = pa.array(rows.sentence, mask=rows.sentence == NO_SENTENCE)
    joined = components({"token": pa.array(rows.token), "sentence": sentence})
    hashes = content_hashes(joined.names)
    order = np.argsort(hashes, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return hashes[order], place[joined.of_row], lambda group: f"component {hashes[order[group]]:016x}"


@dataclass(frozen=True)
class SplitMethod(Entry):
    """A method of splitting: a function of instances, shares and options."""

    deal: Callable[[Instances, Shares, SplitOptions], DealtSplits]


SPLIT_METHODS: Registry[SplitMethod] = Registry(
    {
        "paper": SplitMethod(paper, doc="as the shared task's paper says, genre by genre"),
        "paper-global": SplitMethod(paper_global, doc="the same, a token staying in the split of its first genre"),
        "balanced": SplitMethod(balanced, doc="genres and complexities made alike by swaps, no token in two splits"),
    },
    what="method",
    group="lexbeam.split_methods",
)


# The columns of complexity/instances and complexity/labels that are read.
COLUMNS = ("instance_id", "kind", "token", "genre", "sentence", "duplicate_of")
LABEL_COLUMNS = ("instance_id", "group", "complexity")
NO_LABEL, DUPLICATE = "no_label", "duplicate"


class SplitInstances(NamedTuple):
    """Instances in memory, sorted by id.

    Attributes:
        ids: string array.
        kind: place of each one's kind among `KINDS`, int8.
        genre: place of each one's genre in `genres`, int64.
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` for none.
        duplicate: whether it repeats another.
        complexity: float64; nan for none.
        genres: the genres in sorted order, and None at the end if some instances have none.
    """

    ids: pa.Array
    kind: npt.NDArray[np.int8]
    genre: Ints
    token: npt.NDArray[np.uint64]
    sentence: npt.NDArray[np.uint64]
    duplicate: npt.NDArray[np.bool_]
    complexity: Floats
    genres: tuple[str | None, ...]


class SplitTables(NamedTuple):
    """The tables made by splitting.

    Attributes:
        splits: rows of complexity/splits.
        strata: rows of complexity/strata.
        too_large: by kind, groups that went to the largest split because of their size.
    """

    splits: pa.Table
    strata: pa.Table
    too_large: dict[str, tuple[Oversized, ...]]


def check_options(options: SplitOptions) -> None:
    """Refuse options that the method ignores.

    Raises:
        UsageError: `one_sentence` with another method than balanced.
    """
    if options.one_sentence and options.method != "balanced":
        raise UsageError(f"`one_sentence` is for `method` balanced: {options.method} considers tokens only")


def hold(instances: Iterable[pa.Table], labels: Iterable[pa.Table]) -> SplitInstances:
    """Return instances and their labels by all annotators, in memory.

    Args:
        instances: the row groups of the table, with `COLUMNS`, in any order.
        labels: the row groups of the table of labels, with `LABEL_COLUMNS`.

    Raises:
        LexbeamError: two instances have the same id, or an instance has two labels.
    """
    ids, kinds, genres, tokens, sentences, repeated = [], [], [], [], [], []
    for rows in instances:
        ids += rows["instance_id"].chunks
        kinds += pc.index_in(rows["kind"], value_set=pa.array(KINDS)).cast(pa.int8()).chunks
        genres += rows["genre"].chunks
        tokens.append(content_hashes([text.casefold() for text in rows["token"].to_pylist()]))
        sentences.append(_sentence_hashes(rows["sentence"]))
        repeated += pc.is_valid(rows["duplicate_of"]).chunks
    named = pa.chunked_array(ids, pa.string()).combine_chunks()
    order = pc.sort_indices(named)
    named, at = named.take(order), order.to_numpy()
    _check_ids(named, "table complexity/instances")
    coded = pa.chunked_array(genres, pa.string()).combine_chunks().dictionary_encode()
    named_genres = sorted(coded.dictionary.to_pylist())
    places = np.array([named_genres.index(genre) for genre in coded.dictionary.to_pylist()] + [len(named_genres)])
    genre = places[pc.fill_null(coded.indices, len(named_genres)).to_numpy()]
    return SplitInstances(
        ids=named,
        kind=pa.chunked_array(kinds, pa.int8()).to_numpy()[at],
        genre=genre.astype(np.int64)[at],
        token=np.concatenate([np.zeros(0, np.uint64), *tokens])[at],
        sentence=np.concatenate([np.zeros(0, np.uint64), *sentences])[at],
        duplicate=pa.chunked_array(repeated, pa.bool_()).to_numpy()[at],
        complexity=_complexities(named, labels),
        genres=(*named_genres, None) if coded.null_count else tuple(named_genres),
    )


def _sentence_hashes(sentences: pa.ChunkedArray) -> npt.NDArray[np.uint64]:
    known = pc.is_valid(sentences).to_numpy()
    hashes = np.full(len(sentences), NO_SENTENCE)
    hashes[known] = np.maximum(content_hashes(sentences.drop_null()), 1)
    return hashes


def _check_ids(ids: pa.Array, where: str) -> None:
    """Refuse sorted ids that repeat one."""
    same = pc.equal(ids[1:], ids[:-1])
    if len(ids) > 1 and pc.any(same).as_py():
        doubled = ids[pc.index(same, True).as_py()].as_py()
        raise LexbeamError(f"{where} has instance {doubled!r} twice: make it anew")


def _complexities(ids: pa.Array, labels: Iterable[pa.Table]) -> Floats:
    names, values = [], []
    for rows in labels:
        rows = rows.filter(pc.equal(rows["group"], ""))
        names += rows["instance_id"].chunks
        values += rows["complexity"].chunks
    known = pa.chunked_array(names, pa.string()).combine_chunks()
    _check_ids(known.take(pc.sort_indices(known)), "table complexity/labels")
    places = pc.index_in(ids, value_set=known)
    complexities = pa.chunked_array(values, pa.float64()).combine_chunks().take(places)
    return np.array(pc.fill_null(complexities, np.nan).to_numpy(zero_copy_only=False))


def split(held: SplitInstances, options: SplitOptions, kept: pa.Table | None = None) -> SplitTables:
    """Split instances kind by kind, and measure how alike the splits are.

    Args:
        held: the instances.
        options: how they are split.
        kept: rows of complexity/splits: instances that are there stay in their splits, others of their tokens follow
            them, and the rest is dealt out by the rule; None: all are dealt out.

    Raises:
        NoDataError: no instance has a label.
        LexbeamError: a split that is kept is not among the shares.
    """
    shares = parse_shares(options.shares)
    before = _kept(held.ids, shares, kept)
    inside = np.isfinite(held.complexity)
    if not inside.any():
        raise NoDataError("no splits: no instance has a complexity")
    reasons = np.where(inside, "", NO_LABEL).astype(object)
    if options.duplicates == "leave-out":
        reasons[inside & held.duplicate] = DUPLICATE
        inside &= ~held.duplicate
    places = np.full(len(inside), -1, np.int64)
    too_large: dict[str, tuple[Oversized, ...]] = {}
    for number, kind in enumerate(KINDS):
        of_kind = np.flatnonzero(inside & (held.kind == number))
        if len(of_kind):
            rows = Instances(
                held.token[of_kind],
                held.sentence[of_kind],
                held.genre[of_kind],
                held.complexity[of_kind],
                before[of_kind],
            )
            dealt = SPLIT_METHODS[options.method].deal(rows, shares, options)
            places[of_kind] = np.where(rows.kept < 0, dealt.split, rows.kept)
            too_large[kind] = dealt.too_large
    names = pa.array([*shares.names, None], pa.string())
    rows = pa.table(
        {
            "instance_id": held.ids,
            "split": names.take(pa.array(places % len(names))),
            "method": pa.array([options.method] * len(places), pa.string()),
            "reason": pa.array(reasons, pa.string(), mask=reasons == ""),
        },
        schema=SPLITS.schema(),
    )
    placed = PlacedInstances(
        held.kind.astype(np.int64), held.genre, held.token, held.sentence, held.complexity, places, KINDS, held.genres
    )
    return SplitTables(rows, strata(placed, shares, options.method), too_large)


def _kept(ids: pa.Array, shares: Shares, kept: pa.Table | None) -> Ints:
    """Return of each instance the place of the split that it keeps; -1: none."""
    if kept is None:
        return np.full(len(ids), -1, np.int64)
    kept = kept.filter(pc.is_valid(kept["split"]))
    unknown = sorted({*pc.unique(kept["split"]).to_pylist()} - {*shares.names})
    if unknown:
        raise LexbeamError(
            f"`splits_from`: instances are in split {', '.join(unknown)}, which `shares` does not have: name the same "
            "splits, or split anew without it"
        )
    places = pc.index_in(kept["split"], value_set=pa.array(shares.names, pa.string()))
    at = pc.index_in(ids, value_set=kept["instance_id"].combine_chunks())
    found: Ints = pc.fill_null(places.combine_chunks().take(at), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


class PlacedInstances(NamedTuple):
    """Instances with their splits.

    Attributes:
        kind: place of each one's kind in `kinds`.
        genre: place of each one's genre in `genres`.
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` for none.
        complexity: float64; nan for none.
        split: place among the shares; -1 for none.
        kinds: the kinds.
        genres: the genres, None for instances without one.
    """

    kind: Ints
    genre: Ints
    token: Hashes
    sentence: Hashes
    complexity: Floats
    split: Ints
    kinds: Sequence[str]
    genres: Sequence[str | None]


def shared(keys: Hashes, split: Ints, splits: int) -> Ints:
    """Return for each split how many of its distinct keys are also in another split."""
    pairs = np.unique(np.stack([keys, split.astype(np.uint64)], axis=1), axis=0)
    first = np.flatnonzero(np.append(True, pairs[1:, 0] != pairs[:-1, 0])[: len(pairs)])
    times = np.repeat(np.diff(np.append(first, len(pairs))), np.diff(np.append(first, len(pairs))))
    return np.bincount(pairs[times > 1, 1].astype(np.int64), minlength=splits)


def strata(placed: PlacedInstances, shares: Shares, method: str) -> pa.Table:
    """Return the rows of `complexity/strata`: every stratum with an instance in some split."""
    inside = np.flatnonzero(placed.split >= 0)
    rows = [
        row
        for kind, genre, members in _sets(placed, inside)
        for row in _rows(placed, members, shares, {"method": method, "kind": kind, "genre": genre})
    ]
    schema = STRATA.schema()
    wholes = {(row["kind"], row["split"]): row["rows"] for row in rows if row["genre"] == ""}
    totals = {kind: sum(n for (k, _), n in wholes.items() if k == kind) for kind, _ in wholes}
    sums: dict[tuple[str, str | None], int] = {}
    for row in rows:
        key = row["kind"], row["genre"]
        sums[key] = sums.get(key, 0) + row["rows"]
    for row in rows:
        split = wholes[row["kind"], row["split"]]
        row["of_split"] = row["rows"] / split if split else None
        row["of_all"] = sums[row["kind"], row["genre"]] / totals[row["kind"]]
    return pa.Table.from_pylist(rows, schema)


def _sets(placed: PlacedInstances, inside: Ints) -> Iterator[tuple[str, str | None, Ints]]:
    """Yield kind, genre and rows: all kinds first (if there are several), then each."""
    kinds = np.unique(placed.kind[inside]).tolist()
    for kind in ([None] if len(kinds) > 1 else []) + kinds:
        members = inside if kind is None else inside[placed.kind[inside] == kind]
        name = "" if kind is None else placed.kinds[kind]
        yield name, "", members
        genres = np.unique(placed.genre[members]).tolist()
        if [placed.genres[genre] for genre in genres] != [None]:
            for genre in genres:
                yield name, placed.genres[genre], members[placed.genre[members] == genre]


def _rows(placed: PlacedInstances, members: Ints, shares: Shares, keys: dict[str, object]) -> Iterator[dict[str, Any]]:
    many = len(shares.names)
    split, values = placed.split[members], placed.complexity[members]
    apart = distances(values, split, many)
    tokens = shared(placed.token[members], split, many)
    has_sentence = placed.sentence[members] != NO_SENTENCE
    sentences = shared(placed.sentence[members][has_sentence], split[has_sentence], many)
    for place, (name, wanted) in enumerate(zip(shares.names, shares.values, strict=True)):
        held = np.sort(values[split == place])
        others = np.delete(apart[place], place)
        far = None if np.isnan(others).all() else int(np.nanargmax(others))
        yield keys | {
            "split": name,
            "rows": len(held),
            "share": len(held) / len(members),
            "wanted": wanted,
            "mean": float(held.mean()) if len(held) else None,
            "sd": float(held.std(ddof=1)) if len(held) > 1 else None,
            "quantiles": np.quantile(held, np.arange(21) / 20).tolist() if len(held) else None,
            "distance": None if far is None else float(others[far]),
            "farthest": None if far is None else np.delete(shares.names, place)[far],
            "shared_tokens": int(tokens[place]),
            "shared_sentences": int(sentences[place]),
        }
