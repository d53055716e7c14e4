"""`lexbeam cloze answer`: from files with options to published answers and metrics."""

import json
import shutil
from collections import Counter

import numpy as np
import pytest
from asked import SYNSETS
from choosing_model import keep_choosing_model
from questions_anew import read
from small_runs import call
from wordnet_making import write_wordnet

from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch")

KINDS = ("imperceptibility", "nonspecificity")
FILES = ("Task_1_Imperceptibility.jsonl", "Task_2_Nonspecificity.jsonl")
WORDS = ("trust", "faith", "doubt", "fear", "hope", "anger", "peace")
SYSTEMS = ("ga5", "context")
FOLDS = 2
SMALL = (
    "--folds",
    "2",
    "--hidden",
    "16",
    "--dim",
    "5",
    "--hops",
    "2",
    "--epochs",
    "1",
    "--batch",
    "8",
    "--own-epochs",
    "1",
    "--resamples",
    "20",
)
TARGETS = ("--asked", "targets", *SMALL)


def article(place):
    # Every third passage has a wrong option in it, in upper case.
    told = WORDS[(place + 1) % len(WORDS)].upper() if place % 3 == 0 else "nothing"
    return f"Here is number {place}. They saw {told} and said so."


def rows_of(kind, articles, turn=0, spoilt=()):
    """Questions about articles, their options turned by so many places, wrong labels of some."""
    for place in articles:
        words = [WORDS[(place + n) % len(WORDS)] for n in range(5)]
        words = words[turn:] + words[:turn]
        yield {
            "article": article(place),
            "label": (1 if place in spoilt else -turn) % 5,
            "question": f"The @placeholder of case {place} grows {kind}.",
            **{f"option_{n}": word for n, word in enumerate(words)},
        }


def write(folder, turn=0, spoilt=()):
    """Write two files: the second has half of the articles of the first, and others.

    Labels are wrong of those that are spoilt, in the first.
    """
    folder.mkdir(exist_ok=True)
    for name, kind, articles in zip(FILES, KINDS, (range(20), range(10, 30)), strict=True):
        lines = [json.dumps(row) for row in rows_of(kind, articles, turn, spoilt)]
        if kind == KINDS[0]:
            spoilt = ()
            odd = {**json.loads(lines[0]), "question": "Six options for @placeholder.", "option_5": "more"}
            lines += [json.dumps(odd), lines[1]]
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
    return [folder / name for name in FILES]


def pairs(folder, out, turn=0, parts="2", spoilt=()):
    assert (
        call(
            "cloze",
            "pairs",
            *write(folder, turn, spoilt),
            "--layout",
            "recam",
            "--engine",
            "builtin:en",
            "--parts",
            parts,
            "--out",
            out,
        )
        == 0
    )
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with answers of all systems to targets; nothing is written to it later."""
    folder = tmp_path_factory.mktemp("answers")
    out = pairs(folder / "files", folder / "out")
    shutil.copytree(out, folder / "pairs", symlinks=True)
    assert call("cloze", "answer", out, *TARGETS) == 0
    return folder


def copy_of_pairs(made, folder):
    """Return a copy, in a folder, of what is published before anything is answered."""
    return shutil.copytree(made / "pairs", folder / "out", symlinks=True)


def asked_of(out):
    """Return targets with five options: by summary's pair and kind, article, passage, target."""
    found = {}
    for pair in read(out, "pairs"):
        for target in pair["targets"]:
            if len(target["options"]) == 5:
                found[pair["pair_id"], target["kind"]] = pair, target
    return found


def metrics(out):
    return {(row["system"], row["subset"]): row for row in read(out, "metrics") if row["metric"] == "accuracy"}


def test_every_question_is_answered_by_what_has_not_seen_its_article(made, capsys):
    out = made / "out"
    rows, asked = read(out, "answers"), asked_of(out)
    assert Counter((row["system"], row["kind"], row["trained_on"]) for row in rows) == {
        (system, kind, other): 20 for system in SYSTEMS for kind in KINDS for other in KINDS
    }
    assert len({(row["system"], row["question_id"], row["kind"], row["trained_on"]) for row in rows}) == 160
    by_article = {pair["article_id"][:16]: pair["article_id"] for pair, _ in asked.values()}
    right: dict = {}
    labels = {}
    for (_, kind), (pair, target) in asked.items():
        labels[pair["article_id"][:16], kind] = target["label"]
    for row in rows:
        article = by_article[row["question_id"][:16]]
        assert row["fold"] == fold_of([article], FOLDS, seed=1, label="cloze/fold")[0]
        assert sum(row["probabilities"]) == pytest.approx(1)
        assert row["chosen"] == int(np.argmax(row["probabilities"]))
        subset = row["kind"]
        subset += "" if row["trained_on"] == subset else f" from {row['trained_on']}"
        hit = row["chosen"] == labels[row["question_id"][:16], row["kind"]]
        right.setdefault((row["system"], subset), []).append(hit)
    found = metrics(out)
    for key, hits in right.items():
        assert found[key]["value"] == pytest.approx(np.mean(hits))
        assert found[key]["n"] == 20
    section = open_snapshot(str(out)).section("cloze.answer")
    assert [own["reasons"]["not_five"] for own in section["kinds"]] == [1, 0]


