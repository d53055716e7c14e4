"""Runs resumed after damage to random files of `_artefacts`: the published bytes must be the same.

    python -m benchmarks.damage --resumes 200

A small run is made once. Then, again and again, its artefacts are put into an empty folder as a run
that was cut off just before publication leaves them, one to three random files are truncated,
emptied, deleted, or get one bit flipped, and `lexbeam run --resume` publishes. For each kind of damage it
prints how many runs gave the undisturbed bytes at the first and at the second `--resume`, and how many
gave wrong bytes or failed for good. The last two columns must be 0.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import yaml

from lexbeam.pipelines.cli import main

WORDS = "the ship sails over the sea and the sailor sings of the land"


def make_run(folder: Path) -> tuple[Path, Path]:
    """Write a small corpus and run it; return the configuration and the output folder."""
    (folder / "texts").mkdir(parents=True)
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{WORDS} number {n} of {year}" for n in range(10)) + "."
        (folder / "texts" / f"{year}.txt").write_text(f"In {year} {body}", "utf-8")
    (folder / "texts" / "undated.txt").write_text("No date.", "utf-8")
    config = {
        "parts": 2,
        "max-reject-share": 0.5,
        "corpus": {"inputs": ["texts"], "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"},
        "change": {
            "slices": "1800-1849,1850-1900",
            "dim": 5,
            "epochs": 1,
            "min-count": 1,
            "min-sentence": 1,
            "max-tokens": "smallest",
        },
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), "utf-8")
    if _run(path, folder / "out") != 0:
        raise RuntimeError("the undisturbed run failed")
    return path, folder / "out"


def _run(config: Path, out: Path, *words: str) -> int:
    with redirect_stdout(open(os.devnull, "w")):
        return main(["run", str(config), "--out", str(out), *words])


def published(out: Path) -> dict[str, bytes]:
    """Return every published file by its name."""
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


def _truncate(path: Path, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(max(path.stat().st_size, 1)))


def _empty(path: Path, rng: random.Random) -> None:
    os.truncate(path, 0)


def _flip(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)


def _delete(path: Path, rng: random.Random) -> None:
    path.unlink()


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "truncated": _truncate,
    "emptied": _empty,
    "one bit flipped": _flip,
    "deleted": _delete,
}


def damaged_resume(config: Path, whole: Path, kind: str, seed: int, folder: Path) -> str:
    """Damage a copy of a run's artefacts and resume it; return `first`, `second`, or what failed.

    Args:
        config: the configuration of the run.
        whole: where it was published undisturbed.
        kind: key of `DAMAGES`.
        seed: which files are damaged, and how.
        folder: an empty folder.
    """
    rng = random.Random(f"{kind} {seed}")
    out = _cut_off(whole, folder)
    files = sorted(path for path in (out / "_artefacts").rglob("*") if path.is_file())
    for path in rng.sample(files, rng.randrange(1, 4)):
        DAMAGES[kind](path, rng)
    return _resumed(config, whole, out)


def flipped_resume(config: Path, whole: Path, stage: str, folder: Path) -> str:
    """Flip a bit in every file of a stage but its receipts, and resume; see `damaged_resume`."""
    out = _cut_off(whole, folder)
    for path in sorted((out / "_artefacts" / stage).iterdir()):
        if path.suffix != ".json":
            _flip(path, random.Random(stage))
    return _resumed(config, whole, out)


def _cut_off(whole: Path, folder: Path) -> Path:
    """Leave artefacts as a run that was cut off before publication does."""
    out = folder / "out"
    shutil.copytree(whole / "_artefacts", out / "_artefacts")
    note = '{"sections": ["change", "corpus"], "overwrite": false, "drop": []}'
    (out / "_artefacts" / "unfinished.json").write_text(note)
    return out


def _resumed(config: Path, whole: Path, out: Path) -> str:
    for time in ("first", "second"):
        if _run(config, out, "--resume") == 0:
            return time if published(out) == published(whole) else "wrong"
    return "failed"


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resumes", type=int, default=200)
    options = parser.parse_args()
    results: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as top:
        config, whole = make_run(Path(top) / "whole")
        kinds = list(DAMAGES)
        for seed in range(options.resumes):
            kind = kinds[seed % len(kinds)]
            folder = Path(top) / str(seed)
            folder.mkdir()
            result = damaged_resume(config, whole, kind, seed, folder)
            results[kind, result] += 1
            if result in ("wrong", "failed"):
                print(f"{kind}, seed {seed}: {result}", file=sys.stderr)
            shutil.rmtree(folder)
    columns = ("first", "second", "wrong", "failed")
    print("| damage | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for kind in DAMAGES:
        print(f"| {kind} | " + " | ".join(str(results[kind, column]) for column in columns) + " |")
    return 1 if any(result in ("wrong", "failed") for _, result in results) else 0


if __name__ == "__main__":
    status = _main()
    sys.stdout.flush()
    os._exit(status)
