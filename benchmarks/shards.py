"""What `--shards` costs and gains: scores and work by the number of shards, and one slice on two workers.

    python -m benchmarks.shards quality --out DIR                     (the sample, of --tokens, made there)
    python -m benchmarks.shards quality --out DIR --corpus CORPUS --slices 1790-1860,1960-2024 --targets FILE
    python -m benchmarks.shards speed --out DIR --words 100000000

`quality` prints for 1, 2, 4 and 8 shards, as a table: Spearman's correlation of the scores (cosine, alignment op) of
two seeds, and of one seed with one of a training in one shard, over the words scored in all runs (mean over pairs of
seeds, and the 2.5th to 97.5th percentile); the average precision of planted changes, where there is a truth, likewise
over seeds; and words of an epoch that training goes through in a second of one core, all that stands around it
included, from the run log.

`speed` trains one slice of words drawn by Zipf's law and a tiny other one, which a run must have, and prints the
seconds from the start of the command to the last average by shards and workers; what training is made from is there
before. In both what was made is taken up where a command was cut off; `speed` keeps its times in DIR/times.jsonl.
"""

import argparse
import json
import shutil
import time
from pathlib import Path

import numpy as np

from benchmarks.change import make_config
from benchmarks.measure import lexbeam
from benchmarks.trainer_quality import Scores, add_arguments, correlations, precisions, run
from lexbeam.transforms.common.publish.run_log import read_run_log
from lexbeam.transforms.embeddings.sgns import SgnsOptions

SHARDS = (1, 2, 4, 8)
SAMPLE_TOKENS = 300_000
SAMPLE_SLICES = "early=1800-1849,late=1950-1999"
TRAINING = ("change/train", "change/train-shard", "change/average", "change/average-last")
SENTENCE = 25
BATCH = 40_000  # sentences
REPEATS = 3


def _sample(folder: Path, tokens: int) -> tuple[Path, Path]:
    """Return a corpus made of the sample, and its truth."""
    corpus = folder / "corpus"
    if not (corpus / "current").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make_config(folder, tokens)
        read = ["--engine", "none", "--format", "lines", "--dates", r"name:^(\d{4})_"]
        lexbeam("corpus", str(folder / "lines"), "--out", str(corpus), *read)
    return corpus, folder / "sample" / "truth.tsv"


def words_a_second(out: Path, epochs: int) -> float:
    """Return the words that training went through for each second of one core, in the run that trained last."""
    lines = [line for line in read_run_log(str(out)) if line.stage in TRAINING and line.elements]
    passes = {"change/train": epochs, "change/train-shard": 1}  # a shard's piece is that of one epoch
    return sum(passes.get(line.stage, 0) * line.tokens for line in lines) / sum(line.seconds for line in lines)


def quality(given: argparse.Namespace) -> None:
    """Train what is not there, and print the table."""
    if given.corpus is None:
        given.corpus, given.truth = _sample(given.out / f"sample-{given.tokens}", given.tokens)
        given.slices = SAMPLE_SLICES
    how = ["--trainer", given.trainer, "--epochs", str(given.epochs)]
    scores: dict[int, list[Scores]] = {}
    speeds = {}
    for shards in (1, *(number for number in given.shards if number > 1)):
        cut = ["--shards", str(shards), *(["--rounds", str(given.rounds)] if shards > 1 else [])]
        out = given.out / f"{given.trainer}-{shards}-{given.rounds if shards > 1 else 1}"
        if given.raise_alpha and shards > 1:
            cut += ["--alpha", f"{SgnsOptions().alpha * shards:g}"]
            out = out.with_name(f"{out.name}-raised")
        scores[shards] = run(given, out, *how, *cut)
        speeds[shards] = words_a_second(out, given.epochs)
    words = set.intersection(*(set(of_seed) for runs in scores.values() for of_seed in runs))
    print(f"{len(words)} words, {given.seeds} seeds of each, {given.trainer}, {given.rounds} rounds in an epoch\n")
    print("| shards | two seeds | 95 % | with one shard | 95 % | average precision | words a second and core |")
    print("|---|---|---|---|---|---|---|")
    for shards, of_seeds in scores.items():
        cells = [str(shards)]
        for found in (correlations(of_seeds), correlations(scores[1], None if shards == 1 else of_seeds)):
            if not len(found):  # one seed has no pair
                cells += ["", ""]
                continue
            low, high = np.percentile(found, [2.5, 97.5])
            cells += [f"{found.mean():.3f}", f"{low:.3f} to {high:.3f}"]
        if given.truth:
            found = precisions(given.truth, of_seeds)
            low, high = np.percentile(found, [2.5, 97.5])
            cells.append(f"{found.mean():.3f} ({low:.3f} to {high:.3f})")
        else:
            cells.append("")
        print("| " + " | ".join([*cells, f"{speeds[shards]:,.0f}"]) + " |")


