"""Commands as functions: what they return and raise, and that they leave the process as it was."""

import json
import logging
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml
from python_runs import CORPUS, SLICES, SMALL

import lexbeam
from lexbeam._functions import _ONE_AT_A_TIME
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.monitoring.progress import is_shown

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_same_tables_as_the_command_line_makes(texts, tmp_path, published, results):
    out = tmp_path / "out"
    words = ["--engine", "builtin:en", "--format", "text", "--dates", r"name:^(\d+)"]
    assert main(["corpus", str(texts), "--out", str(out), "--parts", "2", *words]) == 0
    words = ["--dim", "5", "--epochs", "1", "--min-count", "1", "--min-sentence", "1"]
    words += ["--rank-min-count", "1", "--rank-min-documents", "1", "--neighbour-min-count", "1"]
    words += ["--seeds", "1,2", "--slices", SLICES]
    assert main(["change", str(out), *words]) == 0
    assert lexbeam.open(out).manifest["tables"] == results.manifest["tables"]


@pytest.mark.slow
def test_results_stand_for_their_folder(texts, tmp_path, capfd):
    made = lexbeam.corpus(str(texts), out=tmp_path / "out", **CORPUS)
    assert made.tables == ("corpus/inputs", "documents", "rejects", "sentences")
    change = lexbeam.change(made, slices=SLICES, **SMALL)
    assert change.folder == made.folder  # the one folder that is read, where none is given
    assert set(change.sections) == {"corpus", "change"}
    other = lexbeam.change([made], slices=SLICES, out=tmp_path / "other", **SMALL)
    assert set(other.sections) == {"change"}
    assert other.table("scores") == change.table("scores")
    assert lexbeam.status(change)[1].startswith("published: change")
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.slow
def test_a_configuration_says_where_it_publishes(texts, tmp_path):
    corpus = {"inputs": ["texts"], **{k: v for k, v in CORPUS.items() if k != "parts"}}
    config = {"out": "there", "parts": 2, "corpus": corpus, "change": {"slices": SLICES, **SMALL}}
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    first = lexbeam.run(path, only="corpus")
    assert first.folder == str(tmp_path / "there")
    assert set(first.sections) == {"corpus"}
    second = lexbeam.run(path, from_="change", out=first)
    assert set(second.sections) == {"corpus", "change"}
    assert lexbeam.run(path, out=tmp_path / "else", only="corpus").folder == str(tmp_path / "else")


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: lexbeam.change(x, slices=SLICES), "ReplacedSectionsError", "give `overwrite` to replace"),
        (lambda x: lexbeam.change(x, slices="1-"), "UsageError", "'1-' is not a span"),
        (lambda x: lexbeam.change(slices=SLICES), "UsageError", "^out must be given"),
        (lambda x: lexbeam.change(x, slices=SLICES, dim=0), "UsageError", "dim.* must be"),
        (lambda x: lexbeam.change(x, slices=SLICES, min_count="x"), "UsageError", "^min_count must be a whole number"),
        (lambda x: lexbeam.corpus("no such", out=x, overwrite=True), "NoFilesError", "no input files"),
        (
            lambda x: lexbeam.corpus(x, out=f"{x}-2", format="txt"),
            "UsageError",
            "^format cannot be 'txt'; did you mean 'text'",
        ),
        (lambda x: lexbeam.corpus(x, out=f"{x}-2", engine="builtn:en"), "UsageError", "did you mean 'builtin'"),
        (
            lambda x: lexbeam.change(x, slices=SLICES, out=f"{x}-2", beam="--runer=x"),
            "UsageError",
            "did you mean '--runner'",
        ),
        (lambda x: lexbeam.status(f"{x}-2"), "LexbeamError", "is not an output folder"),
        (lambda x: lexbeam.export(x, out=f"{x}-2", format="x"), "UsageError", "^format cannot be"),
    ],
)
def test_what_is_wrong_is_raised_in_pythons_terms(call, kind, message, published, capfd):
    with pytest.raises(lexbeam.LexbeamError, match=message) as caught:
        call(str(published))
    assert type(caught.value).__name__ == kind
    assert not Path(f"{published}-2").exists()
    assert "".join(capfd.readouterr()) == ""


def test_a_misspelt_option_is_a_type_error(published):
    with pytest.raises(TypeError, match="sedes"):
        lexbeam.change(published, slices=SLICES, sedes=3)


def test_a_preview_writes_nothing(texts, tmp_path):
    lines = lexbeam.preview_corpus(texts, out=tmp_path / "out", **CORPUS)
    assert lines[0].startswith("document  1810.txt: text, year 1810")
    assert lines[-1] == "4 documents and 0 rejects looked at; nothing was written"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_what_an_action_tells_is_returned(results, tmp_path, capfd):
    assert lexbeam.status(results, verify=True)[-1].startswith("verified: ")
    assert len(lexbeam.export(results, format="tsv", out=tmp_path)) == 12
    assert lexbeam.report(results, out=tmp_path / "x.html") == [f"report: {tmp_path}/x.html"]
    lines = lexbeam.sample(out=tmp_path / "sample", tokens=30_000)
    assert "planted to change" in " ".join(lines)
    assert (tmp_path / "sample" / "config.yaml").exists()
    assert "".join(capfd.readouterr()) == ""


