"""Slices of sentences of two groups of words, each in its own company; one word changes company."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.joint_trainings import JointSlices, SliceText
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import TRAINERS


def sentences(seed, changing, number=300):
    """Sentences of `a0` to `a5` or `b0` to `b5`; the word `x` goes with those of a group."""
    random = np.random.default_rng(seed)
    made = []
    for n in range(number):
        words = [f"{'ab'[n % 2]}{i}" for i in random.integers(0, 6, 8)]
        if "ab"[n % 2] == changing:
            words.insert(4, "x")
        made.append(words)
    return made


def slice_of(name, texts, min_count=2):
    counts = Counter(word for text in texts for word in text)
    arrays = [pa.array(texts[start : start + 77], pa.list_(pa.string())) for start in range(0, len(texts), 77)]
    return SliceText(name, lambda: arrays, dict(counts), min_count, len(texts), sum(map(len, texts)))


def joint_of(*slices, targets=(), anchor=None, seed=1):
    return JointSlices(slices, seed, frozenset(targets), anchor)


def options_of(trainer="fast", **options):
    return SgnsOptions(**{"dim": 12, "window": 4, "epochs": 5, "alpha": 0.05, "trainer": trainer} | options)


def every_trainer():
    """The names of trainers, those that cannot train here skipped."""

    def param(name):
        try:
            TRAINERS[name].check()
        except UsageError as error:
            return pytest.param(name, marks=pytest.mark.skip(reason=str(error)))
        return name

    return [param(name) for name in TRAINERS]


def cosines(first, second, word):
    """The cosine of a word's vectors in two spaces."""
    a, b = (made.vectors[made.words.index(word)] for made in (first, second))
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
