"""When a watch refreshes, and what it does about failures, by a clock of the test's own."""

import re
from itertools import pairwise

import numpy as np
import pytest

from lexbeam.pipelines.commands.folder import watch as watch_module
from lexbeam.pipelines.commands.folder.watch import LONGEST, Pace, input_files, watch
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.pipelines.runners.hooks import PublishHookError
from lexbeam.transforms.common.errors import HeldSectionsError, LexbeamError, UsageError
from lexbeam.transforms.formats.ingest.file_changes import Seen
from lexbeam.transforms.formats.ingest.ingestion import InputFile


def seen(coming=0, settled=0, gone=0, rests=True, keys=(1,)):
    return Seen(np.array(keys), coming, settled, gone, rests)


@pytest.fixture
def pace():
    """A pace that has refreshed once."""
    pace = Pace(files=10, seconds=60)
    assert pace.is_due(seen(3, 3), 0)
    pace.note_success()
    return pace


def test_the_first_refresh_waits_for_whole_files_alone():
    pace = Pace(files=10, seconds=60)
    assert not pace.is_due(seen(3, 2), 0)
    assert pace.is_due(seen(3, 3), 1)


def test_files_or_minutes_make_a_refresh_due(pace):
    assert not pace.is_due(seen(), 5)
    assert not pace.is_due(seen(9, 9), 10)
    assert pace.is_due(seen(10, 10), 11)
    assert not pace.is_due(seen(1, 1), 69)
    assert pace.is_due(seen(1, 1), 70)


def test_it_waits_for_what_is_being_written_but_not_for_ever(pace):
    assert not pace.is_due(seen(12, 11), 0)
    assert not pace.is_due(seen(12, 11), 100)
    assert pace.is_due(seen(12, 11), 120)
    pace.note_success()
    assert pace.is_due(seen(40, 20), 121)


def test_what_is_gone_counts_when_nothing_moves_any_more(pace):
    assert not pace.is_due(seen(gone=1), 0)
    assert not pace.is_due(seen(gone=1, rests=False), 60)
    assert pace.is_due(seen(gone=1), 61)


def test_time_counts_from_the_first_difference_after_all_was_taken_up(pace):
    assert not pace.is_due(seen(1, 1), 0)
    assert not pace.is_due(seen(), 50)  # it went again
    assert not pace.is_due(seen(1, 1), 100)
    assert not pace.is_due(seen(1, 1), 159)
    assert pace.is_due(seen(1, 1), 160)


def test_after_failures_it_waits_longer_and_longer_unless_inputs_change(pace):
    at, waits = 0.0, []
    for _ in range(9):
        due = next(at + wait for wait in range(0, 10_000, 10) if pace.is_due(seen(10, 10), at + wait))
        waits.append(due - at)
        at = due
        pace.note_failure(seen(10, 10), at)
    assert waits == [0, 60, 120, 240, 480, 960, 1920, LONGEST, LONGEST]
    other = seen(10, 10, keys=(2,))
    assert not pace.is_due(other, at + 50)
    assert pace.is_due(other, at + 60)


def test_inputs_that_are_again_what_they_were_end_a_failure(pace):
    assert pace.is_due(seen(10, 10, keys=(2,)), 0)
    pace.note_failure(seen(10, 10, keys=(2,)), 0)
    assert not pace.is_due(seen(), 59)
    assert pace.is_due(seen(), 60)
    pace.note_failure(seen(), 60)  # something else is wrong, too
    assert not pace.is_due(seen(), 179)
    assert pace.is_due(seen(), 180)
    pace.note_success()
    assert not pace.is_due(seen(), 1000)
    pace.note_failed_look()
    assert pace.is_due(seen(), 1001)


class World:
    """Files that appear at given times, refreshes that take their time, a clock, and an end."""

    def __init__(self, files, end, fails=(), away=()):
        self.files, self.end, self.fails, self.away, self.noted = files, end, list(fails), away, []
        self.now, self.refreshed, self.looks = 1000.0, [], 0

    def listed(self):
        self.looks += 1
        there = [name for name, at in self.files.items() if at <= self.now - 1000]
        if any(start <= self.now - 1000 < end for start, end in self.away):
            raise LexbeamError("the folder is away")
        if not there:
            raise LexbeamError("there are no files")
        return [("corpus", InputFile(name, name, 1, "", 1)) for name in there]

    def refresh(self):
        names = {file.path for _, file in self.listed()}
        self.now += 7
        if self.fails and (error := self.fails.pop(0)) is not None:
            raise error
        self.refreshed.append((self.now - 1000, len(names)))

    def sleep(self, seconds):
        self.now += seconds
        if self.now - 1000 > self.end:
            raise KeyboardInterrupt

    def watch(self, files=3, seconds=30, poll=2):
        with pytest.raises(KeyboardInterrupt):
            watch(
                self.listed,
                self.refresh,
                Pace(files, seconds),
                poll,
                looked=lambda error: self.noted.append((self.now - 1000, error and str(error))),
                clock=lambda: self.now,
                sleep=self.sleep,
            )
        return self.refreshed


