"""`lexbeam cloze questions`: from pairs to questions, every rule of which is asked anew."""

import json

import pytest
from questions_anew import check_questions, read
from questions_making import DEEP, IDEAS, write_inputs
from small_runs import call, manifest

pytestmark = pytest.mark.slow
pytest.importorskip("sklearn")

KINDS = ("imperceptibility", "nonspecificity", "intersection")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with options of questions of all kinds; it is copied, and not written to."""
    folder = tmp_path_factory.mktemp("cloze")
    write_inputs(folder)
    ratings = f"{folder / 'rated.csv'}:word=WORD,value=CONC"
    assert (
        call(
            "cloze",
            "abstractness",
            "--ratings",
            ratings,
            "--inputs",
            "ngrams",
            "--estimator",
            "ridge",
            "--resamples",
            "0",
            "--out",
            folder / "model",
        )
        == 0
    )
    options(folder, folder / "out", "3")
    return folder


def options(folder, out, parts):
    """Make pairs, candidates and options."""
    own = ("--wordnet", folder / "wordnet", "--cache", folder / "cache")
    assert (
        call(
            "cloze",
            "pairs",
            folder / "pairs.jsonl",
            "--layout",
            "jsonl",
            "--engine",
            "builtin:en",
            "--language",
            "en",
            "--parts",
            parts,
            "--out",
            out,
        )
        == 0
    )
    assert (
        call(
            "cloze",
            "candidates",
            out,
            "--kind",
            ",".join(KINDS),
            "--abstractness",
            folder / "model",
            "--sense",
            "first",
            *own,
        )
        == 0
    )
    assert call("cloze", "options", out, "--readers", "frequency", *own) == 0


def test_every_question_obeys_every_rule(made, tmp_path, capsys):
    out, wordnet = made / "out", made / "wordnet"
    task = tmp_path / "task.jsonl"
    capsys.readouterr()
    assert call("cloze", "questions", out, "--overwrite", "--write-jsonl", task) == 0
    said = capsys.readouterr().out
    kept = check_questions(out, wordnet)
    assert {row["kind"] for row in kept} == set(KINDS)
    assert len(kept) > 100
    for kind in KINDS:
        own = [row for row in kept if row["kind"] == kind]
        assert f"{kind}: {len(own)} questions of " in said
    rated = dict(line.split(",") for line in (made / "rated.csv").read_text().split()[1:])
    for row in kept:
        if row["concreteness"] is not None and row["answer"].lower() in rated:
            value = float(rated[row["answer"].lower()])
            low, high = 2, 6
            assert row["concreteness"] == pytest.approx((value - low) / (high - low))
    lines = [json.loads(line) for line in task.read_text("utf-8").splitlines()]
    assert lines == [
        {
            **{name: row[name] for name in ("question_id", "kind", "article", "question")},
            **{f"option_{n}": word for n, word in enumerate(row["options"])},
            "label": row["label"],
        }
        for row in kept
    ]
    assert f"task.jsonl: {len(kept)} questions" in said
    # Upper case and summaries of two passages join articles.
    splits = manifest(out)["cloze.questions"]["splits"]
    assert splits["groups"] < splits["articles"]


def test_the_best_of_a_summary(made):
    out = made / "out"
    assert (
        call(
            "cloze",
            "questions",
            out,
            "--overwrite",
            "--per-summary",
            "best",
            "--seed",
            "7",
            "--shares",
            "one=.5,two=.5",
        )
        == 0
    )
    kept = check_questions(out, made / "wordnet", seed=7, per_summary="best")
    assert {row["split"] for row in kept} == {"one", "two"}
    rows = read(out, "questions")
    for row in rows:
        if row["reason"] == "not_best":
            best = next(one for one in kept if (one["pair_id"], one["kind"]) == (row["pair_id"], row["kind"]))
            for name in ("concreteness", "depth"):
                if row[name] != best[name]:
                    assert row[name] > best[name]
                    break


def test_the_same_rows_whatever_the_parts(made, tmp_path):
    out, other = made / "out", tmp_path / "other"
    assert call("cloze", "questions", out, "--overwrite") == 0
    rows = read(out, "questions")
    options(made, other, "1")
    assert call("cloze", "questions", other) == 0
    assert read(other, "questions") == rows


def test_published_questions_stay_in_their_splits(made):
    out = made / "out"

    def splits(*words):
        assert call("cloze", "questions", out, "--overwrite", *words) == 0
        return {(row["question_id"], row["kind"]): row["split"] for row in read(out, "questions") if row["kept"]}

    other, before = splits("--seed", "7"), splits()
    kept = splits("--seed", "7", "--splits-from", out)
    assert kept == {**other, **before} != other
    assert manifest(out)["cloze.questions"]["kept"]


def test_a_file_that_is_there_is_not_replaced_unasked(made, tmp_path, capsys):
    out = made / "out"
    (tmp_path / "nonspecificity_train.jsonl").write_text("mine\n")
    name = tmp_path / "{kind}_{split}.jsonl"
    assert call("cloze", "questions", out, "--write-jsonl", name) == 2
    assert "nonspecificity_train.jsonl is there" in capsys.readouterr().err
    assert call("cloze", "questions", out, "--write-jsonl", name, "--overwrite") == 0
    made_of = {path.name: path.read_text("utf-8").splitlines() for path in tmp_path.iterdir()}
    kept = [row for row in read(out, "questions") if row["kept"]]
    assert sum(map(len, made_of.values())) == len(kept)
    train = [row for row in kept if (row["kind"], row["split"]) == ("nonspecificity", "train")]
    assert [json.loads(line)["question"] for line in made_of["nonspecificity_train.jsonl"]] == [
        row["question"] for row in train
    ]
    assert call("cloze", "questions", out, "--write-jsonl", tmp_path / "{task}.jsonl") == 2
    assert "{task}" in capsys.readouterr().err


def test_options_of_targets_alone_are_no_questions_of_others(made, tmp_path):
    rows = [
        {
            "article": f"Here is number {n} .",
            "question": "The @placeholder grows and the badom .",
            "option_0": word,
            **{f"option_{m}": f"other{m}" for m in range(1, 5)},
            "label": 0,
        }
        for n, word in enumerate([*IDEAS[:10], *DEEP[:10]])
    ]
    path = tmp_path / "Task_2_Nonspecificity.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out, own = tmp_path / "out", ("--wordnet", made / "wordnet", "--cache", made / "cache")
    assert call("cloze", "pairs", path, "--layout", "recam", "--engine", "builtin:en", "--out", out) == 0
    assert call("cloze", "candidates", out, "--kind", "nonspecificity", *own) == 0
    assert call("cloze", "options", out, "--readers", "frequency", "--asked", "targets", *own) == 0
    assert call("cloze", "questions", out) == 0
    candidates = {row["question_id"]: row for row in read(out, "candidates")}
    found = read(out, "questions")
    assert {row["question_id"] for row in found} == {
        key for key, row in candidates.items() if row["target"] or row["passed"]
    }
    for row in found:
        own = candidates[row["question_id"]]
        reason = "not_asked" if not own["target"] else None if own["passed"] else "not_passed"
        assert row["reason"] == reason or (reason is None and row["reason"] == "too_few_options")
    assert {"not_passed"} <= {row["reason"] for row in found}


def test_a_reader_sees_them(made, capsys):
    out = made / "out"
    assert call("cloze", "questions", out, "--overwrite") == 0
    capsys.readouterr()
    assert call("show", out, "--questions", "2", "--question-kind", "intersection") == 0
    said = capsys.readouterr().out
    rows = [row for row in read(out, "questions") if row["kind"] == "intersection" and row["kept"]]
    for row in rows[:2]:
        assert row["question_id"] in said
        assert f"answer {'ABCDE'[row['label']]} {row['answer']}" in said
    assert rows[2]["question_id"] not in said
    page = out.parent / "page.html"
    assert call("report", out, "--out", page) == 0
    assert "Questions as a reader sees them" in page.read_text("utf-8")