def test_labels_of_tested_articles_do_not_count_across_kinds(made, tmp_path):
    places = {article(place): place for place in range(30)}
    known = {places[pair["passage"]]: pair["article_id"] for pair, _ in asked_of(made / "out").values()}
    spoilt = [place for place, own in known.items() if fold_of([own], FOLDS, seed=1, label="cloze/fold")[0] == 0]
    assert 5 < len(spoilt) < 25
    out = pairs(tmp_path / "files", tmp_path / "out", spoilt=spoilt)
    assert call("cloze", "answer", out, *TARGETS) == 0

    def told(folder, fold):
        return {
            (row["system"], row["question_id"]): row["probabilities"]
            for row in read(folder, "answers")
            if (row["kind"], row["trained_on"], row["fold"]) == (KINDS[1], KINDS[0], fold)
        }

    assert {system for system, _ in told(out, 0)} == {*SYSTEMS}
    assert told(out, 0) == told(made / "out", 0)
    assert told(out, 1) != told(made / "out", 1)


def test_context_learns_from_more_pairs(made, tmp_path):
    out, texts, news = copy_of_pairs(made, tmp_path), tmp_path / "news.jsonl", tmp_path / "news"
    rows = [{"passage": f"A {WORDS[0]} of place {n}.", "summary": f"The {WORDS[0]} of place {n}."} for n in range(30)]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert call("cloze", "pairs", texts, "--layout", "jsonl", "--language", "en", "--out", news) == 0
    assert call("cloze", "answer", out, "--systems", "context", "--more", news, *TARGETS) == 0
    learnt = {
        (row["question_id"], row["kind"], row["trained_on"]): row["probabilities"] for row in read(out, "answers")
    }
    alone = {
        (row["question_id"], row["kind"], row["trained_on"]): row["probabilities"]
        for row in read(made / "out", "answers")
        if row["system"] == "context"
    }
    assert learnt.keys() == alone.keys()
    assert learnt != alone
    # Baselines count the words of the questions' own passages.
    assert metrics(out)["frequency", KINDS[0]]["value"] == metrics(made / "out")["frequency", KINDS[0]]["value"]


def test_baselines_by_hand(made):
    out = made / "out"
    found, asked = metrics(out), asked_of(out)
    # A passage with questions of two kinds is that of two pairs, and counts with each.
    count = Counter(word.lower() for pair, _ in asked.values() for word in pair["passage_forms"])
    for kind in KINDS:
        absent, frequent, number = 0.0, 0.0, 0
        for (_, own), (pair, target) in asked.items():
            if own != kind:
                continue
            number += 1
            words = {form.lower() for form in pair["passage_forms"]}
            left = [word for word in target["options"] if word not in words]
            answer = target["options"][target["label"]]
            absent += (answer in left) / len(left)
            most = max(count[word] for word in target["options"])
            best = [word for word in target["options"] if count[word] == most]
            frequent += (answer in best) / len(best)
        assert found["chance", kind]["value"] == pytest.approx(0.2)
        assert found["not-in-passage", kind]["value"] == pytest.approx(absent / number)
        assert found["frequency", kind]["value"] == pytest.approx(frequent / number)