def test_files_are_taken_up_as_they_come():
    world = World({"a": 0, "b": 5, "c": 40, "d": 100, "e": 101, "f": 102}, 200)
    # At the start; half a minute after `b` was seen, with `c`, which is whole by then; three together at once.
    assert world.watch() == [(9, 1), (50, 3), (111, 6)]


def test_nothing_there_is_told_once_and_waited_for(caplog):
    world = World({"a": 50}, 100)
    assert [number for _, number in world.watch()] == [1]
    assert len(re.findall("cannot be listed", caplog.text)) == 1


def test_looks_are_noted_that_fail_and_each_minute_that_find_nothing_to_do():
    world = World({"a": 0}, 300, away=[(150, 180)])
    # Once more when the folder is back: the failure is over.
    assert [number for _, number in world.watch()] == [1, 1]
    assert [why for _, why in world.noted] == [None] * 3 + ["the folder is away"] + [None] * 2
    rested = [at for at, why in world.noted if why is None]
    assert all(later - earlier >= 60 for earlier, later in pairwise(rested))


@pytest.mark.parametrize(
    "error",
    [
        LexbeamError("a full disk"),
        HeldSectionsError("change is held: a full disk", {"change": "failed"}, published=True),
    ],
)
def test_a_failed_refresh_is_told_and_tried_again_not_at_once(caplog, error):
    world = World({"a": 0}, 200, fails=[error, None])
    ((at, number),) = world.watch()
    assert number == 1
    assert 9 + 30 <= at <= 9 + 30 + 7 + 4
    assert caplog.text.count("a full disk") == 1


def test_a_hook_that_fails_is_run_again_after_the_next_look_and_then_more_and_more_seldom(caplog):
    world = World({"a": 0, "b": 1000}, 2000, fails=[PublishHookError("the hook failed")] * 5)
    ((ended, number), (_, after)) = world.watch()
    assert (number, after) == (1, 2)
    # A refresh takes seven seconds, a look comes every two: at once, after 30 seconds, a minute, two, four.
    assert 5 * 7 + 30 + 60 + 120 + 240 <= ended <= 5 * 7 + 30 + 60 + 120 + 240 + 6 * 7
    assert caplog.text.count("the hook failed") == 5


def test_errors_of_usage_end_it_at_the_start_and_never_later():
    world = World({"a": 0}, 100, fails=[UsageError("no such option")])
    with pytest.raises(UsageError, match="no such option"):
        watch(world.listed, world.refresh, Pace(3, 30), 2, clock=lambda: world.now, sleep=world.sleep)
    world = World({"a": 0, "b": 30}, 300, fails=[None, UsageError("no such option"), None])
    assert [number for _, number in world.watch()] == [1, 2]


def test_what_fails_since_it_was_interrupted_ends_it(monkeypatch):
    world = World({"a": 0}, 200, fails=[LexbeamError("a worker has ended"), None])
    monkeypatch.setattr(watch_module, "was_interrupted", lambda: True)
    with pytest.raises(LexbeamError, match="a worker has ended"):
        watch(world.listed, world.refresh, Pace(3, 30), 2, clock=lambda: world.now, sleep=world.sleep)


def test_looks_that_take_long_are_made_more_seldom():
    world = World({"a": 0}, 1000)
    listed = world.listed

    def slow():
        world.now += 10
        return listed()

    world.listed = slow
    world.watch()
    assert world.looks < 1000 / 50 + 3


def test_the_files_of_a_configuration_are_those_that_its_sections_take_in(tmp_path):
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt", "c.md"):
        (tmp_path / "texts" / name).write_text("A ship.")
    config = tmp_path / "c.yaml"
    config.write_text("corpus: {inputs: texts, engine: 'builtin:en', exclude: ['*.md']}\n")
    found = list(input_files(read_jobs(str(config), {"out": str(tmp_path / "out")})))
    assert [(section, file.name) for section, file in sorted(found)] == [("corpus", "a.txt"), ("corpus", "b.txt")]
    config.write_text("change: {slices: '1800,1900'}\n")
    with pytest.raises(UsageError, match="`watch`: no section"):
        list(input_files(read_jobs(str(config), {"out": str(tmp_path / "out")})))
