"""A configuration file: sections of any commands, with what they share at the top.

    out: results
    corpus:
      inputs: [texts]
      engine: builtin:en
    change:
      slices: "1800-1850,1900-1950"

Options are called as on the command line. Paths are relative to the file. A command of two words is a
section within a section, or a section with a full stop: `complexity: {split: ...}` or
`complexity.split: ...`. The order of the sections does not matter: each runs after those whose tables
it reads. The block `gate` has bounds of what they make, without which nothing is published, and `on-failure` says
whether the others are where one fails.
"""

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import Any

from lexbeam.pipelines.frame.command import IntakeOptions, Job, PublishOptions
from lexbeam.pipelines.frame.registry import COMMANDS, available, command_of, load, section_of
from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.options.yaml_files import read_yaml
from lexbeam.transforms.common.publish.holding import Bound, rows_of
from lexbeam.transforms.common.store import files

GATE = "gate"
FAILURE = "on_failure"
ON_FAILURE = ("hold", "publish-others")
# Options of the command line alone.
COMMAND_LINE = (*(name for name in PublishOptions.__dataclass_fields__ if name != "out"), "detach")
# Options that sections share; a command gets only those that it has.
SHARED = (
    "out",
    *(
        field.name
        for field in dataclasses.fields(IntakeOptions)
        if field.name not in (*PublishOptions.__dataclass_fields__, *COMMAND_LINE)
    ),
)


def read_jobs(path: str, overrides: Mapping[str, Any]) -> list[Job]:
    """Read a configuration file.

    Args:
        path: the file, YAML.
        overrides: options from the command line that all sections share; they win over the file.

    Returns:
        A job for each section, in the order of what they read.

    Raises:
        UsageError: the file is missing or no YAML, or a name or an option is wrong.
    """
    values = _read(path)
    _on_failure(path, values)
    bounds = dict(_bounds(path, values.pop(GATE, None)))
    shared = {name: value for name, value in values.items() if _plain(name) in SHARED}
    shared = {_plain(name): value for name, value in shared.items()}
    folder = os.path.dirname(os.path.abspath(path))
    sections = dict(_named(path, {k: v for k, v in values.items() if _plain(k) not in SHARED}))
    if not sections:
        raise UsageError(f"{path}: the file has no section: give one of {', '.join(_sections())}")
    if "out" not in {**shared, **overrides}:
        raise UsageError(
            f"{path}: the folder of the tables must be given: as `out: DIR` in the file, or by the option `out`"
        )
    jobs = []
    used: set[str] = set()
    for section, options_there in sections.items():
        command = load(_words_of(section))
        names = options_of(command.options)
        used |= shared.keys() & names.keys()
        common = {k: v for k, v in {**shared, **overrides}.items() if k in names}
        where = f"{path}: {section}: "
        try:
            options = from_mapping(command.options, {**common, **options_there}, where, folder)
        except UsageError as error:  # the check of a value does not know the file
            message = str(error)
            raise UsageError(message if where in message else where + message) from None
        jobs.append(Job(section, command, options, bounds.pop(section, ())))
    for name in sorted(shared.keys() - used):
        raise UsageError(f"{path}: no section takes the option {name.replace('_', '-')}")
    for section in bounds:
        raise UsageError(f"{path}: {GATE} has bounds of {section}, which is no section of the file")
    return _in_order(path, jobs)


def read_on_failure(path: str) -> str:
    """Return what a configuration file says of sections of which one fails; one of `ON_FAILURE`.

    Raises:
        UsageError: the file is missing or no YAML, or says something else.
    """
    return _on_failure(path, _read(path))


def _on_failure(path: str, values: dict[str, Any]) -> str:
    named = [values.pop(name) for name in list(values) if _plain(str(name)) == FAILURE]
    value = named[-1] if named else ON_FAILURE[0]
    if value not in ON_FAILURE:
        hint = nearest(str(value), ON_FAILURE)
        raise UsageError(f"{path}: on-failure must be {' or '.join(ON_FAILURE)}, not {quoted(value)}{hint}")
    return str(value)


def _read(path: str) -> dict[str, Any]:
    if files.is_local(path) and os.path.isdir(path):
        there = [name for name in files.list_folder(path).files if name.endswith((".yaml", ".yml"))]
        named = ": " + ", ".join(files.shown(files.join(path, name)) for name in there[:3]) if there else ""
        raise UsageError(
            f"cannot read {files.shown(path)}: it is a folder, where a file is expected; name a file{named}"
        )
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise UsageError(f"{path}: the file must have sections such as {', '.join(_sections())}")
    return values


