# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam simplify ...` as functions."""

import os
from collections.abc import Sequence

from lexbeam._calling import act as _act

__all__ = ["train_inflector"]


def train_inflector(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    language: str,
    out: str | os.PathLike[str],
    format: str | None = None,
    overwrite: bool = False,
) -> list[str]:
    """Form dictionaries to one file that inflects: a model.

    Args:
        inputs: form dictionaries: files, folders or globs, compressed or not.
        language: language of the forms, as es.
        out: file of the model.
        format: format of the dictionaries; if not given, it is told from their first lines.
        overwrite: replace another model.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "simplify train-inflector",
        {
            "inputs": inputs,
            "language": language,
            "out": out,
            "format": format,
            "overwrite": overwrite,
        },
    )
