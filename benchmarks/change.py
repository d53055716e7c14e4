"""The whole job on ready-lemmatised text against a bare script that does the same by hand.

    python -m benchmarks change

The bare script reads the lines, trains two gensim models, aligns by numpy and writes two Parquet
files, in one thread; the job is `lexbeam run` in one process. 2 M words, 5 epochs.
"""

from pathlib import Path

import yaml

from benchmarks.measure import BenchmarkRow, lexbeam, ratios, run_script

TOKENS = 2_000_000
REPEATS = 3
SCRIPT = """
import sys, glob, numpy as np, pyarrow as pa, pyarrow.parquet as pq
from gensim.models import Word2Vec
folder, out = sys.argv[1:]
spaces = []
for name, years in (("early", range(1800, 1850)), ("late", range(1950, 2000))):
    sentences = []
    for path in sorted(glob.glob(folder + "/*")):
        if int(path.rpartition("/")[2][:4]) in years:
            for line in open(path, encoding="utf-8"):
                words = [w for w in line.lower().split() if any(c.isalnum() for c in w)]
                if len(words) >= 10:
                    sentences.append(words)
    model = Word2Vec(sentences, vector_size=100, window=10, epochs=5, negative=5, sample=0,
                     min_count=5, sg=1, hs=0, workers=1, seed=1)
    spaces.append((model.wv.index_to_key, model.wv.vectors.astype(float)))
def unit(m):
    m = m / np.linalg.norm(m, axis=1, keepdims=True)
    return m - m.mean(axis=0)
(w1, z), (w2, x) = spaces
z, x = unit(z), unit(x)
at = {w: i for i, w in enumerate(w2)}
shared = [w for w in w1 if w in at]
z = z[[i for i, w in enumerate(w1) if w in at]]
x = x[[at[w] for w in shared]]
u, _, vt = np.linalg.svd(z.T @ x)
x = x @ (vt.T @ u.T)
score = 1 - (z * x).sum(1) / np.linalg.norm(z, axis=1) / np.linalg.norm(x, axis=1)
pq.write_table(pa.table({"word": shared, "score": score}), out + "/scores.parquet")
for (words, vectors), name in zip(spaces, ("early", "late")):
    pq.write_table(pa.table({"word": words, "vector": list(vectors.astype("f4"))}),
                   f"{out}/{name}.parquet")
"""


def make_config(folder: Path, tokens: int, seed: int = 1) -> Path:
    """Write a sample with one sentence a line, and a configuration for it as lemmatised text."""
    sample = folder / "sample"
    lexbeam("sample", "--out", str(sample), "--tokens", str(tokens), "--seed", str(seed))
    lines = folder / "lines"
    lines.mkdir()
    for path in sorted((sample / "corpus").rglob("*.txt")):
        text = path.read_text("utf-8").replace("\n", " ").replace(" .", ".")
        (lines / path.name).write_text(text.replace(". ", " .\n").replace(".", " ."), "utf-8")
    config = {
        "out": "results",
        "corpus": {"inputs": ["lines"], "format": "lines", "engine": "none", "dates": r"name:^(\d{4})_"},
        "change": {"slices": "early=1800-1849,late=1950-1999", "seeds": 1, "alignment": ["op"]},
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), "utf-8")
    return path


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the row."""
    config = make_config(folder, TOKENS)
    value, found = ratios(
        lambda: lexbeam("run", str(config), "--overwrite", "--fresh"),
        lambda: run_script(SCRIPT, str(folder / "lines"), str(folder)),
        REPEATS,
    )
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    return [BenchmarkRow("whole job over a bare script, one process each", value, 1.15, True, "x", note)]
