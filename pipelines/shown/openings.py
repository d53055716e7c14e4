"""How a report and its sections begin: titles, sentences, the options that matter, version and command.

It is taken from the manifest, whose paths are names of files without their folders, and which does not have all
of them.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.overview import changed_options, in_words
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.publish.holding import FAILED
from lexbeam.transforms.common.publish.layout import is_idle
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.report.panels import Head

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
