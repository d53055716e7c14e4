"""Runs of seconds on four dated texts, for tests of what commands do to a folder."""

import json
import random
import shutil
from pathlib import Path

from lexbeam.pipelines.cli import main

WORDS = "the ship sails over the sea and the sailor sings of the land"
SMALL = ["--dim", "5", "--epochs", "1", "--min-count", "1", "--min-sentence", "1"]
SLICES = ["--slices", "1800-1849,1850-1900"]
CHANGE = {"change/summary", "change/pairs", "slices", "scores", "neighbours", "vectors", "alignments"}
PEOPLE = 4
CORPUS = {"documents", "sentences", "rejects", "corpus/inputs"}


def call(*words):
    return main([str(word) for word in words])


def published(out):
    """Every published file by its name, the manifest included."""
    top = (out / "current").resolve()
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def write_judgments(path, instances):
    """Let people judge: longer targets are harder, and each person has a view of their own."""
    lines = ["instance_id\tannotator\trating"]
    for row in instances.to_pylist():
        for person in range(PEOPLE):
            noise = random.Random(f"{row['instance_id']} {person}").randint(-1, 1)
            rating = min(max(len(row["token"]) // 3 + noise, 1), 5)
            lines.append(f"{row['instance_id']}\tperson {person}\t{rating}")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write_texts(folder):
    """Write four dated texts into a new folder."""
    folder.mkdir()
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{WORDS} number {n}" for n in range(10)) + "."
        (folder / f"{year}.txt").write_text(f"In {year} {body}")
    return folder


def unless_given(defaults, options):
    """Flags with their values, but those that options give: of one value the command line takes no two."""
    given = {str(word).partition("=")[0] for word in options}
    pairs = zip(defaults[::2], defaults[1::2], strict=True)
    return [word for flag, value in pairs if flag not in given for word in (flag, value)]


def corpus(texts, out, *options):
    defaults = ["--engine", "builtin:en", "--format", "text", "--dates", "name:^(\\d+)", "--parts", "2"]
    return call("corpus", texts, "--out", out, *unless_given(defaults, options), *options)


def change(out, *options):
    return call("change", "--out", out, *unless_given([*SLICES, *SMALL], options), *options)


def make_out(folder):
    """Make a corpus and change of such texts; `made_once("small_out", make_out)` shares them."""
    assert corpus(write_texts(folder / "texts"), folder / "out") == 0
    assert change(folder / "out") == 0
    return folder / "out"


def copy_of_out(made_once, folder):
    """Return a copy, in a folder, of the corpus and change that tests share."""
    return Path(shutil.copytree(made_once("small_out", make_out), folder / "out", symlinks=True))


def manifest(out):
    return json.loads((out / "manifest.json").read_text("utf-8"))
