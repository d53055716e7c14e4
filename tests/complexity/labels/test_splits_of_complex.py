"""Splits of CompLex, train and trial pooled; with `-s` the rows of docs/tasks/complexity/split.md."""

from collections import Counter

import numpy as np
import pytest

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import distances, parse_shares
from lexbeam.transforms.complexity.labels.label_splits import SPLIT_METHODS, Instances, SplitOptions

pytestmark = pytest.mark.slow

SHARES = parse_shares(["train=.85", "trial=.05", "test=.10"])
GENRES = ("bible", "biomed", "europarl")
METHODS = {"paper": {}, "paper-global": {}, "balanced": {}, "balanced, --one-sentence": {"one_sentence": True}}


def complex_rows(data, kind):
    """Return the instances, and 1 for those of trial, else 0."""
    rows = []
    for place, name in enumerate(("train", "trial")):
        path = data / "lcp" / f"lcp_{kind}_{name}.tsv"
        lines = path.read_text(encoding="utf-8").split("\n")[1:]
        rows += [(*line.split("\t"), place) for line in lines if line]
    instances = Instances(
        content_hashes([row[3].casefold() for row in rows]),
        content_hashes([row[2] for row in rows]),
        np.array([GENRES.index(row[1]) for row in rows]),
        np.array([float(row[4]) for row in rows]),
        np.full(len(rows), -1),
    )
    return instances, np.array([row[5] for row in rows])


def several(keys, split):
    """Return how many keys stand in several splits."""
    pairs = {(int(key), int(one)) for key, one in zip(keys, split, strict=True)}
    return sum(times > 1 for times in Counter(key for key, _ in pairs).values())


def measures(rows, split, wanted):
    """Return KS, that of the worst genre, points of sizes and of genres, shared keys."""
    many = len(wanted)
    sizes = np.bincount(split, minlength=many)
    off, worst = 0.0, 0.0
    for genre in range(3):
        own = rows.genre == genre
        held = np.bincount(split[own], minlength=many)
        off = max(off, np.abs(held / own.sum() - wanted).max(), np.abs(held / sizes - own.mean()).max())
        worst = max(worst, distances(rows.complexity[own], split[own], many).max())
    return (
        distances(rows.complexity, split, many).max(),
        worst,
        100 * np.abs(sizes / len(split) - wanted).max(),
        100 * off,
        several(rows.token, split),
        several(rows.sentence, split),
    )


def best_of_random(rows, wanted):
    tokens, of = np.unique(rows.token, return_inverse=True)
    draw, found = np.random.default_rng(1), []
    for _ in range(120):
        order = draw.permutation(len(tokens))
        place = np.cumsum(np.bincount(of)[order]) / len(of)
        split = np.empty(len(tokens), np.int64)
        split[order] = np.searchsorted(np.cumsum(wanted)[:-1], place - 1e-9)
        found.append(split[of])
    return min(found, key=lambda split: distances(rows.complexity, split, 3).max())


# Of rows that are made test_splits.py has the same.
@pytest.mark.soak
@pytest.mark.parametrize(("kind", "most", "joined"), [("single", 0.0125, 0.015), ("multi", 0.03, 0.035)])
def test_balanced_splits_are_far_below_random_draws(data, kind, most, joined):
    rows, published = complex_rows(data, kind)
    wanted = np.array(SHARES.values)
    found = {}
    for name, more in METHODS.items():
        options = SplitOptions(method=name.partition(",")[0], **more)
        split = SPLIT_METHODS[options.method].deal(rows, SHARES, options).split
        found[name] = measures(rows, split, wanted)
    found["best of 120 random draws"] = measures(rows, best_of_random(rows, wanted), wanted)
    found["published train and trial"] = measures(rows, published, np.bincount(published) / len(published))
    for name, (far, worst, size, genre, tokens, sentences) in found.items():
        print(f"| {kind} | {name} | {far:.4f} | {worst:.3f} | {size:.2f} | {genre:.2f} | {tokens} | {sentences} |")
    assert found["paper-global"][4] == 0 < found["paper"][4]
    for name, bound in (("balanced", most), ("balanced, --one-sentence", joined)):
        far, _, size, genre, tokens, _ = found[name]
        assert far <= bound < found["best of 120 random draws"][0]
        assert max(size, genre) <= 1
        assert tokens == 0
    assert found["balanced, --one-sentence"][5] == 0
