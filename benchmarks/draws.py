"""How even draws, folds and smallest are: the figures of docs/inside/draws.md.

    python -m benchmarks.draws

Every figure is decided by the seeds here but the seconds. `z` is a correlation, or how far a share
is from what is expected, in standard errors.
"""

import time
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import stats

from lexbeam.transforms.common.draws.by_content import (
    add,
    content_hashes,
    entry_of,
    normal,
    numbers,
    smallest_rows,
    uniform,
)
from lexbeam.transforms.common.draws.splits import connected_folds, fold_of

N = 1_000_000
KEYS: dict[str, Callable[[], Any]] = {
    "0, 1, 2, ...": lambda: [str(i) for i in range(N)],
    "one digit apart": lambda: [f"document-{i:07d}.xml" for i in range(N)],
    "digests": lambda: [blake2b(b"%d" % i, digest_size=16).hexdigest() for i in range(N)],
    "numbers in place of hashes": lambda: np.arange(N, dtype=np.uint64),
}


def _z(x: Any, y: Any) -> float:
    return float(np.corrcoef(x, y)[0, 1] * len(x) ** 0.5)


def draws_of(name: str) -> Iterator[str]:
    """Yield the row of a kind of keys."""
    keys = content_hashes(KEYS[name]())
    drawn = uniform(keys, seed=1, label="a")
    cells = np.bincount((drawn * 4096).astype(int), minlength=4096)
    bits = np.unpackbits(numbers(keys, seed=1, label="a").view(np.uint8).reshape(N, 8), axis=1)
    yield name
    yield f"{stats.chisquare(cells).pvalue:.3f}"
    yield f"{stats.kstest(drawn, 'uniform').pvalue:.3f}"
    yield f"{stats.kstest(normal(keys, seed=1, label='a'), 'norm').pvalue:.3f}"
    yield f"{np.abs(bits.mean(axis=0) - 0.5).max() * 2 * N**0.5:.2f}"
    yield f"{_z(drawn[1:], drawn[:-1]):.2f}"
    yield f"{_z(drawn, uniform(keys, seed=1, label='b')):.2f}"
    yield f"{_z(drawn, uniform(keys, seed=2, label='a')):.2f}"
    yield f"{_z(*uniform(keys, seed=1, label='a', draws=2).T):.2f}"


def folds_of(k: int) -> Iterator[str]:
    """Yield the row of a number of folds: sizes against a multinomial, over 500 seeds."""
    keys = content_hashes([f"document {i}" for i in range(20_000)])
    sizes = [np.bincount(fold_of(keys, k, seed=seed), minlength=k) for seed in range(500)]
    p = np.array([stats.chisquare(counts).pvalue for counts in sizes])
    spread = np.std(sizes) / (len(keys) / k * (1 - 1 / k)) ** 0.5
    yield f"{k}"
    yield f"{spread:.3f}"
    yield f"{(p < 0.05).mean():.3f}"
    yield f"{(p < 0.01).mean():.3f}"
    yield f"{stats.kstest(p, 'uniform').pvalue:.3f}"


def smallest_of(n: int, k: int, drawn_by: str) -> Iterator[str]:
    """Yield the row of a sample: how often each key and each pair of keys is in it.

    20,000 seeds, of which each of 20 labels has its own thousand: one in twenty single tests of
    noise is below .05, so the distribution of twenty is reported.
    """
    keys = content_hashes([f"sentence {i}" for i in range(n)])
    labels, seeds = 20, 20_000
    held = np.zeros((seeds, n), bool)
    other = np.random.default_rng(1)
    for seed in range(seeds):
        ours, label = drawn_by == "us", f"sample {seed % labels}"
        rows = smallest_rows(keys, k, seed=seed, label=label) if ours else other.permutation(n)[:k]
        held[seed, rows] = True
    share = k / n
    single = held.mean(axis=0)
    p = [_chi_square(held[label::labels], share) for label in range(labels)]
    both = (held.astype(np.float32).T @ held)[np.triu_indices(n, 1)] / seeds
    pair = share * (k - 1) / (n - 1)
    yield f"{k} of {n}"
    yield drawn_by
    yield f"{share:.4f}"
    yield f"{single.min():.4f} to {single.max():.4f}"
    yield f"{np.abs(single - share).max() / (share * (1 - share) / seeds) ** 0.5:.2f}"
    yield f"{_chi_square(held, share):.3f}"
    yield f"{stats.kstest(p, 'uniform').pvalue:.3f}"
    yield f"{np.abs(both - pair).max() / (pair * (1 - pair) / seeds) ** 0.5:.2f} of {len(both):,}"


def _chi_square(held: Any, share: float) -> float:
    """Return p of how often keys are held; without replacement they vary less, by a known share."""
    samples, n = held.shape
    off = ((held.mean(axis=0) - share) ** 2).sum()
    return float(stats.chi2.sf(off * samples * (n - 1) / (n * share * (1 - share)), n - 1))


def seconds() -> Iterator[list[str]]:
    """Yield rows: what takes how long for a million keys, the best of three."""
    texts = KEYS["digests"]()
    keys = content_hashes(texts)
    words = [f"word {i}" for i in (N / np.arange(1, N + 1)).astype(int)]
    items = texts[: N // 10]

    def keep() -> None:
        sample: list[Any] = []
        for item in items:
            add(sample, entry_of(item, seed=1, label="a"), 100)

    actions: dict[str, Callable[[], Any]] = {
        "`content_hashes` of texts": lambda: content_hashes(texts),
        "`uniform` of hashes": lambda: uniform(keys, seed=1, label="a"),
        "`normal` of hashes": lambda: normal(keys, seed=1, label="a"),
        "`fold_of` hashes": lambda: fold_of(keys, 5, seed=1),
        "`smallest_rows`, 5 of each of 2,000 groups": lambda: smallest_rows(keys, 5, words, seed=1, label="a"),
        "`connected_folds` over two columns": lambda: connected_folds({"word": words, "document": texts}, 5, seed=1),
        "`add` of 100,000 items, ten times": keep,
    }
    for name, action in actions.items():
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            action()
            best = min(best, time.perf_counter() - start)
        yield [name, f"{best * (10 if action is keep else 1):.2f}"]


def _table(heads: list[str], rows: Iterator[Any]) -> None:
    print("\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


def main() -> None:
    """Measure and print."""
    heads = ["keys", "chi-square, 4,096 cells: p", "KS uniform: p", "KS normal: p", "bits: max z"]
    heads += ["next key: z", "other label: z", "other seed: z", "next draw: z"]
    _table(heads, (draws_of(name) for name in KEYS))
    heads = ["folds", "spread over binomial", "share p < .05", "share p < .01", "KS of p: p"]
    _table(heads, (folds_of(k) for k in (2, 4, 5, 10, 20, 100)))
    heads = ["kept", "drawn by", "expected", "share of each key", "max z", "chi-square: p"]
    heads += ["KS of p: p", "pairs: max z"]
    sizes = ((10, 2), (10, 5), (50, 5), (200, 20))
    _table(heads, (smallest_of(n, k, by) for n, k in sizes for by in ("us", "numpy")))
    _table(["of a million", "s"], seconds())


if __name__ == "__main__":
    main()
