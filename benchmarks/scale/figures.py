"""Figures from measured runs: medians, slopes, how flat something is, CPU by step.

>>> slope([1, 2, 4], [3.0, 6.0, 12.0])
1.0
>>> flatness([100, 110, 105])
0.1
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

# What a run's CPU is divided into, in the order of the work.
STEPS = ("start", "plan", "graph", "listing", "cut", "ingest", "annotate", "merge", "shuffle and rest", "publish")
_OF_STAGE = {"corpus/ingest": "ingest", "corpus/annotate": "annotate", "corpus/cut": "cut"}


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of log cost on log size, by least squares.

    Raises:
        ValueError: there are fewer than two sizes, or a size or cost is not positive.
    """
    if len(set(sizes)) < 2:
        raise ValueError("a slope needs two sizes")
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    return round(statistics.linear_regression(x, y).slope, 9)


def flatness(values: Sequence[float]) -> float:
    """Return by how much the largest value exceeds the least, as a share of the least."""
    return round(max(values) / min(values) - 1, 9)


def select(rows: Iterable[Row], **values: object) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in values.items())]


def medians(rows: Iterable[Row], value: Callable[[Row], float]) -> dict[int, float]:
    """Return the median of a value over the runs of each size, in the order of sizes."""
    by_size: dict[int, list[float]] = {}
    for row in rows:
        by_size.setdefault(row["size"], []).append(value(row))
    return {size: statistics.median(by_size[size]) for size in sorted(by_size)}


def marginal(rows: Iterable[Row], value: Callable[[Row], float], size: Callable[[Row], float]) -> float:
    """Return what a value grows by with each unit of size, from the smallest runs to the largest.

    What every run costs alike, such as the start of Python, is not in it.

    Raises:
        ValueError: all runs have one size.
    """
    rows = list(rows)
    values, sizes = medians(rows, value), medians(rows, size)
    least, most = min(values), max(values)
    if least == most:
        raise ValueError("what grows is told from two sizes")
    return (values[most] - values[least]) / (sizes[most] - sizes[least])


def steps(row: Row) -> dict[str, float]:
    """Return the CPU seconds of a run by step; they add up to those of the run.

    `start` is what the driver does before it plans, the imports of Beam above all; `shuffle and rest` what no other
    step has: the start of the workers, the shuffle, and all that is done between stages.
    """
    driver = row["driver"]
    found = dict.fromkeys(STEPS, 0.0)
    found["start"] = driver.get("start", 0.0) + driver.get("check", 0.0)
    found["plan"] = driver.get("plan", 0.0)
    found["graph"] = driver.get("prepare", 0.0) + driver.get("build", 0.0)
    found["publish"] = driver.get("publish", 0.0)
    for name, stage in row["stages"].items():
        short = name.rpartition("/")[2]
        step = _OF_STAGE.get(name, "listing" if short.startswith("list") else "merge")
        found[step] += stage["cpu"]
    found["shuffle and rest"] = row["cpu"] - sum(found.values())
    return found
