"""Pairs of other folders, whose texts readers learn from: option `more` of the commands that train them."""

from collections.abc import Collection, Sequence
from typing import Any

import pyarrow.compute as pc

from lexbeam.pipelines.frame.command import Inputs, TableSource
from lexbeam.schemas.cloze import PAIRS
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, read_rows


def more_option() -> Any:
    """Return the option of folders with further pairs."""
    return option(
        (),
        help="folders of `lexbeam cloze pairs`, such as news without questions, whose texts readers learn from, too",
        metavar="PAIRS_DIR",
        path="place",
        published=False,
        group="readers",
    )


def check_more(more: Sequence[str], folder: str) -> None:
    """Check folders of further pairs; `folder` is that of the questions.

    Raises:
        UsageError: one is that of the questions, or given twice.
    """
    places = [files.real(folder), *map(files.real, more)]
    for number, name in enumerate(more, 1):
        if places[number] == places[0]:
            raise UsageError(f"`more` names {name}, the folder itself, whose texts readers learn from anyway")
        if places[number] in places[:number]:
            raise UsageError(f"`more` names {name} twice: leave one out")


def sources_of_more(more: Sequence[str]) -> list[TableSource]:
    """Return the tables of further pairs; they are named behind those of the questions."""
    return [TableSource(PAIRS.name, folder) for folder in more]


def own_and_more(inputs: Inputs) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return the parts of the pairs of the questions, and those of further ones."""
    own, *others = inputs.of(PAIRS.name)
    return own.parts, tuple(part for table in others for part in table.parts)


def languages_of(pairs: Sequence[Part], more: Sequence[Part] = (), asked: Collection[str] | None = None) -> set[str]:
    """Return the languages of pairs, empty for an unknown one.

    Args:
        pairs: those of the questions.
        more: further ones.
        asked: languages of the questions; None: all of `pairs`.

    Raises:
        LexbeamError: there are further pairs, and none is of such a language.
    """
    own, others = _languages(pairs), _languages(more)
    wanted = own if asked is None else set(asked)
    if more and not others & wanted:
        raise LexbeamError(
            f"the pairs of `more` are in {_named(others)}, the questions in {_named(wanted)}: make those pairs "
            "with the `language` of the questions"
        )
    return own


def _languages(parts: Sequence[Part]) -> set[str]:
    languages: set[str] = set()
    for rows in read_rows([checked(part) for part in parts], ["language"]):
        languages.update(pc.unique(pc.fill_null(rows["language"], "")).to_pylist())
    return languages


def _named(languages: Collection[str]) -> str:
    return ", ".join(language or "an unknown language" for language in sorted(languages)) or "no language"
