"""Data frames, tables, lists and dicts in place of paths."""

import datetime
import json
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from python_runs import SMALL

import lexbeam
from lexbeam._given import given_as_files
from lexbeam._signatures import option_values
from lexbeam.pipelines.frame.command import PublishOptions
from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, option, options_of
from lexbeam.transforms.common.options.option import DATA

DATES = ("1801-05-01", "1822-01-01", "1840-12-31", "1961-05-01", "1982-01-01", "1999-12-31")
ROWS = [
    {"text": f"The engine of number {n} runs well. We “see”\tthe engine again.", "date": date, "n": n}
    for n, date in enumerate(DATES)
]
FRAME = pd.DataFrame(ROWS).assign(date=lambda frame: pd.to_datetime(frame["date"]))
CORPUS = {"engine": "builtin:en", "dates": "field:date", "parts": 2}
READ = ("input", "file", "resource")  # what paths may be that are read
PERIODS = [(1800, 1849), (1950, 1999)]

# Words, and sentences of scripts without spaces or full stops.
WORDS = ["Hello", "world", "ខ្ញុំស្រលាញ់ប្រទេសកម្ពុជា", "ຂ້ອຍຮັກປະເທດລາວ"]

KINDS = {
    "pandas": FRAME,
    "Polars": pl.DataFrame(ROWS).with_columns(pl.col("date").str.to_date()),
    "Arrow": pa.table({name: [row[name] for row in ROWS] for name in ROWS[0]}),
    "batch": pa.RecordBatch.from_pylist(ROWS),
    "dicts": ROWS,
    "generator": (row for row in ROWS),
    "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "dates of Python": [{**row, "date": datetime.date.fromisoformat(row["date"])} for row in ROWS],
}


def written(command, out, **values):
    """Return what options of a command become, with the content of the file that each names."""
    cls = load(command).options
    more = {"engine": "none"} if command == "corpus" else {}
    with given_as_files(cls, {"out": out, **more, **values}) as given:
        made = from_mapping(cls, option_values(cls, given))
        paths = {name: given[name] for name in values}
        texts = {}
        for name, value in paths.items():
            value = value[0] if isinstance(value, list) else value
            texts[name] = Path(value).read_text("utf-8") if os.path.isfile(str(value)) else value
    return made, texts


def test_options_say_in_a_known_form_what_data_they_take():
    entries = [(words, entry) for words in COMMANDS for entry in options_of(load(words).options).values()]
    wrong = [(words, entry.name) for words, entry in entries if entry.data and entry.data not in DATA]
    wrong += [(words, entry.name) for words, entry in entries if entry.data and entry.path not in READ]
    assert wrong == []
    assert {entry.data for _, entry in entries} == {"", *DATA}


def test_data_of_any_kind_is_the_same_file(tmp_path):
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS]
    for kind, data in KINDS.items():
        made, texts = written("corpus", tmp_path, inputs=data)
        assert texts["inputs"] == "".join(lines), kind
        assert re.fullmatch(r".*/_given/[0-9a-f]{32}/inputs\.jsonl", made.inputs[0])
    assert len(os.listdir(tmp_path / "_given")) == 1  # named by content
    other, _ = written("corpus", tmp_path, inputs=ROWS[:2])
    assert other.inputs != made.inputs
    assert len(os.listdir(tmp_path / "_given")) == 2


@pytest.mark.parametrize(
    "texts",
    [
        ["It rained all day.", "ok", "Then\nit stopped"],
        ("It rained all day.", "ok", "Then\nit stopped"),
        pd.Series(["It rained all day.", "ok", "Then\nit stopped"]),
        pl.Series(["It rained all day.", "ok", "Then\nit stopped"]),
        pa.array(["It rained all day.", "ok", "Then\nit stopped"]),
        pd.DataFrame({"text": ["It rained all day.", "ok", "Then\nit stopped"]}).to_numpy().ravel(),
    ],
)
def test_texts_alone(texts, tmp_path):
    _, content = written("corpus", tmp_path, inputs=texts)
    expected = ["It rained all day.", "ok", "Then\nit stopped"]
    assert [json.loads(line)["text"] for line in content["inputs"].splitlines()] == expected


