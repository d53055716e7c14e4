"""`lexbeam evaluate change` on scores that are made up, so that figures can be worked by hand."""

import csv
import json
import math
import random
from dataclasses import asdict

import pyarrow as pa
import pytest
from making import put
from outsiders import blocks_of, entry_of
from published import scores

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import load
from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.sample.planting import PLANTED_WORDS, TRUTH_COLUMNS, plant_words, truth_row

OP = "old:new/op/cosine/mean"


@pytest.fixture
def change(tmp_path):
    """A function that publishes rows of scores, and returns their folder."""

    def published(rows, out=tmp_path / "change", **view):
        schema = SCORES.schema()
        made = write_part(Artefact(str(tmp_path / "part")), schema, [pa.Table.from_pylist(rows, schema)])
        entry = {"options": {}, "inputs": [], "view": asdict(ViewOptions(**view))}
        put(out, Made(name="change", parts=(Part.of("scores", 0, made),), entry=entry))
        return out

    return published


def evaluate(folder, *words):
    """Evaluate beside the scores; return the values on all words by system and metric."""
    assert main(["evaluate", "change", str(folder), "--overwrite", *map(str, words)]) == 0
    rows = open_snapshot(str(folder)).read("change/metrics").to_pylist()
    told = {(r["system"], r["metric"]): r["value"] for r in rows if r["subset"] == "all"}
    # Of a few words nothing is left once frequency is taken away.
    return {key: value for key, value in told.items() if key[1] != "partial_spearman" or value is not None}


def test_the_files_of_semeval_beside_scores(change, tmp_path, capsys, caplog):
    (tmp_path / "binary.txt").write_text("a_nn\t1\nb_nn\t0\nc_vb\t1\nd_vb\t0\n")
    (tmp_path / "graded.txt").write_text("a_nn\t.9\nb_nn\t.1\nc_vb\t.5\nd_vb\t.2\n")
    out = change(
        [
            scores("a_nn", 0.8, changed=True),
            scores("b_nn", 0.5, changed=True),
            scores("c_vb", 0.4, changed=False),
            scores("d_vb", None, reason="absent_to"),
        ]
    )
    files = ["--binary", tmp_path / "binary.txt", "--graded", tmp_path / "graded.txt"]
    # Ranks of gold a b c: 3 1 2, of scores 3 2 1: 1 - 6 * 2 / (3 * 8). Order a b c: (1 + 2/3) / 2.
    assert evaluate(out, *files) == pytest.approx(
        {
            (OP, "spearman"): 0.5,
            (OP, "average_precision"): 5 / 6,
            (OP, "accuracy"): 1 / 3,
            (OP, "precision"): 1 / 2,
            (OP, "recall"): 1 / 2,
            (OP, "f1"): 1 / 2,
        }
    )
    assert "1 of 4 gold words have no score: d_vb (absent_to)" in caplog.text
    told = capsys.readouterr().out
    assert "gold: 4 words, 4 graded, 2 changed, 2 unchanged" in told
    assert "spearman            0.500, n = 3, undefined_resamples" in told
    snapshot = open_snapshot(str(out))
    section = snapshot.section("evaluate.change")
    assert section["gold_words"] == 4
    assert {"nn", "vb"} < set(snapshot.read("change/metrics")["subset"].to_pylist())
    (panel,) = load("evaluate change").report(snapshot)
    assert panel.rows.num_rows == 7
    assert str(tmp_path) not in json.dumps(section)


def test_scores_without_classes_are_told_and_classes_are_made_on_demand(change, tmp_path, caplog):
    (tmp_path / "binary.txt").write_text("a\t1\nb\t0\n")
    out = change([scores("a", 0.8), scores("b", 0.5)])
    files = ["--binary", tmp_path / "binary.txt"]
    assert evaluate(out, *files) == {(OP, "average_precision"): 1.0}
    assert "the scores have no classes, since no targets were named" in caplog.text
    assert "no accuracy, precision, recall, f1 (`class_threshold` mean makes some)" in caplog.text
    caplog.clear()
    assert evaluate(out, *files, "--class-threshold", "mean")[OP, "f1"] == 1.0
    assert "no classes" not in caplog.text


def test_it_is_published_like_any_other_section(change, tmp_path, capsys):
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\n")
    out = change([scores("a", 0.1), scores("b", 0.2)])
    command = ["evaluate", "change", str(out), "--gold", str(gold)]
    assert main(command) == 0
    first = open_snapshot(str(out)).manifest["tables"]["change/metrics"]
    assert main([*command, "--resume"]) == 0
    assert "published already" in capsys.readouterr().out
    gold.write_text("word\tgraded\na\t2\nb\t1\n")
    main(["status", str(out)])
    assert "stale: option" in capsys.readouterr().out
    assert main([*command, "--resume"]) == 2
    assert main([*command, "--overwrite"]) == 0
    assert open_snapshot(str(out)).manifest["tables"]["change/metrics"] != first


