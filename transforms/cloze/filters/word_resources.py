"""How WordNet and static vectors are given to commands of cloze questions: as resources."""

import logging
from collections.abc import Iterable
from typing import Any

from transforms.cloze.filters.base import VECTORS, WORDNET
from transforms.common.options.fields import option
from transforms.common.options.option import Within
from transforms.lexicon.kinds import parse_spec
from transforms.lexicon.resources import Lexicon, path_within

__all__ = [
    "as_vectors",
    "as_wordnet",
    "check_spec",
    "static_vectors",
    "warn_of_languages",
    "within_vectors",
    "within_wordnet",
]

log = logging.getLogger("lexbeam")


def as_wordnet(path: str) -> str:
    """Return the resource that a path to WordNet is."""
    return path if path.startswith(f"{WORDNET}=") else f"{WORDNET}=wordnet:{path}"


def within_wordnet(text: str) -> Within | None:
    """Return where in the words of `as_wordnet`, or of what is given to it, the path is."""
    return path_within(as_wordnet(text))


def as_vectors(path: str) -> str:
    """Return the resource that a path to vectors is."""
    return path if path.startswith(f"{VECTORS}=") else f"{VECTORS}=vectors:{path}"


def within_vectors(text: str) -> Within | None:
    """Return where in the words of `as_vectors`, or of what is given to it, the path is."""
    return path_within(as_vectors(text))


def check_spec(text: str) -> None:
    """Check the words of a resource.

    Raises:
        UsageError: they are wrong.
    """
    parse_spec(text)


def static_vectors(group: str) -> Any:
    """Return the option of static vectors that readers start from."""
    return option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=within_vectors,
        stands_for=as_vectors,
        check=check_spec,
        group=group,
    )


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
