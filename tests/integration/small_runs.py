"""Runs of seconds on four dated texts, for tests of what commands do to a folder."""

import json

from pipelines.cli import main

__all__ = [
    "CHANGE", "CORPUS", "SLICES", "SMALL", "WORDS", "call", "change", "corpus", "manifest",
]  # fmt: skip

WORDS = "the ship sails over the sea and the sailor sings of the land"
SMALL = ["--dim", "5", "--epochs", "1", "--min-count", "1", "--min-sentence", "1"]
SLICES = ["--slices", "1800-1849,1850-1900"]
CHANGE = {"slices", "vectors", "alignments", "scores", "neighbours"}
CORPUS = {"documents", "sentences", "rejects"}


def call(*words):
    return main([str(word) for word in words])


def corpus(texts, out, *options):
    return call("corpus", texts, "--out", out, "--engine", "builtin:en", "--format", "text",
                "--dates", "name:^(\\d+)", "--parts", "2", *options)  # fmt: skip


def change(out, *options):
    return call("change", "--out", out, *SLICES, *SMALL, *options)


def manifest(out):
    return json.loads((out / "manifest.json").read_text("utf-8"))
