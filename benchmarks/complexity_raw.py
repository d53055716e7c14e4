"""From raw text to splits and features of lexical complexity, on several runners: the same bytes?

    python -m benchmarks.complexity_raw --data $D --engine spacy:$M/en_ud --files 6 --out raw \\
        --runner-config direct,direct_multiprocess,flink_local

takes in novels, news and speeches as three genres, selects targets, simulates people who judge
them, aggregates, splits, and makes features, in a folder for each runner; and compares all tables.

A simulated judgment is a rating of 1 to 5: the rarer and the longer a word is, the higher, with
noise of each person, drawn by content. It stands for nothing but the work that it makes.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import lexbeam
from lexbeam.transforms.common.draws.by_content import content_hashes, normal

# By genre: files, and how they are taken in.
CORPORA = {
    "novels": ("eltec-eng", "*.xml", ["--format", "tei", "--dates", "header"]),
    "news": ("bbc", "*/*.txt", ["--format", "text", "--encoding", "utf-8,latin-1"]),
    "speeches": ("sotu", "*.txt", ["--format", "text"]),
}
PEOPLE = 7
SHARES = "train=.7,trial=.05,test=.25"


def judgments(instances: pa.Table) -> pa.Table:
    """Return a rating of every person for every instance."""
    from wordfreq import zipf_frequency

    tokens = instances["token"].to_pylist()
    zipf = np.array([min(zipf_frequency(w, "en") for w in token.split()) for token in tokens])
    hard = 1.0 + 0.6 * (6.0 - zipf) + 0.05 * np.array([len(token) for token in tokens])
    hashes = content_hashes(instances["instance_id"].to_pylist())
    ratings = [
        np.clip(np.rint(hard + normal(hashes, seed=1, label=f"person {number}")), 1, 5) for number in range(PEOPLE)
    ]
    return pa.table(
        {
            "instance_id": np.tile(instances["instance_id"].to_numpy(), PEOPLE),
            "annotator": np.repeat([f"person {number}" for number in range(PEOPLE)], len(tokens)),
            "rating": np.concatenate(ratings).astype(np.int64),
        }
    )


def write_judgments(folder: Path, path: Path) -> None:
    """Judge the instances of a folder."""
    columns = ["instance_id", "token"]
    judged = judgments(pq.read_table(folder / "current" / "complexity" / "instances", columns))
    lines = ["\t".join(judged.column_names)]
    lines += ["\t".join(map(str, row.values())) for row in judged.to_pylist()]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def make(arguments: argparse.Namespace, runner: str, out: Path) -> Path:
    """Make everything by one runner; return the folder of the tables."""
    on = ["--overwrite", "--runner-config", runner]
    corpora = []
    for genre, (folder, pattern, words) in CORPORA.items():
        files = sorted(map(str, (arguments.data / folder).glob(pattern)))
        files = files[:: max(len(files) // arguments.files, 1)][: arguments.files]
        corpora.append(str(out / genre))
        lexbeam("corpus", *files, "--out", corpora[-1], "--engine", arguments.engine, *words, *on)
    made = out / "complexity"
    lexbeam(
        "complexity",
        "select",
        *corpora,
        "--out",
        str(made),
        "--quota",
        str(arguments.quota),
        "--genres",
        ",".join(CORPORA),
        *on,
    )
    write_judgments(made, out / "judgments.tsv")
    lexbeam("complexity", "aggregate", str(made), "--judgments", str(out / "judgments.tsv"))
    lexbeam("complexity", "split", str(made), "--method", "balanced", "--shares", SHARES)
    lexbeam("complexity", "features", str(made), *on)
    return made


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each published file, by its name."""
    top = (folder / "current").resolve()
    return {
        str(path.relative_to(top)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--engine", default="builtin:en")
    parser.add_argument("--files", type=int, default=6, help="files of each genre")
    parser.add_argument("--quota", type=int, default=500, help="of each genre and kind")
    parser.add_argument("--runner-config", default="direct,direct_multiprocess")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    by_runner = {
        runner: digests(make(arguments, runner, arguments.out / runner))
        for runner in arguments.runner_config.split(",")
    }
    first = next(iter(by_runner.values()))
    for runner, files in by_runner.items():
        verdict = "the same bytes" if files == first else "OTHER BYTES"
        print(f"{runner}: {len(files)} files, {verdict}")
    tables = arguments.out / next(iter(by_runner)) / "complexity" / "current" / "complexity"
    for table in sorted(tables.iterdir()):
        print(f"  complexity/{table.name}: {pq.read_table(table).num_rows} rows")
    return int(any(files != first for files in by_runner.values()))


if __name__ == "__main__":
    sys.exit(_main())
