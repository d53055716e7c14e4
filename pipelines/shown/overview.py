"""What is published in a folder, section by section and table by table.

Sections are shown without digests and long lists; `lexbeam show DIR --json` has those.

How a report and its sections begin (titles, sentences, the options that matter, version and command) is taken from
the manifest, whose paths are names of files without their folders, and which does not have all of them.
"""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.registry import COMMANDS, command_of, load, section_of
from lexbeam.pipelines.frame.staleness import stale_sections
from lexbeam.pipelines.shown.rows import first_rows, is_number, rows_at
from lexbeam.transforms.common.options.fields import options_of, plain_defaults
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.publish.holding import FAILED
from lexbeam.transforms.common.publish.manifests import is_idle
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import LISTED, Block, Grid, columns_with
from lexbeam.transforms.common.store import files
from lexbeam.transforms.report.panels import Head

# What a manifest says of a section for this program alone.
HIDDEN = ("parts", "stages")
# What a manifest says for other programs: digests of what the section is made with and from.
_HIDDEN = ("environment", "inputs", "options", "parts", "reads", "resources", "stages")
_DIGESTS = ("compiled", "digest", "fingerprint", "sha256")
_BY_YEAR = "_by_year"


def in_order(snapshot: Snapshot) -> list[str]:
    """Return the published tables by section, in the order in which its command names them."""
    tables: list[str] = []
    for section in snapshot.sections:
        command = command_of(section)
        named = command.table_names if command is not None else ()
        tables += [name for name in named if name in snapshot.tables]
    return [*tables, *(name for name in snapshot.tables if name not in tables)]


def overview(path: str, snapshot: Snapshot) -> Iterator[Block]:
    """Yield the tables of a snapshot, and what its manifest says of each section."""
    yield f"{path}:"
    tables = [[name, str(snapshot.tables[name]["rows"]), _row_of(snapshot.paths(name))] for name in in_order(snapshot)]
    yield columns_with((("table", "<"), ("rows", ">"), ("a row is", "<")), tables, 2)
    for section, why in snapshot.held.items():
        there = "" if section in snapshot.sections else "; nothing is published of it"
        yield f"held: {section}: {why}{there}"
    stale = stale_sections(snapshot)
    for section, values in snapshot.sections.items():
        yield f"\n{section}:"
        for reason in stale.get(section, ()):
            yield f"  stale: {reason}"
        yield from section_lines(section, values)
    yield ""


def overview_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return what `overview` shows as plain values."""
    stale = stale_sections(snapshot)
    return {
        "tables": {name: snapshot.tables[name]["rows"] for name in in_order(snapshot)},
        "sections": {
            section: {
                **{name: value for name, value in values.items() if name not in HIDDEN},
                "stale": stale.get(section, []),
            }
            for section, values in snapshot.sections.items()
        },
        "held": snapshot.held,
    }


def describe_table(name: str, paths: Sequence[str], rows: int, *, columns: bool = True) -> Iterator[Block]:
    """Yield what a table is, and its first rows.

    Args:
        columns: whether to describe its columns as well.
    """
    about = _row_of(paths)
    total = sum(_row_count(path) for path in paths)
    counted = f"{total} row{'' if total == 1 else 's'}"
    shown = list(islice(rows_at(paths), rows))
    first = f"; the first {len(shown)}:" if len(shown) < total and shown else ":" if shown else ""
    yield f"{name}: {counted}" + (f"; a row is {about}" if about else "") + first
    if shown:
        yield first_rows(shown, 2)
    if columns:
        yield "\ncolumns:"
        yield _columns(paths)
    yield ""


def _columns(paths: Sequence[str]) -> Block:
    cells = []
    for field in _schema(paths):
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        kind = str(field.type) + ("" if field.nullable else " not null")
        notes = "; ".join(meta[key] for key in ("unit", "range") if key in meta)
        cells.append([field.name, kind, meta.get("doc", ""), notes])
    heads = (("column", "<"), ("type", "<"), ("about", "<"), ("unit, range", "<"))
    return columns_with(heads, cells, 2)


def _schema(paths: Sequence[str]) -> pa.Schema:
    with files.open_read(paths[0]) as stream:
        return pq.read_schema(stream)


def _row_of(paths: Sequence[str]) -> str:
    row: bytes = (_schema(paths).metadata or {}).get(b"lexbeam.row", b"")
    return row.decode()


def _row_count(path: str) -> int:
    with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
        return int(reader.metadata.num_rows)


def section_lines(section: str, values: Mapping[str, Any]) -> Iterator[Block]:
    """Yield a section's facts, then its options that differ from their defaults."""
    command = command_of(section)
    entries = {name: value for name, value in values.items() if name not in _HIDDEN}
    if command is not None and not is_idle(values):
        entries |= command.reworded(values)
    facts = [("made from", text)] if (text := _made_from(values)) else []
    for name, value in entries.items():
        if not _is_table(value) and (text := in_words(name, value)):
            facts.append((name.replace("_", " "), text))
    yield Grid(("", ""), tuple(facts), indent=2)
    for name, value in entries.items():
        if _is_table(value):
            yield f"  {name.replace('_', ' ')}:"
            yield _rows(value)
    yield from _options(section, values.get("options", {}), command)


