"""What the next run will likely make, by what the last one was made of, before anything is read or made.

    used = used_artefacts(envelopes, digests of the published parts)
    changes = [StageChange("corpus/ingest", superseded={...}), StageChange("corpus/annotate"), ...]
    made = forecast(changes, used, documents=1)

Every receipt says which files its artefact was made of, so the artefacts behind what is published are a graph. An
artefact that is superseded will have other content, and what is made of it will be made again, and so on. Where a part
takes entries of many files by their keys, a document touches its own part alone, and of artefacts that split a part up
it touches one: of n such artefacts, d documents that are drawn evenly touch n (1 - (1 - 1/n)^d).
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.store.receipts import Envelope, source_of


class LastArtefact(NamedTuple):
    """An artefact that what is published was made of.

    Attributes:
        name: the path that names of its files begin with.
        bytes: of its files.
        files: what names these in what was made of them (`receipts.source_of`).
        made_of: likewise the files that it was made of.
        entries: likewise those of which it has some entries.
    """

    name: str
    bytes: int
    files: frozenset[str]
    made_of: frozenset[str]
    entries: frozenset[str]


class StageChange(NamedTuple):
    """What is known of a stage beforehand.

    Attributes:
        stage: its name.
        superseded: names of artefacts that others will take the place of.
        whole: whether all are made again, since the code is another; they may well come out the same.
        splits: whether its artefacts split up what they are made of (`Stage.splits`).
    """

    stage: str
    superseded: Collection[str] = ()
    whole: bool = False
    splits: bool = False


def used_artefacts(
    receipts: Iterable[tuple[str, str, Envelope]], published: Iterable[str]
) -> dict[str, list[LastArtefact]]:
    """Return, by stage, the artefacts that published parts are, and those that they were made of, directly or not.

    Args:
        receipts: stage, name and receipt of all artefacts there are; of a stage's that have a file in common, which
            may have been made of other things or by other code, the first counts.
        published: SHA-256 of the parts.
    """
    by_file: dict[str, dict[str, LastArtefact]] = {}
    for stage, name, receipt in receipts:
        entries = frozenset(source[1:] for source in receipt.made_of if source.startswith("~"))
        made_of = frozenset(source for source in receipt.made_of if not source.startswith("~"))
        names = frozenset(source_of(file.sha256) for file in receipt.files)
        artefact = LastArtefact(name, sum(file.bytes for file in receipt.files), names, made_of, entries)
        for source in names:
            by_file.setdefault(source, {}).setdefault(stage, artefact)
    used: dict[str, dict[str, LastArtefact]] = {}
    left = [source_of(sha256) for sha256 in published]
    seen = set(left)
    while left:
        for stage, artefact in by_file.get(left.pop(), {}).items():
            if artefact.name not in used.setdefault(stage, {}):
                used[stage][artefact.name] = artefact
                more = (artefact.made_of | artefact.entries) - seen
                seen |= more
                left += more
    return {stage: [artefacts[name] for name in sorted(artefacts)] for stage, artefacts in used.items()}


def forecast(
    changes: Sequence[StageChange],
    used: Mapping[str, Sequence[LastArtefact]],
    documents: float,
    place: Callable[[LastArtefact], int],
) -> dict[str, list[LastArtefact]]:
    """Return, by stage, the artefacts that will likely be made again, or others in their place.

    Args:
        changes: all stages, each after those whose artefacts it is made of.
        used: what the last run was made of, see `used_artefacts`.
        documents: how many have come, changed or gone; infinity where that is not what has changed.
        place: of a part its number, by which parts of tables belong together.
    """
    others: set[str] = set()  # files that will be others
    made = {}
    for change in changes:
        artefacts = used.get(change.stage, ())
        superseded = [artefact for artefact in artefacts if artefact.name in change.superseded]
        sources = sorted({source for artefact in artefacts for source in artefact.made_of & others})
        if change.splits:  # of as many files, documents are in as many
            sources = sources[: math.ceil(touched(len(sources), documents) - 1e-9)]
        remade = [artefact for artefact in artefacts if not artefact.made_of.isdisjoint(sources)]
        merged = [artefact for artefact in artefacts if artefact.entries & others and artefact not in remade]
        remade += _some(sorted(merged, key=place), touched(len(merged), documents))
        changed = remade
        if change.splits:
            changed = _some(sorted(remade, key=place), touched(len(remade), documents))
        if not change.whole:
            changed = [*changed, *(artefact for artefact in superseded if artefact not in changed)]
        others |= {source for artefact in changed for source in artefact.files}
        made[change.stage] = [
            artefact for artefact in artefacts if change.whole or artefact in remade or artefact in superseded
        ]
    return made


def _some(artefacts: Sequence[LastArtefact], number: float) -> list[LastArtefact]:
    return list(artefacts[: math.ceil(number - 1e-9)])


def touched(number: int, documents: float) -> float:
    """Return how many of some artefacts are touched on average by documents that are each in one of them, evenly drawn.

    >>> touched(8, 1), touched(2, 2), touched(3, math.inf), touched(0, 1)
    (1.0, 1.5, 3.0, 0.0)
    """
    return number * (1 - (1 - 1 / number) ** documents) if number else 0.0
