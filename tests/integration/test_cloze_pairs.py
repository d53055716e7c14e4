"""`lexbeam cloze pairs`: from files in to published tables out, and on the real data."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_runs import call, corpus, manifest

from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

TEXT = "Title {n}\n\nThe {n} old ships sailed far away. More of it.\n\nThey came back. All were glad."


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "texts").mkdir()
    for n in range(6):
        (tmp_path / "texts" / f"180{n}.txt").write_text(TEXT.format(n=n), "utf-8")
    (tmp_path / "texts" / "1899.txt").write_text("Title alone", "utf-8")
    return tmp_path / "texts"


def pairs(out, *words):
    return call("cloze", "pairs", *words, "--out", out)


def rows(out, table="cloze/pairs"):
    return open_snapshot(str(out)).read(table).to_pylist()


CUT = ("--layout", "documents", "--skip-paragraphs", "1", "--max-reject-share", "0.5")


def test_documents_to_pairs(texts, tmp_path, capsys):
    out = tmp_path / "out"
    assert pairs(out, texts, *CUT, "--engine", "builtin:en", "--genre", "sea") == 0
    said = capsys.readouterr().out
    assert "6 pairs of 1 passage; 1 of 7 records rejected, empty_summary 1" in said
    found = rows(out)
    assert {pair["passage"] for pair in found} == {"They came back. All were glad."}
    assert {pair["summary"] for pair in found} == {f"The {n} old ships sailed far away." for n in range(6)}
    assert len({pair["article_id"] for pair in found}) == 1
    first = found[0]
    assert first["summary_lemmas"][3:5] == ["ship", "sail"]
    assert first["summary_upos"][2:5] == ["ADJ", "NOUN", "VERB"]
    assert (first["passage_sentences"], first["language"], first["genre"]) == ([0, 4], "en", "sea")
    (reject,) = rows(out, "cloze/rejects")
    assert (reject["source"], reject["reason"]) == ("1899.txt", "empty_summary")
    section = manifest(out)["cloze.pairs"]
    assert (section["pairs"], section["records"], section["articles"]) == (6, 7, 1)


def test_a_corpus_gives_the_same_pairs_with_its_annotation(texts, tmp_path):
    assert corpus(texts, tmp_path / "corpus") == 0
    assert pairs(tmp_path / "raw", texts, *CUT, "--engine", "builtin:en") == 0
    words = ("--layout", "corpus", "--skip-paragraphs", "1", "--max-reject-share", "0.5")
    assert pairs(tmp_path / "out", tmp_path / "corpus", *words) == 0
    # What stands in a corpus has the document's id.
    found = rows(tmp_path / "out")
    assert [{**pair, "source_id": None} for pair in found] == rows(tmp_path / "raw")
    documents = open_snapshot(str(tmp_path / "corpus")).read("documents")["document_id"].to_pylist()
    assert {pair["source_id"] for pair in found} < set(documents)
    assert len(rows(tmp_path / "out", "cloze/rejects")) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--layout", "recam", "--skip-paragraphs", "1"), "--skip-paragraphs"),
        (("--layout", "recam", "--fields", "passage=x"), "--fields"),
        (("--layout", "jsonl", "--kind", "intersection"), "--kind"),
        (("--layout", "corpus", "--engine", "builtin:en"), "--engine"),
        (("--layout", "json", "--format", "csv"), "--format"),
        (("--layout", "tsv", "--text-field", "a", "--fields", "passage=b"), "--text-field"),
        (("--layout", "jsonl", "--min-passage-words", "30000"), "--min-passage-words"),
        (("--layout", "jsonl"), "nothing is published"),
    ],
)
def test_what_makes_no_sense_says_so(texts, tmp_path, capsys, words, said):
    assert pairs(tmp_path / "out", texts, *words) != 0
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out" / "current").exists()


@pytest.mark.parametrize(
    ("layout", "remedies"),
    [
        ("jsonl", "name another --layout, say by --fields where passage and summary stand, or"),
        ("recam", "name another --layout, or"),
        ("documents", "name what there is by --text-field, or"),
    ],
)
def test_too_many_rejects_name_the_layouts_own_remedies_once(tmp_path, capsys, layout, remedies):
    file = tmp_path / "nonspecificity.jsonl"
    broken = "" if layout == "documents" else "[1]\n"
    file.write_text('{"article": "a b", "highlights": "c d"}\n' + broken, "utf-8")
    assert pairs(tmp_path / "out", file, "--layout", layout) == 1
    said = capsys.readouterr().err
    assert f"Correct them, {remedies} allow more with --max-reject-share" in said


ARTICLES = [
    {"n": "a", "story": "The dog barked at the cats. They ran.", "head": "A loud dog barked"},
    {"n": "b", "story": "Ships sailed far away. They came back.", "head": "The old ships sailed"},
]
NAMES = ("--fields", "passage=story,summary=head,id=n", "--engine", "builtin:en")


@pytest.mark.parametrize("layout", ["json", "jsonl", "tsv", "parquet"])
def test_articles_and_headlines_of_any_names(tmp_path, layout):
    file = tmp_path / f"articles.{layout}"
    if layout == "parquet":
        pq.write_table(pa.Table.from_pylist(ARTICLES), file)
    elif layout == "tsv":
        file.write_text("".join("\t".join(row) + "\n" for row in [ARTICLES[0], *(a.values() for a in ARTICLES)]))
    else:
        lines = "\n".join(map(json.dumps, ARTICLES))
        file.write_text(lines if layout == "jsonl" else json.dumps(ARTICLES))
    assert pairs(tmp_path / "out", file, "--layout", layout, *NAMES) == 0
    found = {row["source_id"]: row for row in rows(tmp_path / "out")}
    assert {name: (row["passage"], row["summary"]) for name, row in found.items()} == {
        article["n"]: (article["story"], article["head"]) for article in ARTICLES
    }
    assert found["a"]["summary_lemmas"] == ["a", "loud", "dog", "bark"]
    assert rows(tmp_path / "out", "cloze/rejects") == []


def test_a_column_that_is_not_there_is_told_with_the_flag_that_names_it(tmp_path, capsys):
    pq.write_table(pa.Table.from_pylist(ARTICLES), tmp_path / "a.parquet")
    words = ("--layout", "parquet", "--fields", "passage=story,summary=headline")
    assert pairs(tmp_path / "out", tmp_path / "a.parquet", *words) == 1
    said = capsys.readouterr().err
    assert "a.parquet: no column 'headline'; there are n, story, head" in said
    assert "by --fields, as in passage=article,summary=highlights" in said
    assert not (tmp_path / "out" / "current").exists()


def test_the_questions_of_recam(data, tmp_path):
    found = sorted((data / "recam").glob("Task_1*"))
    if not found:
        pytest.skip("needs recam")
    assert pairs(tmp_path / "out", *found, "--layout", "recam") == 0
    section = manifest(tmp_path / "out")["cloze.pairs"]
    assert (section["pairs"], section["repeated"], section["rejected"]) == (997, 3, 0)
    assert section["targets"] == [{"kind": "imperceptibility", "targets": 1000, "found": 1000}]
    held = {}
    for pair in rows(tmp_path / "out"):
        for target in pair["targets"]:
            word = pair["summary_forms"][target["token"]]
            assert word == target["form"] == target["options"][target["label"]]
            held[int(target["position"])] = (pair["passage"], pair["summary"], target["options"])
    assert sum(len(pair["targets"]) == 2 for pair in rows(tmp_path / "out")) == 3
    for number, line in enumerate(found[0].read_text("utf-8").splitlines(), 1):
        asked = json.loads(line)
        words = [asked[f"option_{n}"] for n in range(5)]
        summary = asked["question"].replace("@placeholder", words[asked["label"]])
        assert held[number] == (asked["article"].replace("\u200f", ""), summary, words)


def test_the_articles_of_bbc(data, tmp_path):
    if not (data / "bbc" / "tech").is_dir():
        pytest.skip("needs bbc")
    words = ("--layout", "documents", "--skip-paragraphs", "1", "--summary")
    folder = data / "bbc" / "tech"
    assert pairs(tmp_path / "out", folder, *words, "first-paragraph", "--language", "en") == 0
    texts = {pair["source"]: pair for pair in rows(tmp_path / "out")}
    for source, pair in texts.items():
        _, summary, passage = (folder / source).read_text("utf-8").split("\n\n", 2)
        assert (pair["summary"].split(), pair["passage"].split()) == (summary.split(), passage.split())
    section = manifest(tmp_path / "out")["cloze.pairs"]
    assert section["records"] == len(list(folder.glob("*.txt")))
    assert section["pairs"] + section["repeated"] + section["rejected"] == section["records"]


def test_a_corpus_of_the_same_run(texts, tmp_path):
    (tmp_path / "run.yaml").write_text(
        "out: out\ncorpus: {inputs: [texts], engine: 'builtin:en'}\n"
        "cloze:\n  pairs: {layout: corpus, skip_paragraphs: 1}\nmax_reject_share: .5\n"
    )
    assert call("run", tmp_path / "run.yaml") == 0
    assert {len(pair["passage_lemmas"]) for pair in rows(tmp_path / "out")} == {8}
