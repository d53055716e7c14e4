"""Summary of a selection: sentences, targets, instances, and by how much quotas are missed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lexbeam.transforms.common.shown import Block, Grid
from lexbeam.transforms.complexity.select.find_stage import Number

# Why sentences are left out of the draw, as a person reads it.
REASONS = {
    "no_forms": "without word forms",
    "no_upos": "without parts of speech",
    "short": "too short",
    "long": "too long",
    "no_language": "of no known language (`language` says which it is)",
    "no_pattern": "of languages without patterns",
    "repeated": "that are copies of others with a target",
}


def section_of(
    numbers: Iterable[Number],
    taken: Iterable[Mapping[str, Any]],
    kinds: Sequence[str],
    quotas: Mapping[str, int | None],
) -> dict[str, Any]:
    """Return what the manifest says.

    Args:
        numbers: counts of all parts.
        taken: rows of genre, kind and count_all, of the instances.
        kinds: kinds that were looked for.
        quotas: by kind, most instances of a genre.

    Returns:
        `sentences` in all and by reason those `left_out`; of every genre and kind, in `genres`:
        `targets` found, `instances` taken, `quota`, and how many it is `short` of (null without a quota).
    """
    sentences: Counter[str] = Counter()
    targets: Counter[tuple[str | None, str]] = Counter()
    for row in numbers:
        if row.what == "targets":
            targets[row.genre, row.kind] += row.number
        else:
            sentences[row.what] += row.number
    instances = {(row["genre"], row["kind"]): row["count_all"] for row in taken}
    genres = sorted({genre for genre, _ in targets}, key=lambda name: (name is not None, name))
    rows = []
    for genre in genres:
        for kind in kinds:
            quota, got = quotas[kind], instances.get((genre, kind), 0)
            rows.append(
                {
                    "genre": genre,
                    "kind": kind,
                    "targets": targets[genre, kind],
                    "instances": got,
                    "quota": quota,
                    "short": None if quota is None else quota - got,
                }
            )
    return {
        "sentences": sentences["sentences"],
        "left_out": {reason: sentences[reason] for reason in REASONS},
        "genres": rows,
        "instances": sum(instances.values()),
    }


def warnings(section: Mapping[str, Any]) -> Iterator[str]:
    """Yield warnings for a person."""
    if not section["instances"]:
        yield "no target was found: see why sentences were left out, and which patterns there are"
    for row in section["genres"]:
        if row["short"]:
            yield (
                f"genre {row['genre'] or '(none)'}: {row['instances']} {row['kind']} instances, "
                f"{row['short']} fewer than its quota {row['quota']}"
            )
    if any(row["genre"] is None for row in section["genres"]):
        yield "some documents have no genre, and count as one of their own: `genres` names them"


def summary(section: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the summary of a section."""
    yield f"{section['sentences']} sentences, patterns {', '.join(section['patterns'])}"
    for reason, number in section["left_out"].items():
        if number:
            yield f"  {number} {REASONS[reason]}"
    names = ("genre", "kind", "targets", "instances", "quota", "short")
    rows = (tuple("-" if row[name] is None else str(row[name]) for name in names) for row in section["genres"])
    yield Grid(names, tuple(rows), right=frozenset(range(2, len(names))))
