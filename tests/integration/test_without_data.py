"""A section that has nothing to do for want of data is empty, and says why; it is no failure."""

import contextlib
import io
import json
import random
import re

import pytest
import yaml
from edges_inputs import ASKED
from refreshed import ANY, WORDS, check_plan, make_world, planned, rebuilt, refresh, run_log, text_of, told
from small_runs import SLICES, SMALL, call, manifest, published
from wordnet_making import Synset, write_wordnet

import lexbeam
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.snapshots import open_snapshot

NONE = ("--max-reject-share", "1")
NETWORK = ("--hidden", "2", "--dim", "2", "--epochs", "1")


def corpus(out, *texts):
    """Publish a corpus of texts; without any, one of a blank document, which is rejected."""
    folder = out.with_suffix(".in")
    folder.mkdir()
    for number, text in enumerate(texts or [" "]):
        (folder / f"{1800 + 50 * number}.txt").write_text(text)
    words = ("--engine", "builtin:en", "--dates", "name:^(\\d+)", "--language", "en")
    assert call("corpus", folder, "--out", out, *words, *NONE) == 0
    return out


def loaded(out, *rows):
    """Publish instances of rows of a labelled file."""
    path = out.with_suffix(".tsv")
    path.write_text("\n".join(["token\tcomplexity\tsentence", *rows]) + "\n")
    assert call("complexity", "load", path, "--layout", "tsv", "--language", "en", "--out", out, *NONE) == 0
    return out


def commands(folder):
    """Each command that reads tables, over tables without rows: words, where it publishes, what else it is given.

    And what it makes of tables that have too few rows for it, or none of those that it needs.
    """
    (folder / "gold.tsv").write_text("word\tbinary\tgraded\nsea\t1\t0.5\nship\t0\t0.1\n")
    (folder / "judged.tsv").write_text("instance_id\tannotator\trating\n")
    (folder / "answers.csv").write_text("question_id,annotator_id,answer\n")
    (folder / "thesaurus.dat").write_text("UTF-8\nship|1\n-|boat\n")
    (folder / "marked.txt").write_text("A [[zebra]] sails.\n")
    things = [Synset("entity", "n", ["entity"], "what is")]
    things += [Synset(word, "n", [word], "a thing", pointers=[("@", "entity", 0, 0)]) for word in WORDS]
    write_wordnet(folder / "wordnet", things)
    cache = ("--cache", folder / "cache")
    wordnet = ("--wordnet", folder / "wordnet", *cache)

    def cloze(out):
        yield "cloze candidates", out, "--kind", "nonspecificity", "--sense", "first", *wordnet
        yield "cloze options", out, "--readers", "frequency", *wordnet
        yield "cloze questions", out
        yield "cloze answer", out, "--systems", "ga5", "--resamples", "10", *NETWORK
        yield "cloze answer", out, "--systems", "context", "--by", "split", "--resamples", "10", "--overwrite"
        yield "cloze answer", out, "--asked", "targets", "--systems", "context", "--resamples", "10", "--overwrite"
        yield "cloze annotate", out, "--annotations", folder / "answers.csv"

    def complexity(out):
        yield "complexity features", out, "--use", "form"
        yield "complexity split", out
        yield "complexity score", out, "--scorer", "ridge,svr,stack", "--resamples", "10"
        more = ("--importance", "--ablation", "--curve", "--resamples", "10", "--overwrite")
        yield "complexity score", out, "--scorer", "ridge", *more
        yield "complexity score", out, "--scorer", "ridge", "--test", "test", "--resamples", "10", "--overwrite"
        yield "complexity score", out, "--scorer", "ridge", "--save", folder / f"{out.name}.model", "--overwrite"

    def simplify(out):
        yield "simplify generate", out, "--thesaurus", folder / "thesaurus.dat", *cache
        yield "simplify select", out, *cache
        yield "simplify rank", out, "--ranker", "senses", *cache
        yield "simplify rewrite", out
        yield "evaluate simplify", out, "--resamples", "10"

    blank = corpus(folder / "blank")
    little = corpus(folder / "little", "The ship.\n\nIt goes.", "The sea.\n\nIt goes.")
    changed = folder / "changed"
    yield "change", blank, "--out", changed, *SLICES, *SMALL
    yield "evaluate change", changed, "--gold", folder / "gold.tsv", "--resamples", "10"
    yield "change", little, "--out", folder / "century", "--slices", "every 100", *SMALL
    for name, source, more in (("selected", blank, ()), ("long", little, ("--min-sentence", "50"))):
        yield "complexity select", source, "--out", folder / name, "--language", "en", *more
    yield from complexity(folder / "selected")
    yield "complexity aggregate", folder / "selected", "--out", folder / "judged", "--judgments", folder / "judged.tsv"
    for name, rows in (("unlabelled", ["ship\t\tthe ship"]), ("one", ["ship\t.5\tthe ship"])):
        yield from complexity(loaded(folder / name, *rows))
    three = corpus(
        folder / "texts", *("\n\n".join(text_of(random.Random(f"3{n}{m}")) for m in range(3)) for n in range(3))
    )
    for name, source, words in (("pairs", blank, "3"), ("short", little, "100"), ("three", three, "1")):
        least = ("--min-passage-words", words, "--min-summary-words", "1", *NONE)
        yield "cloze pairs", source, "--out", folder / name, "--layout", "corpus", *least
    for name in ("pairs", "three"):
        yield from cloze(folder / name)
    yield "simplify instances", blank, "--out", folder / "found", "--layout", "corpus", "--targets", "content"
    yield from simplify(folder / "found")
    words = ("--out", folder / "marked", "--layout", "text", "--language", "en")
    assert call("simplify", "instances", folder / "marked.txt", *words) == 0
    yield from simplify(folder / "marked")


