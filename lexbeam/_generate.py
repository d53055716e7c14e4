"""Writing of the typed modules from the registry of commands: `python -m lexbeam._generate`.

`commands.py` has a function for each command, a module of their own have the commands that share a
first word (`complexity.py` for `complexity split`), and `views.py` has a method for each view.
Commands from outside are not among them: what is written depends on this repository alone.
"""

import dataclasses
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lexbeam._annotations import named, parameter
from pipelines.command import Command
from pipelines.common_options import PublishOptions
from pipelines.options import LAST
from pipelines.registry import COMMANDS, load, section_of
from transforms.common.options import Option, options_of
from transforms.common.views import View

__all__ = ["MARK", "Told", "formatted", "main", "modules", "own_commands"]

MARK = "# Written by `make api` from the registry of commands: edits are lost.\n"
# Tables and views answer in Python what `show` prints.
LEFT_OUT = ("show",)
# What a name in the package may not be: it has another meaning there.
TAKEN = {"LexbeamError", "Results", "UsageError", "commands", "open", "results", "vectors", "views"}
OF_RESULTS = {"folder", "manifest", "paths", "sections", "snapshot", "table", "tables"}
WIDTH = 100


class Told(NamedTuple):
    """A command, and what the list of commands says of it."""

    command: Command[Any, Any]
    help: str


def modules(commands: Mapping[str, Told]) -> dict[str, str]:
    """Return the text of every module by the name of its file, not formatted yet.

    Args:
        commands: commands by their words.

    Raises:
        ValueError: two things would have one name.
    """
    alone: list[tuple[str, str, Told]] = []
    groups: dict[str, list[tuple[str, str, Told]]] = {}
    for words, told in commands.items():
        first, _, second = words.replace("-", "_").partition(" ")
        place = groups.setdefault(first, []) if second else alone
        place.append((words, second or first, told))
    made = {"commands.py": _commands(alone, sorted(groups)), "views.py": _views(commands)}
    for group, members in groups.items():
        text = f"The commands `lexbeam {group} ...` as functions."
        made[f"{group}.py"] = _module(text, _functions(members), ())
    return made


Member = tuple[str, str, Told]


def _commands(members: Iterable[Member], groups: list[str]) -> str:
    functions = _functions(members)
    for name in [*functions, *groups]:
        if name in TAKEN or (name in functions and name in groups):
            raise ValueError(f"the package `lexbeam` has another {name!r}")
    return _module("The commands as functions.", functions, groups)


def _functions(members: Iterable[Member]) -> dict[str, str]:
    found = {}
    for words, name, told in members:
        command = told.command
        entries = _ordered(command.options)
        before = [entry for entry in entries if entry.name != "dry_run"]
        takes_beam = command.build is not None or command.takes_beam
        publishes = bool(command.tables) or issubclass(command.options, PublishOptions)
        lines = "The lines that the command prints."
        returned = "All that is published in the folder then." if publishes else lines
        if len(before) < len(entries):
            found[f"preview_{name}"] = _function(
                f"preview_{name}",
                f"A look at what `{name}` would take in, with the same options; nothing is written",
                before,
                "list[str]",
                "_preview",
                repr(words),
                lines,
                False,
            )
        found[name] = _function(
            name,
            told.help,
            before,
            "Results" if publishes else "list[str]",
            "_publish" if publishes else "_act",
            repr(words),
            returned,
            takes_beam,
        )
    return found


def _ordered(cls: type) -> list[Option]:
    """Return options as functions have them: by position, needed, then by headings as in help."""
    entries = list(options_of(cls).values())
    filled = {entry.fills for entry in entries}

    def turn(entry: Option) -> tuple[bool, bool, int]:
        needed = entry.default is dataclasses.MISSING or entry.name in filled
        late = LAST.index(entry.group) + 1 if entry.group in LAST else 0
        return not entry.positional, not needed, late

    return sorted(entries, key=turn)


def _function(
    name: str,
    help: str,
    entries: list[Option],
    returns: str,
    by: str,
    asked: str,
    returned: str,
    takes_beam: bool,
    method: bool = False,
) -> str:
    """Return the text of a function that hands its arguments on, by name, to another one."""
    filled = {entry.fills: entry.name for entry in entries if entry.fills}
    parameters = ["self"] if method else []
    notes = []
    for number, entry in enumerate(entries):
        positional = entry.positional or (method and number == 0)
        if not positional and "*" not in parameters:
            parameters.append("*")
        parameters.append(parameter(entry, entry.name in filled))
        notes.append((named(entry), _note(entry, filled.get(entry.name))))
    if takes_beam:
        if "beam" in (entry.name for entry in entries):
            raise ValueError(f"{name} has an option `beam` beside those of Beam")
        parameters.append("beam: Sequence[str] = ()")
        notes.append(("beam", "Beam options, as they stand on the command line"))
    values = ", ".join(f"{entry.name!r}: {named(entry)}" for entry in entries)
    lines = [
        f"def {name}({', '.join(parameters)}) -> {returns}:",
        *_docstring(help, notes, returned, WIDTH - 4 * method),
        f"    return {by}({asked}, {{{values}}}{', beam' if takes_beam else ''})",
    ]
    return "\n".join(lines) + "\n"


