"""A format is one function and one line in the registry: a toy one is added here from outside."""

import io
import json

import pyarrow.parquet as pq
import pytest
from staged_inputs import staged_inputs

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit
from lexbeam.transforms.formats.readers import registry
from lexbeam.transforms.formats.records.base import Record, Reject


def read_blocks(source, options):
    """Records between lines of `==`; one without a letter is a reject. It counts what it strips."""
    with source.open() as stream:
        text = stream.read().decode(options.encoding[0])
    for number, block in enumerate(text.split("==\n"), 1):
        body = block.strip()
        source.notes["line ends stripped"] += block.count("\n") - body.count("\n")
        if any(char.isalpha() for char in body):
            yield Record(str(number), {"title": f"block {number}"}, body, None)
        else:
            yield Reject(str(number), "empty", "no letter in the block")


TOY = b"One.\n==\n...\n==\nThree.\n"


def test_a_new_format_goes_all_the_way(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.READERS, "blocks", registry.Format(read_blocks, doc="blocks"))
    path = tmp_path / "toy.txt"
    path.write_bytes(TOY)
    unit = Unit((InputFile("toy.txt", str(path), len(TOY), "in"),), len(TOY))
    options = IngestOptions(format="blocks")
    receipt = make(Workspace(str(tmp_path / "work")), Ingest(options), unit)
    (row,) = staged_inputs(receipt)
    assert (row.records, row.documents, row.rejects) == (3, 2, 1)
    assert receipt.reasons == {"empty": 1}
    assert row.notes == {"line ends stripped": 3}


@pytest.mark.slow
def test_a_new_format_is_a_choice_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(registry.READERS, "blocks", registry.Format(read_blocks, doc="blocks"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "toy.txt").write_bytes(TOY)
    (tmp_path / "in" / "even.txt").write_bytes(b"Four.")
    words = ["corpus", str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    words += ["--format", "blocks", "--engine", "builtin:en", "--max-reject-share", "0.5"]
    assert main(words) == 0
    documents = pq.read_table(tmp_path / "out" / "documents")
    assert sorted(documents["title"].to_pylist()) == ["block 1", "block 1", "block 3"]
    section = json.loads((tmp_path / "out" / "manifest.json").read_text())["corpus"]
    assert section["notes"] == {"line ends stripped": 3}
    listed = pq.read_table(tmp_path / "out" / "corpus" / "inputs").to_pylist()
    notes = [{"note": "line ends stripped", "number": 3}]
    assert {row["name"]: row["notes"] for row in listed} == {"even.txt": None, "toy.txt": notes}
    assert "while reading: line ends stripped 3\n" in capsys.readouterr().out
    assert main([*words, "--dry-run"]) == 0
    assert "while reading: line ends stripped 3\n" in capsys.readouterr().out
    monkeypatch.undo()
    assert main([*words, "--overwrite"]) == 2


def test_an_error_within_a_new_reader_is_one_reject(monkeypatch):
    def fail(source, options):
        yield Record("1", {}, "One.", None)
        raise RuntimeError("a bug")

    monkeypatch.setitem(registry.READERS, "blocks", registry.Format(fail, doc="blocks"))
    found = [
        entry for _, entry in registry.read_file("toy.txt", "toy.txt", format="blocks", open=lambda: io.BytesIO(TOY))
    ]
    assert [type(entry).__name__ for entry in found] == ["Record", "Reject"]
    assert found[1].detail.startswith("RuntimeError in ")
    assert found[1].detail.endswith(".fail")  # where it rose, and not what it says, which may quote a text
