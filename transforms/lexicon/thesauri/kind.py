"""The kind of resource that thesauri are."""

from transforms.lexicon.compiled.kind import Kind
from transforms.lexicon.thesauri.asking import open_thesaurus
from transforms.lexicon.thesauri.compiling import compile_thesaurus
from transforms.lexicon.thesauri.options import FORM, parse

__all__ = ["THESAURUS"]

THESAURUS = Kind(parse=parse, compile=compile_thesaurus, open=open_thesaurus, help=FORM)
