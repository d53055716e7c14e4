"""Cases that a first user meets: folders given twice, annotated input, tables that must not go."""

import json
import os
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from small_runs import make_out

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.publish import publication

CONLLU = """\
# newdoc id = a
# date = {year}
# sent_id = 1
# text = Cats sleep.
1\tCats\tcat\tNOUN\t_\t_\t0\troot\t_\t_
2\tsleep\tsleep\tVERB\t_\t_\t1\tdep\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""
SMALL = ["--dim", "5", "--epochs", "1", "--min-count", "1", "--min-sentence", "1"]
SLICES = ["--slices", "1800-1849,1850-1900"]


def write_texts(folder):
    """Write four dated texts in two periods into a new folder."""
    folder.mkdir()
    words = "the ship sails over the sea and the sailor sings of the land"
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{words} number {n}" for n in range(10)) + "."
        (folder / f"{year}.txt").write_text(f"In {year} {body}")
    return folder


@pytest.fixture
def texts(tmp_path):
    """A folder of four dated texts in two periods."""
    return write_texts(tmp_path / "texts")


def make(*words):
    return main([str(word) for word in words])


def corpus(inputs, out, *options):
    inputs = inputs if isinstance(inputs, list) else [inputs]
    return make(
        "corpus",
        *inputs,
        "--out",
        out,
        "--engine",
        "builtin:en",
        "--format",
        "text",
        "--dates",
        "name:^(\\d+)",
        *options,
    )


def manifest(out):
    return json.loads((Path(out) / "manifest.json").read_text("utf-8"))


def test_annotated_input_keeps_its_annotation(tmp_path):
    (tmp_path / "in").mkdir()
    for year in (1810, 1860):
        (tmp_path / "in" / f"{year}.conllu").write_text(CONLLU.format(year=year))
    out = tmp_path / "out"
    assert make("corpus", tmp_path / "in", "--out", out, "--dates", "name:(\\d+)") == 0
    sentences = pd.read_parquet(out / "sentences")
    assert [list(lemmas) for lemmas in sentences.lemmas] == [["cat", "sleep", "."]] * 2
    assert [list(tags) for tags in sentences.upos] == [["NOUN", "VERB", "PUNCT"]] * 2
    assert pd.read_parquet(out / "documents").text.notna().all()
    assert make("change", out, "--out", tmp_path / "change", *SLICES, *SMALL) == 0


def test_a_folder_a_glob_and_a_list_of_files_are_the_same_input(texts, tmp_path, capsys):
    told = set()
    for inputs in (texts, texts / "*.txt", sorted(texts.iterdir())[::-1], [texts, texts / "1810.txt"]):
        assert corpus(inputs, tmp_path / "out", "--dry-run") == 0
        told.add(capsys.readouterr().out)
    assert len(told) == 1
    assert "document  1870.txt: text, year 1870" in told.pop()


def test_the_order_of_files_makes_no_other_corpus(texts, tmp_path, made_once):
    assert corpus(sorted(texts.iterdir())[::-1], tmp_path / "out", "--parts", "2") == 0
    found, expected = (
        manifest(out)["tables"]["documents"]["parts"] for out in (tmp_path / "out", made_once("small_out", make_out))
    )
    assert [part["sha256"] for part in found] == [part["sha256"] for part in expected]


def test_folders_of_one_name_are_told_apart(texts, tmp_path):
    other = tmp_path / "more" / "texts"
    other.mkdir(parents=True)
    (other / "1810.txt").write_text("Another text.")
    assert corpus([texts, other], tmp_path / "out") == 0
    sources = set(pd.read_parquet(tmp_path / "out" / "documents").source)
    assert len(sources) == 5
    assert len({source.partition("/")[0] for source in sources}) == 2


def test_what_is_published_below_the_input_is_not_taken_in(texts):
    assert corpus(texts, texts / "out") == 0
    assert corpus(texts, texts / "out", "--overwrite") == 0
    assert manifest(texts / "out")["corpus"]["records"] == 4


def test_an_input_is_never_written_to(texts):
    assert corpus(texts, texts) == 2
    assert len(list(texts.iterdir())) == 4


def test_a_link_to_the_input_is_no_other_place(texts, tmp_path, capsys):
    link = tmp_path / "link"
    link.symlink_to(texts)
    before = sorted(texts.iterdir())
    for inputs, out in ((texts, link), (link, texts), (texts / "1810.txt", link), (link, link)):
        assert corpus(inputs, out) == 2
        assert "--out is the input folder" in capsys.readouterr().err
        assert sorted(texts.iterdir()) == before
    assert os.readlink(link) == str(texts)


def test_what_is_published_above_the_input_is_not_taken_in(tmp_path):
    out = tmp_path / "project"
    out.mkdir()
    texts = write_texts(out / "texts")
    for words in ([], ["--overwrite", "--parts", "3"]):
        assert corpus(texts, out, *words) == 0
        assert manifest(out)["corpus"]["records"] == 4
        assert sorted(pd.read_parquet(out / "corpus" / "inputs").name) == [
            "1810.txt",
            "1820.txt",
            "1860.txt",
            "1870.txt",
        ]
    # The whole project is an input that holds what is published.
    assert corpus(out, out) == 2
    assert len(list(texts.iterdir())) == 4


def test_files_of_somebody_else_are_not_touched(texts, tmp_path, capsys):
    for name in ("scores", "_artefacts", "documents"):
        out = tmp_path / name
        (out / name).mkdir(parents=True)
        (out / name / "mine.txt").write_text("mine")
        code = corpus(texts, out)
        assert code == (0 if name == "scores" else 2)
        assert (out / name / "mine.txt").read_text() == "mine"
    (tmp_path / "file").write_text("")
    assert corpus(texts, tmp_path / "file") == 2
    assert "is a file" in capsys.readouterr().err


def test_publishing_the_same_again_never_takes_a_file_away(texts, tmp_path, monkeypatch):
    out = tmp_path / "c"
    assert corpus(texts, out) == 0

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(publication.files, "link_or_copy", fail)
    assert corpus(texts, out, "--overwrite") == 0  # the same run: nothing to be written
    assert len(pd.read_parquet(out / "documents")) == 4
    assert corpus(texts, out, "--overwrite", "--genre", "x") == 1
    assert pd.read_parquet(out / "documents").genre.isna().all()


def test_documents_that_two_corpora_share_count_once(texts, tmp_path, out, capsys):
    out.rename(tmp_path / "a")
    (texts / "1880.txt").write_text("In 1880 the sea and the ship and the land. " * 3)
    assert corpus(texts, tmp_path / "c") == 0
    change = ["--out", tmp_path / "x", *SLICES, *SMALL, "--overwrite"]
    tables = {}
    for names in ("c", "ac", "ca"):
        folders = [tmp_path / name for name in names]
        assert make("change", *folders, *change) == 0
        tables[names] = pd.read_parquet(tmp_path / "x" / "slices")
    assert tables["ac"].equals(tables["ca"])
    assert tables["ac"].tokens.tolist() == tables["c"].tokens.tolist()
    assert make("change", tmp_path / "a", tmp_path / "a", *change) == 2
    assert "named twice" in capsys.readouterr().err


def test_a_moved_folder_can_be_resumed(texts, tmp_path):
    (texts / "bad.txt").write_bytes(b"\xff\xfe\xff")
    assert corpus(texts, tmp_path / "a") == 1
    (tmp_path / "a").rename(tmp_path / "b")
    assert corpus(texts, tmp_path / "b", "--resume", "--max-reject-share", "0.5") == 0
    assert manifest(tmp_path / "b")["corpus"]["rejects"] == {"undecodable": 1}


def test_records_are_documents_and_rejects_for_every_input(texts, tmp_path):
    (texts / "copy_of_1810.txt").write_text((texts / "1810.txt").read_text())
    (texts / "1811.txt").write_text("long " * 1000)
    options = ["--max-document-characters", "4000", "--max-reject-share", "0.5"]
    assert make("corpus", texts, "--out", tmp_path / "c", "--engine", "builtin:en", *options) == 0
    section = manifest(tmp_path / "c")["corpus"]
    assert section["rejects"] == {"duplicate": 1, "too_large": 1}
    assert section["records"] == 6 == section["documents"] + 2
    listed = pd.read_parquet(tmp_path / "c" / "corpus" / "inputs")
    assert section["inputs"]["files"] == len(listed) == 6
    assert section["inputs"]["bytes"] == listed.bytes.sum()
    assert (listed.records == 1).all()
    assert (listed.documents + listed.rejects == 1).all()
    assert listed.documents.sum() == 4
    rejects = pd.read_parquet(tmp_path / "c" / "rejects")
    assert set(rejects.reason) == {"duplicate", "too_large"}


def test_a_bare_word_shows_no_sentence_of_its_joined_target(texts, tmp_path, capsys):
    (tmp_path / "targets.txt").write_text("ship_nn\n")
    for path in texts.iterdir():
        path.write_text(path.read_text() + " They ship the goods to the land.")
    assert corpus(texts, tmp_path / "c") == 0
    words = ["--targets", tmp_path / "targets.txt", *SMALL]
    assert make("change", tmp_path / "c", "--out", tmp_path / "x", *SLICES, *words) == 0
    capsys.readouterr()
    shown = {}
    for word in ("ship_nn", "ship"):
        assert make("show", tmp_path / "x", "--word", word, "--corpus", tmp_path / "c") == 0
        out = capsys.readouterr().out
        shown[word] = {line for line in out.splitlines() if "[ship" in line.lower()}
    assert shown["ship_nn"]
    assert shown["ship"]
    assert not shown["ship"] & shown["ship_nn"]


def test_a_word_of_one_slice_alone_is_told_to_have_no_score(texts, tmp_path, capsys):
    (texts / "1820.txt").write_text("The zeppelin sails over the land. " * 5)
    assert corpus(texts, tmp_path / "c") == 0
    assert make("change", tmp_path / "c", "--out", tmp_path / "x", *SLICES, *SMALL) == 0
    capsys.readouterr()
    assert make("show", tmp_path / "x", "--word", "zeppelin", "--corpus", tmp_path / "c") == 0
    assert "none: a score needs a vector in both slices" in capsys.readouterr().out
    assert make("show", tmp_path / "x", "--word", "ship", "--corpus", tmp_path / "c") == 0
    assert "none:" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["--parts", "0"],
        ["--max-reject-share", "nan"],
        ["--max-reject-share", "1.5"],
        ["--runner-config", "."],
        ["--", "direct_num_workers=2"],
        ["--", "--runner=NoSuch"],
        ["--", "--direct_num_workers=abc"],
    ],
)
def test_values_out_of_range_are_bad_usage(texts, tmp_path, words, capsys):
    assert corpus(texts, tmp_path / "c", *words) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--neighbours", "0"],
        ["--alignment", ""],
        ["--rcond", "-1"],
        ["--dim", "0"],
        ["--seeds", "0"],
        ["--max-tokens", "few"],
        ["--min-count", "1,2,3"],
        ["--slices", "a/b=1800,c=1850"],
    ],
)
def test_values_of_change_are_checked_before_work(out, tmp_path, words):
    assert make("change", out, "--out", tmp_path / "x", *SLICES, *words) == 2
    assert not os.path.exists(tmp_path / "x" / "current")


def test_a_dry_run_shows_documents_and_rejects_and_writes_nothing(texts, tmp_path, capsys):
    (texts / "1830.txt").write_bytes(b"\xff\xfe\xff")
    (texts / "undated.txt").write_text("No year here.")
    assert corpus(texts, tmp_path / "out", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "document  1810.txt: text, year 1810 (as found: 1810)" in out
    assert "          In 1810 the ship sails" in out
    assert "reject    1830.txt: undecodable" in out
    assert "reject    undated.txt: no_date" in out
    assert "4 documents and 2 rejects looked at" in out
    assert not (tmp_path / "out").exists()


def test_a_dry_run_names_the_format_that_was_found(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    tei = "<TEI><text><body><p>Cats sleep.</p></body></text></TEI>"
    (folder / "novel").write_text(tei)
    (folder / "lines.json").write_text('{"text": "One."}\n{"text": "Two."}\n')
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("member", tei.replace("sleep", "eat"))
    words = ["corpus", folder, "--out", tmp_path / "out", "--engine", "builtin:en"]
    assert make(*words, "--dry-run") == 0
    out = capsys.readouterr().out
    for line in ("lines.json 1: jsonl,", "more.zip!member: tei,", "novel: tei,"):
        assert f"document  {line}" in out


def test_files_are_left_out_by_pattern(texts, tmp_path):
    (texts / "sub").mkdir()
    for name in ("README.md", "sub/README.md", "sub/1820b.txt", "sub/1830.txt"):
        (texts / name).write_text(f"The sea in {name}.")
    out = tmp_path / "out"
    assert corpus(texts, out, "--exclude", "README.md,sub/1820*,1860.txt") == 0
    names = pd.read_parquet(out / "corpus" / "inputs").name
    assert sorted(names) == ["1810.txt", "1820.txt", "1870.txt", "sub/1830.txt"]


def test_a_share_of_one_publishes_rejects_alone(tmp_path, capsys):
    (tmp_path / "1810.txt").write_bytes(b"")
    out = tmp_path / "out"
    assert corpus(tmp_path / "1810.txt", out) == 1
    assert not out.joinpath("current").exists()
    assert corpus(tmp_path / "1810.txt", out, "--max-reject-share", "1") == 0
    assert "1 input record: 0 documents, 1 reject (empty 1)" in capsys.readouterr().out
    section = manifest(out)["corpus"]
    assert (section["records"], section["documents"], section["rejected"]) == (1, 0, 1)
    assert len(pd.read_parquet(out / "rejects")) == 1
    assert len(pd.read_parquet(out / "sentences")) == 0
    assert make("change", out, "--out", tmp_path / "c", *SLICES) == 0
    assert "empty" in manifest(tmp_path / "c")["change"]


def test_a_date_may_lie_at_a_path(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "A b.", "meta": {"date": "1850"}}\n')
    out = tmp_path / "out"
    words = ["--engine", "builtin:en", "--dates", "field:meta.date"]
    assert make("corpus", tmp_path / "a.jsonl", "--out", out, *words) == 0
    assert list(pd.read_parquet(out / "documents")["year"]) == [1850]


def test_names_that_no_table_can_hold_and_names_like_members(texts, tmp_path):
    odd = tmp_path / os.fsdecode(b"odd\xff")
    odd.mkdir()
    text = (texts / "1810.txt").read_bytes()
    for name in (b"bytes\xff.txt", b"one\x01.txt", b"two\x02.txt"):
        with open(os.path.join(os.fsencode(odd), name), "wb") as stream:
            stream.write(text)
    with zipfile.ZipFile(odd / "like!member.zip", "w") as archive:
        archive.writestr("a.txt", "The sailor sings of the land.")
        archive.writestr("b.txt", "The sailor sings of the land.")
    out = tmp_path / "out"
    assert make("corpus", odd, "--out", out, "--engine", "builtin:en", "--format", "text") == 0
    section = json.loads((out / "manifest.json").read_text())["corpus"]
    assert (section["records"], section["documents"]) == (5, 2)
    assert section["rejects"] == {"duplicate": 3}
    listed = pd.read_parquet(out / "corpus" / "inputs")
    assert dict(zip(listed.name, listed.rejects, strict=True)) == {
        "bytes\\xFF.txt": 0,
        "like\\!member.zip": 1,
        "one\\u0001.txt": 1,
        "two\\u0002.txt": 1,
    }


def test_a_list_joins_words_in_all_formats_and_a_file_that_comes_parts_none(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("The govern-\nment fell. The well-\nknown man.")
    (tmp_path / "in" / "b.xml").write_text(
        "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><p>A govern-<lb/>ment.</p></body></text></TEI>"
    )
    (tmp_path / "in" / "c.csv").write_text('text\n"One prov-\nince."\n')
    (tmp_path / "words.txt").write_text("Government\nprovince\n")
    corpus = {"inputs": "in", "engine": "builtin:en", "hyphens": "join", "hyphen-words": "words.txt"}
    (tmp_path / "c.yaml").write_text(json.dumps({"corpus": corpus}))
    out = tmp_path / "out"

    def texts():
        documents = pd.read_parquet(out / "documents")
        return dict(zip(documents.source, documents.text, strict=True))

    joined = {"a.txt": "The government fell. The well-known man.", "b.xml": "A government.", "c.csv": "One province."}
    assert make("run", tmp_path / "c.yaml", "--out", out) == 0
    assert texts() == joined
    assert manifest(out)["corpus"]["notes"] == {"words cut at line ends": 3, "words joined at line ends": 2}
    assert make("refresh", tmp_path / "c.yaml", "--out", out, "--exit-code") == 3
    (tmp_path / "in" / "d.txt").write_text("A wellknown govern-ment.")
    assert make("refresh", tmp_path / "c.yaml", "--out", out) == 0
    assert texts() == {**joined, "d.txt": "A wellknown govern-ment."}
    (tmp_path / "words.txt").write_text("wellknown\n")
    assert make("refresh", tmp_path / "c.yaml", "--out", out, "--max-change", "1") == 0
    assert texts()["a.txt"] == "The govern-ment fell. The wellknown man."
