"""What commands read: input files, the files and resources of options, tables, and corpora.

A run notes what it read beside the snapshot; whoever asks later whether the same would be made compares with that.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from lexbeam.pipelines.frame.command import Command, Inputs, InputTable, Job, RunnerOptions, TableSource
from lexbeam.pipelines.frame.registry import makers_of
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, UsageError, quoted
from lexbeam.transforms.common.options.fields import noted_paths, options_of, plain_defaults, value_of
from lexbeam.transforms.common.options.option import LONGEST_PATH, Option
from lexbeam.transforms.common.publish.layout import DamagedFolderError
from lexbeam.transforms.common.publish.sections import Made, decide, owner_of
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import holding
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.corpora.annotated_corpora import Corpus
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files, matches

LOOK = 1000  # files that the driver looks at before the graph lists all


def list_inputs(
    inputs: Sequence[str], exclude: Sequence[str], out: str, *, tables_by: str | None = None
) -> list[InputFile]:
    """List input files that are read in the driver, once each, sorted by name.

    Names are relative to the input folder (for a file: the folder it is in); with several folders
    the folder's own name comes first. They are published names, no two alike. A file that several
    inputs hold, or that links to folders reach twice, has the name under which it was found first.
    `exclude` holds patterns of the name below the input, or of its last parts, as it is or as it is
    published; they leave out files, never members of archives. `tables_by` says by what the command
    reads tables instead of files, if it does.

    Raises:
        UsageError: `out` is an input, or an input is or holds a folder that Lexbeam published to.
        LexbeamError: there are no files, or none are left.
    """
    found = find_files(InputPatterns(tuple(inputs), tuple(exclude), out, tables_by))
    return sorted(found, key=attrgetter("name"))


def first_inputs(
    inputs: Sequence[str], exclude: Sequence[str], out: str, *, tables_by: str | None = None, drained: bool = False
) -> tuple[InputPatterns, list[InputFile], bool]:
    """Look at the first input files; a step of the graph lists all of them.

    Args:
        inputs: files, folders, globs.
        exclude: patterns of files to leave out, see `InputPatterns`.
        out: the folder to publish to.
        tables_by: by what the command reads tables instead of files, if it does.
        drained: whether there may be no file in a folder that is there.

    Returns:
        What names the files, from whatever working directory; the first `LOOK` that are found, by name; and whether
        these are all.

    Raises:
        UsageError: `out` is an input, or an input is or holds a folder that Lexbeam published to.
        LexbeamError: there are no files, or none are left.
    """
    patterns = InputPatterns(tuple(inputs), tuple(exclude), out, tables_by, drained=drained)
    look = sorted(islice(find_files(patterns), LOOK), key=attrgetter("name"))
    patterns = patterns._replace(inputs=tuple(map(files.absolute, inputs)), out=files.absolute(out))
    return patterns, look, len(look) < LOOK


def check_patterns(patterns: Iterable[str]) -> None:
    """Check the patterns of `exclude`.

    Raises:
        UsageError, ValueError: a pattern is empty, or longer than any path.
    """
    for pattern in patterns:
        if len(pattern) > LONGEST_PATH:
            raise UsageError(f"{quoted(pattern)} is longer than a path can be")
        matches("a", pattern)


def corpora_of(inputs: Inputs) -> list[Corpus]:
    """Return the corpora whose tables a command reads, in the order in which it names them."""
    tables: dict[int, dict[str, tuple[Part, ...]]] = {}
    for source in inputs.tables:
        tables.setdefault(id(source.section), {})[source.table] = source.parts
    first = {id(source.section): source for source in reversed(inputs.tables)}
    return [Corpus(parts, first[key].section) for key, parts in tables.items()]


def check_tables_there(sources: Iterable[TableSource], made: Collection[str], out: str) -> None:
    """Check that a folder from which tables are read holds any; nothing is written there.

    A damaged folder passes: publication explains the damage, or repairs it.

    Args:
        sources: tables of the folder that a command reads.
        made: tables that the same run makes before.
        out: the folder.

    Raises:
        UsageError: the folder holds no tables.
    """
    for source in sources:
        if not (source.optional or source.table in made or _holds_tables(out)):
            raise missing_table(source, out)


def _holds_tables(out: str) -> bool:
    try:
        return find_snapshot(out) is not None
    except DamagedFolderError:
        return True


def missing_table(source: TableSource, out: str) -> LexbeamError:
    """Return the error for a table that a command reads and that is not published."""
    names = makers_of(source.table)
    words = " or ".join(f"`lexbeam {name}`" for name in names) or "the command that makes it"
    place = out if source.folder is None else source.folder
    if files.is_local(place) and os.path.isfile(place):
        return UsageError(f"{files.shown(place)!r} is a file, no folder of tables: name one made by {words}")
    # A command that alone makes a table is better known than the table.
    maker = names[0] if len(names) == 1 and "/" not in source.table else None
    otherwise = f", or {source.otherwise}" if source.otherwise else ""
    if source.folder is not None:
        missing = f"{maker} tables are" if maker else f"table {source.table} is"
        return LexbeamError(f"no {missing} published at {source.folder!r}: run {words} first{otherwise}")
    return UsageError(
        f"no {maker or source.table} is published at {out!r}: name a folder made by {words}, or make one there "
        f"first{otherwise}"
    )


def folder_with(path: str, table: str) -> Snapshot:
    """Return what is published at a folder, for an action that reads one of its tables.

    Raises:
        LexbeamError: nothing is published there, or not this table.
    """
    snapshot = open_snapshot(path)
    if table not in snapshot.tables:
        raise missing_table(TableSource(table, path), path)
    return snapshot


def find_inputs(job: Job, made: Sequence[Made], old: Snapshot | None) -> Inputs:
    """Find the tables that a job reads: made by the same run, published at its folder, or at another.

    Of its folder no section counts that goes with what the run has made so far: in its place, or made from it.

    Raises:
        UsageError: a folder is named twice, or the job's own folder lacks a table.
        LexbeamError: another folder lacks a table.
    """
    tables: list[InputTable] = []
    seen: set[tuple[str, str]] = set()
    opened: dict[str, Snapshot] = {}
    stays = {*decide(old.manifest, made).kept} if old is not None else set()
    for source in job.command.reads(job.options):
        place = files.real(job.options.out if source.folder is None else source.folder)
        if (source.table, place) in seen:
            raise UsageError(f"{place!r} is named twice: its rows would count twice")
        seen.add((source.table, place))
        if source.is_in(job.options.out):
            table = _of_run(source.table, made)
            if table is None and old is not None and owner_of(old.manifest, source.table) in stays:
                table = _of_snapshot(source.table, old, is_here=True)
        else:
            if place not in opened:
                opened[place] = open_snapshot(str(source.folder))
            table = _of_snapshot(source.table, opened[place], is_here=False)
        if table is not None:
            tables.append(table)
        elif not source.optional:
            raise missing_table(source, job.options.out)
    return Inputs(tuple(tables))


def check_rows(job: Job, inputs: Inputs) -> None:
    """Check that the tables that a job needs have rows.

    Raises:
        NoDataError: none of one name has.
    """
    for source in job.command.reads(job.options):
        found = inputs.of(source.table)
        if source.needed and not any(part.rows for table in found for part in table.parts):
            lacks = f"table {source.table} has no rows" if len(found) == 1 else f"no table {source.table} has rows"
            raise NoDataError(f"no {source.table.rpartition('/')[2]}: {lacks}")


def _of_run(table: str, made: Sequence[Made]) -> InputTable | None:
    for section in made:
        if table in section.tables:
            return InputTable(table, tuple(section.of_table(table)), section.name, section.entry, True)
    return None


def _of_snapshot(table: str, snapshot: Snapshot, *, is_here: bool) -> InputTable | None:
    name = owner_of(snapshot.manifest, table)
    if name is None:
        return None
    parts = tuple(snapshot.parts(table))
    return InputTable(table, parts, name, snapshot.section(name), is_here, None if is_here else snapshot)


def input_patterns(job: Job) -> InputPatterns | None:
    """Return what names the files that a job takes in; None: it takes in none."""
    # A folder of tables may stand where files do.
    folders = {source.folder for source in job.command.reads(job.options)}
    named = [path for paths in noted_paths(job.options, "input").values() for path in paths]
    inputs = tuple(path for path in named if path not in folders)
    if not inputs:
        return None
    keeps = getattr(job.options, "keep_missing", None) is not None
    return InputPatterns(inputs, tuple(getattr(job.options, "exclude", ())), job.options.out, drained=keeps)


def option_files(options: object) -> list[str]:
    """Return the files that options name and that are read whole."""
    return [path for paths in noted_paths(options, "file").values() for path in paths]


def noted_files(paths: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of files by their absolute paths."""
    return {path: content_digest(path) for path in map(files.absolute, paths)}


