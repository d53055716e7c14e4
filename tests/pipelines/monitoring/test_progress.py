"""Receipts on an object store are counted by the store's times: what the run has made, and what was there.

What is seen of a run on a pseudo-terminal, and what where there is none.
"""

import importlib
import io
import logging
import os
import pty
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from object_store import OBJECTS

from lexbeam.pipelines.commands.change.plan import expected_artefacts
from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.pipelines.monitoring import progress
from lexbeam.pipelines.monitoring.estimates import Foreseen, amount
from lexbeam.pipelines.monitoring.progress import (
    RunProgress,
    StageFolder,
    StageObjects,
    counting,
    is_shown,
    only_drawn,
    planned,
    receipts_below,
    watching,
)
from lexbeam.transforms.change.graph.comparisons import Comparisons, SpaceVariant
from lexbeam.transforms.change.scores.null_deals import DealOptions
from lexbeam.transforms.change.spaces.counting import pieces_of, sums_of
from lexbeam.transforms.change.spaces.shards import ShardOptions
from lexbeam.transforms.common.store.artefacts import Step, Workspace, announce, make
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.store.objects import ObjectState, ObjectTag
from lexbeam.transforms.common.store.remote import remote
from lexbeam.transforms.embeddings.representations import RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions

WORK = "store://bucket/out/_artefacts"
STAGE = Foreseen("toy/make", "pieces")


@pytest.fixture
def put(monkeypatch):
    """A function that puts an object with the time of the store's clock; listings are noted in `put.listed`."""
    OBJECTS.clear()
    times = {}
    store = type(remote(WORK))
    true = store.below

    def state(self, path):
        return ObjectState(len(OBJECTS[path]), times[path], ObjectTag(None)) if path in OBJECTS else None

    def below(self, folder):
        put.listed.append(folder)
        return ((path, state(self, path)) for path, _ in true(self, folder))

    def put(name, at, content=b"{}"):
        OBJECTS[f"{WORK}/{name}"] = content
        times[f"{WORK}/{name}"] = at

    put.listed = []
    monkeypatch.setattr(store, "state", state)
    monkeypatch.setattr(store, "below", below)
    return put


def receipt(number):
    return f"toy/make/{number:032x}.json"


def test_made_and_earlier_are_told_apart_and_what_was_planned(put):
    put(receipt(1), 5)
    put(receipt(2), 6)
    put("plan/toy/make", 9, b"7")
    stage = StageObjects(WORK, STAGE)
    stage.look(1.0, 10)
    assert (stage.count.made, stage.count.planned, stage.count.begun) == (0, None, None)
    put("plan/toy/make", 11, b"4")
    put(receipt(3), 12)
    put(f"toy/make/{3:032x}.arrow", 12)
    stage.look(2.0, 10)
    assert stage.count[1:7] == (4, 1, 0, 2.0, 2.0, False)
    put(receipt(4), 13)
    stage.look(5.0, 10)
    assert (stage.count.made, stage.count.last, stage.count.first) == (2, 5.0, 2.0)
    assert len(put.listed) == 3
    stage.end()
    # Two of those that were planned have not been made: they were there.
    assert amount(stage.count) == "4 of 4 pieces"
    stage.look(6.0, 10)
    assert len(put.listed) == 3


def test_one_listing_has_the_receipts_of_all_stages(put):
    put(receipt(1), 5)
    put(f"toy/make/{1:032x}.arrow", 5)
    put(f"other/view/{1:032x}.json", 6)
    put("results/0123456789abcdef/parts.json", 6)
    put("unfinished.json", 7)
    assert receipts_below(WORK) == {"toy/make": [5], "other/view": [6]}
    assert put.listed == [WORK]
    put("plan/toy/make", 9, b"x")
    assert planned(f"{WORK}/plan/toy/make", 1) is None
    assert planned(f"{WORK}/plan/toy/none", 1) is None


def test_a_short_run_asks_the_store_nothing_and_a_long_one_seldom(put, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    put("plan/toy/make", 11, b"4")
    put(receipt(3), 12)

    def watched(seconds, until=lambda: False):
        run = RunProgress(WORK, {"toy": [STAGE]}, since=10)
        with redirect_stderr(io.StringIO()), watching(run, "toy"):
            end = time.monotonic() + seconds
            while time.monotonic() < end and not until():
                time.sleep(0.01)
        return run

    watched(0.1)
    assert put.listed == []
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.05)
    run = watched(60, lambda: bool(put.listed))
    assert run.counts["toy"][0].ended
    assert run.counts["toy"][0].planned in (None, 4)


