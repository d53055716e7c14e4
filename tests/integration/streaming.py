"""Streams and watches in tests: documents that come, the command in a process of its own, and what has landed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import apache_beam as beam
import pytest
import yaml
from marked import MARK
from small_runs import call, published

from lexbeam.pipelines.runners import configs
from lexbeam.transforms.annotation import annotate as annotating
from lexbeam.transforms.annotation.landed_texts import Landed
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.receipts import read_receipt
from lexbeam.transforms.formats.ingest.input_listing import find_files
from lexbeam.transforms.stream import ptransforms

WORDS = "ship sea captain sail wind harbour gold letter news king war storm crew deck island".split()  # noqa: SIM905
SECONDS = 1800  # however busy the machine is
ROOT = Path(__file__).resolve().parents[2]


def text_of(random_, sentences=12):
    """A document of some sentences of few words."""
    return "\n\n".join(
        " ".join(random_.choices(WORDS, k=random_.randint(5, 20))).capitalize() + "." for _ in range(sentences)
    )


def make_world(folder, *inputs, out="out", **corpus):
    """Write a configuration of a corpus in some folders below one, or in a bucket; return its path."""
    for name in filter(files.is_local, inputs):
        (folder / name).mkdir(parents=True, exist_ok=True)
    config = {
        "out": out,
        "parts": 2,
        "max-reject-share": 0.5,
        "corpus": {"inputs": list(inputs), "engine": "builtin:en", "language": "en", **corpus},
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def drop(folder, name, content):
    """Write a file as people do: in its place, in two steps."""
    with open(folder / name, "wb") as stream:
        stream.write(content[: len(content) // 2])
        stream.flush()
        stream.write(content[len(content) // 2 :])


def arrive(config, name, random_):
    """Let a file come whole: it is written beside the folder of a world, and renamed."""
    hidden = config.parent / f"{name}.part"
    hidden.write_text(text_of(random_, 3))
    hidden.rename(config.parent / "texts" / name)


def names_there(config):
    """The names of the texts of a world."""
    return {path.name for path in (config.parent / "texts").iterdir()}


def refreshed(config):
    """Refresh a world, in a process of its own."""
    assert Started("refresh", config).process.wait() == 0


def check_published(config):
    """Check that what is published is what a run of all files publishes, each of them one document."""
    out, batch = config.parent / "out", config.parent / f"batch-{time.monotonic_ns()}"
    assert call("run", config, "--out", batch) == 0
    assert published(out) == published(batch)
    assert open_snapshot(str(out)).section("corpus")["documents"] == len(names_there(config))


class _ListOnce(beam.PTransform):
    """In the place of polling: all files, once."""

    def __init__(self, *_):
        super().__init__()

    def expand(self, patterns):
        return patterns | beam.FlatMap(find_files, perhaps=True)


@contextmanager
def streams_end():
    """Let streams of files run in this process, and end once they have landed what is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ptransforms, "PollFiles", _ListOnce)
        patch.setattr(configs, "load_stream_config", lambda _, extra: configs.load_runner_config("direct", extra))
        yield


def annotated(monkeypatch):
    """A list to which each text is added that this process annotates from now on."""
    texts, real = [], annotating.annotate_text
    monkeypatch.setattr(annotating, "annotate_text", lambda text, *a, **k: texts.append(text) or real(text, *a, **k))
    return texts


class Started:
    """A command with a configuration in a process of its own, whose output goes to a file."""

    def __init__(self, command, config, *words, before=""):
        self.log = config.parent / f"{command}-{len(list(config.parent.glob(f'{command}-*')))}.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    f"{before}\nfrom lexbeam.pipelines.cli import entry\nentry()",
                    command,
                    config,
                    *words,
                ],
                env={**os.environ, "PYTHONPATH": str(ROOT), MARK: str(config.parent)},
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM,)],
            )

    def until(self, condition, what):
        """Wait until a condition holds; the command must not end meanwhile."""
        end = time.monotonic() + SECONDS
        while not condition():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, f"in vain: {what}"
            time.sleep(0.5)

    def end(self, number=signal.SIGTERM):
        """End the command by a signal; return its exit status."""
        self.process.send_signal(number)
        return self.process.wait(120)


def receipts(out):
    """The receipts of windows, each with the time at which it landed."""
    root, found = files.join(str(out), "_artefacts"), []
    folder = files.join(root, "corpus", "land")
    for name in files.list_folder(folder).files:
        if name.endswith(".json"):
            path = files.join(folder, name)
            found.append((files.modified(path), read_receipt(path, root, Landed)))
    return found


def landed_files(out):
    """When each file landed, by its key, once for each time that it did."""
    times = {}
    with BatchReader() as reader:
        for at, receipt in receipts(out):
            for key in reader.read(receipt.files, 0)["file"].to_pylist():
                times.setdefault(key, []).append(at)
    return times
