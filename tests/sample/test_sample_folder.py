"""`write_sample`: the folder that `lexbeam sample` writes."""

import csv
import hashlib
import os
import re
import subprocess
import sys

import pytest
import yaml

from lexbeam.pipelines.commands.corpus.sample import write_sample
from lexbeam.transforms.common.errors import UsageError


def digest(folder) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_folder_holds_corpus_truth_and_configuration(tmp_path):
    summary = write_sample(str(tmp_path / "s"), tokens=30_000, seed=1)
    files = list((tmp_path / "s" / "corpus").iterdir())
    assert len(files) == summary.documents == 20
    assert 30_000 <= summary.tokens < 30_060
    with open(tmp_path / "s" / "truth.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == summary.planted + summary.controls
    assert sum(row["kind"].startswith("control") for row in rows) == summary.controls
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_the_configuration_dates_every_file(tmp_path):
    write_sample(str(tmp_path / "s"), tokens=30_000, seed=1)
    config = yaml.safe_load((tmp_path / "s" / "config.yaml").read_text(encoding="utf-8"))
    pattern = config["corpus"]["dates"].removeprefix("name:")
    bounds = [part.split("=")[1].split("-") for part in config["change"]["slices"].split(",")]
    for path in (tmp_path / "s" / config["corpus"]["inputs"][0]).iterdir():
        year = int(re.search(pattern, path.name)[1])
        assert sum(int(first) <= year <= int(last) for first, last in bounds) == 1


def test_the_configuration_says_what_is_invented(tmp_path):
    summary = write_sample(str(tmp_path / "s"), tokens=30_000, seed=2)
    config = yaml.safe_load((tmp_path / "s" / "config.yaml").read_text(encoding="utf-8"))
    about = config["corpus"]["about"]
    assert about == summary.about
    with open(tmp_path / "s" / "truth.tsv", encoding="utf-8", newline="") as file:
        kinds = {row["word"]: row["kind"] for row in csv.DictReader(file, delimiter="\t")}
    word = re.search(r"such as (\w+) are invented", about)[1]
    assert not kinds[word].startswith("control")
    assert f"{summary.planted} of them were planted" in about
    assert f"{summary.controls} are controls" in about


def test_the_bytes_depend_on_size_and_seed_alone(tmp_path):
    write_sample(str(tmp_path / "a"), tokens=30_000, seed=4)
    script = "import sys; from lexbeam.pipelines.commands.corpus.sample import write_sample\n"
    script += "write_sample(sys.argv[1], tokens=30_000, seed=4)"
    environment = {**os.environ, "PYTHONHASHSEED": "17"}
    command = [sys.executable, "-c", script, str(tmp_path / "b")]
    subprocess.run(command, check=True, env=environment)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")


def test_a_folder_with_something_in_it_is_refused(tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        write_sample(str(tmp_path), tokens=30_000, seed=1)
    with pytest.raises(UsageError, match="no sample to overwrite"):
        write_sample(str(tmp_path), tokens=30_000, seed=1, overwrite=True)
    assert (tmp_path / "note.txt").read_text() == "mine"


def test_an_empty_folder_is_taken(tmp_path):
    write_sample(str(tmp_path), tokens=30_000, seed=1)
    assert (tmp_path / "truth.tsv").is_file()


def test_an_earlier_sample_is_replaced_whole(tmp_path):
    write_sample(str(tmp_path / "s"), tokens=45_000, seed=1)
    write_sample(str(tmp_path / "s"), tokens=30_000, seed=2, overwrite=True)
    write_sample(str(tmp_path / "fresh"), tokens=30_000, seed=2)
    assert digest(tmp_path / "s") == digest(tmp_path / "fresh")


def test_nothing_is_left_when_writing_fails(tmp_path):
    def full(words: int) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_sample(str(tmp_path / "s"), tokens=30_000, seed=1, progress=full)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("tokens", "seed", "said"), [(29_999, 1, "30000"), (30_000, -1, "seed")])
def test_bad_numbers_are_explained(tmp_path, tokens, seed, said):
    with pytest.raises(UsageError, match=said):
        write_sample(str(tmp_path / "s"), tokens=tokens, seed=seed)


def test_progress_hears_of_every_word(tmp_path):
    heard: list[int] = []
    summary = write_sample(str(tmp_path / "s"), tokens=30_000, seed=1, progress=heard.append)
    assert sum(heard) == summary.tokens
