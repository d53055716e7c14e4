"""Which sections of a folder are stale: inputs, options or code outside it have changed.

Within the folder nothing can be stale: what a section was made from is there unchanged, or the section
has gone with it. Only a section that holds imported tables stays, with its `stale` in the manifest.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pipelines.frame.inputs import noted_files
from pipelines.frame.registry import command_of
from transforms.common.code.fingerprints import environment, stream_digest
from transforms.common.errors import LexbeamError
from transforms.common.options.fields import plain_options
from transforms.common.publish.inputs import input_columns
from transforms.common.publish.sections import table_digest
from transforms.common.publish.snapshots import Snapshot, find_snapshot, read_log
from transforms.common.store import files
from transforms.formats.ingest.comparing import Changes, compare_inputs, is_touched
from transforms.formats.ingest.listing import InputPatterns, find_files
from transforms.formats.ingest.stage import InputFile

__all__ = ["InputChanges", "OutsideChanges", "all_outside", "changes_outside", "section_logs", "stale_sections"]


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
    found = {}
    for name in snapshot.sections:
        noted = logs.get(name)
        outside = changes_outside(snapshot, name, noted)
        found[name] = outside._replace(reasons=[*outside.reasons, *_options(name, snapshot, noted or {})])
    return found


def section_logs(snapshot: Snapshot) -> dict[str, Any]:
    """Return what the log beside a snapshot says of its sections, by name."""
    return read_log(snapshot.out, snapshot.name).get("sections") or {}


def changes_outside(
    snapshot: Snapshot, name: str, noted: Mapping[str, Any] | None, *, keep_gone: bool = False
) -> OutsideChanges:
    """Return what has changed outside a folder of what a section was made from, but for the options of its command.

    Args:
        snapshot: what is published.
        name: the section.
        noted: what the log says of it (`section_logs`); None: it is damaged or gone.
        keep_gone: whether input files that have gone change nothing, since what was made of them is kept.
    """
    section = snapshot.sections[name]
    reasons = [section["stale"]] if "stale" in section else []
    reasons += _code(name, section, snapshot.manifest["environments"])
    if noted is None:
        reasons.append("its log is damaged or gone: what it was made from cannot be compared")
        noted = {}
    inputs = None
    try:
        inputs = _inputs(snapshot, section, noted)
    except _Unlisted as error:
        reasons.append(f"inputs cannot be listed: {error}")
    if inputs is not None:
        reasons += _input_lines(inputs.changes, keep_gone=keep_gone)
    reasons += _folders(section, noted)
    reasons += _files(noted)
    reasons += _resources(noted)
    return OutsideChanges(reasons, inputs)


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


def _inputs(snapshot: Snapshot, section: Mapping[str, Any], noted: Mapping[str, Any]) -> InputChanges | None:
    if not noted.get("inputs"):
        return None
    patterns = InputPatterns(tuple(noted["inputs"]), tuple(noted.get("exclude", ())), snapshot.out)
    inputs = section.get("inputs", ())
    number = inputs["files"] if isinstance(inputs, Mapping) else len(inputs)
    changes = compare_inputs(
        lambda: _listed(patterns),
        lambda: input_columns(snapshot, section),
        number,
        lambda file: is_touched(file, noted.get("listed", 0), time.time_ns()),
        lambda file: _sha256(file.path),
    )
    return InputChanges(number, changes)


def _input_lines(changes: Changes, *, keep_gone: bool) -> Iterator[str]:
    for what, names in (("new", changes.new), ("gone", changes.gone), ("changed", changes.changed)):
        if names.number and not (keep_gone and names is changes.gone):
            more = ", ..." if names.number > len(names.least) else ""
            yield f"input: {names.number} {what} ({', '.join(names.least)}{more})"


class _Unlisted(Exception):
    """Input files cannot be listed."""


def _listed(patterns: InputPatterns) -> Iterator[InputFile]:
    try:
        yield from find_files(patterns)
    except LexbeamError as error:
        raise _Unlisted(str(error)) from error


def _sha256(path: str) -> str | None:
    try:
        with files.open_read(path) as stream:
            return stream_digest(stream)
    except OSError:
        return None


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


def _options(name: str, snapshot: Snapshot, noted: Mapping[str, Any]) -> Iterator[str]:
    path = noted.get("config")
    if not path:
        return
    from pipelines.frame.configuration import SHARED, read_jobs

    try:
        jobs = read_jobs(path, {"out": snapshot.out})
    except LexbeamError as error:
        yield f"option: {error}"
        return
    here = snapshot.section(name)["options"]
    published = next((plain_options(job.options) for job in jobs if job.section == name), {})
    for option, value in published.items():
        if option.replace("-", "_") in SHARED:
            continue  # the command line may have said otherwise
        if here.get(option) != value:
            yield f"option: {option} is {value} in {path}, {here.get(option)} here"