def _zipf(folder: Path, words: int) -> Path:
    """Return a corpus of sentences drawn by Zipf's law: a large slice, 1800, and a tiny one, 1900."""
    corpus = folder / "corpus"
    if not (corpus / "current").exists():
        lines = folder / "lines"
        shutil.rmtree(lines, ignore_errors=True)
        lines.mkdir(parents=True)
        random = np.random.default_rng(1)
        names = np.array([f"w{number}" for number in range(50_000)])
        for number, start in enumerate(range(0, words, SENTENCE * BATCH)):
            drawn = random.zipf(1.2, 2 * min(words - start, SENTENCE * BATCH))
            tokens = names[drawn[drawn < len(names)]][: min(words - start, SENTENCE * BATCH)]
            text = "\n".join(" ".join(tokens[at : at + SENTENCE]) for at in range(0, len(tokens), SENTENCE))
            (lines / f"1800_{number}.txt").write_text(text + "\n", "utf-8")
            if not number:
                (lines / "1900_0.txt").write_text("\n".join(text.split("\n")[:400]) + "\n", "utf-8")
        read = ["--engine", "none", "--format", "lines", "--dates", r"name:^(\d{4})_"]
        lexbeam("corpus", str(lines), "--out", str(corpus), *read, "--runner-config", "direct_multiprocess")
    return corpus


def seconds_of_training(out: Path, *words: str) -> float:
    """Run a command whose folder has all but what is trained; return the seconds to the last of what is trained."""
    folders = [out / "_artefacts" / stage for stage in TRAINING]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    start = time.time()
    lexbeam(*words)
    return max(path.stat().st_mtime for folder in folders for path in folder.glob("*.json")) - start


def speed(given: argparse.Namespace) -> None:
    """Time what has not been timed, and print the table."""
    corpus = _zipf(given.out, given.words)
    path, out = given.out / "times.jsonl", given.out / "run"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    times = {(row["shards"], row["workers"], row["repeat"]): row["seconds"] for row in rows}
    cases = [(shards, workers) for shards in given.shards for workers in ((1, 2) if shards > 1 else (1,))]
    for repeat in range(given.repeats):
        for shards, workers in cases:
            if (shards, workers, repeat) in times:
                continue
            words = ["--slices", "large=1800,tiny=1900", "--trainer", given.trainer, "--epochs", str(given.epochs)]
            words += ["--shards", str(shards), "--alignment", "op", "--min-count", given.min_count]
            runner = ["--runner-config", "direct" if workers == 1 else "direct_multiprocess"]
            beam = [] if workers == 1 else ["--", f"--direct_num_workers={workers}"]
            command = ["change", str(corpus), "--out", str(out), "--overwrite", *words]
            if not out.exists():
                lexbeam(*command, *runner)
            seconds = seconds_of_training(out, *command, *runner, *beam)
            times[shards, workers, repeat] = seconds
            row = {"shards": shards, "workers": workers, "repeat": repeat, "seconds": seconds}
            with path.open("a") as stream:
                stream.write(json.dumps(row) + "\n")
    print(f"{given.words:,} words, {given.trainer}, {given.epochs} epochs; median of {given.repeats}\n")
    print("| shards | seconds, 1 worker | seconds, 2 workers | 1 worker over 2 | all |\n|---|---|---|---|---|")
    for shards in given.shards:
        found = [[times[shards, w, n] for n in range(given.repeats)] for w in (1, 2) if (shards, w) in cases]
        cells = [str(shards), *(f"{np.median(some):.0f}" for some in found)]
        if len(found) == 2:
            ratios = [one / two for one, two in zip(*found, strict=True)]
            cells += [f"{np.median(ratios):.2f}", ", ".join(f"{ratio:.2f}" for ratio in ratios)]
        print("| " + " | ".join(cells + [""] * (5 - len(cells))) + " |")


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    of_quality, of_speed = what.add_parser("quality"), what.add_parser("speed")
    add_arguments(of_quality)
    of_quality.add_argument("--tokens", type=int, default=SAMPLE_TOKENS, help="of the sample")
    of_quality.add_argument("--corpus", type=Path)
    of_quality.add_argument("--slices")
    of_quality.add_argument("--rounds", type=int, default=1)
    of_quality.add_argument("--raise-alpha", action="store_true", help="times the number of shards")
    of_speed.add_argument("--out", type=Path, required=True)
    of_speed.add_argument("--words", type=int, default=10_000_000)
    of_speed.add_argument("--min-count", default="5")
    of_speed.add_argument("--repeats", type=int, default=REPEATS)
    for one in (of_quality, of_speed):
        one.add_argument("--shards", type=int, nargs="+", default=SHARDS)
        one.add_argument("--trainer", default="fast")
        one.add_argument("--epochs", type=int, default=5)
    given = parser.parse_args()
    if given.what == "quality" and (given.corpus is None) != (given.slices is None):
        parser.error("give --corpus and --slices together, or neither for the sample")
    (quality if given.what == "quality" else speed)(given)


if __name__ == "__main__":
    main()
