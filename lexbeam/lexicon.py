# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam lexicon ...` as functions."""

import os
from collections.abc import Sequence

from lexbeam._calling import act as _act

__all__ = ["look"]


def look(
    word: str,
    *,
    pos: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    resources: str | Sequence[str] = (),
) -> list[str]:
    """What every given resource says of a word.

    Args:
        word: the word.
        pos: part of speech, as the resources have it.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        resources: word lists, vectors, WordNet: NAME=FILE:word=COLUMN,value=COLUMN or
            NAME=KIND:..., see docs/reference/resources.md.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("lexicon look", {"word": word, "pos": pos, "cache": cache, "resources": resources})
