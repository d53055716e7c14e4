"""Type stubs of the functions and views that are made on first use: `python -m lexbeam._stubs [FOLDER]`.

`__init__.pyi` has a function for each command; commands that share a first word have a stub of their
own; `views.pyi` has a method for each view. They hold Lexbeam's own commands alone. Packaging writes
them into the installed package, `make api` beside the modules; none is in git.
"""

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import lexbeam
from lexbeam import _groups
from lexbeam._shown import view_methods
from lexbeam.pipelines.frame.registry import COMMANDS, CommandEntry
from lexbeam.results import Results

# Names that have another meaning in the package.
TAKEN = {"LexbeamError", "Lines", "Results", "ArrowTable", "UsageError", "open", "results", "vectors", "views"}
IMPORTS = """\
import collections.abc
import os
import typing
from typing import *

import lexbeam._shown
import lexbeam._data
import lexbeam.results
"""
PACKAGE = """\
from lexbeam import {groups}
from lexbeam._keyed import vectors as vectors
from lexbeam._shown import Lines as Lines
from lexbeam._shown import ArrowTable as ArrowTable
from lexbeam.results import Results as Results
from lexbeam.results import open_results as open
from lexbeam.transforms.common.errors import LexbeamError as LexbeamError
from lexbeam.transforms.common.errors import UsageError as UsageError

__version__: str
"""


def stubs() -> dict[str, str]:
    """Return the text of every stub by the name of its file.

    Raises:
        ValueError: a name is taken.
    """
    check_names(COMMANDS.ours(), view_methods())
    shared = ", ".join(f"{group} as {group}" for group in _groups.groups())
    texts = {"views.pyi": _module([_views()], "from lexbeam.transforms.common.publish.snapshots import Snapshot\n")}
    for group in ("", *_groups.groups()):
        module = getattr(lexbeam, group) if group else lexbeam
        functions = (getattr(module, name) for name in _groups.names(group))
        more = "" if group else PACKAGE.format(groups=shared)
        texts[f"{group or '__init__'}.pyi"] = _module([_function(f) for f in functions if inspect.isfunction(f)], more)
    return texts


def check_names(entries: Mapping[str, CommandEntry], views: Iterable[str]) -> None:
    """Check that no command and no view has a name that is taken.

    Raises:
        ValueError: a name is taken.
    """
    places = _groups.places(entries)
    for name in (place.name for place in places if not place.group):
        if name in TAKEN or name in _groups.groups(entries):
            raise ValueError(f"the package `lexbeam` has another {name!r}")
    for name in TAKEN.intersection(_groups.groups(entries)):
        raise ValueError(f"the package `lexbeam` has another {name!r}")
    for name in views:
        if name in vars(Results) or name in Results.__annotations__:
            raise ValueError(f"`Results` has another {name!r}")


def _views() -> str:
    methods = "\n".join(textwrap.indent(_function(method), "    ") for method in view_methods().values())
    return f"class Views:\n    snapshot: Snapshot\n\n{methods}"


def _function(function: Callable[..., Any]) -> str:
    text = str(function.__doc__).replace("\\", "\\\\").replace('"', '\\"')
    body = textwrap.indent(f'"""{text}\n"""', "    ")
    signatures = getattr(function, "overloads", ())
    if not signatures:
        return f"def {function.__name__}{inspect.signature(function)}:\n{body}\n"
    return "\n".join(f"@overload\ndef {function.__name__}{signature}:\n{body}\n" for signature in signatures)


def _module(definitions: Iterable[str], imports: str) -> str:
    return "\n".join([IMPORTS + imports, *definitions])


def main() -> None:
    """Write the stubs into a folder, or beside the modules."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else __file__.removesuffix("_stubs.py"))
    made = stubs()
    for path in folder.glob("*.pyi"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
