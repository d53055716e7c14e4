"""What a step frees no other step reads: in runs that free, and a graph that frees too early is seen."""

import threading
from collections import defaultdict

import apache_beam as beam
import pytest
from making import Joining, WriteText
from small_runs import SLICES, SMALL, call, copy_of_out

from lexbeam.transforms.common.store import artefacts, ptransforms
from lexbeam.transforms.common.store.artefacts import Workspace, files_of, make_all, name_of
from lexbeam.transforms.common.store.ptransforms import By, Each, stages_before, stages_in

pytestmark = pytest.mark.slow

NULLS = ("--null", "3", "--rank-min-count", "1")
COUNTED = ("--representation", "svd", "--dim", "5", "--min-count", "1", "--min-sentence", "1")
FREEING = {
    "spaces of nulls": (*SMALL, *NULLS, "--seeds", "1", "--keep", "published"),
    "spaces of systems of change": (*SMALL, *NULLS, "--seeds", "1", "--system", "cs2020", "--keep", "published"),
    "shards": (*SMALL, "--shards", "2", "--rounds", "2"),
    "counts": (*COUNTED, *NULLS, "--keep", "published"),
}


class Readers:
    """What tasks read, and what was freed after which, of graphs that run in this process.

    Attributes:
        tasks: by file and step, the names of the artefacts of whose tasks it is part.
        freed: by file, the step whose artefact was made last of it before it was freed.
        before: by step, those whose artefacts reach it.
    """

    def __init__(self, patch):
        self.tasks = defaultdict(lambda: defaultdict(set))
        self.freed = {}
        self.before = {}
        self._last = threading.local()
        patch.setattr(artefacts, "make_all", self._make_all)
        patch.setattr(ptransforms, "make_all", self._make_all)
        patch.setattr(ptransforms, "free_files", self._free_files)
        patch.setattr(ptransforms, "stages_in", self._stages_in)

    def _make_all(self, workspace, step, tasks, **more):
        for task in tasks:
            for file in files_of(task):
                self.tasks[file.path][step.name].add(name_of(step, task))
        receipts = make_all(workspace, step, tasks, **more)
        self._last.step = step.name
        return receipts

    def _free_files(self, of):
        for file in of:
            self.freed[file.path] = self._last.step  # freeing follows making at once

    def _stages_in(self, pipeline):
        self.before.update(stages_before(pipeline))
        return stages_in(pipeline)

    def faults(self):
        """Yield the steps that may still read what another one frees, and those that free what several tasks read."""
        for path, step in self.freed.items():
            readers = self.tasks[path]
            assert step in readers, f"{step} frees {path}, which is none of what it reads"
            yield from (f"{other} reads what {step} frees" for other in readers.keys() - {step} - self.before[step])
            if len(readers[step]) > 1:
                yield f"{step} frees for one task what another reads"


@pytest.mark.parametrize("options", FREEING.values(), ids=FREEING)
def test_no_step_reads_what_another_one_frees(options, made_once, tmp_path, monkeypatch):
    out = copy_of_out(made_once, tmp_path)
    readers = Readers(monkeypatch)
    assert call("change", "--out", out, *SLICES, *options, "--overwrite", "--fresh") == 0
    assert readers.freed
    assert not sorted(set(readers.faults()))


def _noted(name):
    yield name, Joining(name)


def _read(element):
    name, note = element
    yield name, Joining(f"of {name}", unread=(note,))


def _joined(key, first, notes):
    yield key, Joining(f"all of {key}", unread=(*first, *notes))


def _files(task):
    return [text.file for text in task.unread]


@pytest.mark.parametrize(
    ("frees", "faults"),
    [({"after"}, []), ({"first"}, ["toy/after reads what toy/first frees", "toy/other reads what toy/first frees"])],
)
def test_a_graph_that_frees_too_early_is_seen(frees, faults, tmp_path, monkeypatch):
    readers, workspace = Readers(monkeypatch), Workspace(str(tmp_path))

    def of(level):
        return {"workspace": workspace, "step": WriteText(level), "frees": _files if level in frees else None}

    with beam.Pipeline("FnApiRunner") as pipeline:
        notes = pipeline | beam.Create(["a", "b"]) | "Notes" >> Each(workspace, WriteText("note"), _noted)
        first = notes | "First" >> Each(**of("first"), tasks=_read)
        if "first" in frees:
            _ = notes | "Other" >> Each(**of("other"), tasks=_read)
        _ = {"first": first, "notes": notes} | "After" >> By(**of("after"), tasks=_joined)
        ptransforms.stages_in(pipeline)
    assert sorted(set(readers.faults())) == faults