ROOT = Path(__file__).parents[3]
SPAN = r"(under 1|\d+) s"
LEFT = "(; under a minute left)?"


@dataclass(frozen=True)
class Made:
    """A receipt that stands for no file."""

    number: int


def wait_for(condition, seconds=60):
    """Return when a condition holds: looks are as seldom as a busy machine makes them slow."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@dataclass(frozen=True)
class TrainSlowly(Step[int, Made]):
    takes: Annotated[Any, Uncounted("how long it takes, or what is done meanwhile")] = 0

    name = "toy/train"
    unit = "spaces"

    def make(self, artefact, task):
        if callable(self.takes):
            self.takes()
        else:
            time.sleep(self.takes)
        return Made(task)


STAGES = [Foreseen("toy/ingest", "batches", 1.0), Foreseen(TrainSlowly.name, TrainSlowly.unit, 1.0)]


@contextmanager
def terminal(monkeypatch):
    """Give a list of what appears on a pseudo-terminal that is the standard error in the block."""
    outer, inner = pty.openpty()
    seen = []

    def read():
        try:
            while more := os.read(outer, 4096):
                seen.append(more.decode())
        except OSError:  # how a terminal says that the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    with open(inner, "w", encoding="utf-8") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield seen
    reader.join()
    os.close(outer)


def screen(seen):
    """Return the lines that stand on a terminal in the end, without colours."""
    lines, row, column = [""], 0, 0
    text = re.sub(r"\x1b\[[\d;]*m", "", "".join(seen))
    for up, erase, other in re.findall(r"\x1b\[(\d+)A|(\x1b\[2K)|([^\x1b])", text):
        if up:
            row = max(0, row - int(up))
        elif erase:
            lines[row] = ""
        elif other == "\r":
            column = 0
        elif other == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        else:
            lines[row] = lines[row].ljust(column)[:column] + other + lines[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines if line.strip()]


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.02)
    importlib.import_module("lexbeam.pipelines.monitoring.terminal")  # which takes longer than these runs


@pytest.fixture
def verbose(monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "level", logging.INFO)
    logging.getLogger().manager._clear_cache()
    yield
    monkeypatch.undo()
    logging.getLogger().manager._clear_cache()


def work_in(folder, numbers, build=0.03):
    """Make some artefacts; `build` is what that of each calls, or the seconds that it takes."""
    space, run = Workspace(str(folder)), RunProgress(str(folder), {"toy": STAGES})
    announce(space, TrainSlowly.name, len(numbers))
    with watching(run, "toy"):
        for number in numbers:
            make(space, TrainSlowly(build), number)


def test_a_stage_is_drawn_from_its_start_and_freezes_with_its_time(tmp_path, monkeypatch):
    with terminal(monkeypatch) as seen:
        work_in(tmp_path, range(3), lambda: wait_for(lambda: "0 of 3 spaces, " in "".join(seen)))
    (line,) = screen(seen)
    assert re.fullmatch(r"toy/train +━+ +3 of 3 spaces in " + SPAN, line)
    assert "\x1b[?25l" not in "".join(seen)  # a killed process could not show the cursor again


def test_what_was_there_is_told_as_such(tmp_path, monkeypatch):
    work_in(tmp_path, range(3), 0)
    time.sleep(0.05)  # file times are no finer
    with terminal(monkeypatch) as seen:
        work_in(tmp_path, range(5))
    assert "  5 of 5 spaces (3 there already) in " in screen(seen)[0]
    time.sleep(0.05)
    with terminal(monkeypatch) as seen:
        work_in(tmp_path, range(5))
    assert screen(seen)[0].endswith("5 of 5 spaces (all there already)")


def test_log_lines_and_warnings_stand_above_whole(tmp_path, monkeypatch):
    log = logging.getLogger("lexbeam")
    with terminal(monkeypatch) as seen:
        handler = logging.StreamHandler()
        log.addHandler(handler)
        space, run = Workspace(str(tmp_path)), RunProgress(str(tmp_path), {"toy": STAGES})
        try:
            with watching(run, "toy"):
                make(space, TrainSlowly(0.1), 1)
                log.error("a [bold]line[/bold] of a log")
                print("an odd thing", file=sys.stderr)
                make(space, TrainSlowly(0.1), 2)
            assert handler.stream is sys.stderr
            log.error("after it")
        finally:
            log.removeHandler(handler)
    lines = screen(seen)
    assert lines[0] == "a [bold]line[/bold] of a log"
    assert lines[1] == "an odd thing"
    assert "  2 spaces in " in lines[-2]
    assert lines[-1] == "after it"


def test_a_run_that_fails_leaves_what_it_had_come_to(tmp_path, monkeypatch):
    space, run = Workspace(str(tmp_path)), RunProgress(str(tmp_path), {"toy": STAGES})
    announce(space, TrainSlowly.name, 3)
    with terminal(monkeypatch) as seen:
        with pytest.raises(ZeroDivisionError), watching(run, "toy"):
            make(space, TrainSlowly(0.1), 1)
            raise ZeroDivisionError
        assert sys.stderr.name  # the stream itself again
    assert re.fullmatch(r"toy/train +━*[╸╺]?━+ +1 of 3 spaces, " + SPAN, screen(seen)[-1])


def test_verbose_runs_tell_a_line_at_times_where_is_no_terminal(tmp_path, monkeypatch, capsys, verbose):
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.1)
    begun, output = time.monotonic(), []

    def line_more():
        before = len(output)
        wait_for(lambda: output.extend(capsys.readouterr().err.splitlines()) or len(output) > before)

    work_in(tmp_path, range(4), line_more)
    out, err = capsys.readouterr()
    assert out == ""
    lines = output + err.splitlines()
    assert 4 <= len(lines) <= (time.monotonic() - begun) / 0.1
    for line in lines:
        assert re.fullmatch(r"progress: toy/train: \d of 4 spaces, " + SPAN + LEFT, line), line


def test_nothing_is_printed_where_is_no_terminal_and_counts_are_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.01)
    space, run = Workspace(str(tmp_path)), RunProgress(str(tmp_path), {"toy": STAGES})
    with watching(run, "toy"):
        make(space, TrainSlowly(0.1), 1)
        wait_for(lambda: run.all()[1].made == 1)  # which an interrupted run tells
    assert capsys.readouterr() == ("", "")


def test_a_short_verbose_run_tells_nothing_where_is_no_terminal(tmp_path, capsys, verbose):
    work_in(tmp_path, range(3))
    assert capsys.readouterr() == ("", "")


def test_python_draws_progress_on_a_terminal_and_prints_no_lines_elsewhere(tmp_path, monkeypatch, capsys, request):
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.01)
    with only_drawn():
        work_in(tmp_path, range(3))
        with counting("sample", "words", 5) as add:
            add(5)
    assert capsys.readouterr() == ("", "")
    with terminal(monkeypatch) as seen, only_drawn():
        work_in(tmp_path / "other", range(3), lambda: wait_for(lambda: "0 of 3 spaces, " in "".join(seen)))
    assert re.fullmatch(r"toy/train +━+ +3 of 3 spaces in " + SPAN, screen(seen)[0])
    request.getfixturevalue("verbose")
    with only_drawn():
        work_in(tmp_path / "verbose", range(3), 0.05)
    assert capsys.readouterr() == ("", "")


def test_verbose_runs_tell_lines_on_a_terminal(monkeypatch, request):
    with terminal(monkeypatch):
        assert is_shown()
        request.getfixturevalue("verbose")
        assert not is_shown()


def test_a_standard_error_that_nobody_reads_fails_no_run(tmp_path, monkeypatch, verbose):
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.01)
    outer, inner = os.pipe()
    os.close(outer)
    with open(inner, "w", encoding="utf-8", closefd=False) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        work_in(tmp_path, range(3))
        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            stream.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), inner)


def test_counts_of_things_that_are_no_artefacts(monkeypatch):
    with terminal(monkeypatch) as seen, counting("sample", "words", 60) as add:
        for done in (20, 40, 60):
            add(20)
            wait_for(lambda done=done: f"{done} of 60 words" in "".join(seen))
    assert re.search("60 of 60 words in " + SPAN, screen(seen)[0])


def test_looks_take_little_of_the_time(tmp_path, monkeypatch):
    looks = []

    def slow(folder, now, since):
        looks.append(now)
        end = time.thread_time() + 0.01
        while time.thread_time() < end:
            pass

    monkeypatch.setattr(StageFolder, "look", slow)
    begun = time.monotonic()
    with watching(RunProgress(str(tmp_path), {"toy": STAGES}), "toy"):  # two folders: 20 ms a look
        time.sleep(0.6)
    # One at the start, one a second, and one at the end.
    assert 4 <= len(looks) <= 2 * (2 + time.monotonic() - begun)


def test_an_interrupt_ends_it_in_order(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from lexbeam.pipelines.frame.interrupts import heed_signals, interrupted_status\n"
        "from lexbeam.pipelines.monitoring import progress\n"
        "from lexbeam.pipelines.monitoring.estimates import Foreseen\n"
        "heed_signals(lambda: 'left at once')\n"
        "run = progress.RunProgress(sys.argv[1], {'toy': [Foreseen('toy/a', 'slices')]})\n"
        "progress.INTERVAL = .05\n"
        "try:\n"
        "    with progress.watching(run, 'toy'):\n"
        "        os.makedirs(sys.argv[1] + '/toy/a')\n"
        "        signal.setitimer(signal.ITIMER_REAL, .4)\n"
        "        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))\n"
        "        signal.pause()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', file=sys.stderr)\n"
        "    sys.exit(interrupted_status())\n"
    )
    outer, inner = pty.openpty()
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inner, cwd=ROOT) as done:
        os.close(inner)
        seen = []
        try:
            while more := os.read(outer, 4096):
                seen.append(more.decode())
        except OSError:
            pass
        assert done.stdout.read() == b""
    os.close(outer)
    assert done.returncode == 130
    lines = screen(seen)
    assert len(lines) == 2
    assert re.search(r"toy/a +0 slices, " + SPAN, lines[0])
    assert lines[1] == "interrupted"


def test_every_stage_has_a_word_for_what_it_makes():
    stages = [stage for words in COMMANDS for stage in load(words).stages]
    assert stages
    assert not [stage.name for stage in stages if stage.unit == "pieces"]


OPTIONS = {
    "corpus": {"inputs": ("a",), "out": "b", "engine": "builtin:en"},
    "change": {"out": "b", "slices": "1-2,3-4", "seeds": (3,)},
}


@pytest.mark.parametrize("words", OPTIONS)
def test_the_work_of_our_stages_is_foreseen(words):
    command = load(words)
    weights = command.weights(command.options(**OPTIONS[words]))
    assert sorted(weights) == sorted(stage.name for stage in command.stages)


def test_every_stage_of_a_change_run_has_a_total_beforehand():
    parts, pair = [None] * 8, Comparisons(("a", "b"), (5, 5), ((0, 1),), (1, 2, 3))
    plan = SimpleNamespace(
        parts=parts,
        pairs=pair,
        series=False,
        null=DealOptions(nulls=5, seed=1),
        budget="smallest",
        view=SimpleNamespace(ranges=(1, 1)),
        score=SimpleNamespace(alignments=("op",), systems=()),
        sgns=SgnsOptions(epochs=4),
        sharding=ShardOptions(),
        representation=RepresentationOptions(),
        beside=(),
    )
    command = load("change")
    expected = expected_artefacts(plan)
    assert expected["change/sizes"] == 8 * 2
    assert expected["change/dealt"] == 8 * 5 * 2
    # VIEW's are noted when its parts are dealt out; a single pair makes no series.
    without = {"change/view", "change/series-trace", "change/series", "change/train-jointly", "change/systems"}
    shards = {"change/train-shard", "change/average", "change/average-last"}
    counts = {"change/contexts", "change/add-contexts", "change/represent"}
    assert {stage.name for stage in command.stages} - set(expected) == without | shards | counts
    plan.sharding = ShardOptions(shards=3, rounds=2)
    expected = expected_artefacts(plan)
    assert {stage.name for stage in command.stages} - set(expected) == {*without, *counts, "change/train"}
    together = (SpaceVariant("vi", ("vi",)), SpaceVariant("apart", ("op",)))
    plan.pairs = pair._replace(variants=together, sequences=((0, 1),))
    found = expected_artefacts(plan)
    assert (found["change/train-jointly"], found["change/neighbours"]) == (3 + 5, 2 * 2 * 3)
    assert found["change/train-shard"] == expected["change/train-shard"]
    plan.pairs = pair
    spaces = 2 * (3 + 5)
    assert [expected[name] for name in sorted(shards)] == [spaces * 7, spaces, spaces * 8 * 3]
    plan.sharding, plan.representation = ShardOptions(), RepresentationOptions(representation="ri")
    plan.view.ranges = (1, 5)
    expected = expected_artefacts(plan)
    assert {stage.name for stage in command.stages} - set(expected) == {*without, *shards, "change/train"}
    pieces = [pieces_of(number) for number in (1, 5, *[5] * 10)]  # a null slice lies in files of both
    assert [expected[name] for name in sorted(counts)] == [sum(map(sums_of, pieces)), sum(pieces), spaces]


def test_of_an_engine_that_takes_any_time_no_work_is_foreseen():
    command = load("corpus")
    options = {**OPTIONS["corpus"], "engine": "stanza:en"}
    assert "corpus/annotate" not in command.weights(command.options(**options))
