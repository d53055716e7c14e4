import pyarrow as pa

from transforms.common.artefacts import Workspace
from transforms.common.batches import BatchReader
from transforms.formats import staging
from transforms.formats.base import ReaderOptions
from transforms.formats.dates import parse_date_rule
from transforms.formats.ingest import IngestOptions, InputFile, Unit, acceptable, ingest_unit


def unit(folder, **contents):
    files = []
    for name, content in sorted(contents.items()):
        path = folder / f"{name}.txt"
        path.write_bytes(content)
        files.append(InputFile(path.name, str(path), len(content), "in"))
    return Unit(tuple(files), sum(file.size for file in files))


def rows_of(receipt):
    with BatchReader() as reader:
        return [
            reader.read(path, place).to_pylist()[0]
            for path, *_ in receipt["files"]
            for place in range(reader.count(path))
        ]


def keys_of(receipt):
    """Key, source, ordinal and place of the records that could have duplicates, by staging file."""
    with BatchReader() as reader:
        return [
            list(zip(*reader.read(receipt["keys"], number).to_pydict().values(), strict=True))
            for number in range(len(receipt["files"]))
        ]


def test_each_record_is_a_row_or_a_reject(tmp_path):
    made = unit(tmp_path, a=b"One.", b=b"\xff\xff", c=b"  ", d=b"Two.")
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), made, IngestOptions(format="text"))
    assert [row["text"] for row in rows_of(receipt)] == ["One.", "Two."]
    assert receipt["reasons"] == {"undecodable": 1, "empty": 1}
    assert [row[3:] for row in receipt["inputs"]] == [[1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 0]]
    with pa.OSFile(receipt["rejects"]["path"]) as stream:
        rejects = pa.ipc.open_file(stream).read_all().to_pylist()
    assert sorted(row["source"] for row in rejects) == ["b.txt", "c.txt"]


def test_dates_are_found_or_the_record_is_a_reject(tmp_path):
    rule = parse_date_rule("name:(\\d+)")
    made = unit(tmp_path, t1850=b"One.", none=b"Two.")
    options = IngestOptions(format="text", dates=rule, language="en", genre="novel")
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), made, options)
    (row,) = rows_of(receipt)
    assert (row["year"], row["year_to"], row["language"], row["genre"]) == (
        1850, 1850, "en", "novel",
    )  # fmt: skip
    assert receipt["reasons"] == {"no_date": 1}


def test_packing_does_not_change_keys(tmp_path):
    made = unit(tmp_path, a=b"One.", b=b"Two.")
    whole = ingest_unit(Workspace(str(tmp_path / "w")), made, IngestOptions())
    single = [
        ingest_unit(Workspace(str(tmp_path / "w")), Unit((file,), file.size), IngestOptions())
        for file in made.files
    ]
    keys = [key[:3] for found in keys_of(whole) for key in found]
    assert keys == [key[:3] for r in single for found in keys_of(r) for key in found]


def test_staging_files_are_cut_and_no_record_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "STAGE_CHARACTERS", 10)
    made = unit(tmp_path, **{f"t{n}": f"Text number {n}.".encode() for n in range(5)})
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), made, IngestOptions())
    assert len(receipt["files"]) == 5
    assert [row["source"] for row in rows_of(receipt)] == [f"t{n}.txt" for n in range(5)]


def test_annotated_input_is_staged_beside_its_record(tmp_path):
    made = unit(tmp_path, a=b"arma vir cano\nTroia qui primus\n")
    options = IngestOptions(format="lines", reader=ReaderOptions(lines_hold="lemmas"))
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), made, options)
    ((_, ready, _),) = receipt["files"]
    assert keys_of(receipt) == [[]]  # never a duplicate
    with BatchReader() as reader:
        assert reader.read(ready, 0)["lemmas"].to_pylist() == [
            ["arma", "vir", "cano"], ["Troia", "qui", "primus"],
        ]  # fmt: skip


def test_a_file_that_cannot_be_opened_is_a_reject(tmp_path):
    file = InputFile("gone.txt", str(tmp_path / "gone.txt"), 5, "in")
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), Unit((file,), 5), IngestOptions())
    assert receipt["reasons"] == {"unreadable": 1}
    assert receipt["inputs"][0][3:] == [1, 0, 1]


def test_what_share_of_rejects_is_acceptable():
    assert acceptable(100, 5, 0.05)
    assert not acceptable(100, 6, 0.05)
    assert not acceptable(0, 0, 1.0)


def test_staging_files_are_cut_by_all_that_records_hold(tmp_path):
    line = b'{"text": "a%d", "title": "' + b"t" * 900 + b'"}\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(line % number for number in range(1000)))
    made = Unit((InputFile(path.name, str(path), path.stat().st_size, "in"),), 1)
    receipt = ingest_unit(Workspace(str(tmp_path / "w")), made, IngestOptions())
    assert len(rows_of(receipt)) == 1000
    assert len(receipt["files"]) > 3
