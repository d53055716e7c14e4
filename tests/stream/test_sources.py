"""Sources are named with their addresses, and what they land must be read by the next run."""

import importlib

import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.stream.landing_windows import WindowRule
from lexbeam.transforms.stream.lines import Feed
from lexbeam.transforms.stream.stream_sources import SOURCES, check_landing, chosen_source


def test_every_source_that_feeds_has_its_transform():
    for name, entry in SOURCES.items():
        if entry.feeds:
            module, _, cls = entry.feeds.partition(":")
            assert hasattr(importlib.import_module(module), cls), name
            assert entry.address, name


def test_what_was_never_run_says_so_in_the_help():
    assert [name for name, entry in SOURCES.items() if "never run" in entry.explained] == ["kafka", "pubsub"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file", "no source is called"),
        ("files:x", "give files alone"),
        ("lines", "give lines:HOST:PORT or PATH"),
        ("lines:nowhere", "named pipe"),
        ("kafka:server", "lacks a part"),
    ],
)
def test_wrong_ones_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        chosen_source(text)


def test_a_project_that_google_cannot_have_is_refused():
    SOURCES["pubsub"].check("my-project-1/letters")
    with pytest.raises(UsageError, match=r"'a' is no project of Google Cloud: give its id, .*pubsub:my-project-1"):
        SOURCES["pubsub"].check("a/b")


def test_where_beams_expansion_service_does_not_run_kafka_says_what_it_takes(tmp_path, monkeypatch):
    def unavailable(*_, **__):
        raise RuntimeError("Unable to fetch remote job server jar")

    monkeypatch.setattr("apache_beam.io.kafka.ReadFromKafka", unavailable)
    read = chosen_source("kafka:localhost:9092/letters").feed(str(tmp_path), WindowRule(1, 1), 99)
    with pytest.raises(LexbeamError, match=r"(?s)takes Java, and a jar.*stream.md, https.*: Unable to fetch"):
        read.expand(None)


def test_a_source_feeds_its_folder(tmp_path):
    feed = chosen_source("lines:localhost:9000").feed(str(tmp_path), WindowRule(1, 1), 99)
    assert feed.feed == Feed("localhost:9000", str(tmp_path), WindowRule(1, 1), 99)


def test_the_landing_folder_is_an_input_or_lies_in_one(tmp_path):
    lines, inputs = chosen_source("lines:localhost:9000"), [str(tmp_path / "texts")]
    check_landing(lines, str(tmp_path / "texts"), inputs, "auto")
    check_landing(lines, str(tmp_path / "texts" / "a" / "b"), inputs, "jsonl")
    for folder in ("other", "texts2", "texts/.hidden", "texts/a/.b", "."):
        with pytest.raises(UsageError, match="in none of the `inputs`"):
            check_landing(lines, str(tmp_path / folder), inputs, "auto")
    with pytest.raises(UsageError, match="must be given"):
        check_landing(lines, None, inputs, "auto")
    with pytest.raises(UsageError, match="`format` tei"):
        check_landing(lines, inputs[0], inputs, "tei")
    with pytest.raises(UsageError, match="leave it out"):
        check_landing(chosen_source("files"), inputs[0], inputs, "auto")
    check_landing(chosen_source("files"), None, inputs, "tei")
