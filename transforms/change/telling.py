"""What a person reads at the end of a change run: targets not found, the most changed words."""

from collections.abc import Iterator, Mapping

import pyarrow.compute as pc

from transforms.change.scoring import rankings
from transforms.change.targets import near_matches
from transforms.common.snapshots import Snapshot
from transforms.common.tables import read_rows, read_table

__all__ = ["missing_targets", "ranking"]

SHOWN = 10
NEIGHBOURS_SHOWN = 5


def missing_targets(snapshot: Snapshot) -> Iterator[str]:
    """Name the targets that no slice has, each with words that may be meant."""
    targets = snapshot.section("change")["targets"]
    if not targets:
        return
    found: set[str] = set()
    columns = ["word", "target", "count_from", "count_to"]
    for rows in read_rows(snapshot.paths("scores"), columns):
        used = pc.or_(pc.greater(rows["count_from"], 0), pc.greater(rows["count_to"], 0))
        found.update(rows.filter(pc.and_(rows["target"], used))["word"].to_pylist())
    missing = [word for word in targets if word not in found]
    if not missing:
        return
    vocabulary: set[str] = set()
    for rows in read_rows(snapshot.paths("vectors"), ["word"]):
        vocabulary.update(rows["word"].to_pylist())
    near = near_matches(missing, sorted(vocabulary))
    for word in missing:
        hint = f"; the corpus has {', '.join(near[word])}" if near[word] else ""
        yield f"target {word!r} was not found in any slice{hint}"


def ranking(snapshot: Snapshot) -> Iterator[str]:
    """Tell the most changed words of every pair, by the first alignment, with neighbours."""
    section = snapshot.section("change")
    options, seeds = section["options"], section["seeds"]
    neighbours = _neighbours(snapshot, seeds[0])
    for path in snapshot.paths("scores"):  # a part is a pair of slices
        rows = read_table([path])
        tops = rankings(rows, options["alignment"], options["measure"], SHOWN)
        top = next(tops, None)
        if top is None:
            continue
        yield ""
        yield (
            f"most changed from {top.slice_from} to {top.slice_to} "
            f"({top.alignment}, {top.measure}, mean of {len(seeds)} "
            f"seed{'s' if len(seeds) > 1 else ''})"
        )
        yield (
            f"of {top.ranked} words with at least {options['rank-min-count']} uses and "
            f"{options['rank-min-documents']} documents (or a fifth of a smaller slice) in both "
            "slices, not mostly proper nouns"
        )
        yield (
            "Spearman of score and log count: "
            f"{_rho(top.spearman_from)} earlier, {_rho(top.spearman_to)} later"
        )
        if not top.words:
            yield "  no word is frequent enough: lower `rank_min_count` or `rank_min_documents`"
        for word, score in zip(top.words, top.scores, strict=True):
            yield f"  {word}  {score:.3f}"
            for name in (top.slice_from, top.slice_to):
                yield f"      {name}: {', '.join(neighbours.get((name, word), ['-']))}"


def _rho(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _neighbours(snapshot: Snapshot, seed: int) -> Mapping[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for rows in read_rows(snapshot.paths("neighbours")):
        near = pc.and_(pc.equal(rows["seed"], seed), pc.less_equal(rows["rank"], NEIGHBOURS_SHOWN))
        for row in rows.filter(near).select(["slice", "word", "neighbour"]).to_pylist():
            found.setdefault((row["slice"], row["word"]), []).append(row["neighbour"])
    return found
