"""Alignments: linear maps that make the spaces of two slices, or of all slices of a run, comparable.

Rows are words, Z is the earlier space and X the later one, over the same words.

- `op`, orthogonal Procrustes (Schonemann 1966; Hamilton et al. 2016): rows to unit length, columns
  centred by the mean over each space's full vocabulary; U S Vt = svd(Zt X); W = V Ut; X W is
  compared with Z. `op-` is the same without centring.
- `cca`, canonical correlation as in UWB at SemEval-2020 (Prazak et al. 2020): raw vectors,
  Z = Uz Sz Vzt, X = Ux Sx Vxt; P S Qt = svd(Uzt Ux); A = Vz Sz^-1 P, B = Vx Sx^-1 Q; R = A B^+;
  Z R is compared with X. Singular values below rcond times the first are dropped.
  `cca-reversed` maps the later space onto the earlier one.
- `op+`, the steps that Artetxe et al. (2018) put around orthogonal Procrustes, as VecMap takes them (Schlechtweg et al.
  2019): rows to unit length, columns centred as above, rows to unit length again; both spaces are whitened, mapped,
  re-weighted and de-whitened, see `procrustes_and_cca.whitened_maps`.
- `column-intersection` takes those dimensions of spaces whose dimensions are words that both spaces have (Schlechtweg
  et al. 2019).
- `none` leaves both as they are: a baseline, or for spaces that share their dimensions.
- `vi`, `vi-l2`, `tr`, `wi` and `compass` need no map: they are ways to train the slices together (`joint_trainings`).

All in float64, on one BLAS thread.

>>> import numpy as np
>>> z = np.array([[3, 0], [0, 2], [1, 1]], np.float32)
>>> earlier = Space(["a", "b", "c"], np.array([9, 9, 9]), z, 27)
>>> later = earlier._replace(vectors=z[:, ::-1])  # the axes swapped
>>> alignment = fit_alignment("op-", earlier, later)
>>> bool(np.allclose(apply(alignment.source, z), apply(alignment.target, z[:, ::-1])))
True

In a common frame the slices of a run are mapped onto one of them, so that any two can be compared. In a chain each
slice is mapped onto the one before it as that was mapped, the first staying as it is: with W_k the map of slice k onto
slice k - 1 as trained, slice k is mapped by W_k W_(k-1) ... W_1 (Hamilton et al. 2016). With an anchor each slice is
mapped onto that slice, which stays. A map is fitted by an alignment of which one side stays; its steps before the map
(unit length, mean) are those of the slice itself.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.embeddings.procrustes_and_cca import (
    Fit,
    canonical,
    canonical_reversed,
    fitted_rows,
    intersected,
    procrustes,
    procrustes_centred,
    procrustes_plus,
    unaligned,
)
from lexbeam.transforms.embeddings.spaces import (
    Rows,
    Side,
    Space,
    apply,
    is_sparse,
    row_dots,
    shared_places,
    with_direction,
    working_rows,
)

Places = npt.NDArray[np.int64]

APART = "apart"  # how spaces are made that no alignment makes its own of: each slice by itself


class Alignment(NamedTuple):
    """A fitted pair of maps.

    Attributes:
        source: what is done to the earlier space.
        target: what is done to the later space.
        fit_words: shared words it was fitted on, a matrix only on those without a zero vector.
        residual: root mean square distance of their aligned vectors; None if nothing was fitted.
        reason: why nothing was fitted, one of `lexbeam.schemas.change.spaces.NO_MAP`; None if a map was.
    """

    source: Side
    target: Side
    fit_words: int
    residual: float | None
    reason: str | None = None


class FitOn(NamedTuple):
    """Which shared words a map is fitted on: without the targets, only the `top` frequent."""

    without_targets: bool = False
    top: int | None = None


def parse_fit_on(spec: str) -> FitOn:
    """Return what `shared`, `without-targets`, `top:N` or several joined by `+` ask for.

    Raises:
        UsageError: an unknown word, or N below 1.
    """
    fit_on = FitOn()
    for part in spec.split("+"):
        name, _, number = part.strip().partition(":")
        if name == "top" and re.fullmatch(r"0*[1-9][0-9]{0,17}", number):
            fit_on = fit_on._replace(top=int(number))
        elif name == "without-targets" and not number:
            fit_on = fit_on._replace(without_targets=True)
        elif name != "shared" or number:
            known = ("shared", "without-targets", "top:N")
            raise UsageError(
                f"`fit_on` {spec!r}: no {part.strip()!r}{nearest(part.strip(), known)} "
                f"(known, joined by +: {', '.join(known)} with N from 1)"
            )
    return fit_on


def unfitted(spec: str | None, alignments: Sequence[str]) -> dict[str, str]:
    """Return what to say of words to fit on, by option, where they are given and nothing is fitted.

    Args:
        spec: see `parse_fit_on`.
        alignments: keys of `ALIGNMENTS`.
    """
    if not spec or any(ALIGNMENTS[name].fit is not unaligned for name in alignments):
        return {}
    return {
        "fit_on": f"`fit_on` {spec}: nothing is fitted by `alignment` {','.join(alignments)}: leave it out, or take an "
        "alignment that maps one space onto another"
    }


def fit_alignment(
    name: str,
    earlier: Space,
    later: Space,
    *,
    fit_on: str | None = None,
    targets: Collection[str] = (),
    **parameters: Any,
) -> Alignment:
    """Fit an alignment of two spaces of the same dimension.

    Args:
        name: key of `ALIGNMENTS`.
        earlier: space of the earlier slice.
        later: space of the later slice.
        fit_on: see `parse_fit_on`; None for the method's default (op: shared, cca:
            without-targets+top:100000). The top words are those with the largest smaller relative
            frequency, ties by word.
        targets: what `without-targets` leaves out.
        parameters: options of alignments, by name; those that the method uses count, and have its defaults.

    Returns:
        The alignment; nothing is fitted (`residual` None) without words to fit on, with fewer than the
        `least_words` of the method, where op+ would whiten vectors that span fewer than their dimensions, or op and
        op+ centre vectors of one direction.

    Raises:
        UsageError: an unknown alignment, or `fit_on` cannot be read.
    """
    ALIGNMENTS.check([name])
    method = ALIGNMENTS[name]
    mine, theirs = _fit_places(method, earlier, later, fit_on, frozenset(targets))
    nothing = Alignment(Side(method.unit_length), Side(method.unit_length), len(mine), None)
    if len(mine) < max(1, method.least_words * earlier.vectors.shape[1]):
        return nothing._replace(reason="too_few_shared")
    used = {option: parameters[option] for option in method.uses if option in parameters}
    with one_thread():
        fitted = method.fit(earlier.vectors, later.vectors, mine, theirs, **used)
        if fitted is None:
            return nothing._replace(reason="rank_deficient")
    source, target, squares = Fit(*fitted)
    if squares is None:
        squares = _squares(source, target, earlier, later, mine, theirs)
    return Alignment(source, target, len(mine), math.sqrt(squares / len(mine)))


def composed_alignment(
    name: str,
    source: Side,
    target: Side,
    earlier: Space,
    later: Space,
    *,
    fit_on: str | None = None,
    targets: Collection[str] = (),
    **_: Any,
) -> Alignment:
    """Return an alignment whose sides were fitted over other spaces, see `frames`, with its residual for two spaces.

    Arguments are those of `fit_alignment`; `fit_words` are the words that the residual is of.
    """
    mine, theirs = _fit_places(ALIGNMENTS[name], earlier, later, fit_on, frozenset(targets))
    if not len(mine):
        return Alignment(source, target, 0, None, "too_few_shared")
    squares = _squares(source, target, earlier, later, mine, theirs)
    return Alignment(source, target, len(mine), math.sqrt(squares / len(mine)))


def _squares(source: Side, target: Side, earlier: Space, later: Space, mine: Places, theirs: Places) -> float:
    """Return the sum of the squared distances of aligned vectors of the same words."""
    squares = 0.0
    kept = working_rows(earlier.vectors), working_rows(later.vectors)
    with one_thread():
        for z, x in fitted_rows(earlier.vectors, later.vectors, mine, theirs):
            gap = _mapped(source, z, kept[0])
            gap -= _mapped(target, x, kept[1])
            squares += float(row_dots(gap, gap).sum() if is_sparse(gap) else np.einsum("ij,ij->", gap, gap))
    return squares


def _mapped(side: Side, vectors: Rows, out: Rows | None) -> Rows:
    """Return vectors as `apply` does, but that the last bits of one may hang on those beside it, in less time."""
    rows = apply(side._replace(matrix=None), vectors, out)
    return rows if side.matrix is None else rows @ side.matrix


def _fit_places(
    method: "Method", earlier: Space, later: Space, spec: str | None, targets: frozenset[str]
) -> tuple[Places, Places]:
    fit_on = parse_fit_on(spec or method.fit_on)
    mine, theirs = shared_places(earlier, later)
    if method.least_words:  # A vector of length zero says nothing of a map; else rows may be those of contexts.
        keep = with_direction(earlier.vectors)[mine] & with_direction(later.vectors)[theirs]
        mine, theirs = mine[keep], theirs[keep]
    if fit_on.without_targets and targets:
        keep = np.array([earlier.words[place] not in targets for place in mine], dtype=bool)
        mine, theirs = mine[keep], theirs[keep]
    if fit_on.top is not None and fit_on.top < len(mine):
        smaller = np.minimum(earlier.counts[mine] / earlier.tokens, later.counts[theirs] / later.tokens)
        # A stable sort leaves ties in the order of the words; rows then go back to that order.
        keep = np.sort(np.argsort(-smaller, kind="stable")[: fit_on.top])
        mine, theirs = mine[keep], theirs[keep]
    return mine, theirs


@dataclass(frozen=True)
class Method(Entry):
    """An alignment.

    Attributes:
        fit: from two matrices and the rows of each that are fitted on to two sides; None where vectors span too few
            dimensions for it.
        fit_on: default of the option `fit_on`.
        least_words: words that it needs, per dimension: with fewer a map brings any two spaces together.
        unit_length: whether vectors have length 1 before it.
        uses: options of alignments that `fit` takes by keyword; each says in its `of` which alignments use it.
        of_words: whether it is for spaces whose dimensions are words, sparse ones, and for no others.
        moves: which space it maps onto the other one, which has no map: `earlier`, `later`; empty: both or none. Only
            such maps can be taken one after the other.
        joint: key of `joint.trainings.JOINT_TRAININGS`: slices are trained together, so that their spaces need no map;
            empty: each slice has its space by itself.
        also: other names that people use; options, manifests and tables have its name in the registry.
    """

    fit: Callable[..., Fit | tuple[Side, Side] | None]
    fit_on: str = "shared"
    least_words: int = 0
    unit_length: bool = False
    uses: tuple[str, ...] = ()
    of_words: bool = False
    moves: str = ""
    joint: str = ""
    also: tuple[str, ...] = ()


ALIGNMENTS: Registry[Method] = Registry(
    {
        "op": Method(
            procrustes_centred,
            least_words=1,
            unit_length=True,
            moves="later",
            also=("procrustes",),
            doc="orthogonal Procrustes of vectors of length 1, centred",
        ),
        "op-": Method(procrustes, least_words=1, unit_length=True, moves="later", doc="the same without centring"),
        "op+": Method(
            procrustes_plus,
            least_words=2,
            unit_length=True,
            uses=("whiten", "reweight", "dewhiten"),
            doc="orthogonal Procrustes of spaces that are whitened, and re-weighted and de-whitened after it",
        ),
        "cca": Method(
            canonical,
            "without-targets+top:100000",
            2,
            uses=("rcond",),
            moves="earlier",
            doc="canonical correlation: the earlier space is mapped onto the later one",
        ),
        "cca-reversed": Method(
            canonical_reversed,
            "without-targets+top:100000",
            2,
            uses=("rcond",),
            moves="later",
            doc="the later space is mapped onto the earlier one",
        ),
        "column-intersection": Method(
            intersected, of_words=True, doc="of vectors whose dimensions are words, the words that both spaces have"
        ),
        "vi": Method(
            unaligned,
            joint="vi",
            doc="vector initialisation: training goes on from the vectors and contexts of the slice before",
        ),
        "vi-l2": Method(unaligned, joint="vi-l2", doc="the same from input vectors brought to length 1"),
        "tr": Method(
            unaligned,
            joint="tr",
            doc="temporal referencing: one model, in which a target has a vector in each slice, and one as a context",
        ),
        "wi": Method(
            unaligned, joint="wi", doc="word injection: one model, in which a target is another word in each slice"
        ),
        "compass": Method(
            unaligned,
            joint="compass",
            doc="compass: contexts trained on all slices and frozen, each slice trained against them",
        ),
        "none": Method(unaligned, doc="vectors as they are"),
    },
    what="alignment",
    group="lexbeam.alignments",
)


def named_alignment(name: str) -> str:
    """Return the name in the registry of an alignment, which may be given by another, such as `procrustes`."""
    return next((known for known, method in ALIGNMENTS.items() if name in method.also), name)


def variants_of(alignments: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the spaces that alignments take, by how these are made, each with the alignments that take them.

    Slices are trained together, by a key of `joint.trainings.JOINT_TRAININGS`, or `apart`.

    >>> variants_of(["vi", "op", "cca"])
    {'vi': ('vi',), 'apart': ('op', 'cca')}
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(alignments):
        found.setdefault(ALIGNMENTS[name].joint or APART, []).append(name)
    return {variant: tuple(names) for variant, names in found.items()}


Leg = tuple[int, int]  # the slice that is mapped, and the one that stays


class _Fitted(NamedTuple):
    """A leg: what is done to either slice, how many words it was fitted on, why nothing was."""

    moving: Side
    fixed: Side
    words: int
    reason: str | None


def route(place: int, anchor: int | None) -> tuple[int, ...]:
    """Return the slices over which one is mapped, itself first, the one whose frame it is last.

    >>> route(2, None), route(2, 1), route(1, 1)
    ((2, 1, 0), (2, 1), (1,))
    """
    if anchor is None:
        return tuple(range(place, -1, -1))
    return (place,) if place == anchor else (place, anchor)


def frame_places(pair: tuple[int, int], anchor: int | None) -> list[int]:
    """Return the slices beside those of a pair that its maps go over.

    >>> frame_places((1, 3), None), frame_places((1, 3), 2), frame_places((1, 3), 3)
    ([0, 2], [2], [])
    """
    return sorted({place for end in pair for place in route(end, anchor)} - set(pair))


def fit_in_frame(
    name: str, spaces: Mapping[int, Space], pair: tuple[int, int], anchor: int | None, **options: Any
) -> Alignment:
    """Return what is done to the two slices of a pair in a common frame.

    Args:
        name: key of `ALIGNMENTS`, of an entry that `moves` a space.
        spaces: of the slices of the pair and of `frame_places`, by place.
        pair: places of the earlier and the later slice.
        anchor: place of the slice onto which all are mapped; None: a chain.
        options: of `fit_alignment`.

    Returns:
        An alignment; `fit_words` are the fewest that a map on the way was fitted on, and where one could not be fitted
        there is none.
    """
    legs: dict[Leg, _Fitted] = {}

    def fitted(moving: int, fixed: int) -> _Fitted:
        if (moving, fixed) not in legs:
            legs[moving, fixed] = _fit(name, spaces[moving], spaces[fixed], options)
        return legs[moving, fixed]

    with one_thread():
        moved = [_moved([fitted(*leg) for leg in pairwise(route(place, anchor))]) for place in pair]
    words = min(leg.words for leg in legs.values())
    reason = next((leg.reason for leg in legs.values() if leg.reason is not None), None)
    if reason is not None:
        nothing = Side(ALIGNMENTS[name].unit_length)
        return Alignment(nothing, nothing, words, None, reason)
    # A slice that stays is prepared as where another one is mapped onto it.
    stays = {fixed: leg.fixed for (_, fixed), leg in legs.items()}
    first, second = (side or stays[place] for side, place in zip(moved, pair, strict=True))
    earlier, later = (spaces[place] for place in pair)
    found = composed_alignment(name, first, second, earlier, later, **options)
    return found._replace(fit_words=words)


def _fit(name: str, moving: Space, fixed: Space, options: Mapping[str, Any]) -> _Fitted:
    if ALIGNMENTS[name].moves == "later":
        found = fit_alignment(name, fixed, moving, **options)
        return _Fitted(found.target, found.source, found.fit_words, found.reason)
    found = fit_alignment(name, moving, fixed, **options)
    return _Fitted(found.source, found.target, found.fit_words, found.reason)


def _moved(legs: Sequence[_Fitted]) -> Side | None:
    """Return what is done to the first slice of a route with these legs; None: it has none, and the slice stays."""
    if not legs:
        return None
    matrices = [leg.moving.matrix for leg in legs if leg.moving.matrix is not None]
    return legs[0].moving._replace(matrix=reduce(np.matmul, matrices) if matrices else None)
