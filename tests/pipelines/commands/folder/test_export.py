"""Tables as a plain folder: what is in it, and that it appears whole or not at all."""

import hashlib
import json
import shutil

import pandas as pd
import pyarrow as pa
import pytest
import yaml
from making import made_section, put

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.folder.export import LISTED, data_card
from lexbeam.schemas.columns import Table, column


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


COLUMNS = [
    column("word", pa.string(), "the word, see `words`"),
    column("share", pa.float64(), "share|part", unit="%", range="0 to 100", nullable=True),
]
WORDS = Table(name="toy/words", row="a word", key=("word",), columns=COLUMNS)
PARTS = [{"file": "part-0", "rows": 2, "bytes": 9, "sha256": "a" * 64}]


def manifest(inputs, **options):
    return {
        "lexbeam": {"manifest_version": 2},
        "tables": {"toy/words": {"rows": 2, "parts": PARTS}, "other": {"rows": 1, "parts": PARTS}},
        "environments": {
            "e1": {"lexbeam": "1.2.3", "commit": "0123456789ab", "python": "3.11.7", "packages": {"numpy": "2"}}
        },
        "toy": {
            "parts": {"toy/words": ["part-0"]},
            "inputs": inputs,
            "environment": "e1",
            "options": {"least": 3, "note": "", "dates": "name:(\\d+)_```", **options},
        },
        "rest": {"parts": {"other": ["part-0"]}, "inputs": [], "options": {"secret": 1}},
    }


def card(inputs=(), license=None, **options):
    return data_card(manifest(list(inputs), **options), {"toy/words": WORDS.schema()}, license)


def front(text):
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


def test_the_front_matter_names_the_files_of_each_table():
    head, _ = front(card(license="cc-by-4.0"))
    assert head == {
        "license": "cc-by-4.0",
        "configs": [{"config_name": "toy.words", "data_files": "toy/words/part-*.parquet"}],
    }


@pytest.mark.parametrize("license", ["other: see below", "no", "[x]", "© me\nand you", "`a` | *b*"])
def test_any_licence_is_read_as_it_was_given(license):
    assert front(card(license=license))[0]["license"] == license


def test_a_missing_licence_is_to_be_filled_in():
    head, body = front(card())
    assert head["license"] == "unknown"
    assert "To be filled in" in body
    assert "To be filled in" not in card(license="mit")


def test_columns_have_types_meanings_units_and_ranges():
    lines = card().splitlines()
    assert "| `word` | string | the word, see `words` |  |  |" in lines
    assert "| `share` | double, or null | share\\|part | % | 0 to 100 |" in lines
    told = "2 rows in 1 part; a row is a word; sorted by word within a part; schema version 1."
    assert told in lines


def test_origin_names_inputs_by_digest_and_options():
    inputs = [{"name": f"a|{n}_.txt", "bytes": 1000 + n, "sha256": f"{n:064x}"} for n in range(30)]
    text = card(inputs)
    assert f"Input files (30, the first {LISTED} of them)" in text
    assert f"| a\\|0\\_.txt | 1,000 | {0:064x} |" in text
    assert f"{LISTED:064x}" not in text
    assert "lexbeam 1.2.3 (0123456789ab) with Python 3.11.7" in text
    block = text.split("```yaml\n")[1].split("\n```")[0]
    assert yaml.safe_load(block)["least"] == 3
    assert "note" not in block
    assert "secret" not in text  # of a section of which no table is there


def test_inputs_that_are_a_table_are_counted():
    table = {"table": "toy/inputs", "files": 12_345, "bytes": 6_789_000, "digest": "ab" * 16}
    toy = manifest([])
    toy["toy"]["inputs"] = table
    text = data_card(toy, {"toy/words": WORDS.schema()}, None)
    told = "Input files: 12,345, 6,789,000 bytes; table toy/inputs has the SHA-256 of each."
    assert f"{told} The digest of its content is {'ab' * 16}." in text


def test_the_order_of_a_manifest_changes_nothing():
    turned = dict(reversed(manifest([]).items()))
    schemas = {"toy/words": WORDS.schema()}
    assert data_card(turned, schemas, None) == data_card(manifest([]), schemas, None)
