"""`lexbeam complexity split` on instances that are made up, from tables in to tables out."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from making import put

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import load
from lexbeam.schemas.complexity import INSTANCES, LABELS
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, sort_rows, write_part
from lexbeam.transforms.complexity.labels.label_splits import COLUMNS, LABEL_COLUMNS, hold
from lexbeam.transforms.complexity.labels.label_splits import split as split_held

GENRES = ("bible", "biomed", None)


def made_up(number=400):
    """Instances with their complexities: every fifth an expression, case of tokens mixed."""
    rows = []
    for place in range(number):
        kind = "mwe" if place % 5 == 0 else "single"
        token = f"{'wide ' if kind == 'mwe' else ''}word{place // 3}"
        rows.append(
            {
                "instance_id": hashlib.md5(str(place).encode()).hexdigest(),
                "kind": kind,
                "token": token.title() if place % 2 else token,
                "genre": GENRES[place % 3],
                "sentence": f"sentence {place // 2}" if place % 7 else None,
                "source": "made up",
                "flags": [],
                "duplicate_of": rows[-1]["instance_id"] if place % 100 == 99 else None,
                "complexity": None if place % 40 == 7 else (place * 37 % 101) / 100,
            }
        )
    return rows


def tables_of(rows):
    instances = [{k: v for k, v in row.items() if k != "complexity"} for row in rows]
    labels = []
    for row in rows:
        own = {"instance_id": row["instance_id"], "complexity": row["complexity"]}
        labels += [own | {"group": ""}, own | {"group": "natives", "complexity": 1.0}]
    return [
        (table, sort_rows(pa.Table.from_pylist(part, table.schema()), table.key))
        for table, part in ((INSTANCES, instances), (LABELS, labels))
    ]


@pytest.fixture
def loaded(tmp_path):
    """A function that publishes instances and labels, and returns their folder."""

    def published(rows, name="complexity"):
        parts = []
        for table, part in tables_of(rows):
            artefact = Artefact(str(tmp_path / f"{name}-{table.name.replace('/', '-')}"))
            written = write_part(artefact, table.schema(), [part], sort_keys=table.key)
            parts.append(Part.of(table.name, 0, written))
        entry = {"options": {}, "inputs": []}
        put(tmp_path / name, Made(name="complexity.load", parts=tuple(parts), entry=entry))
        return tmp_path / name

    return published


def published(folder, table="splits"):
    return open_snapshot(str(folder)).read(f"complexity/{table}").to_pylist()


def test_from_tables_to_tables(loaded, capsys):
    rows = made_up()
    folder = loaded(rows)
    words = ["complexity", "split", str(folder), "--shares", "train=.7,trial=.05,test=.25"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "method balanced; in no split: 10 no_label" in told
    splits = published(folder)
    assert [row["instance_id"] for row in splits] == sorted(row["instance_id"] for row in rows)
    of = {row["instance_id"]: row for row in splits}
    tokens: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        own = of[row["instance_id"]]
        assert own["method"] == "balanced"
        if row["complexity"] is None:
            assert (own["split"], own["reason"]) == (None, "no_label")
        else:
            assert own["reason"] is None
            tokens.setdefault((row["kind"], row["token"].casefold()), set()).add(own["split"])
    assert all(len(found) == 1 for found in tokens.values())
    strata = published(folder, "strata")
    for kind, number in (("single", 310), ("mwe", 80), ("", 390)):
        own = [row for row in strata if row["kind"] == kind and row["genre"] == ""]
        assert {row["split"] for row in own} == {"train", "trial", "test"}
        assert sum(row["rows"] for row in own) == number
        assert all(row["shared_tokens"] == 0 for row in own)
        if kind == "single":
            assert all(abs(row["share"] - row["wanted"]) < 0.01 for row in own)
    assert None in {row["genre"] for row in strata}
    section = open_snapshot(str(folder)).section("complexity.split")
    assert section["splits"] == ["train", "trial", "test"]
    panels = load("complexity split").report(open_snapshot(str(folder)))
    assert [panel.title for panel in panels] == [
        "How alike the splits are",
        "Complexity of the splits",
        "Splits by kind and genre",
    ]
    assert panels[2].rows.num_rows == len(strata)
    assert not panels[0].warning


def test_a_method_that_leaks_says_so(loaded):
    folder = loaded(made_up())
    assert main(["complexity", "split", str(folder), "--method", "paper"]) == 0
    assert {row["method"] for row in published(folder)} == {"paper"}
    assert any(row["shared_tokens"] for row in published(folder, "strata"))
    (note, *_) = load("complexity split").report(open_snapshot(str(folder)))
    assert note.warning


def test_of_its_own_folder_it_keeps_nothing_before_the_first_time(loaded):
    folder = loaded(made_up())
    words = ["complexity", "split", str(folder), "--overwrite", "--splits-from"]
    assert main([*words, str(folder / "elsewhere")]) == 1
    assert main([*words, str(folder)]) == 0
    first = published(folder)
    assert "kept" not in open_snapshot(str(folder)).section("complexity.split")
    assert main([*words, str(folder), "--seed", "7"]) == 0
    assert published(folder) == first
    assert "kept" in open_snapshot(str(folder)).section("complexity.split")


def test_duplicates_may_be_left_out(loaded):
    rows = made_up()
    folder = loaded(rows)
    assert main(["complexity", "split", str(folder), "--duplicates", "leave-out"]) == 0
    reasons = {row["instance_id"]: row["reason"] for row in published(folder)}
    repeated = {row["instance_id"] for row in rows if row["duplicate_of"]}
    assert {one for one, reason in reasons.items() if reason == "duplicate"} == repeated
    assert len(repeated) == 4


def test_one_sentence_tells_what_is_too_large(loaded, caplog):
    rows = made_up()
    for row in rows[1:250]:
        row["sentence"] = "the same"
    folder = loaded(rows)
    assert main(["complexity", "split", str(folder), "--one-sentence"]) == 0
    assert "single: a group of" in caplog.text
    assert "it is in split train" in caplog.text
    strata = [row for row in published(folder, "strata") if row["kind"] and row["genre"] == ""]
    assert all(row["shared_sentences"] == 0 for row in strata)


def test_it_is_a_function_and_a_section_of_a_configuration(loaded, tmp_path):
    folder = loaded(made_up(120))
    results = lexbeam.complexity.split(folder, out=tmp_path / "out", shares=["a=.5", "b=.5"])
    rows = results.table("complexity/splits").to_pylist()
    assert {row["split"] for row in rows} == {"a", "b", None}
    config = tmp_path / "config.yaml"
    config.write_text("out: again\ncomplexity:\n  split: {folder: complexity, shares: 'a=.5,b=.5'}\n")
    assert main(["run", str(config)]) == 0
    assert published(tmp_path / "again") == rows


def test_parts_and_the_order_of_rows_do_not_count():
    (_, instances), (_, labels) = tables_of(made_up(150))
    instances, labels = instances.select(COLUMNS), labels.select(LABEL_COLUMNS)
    options = load("complexity split").options(out="x").how
    whole = split_held(hold([instances], [labels]), options)
    order = pa.array(range(len(instances) - 1, -1, -1))
    turned = instances.take(order)
    pieces = [turned[:40], turned[40:41], turned[41:41], turned[41:]]
    parts = split_held(hold(pieces, [labels[200:], labels[:200]]), options)
    assert whole.splits.equals(parts.splits)
    assert whole.strata.equals(parts.strata)


@pytest.mark.parametrize(
    ("change", "words", "code", "message"),
    [
        ({}, ["--shares", "train=.5,test=.4"], 2, "--shares: shares add up to 0.9, not to 1"),
        ({}, ["--method", "papr"], 2, "did you mean 'paper'"),
        ({}, ["--method", "paper", "--one-sentence"], 2, "--one-sentence is for --method balanced"),
        ({"instance_id": "0" * 32}, [], 1, "twice"),
    ],
)
def test_what_is_wrong_is_told(loaded, capsys, change, words, code, message):
    folder = loaded([row | change for row in made_up(20)])
    assert main(["complexity", "split", str(folder), *words]) == code
    assert message in capsys.readouterr().err
    assert "complexity.split" not in open_snapshot(str(folder)).sections


def test_without_a_label_no_instance_is_in_a_split(loaded):
    """A table of labels that has rows, all of them null, as of instances that nobody has judged."""
    folder = loaded([row | {"complexity": None} for row in made_up(20)])
    assert main(["complexity", "split", str(folder)]) == 0
    found = open_snapshot(str(folder))
    assert found.sections["complexity.split"]["empty"] == "no splits: no instance has a complexity"
    assert [found.tables[name]["rows"] for name in ("complexity/splits", "complexity/strata")] == [0, 0]


def test_a_folder_without_instances_is_told(tmp_path, capsys):
    assert main(["complexity", "split", str(tmp_path)]) == 1
    assert "complexity/instances" in capsys.readouterr().err


@pytest.mark.slow
def test_the_same_bytes_in_two_processes(loaded):
    folder = loaded(made_up(150))
    digests = []
    words = ["complexity", "split", str(folder), "--out"]
    here, there = (folder.parent / name for name in ("here", "there"))
    assert main([*words, str(here)]) == 0
    subprocess.run(
        [sys.executable, "-m", "lexbeam.pipelines.cli", *words, str(there)],
        check=True,
        capture_output=True,
        env={"PYTHONHASHSEED": "2", "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    for out in (here, there):
        snapshot = open_snapshot(str(out))
        digests.append([part.sha256 for name in sorted(snapshot.tables) for part in snapshot.parts(name)])
    assert digests[0] == digests[1]