# Of the little that there is they make rows; so do metrics, whose reason says why they have no value.
SOME = {
    ("complexity features", "unlabelled"),
    ("complexity features", "one"),
    ("complexity split", "one"),
    ("cloze pairs", "three"),
    ("cloze candidates", "three"),
    ("cloze options", "three"),
    ("cloze questions", "three"),
    ("simplify rank", "marked"),
    ("simplify rewrite", "marked"),
}
# Files that people bring, which tables do not.
OF_FILES = {"corpus", "complexity load", "simplify text", "evaluate complexity", "evaluate cloze"}


@pytest.fixture(scope="module")
def run(made_once):
    """What was run, and what each command said: its words, its folder, the exit code, the section, the rows."""

    def make(folder):
        found = []
        for words, place, *more in commands(folder):
            out = more[more.index("--out") + 1] if "--out" in more else place
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                code = call(*words.split(), place, *more, *(() if "--out" in more else ("--out", out)))
            snapshot = open_snapshot(str(out))
            section = snapshot.sections.get(section_of(words), {})
            rows = {table: snapshot.tables[table]["rows"] for table in section.get("parts", ())}
            found.append((words, out, code, section.get("empty"), rows, said.getvalue()))
        return found

    return made_once("without-data", make)


def test_every_command_that_reads_tables_makes_empty_ones_of_empty_ones(run):
    assert {words for words, *_ in run} == {
        words for words in COMMANDS.ours() if load(words).tables and words not in OF_FILES
    }
    besides = {"complexity/metrics", "complexity/importance", "complexity/learning", "cloze/rejects"}
    wrong = []
    for words, out, code, empty, rows, said in run:
        some = {table for table, number in rows.items() if number} - besides
        if code or (bool(some) if (words, out.name) not in SOME else empty is not None or not some):
            wrong.append((words, out.name, code, rows, said))
        elif (words, out.name) not in SOME and not (empty and re.match(r"no \w+", empty)):
            wrong.append((words, out.name, empty))
    assert wrong == []


def test_metrics_of_what_is_too_little_are_null_and_say_why(run):
    (out,) = {out for words, out, *_ in run if out.name == "one"}
    rows = open_snapshot(str(out)).read("complexity/metrics").to_pylist()
    assert rows
    assert {(row["value"], row["n"]) for row in rows} == {(None, 0)}
    assert all(row["reason"] for row in rows)
    made = {path.name for path in out.parent.glob("*.model")}
    assert made == {"one.model"}, "there is no model of no labelled instance"


def test_what_is_empty_is_shown_with_its_reason(run, tmp_path, capsys):
    wrong = []
    for out in sorted({out for _, out, *_ in run}):
        empty = {
            name: section["empty"] for name, section in open_snapshot(str(out)).sections.items() if "empty" in section
        }
        state = json.loads(told(capsys, "status", out, "--json"))["published"]["sections"]
        page = tmp_path / f"{out.name}.html"
        told(capsys, "report", out, "--out", page)
        told(capsys, "export", out, "--tables", "--out", tmp_path / out.name)
        shown, status = told(capsys, "show", out, "--rows", "0"), told(capsys, "status", out)
        for name, reason in empty.items():
            there = [re.search(rf"\n  empty +{re.escape(reason)}\n", shown), f"\n  empty: {reason}\n" in status]
            there += [state[name]["empty"] == reason, reason.replace("`", "").split(":")[0] in page.read_text()]
            if not all(there):
                wrong.append((out.name, name, reason, there))
    assert wrong == []