def _bounds(path: str, gate: Any) -> Iterator[tuple[str, tuple[Bound, ...]]]:
    """Yield the sections that a block `gate` names, with their bounds.

    gate:
      corpus:
        documents: {least: 1000}             # rows of a table
        language-shares: {en: {least: .9}}   # a gauge of the command, of one value
      change:
        slice-tokens: {least: 100000}        # of each value
    """
    gate = {} if gate is None else gate
    if not isinstance(gate, dict):
        raise UsageError(f"{path}: {GATE} must be a mapping of sections, each with its bounds")
    for section, bounded in _named(path, gate):
        command = load(_words_of(section))
        gauges = {table: rows_of(table) for table in command.table_names} | dict(command.gauges)
        found: list[Bound] = []
        for key, value in bounded.items():
            name = key if key in gauges else key.replace("_", "-")
            where = f"{path}: {GATE}: {section}: {name}"
            if name not in gauges:
                hint = nearest(name, gauges) or f"; what can be bounded: {', '.join(sorted(gauges))}"
                raise UsageError(f"{where} is no table and no gauge of {section}{hint}")
            if not isinstance(value, dict) or not value:
                raise UsageError(f"{where} must be {_LIMITS}, or such for what it names")
            inner = {None: value} if value.keys() <= {"least", "most"} else value
            for of, limits in inner.items():
                least, most = _limits(where if of is None else f"{where}: {of}", limits, gauges[name].share)
                found.append(Bound(name, gauges[name], of, least, most))
        yield section, tuple(found)


_LIMITS = "{least: NUMBER, most: NUMBER}, of which one may be missing"


def _limits(named: str, limits: Any, is_share: bool) -> tuple[float | None, float | None]:
    if not isinstance(limits, dict) or not limits or not limits.keys() <= {"least", "most"}:
        raise UsageError(f"{named} must be {_LIMITS}")
    least, most = limits.get("least"), limits.get("most")
    for limit in (least, most):
        if limit is None:
            continue
        if isinstance(limit, bool) or not isinstance(limit, int | float) or limit != limit:
            raise UsageError(f"{named} must be {_LIMITS}, not {quoted(limit)}")
        if limit < 0:
            raise UsageError(f"{named}: {limit} is below 0, and no value is: give a limit from 0 up")
        if is_share and limit > 1:
            percent = f"; {limit} % is {limit / 100:g}" if limit <= 100 else ""
            raise UsageError(f"{named}: {limit} is above 1, and no share is: give a limit from 0 to 1{percent}")
    if least is not None and most is not None and least > most:
        raise UsageError(f"{named}: least {least} is more than most {most}, so nothing could be published")
    return least, most


def _plain(name: str) -> str:
    return name.replace("-", "_")


def _sections() -> list[str]:
    """Return the sections of all commands that make tables, which imports each: for messages alone."""
    return [section_of(words) for words, command in available() if command.tables]


def _words_of(section: str) -> str:
    return section.replace(".", " ")


def _hint(section: str) -> str:
    """Return a hint at what was meant, or that a command makes no section."""
    for words, _ in available():
        if section == section_of(words):
            return f": `lexbeam {words}` makes no tables, and is called by itself"
    return nearest(section, [*_sections(), GATE, *(shared.replace("_", "-") for shared in (*SHARED, FAILURE))])


def _named(path: str, values: Mapping[str, Any], outer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield sections with their options, those within others by their full names."""
    for name, value in values.items():
        section = f"{outer}.{name}" if outer else name
        command = command_of(section) if section_of(section) == section else None
        is_section = command is not None and bool(command.tables)
        if not is_section and not any(words.startswith(f"{_words_of(section)} ") for words in COMMANDS):
            raise UsageError(f"{path}: unknown key {section!r}{_hint(section)}")
        if value is not None and not isinstance(value, dict):
            raise UsageError(
                f"{path}: section {section} must be a mapping of options: write them below it as `name: value`, "
                "a line each, indented and without a dash"
            )
        if is_section:
            yield section, _checked(path, section, value or {})
        else:
            yield from _named(path, value or {}, section)


def _checked(path: str, section: str, value: Mapping[str, Any]) -> dict[str, Any]:
    options = {_plain(str(key)): item for key, item in value.items()}
    for key in (*SHARED, FAILURE, *COMMAND_LINE):
        if key in options:
            place = "on the command line" if key in COMMAND_LINE else "at the top of the file"
            shown = key.replace("_", "-")
            raise UsageError(f"{path}: {shown} belongs {place}, not in {section}")
    return options


def _in_order(path: str, jobs: list[Job]) -> list[Job]:
    """Return jobs, each after those whose tables it reads, otherwise in the order of the file."""
    ordered: list[Job] = []
    left = list(jobs)
    while left:
        waiting = {table for job in left for table in job.command.table_names}
        ready = [j for j in left if not _reads(j) & (waiting - set(j.command.table_names))]
        if not ready:
            names = ", ".join(job.section for job in left)
            raise UsageError(f"{path}: {names} read each other's tables")
        ordered.append(ready[0])
        left.remove(ready[0])
    return ordered


def _reads(job: Job) -> set[str]:
    return {source.table for source in job.reads_here()}
