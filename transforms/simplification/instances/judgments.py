"""Judgments of people: whether a word can be simplified where it stands.

As in ALEXSIS (Ferrés and Saggion 2022, section 3): who judges says simplifiable, not simplifiable
or dubious. Where all agree, that is the verdict; where they do not, or one of them is in doubt, it
is dubious; and what they then agree on together, a joint verdict, overrides.

A file is a table with a judgment a row (docs/tasks/simplification/instances.md): `judgment`, and `instance_id`,
or `sentence` and `target`, and as you like `start` and `annotator`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from schemas.rejects import RejectRow
from transforms.common.options.fields import option
from transforms.formats.records.base import BadRecord
from transforms.intake.header import whole_number
from transforms.people.answers import Answer, read_answer
from transforms.people.opening import list_sheets
from transforms.people.tables import Roles, read_table
from transforms.simplification.instances.instance import pair_key

__all__ = [
    "JUDGE",
    "InstanceVerdict",
    "SimplifiableJudgment",
    "SimplifiableOptions",
    "judgments_of_part",
    "read_judgments",
    "unknown_judgments",
    "verdict_of",
]

JUDGE = "judge"  # the stage of rejects
_PART = 8  # digits of an id that say its part
_ID = re.compile(r"[0-9a-f]{32}")
_JUDGMENT = Answer(
    name="judgment",
    help="whether the word can be simplified there",
    values=(("simplifiable", "yes"), ("not simplifiable", "not"), ("dubious", "doubt")),
    undecided="-",
)
ENCODING = "utf-8"  # of files without byte order mark: people's tables are written so, here as elsewhere
# As people write them otherwise.
_WRITTEN = {"no": "not", "no simplifiable": "not", "non simplifiable": "not", "?": "dubious"}
_KNOWN = ("undecodable", "too_large", "malformed", "empty")


@dataclass(frozen=True, kw_only=True)
class SimplifiableOptions:
    """Judgments of people, and what follows from them."""

    judgments: tuple[str, ...] = option(
        (), help="tables with a judgment a row, simplifiable, not or dubious", metavar="FILE", path="file"
    )
    only_simplifiable: bool = option(False, help="leave out what people do not find simplifiable, or have not judged")
    judgment_column: str = option("judgment", help="column of judgments")
    annotator_column: str = option("annotator", help="column of who judged; may be missing")
    joint: str = option("joint", help="the annotator whose judgments are joint verdicts, which override")


class SimplifiableJudgment(NamedTuple):
    """A judgment.

    Attributes:
        key: the instance's id, or its first 20 digits: sentence and target.
        start: where the target starts; None: wherever it does.
        annotator: who judged; empty: the file does not say.
        value: simplifiable, not_simplifiable or dubious.
        joint: whether it is a joint verdict.
        source: the file.
        line: number of its row.
    """

    key: str
    start: int | None
    annotator: str
    value: str
    joint: bool
    source: str
    line: int

    def is_of(self, instance: str, start: int) -> bool:
        """Return whether it is of the instance of an id, whose target starts there."""
        return instance.startswith(self.key) and self.start in (None, start)


class InstanceVerdict(NamedTuple):
    """What people say of an instance together, and how many of them."""

    judgment: str
    judges: int


def verdict_of(judgments: Iterable[SimplifiableJudgment]) -> InstanceVerdict | None:
    """Return the verdict of the judgments of an instance; None if there are none.

    Judgments of those who are not named are of as many people; of one who judged twice and
    differently, they disagree. Joint verdicts that differ from each other are dubious.
    """
    given = list(judgments)
    if not given:
        return None
    joint = {one.value for one in given if one.joint}
    single = [one for one in given if not one.joint]
    values = joint or {one.value for one in single}
    named = {one.annotator for one in single if one.annotator}
    judges = len(named) + sum(not one.annotator for one in single)
    return InstanceVerdict(values.pop() if len(values) == 1 else "dubious", judges)


def read_judgments(
    paths: Sequence[str], options: SimplifiableOptions
) -> tuple[list[SimplifiableJudgment], list[RejectRow]]:
    """Read files of judgments, in the order of their names; what is no judgment is a reject.

    Raises:
        LexbeamError: a file cannot be read, or lacks a column.
    """
    names: Mapping[str, Sequence[str]] = {
        "judgment": (options.judgment_column,),
        "annotator": (options.annotator_column,),
        "id": ("instance_id",),
        "sentence": ("sentence",),
        "target": ("target",),
        "start": ("start",),
    }
    roles = Roles(names, ("judgment",), "name it as `{role}_column`")
    judgments: list[SimplifiableJudgment] = []
    rejects: list[RejectRow] = []
    for entry in sorted(list_sheets(paths), key=lambda one: one.name):
        read = partial(_judgment, entry.name, joint=options.joint)
        found, left = read_table(entry, roles, read, encoding=ENCODING, stage=JUDGE, reasons=_KNOWN)
        judgments += found
        rejects += left
    return judgments, rejects


def _judgment(name: str, line: int, cells: Mapping[str, str], joint: str) -> SimplifiableJudgment:
    given = cells["judgment"]
    text = re.sub(r"[_\s-]+", " ", given).strip().casefold()
    found = read_answer(_JUDGMENT, _WRITTEN.get(text, text) or given, {})
    value = "dubious" if found is None else str(found).replace(" ", "_")
    annotator = cells.get("annotator", "")
    is_joint = bool(joint) and annotator.casefold() == joint.casefold()
    return SimplifiableJudgment(*_key(cells), annotator, value, is_joint, name, line)


def _key(cells: Mapping[str, str]) -> tuple[str, int | None]:
    """Return what a row says of its instance: its id, or sentence and target; and its start.

    Raises:
        BadRecord: nothing.
    """
    if given := cells.get("id", "").lower():
        if not _ID.fullmatch(given):
            raise BadRecord("wrong_answer", f"{given[:40]!r} is no id of an instance")
        return given, None
    sentence, target = cells.get("sentence"), cells.get("target")
    if not sentence or not target:
        raise BadRecord("empty", "no instance_id, and no sentence and target")
    start = cells.get("start", "")
    return pair_key(sentence, target), whole_number(start, "start") if start else None


def judgments_of_part(
    judgments: Sequence[SimplifiableJudgment], bucket: int, parts: int
) -> tuple[tuple[int, SimplifiableJudgment], ...]:
    """Return judgments of the ids of a part, see `rows_of_part`, with their numbers."""
    return tuple(
        (number, one)
        for number, one in enumerate(judgments)
        if (int(one.key[:_PART], 16) * parts) >> 4 * _PART == bucket
    )


def unknown_judgments(judgments: Sequence[SimplifiableJudgment], used: Collection[int]) -> list[RejectRow]:
    """Return a reject for each judgment whose number no part has used."""
    return [
        RejectRow(one.source, str(one.line), JUDGE, "unknown", f"no instance {one.key} is here")
        for number, one in enumerate(judgments)
        if number not in used
    ]
