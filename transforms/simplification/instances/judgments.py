"""Judgments of people: whether a word can be simplified where it stands.

As in ALEXSIS (Ferrés and Saggion 2022, section 3), a judge says simplifiable, not simplifiable or
dubious. Where all agree, that is the verdict; where they do not, or one of them is in doubt, it is
dubious; a joint verdict, on which they agree afterwards, overrides it.

A file is a table with a judgment a row (docs/tasks/simplification/instances.md): `judgment`, and `instance_id`,
or `sentence` and `target`, and optionally `start` and `annotator`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.intake.row_files import whole_number
from lexbeam.transforms.people.answer_tables import Roles, read_table
from lexbeam.transforms.people.answered_sheets import list_sheets
from lexbeam.transforms.people.answers import Answer, read_answer
from lexbeam.transforms.simplification.instances.benchmark_layouts import pair_key

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
# Other spellings that people use.
_WRITTEN = {"no": "not", "no simplifiable": "not", "non simplifiable": "not", "?": "dubious"}
_KNOWN = ("undecodable", "too_large", "malformed", "empty")


@dataclass(frozen=True, kw_only=True)
class SimplifiableOptions:
    """Judgments of people, and how they are used."""

    judgments: tuple[str, ...] = option(
        (),
        help="tables with a judgment a row: simplifiable, not or dubious",
        metavar="FILE",
        path="file",
        data="records",
    )
    only_simplifiable: bool = option(
        False, help="leave out words that people do not find simplifiable, or have not judged"
    )
    judgment_column: str = option("judgment", help="column of judgments")
    annotator_column: str = option("annotator", help="column of annotators; may be missing")
    joint: str = option("joint", help="the annotator whose judgments are joint verdicts, which override others")


class SimplifiableJudgment(NamedTuple):
    """A judgment.

    Attributes:
        key: the instance's id, or its first 20 digits: sentence and target.
        start: where the target starts; None: wherever it does.
        annotator: empty: the file does not name one.
        value: simplifiable, not_simplifiable or dubious.
    """

    key: str
    start: int | None
    annotator: str
    value: str
    joint: bool
    source: str
    line: int

    def is_of(self, instance: str, start: int) -> bool:
        """Return whether it is a judgment of the instance with an id, whose target starts there."""
        return instance.startswith(self.key) and self.start in (None, start)


class InstanceVerdict(NamedTuple):
    """The verdict of people on an instance, and how many of them judged."""

    judgment: str
    judges: int


def verdict_of(judgments: Iterable[SimplifiableJudgment]) -> InstanceVerdict | None:
    """Return the verdict of the judgments of an instance; None if there are none.

    Each judgment without a name counts as another person's; two different judgments of one person
    disagree. Joint verdicts that differ from each other are dubious.
    """
    listed = list(judgments)
    if not listed:
        return None
    joint = {judgment.value for judgment in listed if judgment.joint}
    single = [judgment for judgment in listed if not judgment.joint]
    values = joint or {judgment.value for judgment in single}
    named = {judgment.annotator for judgment in single if judgment.annotator}
    judges = len(named) + sum(not judgment.annotator for judgment in single)
    return InstanceVerdict(values.pop() if len(values) == 1 else "dubious", judges)


def read_judgments(
    paths: Sequence[str], options: SimplifiableOptions
) -> tuple[list[SimplifiableJudgment], list[RejectRow]]:
    """Read files of judgments, in the order of their names; rows that are no judgment are rejects.

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
    for entry in sorted(list_sheets(paths), key=lambda entry: entry.name):
        read = partial(_judgment, entry.name, joint=options.joint)
        accepted, left = read_table(entry, roles, read, encoding=ENCODING, stage=JUDGE, reasons=_KNOWN)
        judgments += accepted
        rejects += left
    return judgments, rejects


def _judgment(name: str, line: int, cells: Mapping[str, str], joint: str) -> SimplifiableJudgment:
    answer = cells["judgment"]
    text = re.sub(r"[_\s-]+", " ", answer).strip().casefold()
    judged = read_answer(_JUDGMENT, _WRITTEN.get(text, text) or answer, {})
    value = "dubious" if judged is None else str(judged).replace(" ", "_")
    annotator = cells.get("annotator", "")
    is_joint = bool(joint) and annotator.casefold() == joint.casefold()
    return SimplifiableJudgment(*_key(cells), annotator, value, is_joint, name, line)


def _key(cells: Mapping[str, str]) -> tuple[str, int | None]:
    """Return the key of a row's instance, from its id or its sentence and target, and its start.

    Raises:
        BadRecord: the row identifies no instance.
    """
    if identifier := cells.get("id", "").lower():
        if not _ID.fullmatch(identifier):
            raise BadRecord("wrong_answer", f"{identifier[:40]!r} is no id of an instance")
        return identifier, None
    sentence, target = cells.get("sentence"), cells.get("target")
    if not sentence or not target:
        raise BadRecord("empty", "no instance_id, and no sentence and target")
    start = cells.get("start", "")
    return pair_key(sentence, target), whole_number(start, "start") if start else None


def judgments_of_part(
    judgments: Sequence[SimplifiableJudgment], bucket: int, parts: int
) -> tuple[tuple[int, SimplifiableJudgment], ...]:
    """Return the judgments whose ids belong to a part, which has a range of them, with their numbers."""
    return tuple(
        (number, judgment)
        for number, judgment in enumerate(judgments)
        if (int(judgment.key[:_PART], 16) * parts) >> 4 * _PART == bucket
    )


def unknown_judgments(
    judgments: Iterable[tuple[int, SimplifiableJudgment]], used: Collection[int]
) -> Iterator[RejectRow]:
    """Yield a reject for each judgment of a part whose number is of no instance."""
    for number, judgment in judgments:
        if number not in used:
            detail = f"no instance {judgment.key} is here"
            yield RejectRow(judgment.source, str(judgment.line), JUDGE, "unknown", detail)
