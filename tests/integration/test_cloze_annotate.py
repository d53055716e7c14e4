"""`lexbeam cloze export` and `annotate`: questions out, people's answers in, verdicts published."""

import json

import pytest
from questioned import publish, question
from questions_anew import read
from small_runs import call, manifest

from lexbeam.pipelines.commands.cloze.annotate import ClozeAnnotate
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

HEAD = "question_id,annotator_id,answer,difficulty,span_passage,span_summary,approval_rate\n"


@pytest.fixture
def out(tmp_path):
    rows = [question(number, split="test" if number % 2 else "train") for number in range(6)]
    return publish(tmp_path / "out", [*rows, question(6, "imperceptibility"), question(7, kept=False)])


def filled(path, answers):
    """Fill in a sheet: the cells that come behind the options, by question."""
    lines = []
    for line in path.read_text("utf-8-sig").splitlines():
        cells = line.split("\t")
        key = cells[0].lstrip("'")  # which keeps digits from being taken for a number
        if key in answers:
            cells[9:] = answers[key]
        lines.append("\t".join(cells))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_sheets_out_and_answers_in(out, tmp_path, capsys):
    sheets = tmp_path / "sheets"
    assert call("cloze", "export", out, "--to", sheets / "q.tsv", "--annotator", "anna,bob") == 0
    assert "q.anna.tsv: 7 questions to answer" in capsys.readouterr().out
    # Two agree on all but question 3; bob finds no evidence for 2, and 4 easy but not its answer.
    for who in ("anna", "bob"):
        answers = {}
        for n in range(7):
            letter = "ABCDE"[n % 5] if (who, n) not in (("bob", 3), ("bob", 4)) else "-"
            spans = ["two", "" if (who, n) == ("bob", 2) else "is"]
            answers[f"{n:032x}"] = [letter, "easy" if n == 4 else "hard", *spans, ""]
        filled(sheets / f"q.{who}.tsv", answers)
    task = tmp_path / "kept.jsonl"
    assert call("cloze", "annotate", out, "--annotations", sheets, "--write-jsonl", task) == 0
    said = capsys.readouterr().out
    assert "14 answers by 2 annotators, 14 count; 0 rows rejected" in said
    assert "nonspecificity: 4 of 6 questions are kept, no_evidence 1, easy_but_wrong 1" in said
    verdicts = {int(row["question_id"], 16): row for row in read(out, "verdicts")}
    assert {n: row["reason"] for n, row in verdicts.items()} == {
        0: None,
        1: None,
        2: "no_evidence",
        3: None,
        4: "easy_but_wrong",
        5: None,
        6: None,
    }
    assert (verdicts[3]["answers"], verdicts[3]["right"], verdicts[3]["accuracy"]) == (2, 1, 0.5)
    annotations = read(out, "annotations")
    assert len(annotations) == 14
    assert [row["question_id"] for row in annotations] == sorted(row["question_id"] for row in annotations)
    kept = [json.loads(line)["question"] for line in task.read_text().splitlines()]
    assert kept == [f"Number {n} is @placeholder ." for n in (0, 1, 3, 5, 6)]
    # What was exported is not overwritten.
    assert call("cloze", "export", out, "--to", sheets / "q.tsv", "--annotator", "anna") == 1
    assert "perhaps filled in" in capsys.readouterr().err


def test_a_table_by_both_kinds_of_accuracy(out, tmp_path, capsys):
    lines = [
        f"{n:032x},{who},{n % 5 if who != 'cyd' else (n + 1) % 5},hard,p,s,{rate}"
        for n in range(4)
        for who, rate in (("anna", 0.99), ("cyd", 0.95), ("dan", 0.9))
    ]
    lines += [f"{0:032x},anna,9,hard,p,s,0.99", f"{7:032x},anna,1,hard,p,s,0.99"]
    path = tmp_path / "crowd.csv"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    assert call("cloze", "annotate", out, "--annotations", path) == 0
    said = capsys.readouterr().out
    assert "12 answers by 3 annotators, 8 count; 2 rows rejected, unknown 1, wrong_answer 1" in said
    assert "low_approval 4" in said
    assert "not_annotated 2" in said
    rejects = read(out, "annotation_rejects")
    assert {(row["source"], row["position"], row["reason"]) for row in rejects} == {
        ("crowd.csv", "14", "wrong_answer"),
        ("crowd.csv", "15", "unknown"),
    }
    assert all(row["accuracy"] == 0.5 for row in read(out, "verdicts") if row["answers"])
    words = ("cloze", "annotate", out, "--annotations", path, "--overwrite")
    assert call(*words, "--accuracy-of", "annotator") == 0
    assert "low_accuracy 4" in capsys.readouterr().out
    assert all(row["accuracy"] == 1 for row in read(out, "verdicts") if row["answers"])
    assert call(*words, "--min-answers", "3") == 0
    assert "too_few 4" in capsys.readouterr().out
    section = manifest(out)["cloze.annotate"]
    assert section["options"]["min-answers"] == 3
    assert section["agreement"]["several"] == 4


def test_within_a_run(out, tmp_path, capsys):
    path = tmp_path / "crowd.csv"
    path.write_text(HEAD + f"{1:032x},anna,B,easy,p,s,99%\n")
    config = tmp_path / "run.yaml"
    config.write_text(f"out: {out}\ncloze:\n  annotate:\n    annotations: [crowd.csv]\n")
    assert call("run", config) == 0
    assert "1 answer by 1 annotator, 1 count" in capsys.readouterr().out
    assert call("status", out) == 0
    assert "cloze.annotate" in capsys.readouterr().out
    assert call("run", config, "--resume") == 0
    panels = ClozeAnnotate().report(open_snapshot(str(out)))
    assert [panel.title for panel in panels] == ["What became of questions", "Agreement of answers", "Annotators"]
    assert panels[1].rows.to_pylist()[0]["answers"] == 1


def test_what_cannot_be(out, tmp_path, capsys):
    path = tmp_path / "crowd.csv"
    path.write_text("hit,worker,answer\nx,y,1\n")
    assert call("cloze", "annotate", out, "--annotations", path) == 1
    assert "--columns question_id=NAME" in capsys.readouterr().err
    assert call("cloze", "export", out, "--to", tmp_path / "q.csv") == 2
    assert "NAME.tsv" in capsys.readouterr().err
    assert call("cloze", "export", out, "--to", tmp_path / "q.tsv", "--split", "dev") == 1
    assert "splits test, train" in capsys.readouterr().err
