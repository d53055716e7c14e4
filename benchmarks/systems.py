"""Every system by name on a sample corpus, under random dates, on speeches and on Latin: tables of docs/systems.md.

    python -m benchmarks.systems sample --out trials        (planted changes, and the same texts under random dates)
    python -m benchmarks.systems sotu --out trials          (how systems agree on 144 speeches; needs the corpora)
    python -m benchmarks.systems latin --out trials --seeds 5           (scores of the 40 targets of LatinISE)
    python -m lexbeam.pipelines.commands.change.systems_page > docs/systems.md

Each writes a table into docs/systems, and `sotu` a picture. What is in `--out` is not made again, so a command that
was cut off goes on; `--system` names some. All that is trained is by `--trainer fast`.
"""

import argparse
import random
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from scipy.stats import spearmanr

from benchmarks.measure import ROOT, data_folder, lexbeam
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, has_chance
from lexbeam.transforms.embeddings.representations import SGNS
from lexbeam.transforms.evaluation.outcomes import average_precision

FOLDER = ROOT / "docs" / "systems"
PICTURE = ROOT / "docs" / "pictures" / "systems-sotu.svg"
EARLY, LATE = (1800, 1849), (1950, 1999)
PERIODS = "early=1800-1849,late=1950-1999"
NAMED = r"name:^(\d{4})_"
LEAST = 100  # uses, in both slices, of the nouns of sotu

Row = dict[str, Any]


class Trial(NamedTuple):
    """A corpus whose targets all systems score: its folder, the words, options of `lexbeam change`."""

    corpus: Path
    targets: Path
    options: tuple[str, ...]


def rows_of(trial: Trial, out: Path, systems: Sequence[str], seeds: int) -> dict[str, list[Row]]:
    """Return what systems say of the targets, by system, in the order of words, of one run, in which they share spaces.

    Systems that chance has a part in have the seeds.
    """
    words = ["--targets", str(trial.targets), "--no-series", "--system", ",".join(systems), *trial.options]
    kinds = {SYSTEMS[name].sets.get("representation") for name in systems}
    if SGNS in kinds:
        words += ["--trainer", "fast"]
    elif kinds == {None}:  # what needs no vectors has small ones
        words += ["--dim", "10", "--epochs", "1", "--alignment", "op"]
    if any(
        SYSTEMS[name].sets and has_chance(SYSTEMS[name].representation, [SYSTEMS[name].measure]) for name in systems
    ):
        words += ["--seeds", str(seeds)]
    lexbeam("change", str(trial.corpus), "--out", str(out / "out"), "--overwrite", *words)
    told: dict[str, list[Row]] = {name: [] for name in systems}
    table = pq.read_table(out / "out" / "current" / "change" / "systems")
    for row in table.filter(pc.field("target")).sort_by("word").to_pylist():
        told[row["system"]].append(row)
    return told


