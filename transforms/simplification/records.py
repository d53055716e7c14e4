"""What passes between the stages of simplification, as plain values."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import pyarrow as pa

from lexbeam.transforms.common.backwards import match_backwards
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.identity import INHERITED
from lexbeam.transforms.common.store.inheriting import Mask
from lexbeam.transforms.common.store.join import Rows, RowsByKey
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import Part, read_rows

Row = dict[str, Any]  # of a published table, as plain values by column
ID = "instance_id"
BATCH = 256  # instances that are worked on at once

# Backwards: opening marks between the target and the word before, and that word: `la «`, `an (`.
_BEFORE = re.compile(r"""(["'“‘«‹(\[¿¡]*) +([^\W\d_]+(?:[-'’][^\W\d_]+)*)""")
_AFTER_A_WORD = re.compile(r" +[^\W\d_]")


class Instance(NamedTuple):
    """A word in its sentence, see table simplification/instances."""

    instance_id: str
    language: str
    sentence: str
    target: str
    start: int
    end: int
    lemma: str | None
    upos: str | None
    feats: str | None

    @property
    def before(self) -> str | None:
        """The word before it, if only spaces and opening marks separate them, all within `WINDOW` characters.

        A capital `A` behind another word (*vitamin A deficiency*) is a letter, not a word.
        """
        match = match_backwards(_BEFORE, self.sentence, self.start)
        if match is None:
            return None
        letter = match[2] == "A" and _AFTER_A_WORD.match(match.string, match.end())
        return None if letter and self.target.islower() else match[2][::-1]

    def left(self, before: str | None) -> str:
        """Return the sentence up to it, with another word right before it.

        Args:
            before: the other word; None: the word before stays.
        """
        match = match_backwards(_BEFORE, self.sentence, self.start)
        if before is None or match is None:
            return self.sentence[: self.start]
        return f"{self.sentence[: self.start - match.end()]}{before} {match[1][::-1]}"


INSTANCE_COLUMNS = Instance._fields


def instances_of(rows: Iterable[pa.Table]) -> Iterator[Instance]:
    """Yield the instances of batches of the table."""
    for batch in rows:
        for values in zip(*(batch[name].to_pylist() for name in INSTANCE_COLUMNS), strict=True):
            yield Instance(*values)


class InstanceRows(NamedTuple):
    """An instance with its rows by table."""

    instance: Instance
    rows: Mapping[str, Rows]


class JoinTask(NamedTuple):
    """The parts of one number: of the instances, and of other tables by name."""

    instances: Annotated[Part, INHERITED]
    tables: Annotated[Mapping[str, Part], INHERITED]

    @property
    def weight(self) -> int:
        """Rows, for dealing out."""
        return self.instances.rows + sum(part.rows for part in self.tables.values())


def tasks_of(instances: Sequence[Part], tables: Mapping[str, Sequence[Part]]) -> list[tuple[int, JoinTask]]:
    """Return the tasks of all parts, with their numbers.

    Raises:
        LexbeamError: the parts of a table do not match those of the instances.
    """
    by_number = {name: {part.number: part for part in parts} for name, parts in tables.items()}
    for name, numbered in by_number.items():
        if numbered.keys() != {part.number for part in instances}:
            raise LexbeamError(
                f"{name} has {len(numbered)} parts and the instances have {len(instances)}: they were "
                "not made from these instances; make them anew"
            )
    return [
        (part.number, JoinTask(part, {name: numbered[part.number] for name, numbered in by_number.items()}))
        for part in instances
    ]


def instance_rows(
    task: JoinTask, columns: Mapping[str, Sequence[str]], wanted: Mask | None = None
) -> Iterator[InstanceRows]:
    """Yield the instances of a part with their rows, which are in the part of the same number.

    Args:
        task: the parts.
        columns: by table, the columns that are read beside `instance_id`.
        wanted: a mask of rows, of any of the tables, by the instances that are read; None: all.
    """
    streams = {name: RowsByKey([task.tables[name]], [ID, *names], ID, keep=wanted) for name, names in columns.items()}
    rows = read_rows([checked(task.instances)], list(INSTANCE_COLUMNS))
    for instance in instances_of(some.filter(wanted(some)) if wanted else some for some in rows):
        yield InstanceRows(instance, {name: stream.of(instance.instance_id) for name, stream in streams.items()})


def join_tasks(number: int, instances: tuple[Part, ...], **made: tuple[Any, ...]) -> Iterator[tuple[int, JoinTask]]:
    """Yield the task of a number's part of the instances, and of the receipts of other tables' parts, by name."""
    (part,) = instances
    yield number, JoinTask(part, {name: Part.of(name, number, one.part) for name in sorted(made) for one in made[name]})


def as_given(task: tuple[int, JoinTask]) -> Iterator[tuple[int, JoinTask]]:
    """Yield a task as it is, for a step whose tasks the plan has."""
    yield task


class Proposal(NamedTuple):
    """A candidate as one generator gives it.

    Attributes:
        text: a lemma, which is to be inflected, or a form that fits as it is.
        score: in the generator's unit; the higher, the better.
        is_lemma: whether it is a lemma.
        sense: the first sense that has it.
        votes: how many senses have it.
        relation: synonym or hypernym.
        reason: why it does not go on, one of `lexbeam.schemas.simplification.REASONS`; None: it does.
        upos: of a lemma, the part of speech that it is to be inflected as; None: the target's.
        of: the target's lemma as that part of speech, where that was looked up.
    """

    text: str
    score: float
    is_lemma: bool
    sense: str | None = None
    votes: int | None = None
    relation: str | None = None
    reason: str | None = None
    upos: str | None = None
    of: str | None = None
