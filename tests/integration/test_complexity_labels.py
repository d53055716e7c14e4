"""`lexbeam complexity load`, `export` and `aggregate`: from files in to published tables out."""

import pyarrow.parquet as pq
import pytest
from small_runs import call, manifest

from lexbeam.transforms.common.publish.snapshots import open_snapshot

SENTENCES = ["The ship sails far", "A sailor told me of the ship", "Old ropes hold the mast"]
HEAD = "id\tcorpus\tsentence\ttoken\tcomplexity\n"


def rows(least=0):
    return "".join(
        f'{n}-{word}\tg{n % 2}\t{n} "{SENTENCES[n % 3]}.\t{word}\t{(n + at) % 5 / 4}\n'
        for n in range(least, least + 12)
        for at, word in enumerate(SENTENCES[n % 3].split()[1:])
    )


@pytest.fixture
def files(tmp_path):
    (tmp_path / "lcp_single_train.tsv").write_text(HEAD + rows(), "utf-8")
    trial = HEAD.replace("corpus", "subcorpus") + rows(50)
    (tmp_path / "lcp_single_trial.tsv").write_text(trial, "utf-8")
    return [tmp_path / "lcp_single_train.tsv", tmp_path / "lcp_single_trial.tsv"]


def load(out, *words):
    return call("complexity", "load", *words, "--layout", "complex", "--out", out)


def parts(out, table):
    return [path.read_bytes() for path in sorted((out / "complexity" / table).glob("*.parquet"))]


def test_the_same_bytes_in_any_order(files, tmp_path, capsys):
    one, two = tmp_path / "one", tmp_path / "two"
    engine = ("--engine", "builtin:en", "--parts", 3)
    assert load(one, *files, *engine) == 0
    told = capsys.readouterr().out
    assert load(two, *files[::-1], *engine) == 0
    for table in ("instances", "labels", "rejects"):
        assert parts(one, table) == parts(two, table)
    found = open_snapshot(str(one)).read("complexity/instances").to_pylist()
    assert f"{len(found)} instances, {len(found)} with a label; 0 rows rejected" in told
    assert {row["published_split"] for row in found} == {"train", "trial"}
    for row in found:
        assert row["sentence"][row["start"] : row["end"]] == row["token"]
        assert row["forms"][row["position"]] == row["token"]
        assert len(row["forms"]) == len(row["lemmas"]) == len(row["upos"])
    labels = open_snapshot(str(one)).read("complexity/labels")
    assert labels["instance_id"].to_pylist() == [row["instance_id"] for row in found]
    written = {
        line.split("\t")[0]: float(line.split("\t")[-1]) for path in files for line in path.read_text().splitlines()[1:]
    }
    by_id = {row["instance_id"]: row["source_id"] for row in found}
    for row in labels.to_pylist():
        assert row["complexity"] == written[by_id[row["instance_id"]]]
    # A run that is asked for again publishes nothing, and a changed file makes the section stale.
    assert load(one, *files, *engine, "--resume") == 0
    files[0].write_text(HEAD + rows(1), "utf-8")
    capsys.readouterr()
    assert call("status", one) == 0
    assert "input: 1 changed (lcp_single_train.tsv)" in capsys.readouterr().out


def test_too_many_rejects_publish_nothing(files, tmp_path, capsys):
    files[0].write_text(HEAD + "1\tb\tS\n" * 30 + rows(), "utf-8")
    assert load(tmp_path / "out", *files) != 0
    told = capsys.readouterr().err
    assert "30 of" in told
    assert "malformed 30" in told
    assert "lcp_single_train.tsv 2: malformed, 3 cells, but 5 columns" in told
    assert "--max-reject-share" in told
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert load(tmp_path / "out", *files, "--max-reject-share", ".5") == 0
    section = manifest(tmp_path / "out")["complexity.load"]
    assert section["rejects"] == {"malformed": 30}
    assert section["instances"] == section["labelled"] > 30


def test_stray_quotes_of_a_table_of_ones_own_cost_no_row_and_are_told(tmp_path, capsys):
    path = tmp_path / "own.tsv"
    path.write_text('token\tsentence\nship\tThe "ship" sails.\nsea\t"The sea," he said.\n', "utf-8")
    out = tmp_path / "out"
    assert call("complexity", "load", path, "--layout", "tsv", "--out", out) == 0
    told = capsys.readouterr().out
    assert "2 instances" in told
    assert "while reading: quotes are plain characters, since one in a line is stray 1; see complexity/inputs" in told
    assert manifest(out)["complexity.load"]["inputs"]["files"] == 1
    (row,) = pq.read_table(out / "complexity" / "inputs").to_pylist()
    assert (row["name"], row["records"], row["taken"], row["rejects"]) == ("own.tsv", 2, 2, 0)
    (note,) = row["notes"]
    assert note == {"note": "quotes are plain characters, since one in line 3 is stray", "number": 1}


