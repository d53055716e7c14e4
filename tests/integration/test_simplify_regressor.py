"""`lexbeam simplify rank --ranker regressor`: from labelled files to rankings, without a leak."""

import itertools

import pytest
from simplified import instance, publish, substitutes
from small_runs import call, manifest

from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

WORDS = ["".join(some) for some in itertools.product("bdlm", "aeio", "nrst", "aeo")]
OFTEN = {text: place * 37 % len(WORDS) + 1 for place, text in enumerate(WORDS)}
GOLD = {1: ("bana", ["dane", "lora", "mesa"]), 2: ("dita", ["bena", "mota", "lito de pan"])}
STAND_HERE = {"bana", "dane", "lora", "mesa", "dita", "bena", "mota", "lito"}


def labelled(folder, name, changed=()):
    """Load a labelled file, in which the labels of some words are turned round."""
    rows = ["token\tsentence\tcomplexity"]
    for text, value in OFTEN.items():
        complexity = 1 - value / (len(WORDS) + 1)
        complexity = 1 - complexity if text in changed else complexity
        rows.append(f"{text}\tVi una {text} ayer.\t{complexity:.6f}")
    (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    assert call("complexity", "load", f"{name}.tsv", "--layout", "tsv", "--language", "es", "--out", name) == 0
    return name


def ranked(out):
    """Return forms by instance, in the order of their places, and the rows of phrases."""
    rows = open_snapshot(str(out)).read("simplification/rankings").to_pylist()
    found = {}
    for row in sorted(rows, key=lambda row: (row["instance_id"], row["place"] or 0)):
        if not row["is_target"]:
            found.setdefault(int(row["instance_id"], 16), []).append(row["form"])
    return found, [row for row in rows if " " in row["form"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with instances, gold, candidates that are gold, and a word list."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for number, (target, words) in GOLD.items():
        rows.append(instance(number, target))
        rows += substitutes(number, dict.fromkeys(words, 1))
    publish(tmp_path / "out", rows)
    listed = "".join(f"{text}\t{value}\n" for text, value in OFTEN.items())
    (tmp_path / "often.tsv").write_text(f"word\tcount\n{listed}", "utf-8")
    assert call("simplify", "generate", "out", "--generators", "gold") == 0
    return tmp_path


def rank(complexity, *more):
    listed = "often=often.tsv:word=word,value=count"
    return call(
        "simplify",
        "rank",
        "out",
        "--ranker",
        "regressor",
        "--complexity",
        complexity,
        "--wordlist",
        listed,
        "--overwrite",
        *more,
    )


def test_labels_of_targets_and_gold_do_not_reach_the_rankings(folder, capsys):
    assert rank(labelled(folder, "plain")) == 0
    left = len(WORDS) - len(STAND_HERE)
    assert f"trained on {left} labelled words; {len(STAND_HERE)} that stand here" in (capsys.readouterr().out)
    found, phrases = ranked("out")
    # What is said of words by their frequency is learned from others.
    for number, (_, words) in GOLD.items():
        single = [text for text in words if " " not in text]
        best = max(single, key=OFTEN.__getitem__)
        assert found[number][0] == best
    assert [(row["known"], row["score"]) for row in phrases] == [(False, 0.0)]
    assert found[2][-1] == "lito de pan"
    table = manifest(folder / "out")["tables"]["simplification/rankings"]
    digest = manifest(folder / "out")["simplify.rank"]["regressor"][0]["sha256"]

    assert rank(labelled(folder, "turned", STAND_HERE)) == 0
    again = manifest(folder / "out")
    assert again["tables"]["simplification/rankings"]["parts"] == table["parts"]
    assert again["simplify.rank"]["regressor"][0]["sha256"] == digest

    assert rank(labelled(folder, "other", set(WORDS) - STAND_HERE)) == 0
    assert ranked("out")[0] != found


def test_phrases_are_judged_by_their_words_if_asked(folder):
    assert rank(labelled(folder, "plain"), "--phrases", "rarest") == 0
    _, phrases = ranked("out")
    assert phrases[0]["known"]
    assert phrases[0]["score"] > 0


def test_it_needs_labelled_words(folder, capsys):
    words = ["simplify", "rank", "out", "--ranker", "regressor"]
    assert call(*words) == 2
    assert "complexity" in capsys.readouterr().err
    (folder / "few.tsv").write_text("token\tcomplexity\nalgo\t0.5\n", "utf-8")
    assert call("complexity", "load", "few.tsv", "--layout", "tsv", "--language", "es", "--out", "few") == 0
    assert rank("few") == 1
    assert "of 1 labelled words 1 can be learned from" in capsys.readouterr().err
