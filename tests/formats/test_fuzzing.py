"""Made inputs of every format by the thousand (`fuzzing.py`), and that what is broken is found."""

import functools
import io
import itertools
import random
import re
import time
from collections import Counter

import fuzz_checking
import pytest
from fuzz_above import ABOVE
from fuzz_formats import MAKERS
from fuzz_mutating import input_of
from fuzzing import fuzz, main, shortest

from lexbeam.schemas.common_tables import REASONS
from lexbeam.transforms.formats.readers.registry import READERS, Format, read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Record, Reject

INPUTS = 10_000  # of each format, in a soak


@pytest.mark.parametrize("format", MAKERS)
@pytest.mark.parametrize("inputs", [150, pytest.param(INPUTS, marks=[pytest.mark.slow, pytest.mark.soak])])
def test_made_inputs_end_as_records_or_rejects(format, inputs):
    found = fuzz(format, 1, range(inputs))
    assert found.failures == {}
    assert found.counts["documents"] > 0.2 * inputs
    assert found.counts["rejects"] > 0.2 * inputs
    assert found.counts["known"] > 0.7 * inputs


@pytest.mark.parametrize("name", ABOVE)
@pytest.mark.parametrize("inputs", [150, pytest.param(INPUTS, marks=[pytest.mark.slow, pytest.mark.soak])])
def test_what_is_above_the_readers(name, inputs):
    assert fuzz(name, 1, range(inputs // 10 if name == "ingestion" else inputs)).failures == {}


def test_inputs_meet_most_reasons_and_all_that_is_noted():
    reasons, notes = set(), Counter()
    for format, number in itertools.product(MAKERS, range(150)):
        made = input_of(format, 4, number)
        found = read_file(
            "/there/" + made.name,
            made.name,
            format=made.asked,
            notes=notes,
            options=ReaderOptions(**made.options),
            open=functools.partial(io.BytesIO, made.data),
        )
        reasons.update(entry.reason for _, entry in found if isinstance(entry, Reject))
    of_others = {
        "no_date",
        "bad_date",
        "duplicate",
        "engine_error",
        "changed_while_read",
        "forgotten",
        "script",
        "unsegmented",
    }
    assert reasons == REASONS.keys() - of_others
    assert {
        "encoding utf-8",
        "encoding cp1252",
        "encoding utf-16 by its byte order mark",
        "encoding utf-32 by its byte order mark",
        "control characters dropped",
        "U+034F put into runs of marks",
    } <= notes.keys()


def test_every_reader_has_inputs():
    assert MAKERS.keys() == READERS.keys(), "a reader needs a Maker in tests/formats/fuzz_formats.py"


def test_an_input_depends_on_seed_format_and_number_alone():
    for format in MAKERS:
        random.seed(0)
        assert input_of(format, 3, 4) == input_of(format, 3, 4)
    assert len({input_of("text", seed, number).data for seed in (1, 2) for number in (1, 2)}) == 4


def _lose(entries):
    """Lose one document of those that have a certain word."""
    return (e for e in entries if isinstance(e, Reject) or "Zoë" not in (e.text or ""))


def _swallow(entries):
    """Swallow a reject that follows a document."""
    before = None
    for entry in entries:
        if not (isinstance(entry, Reject) and isinstance(before, Record)):
            yield entry
        before = entry


def _twice(entries):
    for entry in entries:
        yield entry
        if entry.position == "3":
            yield entry


def _changed(**values):
    def change(entries):
        for entry in entries:
            odd = isinstance(entry, Record) and entry.text and "мир" in entry.text
            yield entry._replace(**values) if odd else entry

    return change


def _again(entries):
    for entry in entries:
        yield entry
        if isinstance(entry, Record):
            yield entry._replace(block=2)
            yield entry._replace(block=1)


BREAKS = {
    "a lost document": (_lose, "of 1 records|neither"),
    "a swallowed reject": (_swallow, "records"),
    "a document twice": (_twice, "two entries"),
    "a NUL": (_changed(text="a\x00b"), "no clean text"),
    "half a surrogate pair": (_changed(text="a\ud800"), "no clean text"),
    "no NFC": (_changed(text="cafe\u0301"), "no clean text"),
    "a zero-width space": (_changed(text="a\u200bb"), "once more"),
    "a field that is empty": (_changed(fields={"title": ""}), "field"),
    "a block behind a later one": (_again, "block 1 after 2"),
}


@pytest.mark.slow
@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_reader_is_found(broken, monkeypatch):
    change, cause = BREAKS[broken]
    whole = READERS["jsonl"].read
    monkeypatch.setitem(READERS, "jsonl", Format(lambda source, options: change(whole(source, options)), doc="toys"))
    thousand = (fuzz("jsonl", 1, range(start, start + 50)).failures.values() for start in range(0, 1000, 50))
    assert any(re.search(cause, failure) for failures in thousand for failure in failures)


def test_a_reader_that_reads_differently_once_more_is_found(monkeypatch):
    times = itertools.count()

    def read_again(source, options):
        yield Record("", {}, str(next(times)), None)

    monkeypatch.setitem(READERS, "text", Format(read_again, doc="toys"))
    failures = fuzz("text", 1, range(100)).failures.values()
    assert any("it is read differently" in failure for failure in failures)


def test_a_reader_that_hangs_or_raises_what_is_no_exception_is_found(monkeypatch):
    def read_long(source, options):
        end = time.process_time() + 1
        while time.process_time() < end:
            pass
        yield Record("", {}, "text", None)

    monkeypatch.setattr(fuzz_checking, "SECONDS", 0.05)
    monkeypatch.setitem(READERS, "text", Format(read_long, doc="toys"))
    (failure,) = fuzz("text", 1, [0]).failures.values()
    assert failure == "took more than 0.05 s of processor time"


def test_what_no_table_holds_is_found_and_told_by_its_number(monkeypatch):
    def read_odd(source, options):
        with source.open() as stream:
            odd = b"1790" in stream.read()
        yield Record("", {"title": "odd"} if odd else {}, "text", None)

    def read_half(source, options):
        for entry in read_odd(source, options):
            yield entry._replace(text="\ud800") if entry.fields else entry

    monkeypatch.setattr(fuzz_checking, "_check_record", lambda *_: None)
    monkeypatch.setitem(READERS, "text", Format(read_odd, doc="toys"))
    assert fuzz("text", 1, range(50)).failures == {}
    monkeypatch.setitem(READERS, "text", Format(read_half, doc="toys"))
    found = fuzz("text", 1, range(50)).failures
    assert any("cannot be put into a table" in failure for failure in found.values())
    assert 0 < len(found) < 25


def test_a_failure_is_told_by_its_number_and_made_again_alone(monkeypatch, capsys):
    whole = READERS["csv"].read
    monkeypatch.setitem(READERS, "csv", Format(lambda s, o: _changed(text="a\x00")(whole(s, o)), doc="toys"))
    assert main(["--format", "csv", "--inputs", "500"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    words = first.partition(": ")[0].replace("'", "").split()
    assert last.split()[0] == "all"
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert "no clean text" in shown
    assert "мир".encode() in eval(shown.splitlines()[-1])


def test_the_command_prints_a_row_for_each_format(capsys):
    assert main(["--inputs", "152"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row[:14].strip() for row in rows] == ["", *MAKERS, *ABOVE, "all"]
    inputs = [int(row[14:28]) for row in rows[1:]]
    assert inputs[-1] == sum(inputs[:-1]) >= 152
    assert rows[-1].split()[-1] == "0"


def test_a_failing_input_is_shortened_to_what_fails():
    made = input_of("text", 1, 1)._replace(data=b"abc" * 30 + b"<x>" + b"def" * 9)
    assert shortest(made, lambda cut: b"<x>" in cut.data).data == b"<x>"