def test_it_is_a_function_and_a_section_of_a_configuration(change, tmp_path):
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\nc\t3\n")
    rows = [scores("a", 0.1), scores("b", 0.3), scores("c", 0.2)]
    results = lexbeam.evaluate.change(change(rows), out=tmp_path / "out", gold=gold, resamples=0)
    partial, row = results.table("change/metrics").to_pylist()
    assert (row["metric"], row["value"], row["n"]) == ("spearman", 0.5, 3)
    assert (partial["metric"], partial["value"], partial["reason"]) == ("partial_spearman", None, "too_few_controlled")
    config = tmp_path / "config.yaml"
    config.write_text(f"out: again\nevaluate:\n  change: {{folder: change, gold: {gold.name}, resamples: 0}}\n")
    assert main(["run", str(config)]) == 0
    assert open_snapshot(str(tmp_path / "again")).read("change/metrics").to_pylist() == [partial, row]
    assert main(["show", str(tmp_path / "again")]) == 0


def test_gold_is_read_with_the_view_of_the_scores(change, tmp_path):
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tgraded\nPolish\t1\npolish\t2\nb\t3\n")
    rows = [scores("Polish", 0.1), scores("b", 0.2), scores("polish", 0.3)]
    found = evaluate(change(rows, case="keep"), "--gold", gold)
    assert found == {(OP, "spearman"): 0.5}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "gold must be given"),
        (["--gold", "nowhere.tsv"], "no file is at"),
        (["--gold", "{gold}", "--metric", "spaerman"], "did you mean 'spearman'"),
        (["--gold", "{gold}", "--metric", "mrr"], "no metric 'mrr'"),
        (["--gold", "{gold}", "--graded-column", "x"], "--graded-column: "),
        (["--gold", "{gold}", "--baseline", "op"], "--baseline: the scores have no 'op'"),
        (["--gold", "{gold}", "--resamples", "-1"], "--resamples must be at least 0"),
    ],
)
def test_what_is_wrong_is_told_with_its_flag(change, tmp_path, capsys, words, message):
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\n")
    out = change([scores("a", 0.1), scores("b", 0.2)])
    filled = [word.format(gold=gold) for word in words]
    assert main(["evaluate", "change", str(out), *filled]) == 2
    assert message in capsys.readouterr().err
    assert "evaluate.change" not in open_snapshot(str(out)).sections


@pytest.fixture
def installed(outsider):
    """The package of CONTRIBUTING.md that adds a metric, word for word."""
    (code,) = blocks_of("Add a metric")
    outsider(*entry_of("Add a metric"), toy_metrics=code)


@pytest.mark.usefixtures("installed")
def test_a_metric_of_another_package(change, tmp_path):
    gold = tmp_path / "gold.tsv"
    gold.write_text("word\tgraded\na\t.1\nb\t.5\nc\t.9\n")
    out = change([scores("a", 0.15), scores("b", 0.9), scores("c", 0.85)])
    found = evaluate(out, "--gold", gold, "--metric", "within,spearman")
    assert found == pytest.approx({(OP, "within"): 2 / 3, (OP, "spearman"): 0.5})


def test_the_truth_of_a_sample(change, tmp_path):
    planted = plant_words([f"w{i}" for i in range(PLANTED_WORDS)], list("pqrstuv"), random.Random(1), 30_000)
    truth = tmp_path / "truth.tsv"
    rows = [TRUTH_COLUMNS, *map(truth_row, planted)]
    truth.write_text("".join("\t".join(row) + "\n" for row in rows))
    seen = {"gained": 1, "lost": 1, "shifted": 2}
    out = change(
        [scores(p.word, seen.get(p.kind, 0), changed=p.kind == "shifted") for p in planted]
        + [
            scores(
                p.word,
                float(p.kind == "control_frequency"),
                alignment="none",
                measure="frequency",
                changed=p.kind == "control_frequency",
            )
            for p in planted
        ]
    )
    found = evaluate(out, "--gold", truth, "--changed-above", 0, "--resamples", 20)
    assert found[OP, "average_precision"] == pytest.approx(1)
    # 6 of 18 planted words are found, none of 42 controls: 48 of 60 are right.
    own = [found[OP, name] for name in ("accuracy", "precision", "recall", "f1")]
    assert own == pytest.approx([48 / 60, 1, 6 / 18, 12 / 24])
    # By frequency 14 controls come first, then 18 planted words among 46 in random order: the j-th
    # of these is planted with 18/46, and then (j - 1) * 17/45 planted ones are before it.
    chance = sum(18 / 46 * (1 + (j - 1) * 17 / 45) / (14 + j) for j in range(1, 47)) / 18
    frequency = "old:new/none/frequency/mean"
    assert found[frequency, "average_precision"] == pytest.approx(chance)
    assert found[frequency, "accuracy"] == pytest.approx(28 / 60)


