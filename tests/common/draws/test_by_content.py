import doctest
import subprocess
import sys
from fractions import Fraction
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lexbeam.transforms.common.draws import by_content
from lexbeam.transforms.common.draws.by_content import (
    content_hashes,
    hash_of,
    integers,
    mix64,
    normal,
    number_of,
    numbers,
    permutation,
    uniform,
)

KEYS = st.lists(st.text(st.characters(codec="utf-8"), max_size=8), unique=True, max_size=20)
MASK = (1 << 64) - 1
N = 100_000
KINDS = {
    "sequential": [str(i) for i in range(N)],
    "one digit apart": [f"s-{i:06d}-end" for i in range(N)],
    "digests": [blake2b(b"%d" % i, digest_size=16).hexdigest() for i in range(N)],
    "numbers for hashes": np.arange(N, dtype=np.uint64),
}


def splitmix64(state, output):
    """Return an output of SplitMix64 as its authors' C code states it."""
    z = (state + output * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def drawn(key, seed, label, output=1):
    """Return what a key draws, from the definition in the module's docstring."""
    hashed = int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big")
    halves = blake2b(f"{seed}:{label}".encode(), digest_size=16).digest()
    a, b = int.from_bytes(halves[:8], "big"), int.from_bytes(halves[8:], "big")
    mixed = splitmix64((hashed ^ a) - 0x9E3779B97F4A7C15 & MASK, 1)
    return splitmix64(mixed + b & MASK, output)


def test_examples_in_docstrings_run():
    results = doctest.testmod(by_content)
    assert (results.attempted, results.failed) == (1, 0)


@given(KEYS, st.integers(-(2**70), 2**70), st.text(max_size=5))
def test_numbers_are_those_of_the_definition(keys, seed, label):
    found = numbers(keys, seed=seed, label=label, draws=3)
    assert found.shape == (len(keys), 3)
    for key, row in zip(keys, found.tolist(), strict=True):
        assert row == [drawn(key, seed, label, output) for output in (1, 2, 3)]
        assert number_of(hash_of(key), seed=seed, label=label) == row[0]
    assert numbers(keys, seed=seed, label=label).tolist() == found[:, 0].tolist()


@given(KEYS, st.randoms(use_true_random=False), st.integers(0, 20))
def test_what_a_key_draws_depends_on_no_other_key(keys, random, cut):
    whole = dict(zip(keys, normal(keys, seed=1, label="x").tolist(), strict=True))
    random.shuffle(keys)
    pieces = [normal(part, seed=1, label="x") for part in (keys[:cut], keys[cut:])]
    assert np.concatenate(pieces).tolist() == [whole[key] for key in keys]


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(-9, 9)), max_size=10))
def test_keys_of_several_columns(rows):
    texts, ordinals = [text for text, _ in rows], [number for _, number in rows]
    found = content_hashes(texts, ordinals).tolist()
    assert found == [hash_of(row) for row in rows]
    assert len(set(found)) == len(set(rows))


def test_columns_of_a_key_have_an_order():
    assert hash_of(("a", "b")) != hash_of(("b", "a"))
    assert hash_of(("a", "bc")) != hash_of(("ab", "c"))
    assert hash_of(("a", "b", "c")) != hash_of(("a", "c", "b"))


TEXTS = ["b", "", "ä", "b"]


@pytest.mark.parametrize(
    "keys",
    [
        pa.array(TEXTS),
        pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([pa.array(TEXTS[:2]), pa.array(TEXTS[2:])]).dictionary_encode(),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pa.array(TEXTS, pa.large_string()),
        content_hashes(TEXTS),
    ],
    ids=str,
)
def test_keys_in_any_form_are_the_same(keys):
    assert uniform(keys, seed=1, label="x").tolist() == uniform(TEXTS, seed=1, label="x").tolist()


def test_a_whole_number_is_its_decimal_text():
    wanted = content_hashes(["5", "-1"]).tolist()
    for keys in ([5, -1], np.array([5, -1]), pa.array([5, -1], pa.int32())):
        assert content_hashes(keys).tolist() == wanted


