"""What a stream lands is what the next run publishes: byte for byte, and nothing is annotated again.

The stream runs here over what is there when it starts, and ends. `runners/test_stream_flink.py` has real ones.
"""

import json
import random
import time

import apache_beam as beam
import pytest
from small_runs import call, published
from streaming import annotated, drop, landed_files, make_world, receipts, streams_end, text_of

from lexbeam.pipelines.commands.folder import stream as stream_command
from lexbeam.transforms.annotation import annotate as annotating
from lexbeam.transforms.common.publish.removing import streaming
from lexbeam.transforms.common.publish.run_log import read_run_log
from lexbeam.transforms.stream import ptransforms


@pytest.fixture
def ending(monkeypatch):
    """Streams that end once they have landed what is there, and the texts that are annotated."""
    with streams_end():
        yield annotated(monkeypatch)


def _staged(out):
    """The staged sentences of all windows."""
    return [file.path for _, receipt in receipts(out) for file in receipt.sentences]


def stream(config, *words):
    return call("stream", config, "--window", "1s", "--window-size", "4", "--every", "1s", *words)


def test_the_next_refresh_takes_up_what_has_landed(tmp_path, ending, capsys):
    config = make_world(tmp_path, "texts", dates="name:^(\\d+)_")
    texts, out = tmp_path / "texts", tmp_path / "out"
    assert stream(config) == 0, "nothing is there yet"
    for number in range(9):
        drop(texts, f"19{number:02}_a.txt", text_of(random.Random(number % 7), 2).encode())
    drop(texts, "1910_b.txt", b"\xff\xfe\xfd")
    assert stream(config) == 0
    assert len(set(ending)) == 7, "what lies in one window is annotated before it lands"
    assert sum(receipt.counts["files"] for _, receipt in receipts(out)) == len(landed_files(out)) == 10
    assert "; 10 files, 9 documents, 1 reject since the start\n3 windows landed, 10 files" in capsys.readouterr().out
    ending.clear()
    drop(texts, "1911_c.txt", b"One more. It came late.")
    assert stream(config) == 0
    assert ending == ["One more. It came late."]
    ending.clear()

    def log(out, what):
        return sum(getattr(line, what) for line in read_run_log(str(out)) if line.stage == "corpus/annotate")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotating, "load_engine", None)  # nothing needs it
        assert call("refresh", config) == 0
    assert ending == []
    assert log(out, "landed") == log(out, "documents") == 10
    assert call("run", config, "--out", tmp_path / "batch") == 0
    assert len(set(ending)) == 8
    assert (log(tmp_path / "batch", "landed"), log(tmp_path / "batch", "documents")) == (0, 10)
    assert published(out) == published(tmp_path / "batch")


class _NeverLooks(beam.PTransform):
    """In the place of polling: a step that a runner has lost."""

    def __init__(self, *_):
        super().__init__()

    def expand(self, patterns):
        return patterns | beam.Map(lambda _: time.sleep(3)) | beam.Filter(lambda _: False)


def test_a_stream_that_no_longer_looks_ends_and_says_so(tmp_path, ending, monkeypatch, capsys):
    config = make_world(tmp_path, "texts")
    monkeypatch.setattr(ptransforms, "PollFiles", _NeverLooks)
    monkeypatch.setattr(stream_command, "patience", lambda every: every)
    assert stream(config) == 1
    told = capsys.readouterr().err
    assert "the stream has not looked at its inputs for" in told
    assert "give the command again" in told


def test_while_a_stream_lands_nothing_of_it_is_removed(tmp_path, ending, capsys):
    config = make_world(tmp_path, "texts")
    drop(tmp_path / "texts", "a.txt", b"A dog.")
    assert stream(config) == 0
    with streaming(str(tmp_path / "out")):
        assert stream(config) == 1
        assert "another stream lands in" in capsys.readouterr().err
        for words in (("clean", tmp_path / "out"), ("run", config, "--fresh")):
            assert call(*words) == 1
            assert "a stream lands in" in capsys.readouterr().err
        assert call("run", config, "--keep", "published") == 0, "runs go on beside it"
        assert landed_files(tmp_path / "out"), "and free nothing meanwhile"
        assert all((tmp_path / "out" / "_artefacts" / name).exists() for name in _staged(tmp_path / "out"))
        assert call("forget", tmp_path / "out", "a.txt") == 1
        assert "a stream lands in" in capsys.readouterr().err
        assert call("status", tmp_path / "out", "--json") == 0
        assert json.loads(capsys.readouterr().out)["streaming"]
        assert call("status", tmp_path / "out") == 0
        assert "at work: nobody\nat work: a stream" in capsys.readouterr().out
    assert call("status", tmp_path / "out") == 0
    assert "at work: a stream" not in capsys.readouterr().out
    assert call("clean", tmp_path / "out") == 0