def test_another_layout_is_an_error_that_names_file_and_remedy(files, tmp_path, capsys):
    files[0].write_text("word,score\na,1\n")
    assert load(tmp_path / "out", *files) != 0
    told = capsys.readouterr().err
    assert "lcp_single_train.tsv: no column 'id'" in told
    assert load(tmp_path / "out", *files, "--delimiter", ",") != 0
    assert "layout tsv" in capsys.readouterr().err


def test_words_are_exported_judged_and_aggregated(tmp_path, capsys):
    words = {"ship": "1", "mast": "3", "old sea": "easy", "hypothesis": "5"}
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in words))
    out, sheets = tmp_path / "out", tmp_path / "sheets"
    assert call("complexity", "load", tmp_path / "words.txt", "--layout", "tsv", "--out", out, "--language", "en") == 0
    people = ["anna", "bob", "cy", "dan"]
    to = sheets / "complexity.tsv"
    export = ("complexity", "export", out, "--to", to, "--annotator", ",".join(people))
    assert call(*export) == call(*export) == 0  # the same files are left
    orders = set()
    for name in people:
        path = sheets / f"complexity.{name}.tsv"
        lines = path.read_text("utf-8-sig").splitlines()
        asked = [at for at, line in enumerate(lines) if line.split("\t")[1:2] != ["token"] and line.count("\t") == 4]
        orders.add(tuple(lines[at].split("\t")[1] for at in asked))
        for at in asked:
            cells = lines[at].split("\t")
            cells[3] = words[cells[1]]
            lines[at] = "\t".join(cells)
        path.write_text("\n".join(lines), "utf-8")
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(words))}
    assert len(orders) > 1
    assert call(*export) != 0  # filled in, they are not written over
    (tmp_path / "more.csv").write_text("instance_id,annotator,rating\nnobody,eve,3\n")
    capsys.readouterr()
    judged = ("complexity", "aggregate", out, "--judgments", sheets, "--judgments", tmp_path / "more.csv")
    assert call(*judged) == 0
    told = capsys.readouterr().out
    assert "17 judgments by 4 annotators, 16 count; 0 rows rejected" in told
    assert "unknown_instance 1" in told
    snapshot = open_snapshot(str(out))
    tokens = {row["instance_id"]: row["token"] for row in snapshot.read("complexity/instances").to_pylist()}
    labels = {
        tokens[row["instance_id"]]: (row["complexity"], row["annotations"], row["spread"])
        for row in snapshot.read("complexity/labels").to_pylist()
    }
    assert labels == {"ship": (0, 4, 0), "mast": (0.5, 4, 0), "old sea": (0.25, 4, 0), "hypothesis": (1, 4, 0)}
    (whole,) = snapshot.section("complexity.aggregate")["groups"]
    assert whole["alpha"] == whole["ceiling"] == pytest.approx(1)
    assert call(*judged, "--min-annotations", 5, "--overwrite") == 0
    again = open_snapshot(str(out)).read("complexity/labels")
    assert again["reason"].to_pylist() == ["too_few"] * 4


def test_labels_that_came_with_the_files_are_not_replaced(files, tmp_path, capsys):
    out = tmp_path / "out"
    assert load(out, *files) == 0
    judgments = tmp_path / "j.csv"
    name = open_snapshot(str(out)).read("complexity/instances")["instance_id"][0].as_py()
    judgments.write_text(
        "instance_id,annotator,rating\n"
        + "".join(f"{name},{who},{rating}\n" for who, rating in zip("abcd", "1223", strict=True))
    )
    before = parts(out, "labels")
    for words in ((), ("--overwrite",)):
        assert call("complexity", "aggregate", out, "--judgments", judgments, *words) != 0
        assert "give another --out" in capsys.readouterr().err
    assert parts(out, "labels") == before
    other = tmp_path / "other"
    words = ("complexity", "aggregate", out, "--judgments", judgments, "--out", other)
    assert call(*words) == 0
    found = open_snapshot(str(other)).read("complexity/labels").to_pylist()
    assert [row["complexity"] for row in found if row["instance_id"] == name] == [0.25]
    assert sum(row["complexity"] is not None for row in found) == 1


@pytest.mark.data
def test_complex_as_it_is_published(data, tmp_path):
    folder = data / "lcp"
    if not folder.is_dir():
        pytest.skip("needs lcp")
    assert load(tmp_path / "out", *sorted(folder.glob("*.tsv"))) == 0
    section = manifest(tmp_path / "out")["complexity.load"]
    assert section["rejected"] == 0
    counts = {}
    for row in section["groups"]:
        key = row["kind"], row["published_split"]
        counts[key] = counts.get(key, 0) + row["instances"]
    assert counts == {("single", "trial"): 421, ("mwe", "trial"): 99, ("single", "train"): 7662, ("mwe", "train"): 1517}
    assert section["flags"] == {"duplicate": 4, "several": 2, "within_word": 2}
