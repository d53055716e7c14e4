"""The commands: a line each, imported when asked for.

Commands from outside are entry points of the group `lexbeam.commands`: the name is the command's
words (`complexity split`), the value `package.module:COMMAND`, and the help in the list of commands
is the first line of the module's docstring.
"""

import functools
import importlib
import importlib.metadata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from transforms.common.errors import LexbeamError

if TYPE_CHECKING:
    from pipelines.command import Command
    from schemas import Table

__all__ = [
    "COMMANDS", "DESCRIPTION", "GROUP", "Entry", "all_tables", "command_of", "commands", "load",
    "loaded", "maker_of", "section_of",
]  # fmt: skip

GROUP = "lexbeam.commands"

DESCRIPTION = """\
Lexbeam turns raw corpora into lexical-semantics datasets and Parquet features.

  lexbeam sample --out sample --tokens 300000 --seed 1
  lexbeam run sample/config.yaml
  lexbeam show sample/results --top 20
"""


class Entry(NamedTuple):
    """A command that is not imported yet: `module:NAME`, and what the list of commands says."""

    where: str
    help: str


COMMANDS: dict[str, Entry] = {
    "corpus": Entry("pipelines.corpus:CORPUS", "raw text to annotated sentences"),
    "change": Entry(
        "pipelines.change:CHANGE", "time slices, embeddings, alignments and change scores"
    ),
    "run": Entry("pipelines.run:RUN", "any commands from one configuration file, published once"),
    "show": Entry("pipelines.show:SHOW", "show tables, or answer questions about them"),
    "report": Entry("pipelines.report:REPORT", "one HTML page about all that is published"),
    "export": Entry("pipelines.export:EXPORT", "vectors, as trained or aligned, for other tools"),
    "status": Entry("pipelines.status:STATUS", "what is done, left and stale in a folder"),
    "clean": Entry(
        "pipelines.clean:CLEAN", "free artefacts, and what killed runs have left in a folder"
    ),
    "sample": Entry("pipelines.sample:SAMPLE", "write a sample corpus with planted sense changes"),
}


@functools.cache
def commands() -> Mapping[str, Entry]:
    """Return all commands, those from outside last."""
    found = dict(COMMANDS)
    for point in sorted(importlib.metadata.entry_points(group=GROUP)):
        if point.name not in COMMANDS:
            found[point.name] = Entry(point.value, f"from {point.module}")
    return found


@functools.cache
def load(name: str) -> "Command[Any, Any]":
    """Return a command by its words.

    Raises:
        LexbeamError: it cannot be imported.
    """
    from pipelines.command import Command  # with Arrow, which `--help` has no need of

    where = commands()[name].where
    module, _, attribute = where.partition(":")
    try:
        command = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise LexbeamError(f"command {name!r} cannot be loaded from {where}: {error}") from error
    if not isinstance(command, Command):
        raise LexbeamError(f"command {name!r}: {where} is not a Command")
    _LOADED.append(command)
    return command


_LOADED: list["Command[Any, Any]"] = []


def loaded() -> "tuple[Command[Any, Any], ...]":
    """Return the commands that have been loaded, in the order in which they were."""
    return tuple(_LOADED)


def section_of(name: str) -> str:
    """Return the section that a command makes: `complexity.split` for `complexity split`."""
    return name.replace(" ", ".")


def command_of(section: str) -> "Command[Any, Any] | None":
    """Return the command that makes a section; None if there is none (any more)."""
    name = section.replace(".", " ")
    return load(name) if name in commands() else None


@functools.cache
def all_tables() -> "Mapping[str, Table]":
    """Return every table that a command makes, by name."""
    return {table.name: table for name in commands() for table in load(name).tables}


def maker_of(table: str) -> str | None:
    """Return the words of the command that makes a table."""
    return next((name for name in commands() if table in load(name).table_names), None)
