"""Run the benchmarks, print a table, fail if a bound is missed.

    python -m benchmarks --json out/bench.json
    python -m benchmarks training scaling

All are ratios of two things measured side by side in one run, medians of several; peak memory is
the sum of PSS over the process tree. Each module's docstring says what its rows mean.
"""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Skipped, report

NAMES = (
    "ingest", "ingest_memory", "annotation", "change", "training", "scaling", "memory", "lexicon",
    "lexicon_wordnet", "encoders",
)  # fmt: skip


def main() -> int:
    """Run the benchmarks named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}: {', '.join(NAMES)}")
    rows, skipped = [], {}
    for name in options.names or NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        with tempfile.TemporaryDirectory(prefix="lexbeam-bench-") as folder:
            try:
                rows += module.measure(Path(folder))
            except Skipped as reason:
                skipped[name] = str(reason)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
    return 0 if report(rows, options.json, skipped) else 1


if __name__ == "__main__":
    sys.exit(main())
