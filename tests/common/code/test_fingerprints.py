import json
import os
import subprocess
import sys
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.code import fingerprints
from lexbeam.transforms.common.code.fingerprints import (
    blas_kernels,
    bucket_of,
    canonical_json,
    digest,
    environment,
    readable_json,
    text_digest,
)
from lexbeam.transforms.common.code.version import own_build

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(PLAIN)
def test_a_digest_depends_on_the_value_alone(value):
    assert digest(value) == digest(value)
    assert len(digest(value)) == 32
    int(digest(value), 16)


@given(st.text(), st.lists(PLAIN, max_size=4), st.integers(1, 5))
def test_a_text_taken_in_pieces_has_the_same_digest(text, others, piece):
    with mock.patch.object(fingerprints, "_PIECE", piece):
        assert text_digest(text, others) == digest([text, *others])


def test_the_order_of_keys_does_not_matter_but_that_of_lists_does():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest([1, 2]) != digest([2, 1])
    assert canonical_json({"b": "ä", "a": [1]}) == '{"a":[1],"b":"ä"}'.encode()


@given(st.binary().map(os.fsdecode) | st.text(st.characters(codec=None)))
def test_paths_that_are_not_utf8_have_a_digest_too(path):
    for form in (canonical_json([path]), readable_json([path], indent=1)):
        assert digest(json.loads(form)) == digest([path])
        # Halves that Python joins are the character that they are halves of.
        assert json.loads(form) == json.loads(json.dumps([path]))


@given(st.text(), st.integers(1, 64))
def test_buckets_are_in_range(text, buckets):
    assert 0 <= bucket_of(digest(text), buckets) < buckets


def test_buckets_are_about_even():
    sizes = [0] * 4
    for number in range(4000):
        sizes[bucket_of(digest(number), 4)] += 1
    assert min(sizes) > 850


def test_the_environment_names_what_the_lock_fixes():
    found = environment()
    assert {"apache-beam", "gensim", "numpy", "pyarrow", "spacy"} <= found["packages"].keys()
    assert "pytest" not in found["packages"]
    assert (found["lexbeam"], found.get("commit", "")) == own_build()


@pytest.mark.parametrize("seed", ["0", "77"])
def test_digests_are_the_same_in_another_process(seed):
    code = (
        "from lexbeam.transforms.common.code.fingerprints import *\n"
        "print(digest({'a': [1, 'x']}), environment()['lock'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [digest({"a": [1, "x"]}), environment()["lock"]]


def test_a_blas_kernel_is_named():
    assert any("openblas" in kernel or "mkl" in kernel for kernel in blas_kernels())


def test_all_kernels_are_seen_before_a_module_of_scipys_is_loaded():
    code = """
from lexbeam.transforms.common.code.fingerprints import blas_kernels
early = blas_kernels()
import scipy.linalg
blas_kernels.cache_clear()
assert early == blas_kernels(), (early, blas_kernels())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
