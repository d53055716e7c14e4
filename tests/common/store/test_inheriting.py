"""Inherited rows: the bytes are those of an artefact that has no predecessor, and what is the same is not made."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inherited import check_inherited
from object_store import STORE

from lexbeam.transforms.common.publish.removing import discard_artefacts, discard_unused, free, leftovers
from lexbeam.transforms.common.store import inheriting, tables
from lexbeam.transforms.common.store.artefacts import LAST, Artefact, Step, Workspace, make
from lexbeam.transforms.common.store.identity import INHERITED
from lexbeam.transforms.common.store.inheriting import Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, read_table, write_part

LINES = pa.schema([("id", pa.string()), ("text", pa.string()), ("more", pa.list_(pa.float64()))])
NOTES = pa.schema([("id", pa.string()), ("note", pa.int32())])
WORDS = pa.schema([("id", pa.string()), ("number", pa.int32()), ("word", pa.string()), ("sum", pa.list_(pa.float64()))])
MADE: list[str] = []  # keys whose rows were really made


class Task(NamedTuple):
    lines: Annotated[Part, INHERITED]
    notes: Annotated[tuple[Part, ...], INHERITED]
    times: int = 1


@dataclass(frozen=True)
class Receipt:
    part: PartFile
    keys: File
    seen: int


def _words(line, notes, task, suffix):
    for number, word in enumerate((line["text"] or "").split() * task.times):
        yield {
            "id": line["id"],
            "number": number,
            "word": None if word == "0" else word + suffix,
            "sum": None if line["more"] is None else [*line["more"], *sorted(notes)],
        }


@dataclass(frozen=True)
class MakeWords(Step[Task, Receipt]):
    suffix: str = ""

    name = "toy/words"

    def make(self, artefact, task):
        seen = 0

        def made(wanted):
            notes = read_table([checked(part) for part in task.notes]) if task.notes else NOTES.empty_table()
            for rows in read_rows([checked(task.lines)]):
                for line in rows.filter(wanted(rows)).to_pylist():
                    MADE.append(line["id"])
                    of = notes.filter(pc.equal(notes["id"], line["id"]))["note"].to_pylist()
                    yield pa.Table.from_pylist(list(_words(line, of, task, self.suffix)), WORDS)

        def count(rows):
            nonlocal seen
            seen += len(rows)

        read = [Read([task.lines], ["id", "text", "more"]), Read(task.notes, ["id", "note"])]
        return Receipt(*write_inheriting(artefact, WORDS, "id", ["id", "number"], read, made, count), seen)


def task_of(folder: Path, lines, notes=(), number=0, times=1):
    """Return a task: lines are `(text, more)` by id, notes `(id, note)`, dealt to two parts."""
    folder.mkdir(parents=True)

    def part(name, schema, rows):
        return Part.of(
            name, number, write_part(Artefact(str(folder / name)), schema, [pa.Table.from_pylist(rows, schema)])
        )

    rows = [{"id": key, "text": text, "more": more} for key, (text, more) in sorted(lines.items())]
    halves = [[{"id": key, "note": note} for key, note in sorted(notes)[start::2]] for start in (0, 1)]
    dealt = tuple(part(f"notes{half}", NOTES, rows) for half, rows in enumerate(halves) if rows)
    return Task(part("lines", LINES, rows), dealt, times)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    MADE.clear()
    monkeypatch.setattr(inheriting, "_AT_ONCE", 3)
    monkeypatch.setattr(tables, "GROUP_ROWS", 7)
    monkeypatch.setattr(tables, "GROUP_BYTES", 300)


IDS = st.sampled_from([f"{number:x}{number * 7 % 16:x}é" for number in range(16)])
TEXTS = st.none() | st.lists(st.sampled_from(["a", "bé", "0", "d" * 40]), max_size=5).map(" ".join)
MORE = st.none() | st.lists(st.sampled_from([0.5, 1.0, -0.0, 0.0]), max_size=3)
STATES = st.tuples(
    st.dictionaries(IDS, st.tuples(TEXTS, MORE), max_size=14), st.sets(st.tuples(IDS, st.integers(0, 2)), max_size=6)
)


@settings(max_examples=12, deadline=None)
@given(st.lists(STATES, min_size=2, max_size=4), st.data())
def test_the_bytes_are_those_of_an_artefact_without_predecessor(tmp_path_factory, states, data):
    folder = tmp_path_factory.mktemp("inherited")
    # Others keep most of what was there before.
    for place in range(1, len(states)):
        kept = data.draw(st.sets(st.sampled_from(sorted(states[place - 1][0]) or [""])))
        before = {key: value for key, value in states[place - 1][0].items() if key in kept}
        states[place] = ({**states[place][0], **before}, states[place][1])
    tasks = [task_of(folder / f"state{number}", *state) for number, state in enumerate(states)]
    receipts = check_inherited(MakeWords(), tasks, folder)
    for receipt, (lines, notes) in zip(receipts, states, strict=True):
        rows = read_table([receipt.part.file.path]).to_pylist()
        expected = [
            row
            for key, (text, more) in sorted(lines.items())
            for row in _words(
                {"id": key, "text": text, "more": more}, [n for k, n in notes if k == key], Task(None, ()), ""
            )
        ]
        assert rows == expected
        assert receipt.seen == len(rows)


LINES_OF = {f"{number:02}": (f"word{number} a", [float(number)]) for number in range(20)}


def made_after(folder, *tasks, options=""):
    """Return the keys whose rows were made for the last of some tasks."""
    for task in tasks:
        MADE.clear()
        make(Workspace(str(folder / "work")), MakeWords(options), task)
    return MADE.copy()


def test_only_what_has_changed_is_made(tmp_path):
    notes = {("03", 1), ("07", 2), ("08", 1)}
    first = task_of(tmp_path / "a", LINES_OF, notes)
    others = {**LINES_OF, "05": ("other", None), "055": ("new", None)}
    del others["09"]
    second = task_of(tmp_path / "b", others, {("03", 1), ("07", 3), ("11", 1)})
    assert made_after(tmp_path, first) == sorted(LINES_OF)
    assert made_after(tmp_path, second) == ["05", "055", "07", "08", "11"]
    assert made_after(tmp_path, second) == []
    # Another night goes on from there.
    assert made_after(tmp_path, task_of(tmp_path / "c", {**others, "99": ("x", None)}, {("03", 1), ("07", 3)})) == [
        "11",
        "99",
    ]


def test_other_options_numbers_and_tasks_have_other_predecessors(tmp_path):
    first = task_of(tmp_path / "a", LINES_OF)
    changed = {**LINES_OF, "05": ("other", None)}
    made_after(tmp_path, first)
    assert len(made_after(tmp_path, task_of(tmp_path / "b", changed), options="s")) == 20
    assert len(made_after(tmp_path, task_of(tmp_path / "c", changed, number=1)._replace(times=2))) == 20
    assert len(made_after(tmp_path, task_of(tmp_path / "d", {**changed, "01": ("x", None)}, number=1))) == 20
    assert made_after(tmp_path, task_of(tmp_path / "e", changed)) == ["05"]


def last_of(folder):
    (last,) = (folder / "work").rglob(f"*{LAST}")
    return last


def truncated(path):
    os.truncate(path, 40)


BREAKS = {
    "what names it is gone": lambda receipt, last: last.unlink(),
    "what names it is cut": lambda receipt, last: truncated(last),
    "what names it is empty": lambda receipt, last: last.write_bytes(b""),
    "its receipt is gone": lambda receipt, last: Path(receipt.part.file.path).with_suffix(".json").unlink(),
    "its receipt is cut": lambda receipt, last: truncated(Path(receipt.part.file.path).with_suffix(".json")),
    "its part is gone": lambda receipt, last: os.remove(receipt.part.file.path),
    "its part is cut": lambda receipt, last: truncated(receipt.part.file.path),
    "its part is damaged": lambda receipt, last: flip(receipt.part.file.path),
    "its keys are gone": lambda receipt, last: os.remove(receipt.keys.path),
    "its keys are damaged": lambda receipt, last: flip(receipt.keys.path),
    "its files were freed": lambda receipt, last: free(str(last.parents[2]), ()),
}


def flip(path):
    content = bytearray(Path(path).read_bytes())
    content[len(content) // 2] ^= 1
    Path(path).write_bytes(content)
    os.utime(path, ns=(1, 1))  # else this process takes it for what it has written


def test_a_predecessor_that_is_not_sound_counts_as_none(tmp_path):
    wrong = {}
    for number, (what, damage) in enumerate(BREAKS.items()):
        folder = tmp_path / str(number)
        first, second = (task_of(folder / name, {**LINES_OF, "05": (name, None)}) for name in ("a", "b"))
        made_after(folder, first)
        damage(make(Workspace(str(folder / "work")), MakeWords(), first), last_of(folder))
        if len(found := made_after(folder, second)) != 20:
            wrong[what] = found
        check_inherited(MakeWords(), [second], folder / "beside")
        if made_after(folder, task_of(folder / "c", {**LINES_OF, "05": ("c", None)})) != ["05"]:
            wrong[what, "after"] = MADE.copy()
    assert not wrong


def test_what_is_published_is_inherited_though_all_else_was_freed(tmp_path):
    first, second = (task_of(tmp_path / name, {**LINES_OF, "05": (name, None)}) for name in ("a", "b"))
    made_after(tmp_path, first)
    receipt = make(Workspace(str(tmp_path / "work")), MakeWords(), first)
    free(str(tmp_path / "work"), [receipt.part.file.sha256])
    assert made_after(tmp_path, second) == ["05"]


def test_what_names_an_artefact_goes_with_it(tmp_path):
    root = tmp_path / "work"
    first, second = (task_of(tmp_path / name, {**LINES_OF, "05": (name, None)}) for name in ("a", "b"))
    made_after(tmp_path, first, second)
    of_others = make(Workspace(str(root)), MakeWords("s"), second)
    assert len(list(root.rglob(f"*{LAST}"))) == 2
    assert list(leftovers(str(root))) == []
    for receipt in root.rglob("*.json"):
        if receipt.stem != Path(of_others.part.file.path).stem:
            os.utime(receipt, ns=(1, 1))  # both artefacts of the first options were used long ago
    discard_unused(str(root), [MakeWords.name], since=2)
    assert last_of(tmp_path).exists()
    assert list(leftovers(str(root))) == []
    assert made_after(tmp_path, first, options="s") == ["05"]
    discard_artefacts(str(root), lambda *_: False)
    assert [Path(path).suffix for path in leftovers(str(root))] == [LAST]


def test_on_an_object_store(tmp_path, store):
    work = Workspace(f"{STORE}/_artefacts")
    for name in ("a", "b"):
        MADE.clear()
        make(work, MakeWords(), task_of(tmp_path / name, {**LINES_OF, "05": (name, None)}))
    assert MADE == ["05"]
    assert list(leftovers(work.root)) == []
    discard_artefacts(work.root, lambda *_: False)
    (last,) = store
    assert list(leftovers(work.root)) == [last]
    assert last.endswith(LAST)
