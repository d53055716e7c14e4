"""Peak memory: the sum of PSS over the process tree, two workers.

    python -m benchmarks memory

The 40 novels of eltec-eng (5.3 M words) from TEI to scores, if LEXBEAM_DATA has them; and sample corpora
of 1 M and 10 M words with the same vocabulary.
"""

import sys
from pathlib import Path

from benchmarks.change import make_config
from benchmarks.measure import BenchmarkRow, data_folder, peak_memory

TOKENS = 1_000_000


def _run(*words: str) -> float:
    command = [sys.executable, "-m", "lexbeam.pipelines.cli", *words]
    return peak_memory([*command, "--runner-config", "direct_multiprocess"])


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    rows = []
    data = data_folder()
    if data is not None:
        engine = data.parent / "models" / "en_ud"
        spec = f"spacy:{engine}" if engine.is_dir() else "builtin:en"
        corpus, change = str(folder / "corpus"), str(folder / "change")
        peaks = [
            _run(
                "corpus",
                str(data / "eltec-eng"),
                "--out",
                corpus,
                "--format",
                "tei",
                "--dates",
                "header",
                "--engine",
                spec,
            ),
            _run("change", corpus, "--out", change, "--slices", "1840-1859,1880-1920"),
        ]
        note = f"corpus {peaks[0]:.0f}, change {peaks[1]:.0f} MiB; engine {spec.partition(':')[0]}"
        rows.append(BenchmarkRow("peak memory, eltec-eng", max(peaks) / 1024, 2, True, "GiB", note))
    peaks = []
    for name, tokens in (("small", TOKENS), ("large", 10 * TOKENS)):
        (folder / name).mkdir()
        config = make_config(folder / name, tokens)
        peaks.append(_run("run", str(config), "--overwrite", "--fresh"))
    note = f"{peaks[0]:.0f} and {peaks[1]:.0f} MiB"
    rows.append(BenchmarkRow("peak memory, 10 M words over 1 M", peaks[1] / peaks[0], 1.2, True, "x", note))
    return rows
