import json
import os
import subprocess
import sys
import threading

import numpy as np  # noqa: F401  loads a BLAS
import pytest
import threadpoolctl

from lexbeam.transforms.common.arithmetic import one_thread


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
