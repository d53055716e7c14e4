"""Removes documents and files from a folder, whatever keeps them, and leaves them out of every later run.

They go from the published corpus, with what was made from it, and with the sections that took them in from files of
their own; from kept snapshots, tags or not, which go whole; from artefacts, reports and what failed runs left. The next
run makes anew what has gone, without them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from lexbeam.pipelines.commands.corpus.corpus import CorpusCommand
from lexbeam.pipelines.commands.folder.survey import remove_leftovers
from lexbeam.pipelines.frame.command import Action, Command, FolderOptions, HookOptions
from lexbeam.pipelines.frame.publishing import UNFINISHED, check_nobody_detached
from lexbeam.pipelines.runners.hooks import tell_readers
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus_tables import DOCUMENTS, INPUTS
from lexbeam.transforms.annotation.annotate import AnnotateRecords
from lexbeam.transforms.common.errors import UsageError, quoted
from lexbeam.transforms.common.names import alike, file_of
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.forgotten import (
    ForgottenMarks,
    forgotten_at,
    id_mark,
    read_marks,
    source_mark,
    write_marks,
)
from lexbeam.transforms.common.publish.history import untag_snapshots
from lexbeam.transforms.common.publish.layout import (
    ARTEFACTS,
    FAILED,
    LOCK,
    MARK,
    POINTER,
    SNAPSHOTS,
    DamagedFolderError,
    is_marked_folder,
    locked,
    make_marked_folder,
    pointer_tag,
    read_record,
    snapshot_name,
    update_record,
)
from lexbeam.transforms.common.publish.leases import LEASE
from lexbeam.transforms.common.publish.publication import Keep, publish
from lexbeam.transforms.common.publish.removing import Freed, check_not_streaming, discard_artefacts, remove_snapshot
from lexbeam.transforms.common.publish.sections import Made, Outcome
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, open_kept, open_snapshot, output_folder
from lexbeam.transforms.common.shown import amount, listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.objects import ObjectTag
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.corpora.forgotten_documents import (
    CorpusDocument,
    forgotten_documents,
    holds,
    ids_in_artefacts,
    marks_in_artefacts,
    marks_of_names,
    names_there,
    without_documents,
)
from lexbeam.transforms.formats.ingest.cut_files import CutFile
from lexbeam.transforms.intake.forgetting import file_sections, holding_sections, sources_of
from lexbeam.transforms.report.page import is_report

_FOLDERS = {ARTEFACTS, SNAPSHOTS, FAILED}
_FILES = {LOCK, LEASE, MARK, POINTER + ".json"}


def files_beside(out: str, below: str = "") -> Iterator[str]:
    """Yield the files in an output folder that are none of Lexbeam's own, by their names below it; links are none.

    A folder that is an output folder itself is passed over; one that may not be read stands with a slash.
    """
    folder = files.join(out, below) if below else out
    if below and any(is_marked_folder(folder, name) for name in (ARTEFACTS, SNAPSHOTS)):
        return
    try:
        found = files.list_folder(folder)
    except PermissionError:  # it is another's
        yield below
        return
    yield from (below + name for name in found.files if below or name not in _FILES)
    for name in found.folders:
        if name not in _FOLDERS:
            yield from files_beside(out, f"{below}{name}/")


def remove_reports(out: str) -> tuple[list[str], list[str]]:
    """Remove the reports in an output folder, whatever they are called; return them, and the other files in it."""
    reports: list[str] = []
    others: list[str] = []
    for name in files_beside(out):
        (reports if _is_removed(files.join(out, name)) else others).append(name)
    return reports, others


def _is_removed(path: str) -> bool:
    """Remove a file if it is a report, and may be removed; return whether it was."""
    try:
        found = is_report(path)
        if found:
            files.remove(path)
    except OSError:  # it has gone, or is a folder or file of another
        return False
    return found


@dataclass(frozen=True, kw_only=True)
class ForgetOptions(FolderOptions, HookOptions):
    """Options of `lexbeam forget`."""

    names: tuple[str, ...] = option(
        (),
        help="documents, by the ids that table documents has, or sources: files, or members of archives, by their "
        "names there; of a source all documents go, and whatever it holds later",
        metavar="DOCUMENT|SOURCE",
        positional=True,
    )


class _Named(NamedTuple):
    """What was named: marks, documents that it has copies of, and ids of documents whose texts have gone."""

    marks: set[str]
    originals: set[str]
    bare: list[str]


class _Removed(NamedTuple):
    """What was removed, for a person; `others` are files in the folder of which nobody knows what they hold."""

    snapshots: list[str]
    tags: list[str]
    artefacts: Freed
    reports: list[str]
    others: list[str]


_UNREAD = (
    "damaged or left by a run that was cut off: `lexbeam clean` removes what is left, a run with `fresh` artefacts"
)


def _kept(out: str) -> Iterator[tuple[str, Snapshot | None]]:
    """Yield all snapshots of a folder by their names; those that are damaged, or half removed, as None."""
    current = snapshot_name(out)
    for name in read_record(out).snapshots:
        snapshot = None
        with suppress(DamagedFolderError):
            snapshot = open_kept(out, name)
        if snapshot is not None and name != current and not _is_there(snapshot):
            snapshot = None
        yield name, snapshot


def _is_there(snapshot: Snapshot) -> bool:
    of_files = chain.from_iterable(file_sections(snapshot).values())
    tables = snapshot.tables.keys() & {DOCUMENTS.name, REJECTS.name, INPUTS.name, *of_files}
    return all(files.exists(path) for table in tables for path in snapshot.paths(table))


def _has(snapshot: Snapshot, marks: ForgottenMarks) -> bool:
    return holds(snapshot, marks) or bool(holding_sections(snapshot, marks))


def _named(options: ForgetOptions, out: str, before: ForgottenMarks, kept: Mapping[str, Snapshot | None]) -> _Named:
    """Return what was named: a text goes wherever it stands."""
    root = files.join(out, ARTEFACTS)
    snapshots = [snapshot for snapshot in kept.values() if snapshot is not None]
    marks, copied = marks_of_names(snapshots, options.names)
    for snapshot in snapshots:
        for section in file_sections(snapshot):
            for sources, _ in sources_of(snapshot, section):
                marks.update(source_mark(source) for source in sources if source in options.names)
    held = marks_in_artefacts(root, options.names)
    marks |= held.marks
    unknown = [name for name in options.names if {id_mark(name), source_mark(name)}.isdisjoint(marks | before)]
    bare = ids_in_artefacts(root, unknown)
    for name in unknown:
        if name not in bare:
            unread = [files.join(SNAPSHOTS, of) for of, snapshot in kept.items() if snapshot is None]
            unread += [path.removeprefix(f"{out}/") for path in held.unread]
            raise UsageError(
                f"no document and no source is called {quoted(name)} in the snapshots and artefacts of "
                f"{options.path!r}{_perhaps(name, snapshots)}; nothing was removed. "
                + (f"Nobody knows what is in {listed(map(files.shown, unread))}, {_UNREAD}. " if unread else "")
                + f"`lexbeam show {files.typed(options.path)}/documents` shows ids and sources; what another "
                "folder took in is forgotten there"
            )
    return _Named(marks | set(map(id_mark, bare)), set(copied), sorted(bare))


def _perhaps(name: str, snapshots: Sequence[Snapshot]) -> str:
    of_tasks = (
        source
        for snapshot in snapshots
        for section in file_sections(snapshot)
        for sources, _ in sources_of(snapshot, section)
        for source in sources
    )
    found = alike(name, chain(names_there(snapshots), of_tasks))
    return f" (what is called alike: {listed(map(quoted, found), 3)})" if found else ""


def _is_copy(document: CorpusDocument, names: Collection[str], before: ForgottenMarks) -> bool:
    """Return whether a document that goes was neither named, now or earlier, nor its source."""
    called = {document.document_id, document.source, file_of(document.source)}
    return (
        called.isdisjoint(names)
        and id_mark(document.document_id) not in before
        and not before.has_source(document.source)
    )


def _without(
    current: Snapshot, marks: ForgottenMarks, found: Sequence[CorpusDocument], pointer: ObjectTag | None, *, tells: bool
) -> Outcome | None:
    """Publish the current snapshot without what is forgotten, of which `found` are documents; None: it holds none.

    If it `tells`, readers are to be told of it.
    """
    made: list[Made] = []
    if found or holds(current, marks):
        workspace = Workspace(make_marked_folder(current.out, ARTEFACTS))
        forgotten = forgotten_at(current.out)
        assert forgotten is not None
        made.append(without_documents(current, marks, found, workspace, forgotten.digest))
    drop = holding_sections(current, marks)
    if not (made or drop):
        return None
    every = Keep(len(read_record(current.out).snapshots) + 1)  # what goes is decided by what it holds
    versions = {table.name: table.version for table in CorpusCommand.tables}
    return publish(
        current.out,
        made,
        old=current,
        pointer=pointer,
        drop=drop,
        keep=every,
        versions=versions,
        mending=True,
        tells=tells,
    )


def _remove(out: str, kept: dict[str, Snapshot | None], marks: ForgottenMarks) -> _Removed:
    """Remove all but what readers see, of what holds any of it."""
    now = snapshot_name(out)
    gone = [n for n, snapshot in kept.items() if n != now and (snapshot is None or _has(snapshot, marks))]
    tags = untag_snapshots(out, gone)
    left = [name for name in read_record(out).snapshots if name not in gone]
    removed = [name for name in gone if remove_snapshot(out, name, left)]
    update_record(out, lambda record: record._replace(snapshots=tuple(n for n in record.snapshots if n not in removed)))
    freed = Freed(0, 0)
    if is_marked_folder(out, ARTEFACTS):
        root = files.join(out, ARTEFACTS)
        files.remove(files.join(root, UNFINISHED))
        freed = discard_artefacts(root, lambda stage, found: _is_kept(stage, found, marks))
    remove_leftovers(out)
    return _Removed(removed, tags, freed, *remove_reports(out))


def _is_kept(stage: str, found: Collection[File], marks: ForgottenMarks) -> bool:
    """Return whether an artefact may stay: it holds no text, or the annotation of other documents alone."""
    if stage == CutFile.name:
        return True
    if stage != AnnotateRecords.name:
        return False
    for file in found:
        if not file.path.endswith("-sentences.arrow"):
            with StagedFile(file) as staged:
                for rows in staged.tables():
                    if "source" not in rows.schema.names:  # counts of files of which annotation rejected records
                        return False
                    texts = rows["text"].to_pylist() if "text" in rows.schema.names else [""] * len(rows)
                    places = (rows[name].to_pylist() for name in ("source", "position"))
                    if any(map(marks.has_document, texts, *places)):
                        return False
    return True


def _lines(out: str, current: Snapshot | None, outcome: Outcome | None, removed: _Removed) -> Iterator[str]:
    if current is None:
        yield "nothing is published yet"
    elif outcome is None:
        yield f"what is published does not have it: {current.name} stays"
    else:
        yield f"published without it: {snapshot_name(out)}"
        if outcome.dropped:
            names = ", ".join(outcome.dropped)
            yield f"dropped: {names}, made from it: `lexbeam refresh`, or the same commands, make that anew"
    if removed.snapshots:
        tags = f" (tags {listed(removed.tags)})" if removed.tags else ""
        yield f"removed: {amount(len(removed.snapshots), 'snapshots')} that held it{tags}"
    if removed.artefacts.files:
        yield f"removed: {removed.artefacts.files} files of artefacts, {removed.artefacts.bytes / 1e6:.1f} MB"
    for name in removed.reports:
        yield f"removed: {files.shown(name)}: `lexbeam report {files.typed(out)}` writes it anew"
    if removed.others:
        yield f"left, and may hold it: {listed(map(files.shown, removed.others))}"
        yield "  (nobody knows what files hold that are no tables: remove those that were made from it)"


class Forget(Command[ForgetOptions, None]):
    """`lexbeam forget`."""

    options = ForgetOptions
    examples = "  lexbeam forget results letters/0417.txt\n  lexbeam forget results 3f9a64c1e0b75d28a1c09e7742f0bb6d"

    def action(self, options: ForgetOptions, action: Action) -> None:
        """Forget documents and sources at `options.path`.

        Raises:
            UsageError: none is named, one has no name, or nothing is called so.
            PublishHookError: all is done, and the command that was to follow has failed.
            LexbeamError: nothing was made there, a run is at work, or something is damaged.
        """
        if "" in options.names:
            raise UsageError(
                "one of `names` is empty, as a variable of a script is that was not set; nothing was removed"
            )
        out = files.absolute(output_folder(options.path))
        if not is_marked_folder(out, ARTEFACTS):
            open_snapshot(out)
        with locked(out, name="path"):
            check_nobody_detached(out)
            check_not_streaming(out)
            before, pending = read_marks(out)
            if not (options.names or pending):
                raise UsageError("`names` must be given: documents by their ids, or sources")
            kept = dict(_kept(out))
            named = _named(options, out, before, kept)
            marks = ForgottenMarks(before | named.marks)
            make_marked_folder(out, SNAPSHOTS)  # perhaps nothing was published yet
            write_marks(out, marks, pending=True)  # first: from now on every run leaves them out
            pointer = pointer_tag(out)
            current = find_snapshot(out)
            found = forgotten_documents(current, marks) if current else []
            originals = named.originals | {
                document.place for document in found if _is_copy(document, options.names, before)
            }
            tells = options.on_publish is not None
            outcome = _without(current, marks, found, pointer, tells=tells) if current else None
            removed = _remove(out, kept, marks)
            write_marks(out, marks, pending=False)
        if originals:
            action.tell(
                f"forgotten, too, as what was named is a copy of it: {listed(map(files.shown, sorted(originals)))}"
            )
        for line in _lines(out, current, outcome, removed):
            action.tell(line)
        if named.bare:
            action.tell(f"only their ids were left, and no texts by which a later run knows them: {listed(named.bare)}")
            action.tell("  (if a file may bring them again, take it out of the input, or name it)")
        tell_readers(options.on_publish, out)
