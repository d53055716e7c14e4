"""How static vectors are written: `FILE[:key=value...]`, or `FOLDER:slice=NAME` of our own."""

from collections.abc import Collection
from dataclasses import dataclass

from transforms.common.errors import UsageError
from transforms.lexicon.compiled.casing import CASES
from transforms.lexicon.compiled.kind import Parsed
from transforms.lexicon.compiled.specs import choice, number, split_spec, yes

__all__ = ["FORM", "VectorOptions", "parse"]

_KEYS = ("format", "slice", "seed", "dim", "centre", "remove", "unit", "case", "language")
FORM = "vectors:FILE[:format=,dim=,centre=yes,remove=N,unit=yes,case=,language=] or vectors:FOLDER:slice=NAME[,seed=]"


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """How vectors are read, and what is done to them.

    Attributes:
        format: an entry of `formats.READERS`; empty: found out.
        slice: of our own table, the slice's name.
        seed: of our own table, the training seed; None: the first.
        dim: numbers of a vector; None: found out.
        centre: whether the mean of all vectors is subtracted.
        remove: how many top components are removed after that; it centres, too.
        unit: whether vectors are scaled to length 1 in the end.
        case: by which form a word is looked up: `fold`, `keep` or `lower`.
    """

    format: str = ""
    slice: str = ""
    seed: int | None = None
    dim: int | None = None
    centre: bool = False
    remove: int = 0
    unit: bool = False
    case: str = "fold"


def parse(argument: str, formats: Collection[str]) -> Parsed:
    """Return what a person's words say of vectors.

    Args:
        argument: what stands behind `vectors:`.
        formats: names of formats.

    Raises:
        UsageError: they are not of the form, or two options contradict each other.
    """
    path, given = split_spec(argument, _KEYS, form=FORM)
    format = choice(given, "format", formats, "")
    if "slice" in given and format not in ("", "table"):
        raise UsageError(f"slice= is of our own tables, not of format={format}")
    if "seed" in given and "slice" not in given:
        raise UsageError("seed= goes with slice=")
    seed, dim, remove = (number(given, key, whole=True) for key in ("seed", "dim", "remove"))
    if dim == 0:
        raise UsageError("dim=0: it takes a whole number from 1")
    if "centre" in given and not yes(given, "centre", False) and remove:
        raise UsageError("remove= centres first: it does not go with centre=no")
    options = VectorOptions(
        format="table" if "slice" in given else format,
        slice=given.get("slice", ""),
        seed=None if seed is None else int(seed),
        dim=None if dim is None else int(dim),
        centre=yes(given, "centre", False) or bool(remove),
        remove=int(remove or 0),
        unit=yes(given, "unit", False),
        case=choice(given, "case", CASES, "fold"),
    )
    return Parsed((path,), options, given.get("language"))
