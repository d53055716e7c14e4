"""Measure a part of docs/scale.md, or write the page from all that was measured.

    python -m benchmarks.scale tokens
    python -m benchmarks.scale files --sizes full --work /dev/shm/scale
    python -m benchmarks.scale tokens --label before --source ../before
    python -m benchmarks.scale page

A part goes on where it stopped: each run that has been measured is a line of RESULTS/PART.jsonl, and made corpora
are kept in WORK until they are removed by hand.
"""

import argparse
import importlib
import signal
import sys
from pathlib import Path
from typing import NoReturn

from benchmarks.measure import ROOT
from benchmarks.scale.runs import Checkout, Results

PARTS = ("tokens", "files", "refresh", "gather", "merging", "memory", "cut", "cluster", "intake", "nights")


def _end(number: int, _: object) -> NoReturn:
    """End, and with this process the command that it measures."""
    sys.exit(128 + number)


def main() -> int:
    """Measure a part, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=(*PARTS, "page"), help="what to measure; `page` writes docs/scale.md")
    parser.add_argument("--sizes", choices=("small", "full"), default="small")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "scale", help="where measured runs are kept")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "scale" / "work", help="where corpora are made")
    parser.add_argument("--source", type=Path, default=ROOT, help="the checkout that is measured")
    parser.add_argument("--label", choices=("before", "after"), default="after", help="what its results are called")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, _end)  # also where a shell has told background work to ignore it
    signal.signal(signal.SIGTERM, _end)
    if given.part == "page":
        from benchmarks.scale.page import write_page

        write_page(ROOT / "docs", {name: Results(given.results / f"{name}.jsonl").rows for name in PARTS})
        return 0
    module = importlib.import_module(f"benchmarks.scale.{given.part}")
    given.work.mkdir(parents=True, exist_ok=True)
    checkout = Checkout(given.label, given.source.resolve())
    for line in module.run(checkout, Results(given.results / f"{given.part}.jsonl"), given.work.resolve(), given.sizes):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
