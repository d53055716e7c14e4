"""Do the trainers find the same? Scores of `--trainer gensim` and `fast` over seeds, on a corpus.

    python -m benchmarks.trainer_quality CORPUS --slices 1790-1860,1960-2024 --seeds 10 --out DIR
    python -m benchmarks.trainer_quality CORPUS --slices ... --truth truth.tsv --out DIR     (lexbeam sample)
    python -m benchmarks.trainer_quality CORPUS --slices ... --targets FILE --out DIR

Told is Spearman's correlation of the scores (cosine, alignment op) of two seeds of gensim, of two of fast, and of one
of each, over the words scored in all runs (ranked ones, or the targets): mean over pairs of seeds, and the 2.5th to
97.5th percentile. With a truth, the average precision of planted changes by seed as well: mean and standard error
over seeds. What was trained is taken up where a run was cut off.
"""

import argparse
import csv
from itertools import combinations, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from benchmarks.measure import lexbeam
from lexbeam.transforms.evaluation.metrics import spearman
from lexbeam.transforms.evaluation.outcomes import average_precision

TRAINERS = ("gensim", "fast")
Scores = dict[str, float]


def run(given: argparse.Namespace, out: Path, *more: str) -> list[Scores]:
    """Return the scores of each seed by word, training what is not there."""
    words = [str(given.corpus), "--out", str(out), "--slices", given.slices, *more]
    words += ["--min-count", given.min_count, "--alignment", "op"]
    words += ["--targets", str(given.targets)] if given.targets else []
    words += ["--min-sentence", given.min_sentence] if given.min_sentence else []
    lexbeam("change", *words, "--seeds", str(given.seeds), "--overwrite")
    tables = [pq.read_table(path) for path in sorted((out / "scores").glob("*.parquet"))]
    rows = [row for table in tables for row in table.to_pylist() if row["alignment"] == "op"]
    counts = "target" if given.targets else "ranked"
    return [
        {row["word"]: row["score"] for row in rows if row["seed"] == seed and row[counts] and row["score"] is not None}
        for seed in range(1, given.seeds + 1)
    ]


def correlations(first: list[Scores], second: list[Scores] | None = None) -> npt.NDArray[np.float64]:
    """Return Spearman's correlation of every pair of seeds, of one trainer or of two."""
    pairs = combinations(first, 2) if second is None else product(first, second)
    found = []
    for one, other in pairs:
        shared = sorted(one.keys() & other.keys())
        found.append(spearman(*(np.array([scores[word] for word in shared]) for scores in (one, other))))
    return np.array(found, np.float64)


def precisions(path: Path, scores: list[Scores]) -> npt.NDArray[np.float64]:
    """Return the average precision of planted changes of each seed."""
    with path.open(encoding="utf-8") as stream:
        changed = {row["word"]: float(row["changed"]) > 0 for row in csv.DictReader(stream, delimiter="\t")}
    found = []
    for of_seed in scores:
        words = sorted(changed.keys() & of_seed.keys())
        gold = np.array([changed[word] for word in words])
        found.append(average_precision(gold, np.array([of_seed[word] for word in words])))
    return np.array(found, np.float64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says on which corpus, and with how many seeds, scores are compared."""
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--min-count", default="5")
    parser.add_argument("--min-sentence")
    parser.add_argument("--targets", type=Path)
    parser.add_argument("--truth", type=Path)


def main() -> None:
    """Train what is not there, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--slices", required=True)
    add_arguments(parser)
    given = parser.parse_args()
    scores = {trainer: run(given, given.out / trainer, "--trainer", trainer) for trainer in TRAINERS}
    words = set.intersection(*(set(of_seed) for runs in scores.values() for of_seed in runs))
    print(f"{len(words)} words, {given.seeds} seeds of each trainer\n")
    print("| pairs of seeds | Spearman | 95 % |\n|---|---|---|")
    for name, found in (
        *((f"two of {trainer}", correlations(scores[trainer])) for trainer in TRAINERS),
        ("one of each", correlations(*scores.values())),
    ):
        low, high = np.percentile(found, [2.5, 97.5])
        print(f"| {name} | {found.mean():.3f} | {low:.3f} to {high:.3f} |")
    means = [{word: float(np.mean([s[word] for s in runs])) for word in words} for runs in scores.values()]
    print(f"| means of all seeds of each | {correlations(means[:1], means[1:])[0]:.3f} | |")
    for trainer in TRAINERS if given.truth else ():
        found = precisions(given.truth, scores[trainer])
        error = 1.96 * found.std(ddof=1) / np.sqrt(len(found))
        low, high = found.mean() - error, found.mean() + error
        print(f"| average precision, {trainer} | {found.mean():.3f} | {low:.3f} to {high:.3f} (of the mean) |")


if __name__ == "__main__":
    main()
