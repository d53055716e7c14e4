import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import rows_alone
import threadpoolctl
from rows_alone import ARRAYS, ROWS, check

from lexbeam.transforms.common.arithmetic import dots, one_thread, product


def threads() -> set[int]:
    return {i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"}


def test_limits_within_the_block_and_lifts_the_limit_after_it():
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        with one_thread():
            with one_thread():
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == before


def test_limit_holds_until_the_last_thread_has_left():
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        entered, leave = threading.Event(), threading.Event()

        def other() -> None:
            with one_thread():
                entered.set()
                leave.wait(60)

        thread = threading.Thread(target=other)
        with one_thread():
            thread.start()
            assert entered.wait(60)
        assert threads() == {1}
        leave.set()
        thread.join()
        assert threads() == before


def test_every_thread_can_limit_also_after_another_has():
    seen = []

    def other() -> None:
        with one_thread():
            seen.append(threads())

    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        with one_thread():
            pass
        for _ in range(2):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
    assert seen == [{1}, {1}]


def test_limit_is_lifted_after_an_error():
    before = threads()
    try:
        with one_thread():
            raise RuntimeError
    except RuntimeError:
        pass
    assert threads() == before


def test_a_library_that_is_loaded_later_is_limited_too():
    code = """
import json, sys, threadpoolctl
from lexbeam.transforms.common.arithmetic import one_thread
def blas(): return [i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]
with one_thread():
    before = blas()
    import scipy.linalg
    with one_thread():
        json.dump([before, blas()], sys.stdout)
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    before, after = json.loads(run.stdout)
    assert set(before) == set(after) == {1}
    if len(after) == len(before):
        pytest.skip("scipy has the BLAS of numpy here")


# Kernels of OpenBLAS, what it calls them, what a processor needs for them, and the loops of numpy
# that a processor of their kind has not.
KERNELS = {
    "Prescott": ({"Prescott", "Katmai"}, ("SSE3",), "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"),
    "Haswell": ({"Haswell"}, ("AVX2", "FMA3"), "X86_V4 AVX512_ICL AVX512_SPR"),
    "Zen": ({"Zen"}, ("AVX2", "FMA3"), "X86_V4 AVX512_ICL AVX512_SPR"),
    "SkylakeX": ({"SkylakeX"}, ("AVX512_SKX",), ""),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_row_does_not_depend_on_those_beside_it(name):
    check(ARRAYS[name])


# OpenBLAS has few kernels of its own for Zen: most are those of Haswell. That of Prescott is slow, that of SkylakeX
# often this machine's own.
SOAKED = {"Prescott", "Zen", "SkylakeX"}


@pytest.mark.parametrize(
    "kernel", [pytest.param(name, marks=[pytest.mark.soak] * (name in SOAKED)) for name in KERNELS]
)
def test_nor_by_another_kernel(kernel):
    names, needed, without = KERNELS[kernel]
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as features
    except ImportError:
        pytest.skip("this numpy does not tell what the processor can do")
    if missing := [one for one in needed if not features.get(one)]:
        pytest.skip(f"the processor has no {', '.join(missing)}")
    environment = {
        **os.environ,
        "OPENBLAS_CORETYPE": kernel,
        "NPY_DISABLE_CPU_FEATURES": without,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    run = subprocess.run(
        [sys.executable, "-W", "ignore", rows_alone.__file__], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    if not (used := set(json.loads(run.stdout))) or not used <= names:
        pytest.skip(f"the BLAS of numpy has no kernel {kernel}, and took {', '.join(used) or 'another BLAS'}")


def test_the_check_finds_rows_that_depend_on_others():
    values = rows_alone.numbers(ROWS, 9)
    with pytest.raises(AssertionError):
        check(lambda some: values[some] - values[some].mean(axis=0))
    with pytest.raises(AssertionError):
        check(lambda some: values[some] * np.where(np.arange(len(some)) % 24 == 5, 1 + 1e-15, 1)[:, None])


def test_they_are_products():
    rows, matrix = rows_alone.numbers(31, 9002), rows_alone.numbers(9002, 203)
    np.testing.assert_allclose(product(rows, matrix), rows @ matrix, atol=1e-10)
    np.testing.assert_allclose(dots(rows, rows), (rows * rows).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(dots(rows, matrix[:, 0]), rows @ matrix[:, 0], atol=1e-10)
    assert dots(rows.astype(np.float32), matrix[:, 0].astype(np.float32)).dtype == np.float32


def test_of_nothing_there_is_nothing():
    assert product(np.zeros((0, 3)), np.zeros((3, 2))).shape == (0, 2)
    assert product(np.zeros((2, 3)), np.zeros((3, 0))).shape == (2, 0)
    assert product(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
    assert dots(np.zeros((2, 0)), np.zeros(0)).tolist() == [0.0, 0.0]
    assert dots(np.zeros((0, 3)), np.zeros(3)).shape == (0,)
