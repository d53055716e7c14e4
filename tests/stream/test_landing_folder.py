"""Lines become files of a folder: each line once, whatever is delivered twice and whoever is killed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.stream.landing_windows import WindowRule
from lexbeam.transforms.stream.lines import SPOOL, LandedLines, LineSpool, land_lines, one_line

RULE = WindowRule(10, 3)


def landed(folder):
    """All lines of a folder, file by file, sorted."""
    return sorted(path.read_bytes().splitlines() for path in folder.glob("*.jsonl"))


def test_a_file_is_named_by_what_it_holds_and_a_line_lies_in_one_alone(tmp_path):
    first = land_lines(str(tmp_path), [b"a", b"b", b"a", b""])
    assert land_lines(str(tmp_path), [b"b", b"a"]) is None
    second = land_lines(str(tmp_path), [b"c", b"b"])
    assert landed(tmp_path) == [[b"a", b"b"], [b"c"]]
    other = tmp_path / "other"
    assert land_lines(str(other), [b"a", b"b"]) == str(other / first.rpartition("/")[2]) != second


def test_lines_of_another_process_are_known(tmp_path):
    known = LandedLines(str(tmp_path))
    assert known.new([b"a", b"b"]) == [b"a", b"b"]
    land_lines(str(tmp_path), [b"a"])
    (tmp_path / "mine.jsonl").write_text("b\n")
    assert known.new([b"a", b"b"]) == [b"b"], "files of others are no landed ones"


def test_a_window_lands_by_time_or_number(tmp_path):
    with LineSpool(str(tmp_path), RULE) as spool:
        spool.add([b"a"], 100)
        assert spool.land(109) is None
        spool.add([b"b"], 109)
        assert spool.land(110) is not None
        assert spool.land(1000) is None, "nothing has come"
        spool.add([b"c", b"d", b"e"], 1000)
        assert spool.land(1000) is not None
    assert landed(tmp_path) == [[b"a", b"b"], [b"c", b"d", b"e"]]


def test_a_reader_that_is_killed_loses_nothing(tmp_path):
    killed = LineSpool(str(tmp_path), RULE)
    killed.add([b"a", b"b"], 100)
    killed._stream.close()  # as the system does
    with LineSpool(str(tmp_path), RULE) as spool:
        spool.land(0)
    assert landed(tmp_path) == [[b"a", b"b"]]


def test_a_line_that_was_half_written_stays_a_line_by_itself(tmp_path):
    (tmp_path / SPOOL).write_bytes(b"a\nhal")
    killed = LineSpool(str(tmp_path), RULE)
    killed.add([b"b"], 100)
    killed._stream.close()
    with LineSpool(str(tmp_path), RULE) as spool:
        spool.land(0)
    assert landed(tmp_path) == [[b"a", b"hal", b"b"]]


def test_one_that_is_killed_after_it_has_landed_lands_nothing_twice(tmp_path):
    with LineSpool(str(tmp_path), RULE) as spool:
        spool.add([b"a", b"b"], 100)
        land_lines(str(tmp_path), [b"a", b"b"])  # and was killed before the spool was emptied
    with LineSpool(str(tmp_path), RULE) as spool:
        spool.add([b"b", b"c"], 100)
        spool.land(1000)
    assert landed(tmp_path) == [[b"a", b"b"], [b"c"]]
    assert (tmp_path / SPOOL).read_bytes() == b""


def test_two_readers_of_a_folder_are_refused(tmp_path):
    with LineSpool(str(tmp_path), RULE), pytest.raises(LexbeamError, match="another stream"):
        LineSpool(str(tmp_path), RULE)


def test_a_message_is_one_line():
    assert one_line(b'{"text": "a"}\r\n') == b'{"text": "a"}'
    assert json.loads(one_line(b'{\n "text": "caf\xc3\xa9"\n}')) == {"text": "café"}
    assert one_line(b"no\njson") == b"no json"


lines = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b""]), max_size=4)


@settings(max_examples=25)  # each of them waits for the disk
@given(st.lists(st.tuples(lines, st.integers(0, 12), st.booleans()), max_size=20))
def test_whatever_comes_when_and_whoever_is_killed_each_line_lands_once(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("landing")
    now, spool = 0, LineSpool(str(folder), RULE)
    for some, later, killed in steps:
        now += later
        spool.add(some, now)
        spool.land(now)
        if killed:
            spool._stream.close()
            spool = LineSpool(str(folder), RULE)
    spool._stream.close()
    with LineSpool(str(folder), RULE) as spool:
        spool.land(now)
    found = [line for file in landed(folder) for line in file]
    assert sorted(found) == sorted({line for some, _, _ in steps for line in some if line})