def test_a_text_is_never_taken_for_a_path_nor_a_path_for_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "It rained all day.").write_text("x")
    (tmp_path / "novel.txt").write_text("x")
    for paths in (
        ["It rained all day."],
        ["novel.txt"],
        ["none.txt"],
        ["no such/*.txt"],
        ["b/a.txt", "b/c"],
        ["none*"],
    ):
        made, _ = written("corpus", tmp_path / "out", inputs=paths)
        assert made.inputs == tuple(str(tmp_path / path) for path in paths)
    made, _ = written("corpus", tmp_path / "out", inputs="novel.txt")
    assert made.inputs == (str(tmp_path / "novel.txt"),)
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match=r"a text, 'It snowed\.', and a path, 'novel\.txt': give either"):
        written("corpus", tmp_path, inputs=["It snowed.", "novel.txt"])
    with pytest.raises(UsageError, match=r"reads like a text, and nothing is there: give texts in a list, inputs=\["):
        written("corpus", tmp_path, inputs="It snowed all day.")
    for doubtful in (["my old novels.txt"], ["a or b.txt", "novel"], ["a/b", "ok"], ["https://a.org", "lol"]):
        with pytest.raises(UsageError, match=rf"'{doubtful[0]}': nothing is there; if it is a text, say so by a dict"):
            written("corpus", tmp_path, inputs=doubtful)
    for text in ("What? No.", "Was it [here]?", "今天天气很好。", "a/b or c.d e", "x" * 256, "a b", *WORDS):
        assert json.loads(written("corpus", tmp_path, inputs=[text])[1]["inputs"]) == {"text": text}
    tweets = ["It snowed all day.", "https://a.org/b.html", "What?", "lol", "more at example.com"]
    assert written("corpus", tmp_path, inputs=tweets)[1]["inputs"].count("\n") == len(tweets)
    assert written("corpus", tmp_path, inputs=WORDS)[1]["inputs"].count("\n") == len(WORDS)
    made, _ = written("corpus", tmp_path, inputs=["novel.txt", "Hello"])  # one is there
    assert made.inputs == (str(tmp_path / "novel.txt"), str(tmp_path / "Hello"))
    made, texts = written("corpus", tmp_path, inputs=[{"text": "novel.txt"}, {"text": "It snowed."}])
    assert texts["inputs"].count("\n") == 2  # of dicts it is what it says


def test_words_of_a_list_are_no_paths(tmp_path):
    made, texts = written("complexity load", tmp_path, inputs=["engine", "road"], layout="tsv")
    assert (made.layout, texts["inputs"]) == ("tsv", "token\nengine\nroad\n")
    assert written("complexity load", tmp_path, inputs=["engine", "road"])[1]["inputs"] == texts["inputs"]
    frame = pd.DataFrame({"word": ["engine"], "complexity": [0.5]})  # nothing is noted of its header
    assert written("complexity load", tmp_path, inputs=frame)[1]["inputs"] == "token\tcomplexity\nengine\t0.5\n"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda out: lexbeam.corpus(["none.txt"], out=out),
            r"no input files at '.*none\.txt': .*; if it is a text, say so by a dict, \[\{'text': \.\.\.\}\]",
        ),
        (
            lambda out: lexbeam.corpus("ຂ້ອຍຮັກປະເທດລາວ", out=out),
            r"no input files at .*; if it is a text, give texts in a list, inputs=\[\.\.\.\]",
        ),
        (
            lambda out: lexbeam.complexity.load(["none.tsv"], layout="tsv", out=out),
            r"no input files at .*; if it is a text, say so by a dict, \[\{'token': \.\.\.\}\]",
        ),
        (lambda out: lexbeam.simplify.text("Hello", out=out), r"no input files at .*; if it is a text, give `text`"),
        (
            lambda out: lexbeam.simplify.instances(["The arduous task began on Monday.", "It rained."], out=out),
            r"^`inputs`: its layout is not recognised; .*Sentences of your own have marks, \[\[target\]\]",
        ),
        (
            lambda out: lexbeam.evaluate.change(gold=pd.DataFrame({"word": ["a"], "x": ["y"]}), predictions={"a": 1}),
            r"^`gold` has no column of gold values: it has 'word', 'x'; name one as",
        ),
        (
            lambda out: lexbeam.evaluate.complexity(gold={"a": "b"}, predictions={"a": 1}, out=out),
            r"^`gold`, line 1: id 'a' with 'b', where an id and a number should be",
        ),
        (
            lambda out: lexbeam.evaluate.change(gold={"a": 1}, predictions={"mine": {"a": "b"}}, out=out),
            r"^`predictions` 'mine'",
        ),
    ],
)
def test_messages_name_arguments_and_not_files_that_the_call_wrote(call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lexbeam.LexbeamError, match=message) as caught:
        call("out")
    assert "_given" not in str(caught.value)
    assert not re.search(r"(inputs|gold|mine)\.(tsv|jsonl)", str(caught.value))


