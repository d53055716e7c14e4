from dataclasses import replace
from pathlib import Path

import pytest
from staged_inputs import staged_inputs

from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.formats.ingest import ingestion as ingest
from lexbeam.transforms.formats.ingest import staged_records
from lexbeam.transforms.formats.ingest.date_rules import load_metadata, parse_date_rule
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit, acceptable
from lexbeam.transforms.formats.records.base import ReaderOptions


def file_of(path, collection="in", name=None):
    return InputFile(name or path.name, str(path), path.stat().st_size, collection)


def unit_of(*files):
    return Unit(files, sum(file.size for file in files))


def unit(folder, **contents):
    files = []
    for name, content in sorted(contents.items()):
        path = folder / f"{name}.txt"
        path.write_bytes(content)
        files.append(file_of(path))
    return unit_of(*files)


def taken_in(folder, unit, options=None):
    return make(Workspace(str(folder / "w")), Ingest(options or IngestOptions()), unit)


def rows_of(receipt):
    with BatchReader() as reader:
        return [row for stage in receipt.stages for row in reader.read(stage.records, 0).to_pylist()]


def keys_of(receipt):
    """Key, source, ordinal and place of the records that could have duplicates, by staging file."""
    with BatchReader() as reader:
        return [
            list(zip(*reader.read(receipt.keys, number).to_pydict().values(), strict=True))
            for number in range(len(receipt.stages))
        ]


def counts_of(receipt):
    return [(row.records, row.documents, row.rejects) for row in staged_inputs(receipt)]


def test_each_record_is_a_row_or_a_reject(tmp_path):
    made = unit(tmp_path, a=b"One.", b=b"\xff\xff", c=b"  ", d=b"Two.")
    receipt = taken_in(tmp_path, made, IngestOptions(format="text"))
    assert [row["text"] for row in rows_of(receipt)] == ["One.", "Two."]
    assert receipt.reasons == {"undecodable": 1, "empty": 1}
    assert counts_of(receipt) == [(1, 1, 0), (1, 0, 1), (1, 0, 1), (1, 1, 0)]
    assert [row.name for row in staged_inputs(receipt)] == ["a.txt", "b.txt", "c.txt", "d.txt"]
    assert [row.bytes for row in staged_inputs(receipt)] == [4, 2, 2, 4]
    with StagedFile(receipt.rejects) as opened:
        rejects = [row for table in opened.tables() for row in table.to_pylist()]
    assert sorted(row["source"] for row in rejects) == ["b.txt", "c.txt"]
    assert [row.source for row in receipt.examples] == ["b.txt", "c.txt"]


def test_dates_are_found_or_the_record_is_a_reject(tmp_path):
    rule = parse_date_rule("name:(\\d+)")
    made = unit(tmp_path, t1850=b"One.", none=b"Two.")
    options = IngestOptions(format="text", dates=rule, language="en", genre="novel")
    receipt = taken_in(tmp_path, made, options)
    (row,) = rows_of(receipt)
    assert (row["year"], row["year_to"], row["language"], row["genre"]) == (1850, 1850, "en", "novel")
    assert receipt.reasons == {"no_date": 1}


def test_packing_does_not_change_keys(tmp_path):
    made = unit(tmp_path, a=b"One.", b=b"Two.")
    whole = taken_in(tmp_path, made)
    single = [taken_in(tmp_path, unit_of(file)) for file in made.files]
    keys = [key[:3] for found in keys_of(whole) for key in found]
    assert keys == [key[:3] for r in single for found in keys_of(r) for key in found]


def test_staging_files_are_cut_and_no_record_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_records, "STAGE_CHARACTERS", 10)
    made = unit(tmp_path, **{f"t{n}": f"Text number {n}.".encode() for n in range(5)})
    receipt = taken_in(tmp_path, made)
    assert len(receipt.stages) == 5
    assert [row["source"] for row in rows_of(receipt)] == [f"t{n}.txt" for n in range(5)]


def test_a_record_more_is_in_one_staging_file_and_the_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_records, "STAGE_CHARACTERS", 4000)
    monkeypatch.setattr(staged_records, "STAGE_MOST", 16000)
    texts = {f"t{n:02}": f"Text number {n}. ".encode() * 20 for n in range(60)}

    def staged(folder, **more):
        receipt = taken_in(folder, unit(folder, **texts, **more))
        assert max(stage.characters for stage in receipt.stages) <= 16000
        return {stage.records.sha256 for stage in receipt.stages}

    before = staged(tmp_path)
    assert len(before) > 3
    for place in (0, 17, 30, 44, 59):
        after = staged(tmp_path, **{f"t{place:02}a": f"A new text, at {place}. ".encode() * 15})
        (tmp_path / f"t{place:02}a.txt").unlink()
        assert 1 <= len(after - before) <= 2, "two where it ends a file itself"
        assert len(before - after) <= 1


