"""How a thesaurus is written: `thesaurus:FILE[:format=mythes|tab,encoding=,language=]`."""

from collections.abc import Collection
from dataclasses import dataclass

from transforms.formats.records.base import ReaderOptions
from transforms.lexicon.compiled.kind import Parsed
from transforms.lexicon.compiled.specs import choice, split_spec

__all__ = ["FORM", "ThesaurusOptions", "parse"]

_KEYS = ("format", "encoding", "language")
FORM = "thesaurus:FILE[:format=mythes|tab,encoding=,language=]"


@dataclass(frozen=True, kw_only=True)
class ThesaurusOptions:
    """How a thesaurus is read.

    Attributes:
        format: an entry of `reading.READERS`; empty: told from the file's begin.
        encoding: of the text; empty: that which a MyThes file names, else UTF-8.
    """

    format: str = ""
    encoding: str = ""


def parse(argument: str, formats: Collection[str]) -> Parsed:
    """Return what a person's words say of a thesaurus.

    Args:
        argument: what stands behind `thesaurus:`.
        formats: names of formats.

    Raises:
        UsageError: they are not of the form, or there is no such encoding.
    """
    path, given = split_spec(argument, _KEYS, form=FORM)
    encoding = given.get("encoding", "")
    if encoding:
        encoding = ReaderOptions(encoding=(encoding,)).encoding[0]
    options = ThesaurusOptions(format=choice(given, "format", formats, ""), encoding=encoding)
    return Parsed((path,), options, given.get("language"))
