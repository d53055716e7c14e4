"""The kinds of resources, by the word that begins their argument: `wordnet:DIR`, `vectors:FILE`.

An argument without a kind's word is a word list: `FILE:word=COLUMN,value=COLUMN`. Packages of
others add kinds as entry points of the group `lexbeam.resources`.
"""

from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.lexicon.compiled.kind import Parsed, ResourceKind
from lexbeam.transforms.lexicon.thesauri.thesaurus import THESAURUS
from lexbeam.transforms.lexicon.vectors.static_vectors import VECTORS
from lexbeam.transforms.lexicon.word_lists.frequencies import TRIGRAMS, WORDFREQ
from lexbeam.transforms.lexicon.word_lists.word_list import WORDS
from lexbeam.transforms.lexicon.wordnet.kind import WORDNET

DEFAULT = "words"

KINDS: Registry[ResourceKind] = Registry(
    {
        "words": WORDS,
        "wordfreq": WORDFREQ,
        "vectors": VECTORS,
        "wordnet": WORDNET,
        "trigrams": TRIGRAMS,
        "thesaurus": THESAURUS,
    },
    what="kind of resource",
    group="lexbeam.resources",
)


def kind_of(name: str) -> ResourceKind:
    """Return a kind by its name, ours or of another package.

    Raises:
        UsageError: there is no such kind.
    """
    KINDS.check([name])
    return KINDS[name]


class Spec(NamedTuple):
    """A resource as a person specified it: `NAME=FILE:word=...` or `NAME=KIND:ARGUMENT`."""

    name: str
    kind: str
    parsed: Parsed


def parse_spec(text: str) -> Spec:
    """Return the resource that a person specified; nothing is read.

    Raises:
        UsageError: the specification is wrong.
    """
    name, equals, rest = text.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(
            f"resource {text!r}: it is NAME=FILE:word=COLUMN,value=COLUMN or NAME=KIND:ARGUMENT, "
            "with a name of letters, digits and underscores"
        )
    word, _, argument = rest.partition(":")
    kind = word if word in KINDS and word != DEFAULT else DEFAULT
    try:
        parsed = KINDS[kind].parse(argument if kind == word else rest)
        return Spec(name, kind, KINDS[kind].named(name, parsed))
    except UsageError as error:
        # A word with a full stop or a slash is a file.
        hint = nearest(word, KINDS) if word not in KINDS and word.isidentifier() else ""
        raise UsageError(f"resource {name!r}: {error}{hint}") from None
