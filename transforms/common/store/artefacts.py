"""Artefacts: files of unfinished work that outlive a run, named by the digest of what decides them.

An artefact is decided by the whole of its task, the fields of its step (`identity.canonical`) and the code
that makes it. A request for an artefact whose receipt exists returns the receipt. So resume, rerun with another
option, refresh and late writers are one mechanism.

    @dataclass(frozen=True)
    class Count(Step[CountTask, Counts]):                 # from a task to a receipt
        # Count the words of a slice.

        case: str                                         # an option

        name = "change/count"

        def make(self, artefact: Artefact, task: CountTask) -> Counts: ...

    receipt = make(workspace, Count("lower"), task)       # made, or taken up

A receipt is a typed record with size and SHA-256 of each file that it stands for. The files are on
the disk before it is written. What is taken up is checked: sizes always, digests when a file is
read (`checked`). What is missing or damaged counts as not made.

Files may be freed on purpose: the receipt stays, a mark beside it. It stands for what was made of them, as long as
nothing else is to be made of them. Whatever needs a freed file `wants` it: the receipt goes, so that a run counts the
artefact as not made, and makes it again in the graph that makes it, side by side with others. That may need what was
freed in its turn: so a run goes through its graphs again until nothing is wanted, and each time makes what it can.
"""

import functools
import hashlib
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast, get_args, get_origin

from lexbeam.transforms.common.code.code_identity import CodeIdentity, code_identity
from lexbeam.transforms.common.code.fingerprints import blas_kernels, digest, readable_json
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import canonical, holding, inherited_part
from lexbeam.transforms.common.store.receipts import (
    FREED,
    ArtefactPath,
    File,
    HashedStream,
    Needed,
    checked,
    decode,
    encode,
    is_freed,
    is_sound_size,
    note_sound,
    read_receipt,
    source_of,
    stem_of,
    write_receipt,
)

log = logging.getLogger("lexbeam")

T = TypeVar("T")
R = TypeVar("R")

LAST = ".last"  # by the name of a row of artefacts, which was made last, see `Step.last`


class Superseded(Exception):
    """Raised by a `build`: what a task reads is no longer what its artefact is named by.

    The artefact of the task `instead` is made for it; how often, the stage must bound.
    """

    def __init__(self, task: Any, instead: Any) -> None:
        super().__init__(task, instead)
        self.task = task
        self.instead = instead


class Workspace(NamedTuple):
    """Where artefacts lie: `root`, and in it a folder per section and stage.

    Attributes:
        root: the folder.
        looked: a folder that takes which artefacts are there, if they are only looked up and none is made, nor
            anything else written to `root`; empty: they are made.
        keeps: whether what artefacts are made of stays once they are made, for others that the graph makes of it.
        wanted: a file that is written as soon as something that was freed is wanted. From then on artefacts are taken
            up or wanted, and none is made, since a graph that lacks one makes others than are asked for. Empty: a
            freed file that is needed is an error.
    """

    root: str
    looked: str = ""
    keeps: bool = False
    wanted: str = ""

    @property
    def frees(self) -> bool:
        """Whether what nothing in the same road of the graph needs any more is freed."""
        return not (self.looked or self.keeps)

    def stage(self, name: str) -> str:
        """Return the folder of a stage, by its name with its section: `change/train`."""
        return files.join(self.root, *name.split("/"))


class Artefact:
    """An artefact being made: `writing` opens its files, `file` describes a finished one.

    Attributes:
        stem: the path of its files, without what tells them apart.
        before: the receipt of its predecessor, whose files may have gone; None: there is none, see `Step.last`.
    """

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self.before: Any = None
        self._files: dict[str, File] = {}

    def path(self, suffix: str) -> ArtefactPath:
        """Return the path of the artefact's file with this suffix."""
        return ArtefactPath(f"{self.stem}{suffix}")

    @contextmanager
    def writing(self, suffix: str) -> Iterator[HashedStream]:
        """Open one of the artefact's files for writing."""
        path = self.path(suffix)
        with files.writing(path, durable=True) as stream:
            hashed = HashedStream(stream)
            yield hashed
            hashed.check()
        self._files[suffix] = File(path, hashed.bytes, hashed.sha256.hexdigest())
        note_sound(self._files[suffix])

    def placing(self, suffix: str, file: File) -> File:
        """Take in a sound local file as one of the artefact's: a hard link, or a copy."""
        path = self.path(suffix)
        hidden = files.temporary(path)
        files.link_or_copy(checked(file), hidden)
        os.replace(hidden, path)
        self._files[suffix] = File(path, file.bytes, file.sha256)
        return self._files[suffix]

    def file(self, suffix: str) -> File:
        """Return path, size and digest of a file that has been written."""
        return self._files[suffix]


