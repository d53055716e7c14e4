"""A command, a view and a panel are added from outside, as CONTRIBUTING.md says, word for word."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from outsiders import blocks_of, entry_of, install
from small_runs import corpus, write_texts

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import all_tables, load
from lexbeam.transforms.common.code import registry

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
STAGES = ("toy/count", "toy/add")
ENTRY = "from lexbeam.pipelines.cli import entry; entry()"


FIRST, LAST = blocks_of("Add a command")
MODULE = "".join([FIRST, *blocks_of("Add a view"), LAST])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a small corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    assert corpus(write_texts(folder / "texts"), folder / "out") == 0
    return folder / "out"


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder as an installed package leaves it, and this process has it installed.

    `show` takes the views that are there when it is imported: they are to stay without those of the package.
    """
    load("show")
    all_tables.cache_clear()
    folder = tmp_path_factory.mktemp("site")
    install(folder, *entry_of("Add a command"), toy_lengths=MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(registry, "_OUTSIDE", {})
        yield folder
    all_tables.cache_clear()
    sys.modules.pop("toy_lengths", None)


@pytest.fixture
def lexbeam(package, capsys):
    """A function that runs a command in this process."""

    def run(*words):
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:  # so `--help` ends
            code = ended.code
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def environment(package, monkeypatch):
    """What processes of their own are given, so that the package is installed for them too."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), str(ROOT)]))
    return dict(os.environ)


@pytest.fixture
def python(environment):
    """A function that runs Python code in a process of its own, the toy package installed."""

    def run(code, *words):
        words = [sys.executable, "-c", code, *map(str, words)]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def parts_of(out):
    """The digests of the parts of the toy's table, as the manifest has them."""
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return [part["sha256"] for part in manifest["tables"]["toy/lengths"]["parts"]]


def test_it_takes_no_more_than_sixty_lines():
    assert len(MODULE.splitlines()) <= 60


def test_a_new_command_has_help_checks_and_nearest_names(lexbeam):
    assert re.search(r"toy lengths +from toy_lengths", lexbeam("--help").stdout)
    assert "--least LEAST" in lexbeam("toy", "lengths", "--help").stdout
    for words, message in (
        (["toy", "lenghts"], "takes one of lengths"),
        (["toy", "lengths", "x", "--leats", "2"], "did you mean '--least'"),
        (["toy", "lengths", "x", "--least", "0"], "--least must be at least 1"),
    ):
        done = lexbeam(*words)
        assert (done.code, message in done.stderr) == (2, True), done.stderr


def test_a_package_that_is_broken_stops_no_other_command(lexbeam, python, made, tmp_path, monkeypatch):
    lines = ("bad = bad_module:X", "corpus = toy_lengths:Lengths")
    install(tmp_path, "lexbeam.commands", *lines, package="bad")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_OUTSIDE", {})
    done = lexbeam("status", made)
    assert (done.code, "published: corpus" in done.stdout) == (0, True), done.stderr
    assert lexbeam("bad").code == 1
    shown = python(f"import sys; sys.path.append({str(tmp_path)!r})\n{ENTRY}", "show", made)
    assert (shown.code, "sentences" in shown.stdout) == (0, True), shown.stderr
    assert "command 'bad' cannot be loaded from bad_module:X" in shown.stderr
    assert "lexbeam.commands: 'corpus' of toy_lengths:Lengths is left out: there is one of this name" in shown.stderr


@pytest.mark.usefixtures("environment")
def test_a_new_command_adds_its_section_on_both_local_runners(lexbeam, made, tmp_path):
    outs = [tmp_path / runner for runner in ("direct", "direct_multiprocess")]
    for out in outs:
        workers = ["--", "--direct_num_workers=1"] * (out.name == "direct_multiprocess")
        done = lexbeam("toy", "lengths", made, "--out", out, "--runner-config", out.name, *workers)
        assert done.code == 0, done.stderr
        assert "toy/lengths" in done.stdout
    assert parts_of(outs[0]) == parts_of(outs[1])
    section = json.loads((outs[0] / "manifest.json").read_text("utf-8"))["toy.lengths"]
    assert sorted(section["stages"]) == sorted(STAGES)
    assert section["options"]["least"] == 1
    assert [read["table"] for read in section["reads"]] == ["sentences"]


def test_a_new_command_writes_beside_the_corpus_that_it_reads(lexbeam, python, made, tmp_path):
    out = tmp_path / "out"
    subprocess.run(["cp", "-a", made, out], check=True)
    assert lexbeam("toy", "lengths", out, "--least", "3").code == 0
    told = python(ENTRY, "show", out, "--longest", "1", "--tsv").stdout.splitlines()
    assert told[0] == "length\tsentences"
    assert len(told) == 2
    assert "toy.lengths: toy/lengths" in lexbeam("status", out).stdout
    assert lexbeam("toy", "lengths", out).code == 2  # published with other options
    assert "published already" in lexbeam("toy", "lengths", out, "--least", "3", "--resume").stdout
    assert "stale" not in lexbeam("show", out).stdout
    done = lexbeam("report", out, "--out", tmp_path / "report.html")
    assert done.code == 0, done.stderr
    assert "Sentences by length, in tokens." in (tmp_path / "report.html").read_text("utf-8")


def test_a_new_command_is_a_section_of_a_configuration(lexbeam, made, tmp_path):
    config = tmp_path / "config.yaml"
    texts = made.parent / "texts"
    config.write_text(
        f"out: out\ntoy:\n  lengths: {{least: 1}}\ncorpus: {{inputs: [{texts}], format: text, engine: 'builtin:en'}}\n"
    )
    done = lexbeam("run", config)
    assert done.code == 0, done.stderr
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["toy.lengths"]["reads"][0]["section"] == "corpus"
    assert "stale" not in lexbeam("status", tmp_path / "out").stdout
    config.write_text(config.read_text().replace("least: 1", "least: 2"))
    assert "stale: option: least is 2" in lexbeam("status", tmp_path / "out").stdout
    only = lexbeam("run", config, "--only", "toy.lengths", "--overwrite")
    assert only.code == 0, only.stderr
    assert "input records" not in only.stdout


def test_a_killed_run_is_told_of_and_resumed(lexbeam, python, made, tmp_path):
    out = tmp_path / "out"
    words = ["toy", "lengths", made, "--out", out]
    kill = (
        "import os, lexbeam.transforms.common.store.tables as tables\n"
        "tables.write_part = lambda *_, **__: os.kill(os.getpid(), 9)\n"
    ) + ENTRY
    assert python(kill, *words).code == -signal.SIGKILL
    status = lexbeam("status", out).stdout
    assert re.search(r"toy/count +2 +0", status), status
    assert re.search(r"toy/add +0 +1", status), status
    before = {path: path.stat().st_ino for path in out.glob("_artefacts/toy/count/*.json")}
    assert lexbeam(*words, "--resume").code == 0
    assert before == {path: path.stat().st_ino for path in before}
    assert len(parts_of(out)) == 1


def test_a_new_command_is_a_function_and_its_view_a_method_in_python(python, made, tmp_path):
    code = (
        "import sys, lexbeam\n"
        "results = lexbeam.toy.lengths(sys.argv[1], out=sys.argv[2], least='2')\n"
        "assert results.table('toy/lengths').num_rows >= 1\n"
        "assert results.longest(1).num_rows == 1\n"
        "assert lexbeam.open(sys.argv[2]).longest(longest=1).num_rows == 1\n"
        "assert 'toy' in dir(lexbeam) and 'least: ' in lexbeam.toy.lengths.__doc__\n"
        "for wrong in (lambda: lexbeam.toy.lengths('x', laest=1), lambda: results.longest(0)):\n"
        "    try:\n"
        "        wrong()\n"
        "    except (lexbeam.UsageError, TypeError) as error:\n"
        "        print(error)\n"
        "for gone in (lambda: lexbeam.tyo, lambda: lexbeam.toy.lenghts, lambda: results.shortest):"
        "\n"
        "    try:\n"
        "        gone()\n"
        "    except AttributeError as error:\n"
        "        print(error)\n"
    )
    done = python(code, made, tmp_path / "out")
    assert done.code == 0, done.stderr
    assert done.stdout.splitlines() == [
        "lengths() got an unexpected keyword argument 'laest'; did you mean 'least'?",
        "longest must be at least 1, not 0",
        "module 'lexbeam' has no attribute 'tyo'; did you mean 'toy'?",
        "module 'lexbeam.toy' has no attribute 'lenghts'; did you mean 'lengths'?",
        "'Results' object has no attribute 'shortest'; did you mean 'hardest'?",
    ]


def test_progress_of_its_stages_is_seen_on_a_terminal(environment, made, tmp_path):
    terminal, stream = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "lexbeam.pipelines.cli", "toy", "lengths", made, "--out", tmp_path / "out"],
        stdout=subprocess.DEVNULL,
        stderr=stream,
        cwd=ROOT,
        env=environment,
    )
    os.close(stream)
    seen = b""
    try:
        while more := os.read(terminal, 4096):
            seen += more
    except OSError:  # how a terminal says that the other end is closed
        pass
    assert done.wait() == 0
    for stage in STAGES:
        assert re.search(rb"%s .* in (under 1|\d+) s" % stage.encode(), seen)
