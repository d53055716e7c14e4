"""Exit codes and messages of the whole command, and what show and export print."""

import json
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import COMMANDS


def test_help_names_every_command_with_examples(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name, capsys):
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"lexbeam {name}" in capsys.readouterr().out.partition("examples:")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chnage"], "chnage"),
        (["corpus", "x", "--out", "y", "--fromat", "text"], r"did you mean '--format'\?"),
        (["corpus", "x", "--out", "y", "--format", "txt"], r"did you mean 'text'\?"),
        (["corpus", "x", "--out", "y", "--engine", "builtn:en"], r"did you mean 'builtin'\?"),
        (["corpus", "x", "--out", "y", "--dates", "nme:x"], "did you mean 'name'"),
        (["corpus", "x", "--out", "y", "--", "--direct_num_worker=2"], "direct_num_workers"),
        (["change", "x", "--out", "y"], "--slices"),
        (["run", "nowhere.yaml"], "cannot read nowhere.yaml"),
        (["show", "x", "--slice", "y"], "--slice goes with --word or --words or --neighbours"),
        (["show", "x", "--", "--runner=x"], "takes no Beam options"),
    ],
)
def test_bad_usage_exits_with_2_and_names_the_remedy(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.txt").write_text("Text.")
    assert main(words) == 2
    assert re.search(message, capsys.readouterr().err)


def test_failure_exits_with_1(capsys, tmp_path):
    assert main(["corpus", str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == 1
    assert "no input files" in capsys.readouterr().err


def test_a_run_above_the_reject_share_publishes_nothing(capsys, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.txt").write_text("A good text.")
    (tmp_path / "in" / "bad.txt").write_bytes(b"\xff\xfe\xfa bad \xff")
    words = ["corpus", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--engine", "builtin:en"]
    assert main(words) == 1
    message = capsys.readouterr().err
    assert "1 of 2 input records" in message
    assert "undecodable 1" in message
    assert "bad.txt" in message
    assert not (tmp_path / "out" / "current").exists()
    assert main([*words, "--max-reject-share", "0.5"]) == 0
    assert "1 document, 1 reject (undecodable 1)" in capsys.readouterr().out


def test_text_without_an_engine_says_what_to_do(capsys, tmp_path):
    (tmp_path / "a.txt").write_text("Some text.")
    assert main(["corpus", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]) == 1
    assert "--engine" in capsys.readouterr().err


@pytest.fixture(scope="module")
def latin_corpus(tmp_path_factory):
    """A corpus annotated by an engine without a tagger."""
    folder = tmp_path_factory.mktemp("latin")
    (folder / "1850.txt").write_text("Res publica magna est, ut omnes sciunt. " * 20)
    words = [
        "corpus",
        str(folder / "1850.txt"),
        "--out",
        str(folder / "corpus"),
        "--engine",
        "builtin:la",
        "--dates",
        "name:(\\d+)",
    ]
    assert main(words) == 0
    return folder / "corpus"


@pytest.fixture
def latin(latin_corpus, tmp_path):
    return ["change", str(latin_corpus), "--out", str(tmp_path / "out")]


def test_targets_with_a_part_of_speech_need_a_tagger(tmp_path, capsys):
    for year in (1850, 1890):
        (tmp_path / f"{year}.txt").write_text("Res publica magna est, ut omnes sciunt. " * 20)
    out = str(tmp_path / "corpus")
    words = ["--engine", "builtin:la", "--dates", "name:(\\d+)"]
    assert main(["corpus", str(tmp_path / "*.txt"), "--out", out, *words]) == 0
    (tmp_path / "targets").write_text("res_nn\n")
    assert main(["change", "--out", out, "--slices", "every 20", "--targets", str(tmp_path / "targets")]) == 2
    assert "has no upos" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("slices", "code", "message"),
    [
        ("1800-1849,1850-1900", 1, "'1800-1849' has no document"),
        ("1800-1860,1850-1900", 2, "overlap"),
        ("every 20", 0, "no pair of slices: all documents are of 1840-1859"),  # empty, for want of data
        ("-100..-1,0..2000", 1, "'-100..-1' has no document"),
    ],
)
def test_slices_are_checked_before_any_work(latin, capsys, slices, code, message):
    assert main([*latin, "--slices", slices]) == code
    heard = capsys.readouterr()
    assert message in (heard.err if code else heard.out)


def test_show_tells_what_every_table_is(sample_run, capsys):
    assert main(["show", str(sample_run)]) == 0
    out = capsys.readouterr().out
    for table in ("documents", "sentences", "scores", "vectors"):
        assert re.search(rf"^{table}: \d+ rows; a row is", out, re.MULTILINE)
    assert not re.search(r"[{\[]'|': |True|False|None", out)  # of Python
    assert not re.search(r"\b(word|target|seed|slice_from)=", out)
    assert re.search(r"^  documents by year +\d+ in \d+ years, \d+ to \d+$", out, re.MULTILINE)
    assert re.search(r"^  pairs +early to late$", out, re.MULTILINE)
    assert re.search(r"^  slice +from +to +documents ", out, re.MULTILINE)
    assert main(["show", str(sample_run / "documents")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^documents: \d+ rows; a row is a document taken in; the first 5:", out, re.M)
    assert "content hash" in out
    assert main(["show", str(sample_run), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tables"]["slices"] == 2
    assert told["sections"]["change"]["seeds"] == [1, 2]


def test_show_prints_a_table_as_tsv(sample_run, capsys):
    assert main(["show", str(sample_run / "slices"), "--tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t")[:3] == ["slice", "from", "to"]
    assert [line.split("\t")[0] for line in lines[1:]] == ["early", "late"]
    assert main(["show", str(sample_run / "slices"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["slice"] for row in rows] == ["early", "late"]
    assert list(rows[0]) == lines[0].split("\t")
    assert main(["show", str(sample_run / "slices"), "--json", "--tsv"]) == 2


def test_show_tells_of_a_word(sample_run, capsys):
    assert main(["show", str(sample_run), "--word", "the", "--order", "random"]) == 0
    out = capsys.readouterr().out
    for heading in ("counts:", "scores", "nearest neighbours (mean cosine over 2 seeds):"):
        assert heading in out
    uses = [line for line in out.splitlines() if "[the]" in line.lower()]
    assert len(uses) == 20
    assert len({line.index("[") for line in uses[:10]}) == 1
    sources = Counter(re.findall(r"(\d{4}_\d+\.txt), \d{4}$", out, re.MULTILINE))
    assert sum(sources.values()) == 20
    assert max(sources.values()) <= 2
    assert main(["show", str(sample_run), "--word", "the", "--slice", "late"]) == 0
    assert "uses, early" not in capsys.readouterr().out


def test_show_tells_of_several_words_and_of_those_that_are_not_there(sample_run, tmp_path, capsys):
    words = ["show", str(sample_run), "--examples", "2", "--order", "date", "--json"]
    assert main([*words, "--word", "the,thee,and"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["word"] for one in found["words"]] == ["the", "and"]
    assert found["missing"][0]["word"] == "thee"
    assert "the" in found["missing"][0]["near"]
    (tmp_path / "words.txt").write_text("# of mine\nword\tnote\nthe\n\nthee\nand\tnot this\n")
    assert main([*words, "--words", str(tmp_path / "words.txt")]) == 0
    assert json.loads(capsys.readouterr().out) == found
    documents = pd.read_parquet(sample_run / "documents")
    for one in found["words"]:
        assert {use["slice"] for use in one["uses"]} == {"early", "late"}
        for use in one["uses"]:
            text = f"{use['left']}{use['target']}{use['right']}"
            (year,) = re.findall(r"^\d{4}", use["source"])
            assert use["year"] == int(year)
            (whole,) = documents[documents.source == use["source"]].text
            assert text in " ".join(whole.split())
        years = [use["year"] for use in one["uses"] if use["slice"] == "early"]
        assert years == sorted(years)
    assert main(["show", str(sample_run), "--word", "the", "--words", str(tmp_path / "words.txt")]) == 2
    assert "ask one at a time" in capsys.readouterr().err


def test_show_finds_the_corpus_that_change_was_made_from(sample_run, sample_config, tmp_path, capsys):
    change = yaml.safe_load(sample_config.read_text("utf-8"))["change"]
    out = tmp_path / "change"
    words = ["change", str(sample_run), "--out", str(out), "--slices", change["slices"]]
    assert main([*words, "--dim", "5", "--epochs", "1", "--min-sentence", "1"]) == 0
    capsys.readouterr()
    asked = ["--word", "the", "--order", "random"]
    assert main(["show", str(out), *asked]) == 0
    own = capsys.readouterr().out
    assert main(["show", str(sample_run), *asked]) == 0
    assert own.partition("uses,")[2] == capsys.readouterr().out.partition("uses,")[2] != ""
    assert str(sample_run) not in (out / "manifest.json").read_text("utf-8")
    for log in (out / "_snapshots").glob("*.log.json"):
        log.write_text(log.read_text("utf-8").replace(sample_run.name, "nowhere"))
    assert main(["show", str(out), *asked]) == 0
    told = capsys.readouterr().out
    assert "is no longer at" in told
    assert "--corpus" in told
    assert main(["show", str(out), *asked, "--corpus", str(sample_run)]) == 0
    assert capsys.readouterr().out == own


@pytest.mark.parametrize("alignment", ["op", "cca"])
def test_show_tells_the_most_changed_words_again(sample_run, capsys, alignment):
    words = ["show", str(sample_run), "--top", "7", "--alignment", alignment, "--pos", "all"]
    assert main([*words, "--tsv"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    scores = pd.read_parquet(sample_run / "scores").query(
        f"alignment == '{alignment}' and measure == 'cosine' and seed.isna() and ranked"
    )
    expected = scores.sort_values(["score", "word"], ascending=[False, True]).word[:7].tolist()
    assert [line[lines[0].index("word")] for line in lines[1:]] == expected
    assert main([*words, "--json", "--pair", "early:late"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["word"], row["rank"]) for row in rows] == [*zip(expected, range(1, 8), strict=True)]
    assert main(words) == 0
    out = capsys.readouterr().out.splitlines()
    (place,) = [n for n, line in enumerate(out) if line.startswith("  rank  word")]
    assert [line.split()[1] for line in out[place + 1 : place + 8]] == expected
    assert main(["show", str(sample_run), "--top", "3", "--alignment", "cac"]) == 2
    assert "did you mean 'cca'" in capsys.readouterr().err
    assert main([*words, "--pair", "late:early"]) == 2
    assert "there are early:late" in capsys.readouterr().err
    assert main([*words, "--targets"]) == 0
    assert capsys.readouterr().out == "no targets were given\n"


def test_show_lists_the_neighbours_of_any_word(sample_run, capsys):
    published = pd.read_parquet(sample_run / "neighbours").query("seed == 1")
    vectors = pd.read_parquet(sample_run / "vectors")
    listed = published.word.iloc[0]
    other = sorted(set(vectors.word) - set(published.word))[0]
    for word, seeds in ((listed, [1]), (other, [2]), (other, [1, 2])):
        asked = ["--training-seed", str(seeds[0])] if len(seeds) == 1 else []
        words = ["show", str(sample_run), "--neighbours", word, "--n", "3", "--tsv"]
        assert main([*words, *asked]) == 0
        head, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
        found = pd.DataFrame(rows, columns=head)
        for name, near in found.groupby("slice"):
            cosines = []
            for seed in seeds:
                space = vectors[(vectors.slice == name) & (vectors.seed == seed)].set_index("word")
                enough = space[space["count"] >= 20].index.difference([word])
                matrix = np.stack(space.loc[enough].vector)
                own = np.array(space.vector[word])
                lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(own)
                cosines.append(pd.Series(matrix @ own / lengths, enough))
            mean = sum(cosines) / len(seeds)
            assert near.neighbour.tolist() == mean.sort_values(ascending=False).index[:3].tolist()


def test_show_names_near_words(sample_run, capsys):
    assert main(["show", str(sample_run), "--word", "thee"]) == 1
    told = capsys.readouterr().err
    assert re.search(r"no word 'thee' in the tables at .*; did you mean .*the", told)
    assert re.search(r"with at least \d+ uses in a slice \(--min-count\)", told)


@pytest.mark.parametrize("format", ["word2vec", "npy", "tsv"])
def test_export_writes_what_other_tools_read(sample_run, tmp_path, capsys, format):
    out = tmp_path / "vectors"
    words = ["export", str(sample_run), "--format", format, "--out", str(out)]
    assert main([*words, "--aligned", "op"]) == 0
    paths = capsys.readouterr().out.split()
    assert all((tmp_path / path).exists() for path in paths)
    if format == "word2vec":
        from gensim.models import KeyedVectors

        sides = [
            KeyedVectors.load_word2vec_format(out / f"early_to_late_op_{side}_seed1.vec") for side in ("from", "to")
        ]
        scores = pd.read_parquet(sample_run / "scores").query(
            "alignment == 'op' and measure == 'cosine' and seed == 1 and score.notna()"
        )
        for row in scores.itertuples():
            cosine = np.dot(*(side.get_vector(row.word, norm=True) for side in sides))
            assert row.score == pytest.approx(1 - cosine, abs=1e-5)


def test_export_names_a_wrong_alignment(sample_run, tmp_path, capsys):
    words = ["export", str(sample_run), "--format", "npy", "--out", str(tmp_path), "--aligned"]
    assert main([*words, "opp"]) == 2
    assert "did you mean 'op'" in capsys.readouterr().err


def test_the_installed_command_answers():
    command = [sys.executable, "-m", "lexbeam.pipelines.cli", "--help"]
    assert subprocess.run(command, capture_output=True, check=True).stdout


def test_names_of_options_in_data_stay_as_they_are(tmp_path, capsys):
    path = tmp_path / "words.parquet"
    pd.DataFrame({"text": ["the `out` and `min_count` of it"]}).to_parquet(path)
    for words in (["--tsv"], []):
        assert main(["show", str(path), *words]) == 0
        assert "the `out` and `min_count` of it" in capsys.readouterr().out


def test_an_error_shows_flags_of_commands_that_are_not_loaded(tmp_path):
    out = tmp_path / "out"
    (out / "_snapshots" / ("0" * 32)).mkdir(parents=True)
    (out / "_snapshots" / ("0" * 32) / "manifest.json").write_text("{")
    (out / "current").symlink_to("_snapshots/" + "0" * 32)
    words = ["export", str(out), "--format", "npy", "--out", str(tmp_path / "vectors")]
    run = subprocess.run([sys.executable, "-m", "lexbeam.pipelines.cli", *words], capture_output=True, text=True)
    assert run.returncode == 1
    assert "make the tables anew with --overwrite" in run.stderr