class Last(NamedTuple):
    """The name of the artefact that was made last, as the file that ends in `LAST` has it."""

    name: str


class Step(Generic[T, R]):
    """A kind of artefact, made from a task `T`, with a receipt `R`: a frozen dataclass, whose fields are its options.

    All of the task and of the options names the artefact, but for what counts nowhere by its type (`identity`): a step
    is given nothing that it does not use.

    Attributes:
        name: section and step, `change/train`; the folder of its artefacts.
        receipt: the type of its receipts, a dataclass: what stands for the second argument of `Step[...]`.
        blas: whether it multiplies matrices, so that last bits depend on the CPU's BLAS kernels:
            what was made with others is not taken up.
        together: whether several artefacts are made at once, by `make_together`.
        unit: what a person calls its artefacts, in the plural, for progress.
        noun: what a person calls what it makes, alone or with other steps, such as `annotation`; empty: its name.
        splits: whether its artefacts split what they are made of among them, so that a document is in one of those that
            are made of the same; for plans.
    """

    name: ClassVar[str]
    receipt: ClassVar[type]
    blas: ClassVar[bool] = False
    together: ClassVar[bool] = False
    unit: ClassVar[str] = "pieces"
    noun: ClassVar[str] = ""
    splits: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in cls.__dict__.get("__orig_bases__", ()):
            origin: Any = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Step):
                names: Any = getattr(origin, "__parameters__", ())
                receipt: Any = names[1] if origin is Step else origin.receipt  # of a generic step a type variable still
                cls.receipt = dict(zip(names, get_args(base), strict=True)).get(receipt, receipt)

    def make(self, artefact: Artefact, task: T) -> R:
        """Make the files of a task's artefact; return its receipt."""
        raise NotImplementedError

    def make_together(self, artefacts: Sequence[Artefact], tasks: Sequence[T]) -> list[R]:
        """Make several artefacts; return their receipts."""
        return [self.make(artefact, task) for artefact, task in zip(artefacts, tasks, strict=True)]

    def chosen(self, task: T) -> Mapping[str, Collection[str]]:
        """Return the entries of registries that count for a task, see `code_identity`.

        Those of what the options hold that has `chosen` itself (resources, encoders) count without being said.
        """
        return {}

    def identity(self, task: T, *, inherited: bool = True) -> str:
        """Return the digest of all that counts of a task and the options; with or without rows that may be inherited.

        Raises:
            TypeError: a value has no canonical form.
        """
        chosen = self.entries(task)
        whole = hashlib.sha256()
        for name, value in (("task", task), ("options", self)):
            try:
                whole.update(canonical(value, name, chosen=chosen, inherited=inherited))
            except TypeError as error:
                error.add_note(f"step {self.name}")
                raise
        return whole.hexdigest()

    def entries(self, task: T | None, chosen: Mapping[str, Collection[str]] | None = None) -> dict[str, set[str]]:
        """Return the entries of registries that count: those chosen, and those that the options hold.

        Args:
            task: a task; it is not asked where `chosen` is given.
            chosen: those that any of several tasks chooses.
        """
        of_task = self.chosen(task) if chosen is None else chosen  # type: ignore[arg-type]
        return _entries(of_task, self)

    @classmethod
    def code(cls, chosen: Mapping[str, Collection[str]] | None = None) -> CodeIdentity:
        """Return the identity of the code that makes artefacts with these entries, or with all."""
        return code_of(cls, cls.receipt, chosen=chosen)

    def last(self, task: T) -> tuple[object, ...]:
        """Return what names the row of artefacts that follow one another, the later made of the earlier one's rows.

        Empty: the step inherits nothing. Of each number, what was made last with all else is the predecessor.
        """
        part = inherited_part(task)
        return () if part is None else (self.identity(task, inherited=False), part.number)