def test_annotated_input_is_staged_beside_its_record(tmp_path):
    made = unit(tmp_path, a=b"arma vir cano\nTroia qui primus\n")
    options = IngestOptions(format="lines", reader=ReaderOptions(lines_hold="lemmas"))
    receipt = taken_in(tmp_path, made, options)
    (stage,) = receipt.stages
    assert keys_of(receipt) == [[]]  # never a duplicate
    with BatchReader() as reader:
        assert reader.read(stage.ready, 0)["lemmas"].to_pylist() == [
            ["arma", "vir", "cano"],
            ["Troia", "qui", "primus"],
        ]


def test_a_file_that_cannot_be_opened_is_a_reject(tmp_path):
    file = InputFile("gone.txt", str(tmp_path / "gone.txt"), 5, "in")
    receipt = taken_in(tmp_path, unit_of(file))
    assert receipt.reasons == {"unreadable": 1}
    assert counts_of(receipt) == [(1, 0, 1)]
    # Once it is there, it is taken in.
    Path(file.path).write_bytes(b"Text.")
    assert counts_of(taken_in(tmp_path, unit_of(file))) == [(1, 1, 0)]


def test_what_share_of_rejects_is_acceptable():
    assert acceptable(100, 5, 0.05)
    assert not acceptable(100, 6, 0.05)
    assert not acceptable(0, 0, 1.0)


def test_staging_files_are_cut_by_all_that_records_hold(tmp_path):
    line = b'{"text": "a%d", "title": "' + b"t" * 900 + b'"}\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(line % number for number in range(1000)))
    receipt = taken_in(tmp_path, unit_of(file_of(path)))
    assert len(rows_of(receipt)) == 1000
    assert len(receipt.stages) > 3


def identity_of(*files, options=None):
    return Ingest(options or IngestOptions()).identity(unit_of(*files))


def test_layers_that_are_asked_for_name_what_is_taken_in(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    file = file_of(tmp_path / "a.txt")
    plain = identity_of(file)
    asked = IngestOptions(reader=ReaderOptions(layers=("xpos",)))
    assert identity_of(file, options=asked) != plain
    chosen = Ingest(asked).chosen(unit_of(file))
    assert chosen["lexbeam.transforms.formats.records.layers:LAYERS"] == ("xpos",)


def test_a_unit_is_its_files_content_and_names_wherever_they_lie(tmp_path):
    for folder, text in (("a", "One."), ("b", "One."), ("c", "Two.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(text)
    first, same, other = (file_of(tmp_path / folder / "x.txt") for folder in "abc")
    assert identity_of(first) == identity_of(same)
    assert identity_of(first) != identity_of(other)
    assert identity_of(first) != identity_of(first._replace(name="y.txt"))
    assert identity_of(first) != identity_of(first._replace(collection="else"))


def table_at(folder, text="file;year;note\nx;1850;a\n"):
    folder.mkdir()
    path = folder / "table.csv"
    path.write_text(text)
    rule = parse_date_rule(f"table:{path}:key=file,date=year")
    return IngestOptions(dates=rule, metadata=load_metadata(rule))


def test_a_metadata_table_counts_by_its_content_and_not_by_its_path(tmp_path):
    (tmp_path / "x.txt").write_text("One.")
    file = file_of(tmp_path / "x.txt")
    here, there = table_at(tmp_path / "here"), table_at(tmp_path / "there")
    assert here.dates.path != there.dates.path
    assert identity_of(file, options=here) == identity_of(file, options=there)
    first = taken_in(tmp_path, unit_of(file), here)
    assert rows_of(first)[0]["year"] == 1850
    assert taken_in(tmp_path, unit_of(file), there) == first
    other = table_at(tmp_path / "other", "file;year\nx;1860\n")
    assert rows_of(taken_in(tmp_path, unit_of(file), other))[0]["year"] == 1860


@pytest.mark.parametrize(
    "changed",
    [
        {"format": "lines"},
        {"language": "la"},
        {"genre": "novel"},
        {"reader": ReaderOptions(encoding=("latin-1",))},
        {"dates": parse_date_rule("1850")},
        {"date_range": "last"},
    ],
)
def test_every_option_of_reading_counts(tmp_path, changed):
    (tmp_path / "x.txt").write_text("One.")
    file = file_of(tmp_path / "x.txt")
    plain = IngestOptions(format="text", dates=parse_date_rule("1850..1860"))
    assert identity_of(file, options=replace(plain, **changed)) != identity_of(file, options=plain)


def test_a_unit_that_was_taken_in_is_taken_up(tmp_path, monkeypatch):
    made = unit(tmp_path, a=b"One.", b=b"")
    first = taken_in(tmp_path, made)

    def fail(*args, **kwargs):
        raise AssertionError("read again")

    monkeypatch.setattr(ingest, "read_file", fail)
    assert taken_in(tmp_path, unit_of(*made.files)) == first


def test_options_of_readers_name_the_artefact():
    unit = Unit((), 0)
    given = IngestOptions(reader=ReaderOptions(records="speeches[]"))
    assert Ingest(given).identity(unit) != Ingest(IngestOptions()).identity(unit)
