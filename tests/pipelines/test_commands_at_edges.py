"""Whole commands with options at their edges: they work, or say readably why not.

With one odd value everything is done but the graph is run: files are listed, plans are made, and
commands without a graph run; of the values the suite gives each option every ninth one, by its
number. With all whole numbers at their least, or as large as they may be where nothing bounds them,
all of it runs: in the suite one of both, in a soak the other, too.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apache_beam as beam
import pytest
from choosing_model import keep_choosing_model
from edges_inputs import flags_of, given_to, make_inputs
from edges_making import all_options, is_readable, names_it
from nets import ends
from small_runs import make_out

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.folder import show
from lexbeam.pipelines.frame import sections
from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.pipelines.runners import configs, runners
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.options.option import MOST
from lexbeam.transforms.common.store.ptransforms import stages_before

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]

ODD = ("0", str(MOST), "ünï\nΩ", "\udc80a", "[(" * 1500, "a:b=c,d", "~nosuch/x", "-", "true")


@pytest.fixture(scope="module")
def base(made_once, tmp_path_factory):
    """A folder with texts, what is published of them, gold and a configuration."""
    folder = tmp_path_factory.mktemp("edges")
    out = made_once("small_out", make_out)
    (folder / "texts").symlink_to(out.parent / "texts")
    (folder / "published").symlink_to(out)
    make_inputs(folder)
    return folder


def call(words, values, capsys):
    """Run a command; return the exit code and what it says on stderr."""
    with ends():
        code = main([*words.split(), *flags_of(words, values)])
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("lexbeam: ")]
    return code, "\n".join(told)


@pytest.fixture
def here(tmp_path, monkeypatch, base):
    shutil.copytree(base / "published", tmp_path / "copy", symlinks=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    return tmp_path


# In a namespace of its own: a file system on which a command finds its inputs and leaves what it makes.
SCRIPT = """\
import contextlib, io, json, os, shutil, subprocess, sys
from pathlib import Path
place, kept, commands = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
sys.path[:] = json.loads(os.environ["PATHS"])
from edges_inputs import flags_of, given_to
from lexbeam.pipelines.cli import main
disk = place / "disk"
os.environ["LEXBEAM_CACHE"] = str(disk / "here" / "cache")
def mount(*options):
    words = ["mount", *options, "-t", "tmpfs", "tmpfs", str(disk)]
    return not subprocess.run(words, capture_output=True).returncode
def anew():
    os.chdir(place)
    subprocess.run(["umount", "-l", str(disk)], capture_output=True)
    disk.mkdir(exist_ok=True)
    if not mount("-o", "size=48m"):
        print("null")
        raise SystemExit
    shutil.copytree(kept, disk / "base", symlinks=True)
    shutil.copytree(kept / "published", disk / "here" / "copy", symlinks=True)
    os.chdir(disk / "here")
def fill():
    with contextlib.suppress(OSError), open(disk / "fill", "wb", buffering=0) as stream:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while stream.write(bytes(size)):
                    pass
def told(words):
    text = io.StringIO()
    with contextlib.redirect_stderr(text), contextlib.redirect_stdout(io.StringIO()):
        code = main([*words.split(), *flags_of(words, given_to(words, disk / "base"))])
    return code, "\\n".join(line for line in text.getvalue().splitlines() if line.startswith("lexbeam: "))
rows = []
for words in commands:
    for fault in ("no space", "read-only"):
        anew()
        fill() if fault == "no space" else mount("-o", "remount,ro")
        row = dict(zip(("code", "told"), told(words)), words=words, fault=fault, again=(0, ""))
        if fault == "no space":
            os.unlink(disk / "fill")
            row["again"] = told(words)
        rows.append(row)
