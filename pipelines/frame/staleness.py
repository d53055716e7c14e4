"""Which sections of a folder are stale: inputs, options or code outside it have changed.

What a section was given is compared with what its job gives it now; where no configuration says what that is, with
what lies now where the log says that it was. Within the folder nothing can be stale: what a section was made from is
there unchanged, or the section has gone with it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipelines.frame.command import Job
from pipelines.frame.given import given_otherwise, input_patterns, noted_files, resources_of
from pipelines.frame.inputs import find_inputs
from pipelines.frame.registry import command_of
from pipelines.frame.sections import plan_of
from transforms.common.code.fingerprints import environment, parse_json, readable_json
from transforms.common.errors import LexbeamError, NoDataError
from transforms.common.options.fields import plain_options
from transforms.common.publish.layout import ARTEFACTS
from transforms.common.publish.sections import ReadTable, input_columns, table_digest
from transforms.common.publish.snapshots import Snapshot, find_snapshot, read_log
from transforms.common.store import files
from transforms.common.store.sound import is_sound_size
from transforms.formats.ingest.comparing import SHOWN, Changes, input_changes
from transforms.formats.ingest.listing import InputPatterns

__all__ = [
    "InputChanges",
    "OutsideChanges",
    "all_outside",
    "changes_outside",
    "planned_otherwise",
    "section_logs",
    "stale_sections",
]


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
    """

    reasons: list[str]
    inputs: InputChanges | None


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


def _configured(path: str | None, out: str) -> tuple[dict[str, Job], str]:
    """Return the jobs of a configuration by section, and why it cannot be read, if so."""
    if not path:
        return {}, ""
    from pipelines.frame.configuration import read_jobs

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
    reasons = [f"held back: {snapshot.held[name]}"] if name in snapshot.held else []
    reasons += _code(name, section, snapshot.manifest["environments"])
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
    return OutsideChanges(reasons, inputs)


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


def _code(name: str, section: Mapping[str, Any], environments: Mapping[str, Any]) -> Iterator[str]:
    command = command_of(name)
    if command is None:
        yield f"no command is called {name.replace('.', ' ')!r} any more"
        return
    known = {stage.name: stage for stage in command.stages_of(name)}
    code: list[str] = []
    packages: set[str] = set()
    for name, entry in section.get("stages", {}).items():
        if name not in known:
            code.append(name)
            continue
        try:
            now = known[name].code(entry["chosen"])
        except LexbeamError:  # an entry of a registry that is no longer there
            code.append(name)
            continue
        if now.code != entry["code"]:
            code.append(name)
        elif now.digest != entry["identity"]:
            packages.update(package for package, _ in now.packages)
    if code:
        yield f"code of {', '.join(code)} has changed"
    if packages:
        before = environments.get(section["environment"], {}).get("packages", {})
        here = environment()["packages"]
        other = sorted(
            f"{name} {before.get(name)} to {here.get(name)}" for name in packages if before.get(name) != here.get(name)
        )
        yield f"packages have changed: {', '.join(other) or 'Python, or what they need'}"


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
        except LexbeamError:
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
        from transforms.lexicon.resources import source_digests

        try:
            now = list(source_digests(text))
        except (OSError, LexbeamError) as error:
            yield f"resource {text}: {error}"
            continue
        if now != digests:
            yield f"resource: {text} has changed"


def _options(job: Job, snapshot: Snapshot, noted: Mapping[str, Any]) -> Iterator[str]:
    from pipelines.frame.configuration import SHARED

    here = snapshot.section(job.section)["options"]
    for option, value in plain_options(job.options).items():
        if option.replace("-", "_") in SHARED:
            continue  # the command line may have said otherwise
        if here.get(option) != value:
            yield f"option: {option} is {value} in {noted['config']}, {here.get(option)} here"