def test_the_same_rows_again_with_other_parts(made, tmp_path):
    out = made / "out"
    other = pairs(tmp_path / "files", tmp_path / "other", parts="1")
    assert call("cloze", "answer", other, *TARGETS) == 0
    assert read(other, "answers") == read(out, "answers")
    assert read(other, "metrics") == read(out, "metrics")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a small multiple-choice model with drawn weights."""
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models") / "small"
    texts = [article(n) + f" the of case grows {' '.join([*WORDS, *KINDS])} ." for n in range(30)]
    keep_choosing_model(folder, texts)
    return folder


def test_a_model_answers_and_its_options_may_be_turned(made, model, tmp_path, capsys):
    system = f"multiple-choice:{model}"
    out = copy_of_pairs(made, tmp_path)
    assert call("cloze", "answer", out, "--systems", system, *TARGETS) == 0
    rows = read(out, "answers")
    assert {(row["system"], row["trained_on"], row["fold"]) for row in rows} == {("multiple-choice:small", None, None)}
    assert len(rows) == 40
    assert str(model) not in (out / "manifest.json").read_text("utf-8")
    chances = {(row["question_id"], row["kind"]): row["probabilities"] for row in rows}
    assert np.ptp(np.array(list(chances.values())), axis=1).min() > 0.001

    turned = pairs(tmp_path / "turned", tmp_path / "turned_out", turn=2)
    both = f"{system},ga5"
    assert call("cloze", "answer", turned, "--systems", both, *TARGETS) == 0
    own = [row for row in read(turned, "answers") if row["system"] != "ga5"]
    for row in own:
        wanted = np.roll(chances[row["question_id"], row["kind"]], -2)
        assert row["probabilities"] == pytest.approx(wanted.tolist(), abs=1e-6)
    assert {row["system"] for row in read(turned, "answers")} == {"ga5", "multiple-choice:small"}
    capsys.readouterr()
    # Too long for the model: no answer, and that counts as wrong.
    short = ("--encoder-length", "8", "--overwrite")
    assert call("cloze", "answer", out, "--systems", system, *TARGETS, *short) == 0
    assert all(row["chosen"] is None for row in read(out, "answers"))
    assert metrics(out)["multiple-choice:small", KINDS[0]]["value"] == 0


def test_by_split_the_test_split_is_answered(tmp_path):
    write_wordnet(tmp_path / "wordnet", SYNSETS, index_sense=False)
    words = ("dog", "animal", "entity", "hound", "puppy")
    rows = [
        {
            "article": f"Here is number {place}.",
            "label": 0,
            "question": f"The @placeholder of case {place} is here.",
            "option_0": words[place % 5],
            **{f"option_{n}": f"other{n}" for n in range(1, 5)},
        }
        for place in range(60)
    ]
    path = tmp_path / FILES[1]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out, own = tmp_path / "out", ("--wordnet", tmp_path / "wordnet", "--cache", tmp_path / "cache")
    assert call("cloze", "pairs", path, "--layout", "recam", "--engine", "builtin:en", "--out", out) == 0
    assert call("cloze", "candidates", out, "--kind", KINDS[1], "--filters", "lemma", *own) == 0
    assert call("cloze", "options", out, "--asked", "targets", "--readers", "frequency", *own) == 0
    assert call("cloze", "questions", out) == 0
    assert call("cloze", "answer", out, "--by", "split", *SMALL) == 0
    kept = {row["question_id"]: row for row in read(out, "questions") if row["kept"]}
    test = {name for name, row in kept.items() if row["split"] == "test"}
    answers = read(out, "answers")
    assert test == {row["question_id"] for row in answers}
    assert {(row["fold"], row["trained_on"]) for row in answers} == {(None, KINDS[1])}
    hits = [row["chosen"] == kept[row["question_id"]]["label"] for row in answers if row["system"] == "ga5"]
    assert metrics(out)["ga5", KINDS[1]]["value"] == pytest.approx(np.mean(hits))
    splits = Counter(row["split"] for row in kept.values())
    context, one = open_snapshot(str(out)).section("cloze.answer")["training"]
    assert (one["questions"], one["held_out"]) == (splits["train"], splits["dev"])
    assert context["questions"] == splits["train"]
    # Asked by fold, all that is kept is answered.
    assert call("cloze", "answer", out, "--overwrite", *SMALL) == 0
    assert {row["question_id"] for row in read(out, "answers")} == set(kept)
    assert call("cloze", "answer", out, "--overwrite", "--by", "split", "--splits", "train,dev,exam", *SMALL) == 2


def test_what_cannot_be(made, tmp_path, capsys):
    out = copy_of_pairs(made, tmp_path)
    for words, said in (
        (("--systems", "ga6"), "ga5"),
        (("--asked", "targets", "--systems", f"multiple-choice:{tmp_path}"), "config.json"),
        (("--asked", "targets", "--by", "split"), "no splits"),
        (("--asked", "targets", "--more", out), "the folder itself"),
        (("--splits", "train,test", "--by", "split"), "three different"),
        ((), "cloze/questions"),
    ):
        assert call("cloze", "answer", out, *words) != 0
        assert said in capsys.readouterr().err
