"""The kind of resource that static vectors are."""

from functools import partial

from transforms.lexicon.compiled.kind import ResourceKind
from transforms.lexicon.vectors.asking import open_vectors
from transforms.lexicon.vectors.compiling import compile_vectors
from transforms.lexicon.vectors.formats import READERS
from transforms.lexicon.vectors.options import FORM, parse
from transforms.lexicon.vectors.published import digest_of_vectors

__all__ = ["VECTORS"]

VECTORS = ResourceKind(
    parse=partial(parse, formats=READERS),
    compile=compile_vectors,
    open=open_vectors,
    help=FORM,
    digest=digest_of_vectors,
)
