"""What workers count of what they make."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from lexbeam.transforms.common.machine import (
    amount_of,
    amounts_told,
    counted,
    counter_name,
    namespace,
    peak_memory,
    tell_amount,
    worker_name,
)


@dataclass
class Receipt:
    tokens: object = None
    counts: object = field(default_factory=dict)


def test_a_counter_says_stage_what_and_worker():
    assert counted(namespace("change/train"), counter_name("tokens")) == ("change/train", "tokens", worker_name())
    assert counted("other", counter_name("tokens")) is None
    assert counted(namespace("change/train"), "sorted w") is None


def test_amounts_are_those_of_the_receipt_before_the_task():
    assert amount_of("tokens", Receipt(3), Receipt(4)) == 3
    assert amount_of("tokens", Receipt(counts={"tokens": 5}), Receipt(4)) == 5
    assert amount_of("tokens", Receipt(), Receipt(4)) == 4
    assert amount_of("tokens", Receipt(counts=("a",)), None) == 0
    assert amount_of("tokens", Receipt(["a", "b"]), Receipt("x")) == 0


def test_what_is_told_is_of_a_thread_and_told_once():
    tell_amount("landed", 2)
    tell_amount("landed", 3)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(amounts_told).result() == {}
    assert amounts_told() == {"landed": 5}
    assert amounts_told() == {}


def test_peak_memory_is_of_this_process_and_never_falls():
    code = "from lexbeam.transforms.common.machine import peak_memory as p\n"
    code += "a = p()\nb = b'x' * 50_000_000\ndel b\nprint(a, p())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    before, after = map(int, told.split())
    assert 45_000_000 < after - before < 60_000_000
    assert 10**6 < peak_memory() < 10**12
