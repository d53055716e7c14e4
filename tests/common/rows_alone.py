"""What is computed row by row, and a check that no row depends on those beside it.

As a program it checks everything of `ARRAYS` and prints the BLAS kernels that did it: a kernel is
chosen when numpy is imported, by OPENBLAS_CORETYPE.
"""

import json
import sys

import numpy as np
import threadpoolctl

from lexbeam.transforms.change.scores.measures import cosine_distance
from lexbeam.transforms.cloze.abstractness import concreteness_estimators as concreteness
from lexbeam.transforms.common.arithmetic import dots, gaussian_sums, product
from lexbeam.transforms.embeddings.neighbours import nearest_neighbours
from lexbeam.transforms.embeddings.spaces import Side, apply
from lexbeam.transforms.learning.scorers import SCORERS
from lexbeam.transforms.lexicon.compiled.static_vectors import changed, moments_of, variant_of

ROWS = 150
BATCHES = (1, 7, 64, ROWS)


def check(compute) -> None:
    """Check that rows have the same bytes in any order, in any batch, at any place of it.

    Args:
        compute: from places of rows, below `ROWS`, an array with a row for each.
    """
    every = np.arange(ROWS)
    whole = compute(every)
    assert len(whole) == ROWS
    for size in BATCHES:
        order = np.random.default_rng(size).permutation(ROWS)
        batches = [order[start : start + size] for start in range(0, ROWS, size)]
        assert np.concatenate([compute(batch) for batch in batches]).tobytes() == whole[order].tobytes()
    for shift in (1, 2, 5, 23):
        assert compute(every[shift:]).tobytes() == whole[shift:].tobytes()


def numbers(*shape):
    return np.random.default_rng(shape).normal(size=shape)


def products():
    for n in (1, 7, 96, 300, 1001):
        rows = numbers(ROWS, n)
        for columns in (1, 3, 200):
            matrix = numbers(n, columns)
            yield f"product {n} {columns}", lambda some, r=rows, m=matrix: product(r[some], m)
            yield f"columns {n} {columns}", lambda some, r=rows, m=matrix: product(m.T, r[some].T).T.copy()
    for n in (1, 7, 300, 9001):
        one, two = numbers(2, ROWS, n)
        # Memory of either order: batches of one row are of both.
        yield f"dots {n}", lambda some, a=one, b=two: dots(np.asfortranarray(a[some]), b[some])
        yield f"dots of a vector {n}", lambda some, a=one, b=two: dots(a[some], b[0])
        narrow = one.astype(np.float32)
        yield f"dots of float32 {n}", lambda some, a=narrow: dots(a[some], a[some])


def spaces():
    vectors = numbers(ROWS, 50).astype(np.float32)
    vectors[3] = 0
    side = Side(True, numbers(50), numbers(50, 50))
    yield "alignment", lambda some: apply(side, vectors[some])
    other = numbers(ROWS, 50) + 1
    yield "cosine distance", lambda some: cosine_distance(vectors[some].astype(np.float64), other[some])
    variant = variant_of(moments_of([vectors], 50), remove=2, unit=True)
    yield "without top components", lambda some: changed(variant, vectors[some])

    def near(some):
        found = nearest_neighbours(vectors, queries=some, candidates=np.arange(ROWS), k=5)
        filled = [np.pad(np.stack(one).astype(np.float64), ((0, 0), (0, 5 - len(one[0])))) for one in found]
        return np.array(filled).reshape(len(some), 10)

    yield "nearest neighbours", near


def models():
    rows = numbers(ROWS, 61)
    linear = {"weights": numbers(61), "intercept": np.array(0.5)}
    kernel = {**linear, "landmarks": numbers(70, 61), "shares": numbers(70), "gamma": np.array(0.01)}
    yield "kernel", lambda some: gaussian_sums(rows[some], kernel["landmarks"], kernel["shares"], 0.01)
    layers = {"scale": np.ones(61)}
    for place, shape in enumerate([(61, 20), (20, 20), (20, 1)]):
        layers |= {f"weights_{place}": numbers(*shape) / 9, f"intercepts_{place}": numbers(shape[1])}
    for name, fitted in {"ridge": linear, "kernel": kernel, "network": layers}.items():
        # Not cut to 0 to 1, which would hide differences.
        how = concreteness.ESTIMATORS[name].predict
        yield f"concreteness by {name}", lambda some, f=fitted, p=how: p(f, rows[some])
    ready = {
        "median": np.zeros(61),
        "known": np.arange(61),
        "flagged": np.arange(3),
        "varies": np.arange(0, 64, 2),
        "mean": numbers(32),
        "scale": np.full(32, 1.5),
        "most": np.array(3.0),
    }
    gaps = np.where(rows > 2, np.nan, rows)
    ridge = {**ready, "weights": numbers(32), "intercept": np.array(0.5)}
    svr = {**ready, "weights": numbers(32), "vectors": numbers(70, 32), "shares": numbers(70)}
    svr |= {"intercept": np.array(0.5), "gamma": np.array(0.01)}
    for name, fitted in {"ridge": ridge, "svr": svr}.items():
        yield f"scorer {name}", lambda some, f=fitted, n=name: SCORERS[n].predict(f, gaps[some])


ARRAYS = {name: compute for cases in (products, spaces, models) for name, compute in cases()}

if __name__ == "__main__":
    for compute in ARRAYS.values():
        check(compute)
    kernels = {one["architecture"] for one in threadpoolctl.threadpool_info() if one["internal_api"] == "openblas"}
    json.dump(sorted(kernels), sys.stdout)
