"""How a section begins in the report: what it is about, and how a newcomer reads it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


def _no_subject(_: Mapping[str, Any]) -> str:
    return ""


class Opening(NamedTuple):
    """The words at the head of a section; a command states it once.

    Attributes:
        title: what the section is about; empty: the doc line of the command.
        text: what is shown, and how to read it.
        options: the options that matter most, as the command line names them, without dashes in front.
        subject: from what the manifest says of the section, what the title ends with, such as slices.
    """

    title: str = ""
    text: str = ""
    options: tuple[str, ...] = ()
    subject: Callable[[Mapping[str, Any]], str] = _no_subject