@pytest.mark.slow
def test_texts_without_an_engine_get_that_of_their_language_and_are_told(tmp_path):
    made = lexbeam.corpus(FRAME, out=tmp_path / "df", dates="field:date")
    assert made.told.warnings[0] == "engine builtin:en, by the texts; name one as `engine` to fix it"
    assert "engine builtin:en, by the texts" in str(made.summary())
    assert made.sections["corpus"]["options"]["engine"] == "builtin:en"
    again = lexbeam.corpus(FRAME, out=tmp_path / "df", dates="field:date", engine="builtin:en", overwrite=True)
    assert again.snapshot.name == made.snapshot.name  # as if it had been given
    assert not any("by the texts" in line for line in again.told.warnings)


@pytest.mark.parametrize(
    ("inputs", "options", "engine"),
    [
        (["Der Hund lag unter dem Tisch.", "Es war so, wie es immer war."], {}, "builtin:de"),
        ([{"text": "ship", "language": "English"}], {}, "builtin:en"),
        (["ship"], {"language": "fr"}, "builtin:fr"),
        ([{"body": "The ship was there, and it was not here."}], {"text_field": "body"}, "builtin:en"),
        (["The ship was there, and it was not here."], {"engine": "builtin:fr"}, "builtin:fr"),
        (["The ship was there, and it was not here."], {"engine": "none"}, "none"),
        ([__file__], {}, None),  # files may come annotated, and would be annotated anew
        ([FRAME, Path(__file__)], {}, None),
    ],
)
def test_the_engine_is_that_of_the_language(inputs, options, engine, tmp_path):
    with given_as_files(load("corpus").options, {"inputs": inputs, "out": tmp_path, **options}) as given:
        assert given.get("engine") == engine


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["안녕하세요 여러분"], r"`engine` must be given: no installed one knows 'ko', the language of the texts"),
        (
            ["qwrt"],
            r"the language of the texts, such as 'qwrt', was not recognised; .* If these are paths, nothing is there",
        ),
    ],
)
def test_without_an_engine_for_the_language_it_is_asked_for(inputs, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        lexbeam.corpus(inputs, out=tmp_path / "out")


def test_several_frames_and_paths_are_a_file_each(tmp_path):
    values = {"inputs": [FRAME, tmp_path, pl.DataFrame(ROWS[:1])], "out": tmp_path}
    with given_as_files(load("corpus").options, values) as given:
        assert [os.path.basename(path) for path in given["inputs"]] == ["inputs.jsonl", tmp_path.name, "inputs.jsonl"]


def test_words_values_and_cells(tmp_path):
    for words in (
        ["engine", "car_nn"],
        pd.Series(["engine", "car_nn"]),
        pl.DataFrame({"target": ["engine", "car_nn"]}),
    ):
        assert written("change", tmp_path, slices="1-2", targets=words)[1]["targets"] == "engine\ncar_nn\n"
    generated = (word for word in ["engine", "car_nn"])
    assert written("change", tmp_path, slices="1-2", targets=generated)[1]["targets"] == "engine\ncar_nn\n"
    assert written("change", tmp_path, slices="1-2", targets={"b", "a"})[1]["targets"] == "a\nb\n"
    plain = "engine\t1\ncar\t0.5\n"
    for gold in ({"engine": 1, "car": 0.5}, [("engine", 1), ("car", 0.5)]):
        assert written("evaluate change", tmp_path, gold=gold)[1]["gold"] == plain
    series = pd.Series({"engine": 1.0, "car": 0.5})
    assert written("evaluate change", tmp_path, gold=series)[1]["gold"] == "engine\t1.0\ncar\t0.5\n"
    frame = pd.DataFrame({"word": ["engine", "car"], "binary": [True, False], "graded": [0.5, None]})
    expected = "word\tbinary\tgraded\nengine\t1\t0.5\ncar\t0\t\n"
    assert written("evaluate change", tmp_path, gold=frame)[1]["gold"] == expected
    assert written("evaluate change", tmp_path, gold=frame.set_index("word"))[1]["gold"] == expected


def test_tables_have_names(tmp_path):
    systems = {"mine": {"engine": 1}, "old one": pd.DataFrame({"word": ["car"], "score": [2]})}
    made, _ = written("evaluate change", tmp_path, predictions=systems, gold={"engine": 1, "car": 0})
    assert [Path(path).name for path in made.predictions] == ["mine.tsv", "old one.tsv"]
    assert Path(made.predictions[1]).read_text("utf-8") == "word\tscore\ncar\t2\n"
    with pytest.raises(UsageError, match=r"'a/b' is the name of a file, too: write letters"):
        written("evaluate change", tmp_path, predictions={"a/b": {"engine": 1}}, gold={"engine": 1})


def test_word_lists(tmp_path):
    lists = {"aoa": {"engine": 6.2, "car": 3.1}, "other": pd.DataFrame({"word": ["a"], "value": [1], "sd": [2]})}
    made, _ = written("complexity features", tmp_path, wordlist=lists)
    (name, path), (other, _) = [text.split("=", 1) for text in made.features.wordlist]
    assert (name, other) == ("aoa", "other")
    assert path.endswith("/wordlist.tsv:word=word,value=value")
    with open(path.partition(":")[0], encoding="utf-8") as stream:
        assert stream.read() == "word\tvalue\nengine\t6.2\ncar\t3.1\n"
    with pytest.raises(UsageError, match=r"needs a name for each list: give a dict"):
        written("complexity features", tmp_path, wordlist=pd.DataFrame({"word": ["a"], "value": [1]}))
    with pytest.raises(UsageError, match=r"has columns 'word' and 'value', and it has 'a', 'b', 'c': rename them"):
        written("complexity features", tmp_path, wordlist={"x": pd.DataFrame({"a": ["a"], "b": [1], "c": [2]})})


def test_lists_within_cells_and_quotes(tmp_path):
    frame = pl.DataFrame({"target": ["a"], "sentence": ['"a"\tb'], "substitutes": [["x", "y"]]})
    assert written("evaluate simplify", tmp_path, gold=frame)[1]["gold"] == '"a" b\ta\tx\ty\n'
    assert written("simplify instances", tmp_path, inputs=frame)[1]["inputs"].splitlines()[1] == 'a\t"a" b\tx|y'
    marked = ["It was [[hard]].", "ok"]
    assert written("simplify instances", tmp_path, inputs=marked)[1]["inputs"] == "It was [[hard]].\nok\n"
    made, texts = written("complexity load", tmp_path, inputs=pd.DataFrame({"token": ["a"], "sentence": ['"a"\nb']}))
    assert made.layout == "tsv"
    assert texts["inputs"] == 'token\tsentence\na\t"""a""\nb"\n'


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (PERIODS, "1800-1849,1950-1999"),
        ([[None, -1], [0, None]], "..-1,0.."),
        ({"early": (1800, 1849), "late": (1950, 1999)}, "early=1800-1849,late=1950-1999"),
        (["1800-1849", (1950, 1999)], "1800-1849,1950-1999"),
        ((1800, 1849), "1800-1849"),
        ([("1800", "1849"), (1950, 1999)], "1800-1849,1950-1999"),
        ([(1800.0, 1849.0), (np.float64(1950), np.float32(1999))], "1800-1849,1950-1999"),
        ([(np.int64(1800), np.int32(1849))], "1800-1849"),
        (np.array(PERIODS), "1800-1849,1950-1999"),
        ([("early", 1800, 1849), ("late", (1950, None))], "early=1800-1849,late=1950.."),
        (("early", 1800, 1849), "early=1800-1849"),
        ([range(1800, 1850), range(1950, 2000)], "1800-1849,1950-1999"),
        ({"early": range(1800, 1850), "late": ("1950", 1999)}, "early=1800-1849,late=1950-1999"),
        ({"early": "1800-1849"}, "early=1800-1849"),
    ],
)
def test_slices_are_pairs_of_years(stated, expected):
    cls = load("change").options
    assert from_mapping(cls, option_values(cls, {"slices": stated, "out": "x"})).slices == expected


