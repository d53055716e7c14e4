import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lexbeam.transforms.embeddings.starts import averaged

WORDS, DIM = 4, 2
floats = st.floats(-8, 8, width=32)
matrices = arrays(np.float32, (WORDS, 2, DIM), elements=floats)
shards = st.lists(st.tuples(arrays(np.int64, WORDS, elements=st.integers(0, 10**9)), matrices), min_size=1, max_size=5)


def by_word(common, trained):
    """The average number by number, in Python's floats."""
    result = []
    for word, before in enumerate(common.tolist()):
        total = sum(int(uses[word]) for uses, _ in trained)
        sums = [[0.0] * DIM for _ in range(2)]
        for uses, weights in trained:
            for which in range(2):
                for place in range(DIM):
                    sums[which][place] += int(uses[word]) * float(weights[word, which, place])
        result.append([[number / total for number in row] for row in sums] if total else before)
    return np.array(result, np.float32)


@given(matrices, shards)
def test_weights_are_averaged_word_by_word_by_uses(common, trained):
    held = [weights[uses > 0] for uses, weights in trained]
    found = averaged(common, [uses for uses, _ in trained], held)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, by_word(common, trained))


def test_what_no_shard_has_stays_and_what_one_has_is_that_shards():
    common = np.array([[1], [2], [3]], np.float32)
    found = averaged(common, [np.array([0, 2, 0]), np.array([0, 1, 9])], [np.array([[5]]), np.array([[8], [0.1]])])
    np.testing.assert_array_equal(found, np.array([[1], [6], [0.1]], np.float32))
    assert common.tolist() == [[1], [2], [3]]


def test_weights_that_are_mapped_from_a_file_may_not_be_written_to():
    common = np.frombuffer(np.ones(2, np.float32).tobytes(), np.float32).reshape(2, 1)
    assert averaged(common, [np.array([3, 0])], [np.array([[4]])]).tolist() == [[4], [1]]
