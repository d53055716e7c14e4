"""Functions asked with strings: a sentence in, the simpler sentence out; words in, scores out."""

import inspect
import re
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import pearsonr

import lexbeam
from lexbeam.transforms.complexity.scorers.word_scorer import complexity_by_frequency

WORDS = ["engine", "the", "ordinance", "qwrtzx"]


@pytest.mark.slow
def test_a_sentence_in_the_simpler_sentence_out(tmp_path, monkeypatch, capfd, recwarn):
    monkeypatch.chdir(tmp_path)
    text = "The committee promulgated\t an arduous ordinance.\r\n<b>He</b> left."
    expected = "The committee proclaimed\t a hard regulation.\r\n<b>He</b> left."
    assert lexbeam.simplify.text(text=text, language="en", setting="careful") == expected

    assert not recwarn.list
    assert lexbeam.simplify.text(text=text, language="en") == text
    why = recwarn.pop(UserWarning)
    assert "to have words changed, bring a list of simpler words of your own" in str(why.message)
    assert "with lines such as commenced,began" in str(why.message)
    assert why.filename == __file__  # the line that called
    barred = lexbeam.simplify.text(text=text, language="en", setting="careful", protect=["arduous"], bar={"regulation"})
    assert "an arduous" in barred
    assert "regulation" not in barred
    Path("One sentence.").write_text("The ordinance.")
    assert lexbeam.simplify.text(text="One sentence.", language="en") == "One sentence."  # no path, though one is there
    assert [path.name for path in tmp_path.iterdir()] == ["One sentence."]
    assert "".join(capfd.readouterr()) == ""
    made = lexbeam.simplify.text([text, "It rained."], language="en", setting="careful", out=tmp_path / "out")
    texts = made.table("simplification/documents", ["text"])["text"].to_pylist()
    assert sorted(texts) == ["It rained.", expected.replace("\r\n", "\n")]  # as it is read


@pytest.mark.parametrize(
    "own",
    [
        {"commence": ["begin"], "arduous": ["hard", "tricky"]},
        {"word": ["commenced", "arduous"], "simpler": ["began", "hard"]},
        pd.DataFrame({"hard": ["commenced", "arduous"], "easy": ["began", "hard"]}),
        [("commenced", "began"), ("arduous", "hard")],
        pd.Series({"commenced": "began", "arduous": "hard"}),
    ],
    ids=["lists", "columns", "frame", "pairs", "series"],
)
def test_a_list_of_simpler_words_of_ones_own(own):
    text = "An arduous talk commenced."
    made = lexbeam.simplify.text(text=text, language="en", setting="list", thesaurus=own)
    assert made == "A hard talk began."


def test_words_in_scores_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = lexbeam.complexity.score(words=WORDS)
    assert table.column_names == ["word", "zipf", "complexity"]
    assert table["word"].to_pylist() == WORDS
    zipf, complexity = table["zipf"].to_pylist(), table["complexity"].to_pylist()
    assert complexity[1] < complexity[0] < complexity[2]
    assert (zipf[3], complexity[3]) == (None, None)  # nobody knows it
    for words in (pd.Series(WORDS), tuple(WORDS), pd.DataFrame({"any": WORDS})):
        assert lexbeam.complexity.score(words=words) == table
    assert lexbeam.complexity.score(words="engine").to_pylist() == table.slice(0, 1).to_pylist()
    spanish = lexbeam.complexity.score(words=["casa"], language="es").to_pylist()
    assert spanish[0]["zipf"] > 5
    assert spanish[0]["complexity"] is None  # the two numbers are of English
    assert spanish == lexbeam.complexity.score(words=["casa"], language="Spanish").to_pylist()
    assert not list(tmp_path.iterdir())


def test_what_is_null_throughout_is_shown():
    table = lexbeam.complexity.score(words=["casa"], language="es")
    assert "complexity" in repr(table).split("\n")[0]
    assert "complexity" in table._repr_html_()


def test_lists_of_ones_own_stand_beside_the_scores():
    lists = {"frequency": {"engine": 4.5}, "aoa": pd.Series({"engine": 6, "road": 3})}
    table = lexbeam.complexity.score(words=["engine", "road"], wordlist=lists)
    assert table.select(["frequency", "aoa"]).to_pydict() == {"frequency": [4.5, None], "aoa": [6.0, 3.0]}
    assert table.select(["word", "zipf", "complexity"]) == lexbeam.complexity.score(words=["engine", "road"])
    klingon = lexbeam.complexity.score(words=["engine"], language="tlh", wordlist=lists).to_pylist()
    assert klingon == [{"word": "engine", "zipf": None, "complexity": None, "frequency": 4.5, "aoa": 6.0}]
    with pytest.raises(lexbeam.UsageError, match=r"a list cannot be called 'zipf' here, as a column is"):
        lexbeam.complexity.score(words=["engine"], wordlist={"zipf": {"engine": 1}})