@pytest.mark.parametrize(
    "stated",
    [
        [(1800.5, 1849)],
        [1800, 1849, 1900],
        [("a", "b")],
        [1800, "1850-1900"],
        [[1800]],
        [(1800, 1849, 1900)],
        [(True, 1849)],
        [(float("nan"), 1849)],
        [range(1800, 1850, 2)],
        [{"from": 1800}],
        {1800: 1849},
        {},
        [],
        FRAME,
        [(FRAME, 1849)],
    ],
)
def test_what_is_no_pair_of_years_is_told_the_form(stated):
    cls = load("change").options
    with pytest.raises(
        UsageError, match=r"`slices`: .* is no period: give pairs of years, \[\(1800, 1849\), \(1950, 1"
    ):
        from_mapping(cls, option_values(cls, {"slices": stated, "out": "x"}))


WRONG = [
    ({"inputs": FRAME.rename(columns={"text": "texts"})}, r"no column 'text'; did you mean 'texts'\?"),
    ({"inputs": FRAME[["n"]]}, r"no column 'text'; it has 'n': name the column of the texts by `text_field`"),
    ({"inputs": FRAME, "text_field": "body"}, r"no column 'body'; it has 'text', 'date', 'n'"),
    ({"inputs": FRAME[:0]}, r"of columns 'text', 'date', 'n', is empty: give at least one row"),
    ({"inputs": []}, r"`inputs`: what is given is empty: give at least one row"),
    ({"inputs": [{"text": 3}]}, r"row 1: the text is int, 3: give texts alone"),
    ({"inputs": [{"text": "a"}, "b"]}, r"a list that mixes dict and str: give items of one kind"),
    ({"inputs": [1, 2]}, r"is a list of int: give a data frame, .* or a list of texts"),
    ({"inputs": 3}, r"takes a path, a data frame, .*, not int"),
    ({"inputs": [("a", "b")]}, r"rows have 2 values without names: give dicts, or a data frame"),
    (
        {"inputs": pd.DataFrame({"text": ["a", 3]})},
        r"the data frame cannot be read: .*text.*give each column values of one",
    ),
    ({"inputs": pl.DataFrame(ROWS).lazy()}, r"LazyFrame is not computed yet: give what its `collect\(\)` returns"),
    ({"inputs": {"text": ["a"], "year": 3}}, r"'text' is a column and 'year' a single value"),
    ({"inputs": {"text": ["a"], "year": [1, 2]}}, r"its columns differ in length \(text 1, year 2\)"),
    ({"inputs": [{"text": "a", "x": b"b"}]}, r"row 1, column 'x' is bytes: give a text or a number"),
    ({"inputs": [{"text": "a", "x": float("inf")}]}, r"row 1, column 'x' is inf: give a number"),
    (
        {"inputs": FRAME, "format": "csv"},
        r"`format` 'csv' is one of files, and `inputs` is given as data: leave it out",
    ),
    ({"inputs": FRAME, "normalise": FRAME}, r"`normalise` takes a path, not DataFrame: write it to a file first"),
    (
        {"inputs": pd.Series([__file__])},
        r"what stands for texts are paths of files, .*give a list of paths, as by `.tol",
    ),
]


