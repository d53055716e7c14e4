"""`lexbeam cloze options`: from candidates to published options."""

import json
import shutil

import numpy as np
import pytest
from asked import SYNSETS
from small_runs import call, manifest
from wordnet_making import write_wordnet

import lexbeam
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

WORDS = ("dog", "animal", "entity", "house", "hound", "big", "trust", "faith", "doubt", "fear")
FOLDS = 2
SMALL = ("--folds", "2", "--hidden", "16", "--dim", "5", "--hops", "2", "--epochs", "1", "--batch", "8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with candidates, and the words for resources; nothing is written to it later."""
    folder = tmp_path_factory.mktemp("cloze")
    write_wordnet(folder / "wordnet", SYNSETS, index_sense=False)
    random = np.random.default_rng(1)
    rows = []
    for place in range(40):
        word = WORDS[place % len(WORDS)]
        fill = " ".join(random.choice(["one", "two", "sea", "land", "ship"], 5))
        rows.append(
            {
                "article": f"Here is {fill} number {place}. They saw {fill}.",
                "label": 0,
                "question": f"The @placeholder of case {place} grows.",
                "option_0": word,
                **{f"option_{n}": f"other{n}" for n in range(1, 5)},
            }
        )
    path = folder / "Task_2_Nonspecificity.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder, path


def candidates(made, out, parts="2"):
    folder, path = made
    assert (
        call("cloze", "pairs", path, "--layout", "recam", "--engine", "builtin:en", "--parts", parts, "--out", out) == 0
    )
    resources = ("--wordnet", folder / "wordnet", "--cache", folder / "cache")
    assert call("cloze", "candidates", out, "--kind", "nonspecificity", "--filters", "lemma", *resources) == 0
    return resources


@pytest.fixture(scope="module")
def prepared(made, tmp_path_factory):
    """A folder with candidates in two parts, which is copied."""
    out = tmp_path_factory.mktemp("prepared") / "out"
    return out, candidates(made, out)


def copy_of(prepared, out):
    """Copy candidates to a folder; return the words for their resources."""
    shutil.copytree(prepared[0], out, symlinks=True)
    return prepared[1]


def table(out, name):
    return open_snapshot(str(out)).read(f"cloze/{name}").to_pylist()


def digests(out, name="options"):
    return [part["sha256"] for part in manifest(out)["tables"][f"cloze/{name}"]["parts"]]


def check_options(out):
    """Return how many questions there are; every rule holds of the options of each."""
    asked = {row["question_id"]: row for row in table(out, "candidates") if row["target"]}
    predictions: dict[str, dict[str, list[str]]] = {}
    for row in table(out, "predictions"):
        named = predictions.setdefault(row["question_id"], {}).setdefault(row["reader"], [])
        named.append(row["word"])
        assert row["rank"] == len(named)
        article = asked[row["question_id"]]["article_id"]
        assert row["fold"] == fold_of([article], FOLDS, seed=1, label="cloze/fold")[0]
    by_question: dict[str, list[dict]] = {}
    for row in table(out, "options"):
        by_question.setdefault(row["question_id"], []).append(row)
    assert by_question.keys() == asked.keys()
    for key, rows in by_question.items():
        assert [row["place"] for row in rows] == list(range(len(rows)))
        answer, *others = rows
        assert answer["word"] == asked[key]["form"]
        kept = [row for row in others if row["kept"]]
        assert len(kept) <= 4
        shown = [row["word"].lower() for row in [answer, *kept]]
        assert len(set(shown)) == len(shown)
        assert all((row["reason"] is None) == row["kept"] for row in others)
        named = {word for words in predictions.get(key, {}).values() for word in words}
        assert {row["named"] for row in others} == named  # nothing is lost
        for row in others:
            ranks = [predictions[key][r].index(row["named"]) + 1 for r in row["readers"]]
            if row["reason"] not in (None, "surplus"):
                assert row["ranks"] == ranks
    return len(by_question)


def test_readers_name_words_and_four_become_options(made, prepared, tmp_path, capsys):
    pytest.importorskip("torch")
    out = tmp_path / "out"
    resources = copy_of(prepared, out)
    words = ("cloze", "options", out, "--asked", "targets", *resources, *SMALL)
    capsys.readouterr()
    assert call(*words) == 0
    said = capsys.readouterr().out
    # *big* is the one adjective: nothing of its form can stand beside it.
    assert "nonspecificity: 36 of 40 questions have four options" in said
    assert "4 more would have, but their other words have no form like the answer's" in said
    assert check_options(out) == 40
    section = open_snapshot(str(out)).section("cloze.options")
    assert [row["reader"] for row in section["measured"]] == ["ar", "ar-gloss", "context", "ga"]
    assert all(row["questions"] == 40 for row in section["measured"])
    assert len(section["training"]) == 4 * FOLDS
    first = digests(out), digests(out, "predictions")
    # Other parts, the same rows.
    other = tmp_path / "other"
    candidates(made, other, parts="1")
    assert call("cloze", "options", other, *words[3:]) == 0
    for name in ("predictions", "options"):
        rows = sorted(map(str, table(out, name)))
        assert rows == sorted(map(str, table(other, name)))
    assert digests(other, "predictions") == first[1]


def test_a_language_of_which_no_word_is_a_candidate(made, tmp_path, capsys):
    pytest.importorskip("torch")
    texts, out = tmp_path / "texts.jsonl", tmp_path / "out"
    rows = [
        {
            "passage": f"Here is one {place} and two.",
            "language": language,
            "summary": f"The {WORDS[place % 4]} of case {place} grows.",
        }
        for language in ("en", "es")
        for place in range(12)
    ]
    # The same pair in two languages would be one.
    texts.write_text("".join(json.dumps({**row, "passage": row["passage"] + row["language"]}) + "\n" for row in rows))
    resources = ("--wordnet", made[0] / "wordnet", "--cache", tmp_path / "cache")
    assert call("cloze", "pairs", texts, "--layout", "jsonl", "--out", out) == 0
    assert call("cloze", "candidates", out, "--kind", "nonspecificity", *resources) == 0
    words = ("cloze", "options", out, "--readers", "ga", *resources, *SMALL)
    capsys.readouterr()
    assert call(*words) == 0
    said = capsys.readouterr().out
    assert "kind            language  reader" in said
    english, spanish = open_snapshot(str(out)).section("cloze.options")["measured"]
    assert (english["language"], spanish["language"]) == ("en", "es")
    assert english["questions"] > 0 == spanish["questions"]
    # No word is the answer of so many questions: none is named, and all are misses.
    assert call(*words, "--min-answers", "99", "--overwrite") == 0
    english, _ = open_snapshot(str(out)).section("cloze.options")["measured"]
    assert english["questions"] == english["unseen"] > 0 == english["mrr"]
    assert table(out, "predictions") == []


def test_context_learns_from_more_pairs(prepared, tmp_path, capsys):
    pytest.importorskip("safetensors")
    out, texts, news = tmp_path / "out", tmp_path / "news.jsonl", tmp_path / "news"
    resources = copy_of(prepared, out)
    rows = [{"passage": f"A hound of place {n} came.", "summary": f"The hound of place {n} grows."} for n in range(9)]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for language, place in (("en", news), ("de", tmp_path / "german")):
        assert call("cloze", "pairs", texts, "--layout", "jsonl", "--language", language, "--out", place) == 0
    words = ("cloze", "options", out, "--asked", "targets", "--readers", "context", "--folds", "2", *resources)
    assert call(*words) == 0
    assert check_options(out) == 40
    alone = digests(out, "predictions")
    assert call(*words, "--more", news, "--overwrite") == 0
    assert check_options(out) == 40
    assert digests(out, "predictions") != alone
    (measured,) = open_snapshot(str(out)).section("cloze.options")["measured"]
    assert measured["questions"] == 40
    for more, said in (
        (out, "the folder itself"),
        (f"{news},{news}", "twice"),
        (tmp_path / "german", "the pairs of --more are in de, the questions in en"),
    ):
        capsys.readouterr()
        assert call(*words, "--more", more, "--overwrite") != 0
        assert said in capsys.readouterr().err
    assert call(*words, "--readers", "frequency", "--more", news, "--overwrite") == 2


def test_frequency_without_torch(prepared, tmp_path, capsys):
    out = tmp_path / "out"
    resources = copy_of(prepared, out)
    words = ("cloze", "options", out, "--asked", "targets", "--readers", "frequency", "--folds", "2", *resources)
    assert call(*words) == 0
    assert check_options(out) == 40
    rows = table(out, "options")
    # One answer is the only adjective: there is nothing like it.
    said = capsys.readouterr().out
    assert "nonspecificity: 36 of 40 questions have four options" in said
    assert {row["origin"] for row in rows if row["place"]} == {"frequency"}
    assert "stands alone" not in said
    section = open_snapshot(str(out)).section("cloze.options")
    assert section["measured"] == section["training"] == []
    first = digests(out)
    assert call(*words, "--seed", "2", "--overwrite") == 0
    assert digests(out) != first


def test_what_cannot_be(prepared, tmp_path, capsys):
    out = tmp_path / "out"
    resources = copy_of(prepared, out)
    assert call("cloze", "options", out, "--readers", "frequency,ar", *resources) != 0
    assert "give it alone" in capsys.readouterr().err
    assert call("cloze", "options", out, "--readers", "frequency", "--list-sizes", "99", *resources) != 0
    assert "list-sizes" in capsys.readouterr().err


def test_too_few_words_of_a_form_are_told_and_an_inflector_of_another_language(made, tmp_path, capsys, caplog):
    folder, path = made
    texts, out = tmp_path / "Task_2_Nonspecificity.jsonl", tmp_path / "out"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:  # one plural beside singular words
        row["option_0"] = {"hound": "animals", "big": "trust"}.get(row["option_0"], row["option_0"])
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    resources = candidates((folder, texts), out)
    words = ("cloze", "options", out, "--asked", "targets", "--readers", "frequency", "--folds", "2", *resources)
    capsys.readouterr()
    assert call(*words) == 0
    said = capsys.readouterr().out
    assert "4 more would have, but their other words have no form like the answer's; --inflector gives" in said
    options = [row for row in table(out, "options") if row["place"]]
    assert not [row for row in options if row["kept"] and row["word"] == "animals"]  # no plural beside singular words
    (tmp_path / "es.tsv").write_text("gato\tgatos\tN;PL\n")
    lexbeam.simplify.train_inflector(tmp_path / "es.tsv", language="es", out=tmp_path / "es.inflector")
    assert call(*words, "--inflector", tmp_path / "es.inflector", "--overwrite") == 0
    assert "the `inflector` is of language es, but the instances are of en" in caplog.text
    caplog.clear()
    more = ("--kind", "nonspecificity", "--filters", "lemma", "--inflector", tmp_path / "es.inflector", *resources)
    assert call("cloze", "candidates", out, *more, "--overwrite") == 0
    assert "the `inflector` is of language es, but the instances are of en" in caplog.text
