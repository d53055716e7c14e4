"""Large files are cut and taken in piece by piece, and what is published is the same, byte for byte."""

import json
import logging
import zipfile

import pandas as pd

from lexbeam.pipelines.cli import main
from lexbeam.transforms.formats.ingest import cut_files, ptransforms
from lexbeam.transforms.formats.readers import text

WORDS = ["ship", "sea", "wind", "sail", "shore", "land", "night", "star", "rope", "tide"]


def sentence(n):
    return " ".join(WORDS[(n * k) % 10] for k in range(1, 9)) + "."


def rows(number):
    """Rows with duplicates far from each other, and every thirteenth without a date."""
    return [
        {"text": sentence(n % 67), "title": f"t{n % 11}", "date": "none" if n % 13 == 0 else str(1800 + n % 70)}
        for n in range(number)
    ]


def published(out):
    return {
        str(path.relative_to(out / "current")): path.read_bytes()
        for path in (out / "current").rglob("*")
        if path.is_file()
    }


def both(tmp_path, monkeypatch, words):
    """Return what is published where nothing is cut and where all is, and the receipts of cut files."""
    found = []
    for name, size in (("whole", 1 << 60), ("cut", 700)):
        monkeypatch.setattr(cut_files, "CUT_BYTES", size)
        monkeypatch.setattr(cut_files, "PIECE_BYTES", size)
        monkeypatch.setattr(ptransforms, "UNIT_BYTES", size)
        out = tmp_path / name
        assert main(["corpus", str(tmp_path / "in"), "--out", str(out), "--max-reject-share", "1", *words]) == 0
        found.append(published(out))
    receipts = (tmp_path / "cut" / "_artefacts" / "corpus" / "cut").glob("*.json")
    return (*found, [json.loads(path.read_bytes())["receipt"] for path in receipts])


def test_files_of_records_are_cut_and_publish_the_same_bytes(tmp_path, monkeypatch, caplog):
    folder = tmp_path / "in"
    folder.mkdir()
    lines = [json.dumps(row) for row in rows(200)]
    lines[40:40] = ["", "{", "[]"]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "b.jsonl").write_text("\ufeff" + "\r\n".join([*lines[150:], *lines[:30], ""]), encoding="utf-8")
    (folder / "c.json").write_text(json.dumps(rows(30)))
    with zipfile.ZipFile(folder / "d.zip", "w") as archive:
        for number in range(9):
            archive.writestr(f"{number}.jsonl", "\n".join(lines[number * 10 : number * 20 + 5]))
    with caplog.at_level(logging.INFO):
        whole, pieces, receipts = both(tmp_path, monkeypatch, ["--engine", "builtin:en", "--dates", "header"])
    assert [len(receipt["pieces"]) > 5 for receipt in receipts] == [True, True, True]
    assert pieces.keys() == whole.keys()
    assert [name for name in whole if whole[name] != pieces[name]] == []
    inputs = pd.read_parquet(tmp_path / "cut" / "corpus" / "inputs").sort_values("name", ignore_index=True)
    assert inputs.name.to_list() == ["a.jsonl", "b.jsonl", "c.json", "d.zip"]
    assert (inputs.records[0], inputs.bytes[0]) == (202, (folder / "a.jsonl").stat().st_size)
    rejects = pd.read_parquet(tmp_path / "cut" / "rejects")
    assert set(rejects.reason) == {"duplicate", "malformed", "bad_date"}
    broken = rejects[(rejects.source == "a.jsonl") & (rejects.reason == "malformed")]
    assert sorted(broken.position) == ["42", "43"]
    told = [record.message for record in caplog.records if "cannot be cut" in record.message]
    assert told == ["1 file of 0.0 GB in all cannot be cut (JSON): one worker reads each from start to end"]


def test_a_document_of_many_lines_is_one_document(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 10)
    folder = tmp_path / "in"
    folder.mkdir()
    body = [sentence(n).encode() for n in range(300)]
    body[170:170] = [b"", b"\xff", b""]
    (folder / "a1850.txt").write_bytes(b"\n".join([b"\xfe", *body]))
    (folder / "undated.txt").write_bytes(b"\n".join(body))
    words = ["--format", "lines", "--dates", r"name:(\d{4})"]
    whole, pieces, receipts = both(tmp_path, monkeypatch, words)
    assert [len(receipt["pieces"]) > 5 for receipt in receipts] == [True, True]
    assert [name for name in whole if whole[name] != pieces[name]] == []
    manifest = json.loads(pieces["manifest.json"])["corpus"]
    assert (manifest["documents"], manifest["sentences"], manifest["rejects"]) == (
        1,
        300,
        {"no_date": 1, "undecodable": 3},
    )