def test_a_question_to_what_is_empty_is_answered_by_the_reason(run, capsys):
    (out,) = {out for words, out, *_ in run if out.name == "changed"}
    assert "nothing to show: section change is empty: no sentences: table sentences has no rows" in told(
        capsys, "show", out, "--top", "5"
    )
    asked = [lambda: lexbeam.open(str(out)).top(5), lambda: lexbeam.vectors(out, slice="1800-1849")]
    asked += [lambda: lexbeam.export(out, format="tsv", out=out.parent / "none")]
    for ask in asked:
        with pytest.raises(LexbeamError, match=r"section change at .*changed' is empty: no sentences"):
            ask()


def test_one_question_is_too_few_for_folds(tmp_path):
    (tmp_path / "Task_1.jsonl").write_text(ASKED.splitlines()[0] + "\n")
    words = ("--layout", "recam", "--engine", "builtin:en", "--out", tmp_path / "out")
    assert call("cloze", "pairs", tmp_path / "Task_1.jsonl", *words) == 0
    asked = ("--asked", "targets", "--resamples", "10", "--systems", "ga5,context", "--folds", "5", *NETWORK)
    assert call("cloze", "answer", tmp_path / "out", *asked) == 0
    found = open_snapshot(str(tmp_path / "out"))
    assert {row["questions"] for row in found.sections["cloze.answer"]["training"]} == {0, 1}
    assert found.tables["cloze/answers"]["rows"] == 2


def blank(world):
    for path in (world / "texts").iterdir():
        path.write_text("It.\n\nAnd it.")


def unlabel(world):
    for path in (world / "labelled").iterdir():
        path.write_text(re.sub(r"\t[01]\.\d+\t", "\t\t", path.read_text()))


EMPTIED = {
    "cloze": (blank, [f"cloze.{name}" for name in ("answer", "candidates", "options", "pairs", "questions")]),
    "load": (unlabel, ["complexity.score", "complexity.split"]),
    "simplify": (
        blank,
        ["simplify.generate", "simplify.instances", "simplify.rank", "simplify.rewrite", "simplify.select"],
    ),
}


@pytest.mark.parametrize("kind", ["cloze", "load", pytest.param("simplify", marks=pytest.mark.soak)])
def test_from_filled_to_empty_and_back_a_refresh_is_a_rebuild(tmp_path, capsys, kind):
    world = make_world(tmp_path, kind)
    folder = world / ("labelled" if kind == "load" else "texts")
    kept = {path: path.read_bytes() for path in folder.iterdir()}
    assert refresh(world, *ANY) == 0
    empties, names = EMPTIED[kind]
    filled = published(world / "out")
    empties(world)
    for wanted in (names, []):
        plan, before = planned(world, capsys, *ANY), run_log(world / "out")
        assert refresh(world, *ANY) == 0
        check_plan(plan, before, run_log(world / "out"))
        assert published(world / "out") == rebuilt(world)
        empty = {name: section["empty"] for name, section in manifest(world / "out").items() if "empty" in section}
        assert sorted(empty) == wanted, empty
        assert refresh(world, *ANY, "--exit-code") == 3
        for path, content in kept.items():
            path.write_bytes(content)
    assert published(world / "out") == filled


def test_a_bound_holds_back_what_is_empty(tmp_path):
    """Of what was not looked at only the rows of its tables can be bounded."""
    corpus(tmp_path / "blank")
    config = {"out": str(tmp_path / "out"), "change": {"corpora": [str(tmp_path / "blank")], "slices": SLICES[1]}}
    path = tmp_path / "config.yaml"
    for bounds, code in (
        ({"slice-tokens": {"most": 5}, "scores": {"most": 5}}, 0),
        ({"scores": {"least": 1}}, 1),
        ({"slice-tokens": {"least": 1}}, 1),
    ):
        path.write_text(yaml.safe_dump(config | {"gate": {"change": bounds}}))
        assert call("run", path, "--overwrite") == code


def test_a_folder_without_a_file_is_an_error_and_so_is_a_slice_without_documents(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    assert call("corpus", tmp_path / "in", "--out", tmp_path / "out", "--engine", "builtin:en") == 1
    assert "no input files at" in capsys.readouterr().err
    little = corpus(tmp_path / "little", "The ship.", "The sea.")
    assert call("change", little, "--out", tmp_path / "out", "--slices", "1800-1850,1900-1950", *SMALL) == 1
    assert "slice '1900-1950' has no document" in capsys.readouterr().err
