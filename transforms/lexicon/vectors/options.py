"""How static vectors are specified: `FILE[:key=value...]`, or `FOLDER:slice=NAME` for our own tables."""

from collections.abc import Collection
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.compiled.casing import CASES
from lexbeam.transforms.lexicon.compiled.kind import Parsed
from lexbeam.transforms.lexicon.compiled.specs import choice, number, split_spec, yes

_KEYS = ("format", "slice", "seed", "dim", "centre", "remove", "unit", "case", "language")
FORM = "vectors:FILE[:format=,dim=,centre=yes,remove=N,unit=yes,case=,language=] or vectors:FOLDER:slice=NAME[,seed=]"


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """How vectors are read and transformed.

    Attributes:
        format: an entry of `formats.READERS`; empty: detected.
        slice: for our own table, the name of the slice.
        seed: for our own table, the training seed; None: the first.
        dim: numbers of a vector; None: detected.
        centre: whether the mean of all vectors is subtracted.
        remove: how many top components are removed after centring, which it implies.
        unit: whether vectors are scaled to length 1 in the end.
        case: an entry of `CASES`.
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
    """Return the vectors that a person names by `PATH[:key=value,...]`.

    Args:
        argument: what follows `vectors:`.
        formats: names of formats.

    Raises:
        UsageError: the argument is malformed, or two options contradict each other.
    """
    path, values = split_spec(argument, _KEYS, form=FORM)
    format = choice(values, "format", formats, "")
    if "slice" in values and format not in ("", "table"):
        raise UsageError(f"slice= is of our own tables, not of format={format}")
    if "seed" in values and "slice" not in values:
        raise UsageError("seed= goes with slice=")
    seed, dim, remove = (number(values, key, whole=True) for key in ("seed", "dim", "remove"))
    if dim == 0:
        raise UsageError("dim=0: it takes a whole number from 1")
    if "centre" in values and not yes(values, "centre", False) and remove:
        raise UsageError("remove= centres first: it does not go with centre=no")
    options = VectorOptions(
        format="table" if "slice" in values else format,
        slice=values.get("slice", ""),
        seed=None if seed is None else int(seed),
        dim=None if dim is None else int(dim),
        centre=yes(values, "centre", False) or bool(remove),
        remove=int(remove or 0),
        unit=yes(values, "unit", False),
        case=choice(values, "case", CASES, "fold"),
    )
    return Parsed((path,), options, values.get("language"))
