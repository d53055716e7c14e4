"""Processor seconds of split methods: python tests/complexity/time_splits.py ROWS..."""

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from lexbeam.transforms.common.draws.splits import distances, parse_shares
from lexbeam.transforms.complexity.labels.label_splits import SPLIT_METHODS, Instances, SplitOptions


def drawn(rows: int) -> Instances:
    """Return instances with 2.3 rows a token, each in any of three genres."""
    draw = np.random.default_rng(0)
    tokens = rows * 3 // 7
    of = np.sort(draw.integers(tokens, size=rows))
    names = draw.integers(1, 2**63, size=tokens, dtype=np.uint64)
    level = draw.beta(2, 5, size=tokens)
    complexity = np.clip(level[of] + draw.normal(0, 0.05, rows), 0, 1)
    sentences = draw.integers(1, 2**63, size=rows, dtype=np.uint64)
    return Instances(names[of], sentences, draw.integers(3, size=rows), complexity, np.full(rows, -1))


if __name__ == "__main__":
    shares = parse_shares(["train=.85", "trial=.05", "test=.10"])
    for number in map(int, sys.argv[1:]):
        instances = drawn(number)
        for method, function in SPLIT_METHODS.items():
            start = time.process_time()
            split = function(instances, shares, SplitOptions(method=method)).split
            seconds = time.process_time() - start
            far = distances(instances.complexity, split, len(shares.names)).max()
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"{number:,} {method}: {seconds:.1f} s, KS {far:.4f}, {memory} MB")
