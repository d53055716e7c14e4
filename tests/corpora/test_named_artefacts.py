"""Names are found in artefacts of whatever stage, and what cannot be looked into is told."""

import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from lexbeam.transforms.common.publish.forgotten import document_mark, id_mark, source_mark
from lexbeam.transforms.common.publish.removing import free
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.corpora.forgotten_documents import ids_in_artefacts, marks_in_artefacts
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile
from lexbeam.transforms.formats.ingest.input_listing import unit_of
from lexbeam.transforms.simplification.instances.instances_read import ReadInstances

QUOTED = 'b "ü".jsonl'
TEXTS = {"a.txt": "A ship sails.", "c.zip!1.txt": "A ship sails.", "c.zip!2.txt": "The sea is old."}


@pytest.fixture
def space(tmp_path):
    """Texts taken in, one of them twice, and a file whose only line is broken; and a file of a task."""
    inputs = tmp_path / "in"
    inputs.mkdir()
    (inputs / "a.txt").write_text(TEXTS["a.txt"])
    (inputs / QUOTED).write_text(json.dumps({"text": "A broken line."}) + "}\n")
    with zipfile.ZipFile(inputs / "c.zip", "w") as archive:
        for name in ("1.txt", "2.txt"):
            archive.writestr(name, TEXTS[f"c.zip!{name}"])
    space = Workspace(str(tmp_path / "work"))
    ingested = make(space, Ingest(IngestOptions()), unit(inputs))
    assert (ingested.counts["documents"], ingested.counts["rejects"]) == (3, 1)
    (tmp_path / "marked").mkdir()
    (tmp_path / "marked" / "d.txt").write_text("A [[ship]] sails.")
    make(space, ReadInstances(layout="text", language="en"), unit(tmp_path / "marked"))
    return space


def unit(folder):
    return unit_of([InputFile(path.name, str(path), 9, "in") for path in sorted(folder.iterdir())])


def marks(space, *names):
    found = marks_in_artefacts(space.root, names)
    assert found.unread == []
    return found.marks


def records(space):
    """The ids of the records, by their sources."""
    (keys,) = Path(space.stage(Ingest.name)).glob("*-keys.arrow")
    rows = pa.ipc.open_file(keys.read_bytes()).read_all()
    return dict(zip(rows["source"].to_pylist(), rows["key"].to_pylist(), strict=True))


def test_ids_and_sources_are_found_with_their_texts(space):
    ids = records(space)
    said = {source: {document_mark(text, source, ""), id_mark(ids[source])} for source, text in TEXTS.items()}
    assert ids["a.txt"] == ids["c.zip!1.txt"]
    assert marks(space, "a.txt") == {source_mark("a.txt"), *said["a.txt"]}
    assert marks(space, ids["a.txt"]) == said["a.txt"]
    assert marks(space, "c.zip!2.txt") == {source_mark("c.zip!2.txt"), *said["c.zip!2.txt"]}
    assert marks(space, "c.zip") == {source_mark("c.zip"), *said["c.zip!1.txt"], *said["c.zip!2.txt"]}
    assert marks(space, QUOTED) == {source_mark(QUOTED)}
    assert marks(space, "d.txt") == {source_mark("d.txt")}
    assert marks(space, "b.jsonl", "1.txt", "A ship sails.", "documents", "malformed", "") == set()
    assert marks(space) == set()


def test_of_what_was_freed_keys_and_receipts_say_the_sources(space):
    ids = records(space)
    free(space.root, set())
    for source in ("a.txt", "c.zip!2.txt", "c.zip", QUOTED):
        assert marks(space, source) == {source_mark(source)}
    assert marks(space, ids["a.txt"]) == set()
    assert ids_in_artefacts(space.root, [*ids.values(), "a.txt", "0" * 32]) == set(ids.values())


def test_what_is_damaged_or_was_cut_off_is_told(space):
    folder = Path(space.stage(Ingest.name))
    (keys,) = folder.glob("*-keys.arrow")
    (rejects,) = folder.glob("*-rejects.arrow")
    keys.write_bytes(keys.read_bytes()[:-1] + b"x")
    content = bytearray(rejects.read_bytes())
    content[len(content) // 3] ^= 1
    rejects.write_bytes(content)
    (receipt,) = Path(space.stage(ReadInstances.name)).glob("*.json")
    receipt.write_text("{}")
    cut_off = folder / ("0" * 32 + "-documents.arrow")
    cut_off.write_text("half")
    found = marks_in_artefacts(space.root, ["a.txt", "d.txt"])
    assert source_mark("a.txt") in found.marks
    assert source_mark("d.txt") not in found.marks
    assert set(found.unread) == {str(path) for path in (keys, rejects, receipt, cut_off)}
