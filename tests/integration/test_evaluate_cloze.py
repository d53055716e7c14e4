"""`lexbeam evaluate cloze`: from files of questions and answers to accuracies."""

import random
import re
from fractions import Fraction

import pytest
from answered import question, write_lines
from small_runs import call, manifest

import lexbeam
from lexbeam import LexbeamError, UsageError
from lexbeam.transforms.cloze.questions.question import json_line
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

WORDS = ["sea", "land", "ship", "dogs", "way", "time", "hope"]
COUNTS = {"sea": 5, "land": 7, "ship": 5, "dogs": 7, "way": 7, "time": 1}
TASKS = {"imperceptibility": "Task_1.jsonl", "nonspecificity": "Task_2.jsonl"}


@pytest.fixture
def given(tmp_path, monkeypatch, wordfreq_cache):
    """Questions of two kinds and a word list in files; the questions."""
    draw = random.Random(3)
    found = {}
    for kind, name in TASKS.items():
        rows = []
        for number in range(60):
            passage = " ".join(draw.sample(WORDS, 3)) + f", said {number % 25}."
            rows.append(question(passage, draw.sample(WORDS, 5), draw.randrange(5)))
        found[kind] = rows
        write_lines(tmp_path / name, rows)
    lines = [f"{word}\t{count}" for word, count in COUNTS.items()]
    (tmp_path / "counts.tsv").write_text("word\tcount\n" + "\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", wordfreq_cache)
    return found


LIST = "counts.tsv:word=word,value=count"


def options_of(row):
    return [row[f"option_{place}"] for place in range(5)]


def share(rows, chosen):
    """Return the expected share of right answers; `chosen` gives the options drawn from."""
    right = [Fraction(row["label"] in some, len(some)) for row in rows for some in [chosen(row)]]
    return float(sum(right) / len(right))


def frequent(row):
    counts = [COUNTS.get(word, -1) for word in options_of(row)]
    return [at for at in range(5) if counts[at] == max(counts)]


def rare(row):
    counts = [COUNTS.get(word, -1) for word in options_of(row)]
    return [at for at in range(5) if counts[at] == min(counts)]


def outside(row):
    words = re.findall(r"\w+", row["article"])
    return [at for at, word in enumerate(options_of(row)) if word not in words] or list(range(5))


def rows_of(out):
    table = lexbeam.open(out).table("cloze/metrics")
    return {(row["system"], row["subset"]): row for row in table.to_pylist()}


def test_labels_of_two_kinds_beside_baselines(given, tmp_path, capsys):
    draw = random.Random(4)
    chosen = {kind: [draw.randrange(5) for _ in rows] for kind, rows in given.items()}
    for kind, labels in chosen.items():
        lines = [f"{at},{label}\n" for at, label in enumerate(labels)]
        draw.shuffle(lines)
        (tmp_path / f"{kind}.csv").write_text("".join(lines))
    words = ["--gold", *TASKS.values(), "--predictions", *(f"{kind}.csv" for kind in TASKS)]
    assert call("evaluate", "cloze", *words, "--frequency", LIST, "--out", "out") == 0
    found = rows_of("out")
    everything = [row for rows in given.values() for row in rows]
    for kind, rows in [*given.items(), ("all", everything)]:
        labels = chosen.get(kind) or [one for own in chosen.values() for one in own]
        right = [label == row["label"] for label, row in zip(labels, rows, strict=True)]
        expected = {
            "chance": 0.2,
            "frequency": share(rows, frequent),
            "rarest": share(rows, rare),
            "not-in-passage": share(rows, outside),
            "predictions": sum(right) / len(rows),
        }
        for system, value in expected.items():
            row = found.pop((system, kind))
            assert (row["metric"], row["n"], row["k"]) == ("accuracy", len(rows), None)
            assert row["value"] == pytest.approx(value, abs=1e-12)
            assert row["low"] - 1e-12 <= value <= row["high"] + 1e-12
    assert not found
    section = manifest(tmp_path / "out")["evaluate.cloze"]
    assert section["questions"] == 120
    assert section["articles"] == len({row["article"] for row in everything})
    assert "not-in-passage  imperceptibility" in capsys.readouterr().out


def test_cross_and_scores_with_ties(given, tmp_path):
    rows = [{**row, "question_id": f"n{at}"} for at, row in enumerate(given["nonspecificity"])]
    write_lines(tmp_path / "Task_2.jsonl", rows)
    draw = random.Random(5)
    answers, chances = [], {}
    for trained_on in TASKS:
        for at in range(len(rows)):
            scores = [draw.choice([0.1, 0.4]) for _ in range(5)]
            best = [place for place in range(5) if scores[place] == max(scores)]
            chances[trained_on, at] = Fraction(rows[at]["label"] in best, len(best))
            answers.append({"question_id": f"n{at}", "scores": scores, "system": "reader", "trained_on": trained_on})
    draw.shuffle(answers)
    write_lines(tmp_path / "answers.jsonl", answers)
    lexbeam.evaluate.cloze(gold="Task_2.jsonl", predictions="answers.jsonl", frequency=LIST, out="out")
    found = rows_of("out")
    for trained_on, subset in (
        ("nonspecificity", "nonspecificity"),
        ("imperceptibility", "nonspecificity from imperceptibility"),
    ):
        expected = sum(chances[trained_on, at] for at in range(len(rows))) / len(rows)
        assert found["reader", subset]["value"] == pytest.approx(float(expected))
    assert {system for system, _ in found} == {"chance", "frequency", "rarest", "not-in-passage", "reader"}