def test_the_published_values_of_dwug(change, data):
    path = data / "dwug-en" / "stats" / "opt_stats_groupings.csv"
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    graded = {row["lemma"]: float(row["change_graded"]) for row in rows}
    mean = sum(graded.values()) / len(rows)
    # Uses of two periods that are judged alike in meaning have changed little.
    unlike = {row["lemma"]: 4 - float(row["COMPARE"]) for row in rows}
    out = change(
        [scores(word, value, changed=value > mean) for word, value in graded.items()]
        + [scores(word, value, alignment="cca", changed=True) for word, value in unlike.items()]
    )
    found = evaluate(out, "--gold", path, "--resamples", 100)
    # Of 30 words 16 have changed. By graded change they stand at ranks 1-4, 6-14, 16, 17 and 21.
    ranks = [*range(1, 5), *range(6, 15), 16, 17, 21]
    assert found[OP, "average_precision"] == pytest.approx(average_precision(ranks))
    # 13 words are above the mean, .3078, 12 of them rightly; of the 17 below it 13 are unchanged.
    own = [found[OP, name] for name in ("accuracy", "precision", "recall", "f1")]
    assert own == pytest.approx([25 / 30, 12 / 13, 12 / 16, 24 / 29])
    assert found[OP, "spearman"] == pytest.approx(1)
    # The squared differences of ranks add up to 362. Three words tie at 0: their ranks' squares are
    # (30^3 - 30) / 12 - (3^3 - 3) / 12 = 2245.5, and those of the other ranking 2247.5.
    other = "old:new/cca/cosine/mean"
    rho = (2245.5 + 2247.5 - 362) / (2 * math.sqrt(2245.5 * 2247.5))
    assert found[other, "spearman"] == pytest.approx(rho)
    ranks = [*range(1, 7), 8, 9, *range(12, 16), *range(18, 22)]
    assert found[other, "average_precision"] == pytest.approx(average_precision(ranks))
    assert found[other, "precision"] == pytest.approx(16 / 30)


def average_precision(ranks):
    return sum(hits / rank for hits, rank in enumerate(ranks, 1)) / len(ranks)


def test_files_of_words_and_scores_are_evaluated_alone_or_beside(change, tmp_path, capsys):
    gold, mine = tmp_path / "gold.tsv", tmp_path / "mine.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\nc\t3\n")
    mine.write_text("word\tscore\nA\t.1\nb\t.3\nc\t.2\n")
    asked = ["--gold", gold, "--predictions", mine, "--resamples", 0]
    out = change([scores("a", 0.1), scores("b", 0.2), scores("c", 0.3)])
    found = evaluate(out, *asked, "--mean-ranks", "op/cosine,mine")
    assert found == pytest.approx(
        {(OP, "spearman"): 1.0, ("mine", "spearman"): 0.5, ("old:new/ranks/mean", "spearman"): math.sqrt(0.75)}
    )
    # Without a folder nothing is published, and words stay as they are written.
    mine.write_text("word\tscore\na\t.1\nb\t.3\nc\t.2\n")
    capsys.readouterr()
    assert main(["evaluate", "change", *map(str, asked)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split() for line in told if "spearman" in line] == [["spearman", "0.500,", "n", "=", "3"]]
    assert main(["evaluate", "change", "--gold", str(gold)]) == 2
    assert "nothing says what is evaluated" in capsys.readouterr().err


def test_files_stand_beside_the_scores_of_the_folder_that_is_published_to(change, tmp_path):
    gold, mine = tmp_path / "gold.tsv", tmp_path / "mine.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\nc\t3\n")
    mine.write_text("word\tscore\na\t.1\nb\t.3\nc\t.2\n")
    out = change([scores("a", 0.1), scores("b", 0.2), scores("c", 0.3)])
    asked = {"gold": gold, "predictions": [mine], "resamples": 0}
    results = lexbeam.evaluate.change(out=out, **asked)
    assert set(results.table("change/metrics")["system"].to_pylist()) == {OP, "mine"}
    config = tmp_path / "config.yaml"
    config.write_text(f"out: {out}\nevaluate:\n  change: {{gold: {gold}, predictions: {mine}, resamples: 1}}\n")
    assert main(["run", str(config), "--overwrite"]) == 0
    assert set(open_snapshot(str(out)).read("change/metrics")["system"].to_pylist()) == {OP, "mine"}
    # A folder without scores has the files alone.
    alone = lexbeam.evaluate.change(out=tmp_path / "new", **asked)
    assert alone.table("change/metrics")["system"].to_pylist() == ["mine"]


def test_another_file_of_scores_makes_metrics_stale(change, tmp_path, capsys):
    gold, mine = tmp_path / "gold.tsv", tmp_path / "mine.tsv"
    gold.write_text("word\tgraded\na\t1\nb\t2\n")
    mine.write_text("word\tscore\na\t.1\nb\t.3\n")
    out = change([scores("a", 0.1), scores("b", 0.2)])
    evaluate(out, "--gold", gold, "--predictions", mine)
    mine.write_text("word\tscore\na\t.4\nb\t.3\n")
    capsys.readouterr()
    main(["status", str(out)])
    assert "stale" in capsys.readouterr().out