@pytest.mark.parametrize("keys", [["a", None], [1.5], [True], [b"a"], pa.array(["a", None]).dictionary_encode()])
def test_other_keys_are_refused(keys):
    with pytest.raises(ValueError, match="key is"):
        content_hashes(keys)


def test_no_keys():
    assert uniform([], seed=1, label="x").shape == (0,)
    assert normal([], seed=1, label="x", draws=3).shape == (0, 3)


def test_uniform_numbers_are_exact_and_below_one(monkeypatch):
    found = uniform(["a"], seed=1, label="x")[0]
    assert Fraction(found) == Fraction(drawn("a", 1, "x") >> 11, 1 << 53)
    for number, wanted in ((0, 0.0), (MASK, 1 - 2**-53)):
        monkeypatch.setattr(by_content, "numbers", lambda *_, n=number, **__: np.array([n], np.uint64))
        assert uniform(["a"], seed=1, label="x") == [wanted]
        assert integers(["a"], 1 << 32, seed=1, label="x") == [(1 << 32) - 1 if number else 0]
        assert abs(normal(["a"], seed=1, label="x")[0]) == pytest.approx(8.2095, abs=1e-4)


def test_another_process_draws_the_same():
    script = (
        "from lexbeam.transforms.common.draws.by_content import uniform, normal, permutation\n"
        "print(uniform(['a', 'ä'], seed=3, label='x').tolist(),"
        " permutation(list('abcdef'), seed=3, label='x').tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)},
    )
    # Written down once: whatever changes them changes every sample that was ever drawn.
    assert done.stdout == "[0.19693469057008883, 0.9771103823800985] [0, 4, 5, 3, 1, 2]\n"


@given(KEYS)
def test_a_permutation_keeps_its_order_without_some_keys(keys):
    order = [keys[row] for row in permutation(keys, seed=2, label="x")]
    assert sorted(order) == sorted(keys)
    fewer = keys[::2]
    shorter = [fewer[row] for row in permutation(fewer, seed=2, label="x")]
    assert shorter == [key for key in order if key in set(fewer)]


def test_whole_numbers_below():
    found = integers([str(i) for i in range(3000)], 7, seed=1, label="x")
    assert set(found.tolist()) == set(range(7))
    for below in (0, (1 << 32) + 1):
        with pytest.raises(ValueError, match="below"):
            integers(["a"], below, seed=1, label="x")


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_uniform_normal_and_unrelated(kind):
    keys = content_hashes(KINDS[kind])
    one = uniform(keys, seed=1, label="a")
    assert stats.kstest(one, "uniform").pvalue > 1e-3
    assert stats.chisquare(np.bincount((one * 1024).astype(int), minlength=1024)).pvalue > 1e-3
    assert stats.kstest(normal(keys, seed=1, label="a"), "norm").pvalue > 1e-3
    pairs = {
        "the next key": (one[1:], one[:-1]),
        "another label": (one, uniform(keys, seed=1, label="b")),
        "another seed": (one, uniform(keys, seed=2, label="a")),
        "the next draw": tuple(uniform(keys, seed=1, label="a", draws=2).T),
    }
    for name, (x, y) in pairs.items():
        assert abs(np.corrcoef(x, y)[0, 1]) * N**0.5 < 4, name
        cells = np.histogram2d(x, y, bins=16, range=[[0, 1], [0, 1]])[0].ravel()
        assert stats.chisquare(cells).pvalue > 1e-4, name


@pytest.mark.parametrize("kind", KINDS)
def test_each_bit_of_a_key_scatters_all_bits_of_its_draw(kind):
    keys = content_hashes(KINDS[kind])[:2000]
    before = numbers(keys, seed=1, label="a")
    for bit in range(0, 64, 7):
        changed = before ^ numbers(keys ^ np.uint64(1 << bit), seed=1, label="a")
        flips = np.unpackbits(changed.view(np.uint8)).mean()
        assert flips == pytest.approx(0.5, abs=0.007)  # 5 standard errors


def test_mix64_is_a_bijection():
    inverse = {int(out): i for i, out in enumerate(mix64(np.arange(1 << 16, dtype=np.uint64)))}
    assert len(inverse) == 1 << 16
