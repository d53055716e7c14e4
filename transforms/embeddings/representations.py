"""Representations: how a slice's words become vectors.

SGNS is trained sentence by sentence (`trainers`). Every other one is made of co-occurrence counts (`counted_vectors`),
so that a slice is counted on many workers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.counted_vectors import (
    STEPS,
    Cooccurrences,
    compiled_glove,
    ppmi,
    projected,
    random_vectors,
    train_glove,
    truncated_svd,
)
from lexbeam.transforms.embeddings.sgns import check_decomposition
from lexbeam.transforms.embeddings.spaces import with_direction

REGISTRY = "lexbeam.transforms.embeddings.representations:REPRESENTATIONS"
SGNS = "sgns"
# What the dimensions of a space are.
OWN = "own"
SHARED = "shared"
WORDS = "words"


@dataclass(frozen=True)
class Representation(Entry):
    """A representation.

    Attributes:
        make: from `Cooccurrences`, a seed and what it uses, a vector for each word: an array of shape (words,
            dimensions), or for `WORDS` a `csr_array` of shape (words, words); None: it is trained.
        axes: what its dimensions are: `OWN`, those of each space, which has to be aligned; `SHARED`, the same in all
            spaces of a seed; or `WORDS`, the words of the slice. Only those of shared dimensions get the same seed in
            all slices.
        alignments: by default.
        chance: whether a space depends on its seed; else one seed says all.
        by_distance: whether a context counts 1 over its distance, see `counted_vectors`.
        check: raises UsageError where it cannot be made; None: it can anywhere.
        uses: options of `RepresentationOptions` that `make` takes by keyword; each says in its `of` which
            representations use it.
    """

    make: Callable[..., Any] | None
    axes: str = OWN
    alignments: tuple[str, ...] = ("op", "cca")
    chance: bool = False
    by_distance: bool = False
    check: Callable[[], object] | None = None
    uses: tuple[str, ...] = ()

    def check_installed(self, what: str) -> None:
        """Check that it can be made here.

        Raises:
            UsageError: it cannot.
        """
        super().check_installed(what)
        if self.check is not None:
            self.check()


def _counts(contexts: Cooccurrences, seed: int) -> Any:
    return contexts.counts


def _ppmi(contexts: Cooccurrences, seed: int, *, smoothing: float, shift: float) -> Any:
    return ppmi(contexts.counts, smoothing=smoothing, shift=shift)


def _svd(contexts: Cooccurrences, seed: int, *, smoothing: float, shift: float, dim: int, gamma: float) -> Any:
    associations = ppmi(contexts.counts, smoothing=smoothing, shift=shift)
    check_decomposition(int(with_direction(associations).sum()), dim)
    return truncated_svd(associations, dim=dim, gamma=gamma)


def _random_indexing(contexts: Cooccurrences, seed: int, *, dim: int, nonzero: int) -> Any:
    return projected(contexts.counts, random_vectors(contexts.words, dim=dim, nonzero=nonzero, seed=seed))


def _glove(contexts: Cooccurrences, seed: int, *, dim: int, iterations: int, x_max: float) -> Any:
    counts = contexts.counts.astype(np.float64)
    counts.data /= STEPS
    return train_glove(counts, contexts.words, dim=dim, iterations=iterations, x_max=x_max, seed=seed)


REPRESENTATIONS: Registry[Representation] = Registry(
    {
        SGNS: Representation(None, chance=True, doc="skip-gram with negative sampling"),
        "count": Representation(_counts, WORDS, ("column-intersection",), doc="how often each word stands near each"),
        "ppmi": Representation(
            _ppmi,
            WORDS,
            ("column-intersection",),
            uses=("smoothing", "shift"),
            doc="positive pointwise mutual information of words and contexts, smoothed and shifted",
        ),
        "svd": Representation(
            _svd,
            uses=("smoothing", "shift", "dim", "gamma"),
            doc="truncated singular value decomposition of positive pointwise mutual information",
        ),
        "ri": Representation(
            _random_indexing,
            SHARED,
            ("none",),
            chance=True,
            uses=("dim", "nonzero"),
            doc="random indexing: counts of contexts, projected in all slices by the same random vectors",
        ),
        "glove": Representation(
            _glove,
            chance=True,
            by_distance=True,
            check=compiled_glove,
            uses=("dim", "iterations", "x_max"),
            doc="GloVe: vectors whose products are logarithms of counts, weighted by distance",
        ),
    },
    what="representation",
    group="lexbeam.representations",
)


def _presets(name: str, given: Any) -> dict[str, Any]:
    known = name in REPRESENTATIONS and "alignment" not in given
    return {"alignment": REPRESENTATIONS[name].alignments} if known else {}


@dataclass(frozen=True, kw_only=True)
class RepresentationOptions:
    """What words become vectors by, and what those use that are not trained.

    Attributes:
        representation: key of `REPRESENTATIONS`.
        smoothing: power of context counts.
        shift: k, whose logarithm is subtracted.
        gamma: power of singular values.
        nonzero: places of a random vector that are not 0.
        iterations, x_max: of GloVe.
        dim: length of the vectors, as training has it.
    """

    representation: str = option(
        SGNS,
        help="how words become vectors; sgns is trained, the others are made of counts, and set their `alignment`",
        choices=REGISTRY,
        presets=_presets,
    )
    smoothing: float = option(
        0.75,
        help="power of context counts in pointwise mutual information; 1: none",
        least=0,
        most=1,
        of=f"{REGISTRY}=ppmi,svd",
    )
    shift: float = option(
        1.0,
        help="k of shifted pointwise mutual information, log k being subtracted; 1: none",
        least=1e-9,
        most=1e9,
        of=f"{REGISTRY}=ppmi,svd",
    )
    gamma: float = option(
        0.0,
        help="power of singular values that dimensions are weighted by; 0: none",
        least=0,
        most=10,
        of=f"{REGISTRY}=svd",
    )
    nonzero: int = option(
        10, help="places of a random vector that are not 0", least=1, most=10_000, of=f"{REGISTRY}=ri"
    )
    iterations: int = option(
        50, help="how often glove goes over all counts", least=1, most=100_000, of=f"{REGISTRY}=glove"
    )
    x_max: float = option(
        100.0,
        help="count from which on all counts weigh as much for glove",
        least=1e-9,
        most=1e9,
        of=f"{REGISTRY}=glove",
    )
    dim: int = field(default=100, metadata={"of": f"{REGISTRY}=svd,ri,glove"})

    def check_goes_with(
        self, *, alignments: Sequence[str], seeds: int, shards: int, dim: int, chance: bool = False
    ) -> None:
        """Refuse other options that say nothing of this representation.

        Args:
            alignments: keys of `ALIGNMENTS`.
            seeds: how many there are.
            shards: that a training is cut into.
            dim: length of the vectors.
            chance: whether something else hangs on seeds, such as a measure.

        Raises:
            UsageError: an alignment of other dimensions, several seeds where there is no chance, shards of what is not
                trained or is trained together, or more places than a vector has.
        """
        entry = REPRESENTATIONS[self.representation]
        able = [
            name
            for name, method in ALIGNMENTS.items()
            if method.of_words == (entry.axes == WORDS) and (not method.joint or entry.make is None)
        ]
        for alignment in alignments:
            if ALIGNMENTS[alignment].joint and entry.make is not None:
                raise UsageError(
                    f"`alignment` {alignment} trains slices together, and `representation` {self.representation} is "
                    f"not trained but counted: take {' or '.join(able)}, or `representation` {SGNS}"
                )
            if ALIGNMENTS[alignment].joint and shards > 1:
                raise UsageError(
                    f"`shards` {shards}: `alignment` {alignment} trains slices together, each by one thread: leave "
                    "`shards` out, or take an alignment of slices that are trained apart"
                )
            if alignment not in able:
                what = "words" if entry.axes == WORDS else "no words"
                raise UsageError(
                    f"`alignment` {alignment} does not go with `representation` {self.representation}, whose "
                    f"dimensions are {what}: take {' or '.join(able)}"
                )
        if not (entry.chance or chance) and seeds > 1:
            raise UsageError(
                f"`seeds`: there is no chance in `representation` {self.representation}, so that {seeds} seeds would "
                "give the same scores, and no noise of training: leave `seeds` out"
            )
        if entry.make is not None and shards > 1:
            raise UsageError(
                f"`shards` {shards}: `representation` {self.representation} is not trained but counted, on as many "
                "workers as there are: leave `shards` out"
            )
        if "nonzero" in entry.uses and self.nonzero > dim:
            raise UsageError(
                f"`nonzero` {self.nonzero}: a random vector has `dim` {dim} places: lower `nonzero`, or raise `dim`"
            )


def represent(contexts: Cooccurrences, seed: int, options: RepresentationOptions) -> Any:
    """Return the vectors of words by the representation that the options name, which is not trained.

    Raises:
        UsageError: no such representation, or one that is trained.
    """
    REPRESENTATIONS.check([options.representation])
    entry = REPRESENTATIONS[options.representation]
    if entry.make is None:
        raise UsageError(f"representation {options.representation!r} is trained, and not made of counts")
    return entry.make(contexts, seed, **{name: getattr(options, name) for name in entry.uses})
