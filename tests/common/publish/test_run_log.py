"""What stages took, kept beside snapshots: who is known by name, what stands on, and what goes."""

import dataclasses
import os
import time

import pytest
from making import made_section, put

from lexbeam.transforms.common.publish.history import last_success
from lexbeam.transforms.common.publish.layout import RUN_LOG, snapshot_name, update_record
from lexbeam.transforms.common.publish.publication import rollback
from lexbeam.transforms.common.publish.run_log import RunLine, driver_line, most_at_work, note_success, read_run_log


def line(stage, worker="w", **more):
    return RunLine(stage=stage, worker=worker, at="2026-01-01T00:00:00Z", **more)


def publish(out, word, *took):
    made = made_section(out.parent / "w", "corpus", {"documents": [[word]]})
    put(out, dataclasses.replace(made, took=took))
    return snapshot_name(str(out))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def test_a_log_is_read_as_it_was_written_in_one_order(out):
    took = [
        line("corpus/train", "b", seconds=1.5, elements=2, tokens=7, bytes=3, memory=9),
        line("corpus/train", "a", elements=1, documents=4),
        line("corpus/annotate", there=2),
    ]
    publish(out, "a", *took)
    assert read_run_log(str(out)) == [took[2], took[1], took[0]]


def test_of_a_stage_that_makes_nothing_what_it_took_last_stands_on(out):
    first = line("corpus/train", seconds=60, elements=3)
    publish(out, "a", first, line("corpus/annotate", elements=1, seconds=5), line("corpus/ingest", there=1))
    then = [line("corpus/train", "v", there=3), line("corpus/annotate", elements=2, seconds=1)]
    name = publish(out, "b", *then)
    assert read_run_log(str(out), name) == [then[1], then[0], first]
    # Published again, with nothing made, it is not forgotten.
    publish(out, "b", line("corpus/train", "u", there=3), line("corpus/annotate", "u", there=2))
    assert {(each.stage, each.elements) for each in read_run_log(str(out))} == {
        ("corpus/train", 0), ("corpus/train", 3), ("corpus/annotate", 0), ("corpus/annotate", 2),
    }  # fmt: skip
    # Nothing grows with the number of runs.
    for number in range(5):
        publish(out, str(number), line("corpus/train", str(number), there=3))
        assert len(read_run_log(str(out))) == 3


def test_a_log_goes_with_its_snapshot_and_the_tables_do_not_depend_on_it(out):
    first = publish(out, "a", line("corpus/train", elements=1))
    second = publish(out, "b", line("corpus/train", elements=1))
    logs = {path.name.removesuffix(RUN_LOG) for path in (out / "_snapshots").glob(f"*{RUN_LOG}")}
    assert logs == {first, second}
    publish(out, "c")
    logs = {path.name.removesuffix(RUN_LOG) for path in (out / "_snapshots").glob(f"*{RUN_LOG}")}
    assert logs == {second, snapshot_name(str(out))}
    assert publish(out, "a", line("corpus/other", seconds=3)) == first


def test_without_a_log_or_with_a_damaged_one_nothing_is_known(out):
    assert read_run_log(str(out)) == []
    name = publish(out, "a", line("corpus/train", elements=1))
    (out / "_snapshots" / (name + RUN_LOG)).write_bytes(b'{"stage": 3}\n')
    assert read_run_log(str(out)) == []
    publish(out, "b", line("corpus/train", elements=2))
    assert [each.elements for each in read_run_log(str(out))] == [2]


def test_the_time_of_a_log_is_that_of_the_last_success(out):
    name = publish(out, "a", line("corpus/train", elements=1))
    path = out / "_snapshots" / (name + RUN_LOG)
    content = path.read_bytes()
    os.utime(path, (1000, 1000))
    assert last_success(str(out), name) == 1000
    note_success(str(out), name)
    assert abs(last_success(str(out), name) - time.time()) < 600
    assert path.read_bytes() == content
    path.unlink()  # as of a version that wrote none
    note_success(str(out), name)
    assert last_success(str(out), name) == (out / "current" / "manifest.json").stat().st_mtime
    assert not path.exists()


def test_the_last_success_is_that_of_what_was_published_last_whatever_is_served(out):
    first, second = (publish(out, word, line("corpus/train", elements=1)) for word in "ab")
    for name, at in ((first, 1000), (second, 2000)):
        os.utime(out / "_snapshots" / (name + RUN_LOG), (at, at))
    rollback(str(out), first)
    assert snapshot_name(str(out)) == first
    assert last_success(str(out), first) == 2000
    # Of one that a killed run made and never switched to, nobody says that it went well.
    (out / "_snapshots" / ("0" * 32 + RUN_LOG)).write_bytes(b"")
    update_record(str(out), lambda record: record._replace(snapshots=(*record.snapshots, "0" * 32)))
    assert last_success(str(out), first) == 2000


def test_very_many_workers_of_a_stage_are_summed():
    lines = [line("s/t", f"{n:04}", seconds=n, elements=1, tokens=2, memory=1000 - n) for n in range(200)]
    few = most_at_work([*lines, line("s/a", seconds=1)], most=10)
    assert [each.worker for each in few] == ["w", *(f"{n:04}" for n in range(191, 200)), "others"]
    assert few[-1] == line("s/t", "others", seconds=sum(range(191)), elements=191, tokens=382, memory=1000)
    assert most_at_work(lines[:10], most=10) == lines[:10]


def test_the_line_of_a_section_sums_its_stages():
    whole = driver_line("corpus", 2.0, [line("corpus/a", elements=2, there=1), line("corpus/b", elements=3)])
    assert (whole.stage, whole.worker, whole.seconds, whole.elements, whole.there) == ("corpus", "driver", 2.0, 5, 1)
    assert whole.memory > 10**6