def test_what_trained_a_system_may_be_an_option(given, tmp_path):
    text = "".join(f"{at},{row['label']}\n" for at, row in enumerate(given["nonspecificity"]))
    (tmp_path / "a.csv").write_text(text)
    lexbeam.evaluate.cloze(
        gold="Task_2.jsonl",
        predictions="a.csv",
        trained_on="imperceptibility",
        frequency=LIST,
        system="mine",
        out="out",
    )
    found = rows_of("out")
    assert found["mine", "nonspecificity from imperceptibility"]["value"] == 1
    assert ("mine", "nonspecificity") not in found


def test_files_that_are_written_here_are_gold(given, tmp_path):
    own = [
        {
            "question_id": f"q{number}",
            "kind": "nonspecificity",
            "article": row["article"],
            "question": row["question"],
            "options": options_of(row),
            "label": row["label"],
        }
        for number, row in enumerate(given["nonspecificity"])
    ]
    (tmp_path / "made.jsonl").write_bytes(b"".join(map(json_line, own)))
    (tmp_path / "a.csv").write_text("".join(f"{at},0\n" for at in range(60)))
    lexbeam.evaluate.cloze(gold="made.jsonl", predictions="a.csv", frequency=LIST, out="out")
    expected = sum(row["label"] == 0 for row in own) / 60
    assert rows_of("out")["predictions", "nonspecificity"]["value"] == pytest.approx(expected)
    (tmp_path / "ids.csv").write_text("question_id,label\n" + "".join(f"q{at},0\n" for at in reversed(range(60))))
    lexbeam.evaluate.cloze(gold="made.jsonl", predictions="ids.csv", frequency=LIST, out="out", overwrite=True)
    assert rows_of("out")["predictions", "nonspecificity"]["value"] == pytest.approx(expected)


def test_it_is_told_where_nothing_is_published(given, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("".join(f"{at},0\n" for at in range(60)))
    words = ["--gold", "Task_1.jsonl", "--predictions", "a.csv", "--resamples", "0"]
    assert call("evaluate", "cloze", *words, "--frequency", LIST) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["chance", "imperceptibility", "0.200", "60"] in lines
    assert not (tmp_path / "out").exists()
    # Without a list that is named, frequencies are wordfreq's.
    assert call("evaluate", "cloze", *words) == 0
    assert "frequency" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "text", "told"),
    [
        ({}, "0,1\n", "predictions lack 59 ids"),
        ({}, "".join(f"{at},1\n" for at in [*range(60), 7]), "'7'"),
        ({}, "".join(f"{at},1\n" for at in range(61)), r"gold lacks 1 ids \('60'\)"),
        ({"gold": "nothing.jsonl"}, "0,1\n", "no file is at"),
        ({"gold": ["Task_1.jsonl", "Task_2.jsonl"]}, "0,1\n", "has places in a gold file"),
        ({"predictions": ["a.csv", "a.csv"]}, "0,1\n", "`predictions` names 2 files"),
        ({"frequency": "wordnet"}, "".join(f"{at},1\n" for at in range(60)), "is no list of words"),
    ],
)
def test_what_does_not_fit_is_told(given, tmp_path, more, text, told):
    (tmp_path / "a.csv").write_text(text)
    asked = {"gold": "Task_1.jsonl", "predictions": "a.csv", "frequency": LIST, "out": "out"}
    with pytest.raises((LexbeamError, UsageError), match=told):
        lexbeam.evaluate.cloze(**{**asked, **more})
    assert not (tmp_path / "out" / "current").exists()


def test_questions_of_two_kinds_in_one_file_are_told_apart_by_their_kind(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    rows = [
        question(f"Dogs stay, said {number}.", WORDS[:5], number % 5, question_id=f"q{number}", kind=kind)
        for number in range(4)
        for kind in TASKS
    ]
    write_lines(tmp_path / "all.jsonl", rows)
    answers = [{name: row[name] for name in ("question_id", "kind", "label")} for row in rows]
    write_lines(tmp_path / "answers.jsonl", answers)
    (tmp_path / "counts.tsv").write_text("word\tcount\nsea\t1\n")
    lexbeam.evaluate.cloze(gold="all.jsonl", predictions="answers.jsonl", frequency=LIST, out="out")
    metrics = open_snapshot("out").read("cloze/metrics").to_pylist()
    of_file = {row["subset"]: (row["value"], row["n"]) for row in metrics if row["system"] == "predictions"}
    assert {kind: of_file[kind] for kind in TASKS} == dict.fromkeys(TASKS, (1.0, 4))
