"""`lexbeam cloze explain`: from two texts in files to what is told of each word."""

import json

import pytest
from asked import SYNSETS, VEC
from small_runs import call
from wordnet_making import write_wordnet

import lexbeam
from lexbeam import UsageError
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.lexicon import resources

pytestmark = pytest.mark.slow

PASSAGE = "A hound stays.\n\nIt was small, and the dogs stay here."
SUMMARY = "The dog goes to the big house."
LETTERS = "aeioubdf"


@pytest.fixture
def given(tmp_path, monkeypatch):
    """A folder with texts, WordNet and vectors; the options that name them."""
    write_wordnet(tmp_path / "wordnet", SYNSETS, index_sense=False)
    lines = [f"{word} {' '.join(map(str, numbers))}" for word, numbers in VEC.items()]
    (tmp_path / "some.vec").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    (tmp_path / "passage.txt").write_text(PASSAGE + "\n", "utf-8")
    (tmp_path / "summary.txt").write_text(SUMMARY + "\n", "utf-8")
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return {"passage": "passage.txt", "summary": "summary.txt", "engine": "builtin:en"}


def flags(options):
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def told(options, *more, capsys):
    capsys.readouterr()
    assert call("cloze", "explain", *flags(options), *more) == 0
    return capsys.readouterr()


def rows_of(options, *more, capsys):
    return json.loads(told(options, *more, "--json", capsys=capsys).out)


@pytest.fixture
def model(given, tmp_path):
    """A model of how concrete words are, by their letters."""
    words = [f"{a}{b}{c}" for a in LETTERS for b in LETTERS for c in "st"]
    lines = [f"{word}\t{1 + 4 * (at / len(words))}" for at, word in enumerate(words)]
    (tmp_path / "rated.tsv").write_text("word\tvalue\n" + "\n".join(lines) + "\ndog\t5\nhouse\t1\n")
    lexbeam.cloze.abstractness(
        ratings="rated.tsv:word=word,value=value",
        out=tmp_path / "model",
        inputs="ngrams",
        estimator="ridge",
        resamples=0,
    )
    return "model"


def test_it_says_what_candidates_are_told(given, model, tmp_path, capsys):
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"passage": PASSAGE, "summary": SUMMARY}))
    lexbeam.cloze.pairs("pairs.jsonl", layout="jsonl", engine="builtin:en", out="out")
    asked = {
        "abstractness": model,
        "wordnet": "wordnet",
        "vectors": "some.vec",
        "sense": "any",
        "relation-match": "lemma",
        "static-threshold": "0.5",
        "depth-below": "2",
    }
    assert (
        call("cloze", "candidates", "out", "--kind", "imperceptibility,nonspecificity,intersection", *flags(asked)) == 0
    )
    published = open_snapshot("out").read("cloze/candidates").to_pylist()
    found = rows_of({**given, **asked}, capsys=capsys)
    shared = published[0].keys() & found[0].keys()
    assert {"question_id", "kind", "passed", "reason", "synonym_match", "static_value"} < shared
    expected = {(row["question_id"], row["kind"]): row for row in published}
    assert len(found) == len(expected) == 7 * 3
    for row in found:
        own = expected[row["question_id"], row["kind"]]
        assert {name: row[name] for name in shared} == {name: own[name] for name in shared}


def test_a_model_of_another_language_is_refused(given, model, tmp_path):
    made = {"out": tmp_path / "spanish", "inputs": "ngrams", "estimator": "ridge", "resamples": 0}
    lexbeam.cloze.abstractness(ratings="rated.tsv:word=word,value=value,language=es", **made)
    with pytest.raises(UsageError, match="model of language 'es', and the pairs are of en"):
        lexbeam.cloze.explain(**given, wordnet="wordnet", abstractness="spanish")
    made |= {"out": tmp_path / "both", "wordnet": "wordnet", "inputs": "wordnet"}
    lexbeam.cloze.abstractness(ratings="rated.tsv:word=word,value=value,language=eng", **made)
    with pytest.raises(UsageError, match=r"of one language, and there are several \(rated.tsv: es; wordnet: en\)"):
        lexbeam.cloze.abstractness(ratings="rated.tsv:word=word,value=value,language=es", **made)


def test_each_word_has_sense_gloss_depth_rating_and_what_offends(given, model, capsys):
    asked = {"abstractness": model, "wordnet": "wordnet", "sense": "first", "depth-below": "2"}
    found = rows_of({**given, **asked}, capsys=capsys)
    assert [row["form"] for row in found[::3]] == ["The", "dog", "goes", "to", "the", "big", "house"]
    dog = [row for row in found if row["form"] == "dog"]
    assert [row["kind"] for row in dog] == ["imperceptibility", "nonspecificity", "intersection"]
    for row in dog:
        assert (row["sense"], row["gloss"], row["depth"]) == ("dog.n.1", "it barks", 2)
        assert row["rating"] == 1
        assert (row["lemma_value"], row["lemma_match"], row["lemma_passed"]) == (1, "dogs", False)
        assert (row["synonym_value"], row["synonym_match"]) == (1, "hound")
        assert row["passed"] is False
    assert [row["reason"] for row in dog] == ["abstractness", "nonspecificity", "abstractness"]
    goes = next(row for row in found if row["form"] == "goes")
    assert (goes["sense"], goes["gloss"]) == ("go.v.1", "change place")
    big = next(row for row in found if row["form"] == "big")
    assert (big["sense"], big["antonym_match"], big["antonym_passed"]) == (None, "small", False)


