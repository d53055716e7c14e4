"""The limits on what is read are flags, and each takes effect on what it is about."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.corpus.plan import CorpusOptions
from lexbeam.transforms.common.options.fields import options_of

WORDS = b"Dogs bark. "
FORMATS_MD = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"
BOMB = b"\n" * (17 << 20)


@pytest.fixture
def texts(tmp_path):
    """One file for each limit, and one good file."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "good.txt").write_bytes(WORDS)
    (folder / "long.txt").write_bytes(WORDS * 50)
    (folder / "lines.jsonl").write_text(json.dumps({"text": "Cats meow. " * 30}))
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(b'{"text": "Birds sing."}\n' * 40))
    (folder / "bomb.txt.gz").write_bytes(gzip.compress(WORDS * 2 + BOMB))
    return folder


def taken_in(folder, out, *options):
    """Return the documents' sources, and source, reason and detail of the rejects."""
    words = [
        "corpus",
        folder,
        "--out",
        out,
        "--engine",
        "builtin:en",
        "--max-reject-share",
        ".9",
        "--duplicates",
        "keep",
        "--overwrite",
        *options,
    ]
    assert main([str(word) for word in words]) == 0
    rejects = pd.read_parquet(out / "rejects")
    found = {row.source: (row.reason, row.detail) for row in rejects.itertuples()}
    return set(pd.read_parquet(out / "documents").source), found


def test_each_limit_is_a_flag(texts, tmp_path):
    out = tmp_path / "out"
    documents, rejects = taken_in(texts, out)
    assert documents == {"good.txt", "long.txt", "lines.jsonl", "packed.jsonl.gz"}
    assert rejects == {"bomb.txt.gz": ("unsafe", "expands more than 200 times; see --max-expansion-ratio")}

    limits = ["--max-record-bytes", "500", "--max-line-bytes", "300", "--max-expanded-bytes", "900"]
    documents, rejects = taken_in(texts, out, *limits)
    assert documents == {"good.txt"}
    assert {name: reason for name, (reason, _) in rejects.items()} == {
        "long.txt": "too_large",
        "lines.jsonl": "too_large",
        "packed.jsonl.gz": "unsafe",
        "bomb.txt.gz": "unsafe",
    }
    for name, number in {"long.txt": 500, "lines.jsonl": 300, "packed.jsonl.gz": 900}.items():
        assert str(number) in rejects[name][1]

    documents, rejects = taken_in(texts, out, "--max-expansion-ratio", "10000")
    assert (len(documents), rejects) == (5, {})


@pytest.mark.parametrize("name", ["record-bytes", "line-bytes", "expansion-ratio", "expanded-bytes"])
def test_a_limit_of_nothing_is_bad_usage(texts, tmp_path, name, capsys):
    assert main(["corpus", str(texts), "--out", str(tmp_path / "out"), f"--max-{name}", "0"]) == 2
    assert f"--max-{name} must be at least 1" in capsys.readouterr().err


def test_the_documented_limits_are_those_of_the_command():
    text = FORMATS_MD.read_text("utf-8")
    limits = [
        entry for entry in options_of(CorpusOptions).values() if entry.type is int and entry.name.startswith("max_")
    ]
    assert len(limits) == 5
    for field in limits:
        assert f"| `--{field.name.replace('_', '-')}` | {field.default:,} |" in text
