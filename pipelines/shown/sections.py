"""What a manifest says of a section, as lines that a person reads: no digests, no cut lists.

What is left out here stands in `lexbeam show DIR --json`.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipelines.frame.command import Command
from pipelines.frame.registry import command_of
from transforms.common.options.fields import options_of
from transforms.common.shown import LISTED, Block, Grid, columns_with

__all__ = ["section_lines"]

# What a manifest says for other programs: what the section is made with and from, by digest.
_HIDDEN = ("environment", "inputs", "options", "parts", "reads", "resources", "stages")
_DIGESTS = ("compiled", "digest", "fingerprint", "sha256")
_BY_YEAR = "_by_year"


def section_lines(section: str, values: Mapping[str, Any]) -> Iterator[Block]:
    """Yield a section's facts, then its options: those that are not as they are without a word.

    Args:
        section: its name.
        values: what the manifest says of it.
    """
    command = command_of(section)
    told = {name: value for name, value in values.items() if name not in _HIDDEN}
    if command is not None:
        told |= command.reworded(values)
    facts = [("made from", text)] if (text := _made_from(values)) else []
    for name, value in told.items():
        if not _is_table(value) and (text := _text(name, value)):
            facts.append((name.replace("_", " "), text))
    yield Grid(("", ""), tuple(facts), indent=2)
    for name, value in told.items():
        if _is_table(value):
            yield f"  {name.replace('_', ' ')}:"
            yield _rows(value)
    yield from _options(section, values.get("options", {}), command)


def _made_from(values: Mapping[str, Any]) -> str:
    size = len(values.get("inputs") or ())
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


def _options(section: str, given: Mapping[str, Any], command: Command[Any, Any] | None) -> Iterator[Block]:
    defaults = {} if command is None else _defaults(command.options)
    own = [
        (name, _text(name, value) or "none")
        for name, value in given.items()
        if name not in defaults or defaults[name] != value
    ]
    if own:
        yield "  options:"
        yield Grid(("", ""), tuple(own), indent=4)
    if others := len(given) - len(own):
        yield (f"  {others} other option{'s' * (others > 1)} as `lexbeam {section.replace('.', ' ')} --help` says")


def _defaults(options: type) -> dict[str, Any]:
    found = {}
    for entry in options_of(options).values():
        if entry.default is not dataclasses.MISSING:
            default = entry.default
            found[entry.shown] = list(default) if isinstance(default, tuple) else default
    return found


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _rows(rows: Sequence[Mapping[str, Any]]) -> Block:
    heads = list(dict.fromkeys(name for row in rows for name in row))
    sides = [(head.replace("_", " "), ">" if any(_is_number(row.get(head)) for row in rows) else "<") for head in heads]
    return columns_with(sides, [[_text(head, row.get(head)) for head in heads] for row in rows], 4)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(name: str, value: Any) -> str:
    """Return a value in a line, without brackets; empty where there is nothing to say."""
    if value is None or value in ([], {}, ""):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _mapping(name, value)
    if isinstance(value, list):
        return _list([_text("", item) for item in value], value)
    return str(value)


def _mapping(name: str, value: Mapping[str, Any]) -> str:
    if name.endswith(_BY_YEAR):
        years = sorted(int(year) for year in value)
        span = f"{years[0]} to {years[-1]}" if len(years) > 1 else str(years[0])
        return f"{sum(value.values())} in {len(years)} year{'s' * (len(years) > 1)}, {span}"
    kept = {key: inner for key, inner in value.items() if key not in _DIGESTS}
    if list(kept) == ["name"]:
        return _text("", kept["name"])
    shown = [f"{key}: {text}" for key, inner in kept.items() if (text := _text(key, inner))]
    return ", ".join(shown) if len(shown) <= LISTED else f"{len(shown)} entries"


def _list(texts: Sequence[str], values: Sequence[Any]) -> str:
    """Return a list; a long one as a range or, with what it begins and ends with, a count."""
    if len(texts) <= LISTED:
        return ", ".join(texts)
    if all(isinstance(value, int) for value in values):
        ends = sorted(values)
        if ends == list(range(ends[0], ends[-1] + 1)):
            return f"{ends[0]} to {ends[-1]}"
    return f"{len(texts)}, from {texts[0]} to {texts[-1]}"
