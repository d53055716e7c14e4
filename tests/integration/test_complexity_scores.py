"""`lexbeam complexity score` and `evaluate complexity`, from files in to files out."""

import numpy as np
import pytest
from scored import publish, tables

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.common.publish.snapshots import open_snapshot

SMALL = [
    "--folds",
    "3",
    "--resamples",
    "20",
    "--rounds",
    "10",
    "--trees",
    "5",
    "--inner-folds",
    "2",
    "--members",
    "ridge,gradient-boosting",
]


@pytest.fixture
def published(tmp_path):
    """A function that publishes made-up instances, labels and features."""

    def of(name, *, drop=(), labels=True, **how):
        made = tables(**how)
        features = made["features"].drop_columns(list(drop))
        made["features"] = features
        if not labels:
            del made["labels"]
        return publish(tmp_path / name, made)

    return of


def score(folder, *words, wanted=0):
    command = ["complexity", "score", str(folder), *SMALL, *map(str, words), "--overwrite"]
    assert main(command) == wanted
    return open_snapshot(str(folder))


def values(snapshot, metric="pearson"):
    rows = snapshot.read("complexity/metrics").to_pylist()
    return {(r["system"], r["subset"]): r["value"] for r in rows if r["metric"] == metric}


@pytest.mark.slow
def test_all_that_scorers_are_measured_by(published, capsys):
    words = [
        "--scorer",
        "ridge",
        "--mwe",
        "own,double",
        "--mwe-folds",
        "token,part",
        "--leave-genre-out",
        "--importance",
        "--ablation",
        "--curve",
        "--threshold",
        "0.5",
    ]
    folder = published("one")
    one = score(folder, *words)
    told = capsys.readouterr().out
    assert "ridge" in told
    assert "single without bible" in told
    found = values(one)
    assert {"ridge", "ridge/double"} == {name for name, _ in found}
    assert {"single", "mwe", "mwe by part", "mwe without biomed", "single/aoa known"} <= {subset for _, subset in found}
    assert found["ridge", "single"] > 0.8
    assert "single, complex from 0.5" in {subset for _, subset in values(one, "f1")}
    rows = one.read("complexity/predictions").to_pylist()
    assert len(rows) == 120 + 60 + 60
    assert {row["fold"] for row in rows} == {0, 1, 2}
    order = [(row["instance_id"], row["scorer"]) for row in rows]
    assert order == sorted(order)
    assert len(one.parts("complexity/predictions")) == 1
    assert one.read("complexity/importance").num_rows
    assert one.read("complexity/learning").num_rows == 3 * 6
    # Another scorer makes nothing anew of these.
    more = score(folder, *words[2:6], "--scorer", "ridge,frequency")
    before = one.read("complexity/predictions").to_pylist()
    after = more.read("complexity/predictions").to_pylist()
    assert [row for row in after if not row["scorer"].startswith("frequency")] == before
    command = load("complexity score")
    titles = [panel.title for panel in [*command.report(one), *command.quotes(one, ())]]
    assert titles[0] == "Scorers"
    assert "What scorers stand on" not in titles  # but its charts are
    assert "What scorers stand on: features, by permutation" in titles
    assert {"Learning curves", "Hardest words", "Worst predicted, in context"} <= set(titles)
    assert not any("a W" in str(panel) for panel in command.report(one))
    (note,) = [panel for panel in command.report(more) if panel.title == "What scorers stand on"]
    assert "`importance`" in note.text