def _made_from(values: Mapping[str, Any]) -> str:
    inputs = values.get("inputs") or ()
    size = inputs.get("files", 0) if isinstance(inputs, Mapping) else len(inputs)
    made: dict[str, list[str]] = {}
    for read in values.get("reads") or ():
        if isinstance(read, Mapping):
            made.setdefault(read.get("section") or "", []).append(str(read.get("table")))
    tables = [
        f"{', '.join(dict.fromkeys(names))}{f' of {section}' if section else ''}" for section, names in made.items()
    ]
    if not size:
        return "; ".join(tables)
    counted = f"{size} {'part' if made else 'file'}{'' if size == 1 else 's'}"
    return f"{'; '.join(tables)} ({counted})" if tables else counted


def _options(section: str, options: Mapping[str, Any], command: Command[Any, Any] | None) -> Iterator[Block]:
    changed = [(name, in_words(name, value) or "none") for name, value in changed_options(options, command).items()]
    if changed:
        yield "  options:"
        yield Grid(("", ""), tuple(changed), indent=4)
    if others := len(options) - len(changed):
        yield (f"  {others} other option{'s' * (others > 1)} as `lexbeam {section.replace('.', ' ')} --help` says")


def changed_options(options: Mapping[str, Any], command: Command[Any, Any] | None) -> dict[str, Any]:
    """Return the options of a section in a manifest that are not at their defaults."""
    defaults = {} if command is None else plain_defaults(command.options)
    return {name: value for name, value in options.items() if name not in defaults or defaults[name] != value}


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _rows(rows: Sequence[Mapping[str, Any]]) -> Block:
    heads = list(dict.fromkeys(name for row in rows for name in row))
    sides = [(head.replace("_", " "), ">" if any(is_number(row.get(head)) for row in rows) else "<") for head in heads]
    return columns_with(sides, [[in_words(head, row.get(head)) for head in heads] for row in rows], 4)


def in_words(name: str, value: object) -> str:
    """Return a value in a line, without brackets; empty if there is nothing to say."""
    if value is None or value in ([], {}, ""):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _mapping(name, value)
    if isinstance(value, list):
        return _list([in_words("", item) for item in value], value)
    return str(value)


def _mapping(name: str, value: Mapping[str, Any]) -> str:
    if name.endswith(_BY_YEAR):
        years = sorted(int(year) for year in value)
        span = f"{years[0]} to {years[-1]}" if len(years) > 1 else str(years[0])
        return f"{sum(value.values())} in {len(years)} year{'s' * (len(years) > 1)}, {span}"
    entries = {key: inner for key, inner in value.items() if key not in _DIGESTS}
    if list(entries) == ["name"]:
        return in_words("", entries["name"])
    shown = [f"{key}: {text}" for key, inner in entries.items() if (text := in_words(key, inner))]
    return ", ".join(shown) if len(shown) <= LISTED else f"{len(shown)} entries"