def test_what_is_lacking_is_told_and_leaves_verdicts_open(given, capsys, monkeypatch, caplog, tmp_path):
    said = told({**given, "wordnet": "wordnet"}, "--json", capsys=capsys)
    assert "no model is named (`abstractness`)" in caplog.text
    found = json.loads(said.out)
    house = {row["kind"]: row for row in found if row["form"] == "house"}
    assert all(row["rating"] is None for row in found)
    assert house["imperceptibility"]["passed"] is None
    assert house["imperceptibility"]["reason"] is None
    assert house["nonspecificity"]["reason"] == "nonspecificity"
    monkeypatch.setattr(resources, "DEBIAN", str(tmp_path / "nothing"))
    said = told(given, "--json", capsys=capsys)
    assert "there is no WordNet (`wordnet`)" in caplog.text
    found = json.loads(said.out)
    assert {row["reason"] for row in found} == {"pos", "lemma", None}
    assert all(row["passed"] is None for row in found if row["reason"] is None)
    assert all(row["sense"] is None and row["synonym_passed"] is None for row in found)


def test_a_person_reads_grids(given, model, capsys):
    asked = {"abstractness": model, "wordnet": "wordnet", "sense": "first"}
    said = told({**given, **asked}, capsys=capsys).out
    lines = [line.split() for line in said.splitlines()]
    assert ["word", "lemma", "tag", "imperceptibility", "nonspecificity", "intersection"] in lines
    assert ["dog", "dog", "NOUN", "×", "abstractness", "×", "lemma", "×", "abstractness"] in lines
    assert ["dog", "1.00", "×", "2", "dog.n.1", "it", "barks"] in lines
    assert ["dog", "0", "1", "dogs", "×", "1", "hound", "×", "0"] in lines
    assert "nonspecificity lets through what is below 6" in said
    assert "not asked: static, contextual" in said


def test_rows_are_the_same_as_json_and_tab_separated_and_in_python(given, capsys):
    options = {**given, "wordnet": "wordnet", "kind": "nonspecificity"}
    lines = told(options, "--tsv", capsys=capsys).out.splitlines()
    found = rows_of(options, capsys=capsys)
    assert lines[0].split("\t") == list(found[0])
    assert [line.split("\t")[3] for line in lines[1:]] == [row["form"] for row in found]
    assert "".join(lexbeam.cloze.explain(**options, json=True)) == json.dumps(found, ensure_ascii=False).replace(
        "}, {", "},{"
    )


def test_word_forms_alone_are_enough(given, capsys, caplog):
    plain = {name: given[name] for name in ("passage", "summary")}
    said = told({**plain, "wordnet": "wordnet", "language": "de"}, "--json", capsys=capsys)
    assert "there is no WordNet for language 'de'" in caplog.text
    caplog.clear()
    assert {row["reason"] for row in json.loads(said.out)} >= {"repeated", "nonspecificity"}
    # Nothing says a language: it is that of ReCAM and of WordNet.
    said = told({**plain, "wordnet": "wordnet"}, "--json", capsys=capsys)
    assert "there is no WordNet" not in caplog.text
    dog = next(row for row in json.loads(said.out) if row["form"] == "dog")
    assert (dog["upos"], dog["pos_passed"], dog["synonym_match"]) == (None, None, "hound")
    assert (dog["gloss"], dog["depth"]) == ("it barks", 2)


@pytest.mark.parametrize(
    ("texts", "more", "named"),
    [
        ({"summary": "Dogs"}, {}, "1 word; `min_summary_words` is 2"),
        ({"passage": " \n"}, {}, "the passage has no word"),
        ({"passage": "word " * 50_000}, {}, "50000 words; `max_passage_words` is 20000"),
        ({"summary": "The @placeholder barks."}, {}, "@placeholder in the summary"),
        ({}, {"kind": "imperceptibility"}, "needs `abstractness`"),
        ({}, {"static_threshold": "quantile:0.9", "vectors": "some.vec"}, "`static_threshold`"),
        ({}, {"filters": "static"}, "needs `vectors`"),
        ({}, {"passage": "nothing.txt"}, "nothing.txt"),
        ({}, {"tsv": True, "json": True}, "`tsv` and `json`"),
    ],
)
def test_what_cannot_be_asked_is_told(given, tmp_path, texts, more, named):
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    with pytest.raises(UsageError, match=named):
        lexbeam.cloze.explain(**{**given, "wordnet": "wordnet", **more})
