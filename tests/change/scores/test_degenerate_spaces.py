"""Whatever the spaces, a score is a finite number from 0 on, or null with a reason; there is no warning."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from lexbeam.transforms.change.scores.measures import COUNTS, MADE, MEASURES
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.scores.scores import ScoredSlice, score_pair, with_made
from lexbeam.transforms.change.view import counts
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, fit_alignment
from lexbeam.transforms.embeddings.spaces import Space

WORDS = [f"w{number:02}" for number in range(16)]
PARAMETERS = {"neighbourhood": 4, "pivots": 3, "pivot_draws": 2, "graph_words": 9, "topic_words": 9}
LARGE, SMALL = np.float32(3e38), np.float32(1e-45)


def of_words(rows, words):
    """Rows of the first words; of as many contexts, where these are words."""
    return (rows[: len(words), : len(words)] if rows.shape[1] == len(WORDS) else rows[: len(words)]), words


def spaces(sparse):
    """By name, the vectors and words of an earlier and a later space; sparse ones are counts."""
    draw = np.random.default_rng(1)
    size = (len(WORDS), len(WORDS) if sparse else 3)

    def some(size):
        return (draw.poisson(0.8, size) if sparse else draw.normal(size=size)).astype(np.float32)

    def few(rank):
        return some((size[0], rank)) @ some((rank, size[1]))

    first, second, alike = some(size), some(size), np.full(size, 3, np.float32)
    found = {
        "ordinary": (first, second),
        "zero": (np.zeros_like(first), second),
        "both zero": (np.zeros_like(first), np.zeros_like(first)),
        "identical": (first, first),
        "one direction": (alike, second),
        "one direction in both": (alike, alike / 3 if sparse else alike * 0.7),
        "one direction or none": (np.where(np.arange(len(WORDS))[:, None] < 3, np.float32(0), alike), second),
        "rank 1": (few(1), few(1)),
        "rank 2": (few(2), few(2)),
    }
    for directions in (1, 2, 4):
        rows = np.where(np.arange(len(WORDS))[:, None] < directions, first + 1, 0).astype(np.float32)
        found[f"{directions} with a direction"] = (rows, second)
    pairs = {name: [of_words(rows, WORDS) for rows in pair] for name, pair in found.items()}
    pairs["disjoint"] = [of_words(first, WORDS), of_words(second, [f"x{word}" for word in WORDS])]
    for number in (0, 1, 2):
        pairs[f"{number} words"] = [of_words(rows, WORDS[:number]) for rows in (first, second)]
    largest = [rows / np.abs(rows).max() * LARGE for rows in (first, second)]
    least = [np.sign(rows) * SMALL for rows in (first, second)]
    extreme = {"huge": largest, "denormal": least, "huge and denormal": (largest[0], least[1])}
    return pairs, {name: [of_words(rows, WORDS) for rows in pair] for name, pair in extreme.items()}


def slice_of(name, rows, words, sparse):
    uses = np.arange(len(words)) + 5
    table = pa.table([words, uses, [9] * len(words), [None] * len(words)], schema=counts.COUNTS)
    space = Space(words, uses, csr_array(rows) if sparse else rows, int(uses.sum()))
    return ScoredSlice(name, space, table, space.tokens, 9, 2)


def scored(pair, sparse, measures, made):
    """Rows by each measure, and by each alignment that can be of such spaces."""
    slices = [slice_of(name, *side, sparse) for name, side in zip(("early", "late"), pair, strict=True)]
    alignments = {
        name: fit_alignment(name, *(side.space for side in slices))
        for name in ALIGNMENTS.ours()
        if not ALIGNMENTS[name].joint and (name == "none" or ALIGNMENTS[name].of_words == sparse)
    }
    asked = {"targets": ["w00", "nowhere"], "rank": RankedWordOptions(min_count=1, min_documents=1)}
    rows = score_pair(*slices, seed=1, alignments=alignments, measures=measures, parameters=PARAMETERS, **asked)
    return with_made(rows, made)


@pytest.mark.parametrize("sparse", [False, True])
def test_scores_are_numbers_or_have_a_reason(sparse):
    measures = [name for name, entry in MEASURES.ours().items() if sparse or not entry.of]
    made = [name for name in measures if MEASURES[name].takes == MADE]
    counted = [name for name in measures if MEASURES[name].of == ("count",)]
    usual, extreme = spaces(sparse)
    wrong, reasons = [], {}
    for name, pair in {**usual, **extreme}.items():
        taken = [m for m in measures if m not in (made if name in usual else made + counted)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = scored(pair, sparse, taken, made if name in ("ordinary", "zero", "disjoint", "0 words") else [])
        reasons[name] = set()
        for row in rows.to_pylist():
            score, reason = row["score"], row["reason"]
            fine = reason is not None if score is None else reason is None and 0 <= score < np.inf
            wrong += [] if fine else [(name, row["alignment"], row["measure"], row["word"], score, reason)]
            if MEASURES[row["measure"]].takes != COUNTS and row["word"] == "w00":
                reasons[name].add((row["alignment"], reason))
    assert not wrong
    assert {reason for _, reason in reasons["ordinary"]} == {None}
    assert {reason for _, reason in reasons["both zero"]} & {None} == set()
    if not sparse:
        for name in ("one direction", "one direction or none"):
            assert ("op", "rank_deficient") in reasons[name]
        assert {kind for kind, reason in reasons["2 with a direction"] if reason == "too_few_shared"} == {
            name for name, method in ALIGNMENTS.items() if method.least_words
        }
