"""Where commands that use WordNet find it: one option, and the folder that they take without it."""

from typing import Any

from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.lexicon.resources import ResourceAlias, check_specs
from lexbeam.transforms.lexicon.wordnet.tab import DEBIAN

WORDNET = ResourceAlias("wordnet_", "wordnet")


def wordnet_option() -> Any:
    """Return the option `wordnet` of a command that takes Debian's WordNet where none is given."""
    return option(
        None,
        help="folder of the database files of WordNet, "
        "see docs/reference/wordnet.md; if not given, where Debian has them",
        metavar="PATH",
        path="resource",
        within=WORDNET.within,
        stands_for=WORDNET.spec,
        check=check_specs,
        group="resources",
    )


def is_installed() -> bool:
    """Return whether WordNet is where Debian's packages put it."""
    return files.exists(DEBIAN)


def spec_or_default(stated: str | None) -> str:
    """Return the specification of WordNet that an option states, else that of Debian's."""
    return stated or WORDNET.spec(DEBIAN)
