"""Alignments: linear maps that make the spaces of two slices comparable.

Rows are words, Z is the earlier space and X the later one, over the same words.

- `op`, orthogonal Procrustes (Schonemann 1966; Hamilton et al. 2016): rows to unit length, columns
  centred by the mean over each space's full vocabulary; U S Vt = svd(Zt X); W = V Ut; X W is
  compared with Z. `op-` is the same without centring.
- `cca`, canonical correlation as in UWB at SemEval-2020 (Prazak et al. 2020): raw vectors,
  Z = Uz Sz Vzt, X = Ux Sx Vxt; P S Qt = svd(Uzt Ux); A = Vz Sz^-1 P, B = Vx Sx^-1 Q; R = A B^+;
  Z R is compared with X. Singular values below rcond times the first are dropped.
  `cca-reversed` maps the later space onto the earlier one.
- `none` leaves both as they are: a baseline.

All in float64, on one BLAS thread.

>>> import numpy as np
>>> z = np.array([[3, 0], [0, 2], [1, 1]], np.float32)
>>> earlier = Space(["a", "b", "c"], np.array([9, 9, 9]), z, 27)
>>> later = earlier._replace(vectors=z[:, ::-1])  # the axes swapped
>>> alignment = fit_alignment("op-", earlier, later)
>>> bool(np.allclose(apply(alignment.source, z), apply(alignment.target, z[:, ::-1])))
True
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.blas import one_thread
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.rowwise import product

__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "FitOn",
    "Side",
    "Space",
    "apply",
    "fit_alignment",
    "named_alignment",
    "parse_fit_on",
    "shared_places",
]

Matrix = npt.NDArray[np.float64]

BLOCK = 8_192  # rows of a large space taken to float64 at once; part of the definition of the mean


class Space(NamedTuple):
    """A slice's embedding.

    Attributes:
        words: the vocabulary, sorted.
        counts: uses of each, int64.
        vectors: float32 of shape (words, dim).
        tokens: all tokens of the slice, those of words below the cut included.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]
    tokens: int


class Side(NamedTuple):
    """What is done to one space's vectors: unit length, then minus `mean`, then @ `matrix`."""

    unit_length: bool = False
    mean: Matrix | None = None
    matrix: Matrix | None = None


class Alignment(NamedTuple):
    """A fitted pair of maps.

    Attributes:
        source: what is done to the earlier space.
        target: what is done to the later space.
        fit_words: shared words it was fitted on.
        residual: root mean square distance of their aligned vectors; None if nothing was fitted
            because too few words are shared.
    """

    source: Side
    target: Side
    fit_words: int
    residual: float | None


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


def shared_places(earlier: Space, later: Space) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of the shared words in either space, in the order of the words."""
    places = pc.index_in(pa.array(earlier.words, pa.string()), value_set=pa.array(later.words, pa.string())).fill_null(
        -1
    )
    indices = places.to_numpy(zero_copy_only=False).astype(np.int64)
    mine = np.flatnonzero(indices >= 0)
    return mine, indices[mine]


def fit_alignment(
    name: str,
    earlier: Space,
    later: Space,
    *,
    fit_on: str | None = None,
    targets: Collection[str] = (),
    rcond: float = 1e-10,
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
        rcond: singular values below `rcond` times the first are dropped (cca only).

    Returns:
        The alignment; nothing is fitted (`residual` None) without words to fit on, or for cca with
        fewer than 2 x dim.

    Raises:
        UsageError: an unknown alignment, or `fit_on` cannot be read.
    """
    ALIGNMENTS.check([name])
    method = ALIGNMENTS[name]
    mine, theirs = _fit_places(earlier, later, parse_fit_on(fit_on or method.fit_on), frozenset(targets))
    if len(mine) < max(1, method.least_words * earlier.vectors.shape[1]):
        return Alignment(Side(method.unit_length), Side(method.unit_length), len(mine), None)
    with one_thread():
        source, target = method.fit(earlier.vectors, later.vectors, mine, theirs, rcond)
        gap = apply(source, earlier.vectors[mine]) - apply(target, later.vectors[theirs])
        residual = float(np.sqrt(np.mean(np.einsum("ij,ij->i", gap, gap))))
    return Alignment(source, target, len(mine), residual)


