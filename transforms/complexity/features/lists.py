"""Options of word lists and WordNet, from which features of words are computed."""

from collections.abc import Sequence
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.complexity.features.wordnet import RESOURCE
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import CacheOptions, ResourceAlias, check_resources, check_specs, path_within

_WORDNET = ResourceAlias(RESOURCE, "wordnet")


def _check_lists(texts: Sequence[str]) -> None:
    check_resources(texts)
    for text in texts:
        spec = parse_spec(text)
        if spec.kind in ("vectors", "wordnet"):
            raise UsageError(f"{spec.name!r} is no word list: give it as `{spec.kind}`")
        if spec.name.endswith("_") or spec.name.endswith(("_first", "_last", "_known", "_sd")):
            raise UsageError(f"a word list cannot be called {spec.name!r}: give another name")


@dataclass(frozen=True, kw_only=True)
class FeatureLists(CacheOptions):
    """What words are looked up in."""

    wordlist: tuple[str, ...] = option(
        (),
        help="word lists, each NAME=FILE:word=COLUMN,value=COLUMN, "
        "see docs/reference/resources.md; the columns are called NAME",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        data="wordlist",
        within=path_within,
        check=_check_lists,
        group="resources",
    )
    wordnet: str | None = option(
        None,
        help="folder of the database files of WordNet, see docs/reference/wordnet.md",
        metavar="PATH",
        path="resource",
        within=_WORDNET.within,
        stands_for=_WORDNET.spec,
        check=check_specs,
        group="resources",
    )
