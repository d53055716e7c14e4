"""The command line as such: which modules it loads, names that are nearly right, completion."""

import io
import json
import os
import re
import subprocess
import sys

import pytest

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import COMMANDS, CommandEntry, load
from lexbeam.transforms.common.code import registry
from lexbeam.transforms.common.code.version import own_build

HEAVY = ("apache_beam", "gensim", "spacy", "stanza", "torch", "altair", "pandas", "scipy")
LOADED = """
import json, sys
from lexbeam.pipelines.cli import main
for words in sys.argv[1:]:
    try:
        code = main(words.split())
    except SystemExit as end:
        code = end.code
    found = [name for name in {heavy!r} if name in sys.modules]
    print(json.dumps([words, code, found]), file=sys.__stderr__)
"""


def loaded(*lines):
    """Run command lines in a new process; return each with its code and heavy modules; messages."""
    command = [sys.executable, "-c", LOADED.format(heavy=HEAVY), *lines]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    output = done.stderr.splitlines()
    result = [json.loads(line) for line in output if line.startswith("[")]
    return result, "\n".join(output)


def test_help_loads_nothing_that_takes_seconds():
    lines = ["--help", *(f"{name} --help" for name in COMMANDS)]
    assert loaded(*lines)[0] == [[line, 0, []] for line in lines]


WRONG = {
    "change x --out y --slices 1-2,2-3": "overlap",
    "change x --out y --slices 1-2,3-4 --seeds 2,2": "names a seed twice",
    "change x --out y --slices 1-2,3-4 --fit-on tpo:3": "--fit-on 'tpo:3'",
    "change x --out y --slices 1-2,3-4 --max-tokens few": "--max-tokens must be",
    "corpus x --out y --engine bulitin:en": "did you mean 'builtin'",
    "corpus x --out y --dates nmae:x": "did you mean 'name'",
    "corpus x --out y --encoding utf9": "--encoding: no text encoding",
}


def test_a_wrong_value_is_told_before_anything_heavy_is_loaded():
    actual, output = loaded(*WRONG)
    assert actual == [[words, 2, []] for words in WRONG]
    assert [message for message in WRONG.values() if message not in output] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chnage"], r"no command is called 'chnage'; did you mean 'change'\?"),
        (["--out", "x"], "unknown option '--out'"),
        (["change", "x", "--out", "y", "--slices", "1-2,3-4", "--parts", "7"], "unknown option"),
        (["show", "x", "--verbos"], r"did you mean '--verbose'\?"),
        (["corpus", "--ot", "y"], r"unknown option '--ot'; did you mean '--out'\?"),
        (["corpus", "--out", "y"], "lexbeam: INPUT must be given"),
        (["corpus", "x", "--out", "y", "--dates", "`slices`"], "'`slices`' is none of"),
        (["--print-completion", "fish"], "no completion for 'fish'"),
    ],
)
def test_names_that_are_nearly_right_are_named(words, message, capsys):
    assert main(words) == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.fixture
def of_two_words(monkeypatch):
    """Two commands of another package, which share their first word."""
    toys = {f"toy {name}": CommandEntry("nowhere:TOY", doc=name) for name in ("lengths", "sums")}
    monkeypatch.setitem(registry._OUTSIDE, "lexbeam.commands", toys)


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_second_words_of_commands(flag, of_two_words, capsys):
    assert main(["toy", flag]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: lexbeam toy COMMAND")
    assert re.findall(r"^  (\w+) +(\w+)$", out, re.MULTILINE) == [("lengths", "lengths"), ("sums", "sums")]


def test_a_wrong_second_word_is_told_the_nearest(of_two_words, capsys):
    assert main(["toy", "sum", "x"]) == 2
    assert "takes one of lengths, sums; did you mean 'sums'?" in capsys.readouterr().err
    assert main(["toy"]) == 2
    assert "takes one of lengths, sums (see lexbeam toy --help)" in capsys.readouterr().err


def test_a_path_of_an_unknown_scheme_is_told(capsys):
    assert main(["show", "nosuch://x"]) == 1
    assert "lexbeam: no file system for 'nosuch://'" in capsys.readouterr().err


def test_the_version_is_told(capsys):
    assert main(["--version"]) == 0
    told = capsys.readouterr().out
    assert re.fullmatch(r"lexbeam \d+\.\d+\.\d+( \([0-9a-f]{12}\+?\))?\n", told)
    assert told == f"lexbeam {own_build()}\n"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_verbose_may_stand_anywhere(place, tmp_path, capsys):
    words = ["status", str(tmp_path)]
    words.insert(place, "--verbose")
    assert main(words) == 1
    assert "no run of Lexbeam" in capsys.readouterr().err


def test_completion_names_commands_and_options(capsys):
    assert main(["--print-completion", "bash"]) == 0
    script = capsys.readouterr().out
    for name in ("corpus", "change", "--slices", "--engine", "--overwrite"):
        assert name in script
    assert "_shtab_lexbeam_evaluate_subparsers=(change complexity cloze simplify)" in script
    assert re.search(r"_lexbeam_evaluate_change_option_strings=.* --baseline ", script)
    done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_stands_in_groups_with_limits_and_the_run_last(capsys):
    with pytest.raises(SystemExit):
        main(["corpus", "--help"])
    text = capsys.readouterr().out
    heads = re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE)
    assert heads == ["positional arguments", "options", "input", "dates", "annotation", "limits", "run", "examples"]


def test_every_command_says_an_example_of_itself():
    for name in COMMANDS:
        assert f"lexbeam {name}" in load(name).examples


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux")
def test_a_full_disk_below_the_output_is_not_taken_for_the_folders(tmp_path, monkeypatch, capsys):
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full, write_through=True))
        assert main(["sample", "--out", str(tmp_path / "sample"), "--tokens", "30000"]) == 1
        sys.stdout.detach()
    output = capsys.readouterr().err
    assert output.startswith("lexbeam: the output cannot be written: no space")
    assert str(tmp_path) not in output