@pytest.mark.slow
def test_another_folder_a_kept_model_and_words_without_labels(published, tmp_path, capsys):
    model = tmp_path / "models" / "stack"
    train, other = published("train"), published("other", seed=2, unlabelled=(1,))
    words = ["--scorer", "stack", "--mwe", "pooled"]
    on = score(train, *words, "--on", other, "--save", model)
    assert set(values(on)) >= {("stack", "single"), ("stack", "mwe")}
    assert {name for name, _ in values(on)} == {"stack"}
    assert {"single/new target", "single/seen target"} <= {subset for _, subset in values(on)}
    rows = on.read("complexity/predictions").to_pylist()
    assert len(rows) == 180
    assert sum(row["complexity"] is None for row in rows) == 1
    assert {row["fold"] for row in rows} == {None}
    kept = sorted(path.name for path in model.iterdir())
    assert [name.partition("-")[0] for name in kept] == ["model.json", "weights"]
    said = {row["instance_id"]: row["prediction"] for row in rows}
    bare = published("bare", seed=2, labels=False)
    again = score(bare, "--model", model)
    rows = again.read("complexity/predictions").to_pylist()
    assert {row["instance_id"]: row["prediction"] for row in rows} == said
    reasons = {row["reason"] for row in again.read("complexity/metrics").to_pylist()}
    assert reasons == {"empty", "too_few"} or reasons == {"empty"}
    # There is nothing to measure: what is shown is what is predicted.
    told = capsys.readouterr().out
    assert "stack predicts single 120 of 120, mwe 60 of 60" in told
    assert "undefined" not in told
    command = load("complexity score")
    note, words_there = command.report(again)
    assert (note.title, words_there.title) == ("Scorers", "Words predicted hardest")
    means = {}
    tokens = {row["instance_id"]: row["token"].lower() for row in again.read("complexity/instances").to_pylist()}
    for row in rows:
        means.setdefault((tokens[row["instance_id"]], row["kind"]), []).append(row["prediction"])
    means = {key: sum(values) / len(values) for key, values in means.items()}
    listed = [(row["target"], row["kind"]) for row in words_there.rows.to_pylist()]
    assert [means[key] for key in listed] == pytest.approx(sorted(means.values(), reverse=True)[: len(listed)])
    (quoted,) = command.quotes(again, ())
    hardest = max(rows, key=lambda row: row["prediction"])
    assert quoted.rows["prediction"][0].as_py() == hardest["prediction"]
    assert tokens[hardest["instance_id"]] in quoted.rows["context"][0].as_py().lower()
    # The model stays as it is, unless it may be replaced.
    results = lexbeam.complexity.score(train, out=tmp_path / "again", scorer="ridge", test="trial", resamples=0)
    splits = {
        row["instance_id"]: row["published_split"]
        for row in open_snapshot(str(train)).read("complexity/instances").to_pylist()
    }
    predicted = results.table("complexity/predictions")["instance_id"].to_pylist()
    assert {splits[name] for name in predicted} == {"trial"}


@pytest.mark.slow
def test_what_is_wrong_is_told_before_anything_is_made(published, tmp_path, capsys):
    train, other = published("train"), published("other", drop=("aoa_known",))

    def told(*words, code=2):
        capsys.readouterr()
        score(train, *words, wanted=code)
        return capsys.readouterr().err

    assert "has the feature 'aoa_known'" in told("--on", other)
    assert "`on` is the folder itself".replace("`on`", "--on") in told("--on", train)
    assert "say what is predicted" in told("--on", other, "--test", "trial")
    assert "is of cross-validation" in told("--test", "trial", "--curve")
    assert "keeps one model" in told("--save", tmp_path / "m", "--scorer", "ridge,svr")
    assert "did you mean 'ridge'" in told("--scorer", "rigde")
    assert "is no number from 0 to 1" in told("--threshold", "5")
    assert "there is no model in" in told("--model", tmp_path / "nowhere", code=1)
    assert "instance is of split 'tset'; there are train, trial" in told("--test", "tset")


@pytest.mark.slow
def test_predictions_are_exported_as_the_official_scorer_reads_them(published, tmp_path, capsys):
    folder = published("lcp")
    snapshot = score(folder, "--scorer", "ridge,frequency")
    out = tmp_path / "ridge.csv"
    words = ["complexity", "export", str(folder), "--to", str(out)]
    assert main([*words, "--predictions", "ridge", "--kind", "single"]) == 0
    written = dict(line.split(",") for line in out.read_text().splitlines())
    ids = {
        row["instance_id"]: row["source_id"] or row["instance_id"]
        for row in snapshot.read("complexity/instances").to_pylist()
    }
    rows = snapshot.read("complexity/predictions").to_pylist()
    expected = {
        ids[row["instance_id"]]: row["prediction"]
        for row in rows
        if row["scorer"] == "ridge" and row["kind"] == "single"
    }
    assert {name: float(value) for name, value in written.items()} == expected
    evaluate = ["evaluate", "complexity", "--gold", str(out), "--predictions", str(out)]
    assert main([*evaluate, "--resamples", "0"]) == 0
    capsys.readouterr()
    assert main([*words, "--predictions", "svr"]) == 1
    assert "there are those of frequency, ridge" in capsys.readouterr().err


