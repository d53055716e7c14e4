"""Resources that several commands of simplification look words up in: their options, stated once, and their use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.inflection.models import within_inflector
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import (
    CacheOptions,
    Lexicon,
    ResourceAlias,
    check_resources,
    check_specs,
    path_within,
)

VECTORS = ResourceAlias("vectors_", "vectors")


@dataclass(frozen=True, kw_only=True)
class InflectorFile:
    """What inflects."""

    inflector: str | None = option(
        None,
        help="forms of lemmas, and lemmas of forms: a file of `lexbeam simplify train-inflector`",
        metavar="FILE",
        path="file",
        within=within_inflector,
        listed="lexbeam.transforms.inflection.models:LIBRARIES",
        group="resources",
    )


@dataclass(frozen=True, kw_only=True)
class VectorsFile(CacheOptions):
    """Static vectors."""

    vectors: str | None = option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=VECTORS.within,
        stands_for=VECTORS.spec,
        check=check_specs,
        group="resources",
    )


@dataclass(frozen=True, kw_only=True)
class WordlistFiles(CacheOptions):
    """Word lists, such as frequencies."""

    wordlist: tuple[str, ...] = option(
        (),
        help="word lists, NAME=FILE:word=COLUMN,value=COLUMN or NAME=wordfreq:LANG; the first settles ties and is "
        "what rankers take where none is named, the regressor takes all",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        data="wordlist",
        within=path_within,
        check=check_resources,
        group="resources",
    )

    @property
    def list_names(self) -> tuple[str, ...]:
        """The names of word lists, each once, in the order in which they were given."""
        return tuple(dict.fromkeys(parse_spec(spec).name for spec in self.wordlist))


def by_language(lexicon: Lexicon, name: str, languages: Sequence[str]) -> Iterator[tuple[list[int], Any]]:
    """Yield each resource of a name with the places whose language it serves; others have none.

    Args:
        lexicon: all resources.
        languages: of what is looked up, by place.
    """
    for rows, resource in lexicon.by_language(name, pa.array(languages, pa.string())):
        if resource is not None and len(rows):
            yield rows.tolist(), resource