@pytest.mark.slow
def test_a_saved_scorer_says_of_words_what_it_says_of_a_list(tmp_path):
    words = ["engine", "cat", "ordinance", "arduous", "house", "regulation", "committee", "rain"]
    labels = [0.3, 0.05, 0.6, 0.7, 0.1, 0.5, 0.4, 0.1]
    frame = pd.DataFrame({"token": words, "complexity": labels})
    lexbeam.complexity.load(frame, language="en", out=tmp_path / "a")
    lexbeam.complexity.features(tmp_path / "a", use="form,frequency")
    made = lexbeam.complexity.score(tmp_path / "a", scorer="ridge", save=tmp_path / "model", folds=2)
    of_list = lexbeam.complexity.score(made, model=tmp_path / "model", out=tmp_path / "b").table(
        "complexity/predictions"
    )
    names = dict(zip(*made.table("complexity/instances", ["instance_id", "token"]).to_pydict().values(), strict=True))
    expected = {names[row["instance_id"]]: row["prediction"] for row in of_list.to_pylist()}
    table = lexbeam.complexity.score(words=words, model=tmp_path / "model")
    assert dict(zip(*table.select(["word", "complexity"]).to_pydict().values(), strict=True)) == expected


def test_by_frequency_alone_common_words_are_easy():
    table = lexbeam.complexity.score(words=["house", "rain", "committee", "ordinance", "epithelium"])
    zipf = table["zipf"].to_numpy()
    assert pearsonr(zipf, table["complexity"].to_numpy()).statistic == pytest.approx(-1)
    assert complexity_by_frequency(zipf).tolist() == table["complexity"].to_pylist()


def test_passage_and_summary_in_candidates_out():
    passage = "The committee met on Monday and voted for the new law. It was opposed by many farmers."
    table = lexbeam.cloze.candidates(
        passage=passage, summary="Lawmakers approve legislation despite opposition.", kind="nonspecificity"
    )
    passed = dict(zip(table["form"].to_pylist(), table["passed"].to_pylist(), strict=True))
    assert passed == {"Lawmakers": False, "approve": True, "legislation": False, "despite": False, "opposition": True}
    reasons = dict(zip(table["form"].to_pylist(), table["reason"].to_pylist(), strict=True))
    assert reasons["despite"] == "pos"
    head, *rows = str(table).splitlines()
    assert head.split()[:6] == ["form", "lemma", "upos", "kind", "passed", "reason"]
    assert re.match(r"despite +despite +ADP +nonspecificity +no +pos", rows[3])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: lexbeam.simplify.text(text=["a"]),
            r"`text` is list: give a text; several texts are a list, as `inputs`",
        ),
        (lambda: lexbeam.simplify.text("x", text="y"), r"`text` and `inputs` each say what is read: give one"),
        (lambda: lexbeam.simplify.text(text="y", out="x"), r"`out`: of a `text` nothing is published: leave one out"),
        (
            lambda: lexbeam.simplify.text("It rained all day."),
            r"'It rained all day\.' reads like a text, .*: give `text`",
        ),
        (lambda: lexbeam.simplify.text(text="Es regnet.", language="de"), r"give an `engine` that annotates texts of"),
        (lambda: lexbeam.complexity.score(words=[]), r"`words`: there is an empty one, or none"),
        (lambda: lexbeam.complexity.score(words=[1]), r"`words` is a list of int"),
        (lambda: lexbeam.complexity.score(words=["a"], folds=3), r"`folds` has nothing to do with `words`: leave one"),
        (
            lambda: lexbeam.complexity.score("x", language="en"),
            r"`language` goes with `words`: give that, too, or leave",
        ),
        (lambda: lexbeam.complexity.score(words=["a"], model="no such"), r"no such"),
        (
            lambda: lexbeam.complexity.score(words=["a"], language="englsh"),
            r"'englsh' is no language: .*; did you mean 'english'",
        ),
        (lambda: lexbeam.complexity.score(words=["a"], language="xx"), r"'xx' is no language: write a code such as en"),
        (
            lambda: lexbeam.complexity.score(words=["a"], language="klingon"),
            r"`language` 'tlh': wordfreq has no frequencies of it: give a `model` of it, or a `wordlist`",
        ),
        (
            lambda: lexbeam.complexity.score(words=["a"], wordlist=pd.DataFrame({"word": ["a"], "value": [1]})),
            r"`wordlist` needs a name for each list: give a dict",
        ),
        (lambda: lexbeam.cloze.candidates(passage="x"), r"^summary must be given"),
        (lambda: lexbeam.cloze.candidates(passage="x", summary=""), r"^summary is empty: give a value"),
    ],
)
def test_what_is_wrong_is_told(ask, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lexbeam.LexbeamError, match=message):
        ask()
    assert not list(tmp_path.iterdir())


def test_signatures_are_told_apart():
    for function, strings in (
        (lexbeam.simplify.text, ["text"]),
        (lexbeam.complexity.score, ["words"]),
        (lexbeam.cloze.candidates, ["passage", "summary"]),
    ):
        with_strings, without = function.overloads
        for name in strings:
            assert with_strings.parameters[name].default is inspect.Parameter.empty
            assert name not in without.parameters
        assert without.return_annotation is lexbeam.Results
        assert with_strings.return_annotation is not lexbeam.Results
        assert re.search(rf"^    {strings[0]}: ", inspect.getdoc(function), re.MULTILINE)
