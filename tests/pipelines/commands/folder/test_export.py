"""Tables as a plain folder: what is in it, and that it appears whole or not at all."""

import hashlib
import json
import shutil

import pandas as pd
import pytest
import yaml
from making import made_section, put

import lexbeam
from lexbeam.pipelines.cli import main


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    tables = {"toy/words": [["a", "b"], ["c"]], "documents": [["x"]], "empty": [[]]}
    put(folder / "out", made_section(folder / "work", "toy", tables))
    return folder / "out"


def export(published, out, *words):
    return main(["export", str(published), "--tables", "--out", str(out), *words])


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_tables_are_plain_parquet_with_a_card(published, tmp_path, capsys):
    plain = tmp_path / "a" / "plain"
    assert export(published, plain, "--license", "cc-by-4.0") == 0
    assert str(plain / "README.md") in capsys.readouterr().out
    assert {path.name for path in plain.iterdir()} == {"README.md", "manifest.json", "documents", "empty", "toy"}
    assert not [path for path in plain.rglob("*") if path.is_symlink()]
    results = lexbeam.open(published)
    for table in ("documents", "toy/words", "empty"):
        expected = results.table(table).to_pandas()
        pd.testing.assert_frame_equal(pd.read_parquet(plain / table), expected)
    head = yaml.safe_load((plain / "README.md").read_text("utf-8").split("---\n")[1])
    assert head["license"] == "cc-by-4.0"
    for entry in head["configs"]:
        assert list(plain.glob(entry["data_files"]))
    manifest = json.loads((plain / "manifest.json").read_text("utf-8"))
    for table, entry in manifest["tables"].items():
        for part in entry["parts"]:
            digest = contents(plain)[f"{table}/{part['file']}"]
            assert digest == part["sha256"]


def test_the_same_tables_give_the_same_bytes(published, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    second.mkdir()  # an empty folder may be there
    assert export(published, first) == 0
    assert export(published, second) == 0
    assert contents(first) == contents(second)


def test_a_copy_may_be_changed(published, tmp_path):
    plain = tmp_path / "plain"
    assert export(published, plain) == 0
    for path in plain.rglob("*.parquet"):
        path.write_bytes(b"")
    assert not lexbeam.open(published).snapshot.damaged()


def test_a_folder_that_holds_files_is_refused(published, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert export(published, tmp_path / "mine") == 2
    assert "holds files: give a new or an empty folder" in capsys.readouterr().err
    assert contents(tmp_path).keys() == {"mine/notes.txt"}


def test_a_damaged_part_leaves_nothing(published, tmp_path, capsys):
    copy = tmp_path / "copy"
    shutil.copytree(published, copy, symlinks=True)
    part = next((copy / "current" / "toy" / "words").glob("part-00001*")).resolve()
    part.write_bytes(b"x" * part.stat().st_size)
    assert export(copy, tmp_path / "plain") == 1
    assert "was damaged on disk" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


def test_tables_may_be_left_out(published, tmp_path, capsys):
    plain = tmp_path / "plain"
    assert export(published, plain, "--without", "documents,toy/words") == 0
    assert {path.name for path in plain.iterdir()} == {"README.md", "manifest.json", "empty"}
    assert "words/part" not in (plain / "README.md").read_text("utf-8")
    assert "toy/words" not in json.loads((plain / "manifest.json").read_text("utf-8"))["tables"]
    assert export(published, tmp_path / "other", "--without", "document") == 2
    assert "did you mean 'documents'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "give either --format, for vectors, or --tables"),
        (["--tables", "--format", "npy"], "give either --format, for vectors, or --tables"),
        (["--tables", "--aligned", "op"], "--aligned does not go with --tables"),
        (["--format", "npy", "--license", "mit"], "--license goes with --tables"),
    ],
)
def test_options_that_do_not_go_together(published, tmp_path, capsys, words, told):
    assert main(["export", str(published), "--out", str(tmp_path / "x"), *words]) == 2
    assert told in capsys.readouterr().err
