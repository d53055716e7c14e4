"""What commands read: the files that a corpus is made of, and corpora as tasks read them."""

import fnmatch
import os
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from pipelines.command import Inputs
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options import options_of, value_of
from transforms.common.resources import content_digest
from transforms.common.tables import Part
from transforms.corpora.corpus import Corpus
from transforms.formats.ingest import InputFile
from transforms.formats.registry import printable

__all__ = [
    "corpora_of", "list_inputs", "noted_files", "noted_resources", "refuse_output_as_input",
]  # fmt: skip


def list_inputs(inputs: Sequence[str], exclude: Sequence[str], out: str) -> list[InputFile]:
    """List the input files once each, sorted by name.

    Names are relative to the named folder (of a file: the folder it is in); with several folders
    the folder's own name comes first. `exclude` are patterns of the name below the input, or of
    its last parts; they leave out files, never members of archives.

    Raises:
        UsageError: `out` is an input.
        LexbeamError: no files are there, or none are left.
    """
    refuse_output_as_input(inputs, out)
    roots = sorted({files.root_of(path) for path in inputs})
    labels: dict[str, str] = {}
    for root in roots:
        label = os.path.basename(root.rstrip("/")) or "input"
        same = sum(other.partition("~")[0] == label for other in labels.values())
        labels[root] = f"{label}~{same + 1}" if same else label
    listed: dict[str, InputFile] = {}
    for path in inputs:
        root = files.root_of(path)
        holds_out = _lies_in(out, root)
        inside = files.real(out).rstrip("/") + "/"
        for entry in files.list_files(path):
            if any(_matches(entry.name, pattern) for pattern in exclude):
                continue
            if holds_out and files.real(entry.path).startswith(inside):
                continue  # what an earlier run published below the input
            name = f"{labels[root]}/{entry.name}" if len(roots) > 1 else entry.name
            name = printable(name)
            listed.setdefault(entry.path, InputFile(name, entry.path, entry.size, labels[root]))
    if not listed:
        raise LexbeamError("no input files are left after `exclude`")
    return sorted(listed.values())


def refuse_output_as_input(inputs: Sequence[str], out: str) -> None:
    """Check that the folder to publish to is not an input folder, before anything is written there.

    Raises:
        UsageError: it is one.
    """
    for path in inputs:
        if files.real(files.root_of(path)) == files.real(out):
            raise UsageError(f"`out` is the input folder {path!r}: give another `out`")


def _lies_in(path: str, folder: str) -> bool:
    return files.real(path).startswith(files.real(folder).rstrip("/") + "/")


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatch(name, pattern) or PurePosixPath(name).match(pattern)


def noted_files(paths: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of files by their absolute paths."""
    return {path: content_digest(path) for path in map(files.absolute, paths)}


def noted_resources(options: Any) -> dict[str, list[str]]:
    """Return the digests of the sources of resources, by what options say of them."""
    named = [name for name, entry in options_of(type(options)).items() if entry.path == "resource"]
    texts = [text for name in named for text in value_of(options, name)]
    if not texts:
        return {}
    from transforms.lexicon.resources import source_digests

    return {text: list(source_digests(text)) for text in texts}


def corpora_of(inputs: Inputs) -> list[Corpus]:
    """Return the corpora whose tables a command has named, in its order."""
    tables: dict[int, dict[str, tuple[Part, ...]]] = {}
    for given in inputs.given:
        tables.setdefault(id(given.section), {})[given.table] = given.parts
    first = {id(given.section): given for given in reversed(inputs.given)}
    return [Corpus(parts, first[key].section, first[key].own) for key, parts in tables.items()]