AnyStep = type[Step[Any, Any]] | Step[Any, Any]  # a step whose name is its class's, or of its options


def _entries(of_task: Mapping[str, Collection[str]], options: object) -> dict[str, set[str]]:
    entries: dict[str, set[str]] = {}
    for registries in (of_task, *(held.chosen() for held in _choosing(options))):
        for registry, names in registries.items():
            entries.setdefault(registry, set()).update(names)
    return entries


def _choosing(options: object) -> Iterator[Any]:
    """Yield what options hold that chooses entries of registries."""
    if isinstance(options, Step):
        options = [getattr(options, field.name) for field in fields(options)]  # type: ignore[arg-type]
    yield from (held for _, held in holding(options, "chosen"))


def stage_entry(stage: "AnyStep", chosen: Mapping[str, Collection[str]] | None = None) -> dict[str, Any]:
    """Return what a manifest says of a stage: its code's identity, and with which entries."""
    code = stage.code(chosen)
    return {
        "identity": code.digest,
        "code": code.code,
        "chosen": {name: sorted(entries) for name, entries in (chosen or {}).items()},
    }


def code_of(*roots: Any, chosen: Mapping[str, Collection[str]] | None = None) -> CodeIdentity:
    """Return the identity of code, with these entries of registries or with all: `code_identity`, once a process."""
    return _code(roots, tuple(sorted((name, tuple(sorted(entries))) for name, entries in (chosen or {}).items())))


@functools.cache
def _code(roots: tuple[Any, ...], entries: tuple[tuple[str, tuple[str, ...]], ...]) -> CodeIdentity:
    return code_identity(*roots, chosen=dict(entries))


class Looked(NamedTuple):
    """What of a stage was looked up; artefacts are named by the paths that their files' names begin with.

    Attributes:
        there: artefacts that were found.
        found: how many these are; some may be looked up several times.
        missing: artefacts that were not found; tasks that are alike have one.
        needed: artefacts of any stage whose files were freed, and that those are to be made of.
        freed: those found whose files were freed, each with the freed ones that it would be made of again.
    """

    there: frozenset[str] = frozenset()
    found: int = 0
    missing: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    freed: Mapping[str, frozenset[str]] = MappingProxyType({})

    @property
    def missed(self) -> int:
        """How many are missing."""
        return len(self.missing)


def note_looked(
    workspace: Workspace, stage: str, stems: Sequence[str], tasks: Sequence[Any], receipts: Sequence[Any]
) -> None:
    """Note what was looked up of a stage, in the workspace.

    Args:
        workspace: one that only looks up.
        stage: its name.
        stems, tasks, receipts: of each artefact; a receipt that is not there is None.
    """
    there = frozenset(stem for stem, receipt in zip(stems, receipts, strict=True) if receipt is not None)
    missing = frozenset(stems) - there
    needed: set[str] = set()
    freed: dict[str, frozenset[str]] = {}
    for stem, task, receipt in zip(stems, tasks, receipts, strict=True):
        if receipt is None:
            needed.update(map(stem_of, freed_in(task)))
        elif any(is_freed(file.path) for file in files_of(receipt)):
            freed[stem] = frozenset(map(stem_of, freed_in(task)))
    noted = Looked(there, len(receipts) - receipts.count(None), missing, frozenset(needed), freed)
    # Small appends are whole, whoever else appends.
    with open(os.path.join(workspace.looked, stage.replace("/", " ")), "ab") as stream:
        stream.write(encode(noted) + b"\n")


def looked_up(workspace: Workspace) -> dict[str, Looked]:
    """Return, by stage, what was looked up."""
    looked = {}
    for name in sorted(os.listdir(workspace.looked)):
        with open(os.path.join(workspace.looked, name), "rb") as stream:
            notes = [decode(line, Looked) for line in stream]
        there, missing, needed = (
            frozenset[str]().union(*(getattr(note, which) for note in notes))
            for which in ("there", "missing", "needed")
        )
        found = sum(note.found for note in notes)
        freed = {stem: made_of for note in notes for stem, made_of in note.freed.items()}
        looked[name.replace(" ", "/")] = Looked(there, found, missing, needed, freed)
    return looked


