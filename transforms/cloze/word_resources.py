"""How the commands of cloze questions name their resources: ratings, WordNet and static vectors, each by its path."""

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.inflection.models import InflectorReference, within_inflector
from lexbeam.transforms.inflection.models import warn_of_languages as warn_of_other_languages
from lexbeam.transforms.lexicon.resources import WORDNET as _WORDNET
from lexbeam.transforms.lexicon.resources import Lexicon, ResourceAlias, check_specs

log = logging.getLogger("lexbeam")

# Names of resources. A model of concreteness may have several lists and vectors: a number follows the name.
RATING_LISTS, STATIC_VECTORS = ResourceAlias("ratings_", "words"), ResourceAlias("vectors_", "vectors")
RATINGS, VECTORS, WORDNET = RATING_LISTS.name, STATIC_VECTORS.name, _WORDNET.name


def vectors_option(more_help: str = "", *, group: str = "resources") -> Any:
    """Return the option `vectors` of a command, of one resource."""
    return option(
        None,
        help=f"static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`{more_help}",
        metavar="FILE|DIR",
        path="resource",
        within=STATIC_VECTORS.within,
        stands_for=STATIC_VECTORS.spec,
        check=check_specs,
        group=group,
    )


def inflector_option(for_what: str) -> Any:
    """Return the option `inflector` of a command."""
    return option(
        None,
        help=f"{for_what}: a file of `lexbeam simplify train-inflector`, or what a package brings",
        metavar="FILE",
        path="file",
        within=within_inflector,
        listed="lexbeam.transforms.inflection.models:LIBRARIES",
        group="resources",
    )


def tags_of(languages: pa.Array) -> pa.Array:
    """Return the languages of pairs by their short tags: `en` for `eng`, `EN` and `en_US`; null where not known."""
    coded = languages.dictionary_encode()
    return pa.array(map(short_tag, coded.dictionary.to_pylist()), pa.string()).take(coded.indices)


def are_of(languages: pa.Array, language: str | None) -> np.ndarray:
    """Return which languages are a language or a variety of it; those that are not known, and all if it is not."""
    if language is None:
        return np.ones(len(languages), bool)
    same = pc.equal(tags_of(languages), short_tag(language)).fill_null(True)
    return np.asarray(same.to_numpy(zero_copy_only=False), bool)


def warn_of_inflector(languages: Iterable[str | None], reference: InflectorReference | None) -> None:
    """Warn where no pair is of the inflector's language; pairs whose language is not known are of none."""
    warn_of_other_languages(reference, {short_tag(language) if language else "unknown" for language in languages})


def check_model_language(languages: Iterable[str | None], language: str | None) -> None:
    """Check that some pair is of the language of a model of concreteness; say of which words it knows nothing.

    Args:
        languages: those of pairs; None: they have none.
        language: that of the model; None: not known.

    Raises:
        UsageError: all pairs are of other languages.
    """
    known = pa.array(sorted(languages, key=lambda name: name or ""), pa.string())
    others = known.filter(pa.array(~are_of(known, language))).to_pylist()
    if others and len(others) == len(known):
        raise UsageError(
            f"`abstractness` is a model of language {language!r}, and the pairs are of {', '.join(others)}: make one "
            "from ratings of their language, or leave out `abstractness` and ask for another `kind`"
        )
    for other in others:
        log.warning("the model of concreteness is of language %r: no word of language %r is abstract", language, other)


def warn_of_languages(languages: Iterable[str | None], lexicon: Lexicon, remedy: str) -> None:
    """Say for which languages there is no WordNet, where some filter uses one.

    Args:
        languages: those of pairs; None: they have none.
        lexicon: the resources.
        remedy: what takes a language.
    """
    for language in sorted(languages, key=lambda name: name or ""):
        if lexicon.find(WORDNET, language) is None:
            log.warning(
                "there is no WordNet for %s: synonyms and antonyms say nothing there, and no word is nonspecific%s",
                f"language {language!r}" if language else "pairs that have no language",
                "" if language else f" ({remedy} takes a language)",
            )
