"""How many words do thresholds call changed where none has? Shares by threshold, of the null pairs of a run.

    python -m benchmarks.thresholds sample/results      (after `lexbeam change` with null pairs)

Null pairs deal the dates of documents out at random. In each, a threshold over ranked words has these; one over
targets has 40 of them, drawn at random, 200 times. Told is the share above the threshold: mean, least and most
over null pairs.

    python -m benchmarks.thresholds dated/change... --called

tells, of runs whose dates are random, which share of the ranked words `changed` has: mean, least and most over runs.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.schemas.change.scores import of_threshold
from lexbeam.transforms.change.scores.thresholds import RANKED, THRESHOLDS, Threshold

DRAWS = 200
TARGETS = 40

Floats = npt.NDArray[np.float64]


def share(threshold: Threshold, scores: Floats) -> float:
    """Return the share of the scores of a null pair above a threshold; nan where there is none."""
    if threshold.over == RANKED:
        return _above(threshold, scores)
    random = np.random.default_rng(1)
    drawn = (random.choice(scores, TARGETS, replace=False) for _ in range(DRAWS))
    return float(np.nanmean([_above(threshold, words) for words in drawn]))


def _above(threshold: Threshold, scores: Floats) -> float:
    value = threshold.cut(scores).value
    return float("nan") if value is None else float((scores > value).mean())


def null_scores(folder: Path, alignment: str, measure: str) -> Iterator[Floats]:
    """Yield the scores of the ranked words of each null pair."""
    rows = pq.read_table(folder / "change/nulls")
    rows = rows.filter(pc.field("ranked") & (pc.field("alignment") == alignment) & (pc.field("measure") == measure))
    for number in sorted(pc.unique(rows["null"]).to_pylist()):
        yield rows.filter(pc.field("null") == number)["score"].to_numpy()


def called(folder: Path, alignment: str, measure: str) -> dict[str, float]:
    """Return the share of ranked words that a run calls changed, by threshold."""
    rows = pq.read_table(folder / "current/scores")
    rows = rows.filter(pc.field("seed").is_null() & pc.field("ranked") & pc.field("score").is_valid())
    rows = rows.filter((pc.field("alignment") == alignment) & (pc.field("measure") == measure))
    names = json.loads((folder / "current/manifest.json").read_text("utf-8"))["change"]["options"]["threshold"]
    return {name: pc.mean(rows[of_threshold("changed", name, names)]).as_py() for name in names}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--called", action="store_true")
    parser.add_argument("--alignment", default="op")
    parser.add_argument("--measure", default="cosine")
    given = parser.parse_args()
    if given.called:
        runs = [called(folder, given.alignment, given.measure) for folder in given.folder]
        for name in runs[0]:
            _tell(name, [run[name] for run in runs])
        return
    nulls = list(null_scores(given.folder[0], given.alignment, given.measure))
    print(f"{len(nulls)} null pairs, {min(map(len, nulls))} to {max(map(len, nulls))} ranked words")
    for name, threshold in THRESHOLDS.items():
        _tell(name, [share(threshold, scores) for scores in nulls])


def _tell(name: str, found: list[float]) -> None:
    shares = np.array(found)
    print(f"{name:16} {shares.mean():.3f} ({shares.min():.3f} to {shares.max():.3f})")


if __name__ == "__main__":
    main()
