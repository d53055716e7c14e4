import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.complexity.select.occurrences import OCCURRENCE, Copies, least, repeated, shares

NUMBERS = st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=30)
KINDS = st.sampled_from(["single", "mwe"])
GENRES = st.sampled_from(["a", "b", None])


@st.composite
def tables(draw):
    rows = [
        {
            "number": number,
            "content": 0,
            "copy": 0,
            "kind": draw(KINDS),
            "genre": draw(GENRES),
            "target": draw(st.sampled_from("xyz")),
            "document_id": "d",
            "sentence": 0,
            "position": 0,
            "tokens": 1,
        }
        for number in draw(NUMBERS)
    ]
    return pa.Table.from_pylist(rows, schema=OCCURRENCE)


def brute(table, contexts):
    """Return the numbers that are kept, one row after the other in the order of the draw."""
    kept, of_target = set(), {}
    for row in sorted(table.to_pylist(), key=lambda row: row["number"]):
        target = (row["kind"], row["genre"], row["target"])
        of_target[target] = of_target.get(target, 0) + 1
        if of_target[target] <= contexts:
            kept.add(row["number"])
    return kept


@given(tables(), st.integers(1, 3))
def test_the_least_of_targets(table, contexts):
    kept = least(table, contexts)["number"].to_pylist()
    assert len(kept) == len(set(kept))
    assert set(kept) == brute(table, contexts)


@given(tables(), st.integers(1, 3), st.lists(st.integers(0, 30), max_size=3))
def test_what_is_left_of_parts_is_all_that_is_needed(table, contexts, cuts):
    bounds = [0, *sorted(min(cut, table.num_rows) for cut in cuts), table.num_rows]
    pieces = [table.slice(a, b - a) for a, b in itertools.pairwise(bounds)]
    together = pa.concat_tables([least(piece, contexts) for piece in pieces])
    kept = least(together, contexts)["number"].to_pylist()
    assert set(kept) == brute(table, contexts)


SENTENCES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("pqr")), max_size=20)


@given(SENTENCES, st.randoms(use_true_random=False), st.integers(1, 4))
def test_one_copy_of_a_sentence_counts(sentences, random, number):
    rows = [(content, n, part) for n, (content, part) in enumerate(sentences)]
    random.shuffle(rows)
    parts = [
        (name, Copies(*(np.array([r[at] for r in rows if r[2] == name], np.uint64) for at in (0, 1)))) for name in "pqr"
    ]
    lost = set()
    for share in range(number):
        own = [(name, some) for name, copies in parts for place, some in shares(copies, number) if place == share]
        for name, copies in repeated(own).items():
            lost |= {(name, int(copy)) for copy in copies}
    first = {}
    for content, copy, _ in rows:
        first[content] = min(copy, first.get(content, copy))
    assert lost == {(part, copy) for content, copy, part in rows if copy != first[content]}