def _fit_places(
    earlier: Space, later: Space, fit_on: FitOn, targets: frozenset[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    mine, theirs = shared_places(earlier, later)
    if fit_on.without_targets and targets:
        keep = np.array([earlier.words[place] not in targets for place in mine], dtype=bool)
        mine, theirs = mine[keep], theirs[keep]
    if fit_on.top is not None and fit_on.top < len(mine):
        smaller = np.minimum(earlier.counts[mine] / earlier.tokens, later.counts[theirs] / later.tokens)
        # A stable sort leaves ties in the order of the words; rows then go back to that order.
        keep = np.sort(np.argsort(-smaller, kind="stable")[: fit_on.top])
        mine, theirs = mine[keep], theirs[keep]
    return mine, theirs


def apply(side: Side, vectors: npt.NDArray[np.floating]) -> Matrix:
    """Return vectors (rows) mapped by one side of an alignment, float64.

    A vector of length zero has no direction and stays zero, whatever the mean. The result for a vector
    does not depend on the vectors beside it.
    """
    mapped = vectors.astype(np.float64)
    length = np.linalg.norm(mapped, axis=1, keepdims=True)
    if side.unit_length:
        mapped = np.divide(mapped, length, out=mapped, where=length > 0)
    if side.mean is not None:
        mapped -= side.mean
    if side.matrix is not None:
        mapped = product(mapped, side.matrix)
    mapped[length[:, 0] == 0] = 0.0
    return mapped


Fit = tuple[Side, Side]
Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


def procrustes_centred(z: Vectors, x: Vectors, mine: Places, theirs: Places, rcond: float) -> Fit:
    """Return the sides of `op`; `mine` and `theirs` are the rows of z and x fitted on."""
    return _procrustes(z, x, mine, theirs, _unit_mean(z), _unit_mean(x))


def procrustes(z: Vectors, x: Vectors, mine: Places, theirs: Places, rcond: float) -> Fit:
    """Return the sides of `op-`."""
    return _procrustes(z, x, mine, theirs, None, None)


def _procrustes(
    z: Vectors, x: Vectors, mine: Places, theirs: Places, mean_z: Matrix | None, mean_x: Matrix | None
) -> Fit:
    source, target = Side(True, mean_z), Side(True, mean_x)
    u, _, vt = np.linalg.svd(apply(source, z[mine]).T @ apply(target, x[theirs]))
    return source, target._replace(matrix=vt.T @ u.T)


def _unit_mean(vectors: Vectors) -> Matrix:
    total = np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), BLOCK):
        total += apply(Side(True), vectors[start : start + BLOCK]).sum(axis=0)
    return np.asarray(total / len(vectors))


def canonical(z: Vectors, x: Vectors, mine: Places, theirs: Places, rcond: float) -> Fit:
    """Return the sides of `cca`: the earlier space is mapped onto the later."""
    return Side(matrix=_canonical(z[mine], x[theirs], rcond)), Side()


def canonical_reversed(z: Vectors, x: Vectors, mine: Places, theirs: Places, rcond: float) -> Fit:
    """Return the sides of `cca-reversed`: the later space is mapped onto the earlier."""
    return Side(), Side(matrix=_canonical(x[theirs], z[mine], rcond))


def _canonical(source: Vectors, target: Vectors, rcond: float) -> Matrix:
    u_s, d_s, v_s = _thin(source, rcond)
    u_t, d_t, v_t = _thin(target, rcond)
    p, _, qt = np.linalg.svd(u_s.T @ u_t, full_matrices=False)
    a = (v_s / d_s) @ p
    # B^+ of B = V D^-1 Q: V has orthonormal columns, and Q is orthogonal unless rows were dropped.
    b = qt.T / d_t[:, None]
    inverse = qt * d_t if qt.shape[0] == qt.shape[1] else np.linalg.pinv(b)
    return np.asarray(a @ inverse @ v_t.T)


def _thin(rows: Vectors, rcond: float) -> tuple[Matrix, Matrix, Matrix]:
    u, d, vt = np.linalg.svd(rows.astype(np.float64), full_matrices=False)
    rank = int((d > rcond * d[0]).sum())
    return u[:, :rank], d[:rank], vt[:rank].T


def unaligned(z: Vectors, x: Vectors, mine: Places, theirs: Places, rcond: float) -> Fit:
    """Return sides that change nothing."""
    return Side(), Side()


@dataclass(frozen=True)
class Method(Entry):
    """An alignment.

    Attributes:
        fit: from two matrices, the rows of each that are fitted on, and `rcond`, to two sides.
        fit_on: default of the option `fit_on`.
        least_words: words that it needs, per dimension.
        unit_length: whether vectors have length 1 before it.
        also: other names that people use; options, manifests and tables have its name in the registry.
    """

    fit: Callable[[Vectors, Vectors, Places, Places, float], Fit]
    fit_on: str = "shared"
    least_words: int = 0
    unit_length: bool = False
    also: tuple[str, ...] = ()


ALIGNMENTS: Registry[Method] = Registry(
    {
        "op": Method(
            procrustes_centred,
            unit_length=True,
            also=("procrustes",),
            doc="orthogonal Procrustes of vectors of length 1, centred",
        ),
        "op-": Method(procrustes, unit_length=True, doc="the same without centring"),
        "cca": Method(
            canonical,
            "without-targets+top:100000",
            2,
            doc="canonical correlation: the earlier space is mapped onto the later one",
        ),
        "cca-reversed": Method(
            canonical_reversed, "without-targets+top:100000", 2, doc="the later space is mapped onto the earlier one"
        ),
        "none": Method(unaligned, doc="vectors as they are"),
    },
    what="alignment",
    group="lexbeam.alignments",
)


def named_alignment(name: str) -> str:
    """Return the name in the registry of an alignment, which may be given by another, such as `procrustes`."""
    return next((known for known, method in ALIGNMENTS.items() if name in method.also), name)