def _docstring(help: str, notes: list[tuple[str, str]], returned: str, width: int) -> Iterator[str]:
    yield f'    """{help[0].upper()}{help[1:]}.'
    yield "\n    Args:"
    for name, text in notes:
        text = text.replace("\\", "\\\\")
        yield textwrap.fill(f"{name}: {text}.", width, initial_indent=" " * 8, subsequent_indent=" " * 12)
    yield f"\n    Returns:\n        {returned}"
    yield "\n    Raises:"
    yield "        UsageError: an option is wrong, or missing."
    yield "        LexbeamError: it failed, for the reason told."
    yield '    """'


def _note(entry: Option, filler: str | None) -> str:
    text = entry.help
    if filler:
        text += f"; if not given, the one of `{filler}`"
    bounds = [("at least", entry.least), ("at most", entry.most)]
    told = [f"{word} {value}" for word, value in bounds if value is not None]
    return text + (f" ({', '.join(told)})" if told else "")


def _views(commands: Mapping[str, Told]) -> str:
    methods: dict[str, str] = {}
    # A view that several commands share is one method.
    sections: dict[tuple[str, int], list[str]] = {}
    entries: dict[tuple[str, int], View[Any]] = {}
    for words, told in commands.items():
        for view, entry in told.command.views.items():
            sections.setdefault((view, id(entry)), []).append(section_of(words))
            entries[view, id(entry)] = entry
    for (view, same), entry in entries.items():
        for text in _methods(view.replace("-", "_"), sections[view, same], view, entry):
            found = text.partition("(")[0].removeprefix("def ")
            if found in methods or found in OF_RESULTS:
                raise ValueError(f"`Results` has another {found!r}")
            methods[found] = text
    body = "\n".join(textwrap.indent(text, "    ") for text in methods.values())
    head = 'class Views:\n    """Questions to published tables."""\n\n    snapshot: Snapshot\n'
    return _module("The views of the published sections as methods.", {"Views": f"{head}\n{body}"}, ())


def _methods(name: str, sections: Sequence[str], view: str, entry: View[Any]) -> Iterator[str]:
    entries = list(options_of(entry.options).values())
    of = repr(sections[0] if len(sections) == 1 else tuple(sections))
    asked = f"self.snapshot, {of}, {view!r}"
    yield _function(name, entry.help, entries, "pa.Table", "_ask", asked, "The answer as rows.", False, method=True)
    if entry.told is not None:
        yield _function(
            f"tell_{name}",
            entry.help,
            entries,
            "list[str]",
            "_tell",
            asked,
            "The answer as lines for a person.",
            False,
            method=True,
        )


# Names that functions may use, and where they come from; those of options cannot begin with `_`.
_KNOWN = {
    "os.PathLike": "import os",
    "Sequence[": "from collections.abc import Sequence",
    "Literal[": "from typing import Literal",
    "pa.Table": "import pyarrow as pa",
    "_act(": "from lexbeam._calling import act as _act",
    "_ask(": "from lexbeam._asking import ask as _ask",
    "_preview(": "from lexbeam._calling import preview as _preview",
    "_publish(": "from lexbeam._calling import publish as _publish",
    "_tell(": "from lexbeam._asking import tell as _tell",
    "-> Results": "from lexbeam.results import Results",
    "snapshot: Snapshot": "from transforms.common.snapshots import Snapshot",
}


def _imports(body: str, groups: Iterable[str] = ()) -> str:
    lines = [line for use, line in _KNOWN.items() if use in body]
    lines += [f"from lexbeam import {group}" for group in groups]
    return "\n".join(lines) + "\n"


def _module(text: str, functions: Mapping[str, str], groups: Iterable[str]) -> str:
    body = "\n\n".join(functions[name] for name in sorted(functions))
    names = sorted([*functions, *groups])
    imports = _imports(body, groups)
    return f'{MARK}"""{text}"""\n\n{imports}\n__all__ = {names!r}\n\n\n{body}'


def formatted(text: str) -> str:
    """Return a module as ruff has it, imports in order."""
    for words in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", "lexbeam/commands.py"]
        done = subprocess.run(
            [*command, "-"], input=text, capture_output=True, text=True, check=True, cwd=_FOLDER.parent
        )
        text = done.stdout
    return text


_FOLDER = Path(__file__).resolve().parent


def own_commands() -> dict[str, Told]:
    """Return the commands that are written: those of this repository, but for `show`."""
    found = {name: entry for name, entry in COMMANDS.items() if name not in LEFT_OUT}
    return {name: Told(load(name), entry.help) for name, entry in found.items()}


def main() -> None:
    """Write the modules, and remove those of commands that are no more."""
    made = modules(own_commands())
    for path in sorted(_FOLDER.glob("*.py")):
        if path.name not in made and path.read_text("utf-8").startswith(MARK):
            os.remove(path)
    for name, text in made.items():
        (_FOLDER / name).write_text(formatted(text), "utf-8")


if __name__ == "__main__":
    main()
