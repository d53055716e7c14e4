from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.tags import (
    NO_TAG,
    TAGS,
    USES,
    as_cells,
    as_lists,
    count_cells,
    majority,
    tag_codes,
    total_cells,
)

TOKENS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, NO_TAG)), max_size=30)


def counted(tokens, places=(5, 0, 9, 2)):
    words, tags = np.array(tokens, np.int64).reshape(-1, 2).T
    return count_cells(words, tags.astype(np.uint8), np.array(places))


def test_tags_are_numbered_by_their_place_and_unknown_ones_are_none():
    tags = ["NOUN", None, "ODD", "ADJ", "noun"]
    expected = [UPOS.index("NOUN"), NO_TAG, NO_TAG, UPOS.index("ADJ"), NO_TAG]
    for array in (pa.array(tags), pa.array(tags).dictionary_encode()):
        assert tag_codes(array).tolist() == expected
    assert tag_codes(pa.array([], pa.string())).tolist() == []
    assert sorted(set(UPOS)) == list(UPOS)


@given(TOKENS, TOKENS)
def test_sums_of_cells_are_those_of_all_tokens_in_lists_and_back(some, more):
    found = total_cells([counted(some), counted(more)])
    uses = Counter(((5, 0, 9, 2)[word], tag) for word, tag in [*some, *more] if tag != NO_TAG)
    assert list(zip(found.cells.tolist(), found.uses.tolist(), strict=True)) == sorted(
        (word * TAGS + tag, number) for (word, tag), number in uses.items()
    )
    lists = as_lists(found, 10)
    assert lists.type == USES
    assert lists.to_pylist() == [
        sorted((tag, number) for (own, tag), number in uses.items() if own == word) for word in range(10)
    ]
    # A slice of an array, and nulls within one, are as they should be.
    back = as_cells(lists.slice(2), np.arange(2, 10))
    assert back.cells.tolist() == [cell for cell in found.cells.tolist() if cell >= 2 * TAGS]
    gaps = pa.concat_arrays([pa.nulls(2, USES), lists])
    assert as_cells(gaps, np.array([3, 4, *range(10)])).cells.tolist() == found.cells.tolist()


def test_no_counts_sum_to_none():
    found = total_cells([])
    assert as_lists(found, 2).to_pylist() == [[], []]


def test_a_tie_is_settled_by_the_order_of_tags_and_no_use_has_no_majority():
    uses = np.zeros((3, TAGS), np.int64)
    uses[0, [UPOS.index("VERB"), UPOS.index("NOUN"), UPOS.index("X")]] = 2, 2, 1
    uses[2, UPOS.index("X")] = 3
    found = majority(uses, 3)
    assert found.upos.to_pylist() == ["NOUN", None, "X"]
    assert found.share.to_pylist() == [0.4, None, 1.0]
    assert majority(None, 2).upos.to_pylist() == [None, None]