print(json.dumps(rows))
"""
LEFT_OUT = {"complexity load", "complexity aggregate"}  # `given_to` has no files for them
FEW = ["simplify train-inflector"]


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
@pytest.mark.parametrize("commands", [FEW, pytest.param(sorted(COMMANDS.keys() - LEFT_OUT), marks=pytest.mark.soak)])
def test_a_full_or_read_only_disk_is_told_and_breaks_nothing(commands, base, tmp_path):
    done = subprocess.run(
        ["unshare", "-r", "-m", sys.executable, "-c", SCRIPT, str(tmp_path), str(base), *commands],
        env={**os.environ, "PATHS": json.dumps([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
    )
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("no namespace may be made here")
    assert done.returncode == 0, done.stderr[-2000:]
    rows = json.loads(done.stdout.splitlines()[-1])
    if rows is None:
        pytest.skip("no file system may be mounted here")
    assert [row for row in rows if not _is_told(row) or row["again"][0]] == []


def _is_told(row):
    """Whether a fault is told; what writes nothing has nothing to say."""
    return row["code"] == 0 or (row["code"] < 3 and is_readable(row["told"]) and row["fault"] in row["told"].lower())


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("words", COMMANDS)
def test_one_odd_value(words, every, base, here, capsys, monkeypatch):
    def stop(*given):
        raise LexbeamError("as far as the graph")

    monkeypatch.setattr(sections, "_run_graph", stop)
    monkeypatch.setattr(runners, "run_pipeline", stop)
    monkeypatch.setattr(configs, "load_stream_config", lambda _, extra: configs.load_runner_config("direct", extra))
    monkeypatch.setattr(show, "COMMANDS", {})  # a page without panels
    for number, entry in enumerate(entry for command, entry in all_options(every) if command == words):
        name = entry.name
        for value in ODD if every else ODD[number % 9 :: 9]:
            if entry.type is bool or (entry.positional and value.startswith("-")):
                continue
            code, told = call(words, {**given_to(words, base), name: value}, capsys)
            where = (name, value[:50], told[:400])
            assert code in (0, 1, 2), where
            if code:
                assert is_readable(told), where
            if code == 2:
                assert names_it(told, entry, value), where
            shutil.rmtree("out", ignore_errors=True)


def has_numbers(words):
    return any(is_number(entry) for entry in options_of(load(words).options).values())


def is_number(entry):
    return entry.type is int or int in getattr(entry.type, "__args__", ())


# Of each command the suite tries one edge, of the next one the other.
EDGES = [
    pytest.param(words, edge, marks=[pytest.mark.soak] * (place % 2 != number % 2))
    for number, words in enumerate(filter(has_numbers, COMMANDS))
    for place, edge in enumerate(("least", "greatest"))
]


@pytest.mark.parametrize(("words", "edge"), EDGES)
def test_all_whole_numbers(words, edge, base, here, capsys):
    values = given_to(words, base)
    for name, entry in options_of(load(words).options).items():
        if is_number(entry):
            # What is greater takes longer, or more memory: where that matters, `most` says so.
            bound = (entry.least or 0) if edge == "least" else entry.most or MOST
            if edge == "least" or entry.most is None or entry.most >= 2**31 - 1:
                values[name] = str(int(bound))
    while True:  # an option may ask for more than its `least` says, which the message tells
        code, told = call(words, values, capsys)
        known = options_of(load(words).options)
        named = [n for n in values if f"--{known[n].shown} " in told and known[n].type is int]
        if code != 2 or not named:
            break
        assert is_readable(told), told
        del values[named[0]]
    assert code == 0 or (code in (1, 2) and is_readable(told)), (values, told)


def graphs_of(words, base):
    """Return options, beside those of `given_to`, with which a command's graphs together have all of its stages."""
    published, scored, text = (str(base / name) for name in ("published", "scored", "letter.txt"))
    zipf = f"zipf={base / 'words.tsv'}:word=word,value=graded"
    others = {
        "corpus": [{"keep_missing": published}],
        "change": [
            {"slices": "1810-1815,1816-1829,1830-1900", "null": "3", "max_tokens": "20", "shards": "2", "epochs": "2"},
            {"representation": "svd", "epochs": None},
            {"alignment": "vi", "system": "freq"},
        ],
        "cloze pairs": [{"inputs": published, "layout": "corpus"}],
        "cloze candidates": [
            {"filters": "static", "vectors": str(base / "words.vec"), "static_threshold": "quantile:0.9"}
        ],
        "cloze options": [{"readers": "context"}],
        "cloze answer": [{"systems": f"multiple-choice:{base / 'chooser'}"}],
        "complexity load": [{"inputs": str(base / "lcp.tsv"), "layout": "complex", "language": "en"}],
        "complexity features": [{"use": "corpus,surprisal", "corpus": published}],
        "simplify instances": [
            {"inputs": published, "layout": "corpus", "targets": "content"},
            {"inputs": text, "layout": "documents", "targets": "content", "engine": "builtin:en"},
            {"inputs": scored, "layout": "complexity"},
        ],
        "simplify rank": [{"ranker": "regressor", "complexity": scored, "wordlist": zipf}],
        "simplify text": [{"inputs": published}],
    }
    given = given_to(words, base)
    return [*([given] if words != "complexity load" else []), *(given | more for more in others.get(words, ()))]


WITH_GRAPH = [words for words in COMMANDS if load(words).has("build")]


@pytest.mark.parametrize("words", WITH_GRAPH)
def test_the_stages_of_a_command_are_those_of_its_graphs(words, base, here, capsys, monkeypatch):
    found = {}

    def built(build, *_):
        pipeline = beam.Pipeline()
        build(pipeline)
        for stage, before in stages_before(pipeline).items():
            found.setdefault(stage, set()).update(before)
        raise LexbeamError("as far as the graph")

    monkeypatch.setattr(runners, "run_pipeline", built)
    if words == "cloze answer":
        keep_choosing_model(base / "chooser", ["dogs of house"])
    (base / "words.vec").write_text("sea 1 0\nship 0 1\n")
    (base / "lcp.tsv").write_text("id\tcorpus\tsentence\ttoken\tcomplexity\n1\tbible\tA ship sails.\tship\t0.2\n")
    for values in graphs_of(words, base):
        code, told = call(words, {name: value for name, value in values.items() if value is not None}, capsys)
        assert code == 1, told
        assert "as far as the graph" in told, told
        shutil.rmtree("out", ignore_errors=True)
    assert sorted(found) == sorted(stage.name for stage in load(words).stages)