@pytest.mark.parametrize(("values", "message"), WRONG)
def test_what_is_wrong_names_cause_and_remedy(values, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        lexbeam.corpus(**values, out=tmp_path / "out")
    assert not (tmp_path / "out" / "_snapshots").exists()


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (FRAME, r"has columns 'text', 'date', 'n': give the words alone"),
        ("engine", r"no such file is there; words are given in a list, targets=\['engine'\]"),
        ("engine,road", r"words are given in a list, targets=\['engine', 'road'\]"),
        (["engine", ""], r"row 2: '' is no word: leave it out"),
        (["engine", None], r"mixes str and NoneType"),
        (
            pd.DataFrame({"a": ["x"], "b": ["y"]}),
            r"has columns 'a', 'b': give the words alone, or call their column 'w",
        ),
    ],
)
def test_what_is_wrong_of_words(targets, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        lexbeam.change(tmp_path, slices=PERIODS, targets=targets)


def test_documents_are_texts_of_their_own(tmp_path):
    for command, more in (("simplify text", {}), ("simplify instances", {"layout": "documents"})):
        values = {"out": tmp_path, "inputs": ["It rained.\n", "It\nsnowed."], **more}
        with given_as_files(load(command).options, values) as given:
            (folder,) = given["inputs"]
        texts = {path.name: path.read_text("utf-8") for path in Path(folder).iterdir()}
        assert texts == {"1.txt": "It rained.\n", "2.txt": "It\nsnowed."}


def test_a_layout_of_files_is_refused(tmp_path):
    with pytest.raises(
        UsageError, match=r"`layout` 'tsv' is one of files, and `inputs` is given as data: leave it out"
    ):
        lexbeam.cloze.pairs([{"passage": "a", "summary": "b"}], layout="tsv", out=tmp_path)
    made, _ = written("cloze pairs", tmp_path, inputs=[{"passage": "a", "summary": "b"}])
    assert made.layout == "jsonl"


def test_of_data_no_change_is_computed(tmp_path):
    with pytest.raises(UsageError, match=r"`corpora` takes a path, not DataFrame: give a folder that a command made"):
        lexbeam.change(FRAME, slices=PERIODS, out=tmp_path)


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    """Options of a command that publishes nothing."""

    words: str | None = option(None, help="words", path="file", data="words")


def test_of_a_command_that_publishes_nothing_files_are_temporary():
    with given_as_files(ToyOptions, {"words": ["a"]}) as given:
        assert os.path.isfile(given["words"])
    assert not os.path.exists(given["words"])


@dataclass(frozen=True, kw_only=True)
class ToyPublishing(PublishOptions):
    """Options of a command that publishes to the folder it reads, if none is given."""

    folder: str | None = option(None, help="folder", positional=True, path="place", fills="out")
    words: str | None = option(None, help="words", path="file", data="words")


def test_files_lie_where_a_command_publishes(tmp_path):
    for values in ({"out": tmp_path / "a"}, {"folder": [tmp_path / "a"]}, {"folder": tmp_path, "out": tmp_path / "a"}):
        with given_as_files(ToyPublishing, {**values, "words": ["a"]}) as given:
            assert given["words"].startswith(f"{tmp_path}/a/_given/")


@pytest.mark.slow
def test_a_corpus_of_a_frame_is_the_same_again_and_known_afterwards(tmp_path, caplog):
    out = tmp_path / "out"
    first = lexbeam.corpus(FRAME, out=out, **CORPUS)
    assert sorted(first.table("documents", ["year"])["year"].to_pylist()) == [int(date[:4]) for date in DATES]
    assert set(first.table("documents", ["source"]).to_pydict()["source"]) == {"inputs.jsonl"}
    change = lexbeam.change(first, slices=PERIODS, targets=["engine"], **SMALL)
    assert change.table("scores").num_rows
    assert not any("stale" in line for line in lexbeam.status(out))
    assert "engine" in change.tell_words(words=["engine"])[0]

    again = lexbeam.corpus(KINDS["Polars"], out=out, overwrite=True, **CORPUS)
    assert again.snapshot.name == change.snapshot.name  # equal data is the same input, and nothing is made
    fewer = lexbeam.corpus(FRAME[:-1], out=out, overwrite=True, keep_snapshots=1, **CORPUS)
    assert fewer.table("documents").num_rows == len(ROWS) - 1
    with caplog.at_level(logging.INFO):
        lines = lexbeam.clean(out)
    assert any(line.startswith("removed: data from Python that nothing published is made from (2,") for line in lines)
    assert len(os.listdir(out / "_given")) == 1
    assert not any("stale" in line for line in lexbeam.status(out))


@pytest.mark.slow
def test_gold_and_predictions_are_dicts(tmp_path):
    gold, guesses = {"a": 0.1, "b": 0.5, "c": 0.9, "d": 0.3}, {"a": 0.2, "b": 0.4, "c": 0.8, "d": 0.1}
    made = lexbeam.evaluate.complexity(gold=gold, predictions=pd.Series(guesses), out=tmp_path / "out")
    (tmp_path / "gold").write_text("".join(f"{key}\t{value}\n" for key, value in gold.items()))
    (tmp_path / "guesses").write_text("".join(f"{key}\t{value}\n" for key, value in guesses.items()))
    files = {"gold": tmp_path / "gold", "predictions": tmp_path / "guesses"}
    metrics = lexbeam.evaluate.complexity(**files, out=tmp_path / "of files").table("complexity/metrics")
    assert metrics.num_rows
    assert made.table("complexity/metrics") == metrics
