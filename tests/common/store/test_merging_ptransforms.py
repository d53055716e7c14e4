"""Staged files merged into the parts of tables, in a graph."""

import json
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pytest

from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.annotation.annotated_tables import MergeDocuments, MergeSentences
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.store import staged
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.merging_ptransforms import MergeTables
from lexbeam.transforms.common.store.ptransforms import WriteResult
from lexbeam.transforms.common.store.receipts import decode
from lexbeam.transforms.common.store.staged import StagedWriter
from lexbeam.transforms.common.store.tables import Part

GATHER = staged.Gather("toy")


def stage_documents(path, names):
    artefact = Artefact(str(path))
    schema = DOCUMENTS.schema()
    with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
        for name in names:
            row = {**dict.fromkeys(schema.names), "document_id": name, "source": "s", "position": ""}
            writer.add(hash_of(name), name, 0, pa.RecordBatch.from_pylist([row], schema=schema))
    return writer.file(artefact.file(".arrow"))


def test_a_further_file_merges_those_parts_alone_that_it_has_entries_of(tmp_path, monkeypatch):
    monkeypatch.setattr(staged, "MOST_OPEN", 2)  # two levels of gathered files
    space, names = Workspace(str(tmp_path / "work")), [digest([number]) for number in range(40)]
    found = [("documents", stage_documents(tmp_path / str(n), names[n::9])) for n in range(9)]

    def merged(files):
        with beam.Pipeline(runner="FnApiRunner") as pipeline:
            pipeline | beam.Create(files) | MergeTables(space, {"documents": MergeDocuments()}, GATHER, 8)
        stages = GATHER.name, MergeDocuments.name
        return [{path.name for path in Path(space.stage(stage)).glob("*.json")} for stage in stages]

    gathered, parts = merged(found)
    assert len(parts) == 8
    more, after = merged([*found, ("documents", stage_documents(tmp_path / "more", [digest(["more"])]))])
    assert len(more - gathered) >= 1
    assert len(after - parts) == 1


def test_parts_without_rows_are_one_artefact(tmp_path):
    space = Workspace(str(tmp_path / "work"))
    found = [("documents", stage_documents(tmp_path / "found", [digest([number]) for number in range(3)]))]
    stages = {"documents": MergeDocuments(), "sentences": MergeSentences()}
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        made = pipeline | beam.Create(found) | MergeTables(space, stages, GATHER, 8)
        made | "Result" >> WriteResult(str(tmp_path / "parts.json"))
    parts = decode((tmp_path / "parts.json").read_bytes(), list[Part])
    assert sorted((part.table, part.number) for part in parts) == [(name, n) for name in stages for n in range(8)]
    documents = [part for part in parts if part.table == "documents"]
    filled = sum(part.rows > 0 for part in documents)
    assert 1 <= filled <= 3
    assert len({part.path for part in documents}) == filled + 1
    assert len({part.path for part in parts if part.table == "sentences"}) == 1
    for stage, number in ((MergeDocuments, filled + 1), (MergeSentences, 1)):
        assert len([*Path(space.stage(stage.name)).glob("*.json")]) == number
        assert Path(space.root, "plan", *stage.name.split("/")).read_text() == str(number)


# Of few files the suite has one case for either kind of number of parts.
SOME = [(0, 3), (2, 2), (9, 3)]
OTHERS = [pytest.param(*case, marks=pytest.mark.soak) for case in ((0, 2), (1, 2), (1, 3), (2, 3), (9, 2))]


@pytest.mark.parametrize(("files", "parts"), [*SOME, *OTHERS])
def test_tables_are_merged_in_levels_into_the_same_parts(tmp_path, monkeypatch, files, parts):
    names = [digest([number]) for number in range(files * 5)]
    found = [("documents", stage_documents(tmp_path / str(n), names[n::files])) for n in range(files)]

    def merged(name):
        space = Workspace(str(tmp_path / name))
        stages = {"documents": MergeDocuments(), "sentences": MergeSentences()}
        with beam.Pipeline(runner="FnApiRunner") as pipeline:
            made = (
                pipeline
                | beam.Create(found)
                | MergeTables(space, stages, GATHER, pipeline | "Parts" >> beam.Create([parts]))
            )
            made | "Result" >> WriteResult(str(tmp_path / f"{name}.json"))
        rows = json.loads((tmp_path / f"{name}.json").read_text())
        return sorted((row[0], row[1], row[3], row[5]) for row in rows), Path(space.stage(GATHER.name)).is_dir()

    rows, gathered = merged("flat")
    assert gathered == (parts == 3 and files > 0)
    assert [row[:2] for row in rows] == [(table, n) for table in ("documents", "sentences") for n in range(parts)]
    assert sum(row[2] for row in rows) == len(names)
    monkeypatch.setattr(staged, "MOST_OPEN", 2)
    again, gathered = merged("levels")
    assert (again, gathered) == (rows, files > 2 or (parts == 3 and files > 0))
