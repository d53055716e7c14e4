"""Which sections of a folder are stale: inputs, options or code outside it have changed.

What a section was given is compared with what its job gives it now; where no configuration says what that is, with
what lies now where the log says that it was. Within the folder nothing can be stale: what a section was made from is
there unchanged, or the section has gone with it.
"""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.pipelines.frame.command import Command, Job
from lexbeam.pipelines.frame.inputs import find_inputs, given_otherwise, input_patterns, noted_files, resources_of
from lexbeam.pipelines.frame.registry import command_of
from lexbeam.pipelines.frame.sections import plan_of
from lexbeam.transforms.common.code.fingerprints import environment, parse_json, readable_json
from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import LexbeamError, NoDataError
from lexbeam.transforms.common.options.fields import option_changes
from lexbeam.transforms.common.publish.layout import ARTEFACTS, DamagedFolderError, Section
from lexbeam.transforms.common.publish.sections import ReadTable, input_columns, table_digest
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, read_log
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import AnyStep
from lexbeam.transforms.common.store.receipts import is_sound_size
from lexbeam.transforms.formats.ingest.file_changes import SHOWN, Changes, input_changes
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns

_NAMED = 3  # new options that are named; of more it is said that there are some


class InputChanges(NamedTuple):
    """How the input files of a section have changed since they were taken in.

    Attributes:
        taken: how many were taken in.
        changes: those that are new, gone or changed.
    """

    taken: int
    changes: Changes


class OutsideChanges(NamedTuple):
    """What has changed outside a folder, of what a section was made from.

    Attributes:
        reasons: a line each; none: nothing.
        inputs: of its input files; None where it has none, or they cannot be listed.
        stages: those whose code is another, of which a reason tells in words.
    """

    reasons: list[str]
    inputs: InputChanges | None
    stages: tuple[str, ...] = ()