def make(workspace: Workspace, step: Step[T, R], task: T) -> R:
    """Return the receipt of a task's artefact, making the artefact if it is not there."""
    return make_all(workspace, step, [task])[0]


def make_all(
    workspace: Workspace, step: Step[T, R], tasks: Sequence[T], made: Callable[[T, R], object] = lambda *_: None
) -> list[R]:
    """Return the receipts of several tasks' artefacts, making those that are not there.

    Args:
        workspace: where artefacts lie.
        step: what is made.
        tasks: the tasks.
        made: takes each task whose artefact was not there, with the receipt of what was made.

    Raises:
        Needed: an artefact is not there, and a file that it is made of was freed; or another was wanted before.
    """
    if files.is_local(workspace.wanted) and _is_left(workspace):  # or what is taken up would seem to be of use
        raise Needed("something else is to be made again before")
    artefacts = [Artefact(files.join(workspace.stage(step.name), name_of(step, task))) for task in tasks]
    receipts = [_taken_up(workspace, step, artefact) for artefact in artefacts]
    missing = [place for place, receipt in enumerate(receipts) if receipt is None]
    if missing:
        if _is_left(workspace):
            raise Needed("something else is to be made again before")
        files.make_folder(workspace.stage(step.name))
        files.touch(workspace.stage(step.name))  # progress shows by it that the stage has begun
        todo = [(artefacts[place], tasks[place]) for place in missing]
        rows = [_last_of(workspace, step, task) for _, task in todo]
        for (artefact, _), last in zip(todo, rows, strict=True):
            artefact.before = _predecessor(workspace, step, last)
        try:
            if step.together:
                built = step.make_together([a for a, _ in todo], [t for _, t in todo])
            else:
                built = [step.make(artefact, task) for artefact, task in todo]
        except Superseded as other:
            now = [other.instead if task is other.task else task for task in tasks]
            return make_all(workspace, step, now, made=made)
        files.sync_folder(workspace.stage(step.name))
        for place, receipt, last in zip(missing, built, rows, strict=True):
            stem = artefacts[place].stem
            write_receipt(f"{stem}.json", workspace.root, receipt, files_of(receipt), _sources(tasks[place]))
            if last:
                write_receipt(last, workspace.root, Last(stem.rpartition("/")[2]), ())
            receipts[place] = receipt
            made(tasks[place], receipt)
    return cast("list[R]", receipts)


def _is_left(workspace: Workspace) -> bool:
    """Return whether something is wanted, so that what a graph makes from now on is not what is asked for."""
    return bool(workspace.wanted) and files.exists(workspace.wanted)


def name_of(step: Step[Any, Any], task: Any) -> str:
    """Return the name of a task's artefact in the folder of its step, 32 hexadecimal digits."""
    return _name(step, task, step.identity(task))


def _name(step: Step[T, Any], task: T, *of: object) -> str:
    code = step.code(step.entries(task)).digest
    kernels = blas_kernels() if step.blas else []
    return digest([step.name, code, of[0], *kernels, *of[1:]])


def _last_of(workspace: Workspace, step: Step[T, Any], task: T) -> str:
    """Return the path of the file that says which artefact was made last; empty: the step inherits nothing."""
    row = step.last(task)
    return files.join(workspace.stage(step.name), _name(step, task, *row) + LAST) if row else ""


def _predecessor(workspace: Workspace, step: Step[Any, R], last: str) -> R | None:
    named = read_receipt(last, workspace.root, Last) if last else None
    if named is None:
        return None
    return read_receipt(files.join(workspace.stage(step.name), f"{named.name}.json"), workspace.root, step.receipt)


def look_up(workspace: Workspace, step: Step[T, R], tasks: Sequence[T]) -> list[R | None]:
    """Return the receipts of several tasks' artefacts, None for one that is not there; nothing is changed."""
    stems = (files.join(workspace.stage(step.name), name_of(step, task)) for task in tasks)
    found = (_found(workspace, step, Artefact(stem)) for stem in stems)
    return [None if wrong else receipt for receipt, wrong in found]


