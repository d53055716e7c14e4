"""Refreshes and watches that are killed, and disturbed, while files come: nothing is lost, and nothing there twice."""

import os
import random
import shlex
import signal
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from marked import wait_until
from streaming import SECONDS, Started, arrive, check_published, make_world, names_there, refreshed

from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_kept, open_snapshot

pytestmark = pytest.mark.soak
SIZE = float(os.environ.get("LEXBEAM_SOAK", "1"))  # a share of the sizes here, to try the tests out
FILES, MOMENTS, TIMES = (max(3, round(SIZE * number)) for number in (1000, 20, 5))
KILLS = 3
STAYS = [
    "--watch",
    "--watch-poll",
    "0.5",
    "--watch-minutes",
    "0.05",
    "--watch-files",
    "50",
    "--keep-snapshots",
    "10000",
]


@pytest.fixture
def config(tmp_path):
    """A configuration that makes a corpus of a folder with three texts."""
    config = make_world(tmp_path, "texts", dates="name:^(\\d{4})_")
    for number in range(3):
        arrive(config, f"1800_{number}.txt", random.Random(number))
    return config


def names_in(snapshot):
    return set(snapshot.read("corpus/inputs", ["name"])["name"].to_pylist())


def has_all(config):
    out = str(config.parent / "out")
    return snapshot_name(out) is not None and names_in(open_snapshot(out)) == names_there(config)


@pytest.mark.parametrize("words", [[], STAYS], ids=["refresh", "watch"])
def test_kills_at_random_moments_lose_nothing(config, words):
    """Every fourth falls when readers have just got a new snapshot."""
    random_, out, fell = random.Random(len(words)), str(config.parent / "out"), Counter()
    begun = time.monotonic()
    assert Started("refresh", config).process.wait(SECONDS) == 0
    usual, number = time.monotonic() - begun, 0
    while fell.total() - fell["too late"] < MOMENTS:
        arrive(config, f"{random_.choice((1800, 1900))}_x{number}.txt", random_)
        if number % 5 == 4:
            (config.parent / "texts" / f"1800_{number // 5 % 3}.txt").write_text(f"Other words {number}.")
        name = snapshot_name(out)
        started = Started("refresh", config, *words)
        if number % 4 == 3:
            while snapshot_name(out) == name and started.process.poll() is None:
                time.sleep(0.001)
            time.sleep(random_.uniform(0, 0.1))
        else:
            time.sleep(random_.uniform(0.1, 1) * usual)
        killed = started.end(signal.SIGKILL) == -signal.SIGKILL
        snapshot = open_snapshot(out)
        fell[("before" if snapshot.name == name else "after") if killed else "too late"] += 1
        assert snapshot.damaged() == []
        if number % 4 == 3:
            refreshed(config)
            check_published(config)
        number += 1
    refreshed(config)
    check_published(config)
    print(f"\n{MOMENTS} kills by publication: {dict(fell)}")


def test_of_two_refreshes_at_once_one_is_refused_or_both_are_right(config):
    refused = 0
    for number in range(TIMES):
        arrive(config, f"1900_{number}.txt", random.Random(number))
        both = [Started("refresh", config) for _ in range(2)]
        codes = sorted(each.process.wait() for each in both)
        assert codes in ([0, 0], [0, 1])
        refused += codes[1]
        assert ("another run is at work" in "".join(each.log.read_text() for each in both)) == bool(codes[1])
        check_published(config)
    names = [each.snapshot for each in read_history(str(config.parent / "out")).publications]
    assert len(names) == len(set(names)) == TIMES
    print(f"\n{TIMES} pairs, {refused} times one was refused")


def test_a_watch_goes_on_when_its_folder_comes_back_and_the_clock_goes_back(config):
    # For Python the clock goes back by an hour as soon as a file says so.
    word, texts, away = config.parent / "back", config.parent / "texts", config.parent / "away"
    gone = f"import os, time; t, n = time.time, time.time_ns; gone = lambda: 3600 * os.path.exists({str(word)!r})\n"
    gone += "time.time, time.time_ns = lambda: t() - gone(), lambda: n() - gone() * 10**9"
    watch = Started("refresh", config, *STAYS, before=gone)
    watch.until(lambda: has_all(config), "the first refresh")
    name = snapshot_name(str(config.parent / "out"))
    texts.rename(away)
    watch.until(lambda: "cannot be listed" in watch.log.read_text(), "it is told that the folder is away")
    texts.mkdir()  # it is there, and empty
    time.sleep(3)
    assert watch.process.poll() is None
    assert snapshot_name(str(config.parent / "out")) == name
    texts.rmdir()
    away.rename(texts)
    for number in range(4):
        if number == 1:
            word.touch()
        arrive(config, f"1900_{number}.txt", random.Random(number))
        watch.until(lambda: has_all(config), f"refresh {number}")
    assert watch.end() == 128 + signal.SIGTERM
    check_published(config)


def test_files_that_come_while_a_watch_runs_and_is_killed_are_there_once(config):
    random_, out, told = random.Random(1000), str(config.parent / "out"), config.parent / "told"
    # Of each publication its name, and when readers could see it.
    hook = f"import os, time; print(os.environ['LEXBEAM_SNAPSHOT'], time.time(), file=open({str(told)!r}, 'a'))"
    words = [*STAYS, "--on-publish", shlex.join([sys.executable, "-c", hook])]
    watch = Started("refresh", config, *words)
    watch.until(lambda: snapshot_name(out) is not None, "the first refresh")
    kills = {FILES * (number + 1) // (KILLS + 1) for number in range(KILLS)}
    came, memory = {}, []
    for number in range(FILES):
        name = f"{random_.choice((1800, 1900))}_n{number}.txt"
        arrive(config, name, random_)
        came[name] = time.time()
        time.sleep(random_.expovariate(4))
        if number in kills:
            watch.end(signal.SIGKILL)
            watch = Started("refresh", config, *words)
        memory.append(_resident(watch.process.pid))
    watch.until(lambda: has_all(config), "all files are published")
    wait_until(lambda: snapshot_name(out) in told.read_text(), "the hook is told")
    assert watch.end() == 128 + signal.SIGTERM
    check_published(config)
    seen = {}
    for line in told.read_text().splitlines():
        name, at = line.split()
        for each in names_in(open_kept(out, name)):
            seen.setdefault(each, float(at))
    waits = sorted(seen[name] - at for name, at in came.items())
    print(
        f"\n{FILES} files, {KILLS} kills, {len(read_history(out).publications)} publications; from file to publication "
        f"{statistics.median(waits):.1f} s (median), {waits[int(0.95 * len(waits))]:.1f} s (95th percentile); "
        f"memory of the process {max(memory) >> 20} MiB at most, {memory[-1] >> 20} MiB in the end"
    )


def _resident(process):
    """The memory of a process in bytes; 0: it has ended."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:")), 0)