def noted_resources(options: object) -> dict[str, list[str]]:
    """Return the digests of the sources of resources, by the texts of the options that name them."""
    texts = [text for named in _resources(options).values() for text in named]
    if not texts:
        return {}
    from lexbeam.transforms.lexicon.resources import source_digests

    return {text: list(source_digests(text)) for text in texts}


def _resources(options: object) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for name, entry in options_of(type(options)).items():
        value = value_of(options, name)
        if entry.path == "resource" and value:
            named[name] = list(value) if entry.several else [value]
    return named


# How files are looked at, and how a run goes.
_DECIDE_NOTHING = {"check", *options_of(RunnerOptions)}


def given_by(options: object, read: Mapping[str, str], resources: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return by option the content of its files, and what no manifest has: values, places; as JSON has them.

    Args:
        options: the options.
        read: what `noted_files` says of `option_files`.
        resources: what `noted_resources` says.
    """
    given: dict[str, Any] = {
        name: [read[files.absolute(path)] for path in paths] for name, paths in noted_paths(options, "file").items()
    }
    given |= {name: [resources[text] for text in texts] for name, texts in _resources(options).items()}
    for name, entry in options_of(type(options)).items():
        if not (entry.published or entry.path or name in _DECIDE_NOTHING):
            value = value_of(options, name)
            given[name] = list(value) if isinstance(value, tuple) else value
    return given | _written_by(options)


def _written_by(options: object) -> dict[str, str | None]:
    """Return by option where a run writes something beside its tables; None: it does not."""
    values = {name: value_of(options, name) for name, entry in options_of(type(options)).items() if _is_written(entry)}
    return {name: files.absolute(value) if value else None for name, value in values.items()}


def _is_written(entry: Option) -> bool:
    return entry.path in ("written", "kept")


def given_otherwise(options: object, before: Mapping[str, Any]) -> Iterator[str]:
    """Yield what options give otherwise than a run has noted by `given_by`.

    Args:
        options: the options.
        before: what was noted; an earlier version noted no places that are written to, and knew other options: what is
            new and has its default is no change, and neither is what nothing reads any more.
    """
    try:
        now = given_by(options, noted_files(option_files(options)), noted_resources(options))
    except (OSError, LexbeamError) as error:
        yield f"option: {error}"
        return
    known, defaults = options_of(type(options)), plain_defaults(type(options))
    for name in sorted({*now, *before} & known.keys()):
        if _is_written(known[name]):
            yield from _written_otherwise(known[name], before.get(name, now[name]), now[name])
        elif now.get(name) != before.get(name):
            if name not in before and now[name] == defaults.get(known[name].shown):
                continue
            is_file = known[name].path
            yield (
                f"option: `{name}` has other content"
                if is_file
                else (f"option: `{name}` {before.get(name)} to {now.get(name)}")
            )


def _written_otherwise(entry: Option, before: str | None, now: str | None) -> Iterator[str]:
    """Yield that a run would write what is not there, or that the manifest would not tell of it any more."""
    if now is None:
        if before is not None and entry.path == "kept":
            yield f"option: `{entry.name}` {files.shown(before)} to None"
    elif now != before:
        yield f"option: `{entry.name}` {before and files.shown(before)} to {files.shown(now)}"
    # Stores have no folders, and of a name with fields in braces there may be no file.
    elif files.is_local(now) and "{" not in now and not files.exists(now):
        yield f"option: `{entry.name}`: nothing is at {files.shown(now)}"


def resources_of(command: Command[Any, Any], plan: object) -> dict[str, Any]:
    """Return the digests of what a section is made from besides tables and input files, as its manifest has them."""
    return {**described_in(plan), **command.resources(plan)}


def described_in(plan: object) -> dict[str, Any]:
    """Return what a manifest says of the resources that a plan holds, at whatever depth.

    An object with `described` goes by the name of its field; one with `described_by_name` stands for several.
    """
    described: dict[str, Any] = {}
    for name, held in holding(plan, "described", "described_by_name"):
        described |= held.described_by_name() if hasattr(held, "described_by_name") else {name: held.described()}
    return described