def _taken_up(workspace: Workspace, step: Step[Any, R], artefact: Artefact) -> R | None:
    receipt: R | None
    receipt, wrong = _found(workspace, step, artefact)
    if receipt is None:
        return None
    if wrong:
        log.warning("%s: it is made anew", wrong)
        files.remove(artefact.path(FREED))
        return None
    files.touch(artefact.path(".json"))  # by the time `lexbeam status` tells what belongs to this run
    return receipt


def _found(workspace: Workspace, step: Step[Any, Any], artefact: Artefact) -> tuple[Any, str]:
    """Return the receipt of an artefact, None if there is none, and what is wrong with a file of it."""
    receipt: Any = read_receipt(artefact.path(".json"), workspace.root, step.receipt)
    for file in () if receipt is None else files_of(receipt):
        sound = is_sound_size(file)
        if sound or (sound is None and files.exists(artefact.path(FREED))):
            continue
        return receipt, f"{file.path} is {'missing' if sound is None else 'of another size'}"
    return receipt, ""


def files_of(value: object) -> Iterator[File]:
    """Yield the files that a receipt stands for, in the order of its fields."""
    if isinstance(value, File):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from files_of(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        # Long lists hold plain values, which need not be searched.
        if hasattr(value, "_fields") or (value and not _is_plain(value[0])):
            for item in value:
                yield from files_of(item)
    elif isinstance(value, dict):
        yield from files_of(list(value.values()))


def free_files(of: Iterable[File]) -> None:
    """Remove files of artefacts that nothing needs any more; receipts stay, and stand for what was made of them.

    What needs one all the same makes it anew, as after `removing.free`.
    """
    for file in of:
        files.write_bytes(stem_of(file.path) + FREED, b"")
        files.remove(file.path)


def _records(value: object) -> Iterator[Any]:
    """Yield the records, dataclasses and named tuples, that a task holds at any depth, itself among them."""
    if isinstance(value, Mapping):
        yield from _records(list(value.values()))
    elif isinstance(value, tuple | list):
        if hasattr(value, "_fields"):
            yield value
        if hasattr(value, "_fields") or (value and not _is_plain(value[0])):  # long lists hold plain values
            for item in value:
                yield from _records(item)
    elif is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in fields(value):
            yield from _records(getattr(value, field.name))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def freed_in(task: object) -> Iterator[str]:
    """Yield the paths of freed files that a task names."""
    paths = (getattr(record, "path", None) for record in _records(task))
    yield from (path for path in paths if isinstance(path, str) and is_freed(path))


def _sources(task: object) -> Iterator[str]:
    """Yield what names the files that a task names, artefacts' or published, in the receipt of what is made of it."""
    for record in _records(task):
        if isinstance(sha256 := getattr(record, "sha256", None), str):
            yield source_of(sha256, entries=hasattr(record, "classes"))


def want(workspace: Workspace, tasks: object, path: str = "") -> None:
    """Give up the receipts of what was freed of what tasks name, so that it is made again, and write `wanted`.

    Args:
        workspace: where artefacts lie.
        tasks: the tasks.
        path: a freed file that is needed besides; empty: none.
    """
    files.write_bytes(workspace.wanted, b"")
    give_up([*filter(None, [path]), *freed_in(tasks)])


def give_up(paths: Iterable[str]) -> None:
    """Remove the receipts of artefacts whose files, at these paths, were freed: they count as not made."""
    for stem in dict.fromkeys(map(stem_of, paths)):
        files.remove(stem + FREED)  # first, so that it is never of another receipt
        files.remove(stem + ".json")


def announce(workspace: Workspace, stage: str, artefacts: int) -> None:
    """Note how many artefacts a stage is to make, for progress."""
    if workspace.looked:
        return
    _plan(workspace, stage, b"%d" % artefacts)


def note_waits(workspace: Workspace, section: str, waits: Mapping[str, Collection[str]]) -> None:
    """Note which stages are over once others of a section have finished, for progress."""
    _plan(workspace, f"{section}.json", readable_json({stage: sorted(others) for stage, others in waits.items()}))


def _plan(workspace: Workspace, name: str, content: bytes) -> None:
    path = files.join(workspace.root, "plan", *name.split("/"))
    files.make_folder(path.rpartition("/")[0])
    files.write_bytes(path, content)