# The last target does not stand in its sentence.
LABELLED = "id\tcorpus\tsentence\ttoken\tcomplexity\n" + "".join(
    f"{number}\tnews\tThe {word} was old.\t{word if number < 9 else 'physician'}\t{number % 5 / 5}\n"
    for number, word in enumerate(["engine", "dog", "house", "tree", "river", "ship", "road", "hat", "book", "wall"])
)


def test_reasons_and_figures_are_returned(tmp_path, capfd):
    path = tmp_path / "labelled.tsv"
    path.write_text(LABELLED)
    loaded = lexbeam.complexity.load(path, layout="complex", out=tmp_path / "out", engine="builtin:en")
    reason = "  not_in_sentence 1: the target does not occur in its sentence"
    assert reason in loaded.summary()
    assert lexbeam.open(tmp_path / "out").summary() == [line for line in loaded.summary() if line[:7] != "tables:"]
    assert reason in loaded._repr_html_()
    predictions = tmp_path / "predictions.tsv"
    predictions.write_text("".join(f"{number},{number % 4 / 4}\n" for number in range(10)))
    figures = lexbeam.evaluate.complexity(gold=path, predictions=predictions)
    assert figures.summary() == figures
    assert re.search(r"pearson -?0\.\d+ \(-?0\.\d+ to 0\.\d+\)", str(figures))
    again = lexbeam.complexity.load(path, layout="complex", out=loaded, engine="builtin:en", resume=True)
    assert reason in again.summary()
    assert "published already" in again.summary()[-1]
    assert "".join(capfd.readouterr()) == ""


def state():
    loggers = {n: logging.getLogger(n) for n in (None, "lexbeam", "apache_beam")}
    return dict(os.environ), {
        name: (logger.level, list(logger.handlers), list(logger.filters)) for name, logger in loggers.items()
    }


@pytest.mark.slow
def test_warnings_are_logged_and_logging_and_environment_are_left(published, tmp_path, caplog):
    before = state()
    made = lexbeam.change(published, out=tmp_path / "out", slices=SLICES, **SMALL)
    assert state() == before
    warning = "slice a: one document has 50 % of the tokens"
    assert made.told.warnings[0] == warning
    assert made.summary()[0] == f"warning: {warning}"
    assert not any("input records" in line for line in made.summary())  # of what another command has made
    output = {record.getMessage() for record in caplog.records if record.name == "lexbeam"}
    assert any(message.startswith("slice a: ") for message in output)
    assert {record.name for record in caplog.records} <= {"lexbeam", "lexbeam.events"}  # of these nobody hears
    with pytest.raises(lexbeam.UsageError):
        lexbeam.change(published, slices=SLICES)
    assert state() == before


def test_a_look_does_not_wait_for_a_run(published):
    output = []
    with _ONE_AT_A_TIME:  # as a run holds it
        look = threading.Thread(target=lambda: output.extend(lexbeam.status(published)))
        look.start()
        look.join(60)
        assert output[-1].startswith("`lexbeam clean")


@pytest.mark.slow
def test_runs_from_several_threads(published, tmp_path):
    before = state()
    made = {}

    def work(dim):
        made[dim] = lexbeam.change(published, out=tmp_path / str(dim), slices=SLICES, **{**SMALL, "dim": dim})

    threads = [threading.Thread(target=work, args=(dim,)) for dim in (4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {dim: results.sections["change"]["options"]["dim"] for dim, results in made.items()} == {4: 4, 5: 5}
    tables = lexbeam.open(published).manifest["tables"]
    assert made[5].manifest["tables"]["scores"] == tables["scores"]
    assert state() == before


# As an interpreter session or a notebook has it: from no file, on a terminal, with no logging set.
SESSION = """
import json, logging, os, sys
import lexbeam
class Mine: pass
def corpus(out):
    return lexbeam.corpus("texts", out=out, engine="builtin:en", format="text",
                          dates=r"name:^(\\d+)")
before = dict(os.environ)
made = corpus("one")
made = lexbeam.change(made, slices="1800-1849,1850-1900", dim=5, epochs=1, min_count=1,
                      min_sentence=1, runner_config="direct_multiprocess", beam="--direct_num_workers=1")
for wrong in (lambda: corpus("one"), lambda: lexbeam.corpus("texts", out="three")):
    try:
        wrong()
    except lexbeam.LexbeamError as error:
        pass
    else:
        raise AssertionError
root = logging.getLogger()
told = [dict(os.environ) == before, root.handlers, root.level, made.tables]
open("told.json", "w").write(json.dumps(told))
"""


@pytest.mark.soak
def test_progress_alone_is_printed_on_a_terminal(texts, tmp_path):
    outer, inner = pty.openpty()
    shown = []

    def read():
        try:
            while actual := os.read(outer, 1 << 16):
                shown.append(actual)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-"],
        input=SESSION.encode(),
        cwd=tmp_path,
        stdout=inner,
        stderr=inner,
        env=environment,
        check=False,
    )
    os.close(inner)
    reader.join()
    os.close(outer)
    assert done.returncode == 0
    told = re.sub(rb"\x1b\[[\d;]*[mAK]", b"", b"".join(shown)).decode().splitlines()
    assert {"corpus/annotate", "change/train"} <= {line.split()[0] for line in told if line.strip()}
    assert not any("documents" in line and "tokens" in line for line in told)  # of a summary
    unchanged, handlers, level, tables = json.loads((tmp_path / "told.json").read_text())
    assert unchanged
    assert (handlers, level) == ([], logging.WARNING)
    assert "scores" in tables


def test_a_terminal_shows_progress_outside_of_calls(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert is_shown()
