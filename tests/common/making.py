"""Small steps, parts and sections for tests of artefacts and publication."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from lexbeam.transforms.common.publish.layout import locked
from lexbeam.transforms.common.publish.publication import publish
from lexbeam.transforms.common.publish.sections import Made, Outcome, ReadTable, table_digest
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, write_part

SCHEMA = pa.schema([("word", pa.string())])
BUILT: list[Any] = []  # tasks that were really built, in order


@dataclass(frozen=True)
class Toy:
    """Receipt of a toy artefact."""

    file: File
    rows: tuple[int, ...]
    more: dict[str, int]


@dataclass(frozen=True)
class MakeToy(Step[Any, Toy]):
    """Make a toy of any task."""

    options: Any = None

    name = "toy/make"

    def make(self, artefact: Artefact, task: Any) -> Toy:
        """Write what it is made of."""
        if task == "fail":
            raise RuntimeError("killed")
        BUILT.append(task)
        with artefact.writing(".txt") as stream:
            stream.write(f"content of {task}".encode())
        return Toy(artefact.file(".txt"), (1, 2), {"a": 1})


TOY = MakeToy()


@dataclass(frozen=True)
class Text:
    """A receipt of a file, made of those of other artefacts."""

    file: File


@dataclass(frozen=True)
class Joining:
    """What a text is made of: its name, texts that are read, and one that is named and not read."""

    name: str
    read: tuple[Text, ...] = ()
    unread: tuple[Text, ...] = ()


@dataclass(frozen=True)
class WriteText(Step[Joining, Text]):
    """Write the name of a task, and the texts that it reads, at a level of a graph of such steps."""

    level: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """The step's name: of its level."""
        return f"toy/{self.level}"

    def make(self, artefact: Artefact, task: Joining) -> Text:
        """Write it."""
        BUILT.append(task.name)
        content = task.name + "".join(Path(checked(text.file)).read_text() for text in task.read)
        with artefact.writing(".txt") as stream:
            stream.write(content.encode())
        return Text(artefact.file(".txt"))


def part_of(folder: Path, table: str, number: int, words: list[str]) -> Part:
    """Write a part of a table with these words."""
    folder.mkdir(parents=True, exist_ok=True)
    artefact = Artefact(str(folder / f"{table.replace('/', '-')}{number}"))
    made = write_part(artefact, SCHEMA, [pa.table({"word": words}, schema=SCHEMA)])
    return Part.of(table, number, made)


def made_section(folder: Path, name: str, tables: dict[str, list[list[str]]], **more: Any) -> Made:
    """Make a section: words by table and part."""
    parts = [
        part_of(folder, table, number, words) for table, found in tables.items() for number, words in enumerate(found)
    ]
    entry = {"options": more.pop("options", {}), "inputs": more.pop("inputs", [])}
    return Made(name=name, parts=tuple(parts), entry=entry, **more)


def read_of(made: Made, table: str, *, own: bool = True) -> ReadTable:
    """Return what a section notes that was made from a table of another."""
    return ReadTable(table, table_digest(made.of_table(table)), made.name if own else None)


def put(out: Path, *made: Made, **options: Any) -> Outcome:
    """Publish sections as a run does."""
    with locked(str(out), [table for section in made for table in section.tables]):
        return publish(str(out), made, old=find_snapshot(str(out)), **options)


def files_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, links left out, temporary names without their numbers."""
    return {
        re.sub(r"[0-9a-f]{16}\.tmp$", "tmp", path.relative_to(folder).as_posix()): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(p.is_symlink() for p in [path, *path.parents])
    }
