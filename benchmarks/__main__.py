"""Run the benchmarks, print a table, fail if a bound is missed.

    python -m benchmarks core --json out/bench.json
    python -m benchmarks training scaling
    python -m benchmarks extras

`core` and `extras` stand for the benchmarks that need the core alone, and those that need extras. Most
rows are ratios of two things measured side by side in one run, medians of several; peak memory is the sum
of PSS over the process tree. The docstring of each module says what its rows mean.
"""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Skipped, report

GROUPS = {
    "core": (
        "ingest",
        "ingest_memory",
        "annotation",
        "change",
        "training",
        "trainers",
        "spaces",
        "counts",
        "scaling",
        "memory",
    ),
    "extras": (
        "lexicon",
        "lexicon_wordnet",
        "cloze_lesk",
        "cloze_filters",
        "encoders",
        "complexity_features",
        "simplification",
        "simplification_pos",
        "simplification_text",
    ),
}
NAMES = tuple(name for group in GROUPS.values() for name in group)


def main() -> int:
    """Run the benchmarks named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    known = (*GROUPS, *NAMES)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = set(options.names) - set(known)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}: {', '.join(known)}")
    rows, skipped = [], {}
    for name in [n for named in options.names or GROUPS for n in GROUPS.get(named, (named,))]:
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
