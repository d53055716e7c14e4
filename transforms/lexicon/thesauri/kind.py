"""The kind of resource that thesauri are."""

from functools import partial

from transforms.lexicon.compiled.kind import ResourceKind
from transforms.lexicon.thesauri.asking import open_thesaurus
from transforms.lexicon.thesauri.compiling import compile_thesaurus
from transforms.lexicon.thesauri.options import FORM, parse
from transforms.lexicon.thesauri.reading import READERS

__all__ = ["THESAURUS"]

THESAURUS = ResourceKind(
    parse=partial(parse, formats=READERS), compile=compile_thesaurus, open=open_thesaurus, help=FORM
)
