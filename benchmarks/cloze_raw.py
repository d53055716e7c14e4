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
from schemas.cloze.pairs import KINDS
from transforms.lexicon.wordnet.kind import DEBIAN


def configuration(given: argparse.Namespace) -> dict[str, Any]:
    """Return what the run is told."""
    files = sorted(map(str, given.texts.resolve().rglob("*.txt")))
    if given.files:
        files = files[:: max(len(files) // given.files, 1)][: given.files]
    own = {"wordnet": given.wordnet, "vectors": f"{given.vectors.resolve()}:remove=3"}
    return {
        "parts": 4,
        "cloze": {
            "pairs": {
                "inputs": files,
                "layout": "documents",
                "skip_paragraphs": 1,
                "engine": given.engine,
                "language": "en",
                "encoding": ["utf-8", "latin-1"],
            },
            "candidates": {
                "kind": list(KINDS),
                "abstractness": str(given.abstractness.resolve()),
                "static_threshold": "quantile:0.9995",
                **own,
            },
            "options": {"readers": given.readers.split(","), "epochs": given.epochs, "wordnet": own["wordnet"]},
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
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    config = given.out / "config.yaml"
    config.write_text(yaml.safe_dump(configuration(given)), "utf-8")
    found = {}
    for runner in given.runner_config.split(","):
        out = given.out / runner
        start = time.perf_counter()
        lexbeam("run", str(config), "--out", str(out), "--overwrite", "--runner-config", runner)
        found[runner] = digests(out)
        print(f"{runner}: {time.perf_counter() - start:.0f} s")
    first = next(iter(found.values()))
    for runner, files in found.items():
        told = "the same bytes" if files == first else "OTHER BYTES"
        print(f"{runner}: {len(files)} files, {told}")
    for table in sorted((given.out / next(iter(found)) / "current" / "cloze").iterdir()):
        print(f"  cloze/{table.name}: {pq.read_table(table).num_rows} rows")
    return int(any(files != first for files in found.values()))


if __name__ == "__main__":
    sys.exit(_main())