def _list(texts: Sequence[str], values: Sequence[object]) -> str:
    """Return a list in a line; a long list as a range, or as a count with its first and last item."""
    if len(texts) <= LISTED:
        return ", ".join(texts)
    numbers = sorted(value for value in values if isinstance(value, int))
    if len(numbers) == len(values) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return f"{len(texts)}, from {texts[0]} to {texts[-1]}"


NAMED = 3  # sections in the title of the page


def page_head(snapshot: Snapshot) -> Head:
    """Return the head of a report: which folder, what is in it, and what its texts are, if that was said."""
    folder = _folder(snapshot)
    there = [section for words in COMMANDS if (section := section_of(words)) in snapshot.sections]
    titles = [title[:1].lower() + title[1:] for title in map(_title, there)]
    others = f" and {len(titles) - NAMED} more" if len(titles) > NAMED else ""
    abouts = dict.fromkeys(
        section["about"] for section in snapshot.sections.values() if isinstance(section.get("about"), str)
    )
    return Head(
        f"{folder}: {', '.join(titles[:NAMED])}{others}",
        f"What Lexbeam has published in the folder {folder}, section by section: each says first what it shows "
        "and with which options it was made. The numbers of every chart can be opened as a table below it.",
        notes=(*abouts, *_held_notes(snapshot)),
    )


def _held_notes(snapshot: Snapshot) -> Iterator[str]:
    """Yield which sections are not of the last run, and why."""
    for section, why in snapshot.held.items():
        state = "is as it was published before" if section in snapshot.sections else "is missing"
        yield f"Section {section} {state}: the last run held it back, since it {_AS_SAID.get(why, why)}."


_AS_SAID = {FAILED: "has failed"}


def section_head(snapshot: Snapshot, section: str) -> Head:
    """Return the head of a section: its title, how to read it, the options that matter, version and command."""
    command = load(section.replace(".", " "))
    opening, values = command.opening, snapshot.section(section)
    subject, options = "" if is_idle(values) else opening.subject(values), values.get("options", {})
    shown = [name for name in opening.options if name in options]
    facts = [(name.replace("-", " "), in_words(name, options[name]) or "none") for name in shown]
    if build := snapshot.made_by(section):
        facts.append(("made by", f"Lexbeam {build}"))
    facts.append(
        ("command, without paths", f"`{shlex.join(_command_line(section, options, command, _folder(snapshot)))}`")
    )
    title = _title(section)
    notes = (f"Empty: {values['empty']}.",) if "empty" in values else ()
    return Head(f"{title}: {subject}" if subject else title, opening.text, tuple(facts), notes)


def _title(section: str) -> str:
    words = section.replace(".", " ")
    return load(words).opening.title or COMMANDS[words].doc


def _folder(snapshot: Snapshot) -> str:
    return os.path.basename(files.absolute(snapshot.out).rstrip("/"))


def _command_line(section: str, options: Mapping[str, Any], command: Command[Any, Any], folder: str) -> Iterator[str]:
    """Yield the words of a command line that makes a section; the folders of paths are left out."""
    yield from ("lexbeam", *section.split("."))
    entries = {entry.shown: entry for entry in options_of(command.options).values()}
    changed = changed_options(options, command)
    for name, value in changed.items():
        if name in entries and entries[name].positional:
            yield from map(str, value if isinstance(value, list) else [value])
    yield from ("--out", folder)
    for name, value in changed.items():
        if value is not None and name in entries and not entries[name].positional:
            yield from _flag(entries[name], value)


def _flag(entry: Option, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"--{'' if value else 'no-'}{entry.shown}"
    elif isinstance(value, list) and not entry.split:
        for item in value:
            yield from (f"--{entry.shown}", str(item))
    else:
        yield from (f"--{entry.shown}", ",".join(map(str, value)) if isinstance(value, list) else str(value))
