"""What a person reads at the end of a change run: targets not found, the most changed words."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import pyarrow.compute as pc

from transforms.change.targets import near_matches
from transforms.common.publish import table_paths
from transforms.common.tables import read_rows

__all__ = ["missing_targets", "ranking"]

SHOWN = 10
NEIGHBOURS_SHOWN = 5


class _Result(Protocol):
    """The fields of a change run that a report takes."""

    @property
    def section(self) -> dict[str, Any]: ...

    @property
    def combined(self) -> list[dict[str, Any]]: ...


def missing_targets(out: str, targets: list[str]) -> Iterator[str]:
    """Name the targets that no slice has, each with words that may be meant."""
    if not targets:
        return
    found: set[str] = set()
    for rows in read_rows(table_paths(out, "scores"), ["word", "target", "count_from", "count_to"]):
        used = pc.or_(pc.greater(rows["count_from"], 0), pc.greater(rows["count_to"], 0))
        found.update(rows.filter(pc.and_(rows["target"], used))["word"].to_pylist())
    missing = [word for word in targets if word not in found]
    if not missing:
        return
    vocabulary: set[str] = set()
    for rows in read_rows(table_paths(out, "vectors"), ["word"]):
        vocabulary.update(rows["word"].to_pylist())
    near = near_matches(missing, sorted(vocabulary))
    for word in missing:
        hint = f"; the corpus has {', '.join(near[word])}" if near[word] else ""
        yield f"target {word!r} was not found in any slice{hint}"


def ranking(out: str, result: _Result) -> Iterator[str]:
    """Tell the most changed words of every pair, by the first alignment, with neighbours."""
    options = result.section["options"]
    seed = result.section["seeds"][0]
    neighbours = _neighbours(out, seed)
    for receipt in result.combined:
        if not receipt["tops"]:
            continue
        top = receipt["tops"][0]
        yield ""
        yield (
            f"most changed from {top['slice_from']} to {top['slice_to']} "
            f"({top['alignment']}, {top['measure']}, mean of {len(result.section['seeds'])} "
            f"seed{'s' if len(result.section['seeds']) > 1 else ''})"
        )
        yield (
            f"of {top['ranked']} words with at least {options['rank-min-count']} uses and "
            f"{options['rank-min-documents']} documents (or a fifth of a smaller slice) in both "
            "slices, not mostly proper nouns"
        )
        yield (
            "Spearman of score and log count: "
            f"{_rho(top['spearman_from'])} earlier, {_rho(top['spearman_to'])} later"
        )
        if not top["words"]:
            yield "  no word is frequent enough: lower --rank-min-count or --rank-min-documents"
        for word, score in list(zip(top["words"], top["scores"], strict=True))[:SHOWN]:
            yield f"  {word}  {score:.3f}"
            for name in (top["slice_from"], top["slice_to"]):
                yield f"      {name}: {', '.join(neighbours.get((name, word), ['-']))}"


def _rho(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _neighbours(out: str, seed: int) -> Mapping[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for rows in read_rows(table_paths(out, "neighbours")):
        near = pc.and_(pc.equal(rows["seed"], seed), pc.less_equal(rows["rank"], NEIGHBOURS_SHOWN))
        for row in rows.filter(near).select(["slice", "word", "neighbour"]).to_pylist():
            found.setdefault((row["slice"], row["word"]), []).append(row["neighbour"])
    return found
