"""A run that fails keeps its rejects in a file that the message names, until one succeeds."""

import re

import pytest

import lexbeam
from lexbeam.pipelines.cli import main


def corpus(*more):
    words = ["corpus", "in", "--out", "out", "--engine", "builtin:en", "--parts", "2", *more]
    return main(words)


@pytest.mark.slow
def test_rejects_of_a_failed_run_are_kept_until_one_succeeds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for number in range(6):
        (tmp_path / "in" / f"={number}.txt").write_bytes(b"%PDF-1.4\n1 0 obj")
    (tmp_path / "in" / "good.txt").write_text("A good text.")
    assert corpus() == 1
    said = capsys.readouterr().err
    path = re.search(r"rejects is kept in (\S+) \(rows: 6\)", said)[1]
    assert path == "out/_failed/corpus-rejects.tsv"
    first = (tmp_path / path).read_bytes()
    header, *rows = first.decode().splitlines()
    assert header.split("\t") == ["source", "position", "stage", "reason", "detail"]
    names = [row.split("\t")[0] for row in rows]
    assert names == sorted(f"'={number}.txt" for number in range(6))
    assert {tuple(row.split("\t")[1:4]) for row in rows} == {("", "ingest", "pdf")}

    assert main(["status", "out"]) == 0
    assert "what a failed run says was wrong (1" in capsys.readouterr().out
    assert main(["clean", "out"]) == 0
    assert not (tmp_path / "out" / "_failed").exists()

    with pytest.raises(lexbeam.LexbeamError, match=r"_failed/corpus-rejects\.tsv"):
        lexbeam.corpus(["in"], out="out", engine="builtin:en", parts=1)
    assert (tmp_path / path).read_bytes() == first
    assert corpus("--max-reject-share", "1", "--resume") == 0
    assert not (tmp_path / "out" / "_failed").exists()


@pytest.mark.slow
def test_rejects_are_kept_if_a_later_section_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    for number in range(5):
        (tmp_path / "in" / f"{number}.jsonl").write_text(f'{{"text": "Text number {number}.", "year": 1850}}')
    (tmp_path / "run.yaml").write_text(
        "{out: out, parts: 1, max-reject-share: .5, change: {slices: '1700-1710,1800-1810'},\n"
        " corpus: {inputs: [in], engine: 'builtin:en', dates: 'field:year'}}\n"
    )
    assert main(["run", "run.yaml"]) != 0
    said = capsys.readouterr().err
    path = re.search(r"rejects is kept in (\S+) \(rows: 1\)", said)[1]
    assert "image" in (tmp_path / path).read_text("utf-8")
