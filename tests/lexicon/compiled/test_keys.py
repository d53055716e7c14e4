import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.lexicon.compiled import word_keys
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, find, find_all, keys_of, order_of_keys

WORDS = st.lists(st.text(max_size=6) | st.sampled_from(["", "a", "\0", "\0\0", "é", "e\u0301"]))


def table_of(words):
    words = pa.array(words, pa.string())
    return words.take(pa.array(order_of_keys(words)))


@given(WORDS, WORDS)
def test_every_word_is_found_and_no_other(words, wanted):
    table = table_of(words)
    starts, ends = find_all(keys_of(table), table, pa.array([*wanted, *words, None], pa.string()))
    for word, start, end in zip([*wanted, *words, None], starts, ends, strict=True):
        rows = [row for row, own in enumerate(table.to_pylist()) if own == word]
        if rows:
            assert rows == list(range(start, end))
        else:
            assert (start, end) == (MISSING, MISSING)


@given(WORDS)
def test_words_of_one_key_are_told_apart(words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_keys, "keys_of", lambda words: np.zeros(len(words), np.uint64))
        distinct = sorted({*words})
        table = table_of(distinct)
        rows = find(np.zeros(len(table), np.uint64), table, pa.array([*distinct, "other word"]))
        assert [table[int(row)].as_py() for row in rows[:-1]] == distinct
        assert rows[-1] == MISSING


@pytest.mark.parametrize("repeat", [1, 50])
def test_words_that_repeat_are_found_as_those_that_do_not(repeat):
    words = [f"word{number}" for number in range(1000)]
    table = table_of(words)
    wanted = pa.array([*words[::2], "none", None] * repeat)
    starts, ends = find_all(keys_of(table), table, wanted)
    found = [None if row < 0 else table[int(row)].as_py() for row in starts]
    assert found == [word if word in words else None for word in wanted.to_pylist()]
    assert np.array_equal(ends, np.where(starts < 0, MISSING, starts + 1))


def test_keys_do_not_depend_on_how_words_are_held():
    words = [f"word{number}" * (number % 7) for number in range(100_000)]
    array = pa.array(words)
    whole = keys_of(array)
    parts = pa.chunked_array([array[:70_000], array[70_000:]])
    assert np.array_equal(keys_of(parts), whole)
    assert np.array_equal(keys_of(array[3:99]), whole[3:99])
    assert np.array_equal(keys_of(array.cast(pa.large_string())), whole)
    distinct = len({*words})
    assert len(np.unique(whole)) == distinct


def test_keys_stay_what_they_are():
    # They stand in compiled files: another rule for them would have to be another format.
    found = keys_of(pa.array(["", "a", "sea", "Zürich"]))
    assert [hex(key) for key in found.tolist()] == [
        "0x0",
        "0xee8c2baf6343e5c3",
        "0x8cc5428159adf15c",
        "0xb484c1eb4771353c",
    ]


def test_keys_are_even():
    found = keys_of(pa.array([f"w{number}" for number in range(200_000)]))
    for shift in (0, 16, 32, 56):
        counts = np.bincount((found >> np.uint64(shift) & np.uint64(255)).astype(int), minlength=256)
        expected = len(found) / 256
        # 255 degrees of freedom: mean 255, standard deviation 22.6.
        assert ((counts - expected) ** 2 / expected).sum() < 255 + 5 * 22.6
