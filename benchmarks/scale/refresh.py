"""One small file added to very many: which artefacts the run after it makes anew, and its time beside the first run's.

A second run without any change says what it costs to find out that nothing is new.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.corpora import conllu, drawn, write_corpus
from benchmarks.scale.files import SEED, WORDS
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured
from benchmarks.scale.tokens import check_counts

SIZES = {"small": 5_000, "full": 200_000}
CASES = ("first run", "nothing changed", "one file added")


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results, all runs one after the other; yield a line for each run."""
    count = SIZES[sizes]
    keys = [{"case": case, "label": checkout.label, "size": count} for case in CASES]
    if all(map(results.has, keys)):
        return
    texts, out = work / f"refresh-{count}", fresh(work / "out")
    added = texts / "0000" / "1800-added.conllu"
    added.unlink(missing_ok=True)
    write_corpus(texts, "conllu", seed=SEED, documents=count, words=WORDS, files=count)
    before: set[str] = set()
    for case, key in zip(CASES, keys, strict=True):
        if case == "one file added":
            added.write_text(conllu(*next(drawn(SEED + 1, 1, WORDS))).replace("d000000000", "added"), "ascii")
        found = measured(checkout, "corpus", str(texts), "--out", str(out), "--engine", "none", "--overwrite")
        after = _receipts(out)
        made: dict[str, int] = {}
        for stage in (name.rpartition("/")[0] for name in after - before):
            made[stage] = made.get(stage, 0) + 1
        before = after
        check_counts(out, count + (case == "one file added"))
        row = {**key, **found, **folder_sizes(out), "made": made, "commit": checkout.commit()}
        if not results.has(key):
            results.add(row)
        yield f"{count:,} files, {case}: made {json.dumps(made, sort_keys=True)}"
    added.unlink()
    fresh(out)


def _receipts(out: Path) -> set[str]:
    """Return the receipts of a folder's artefacts, each with its stage."""
    work = out / "_artefacts"
    return {str(path.relative_to(work)) for path in work.glob("*/*/*.json")}
