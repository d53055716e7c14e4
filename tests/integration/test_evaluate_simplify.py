"""`lexbeam evaluate simplify`: from tables or files to metrics, funnel, views and report."""

import json

import pyarrow.compute as pc
import pytest
from simplified import candidates, id_of, instance, publish, substitutes, worked
from small_runs import call, manifest

import lexbeam
from lexbeam import UsageError
from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of tables of the worked example, in three parts each."""
    monkeypatch.chdir(tmp_path)
    publish(tmp_path / "out", worked(), 3)
    return tmp_path


def rows_of(out, table="metrics"):
    return lexbeam.open(out).table(f"simplification/{table}").to_pylist()


def values_of(out):
    return {(r["system"], r["subset"], r["metric"], r["k"]): r for r in rows_of(out)}


def test_every_stage_of_a_folder(folder, capsys, caplog):
    assert call("evaluate", "simplify", "out", "--k", "10,50", "--resamples", "50") == 0
    told = capsys.readouterr()
    assert "4 instances with 9 substitutes; intervals of 95 %" in told.out
    for name in ("potential", "precision", "recall", "F1", "MAP"):
        assert f"{name}@10" in told.out
        assert f"{name}@50" in told.out
    assert "1 instance without a substitute but the target" in caplog.text
    found = values_of("out")
    assert {key[1] for key in found} == {"generation", "selection", "ranking", "pipeline"}
    row = found["a", "generation", "potential_at_k", 50]
    assert (row["numerator"], row["denominator"], row["value"]) == (3, 4, 0.75)
    assert row["low"] <= row["value"] <= row["high"]
    assert {key[3] for key in found if key[2] == "f1_at_k"} == {10, 50}
    assert found["a frequency", "pipeline", "accuracy", None]["value"] == 0.5
    # Paired: a system less itself under another name would be 0 to 0; a less b is never negative.
    row = found["a minus b", "generation", "recall_at_k", 50]
    assert row["value"] == pytest.approx(4 / 9 - 1 / 9)
    assert row["low"] >= 0
    funnel = {(r["setting"], r["ranker"], r["stage"], r["reason"]): r for r in rows_of("out", "funnel")}
    assert funnel["a", None, "selection", "merged"]["instances_lost"] == 1
    section = manifest(folder / "out")["evaluate.simplify"]
    assert (section["instances"], section["without_gold"], section["substitutes"]) == (4, 1, 9)
    assert section["gold_given"] == []


def test_the_same_bytes_however_many_parts(folder):
    publish(folder / "whole", worked(), 1)
    for out in ("out", "whole"):
        lexbeam.evaluate.simplify(out, k=[3], resamples=20)
    parts = [manifest(folder / out)["evaluate.simplify"]["parts"] for out in ("out", "whole")]
    assert parts[0] == parts[1]


def test_stages_that_are_not_there_are_left_out(folder):
    kept = [row for row in worked() if "ranker" not in row and "kept" not in row]
    publish(folder / "some", kept)
    lexbeam.evaluate.simplify("some", resamples=0)
    assert {key[1] for key in values_of("some")} == {"generation"}
    publish(folder / "none", [row for row in worked() if "setting" not in row])
    with pytest.raises(UsageError, match="no candidates of them: run `lexbeam simplify generate`"):
        lexbeam.evaluate.simplify("none")
    with pytest.raises(UsageError, match="nothing says what is evaluated"):
        lexbeam.evaluate.simplify()


def test_candidates_from_gold_are_told(folder, capsys):
    rows = [instance(1, "x"), *substitutes(1, {"a": 1}), *candidates(1, "given", ["a"], gold_score=3.0)]
    publish(folder / "given", rows)
    assert call("evaluate", "simplify", "given", "--resamples", "0") == 0
    assert "given: candidates come from gold" in capsys.readouterr().out
    assert manifest(folder / "given")["evaluate.simplify"]["gold_given"] == ["given"]


def test_a_setting_without_any_candidate_is_a_miss_at_every_stage(tmp_path):
    (tmp_path / "rows.tsv").write_text("Un trabajo arduo.\tarduo\tduro\tduro\n", "utf-8")
    (tmp_path / "th.dat").write_text("UTF-8\nlento|1\n-|pausado\n", "utf-8")
    out = str(tmp_path / "out")
    lexbeam.simplify.instances([str(tmp_path / "rows.tsv")], layout="alexsis", language="es", out=out)
    lexbeam.simplify.generate(out, generators=["thesaurus"], thesaurus=[str(tmp_path / "th.dat")])
    lexbeam.evaluate.simplify(out, k=[10], resamples=0)
    found = values_of(out)
    potential = found["default", "generation", "potential_at_k", 10]
    assert (potential["numerator"], potential["denominator"]) == (0, 1)
    assert found["default", "generation", "precision_at_k", 10]["reason"] == "no_candidates"
    funnel = lexbeam.open(out).table("simplification/funnel").to_pylist()
    assert [row["gold_candidates"] for row in funnel if row["reason"] == "not_generated"] == [1]


def test_lemmas_of_a_form_dictionary_show_what_inflection_loses(folder):
    (folder / "forms.tsv").write_text("raudo\traudo\tADJ;MASC;SG\nraudo\traudos\tADJ;MASC;PL\n")
    lexbeam.simplify.train_inflector("forms.tsv", language="es", out="es.inflector")
    rows = [instance(1, "x"), *substitutes(1, {"raudos": 1}), *candidates(1, "s", ["raudo"])]
    publish(folder / "forms", rows)
    lexbeam.evaluate.simplify("forms", inflector="es.inflector", resamples=0)
    found = values_of("forms")
    assert found["s", "generation", "potential_at_k", 1]["value"] == 0
    assert found["s lemma-match", "generation", "potential_at_k", 1]["value"] == 1
    lexbeam.evaluate.simplify("forms", resamples=0, overwrite=True)
    assert not any("lemma-match" in key[0] for key in values_of("forms"))


def test_a_submission_is_written_and_evaluated_alike(folder, capsys):
    words = ["evaluate", "simplify", "out", "--resamples", "0", "--to"]
    assert call(*words, "run.tsv") == 2
    assert "has several, a, b: name one by --setting" in capsys.readouterr().err
    # Nothing was published, so that the next call has nothing to replace.
    assert call(*words, "run.tsv", "--setting", "a") == 2
    assert "has several, frequency, senses: name one by --ranker" in capsys.readouterr().err
    more = ["--setting", "a", "--ranker", "senses"]
    assert call(*words, "sent/run.tsv", *more) == 0
    lines = (folder / "sent/run.tsv").read_text("utf-8").splitlines()
    assert [line.split("\t")[1:] for line in lines] == [
        ["arduo", "difícil", "duro"],
        ["Veloz", "raudo"],
        ["óbice"],
        ["arduo", "áspero", "duro"],
        ["cosa"],
        ["nadie"],
    ]
    assert lines[1].startswith("Veloz iba.\t")
    assert call(*words, "gen.tsv", "--setting", "a", "--stage", "generation", "--overwrite") == 0
    text = (folder / "gen.tsv").read_text("utf-8")
    assert "\tarduo\tdifícil\tarduo\tlargo\tduro\n" in text
    assert call(*words, "gen.tsv", "--setting", "a") == 2
    assert "is there: move it away" in capsys.readouterr().err
    # Gold as a file, and what was written: the same figures as of the tables.
    gold = [
        ["arduo", "duro", "duro", "duro", "Difícil", "difícil", "pesado", "arduo"],
        ["Veloz", "rápido", "rápido", "ágil", "ágil", "Ligero"],
        ["óbice", "obstáculo"],
        ["arduo", "duro", "trabajoso"],
    ]
    sentences = [line.split("\t")[0] for line in lines]
    (folder / "gold.tsv").write_text(
        "".join("\t".join([s, *g]) + "\n" for s, g in zip(sentences[:4], gold, strict=True)), "utf-8"
    )
    (folder / "gen.tsv").write_text("".join(f"{line}\n" for line in text.splitlines()[:4]), "utf-8")
    lexbeam.evaluate.simplify(gold="gold.tsv", predictions="gen.tsv", layout="tsar", k=[1, 3], resamples=0, out="files")
    lexbeam.evaluate.simplify("out", k=[1, 3], resamples=0, overwrite=True)
    files, tables = values_of("files"), values_of("out")
    compared = [key for key in files if key[:2] == ("predictions", "ranking") and "trank" not in key[2]]
    assert len(compared) == 13
    for _, _, metric, k in compared:
        one = files["predictions", "ranking", metric, k]
        assert one["value"] == tables["a", "generation", metric, k]["value"]


def test_files_are_told_where_nothing_is_published(folder, capsys):
    (folder / "gold.tsv").write_text("A b c.\tb\tx\tx\ty\n")
    (folder / "run.tsv").write_text("A b c.\tb\ty\tx\n")
    words = ["evaluate", "simplify", "--gold", "gold.tsv", "--predictions", "run.tsv"]
    assert call(*words, "--layout", "tsar", "--resamples", "0") == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert told.count(["predictions", *["1.000"] * 5]) == 2  # potential; recall at

    assert ["predictions", "0.000", "1.000", "1.000"] in told
    assert ["predictions", "random-order", "0.500", "1.000", "1.000"] in told
    # Each k that is asked for is a column, of every metric that has one.
    assert call(*words, "--layout", "tsar", "--resamples", "0", "--k", "1,3,5,10", "--tsar-scorer") == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    for metric in ("potential", "precision", "recall", "MAP"):
        assert ["ranking", *(f"{metric}@{k}" for k in (1, 3, 5, 10))] in told
    assert ["predictions", "1.000", "0.333", "0.200", "0.100"] not in told
    assert call(*words[:4]) == 2
    assert "--predictions is missing" in capsys.readouterr().err
    assert call(*words, "out") == 2
    assert "does not go with files" in capsys.readouterr().err


def test_views_show_what_became_of_candidates(folder, capsys):
    lexbeam.evaluate.simplify("out", resamples=0)
    results = lexbeam.open("out")
    rows = results.stages(["Arduo"], stages_setting="a", stages_most=1).to_pylist()
    assert {row["instance_id"] for row in rows} == {id_of(1)}
    own = {row["form"]: row for row in rows if row["ranker"] == "frequency"}
    assert own["difícil"]["chosen"]
    assert own["difícil"]["gold_rank"] == 2
    assert (own["duro"]["ranked"], own["duro"]["gold_rank"], own["duro"]["chosen"]) == (1, 1, False)
    assert (own["largo"]["stage"], own["largo"]["reason"]) == ("selection", "pos_mismatch")
    assert (own["pesado"]["stage"], own["pesado"]["reason"]) == ("generation", "beyond_k")
    assert list(own)[:2] == ["difícil", "duro"]
    assert own["duro"]["sentence"] == "Frase 1 con [[arduo]] en ella."
    by_id = results.stages([id_of(2)], stages_setting="a").to_pylist()
    assert {r["form"] for r in by_id if r["reason"] == "not_generated"} == {"ágil", "Ligero"}
    assert call("show", "out", "--stages", "arduo", "--stages-setting", "a") == 0
    assert "[[arduo]]" in capsys.readouterr().out
    assert call("show", "out", "--stages", "ardua") == 2
    assert "did you mean 'arduo'?" in capsys.readouterr().err
    funnel = results.funnel("b")
    assert pc.unique(funnel["setting"]).to_pylist() == ["b"]
    assert funnel["stage"].to_pylist()[0] == "generation"
    assert call("show", "out", "--funnel", "all") == 0
    assert "not_generated" in capsys.readouterr().out
    assert call("show", "out", "--funnel", "c") == 2
    assert "there are a, b" in capsys.readouterr().err


@pytest.fixture
def without_gold(folder):
    """The same tables without substitutes, and an instance that no setting has a candidate for."""
    rows = [row for row in worked() if "substitute" not in row]
    publish(folder / "own", [*rows, instance(9, "xyzzy")], 3)
    return folder


def test_stages_are_told_without_gold(without_gold, capsys):
    rows = lexbeam.open("own").stages(["arduo"], stages_setting="a", stages_most=1).to_pylist()
    with_gold = lexbeam.open("out").stages(["arduo"], stages_setting="a", stages_most=1).to_pylist()
    gold = {"gold_rank": None, "annotators": None}
    assert [row | gold for row in with_gold if row["reason"] != "not_generated"] == rows
    own = {row["form"]: row for row in rows if row["ranker"] == "frequency"}
    assert (own["difícil"]["ranked"], own["difícil"]["chosen"]) == (1, True)
    assert own["largo"]["reason"] == "pos_mismatch"
    assert call("show", "own", "--stages", "arduo", "--stages-setting", "a") == 0
    told = capsys.readouterr().out
    assert "pos_mismatch" in told
    assert "gold" not in told
    assert call("show", "own", "--stages", "arduo,nowhere") == 2
    assert "no instance has the target or the id 'nowhere'" in capsys.readouterr().err


def test_a_word_without_candidates_is_told(without_gold, capsys):
    assert call("show", "own", "--stages", "xyzzy") == 0
    assert "Frase 9 con [[xyzzy]] en ella." in capsys.readouterr().out
    assert lexbeam.open("own").stages(["xyzzy"]).num_rows == 0


def test_the_report_without_gold_quotes_sentences_stage_by_stage(without_gold):
    command = load("simplify generate")
    (panel,) = command.quotes(open_snapshot("own"), ())
    assert "gold" not in panel.rows.column_names
    assert "Frase 9" not in str(panel.rows["sentence"].to_pylist())
    assert {"largo", "difícil"} <= set(panel.rows["candidate"].to_pylist())
    (beside,) = command.quotes(open_snapshot("out"), ())
    assert "gold" in beside.rows.column_names


def test_the_report_has_its_panels_and_quotes_only_if_it_may(folder):
    lexbeam.evaluate.simplify("out", resamples=20)
    pages = {}
    for name, flags in (("all", []), ("plain", ["--no-text"])):
        assert call("report", "out", "--out", f"{name}.html", *flags) == 0
        pages[name] = (folder / f"{name}.html").read_text("utf-8")
    for title in ("Metrics with intervals", "Differences", "Where gold is lost", "What each filter cost and won"):
        assert all(title in page for page in pages.values())
    assert "Frase 1 con [[arduo]] en ella." in pages["all"]
    assert "Frase 1 con" not in pages["plain"]


def test_it_is_a_section_of_a_configuration(folder):
    (folder / "c.yaml").write_text("out: out\nevaluate.simplify:\n  k: [3]\n  resamples: 0\n")
    assert call("run", "c.yaml") == 0
    assert ("a", "generation", "f1_at_k", 3) in values_of("out")
    assert json.loads((folder / "out/current/manifest.json").read_text())["evaluate.simplify"]
