"""Texts that the engine cannot cut into words are left out before annotation; a corpus of them is none."""

import json

import pyarrow.parquet as pq
import pytest

import lexbeam
from lexbeam.pipelines.cli import main

TWEET = "RT @user_name: 老师讲了很多故事，新电影真好看，老师讲了很多故事 https://t.co/ebhhddMgjf"
CHINESE = "政府在2020年公布了新政策。经济增长很快，大家都很高兴。"


def texts_of(tmp_path, number, chinese):
    rows = [
        {"id": str(n), "text": CHINESE if n in chinese else f"Text {n} is short, but it is one."} for n in range(number)
    ]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(tmp_path / "texts.jsonl")]


@pytest.mark.slow
def test_a_corpus_of_another_script_ends_before_annotation(tmp_path):
    inputs = texts_of(tmp_path, 20, range(20))
    with pytest.raises(lexbeam.LexbeamError) as error:
        lexbeam.corpus(inputs, out=str(tmp_path / "out"), engine="builtin:en", parts=1)
    said = str(error.value)
    assert "20 of 20 input records were rejected (script 20)" in said
    assert "100 % of its letters are Han; the language of the engine is written in Latin" in said
    assert "engines for Han: builtin:zh" in said
    assert "name an engine of their language by `engine` (those for the script found are named with it" in said
    assert not [path for path in (tmp_path / "out").rglob("*") if "annotate" in path.name]

    results = lexbeam.corpus(inputs, out=str(tmp_path / "out"), engine="builtin:zh", duplicates="keep", parts=1)
    (sentence, *_) = results.table("sentences").to_pylist()
    assert sentence["forms"] == ["政府", "在", "2020", "年", "公布", "了", "新", "政策", "。"]
    assert sentence["upos"][0] == "NOUN"


@pytest.mark.slow
def test_tweets_of_another_script_end_before_annotation(tmp_path):
    tweets = [{"text": f"{TWEET} {n}"} for n in range(40)]
    with pytest.raises(lexbeam.LexbeamError, match=r"40 of 40 .* \(script 40\)"):
        lexbeam.corpus(tweets, out=str(tmp_path / "out"), engine="builtin:en", dates="1990")


@pytest.mark.slow
def test_one_among_many_is_a_reject(tmp_path):
    lexbeam.corpus(texts_of(tmp_path, 40, {7}), out=str(tmp_path / "out"), engine="builtin:en", parts=1)
    (part,) = (tmp_path / "out" / "current" / "rejects").glob("*.parquet")
    (reject,) = pq.read_table(part).to_pylist()
    assert (reject["stage"], reject["reason"]) == ("ingest", "script")


@pytest.mark.slow
def test_other_commands_refuse_such_texts_too(tmp_path, capsys):
    (tmp_path / "labelled.tsv").write_text(f"id\tcorpus\tsentence\ttoken\tcomplexity\n1\tnews\t{CHINESE}\t政策\t0.5\n")
    (tmp_path / "marked.tsv").write_text(f"{CHINESE.replace('政策', '[[政策]]', 1)}\n")
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"passage": CHINESE * 3, "summary": CHINESE}) + "\n")
    (tmp_path / "text.txt").write_text(CHINESE)
    commands = [
        ["complexity", "load", "labelled.tsv", "--layout", "complex"],
        ["simplify", "instances", "marked.tsv", "--layout", "text"],
        ["simplify", "instances", "text.txt", "--layout", "documents", "--targets", "content"],
        ["cloze", "pairs", "pairs.jsonl", "--layout", "jsonl"],
    ]
    wrong = []
    for number, words in enumerate(commands):
        place = [str(tmp_path / word) if "." in word else word for word in words]
        code = main([*place, "--out", str(tmp_path / f"out{number}"), "--engine", "builtin:en"])
        said = capsys.readouterr().err
        if code != 1 or "(script 1)" not in said or "engines for Han: builtin:zh" not in said:
            wrong.append((words, code, said))
    assert not wrong
