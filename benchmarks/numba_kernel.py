"""numba in the place of C: the bare kernel of `--trainer fast`, rows drawn at random, for docs/inside/decisions.md.

    python -m benchmarks.numba_kernel [--rows 10000] [--pairs 200000]

Needs numba, which Lexbeam does not. The port computes what `train_pairs` of `_sgns.c` computes: sums in 16 lanes and a
tree, the table of the sigmoid, nothing fused or reordered. Printed are whether the bytes are the same, and seconds of
CPU, medians of five in turn (dimension 100, 5 negative words), without those that numba takes to compile.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import timed
from lexbeam.transforms.common.code.loops import LANES, padded
from lexbeam.transforms.embeddings.trainers import compiled, sigmoid_table

DIM, NEGATIVE, ALPHA, REPEATS = 100, 5, 0.025, 5
f32 = np.float32


def port() -> Callable[..., None]:
    """Return the kernel by numba, for rows of one length."""
    import numba

    width, blocks = padded(1, DIM).shape[1], padded(1, DIM).shape[1] // LANES
    one, zero, most = f32(1), f32(0), f32(6)

    def kernel(vectors: Any, contexts: Any, sigmoid: Any, inputs: Any, targets: Any, alpha: Any) -> None:
        lanes, work = np.zeros(LANES, np.float32), np.zeros(width, np.float32)
        for pair in range(inputs.size):
            vector = vectors[inputs[pair]]
            for k in range(width):
                work[k] = zero
            for place in range(targets.shape[1]):
                row = contexts[targets[pair, place]]
                for lane in range(LANES):
                    lanes[lane] = vector[lane] * row[lane]
                for block in range(1, blocks):
                    for lane in range(LANES):
                        lanes[lane] += vector[LANES * block + lane] * row[LANES * block + lane]
                for lane in range(8):
                    lanes[lane] += lanes[lane + 8]
                for lane in range(4):
                    lanes[lane] += lanes[lane + 4]
                dot = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
                if not -most < dot < most:
                    continue
                step = sigmoid[int((np.float64(dot) + 6.0) * 83.0)]
                rate = ((one if place == 0 else zero) - step) * alpha
                for k in range(width):
                    before = row[k]
                    work[k] += rate * before
                    row[k] = before + rate * vector[k]
            for k in range(width):
                vector[k] += work[k]

    compile_it: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy")
    made: Callable[..., None] = compile_it(kernel)
    return made


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=200_000)
    given = parser.parse_args()
    random = np.random.default_rng(2)
    shares = 1 / np.arange(1, given.rows + 1)
    drawn = [random.choice(given.rows, given.pairs, p=shares / shares.sum()) for _ in range(2)]
    smoothed = shares**0.75 / (shares**0.75).sum()
    negative = random.choice(given.rows, (given.pairs, NEGATIVE), p=smoothed)
    inputs, targets = drawn[0].astype(np.int32), np.column_stack([drawn[1], negative]).astype(np.uint32)
    start = (random.random((2, given.rows, DIM)) * 2 - 1) / 10
    loops, by_numba = compiled(), port()
    kernels: dict[str, Callable[..., object]] = {
        "C": lambda v, u, some: loops.train_pairs(
            v, u, sigmoid_table(), DIM, inputs[:some], targets[:some], ALPHA, False, ""
        ),
        "numba": lambda v, u, some: by_numba(v, u, sigmoid_table(), inputs[:some], targets[:some], f32(ALPHA)),
    }

    def run(name: str, some: int) -> tuple[float, bytes]:
        v, u = padded(given.rows, DIM), padded(given.rows, DIM)
        v[:, :DIM], u[:, :DIM] = start
        return timed(lambda: kernels[name](v, u, some), time.process_time), v.tobytes() + u.tobytes()

    print(f"compiled by numba in {run('numba', 1)[0]:.1f} s; {loops.variants()[0]}")
    found: dict[str, list[float]] = {name: [] for name in kernels}
    made = set()
    for _ in range(REPEATS):
        for name in kernels:
            seconds, content = run(name, given.pairs)
            found[name].append(seconds)
            made.add(content)
    print("the same bytes" if len(made) == 1 else "OTHER BYTES")
    for name, seconds in found.items():
        print(f"{name}: {statistics.median(seconds):.3f} s")
    ratios = [b / a for a, b in zip(*found.values(), strict=True)]
    print(f"numba over C: {statistics.median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})")


if __name__ == "__main__":
    main()
