"""A stream on embedded Flink that is killed while files are dropped in: each document once, and nothing twice."""

import os
import random
import signal
import statistics
import threading
import time

import pytest
from marked import left_of, marked
from mixed_runs import published, skip_without
from small_runs import call
from streaming import SECONDS, Started, annotated, drop, landed_files, make_world, receipts, text_of

from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files
from lexbeam.transforms.stream.landing_windows import file_key

pytestmark = pytest.mark.soak
FILES = 1000
KILLS = (150, 450, 800)  # files that have landed when the stream is killed
EVERY = 0.2  # seconds between two files
WORKER_KILLS, ROUND = 3, 30  # how often a worker is killed, and the files around each time
WORDS = ("--window", "5s", "--window-size", "100", "--every", "1s")


def contents(number):
    """A document; now and then a copy of another, or something that no reader takes."""
    if number % 25 == 24:
        return b"\xff\xfe\xfd" * 9 + bytes([number % 251])
    return text_of(random.Random(number - 1 if number % 20 == 19 else number)).encode()


def dropping(folder, stop, paused):
    for number in range(FILES):
        while paused.is_set() and not stop.is_set():
            time.sleep(0.05)
        if stop.is_set():
            return
        drop(folder, f"19{number % 100:02}_{number:05}.txt", contents(number))
        if number % 50 == 49:  # delivered again, as it was
            (folder / f"19{number % 100:02}_{number:05}.txt").touch()
        time.sleep(EVERY)


def listed(config):
    patterns = InputPatterns((str(config.parent / "texts"),), (), str(config.parent / "out"))
    return {file_key(file): file for file in find_files(patterns)}


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def test_what_fails_every_time_fails_the_stream_and_is_told(tmp_path):
    skip_without("flink_stream")
    config = make_world(tmp_path, "texts", engine="none")
    drop(tmp_path / "texts", "a.txt", b"A text that nobody annotates.")
    stream = Started("stream", config, *WORDS)
    assert stream.process.wait(SECONDS) == 1
    assert "`engine`" in stream.log.read_text() or "--engine" in stream.log.read_text()
    assert left_of(str(tmp_path)) == {}


def test_a_checkpoint_that_comes_too_early_stops_nothing(tmp_path):
    """Once, what the first bundle yielded stayed in a buffer of Flink's, and nothing ever looked for files."""
    skip_without("flink_stream")
    config = make_world(tmp_path, "texts")
    drop(tmp_path / "texts", "a.txt", b"A text. It is short.")
    stream = Started("stream", config, *WORDS, "--", "--checkpointing_interval=300")
    stream.until(lambda: landed_files(tmp_path / "out"), "the file lands")
    assert stream.end() == 128 + signal.SIGTERM


def test_a_worker_that_is_killed_costs_time_alone(tmp_path, monkeypatch):
    """Flink begins anew from its last checkpoint each time, in a worker that is another."""
    skip_without("flink_stream")
    config, random_ = make_world(tmp_path, "texts", dates="name:^(\\d+)_"), random.Random(3)
    out, waits = tmp_path / "out", []
    stream = Started("stream", config, *WORDS)

    def landed(number):
        return lambda: len(landed_files(out)) >= number

    def workers():
        return [pid for pid, line in marked(str(tmp_path)).items() if " -m lexbeam.pipelines.runners.worker" in line]

    def come(first, after):
        for number in range(first, after):
            drop(tmp_path / "texts", f"1900_{number}.txt", contents(number))
            time.sleep(EVERY)

    try:
        for number in range(WORKER_KILLS):
            come(number * ROUND, number * ROUND + ROUND // 2)
            if not number:
                stream.until(landed(1), "a file lands")
            time.sleep(random_.uniform(0, 12))  # a checkpoint is taken every ten seconds
            killed, at = random_.choice(workers()), time.time()
            os.kill(killed, signal.SIGKILL)
            come(number * ROUND + ROUND // 2, (number + 1) * ROUND)
            stream.until(landed((number + 1) * ROUND), f"files land after kill {number}")
            waits.append(max(moment for moments in landed_files(out).values() for moment in moments) - at)
            assert killed not in workers()
        assert stream.end() == 128 + signal.SIGTERM
    finally:
        stream.process.kill()
    assert left_of(str(tmp_path)) == {}
    times = landed_files(out)
    print(
        f"\n{WORKER_KILLS} workers killed, {len(times)} files; landed more than once: "
        f"{sum(len(moments) > 1 for moments in times.values())}; seconds from a kill until all had landed: "
        f"{', '.join(f'{wait:.0f}' for wait in waits)}"
    )
    refresh_annotates_nothing(config, monkeypatch, WORKER_KILLS * ROUND)


def refresh_annotates_nothing(config, monkeypatch, number):
    """Check that what a refresh publishes of landed files is what a run of so many annotates, and annotates nothing."""
    calls, out = annotated(monkeypatch), config.parent / "out"
    assert call("refresh", config) == 0
    assert calls == []
    made = published(out)
    assert call("run", config, "--out", config.parent / "batch") == 0
    assert len(calls) >= number * 0.9
    assert made == published(config.parent / "batch")


def test_each_document_once_whatever_is_killed(tmp_path, monkeypatch):
    skip_without("flink_stream")
    config = make_world(tmp_path, "texts", dates="name:^(\\d+)_")
    out, stop, paused = tmp_path / "out", threading.Event(), threading.Event()
    thread = threading.Thread(target=dropping, args=(tmp_path / "texts", stop, paused), daemon=True)
    thread.start()
    try:
        for number in KILLS:
            stream = Started("stream", config, *WORDS)
            stream.until(lambda number=number: len(landed_files(out)) >= number, f"{number} files land")
            assert stream.end(signal.SIGKILL) == -signal.SIGKILL
            assert left_of(str(tmp_path)) == {}
        paused.set()
        there = len(list((tmp_path / "texts").iterdir()))
        stream = Started("stream", config, *WORDS)
        stream.until(lambda: len(landed_files(out)) >= there, "what was dropped while nobody looked lands")
        paused.clear()
        steady = time.time()
        thread.join()
        stream.until(lambda: listed(config).keys() <= landed_files(out).keys(), "all files land")
        assert stream.end() == 128 + signal.SIGTERM
    finally:
        stop.set()
        stream.process.kill()
    assert left_of(str(tmp_path)) == {}
    times, files = landed_files(out), listed(config)
    twice = sum(len(times[key]) > 1 for key in files)
    latencies = [min(times[key]) - files[key].changed / 1e9 for key in files if files[key].changed / 1e9 > steady]
    print(
        f"\n{len(files)} files, {len(receipts(out))} windows; landed more than once: {twice}; "
        f"of {len(latencies)} files dropped after the last start: seconds until landed, median "
        f"{statistics.median(latencies):.1f}, 95th percentile {share(latencies, 0.95):.1f}"
    )
    refresh_annotates_nothing(config, monkeypatch, FILES)