@pytest.mark.slow
def test_predictions_of_another_folder_are_exported_by_its_ids(published, tmp_path):
    train, other, out = published("train"), published("other", seed=2, labels=False), tmp_path / "out"
    score(train, "--scorer", "frequency", "--on", other, "--out", out)
    ids = {
        row["instance_id"]: row["source_id"] or row["instance_id"]
        for row in open_snapshot(str(other)).read("complexity/instances").to_pylist()
    }
    for place in (out, train):
        if place == train:
            score(train, "--scorer", "frequency", "--on", other)
        to = tmp_path / f"{place.name}.csv"
        assert main(["complexity", "export", str(place), "--to", str(to), "--predictions", "frequency"]) == 0
        rows = open_snapshot(str(place)).read("complexity/predictions").to_pylist()
        expected = {ids[row["instance_id"]]: row["prediction"] for row in rows}
        written = [line.split(",") for line in to.read_text().splitlines()]
        assert len(written) == len(expected) == 180
        assert {name: float(value) for name, value in written} == expected


@pytest.mark.slow
def test_files_are_evaluated_and_published_where_that_is_asked(tmp_path, capsys):
    random = np.random.default_rng(1)
    gold = random.random(30)
    (tmp_path / "gold.tsv").write_text(
        "id\tcorpus\ttoken\tcomplexity\n"
        + "".join(f"i{place}\tc\tt{place}\t{value}\n" for place, value in enumerate(gold.tolist()))
    )
    (tmp_path / "said.csv").write_text(
        "".join(f"i{place},{value / 2 + 0.1}\n" for place, value in enumerate(gold.tolist()))
    )
    command = [
        "evaluate",
        "complexity",
        "--gold",
        str(tmp_path / "gold.tsv"),
        "--predictions",
        str(tmp_path / "said.csv"),
    ]
    assert main(command) == 0
    assert "all  pearson 1.000 (1.000 to 1.000)" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.tsv", "said.csv"]
    out = tmp_path / "out"
    assert main([*command, "--out", str(out), "--threshold", "0.5", "--system", "mine"]) == 0
    rows = open_snapshot(str(out)).read("complexity/metrics").to_pylist()
    by_name = {(row["subset"], row["metric"]): row for row in rows}
    assert by_name["all", "mse"]["value"] == pytest.approx(np.mean((gold / 2 - 0.1) ** 2))
    assert by_name["all, complex from 0.5", "recall"]["system"] == "mine"
    assert len(load("evaluate complexity").report(open_snapshot(str(out)))) == 1
    files = {"gold": tmp_path / "gold.tsv", "predictions": tmp_path / "said.csv"}
    results = lexbeam.evaluate.complexity(**files, out=tmp_path / "more", resamples=0)
    assert results.table("complexity/metrics").num_rows == 5
    assert "all  pearson 1.000" in str(lexbeam.evaluate.complexity(**files, resamples=0).summary())
    (tmp_path / "said.csv").write_text("i0,0.5\n")
    assert main(command) == 1
    assert "predictions lack 29 ids ('i1'" in capsys.readouterr().err


@pytest.mark.slow
def test_texts_of_ones_own_scored_by_a_kept_model(tmp_path, monkeypatch, capsys):
    """A person's own text has no labels: the words predicted hardest are told, in their sentences."""
    monkeypatch.chdir(tmp_path)
    known = {"sea": 0.0, "ship": 0.1, "dog": 0.05, "ordinance": 0.6, "inscrutability": 0.9, "negotiation": 0.5}
    rows = [f"{token}\tThe {token} was there.\t{value}" for token, value in known.items()]
    (tmp_path / "labelled.tsv").write_text("token\tsentence\tcomplexity\n" + "\n".join(rows) + "\n")
    (tmp_path / "own.txt").write_text("The cat saw the incomprehensibility. The dog ran.\n")
    for words in (
        ["complexity", "load", "labelled.tsv", "--layout", "tsv", "--language", "en", "--out", "known"],
        ["complexity", "features", "known", "--use", "form"],
        ["complexity", "score", "known", "--scorer", "ridge", "--save", "model", "--folds", "2", "--resamples", "0"],
        ["corpus", "own.txt", "--engine", "builtin:en", "--out", "own"],
        ["complexity", "select", "own", "--out", "words"],
        ["complexity", "features", "words", "--use", "form"],
        ["complexity", "score", "words", "--model", "model"],
    ):
        assert main(words) == 0
    assert "ridge predicts single 3 of 3" in capsys.readouterr().out
    assert main(["show", "words", "--hardest", "1"]) == 0
    assert "The cat saw the [incomprehensibility]." in capsys.readouterr().out