def write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    """Write rows as tab-separated lines, the first of which is the header; numbers have four decimals."""
    path.parent.mkdir(exist_ok=True)
    lines = ["\t".join(_cell(value) for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _share(rows: Sequence[Row]) -> float | None:
    known = [row["changed"] for row in rows if row["changed"] is not None]
    return float(np.mean(known)) if known else None


def _sample(given: argparse.Namespace) -> None:
    home = given.out / "sample"
    truth = home / "sample" / "truth.tsv"
    if not truth.exists():
        lexbeam("sample", "--out", str(truth.parent), "--tokens", str(given.tokens))
    lines = [line.split("\t") for line in truth.read_text("utf-8").splitlines()[1:]]
    share = {cells[0]: float(cells[3]) for cells in lines}
    (home / "targets.txt").write_text("\n".join(sorted(share)) + "\n", "utf-8")
    texts = {"dated": truth.parent / "corpus"}
    texts |= {f"random-{number}": _redated(truth.parent / "corpus", home, number) for number in range(given.datings)}
    trials = {}
    for name, folder in texts.items():
        corpus = home / f"corpus-{name}"
        if not (corpus / "current").exists():
            lexbeam("corpus", str(folder), "--out", str(corpus), "--engine", "builtin:en", "--dates", NAMED)
        trials[name] = Trial(corpus, home / "targets.txt", ("--slices", PERIODS))
    rows: list[list[object]] = [["system", "average_precision", "spearman", "called", "called_random"]]
    found = {name: rows_of(trial, home / name, given.system, given.seeds) for name, trial in trials.items()}
    for name in given.system:
        scored = [row for row in found["dated"][name] if row["score"] is not None]
        gold = np.array([share[row["word"]] for row in scored])
        scores = np.array([row["score"] for row in scored], np.float64)
        told = [average_precision(gold > 0, scores), float(spearmanr(gold, scores).statistic)] if scored else [None] * 2
        shares = [_share(found[trial][name]) for trial in trials if trial != "dated"]
        known = [value for value in shares if value is not None]
        rows.append([name, *told, _share(found["dated"][name]), float(np.mean(known)) if known else None])
    write(FOLDER / "sample.tsv", rows)


def _redated(texts: Path, home: Path, number: int) -> Path:
    """Return a folder of the texts of both periods under each other's dates, dealt at random."""
    folder = home / f"texts-random-{number}"
    paths = sorted(path for path in texts.iterdir() if _inside(int(path.name[:4])))
    years = [path.name[:4] for path in paths]
    random.Random(number).shuffle(years)
    if not folder.exists():
        folder.mkdir(parents=True)
        for path, year in zip(paths, years, strict=True):
            shutil.copy(path, folder / f"{year}_{path.name}")
    return folder


def _inside(year: int) -> bool:
    return EARLY[0] <= year <= EARLY[1] or LATE[0] <= year <= LATE[1]


def _sotu(given: argparse.Namespace) -> None:
    home, data = given.out / "sotu", given.data / "sotu"
    corpus, targets = given.corpus or home / "corpus", home / "targets.txt"
    periods = ("--slices", "1790-1860,1960-2024")
    if not (corpus / "current").exists():
        dates = f"table:{data / 'SOTU_metadata.csv'}:key=filename,date=Date,author=President"
        read = ("--exclude", "*.csv", "--format", "text", "--engine", "builtin:en", "--dates", dates)
        lexbeam("corpus", str(data), "--out", str(corpus), *read)
    home.mkdir(parents=True, exist_ok=True)
    if not targets.exists():
        small = ("--dim", "10", "--epochs", "1", "--alignment", "op", "--rank-min-count", str(LEAST))
        lexbeam("change", str(corpus), "--out", str(home / "words"), "--overwrite", *periods, *small)
        summary = pq.read_table(home / "words" / "current" / "change" / "summary")
        nouns = summary.filter(pc.field("ranked") & (pc.field("upos") == "NOUN"))
        targets.write_text("\n".join(sorted(nouns["word"].to_pylist())) + "\n", "utf-8")
    trial = Trial(corpus, targets, periods)
    scoring = [name for name in given.system if SYSTEMS[name].measure]
    found = rows_of(trial, home, scoring, given.seeds)
    scores = {name: {row["word"]: row["score"] for row in found[name] if row["score"] is not None} for name in scoring}
    rows: list[list[object]] = [["system", "other", "spearman", "words"]]
    for one, other in combinations(scoring, 2):
        words = sorted(scores[one].keys() & scores[other].keys())
        columns = ([scores[name][word] for word in words] for name in (one, other))
        rows.append([one, other, float(spearmanr(*columns).statistic), len(words)])
    write(FOLDER / "sotu.tsv", rows)
    PICTURE.write_text(heat_map(scoring, {(row[0], row[1]): row[2] for row in rows[1:]}), "utf-8")  # type: ignore[misc]


def heat_map(names: Sequence[str], values: dict[tuple[str, str], float]) -> str:
    """Return a triangle of correlations as SVG: white for none, the redder, or bluer, the further from 0."""
    side, edge, size = 30, 110, len(names)
    width, height = edge + side * size, side * size + edge
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    for row, name in enumerate(names):
        middle = row * side + side / 2 + 4
        parts.append(f'<text x="{edge - 6}" y="{middle:.0f}" text-anchor="end">{name}</text>')
        x, y = edge + row * side + side / 2 + 4, side * size + 8
        parts.append(f'<text transform="translate({x:.0f} {y}) rotate(-90)" text-anchor="end">{name}</text>')
        for column in range(row):
            value = values[names[column], name]
            faded = round(255 * (1 - min(abs(value), 1)))
            fill = f"rgb(255,{faded},{faded})" if value >= 0 else f"rgb({faded},{faded},255)"
            x, y = edge + column * side, row * side
            parts.append(f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{fill}" stroke="white"/>')
            parts.append(f'<text x="{x + side / 2:.0f}" y="{middle:.0f}" text-anchor="middle">{value:.2f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _latin(given: argparse.Namespace) -> None:
    home, data = given.out / "latin", given.data / "latinise"
    corpus = given.corpus or home / "corpus"
    if not (corpus / "current").exists():
        read = ("--format", "lines", "--language", "la", "--dates", r"name:lat_([+-]?\d+)")
        lexbeam("corpus", str(data / "lemmas.tar.gz"), "--out", str(corpus), *read)
    options = ("--slices", "bc=..-1,ad=0..", "--min-sentence", "2", "--min-count", "1,6")
    trial = Trial(corpus, data / "targets.txt", options)
    rows: list[list[object]] = [["system", "word", "score", "changed"]]
    for name, found in rows_of(trial, home, given.system, given.seeds).items():
        for row in found:
            rows.append([name, row["word"], row["score"], None if row["changed"] is None else int(row["changed"])])
    write(FOLDER / "latin.tsv", rows)


TRIALS = {"sample": _sample, "sotu": _sotu, "latin": _latin}


def _systems(value: str) -> list[str]:
    names = value.split(",")
    SYSTEMS.check(names)
    return names


def main() -> None:
    """Make the runs of one corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trial", choices=TRIALS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--system", type=_systems, default=list(SYSTEMS.ours()), help="some, separated by commas")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=200_000, help="of the sample")
    parser.add_argument("--datings", type=int, default=3, help="random ones, of the sample")
    parser.add_argument("--corpus", type=Path, help="of sotu or latin, annotated already")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of real corpora")
    given = parser.parse_args()
    TRIALS[given.trial](given)


if __name__ == "__main__":
    main()
