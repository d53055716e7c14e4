"""Errors that a person is meant to read: cause, place and remedy, without a traceback."""

__all__ = ["LexbeamError", "UsageError", "nearest"]

import difflib
from collections.abc import Iterable


class LexbeamError(Exception):
    """Something failed for a reason that the message explains; the command exits with 1."""


class UsageError(LexbeamError):
    """The command or configuration is wrong; the command exits with 2."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'X'?"` for the known word nearest to `word`, else an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
