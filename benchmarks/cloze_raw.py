"""From articles to cloze questions with five options, on several runners: the same bytes?

    python -m benchmarks.cloze_raw --texts $D/bbc --engine spacy:$M/en_ud --out raw \\
        --abstractness trial-concreteness --vectors trial.vec --files 100 --epochs 2 \\
        --runner-config direct,direct_multiprocess,flink_local

writes a configuration, and for each runner a folder: `lexbeam run` makes pairs of the articles
(their first paragraph is a headline), candidates of all kinds, options by three readers in four
folds, and questions. All published files are compared. `--files 0` takes all files, `--epochs 30`
trains readers as they are trained by default; `trial.vec` and the model come from
`benchmarks.cloze_trial`.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from benchmarks.complexity_raw import digests
from benchmarks.measure import lexbeam
from lexbeam.schemas.cloze import KINDS
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN


def configuration(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the run is told."""
    files = sorted(map(str, arguments.texts.resolve().rglob("*.txt")))
    if arguments.files:
        files = files[:: max(len(files) // arguments.files, 1)][: arguments.files]
    resources = {"wordnet": arguments.wordnet, "vectors": f"{arguments.vectors.resolve()}:remove=3"}
    return {
        "parts": 4,
        "cloze": {
            "pairs": {
                "inputs": files,
                "layout": "documents",
                "skip_paragraphs": 1,
                "engine": arguments.engine,
                "language": "en",
                "encoding": ["utf-8", "latin-1"],
            },
            "candidates": {
                "kind": list(KINDS),
                "abstractness": str(arguments.abstractness.resolve()),
                "static_threshold": "quantile:0.9995",
                **resources,
            },
            "options": {
                "readers": arguments.readers.split(","),
                "epochs": arguments.epochs,
                "wordnet": resources["wordnet"],
            },
            "questions": {},
        },
    }


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True, help="folder of .txt files")
    parser.add_argument("--abstractness", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--engine", default="builtin:en")
    parser.add_argument("--wordnet", default=DEBIAN)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--readers", default="ga,ar,ar-gloss")
    parser.add_argument("--runner-config", default="direct,direct_multiprocess")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    config = arguments.out / "config.yaml"
    config.write_text(yaml.safe_dump(configuration(arguments)), "utf-8")
    by_runner = {}
    for runner in arguments.runner_config.split(","):
        out = arguments.out / runner
        start = time.perf_counter()
        lexbeam("run", str(config), "--out", str(out), "--overwrite", "--runner-config", runner)
        by_runner[runner] = digests(out)
        print(f"{runner}: {time.perf_counter() - start:.0f} s")
    first = next(iter(by_runner.values()))
    for runner, files in by_runner.items():
        verdict = "the same bytes" if files == first else "OTHER BYTES"
        print(f"{runner}: {len(files)} files, {verdict}")
    for table in sorted((arguments.out / next(iter(by_runner)) / "current" / "cloze").iterdir()):
        print(f"  cloze/{table.name}: {pq.read_table(table).num_rows} rows")
    return int(any(files != first for files in by_runner.values()))


if __name__ == "__main__":
    sys.exit(_main())