def stale_sections(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the sections that are stale, each with the reasons."""
    return {name: outside.reasons for name, outside in all_outside(snapshot).items() if outside.reasons}


def all_outside(snapshot: Snapshot) -> dict[str, OutsideChanges]:
    """Return what has changed outside a folder of what each of its sections was made from."""
    logs = section_logs(snapshot)
    configured = cache(lambda path: _configured(path, snapshot.out))
    found = {}
    for name in snapshot.sections:
        noted = logs.get(name)
        jobs, wrong = configured((noted or {}).get("config"))
        outside = changes_outside(snapshot, name, noted, job=jobs.get(name))
        options = [wrong] if wrong else _options(jobs[name], snapshot, noted) if noted and name in jobs else []
        found[name] = outside._replace(reasons=[*outside.reasons, *options])
    return found


def newest_input(outside: Mapping[str, OutsideChanges]) -> float | None:
    """Return when the newest input file of all sections was changed, in seconds since 1970; None: nobody knows."""
    newest = [changes.inputs.changes.newest for changes in outside.values() if changes.inputs is not None]
    return max(newest, default=0) / 1e9 or None


def _configured(path: str | None, out: str) -> tuple[dict[str, Job], str]:
    """Return the jobs of a configuration by section, and why it cannot be read, if so."""
    if not path:
        return {}, ""
    from lexbeam.pipelines.frame.configuration import read_jobs

    try:
        return {job.section: job for job in read_jobs(path, {"out": out})}, ""
    except LexbeamError as error:
        return {}, f"option: {error}"


def section_logs(snapshot: Snapshot) -> dict[str, Any]:
    """Return what the log beside a snapshot says of its sections, by name."""
    return read_log(snapshot.out, snapshot.name).get("sections") or {}


def changes_outside(
    snapshot: Snapshot, name: str, noted: Mapping[str, Any] | None, *, job: Job | None = None, keep_gone: bool = False
) -> OutsideChanges:
    """Return what has changed outside a folder of what a section was made from.

    Not told of are published options of its command, which the manifest has, and what only a plan finds
    (`planned_otherwise`).

    Args:
        snapshot: what is published.
        name: the section.
        noted: what the log says of it (`section_logs`); None: it is damaged or gone.
        job: what would make it now; None: what made it, as the log says.
        keep_gone: whether input files that have gone change nothing, since what was made of them is kept.
    """
    section = snapshot.sections[name]
    code = _code(name, snapshot, job)
    reasons = [f"held back: {snapshot.held[name]}"] if name in snapshot.held else []
    reasons += code.reasons
    if noted is None:
        reasons.append("its log is damaged or gone: what it was made from cannot be compared")
        noted = {}
    damaged = [part for table in section["parts"] for part in snapshot.parts(table) if not is_sound_size(part)]
    if damaged:
        names = ", ".join(sorted(f"{part.table} part {part.number}" for part in damaged[:SHOWN]))
        reasons.append(f"published: {len(damaged)} missing or of another size ({names})")
    patterns = _noted_patterns(snapshot, noted) if job is None else input_patterns(job)
    if patterns is not None and "kept" in section.get("resources", {}):
        patterns = patterns._replace(drained=True)  # all may have gone
    if patterns is None and noted.get("inputs"):
        reasons.append("input: it takes in no files any more")
    inputs = None
    try:
        inputs = _inputs(snapshot, section, noted, patterns)
    except LexbeamError as error:
        reasons.append(f"inputs cannot be listed: {error}")
    except (OSError, pa.ArrowException):  # of a part that is damaged
        if not damaged:
            raise
    if inputs is not None:
        reasons += _input_lines(inputs.changes, keep_gone=keep_gone)
    reasons += _folders(section, noted) if job is None else _reads(job, snapshot)
    if job is None or "given" not in noted:  # the log of an earlier version
        reasons += [*_files(noted), *_resources(noted)]
    else:
        reasons += given_otherwise(job.options, noted["given"])
    return OutsideChanges(reasons, inputs, code.stages)


def planned_otherwise(job: Job, snapshot: Snapshot, passed: Collection[str] = ()) -> Iterator[str]:
    """Yield what a run would note otherwise in the manifest of what a section is made from: models, above all.

    Its plan is made, as a run does first, which may load models and compile resources.

    Args:
        job: what would make the section, of published tables alone.
        snapshot: what is published.
        passed: resources that are not compared.
    """
    section = snapshot.sections[job.section]
    try:
        now = resources_of(job.command, plan_of(job, find_inputs(job, (), snapshot)))
    except NoDataError:  # what it makes is empty
        now = {}
    except LexbeamError as error:  # a run says the same
        yield f"it cannot be planned: {error}"
        return
    now = parse_json(readable_json(now))  # as a manifest has it: no tuples
    before = section.get("resources", {})
    other = sorted(name for name in {*now, *before}.difference(passed) if now.get(name) != before.get(name))
    if other:
        yield f"resource: {', '.join(other)} {'has' if len(other) == 1 else 'have'} changed"


def _code(name: str, snapshot: Snapshot, job: Job | None) -> OutsideChanges:
    """Return how the code that made a section, and its packages, differ from what would make it now."""
    command = command_of(name)
    by, here = snapshot.made_by(name), own_build()
    if command is None:
        newer = f": made by {by}, and this is {here}, which is older" if by and by.is_newer(here) else " any more"
        return OutsideChanges([f"no command is called {name.replace('.', ' ')!r}{newer}"], None)
    section = snapshot.sections[name]
    known = {stage.name: stage for stage in command.stages_of(name)}
    other: list[str] = []
    required: dict[str, Collection[str]] = {}  # by stage whose packages are others
    for stage, entry in section.get("stages", {}).items():
        try:
            now = known[stage].code(entry["chosen"])
        except (KeyError, LexbeamError):  # a stage or an entry of a registry that is no longer there
            other.append(stage)
            continue
        if now.code != entry["code"]:
            other.append(stage)
        elif now.digest != entry["identity"]:
            required[stage] = [package for package, _ in now.packages]
    told = []
    if other:
        every = len(other) == len(section["stages"])
        told.append(f"{_made_anew([] if every else other, known)} code has changed")
    if required:
        packages = ", ".join(_packages(snapshot, section, required.values())) or "Python, or what they need"
        every = len(required) == len(section["stages"])
        told.append(f"{_made_anew([] if every else required, known)} packages have changed: {packages}")
    if not told:
        return OutsideChanges([], None)
    if by is not None and by != here:
        which = f"and this is {here}, which is older" if by.is_newer(here) else f"this is {here}"
        told[0] = f"made by {by}, {which}: {told[0]}"
        told += _other_options(command, section, job)
    return OutsideChanges(["; ".join(told)], None, tuple(sorted(other)))


def _packages(snapshot: Snapshot, section: Section, required: Iterable[Collection[str]]) -> Iterator[str]:
    """Yield the packages of other versions among those that code requires, or required: what is gone is not known."""
    before = snapshot.manifest["environments"].get(section["environment"], {}).get("packages", {})
    now = environment()["packages"]
    for package in sorted({*itertools.chain(*required), *(before.keys() - now.keys())}):
        if before.get(package) != now.get(package):
            yield f"{package} {before.get(package, 'none')} to {now.get(package, 'none')}"


def _made_anew(stages: Collection[str], known: Mapping[str, AnyStep]) -> str:
    """Return the words for that stages, or all, are made anew because of something of theirs."""
    in_order = [*(name for name in known if name in stages), *(name for name in stages if name not in known)]
    nouns = dict.fromkeys(_noun(name, known.get(name)) for name in in_order)
    if not nouns:
        return "all of it is made anew because its"
    *others, last = nouns
    words = f"{', '.join(others)} and {last}" if others else last
    several = others or any(word.endswith("s") for word in last.split())
    return f"{words} are made anew because their" if several else f"{words} is made anew because its"


def _noun(name: str, stage: AnyStep | None) -> str:
    return (stage is not None and stage.noun) or re.sub(r"[-_]", " ", name.rpartition("/")[2])


def _other_options(command: Command[Any, Any], section: Section, job: Job | None) -> Iterator[str]:
    """Yield which options another Lexbeam has: those that are new and have their defaults, and those that are gone."""
    changes = option_changes(command.options, section["options"], None if job is None else job.options)
    if changes.new:
        names = f" ({', '.join(f'`{name}`' for name in changes.new)})" if len(changes.new) <= _NAMED else ""
        yield f"options that are new have their defaults{names}"
    if changes.gone:
        yield f"options that are gone: {', '.join(f'`{name}`' for name in changes.gone)}"


def _noted_patterns(snapshot: Snapshot, noted: Mapping[str, Any]) -> InputPatterns | None:
    if not noted.get("inputs"):
        return None
    return InputPatterns(tuple(noted["inputs"]), tuple(noted.get("exclude", ())), snapshot.out)


def _inputs(
    snapshot: Snapshot, section: Mapping[str, Any], noted: Mapping[str, Any], patterns: InputPatterns | None
) -> InputChanges | None:
    if patterns is None:
        return None
    inputs = section.get("inputs", ()) if noted.get("inputs") else ()
    number = inputs["files"] if isinstance(inputs, Mapping) else len(inputs)
    before = _noted_patterns(snapshot, noted)
    is_elsewhere = before is None or before.inputs != patterns.inputs  # other objects may have the same names
    changes = input_changes(
        patterns,
        lambda: input_columns(snapshot, section) if number else iter(()),
        number,
        0 if is_elsewhere else noted.get("listed", 0),
        files.join(snapshot.out, ARTEFACTS),
        np.frombuffer(bytes.fromhex(noted.get("had_gone", "")), np.int64).tolist(),
    )
    return InputChanges(number, changes)


def _input_lines(changes: Changes, *, keep_gone: bool) -> Iterator[str]:
    back = ("there again, of what had gone and was kept", changes.back)
    for what, names in (("new", changes.new), ("gone", changes.gone), ("changed", changes.changed), back):
        if names.number and not (keep_gone and names is changes.gone):
            more = ", ..." if names.number > len(names.least) else ""
            yield f"input: {names.number} {what} ({', '.join(names.least)}{more})"


def _folders(section: Mapping[str, Any], noted: Mapping[str, Any]) -> Iterator[str]:
    wanted: dict[str, set[str]] = {}
    for read in section.get("reads", ()):
        if read["section"] is None:
            wanted.setdefault(read["table"], set()).add(read["digest"])
    for folder in dict.fromkeys(noted.get("folders", ())):
        try:
            snapshot = find_snapshot(folder)
        except DamagedFolderError:
            snapshot = None
        if snapshot is None:
            yield f"input: nothing is published at {folder} any more: put it back, or make it anew first"
            continue
        # What was read there; a section may read a table of the same name from several folders.
        read_there = {
            table
            for source in noted.get("sources", ())
            if source["folder"] == files.absolute(snapshot.out)
            for table, digest in source["tables"].items()
            if digest in wanted.get(table, ())
        }
        other = [
            table
            for table in sorted(read_there)
            if table not in snapshot.tables or table_digest(snapshot.parts(table)) not in wanted[table]
        ]
        if other:
            yield f"input: {', '.join(other)} at {folder} have other content now"


def _reads(job: Job, snapshot: Snapshot) -> Iterator[str]:
    try:
        now = Counter(table.read for table in find_inputs(job, (), snapshot).tables)
    except LexbeamError as error:
        if all(source.optional or source.table in snapshot.tables for source in job.reads_here()):
            yield f"input: {error}"  # else it waits for what the same run makes
        return
    before = Counter(ReadTable(**read) for read in snapshot.sections[job.section].get("reads", ()))
    if other := sorted({read.table for read in (now - before) + (before - now)}):
        yield f"input: {', '.join(other)}: other content, or from elsewhere"


def _files(noted: Mapping[str, Any]) -> Iterator[str]:
    for path, sha256 in (noted.get("files") or {}).items():
        try:
            now = noted_files([path])[path]
        except (OSError, LexbeamError):
            now = None
        if now != sha256:
            yield f"option: {path} has {'changed' if now else 'gone'}"


def _resources(noted: Mapping[str, Any]) -> Iterator[str]:
    for text, digests in (noted.get("resources") or {}).items():
        from lexbeam.transforms.lexicon.resources import source_digests

        try:
            now = list(source_digests(text))
        except (OSError, LexbeamError) as error:
            yield f"resource {text}: {error}"
            continue
        if now != digests:
            yield f"resource: {text} has changed"


def _options(job: Job, snapshot: Snapshot, noted: Mapping[str, Any]) -> Iterator[str]:
    from lexbeam.pipelines.frame.configuration import SHARED

    before = snapshot.section(job.section)["options"]
    for option, (here, value) in option_changes(type(job.options), before, job.options).other.items():
        if option.replace("-", "_") not in SHARED:  # the command line may have said otherwise
            yield f"option: {option} is {value} in {noted['config']}, {here} here"
