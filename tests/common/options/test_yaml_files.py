"""YAML with bounds: bombs, brackets, tags and odd values end in a message that names the line.

Errors of YAML in plain words.
"""

import os
import re

import pytest
import yaml
from nets import ends

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.yaml_files import LARGEST, explained_yaml, read_yaml

LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "x.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with ends():
            return read_yaml(str(path))

    return read


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", None),
        ("a: 1\nb: [x, 2.5, true, ~]\n", {"a": 1, "b": ["x", 2.5, True, None]}),
        ("a: &x text\nb: *x\n", {"a": "text", "b": "text"}),
        ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("a: !!str 12", {"a": "12"}),
        ("on: 2\nyes: on\nFalse: no", {"on": 2, "yes": True, "False": False}),
        ("a:\n  null: 3\nb: null", {"a": {"null": 3}, "b": None}),
        ("a: " + "[" * 49 + "]" * 49, None),
    ],
)
def test_what_is_taken(read, content, found):
    assert read(content) == found or "[" * 9 in content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LAUGHS, "line 2: the alias .a stands for a list or mapping: write it out"),
        ("a: &a [*a]", "line 1: the alias .a stands for a list or mapping"),
        ("a: &a " + "x" * 100_000 + "\nb: [*a, *a, *a]", "line 2: what aliases stand for is larger"),
        ("a:\n  " + "[" * 100_000, "line 2: more than 50 lists and mappings within each other"),
        ("{" * 100_000, "line 1: more than 50"),
        ("- " * 100_000, "line 1: more than 50"),
        ("b: {c: 1}\na:\n  <<: {d: 1}", "line 3: the merge key << is not taken"),
        ("a: 1\n1: 2", "line 2: '1' is no text, as names are"),
        ("1.5: 2", "line 1: '1.5' is no text, as names are"),
        ("on: 2\n'on': 3", "line 2: on is given twice"),
        ("~: 2", "line 1: '~' is no text, as names are"),
        ('null: 2\n"null": 3', "line 2: null is given twice"),
        ("? [a]\n: 1", "line 1: a list or mapping is the name"),
        ("a-b: 1\na_b: 2", "line 2: a_b is given twice"),
        ("x:\n  a: 1\n  a: 2", "line 3: a is given twice"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: the tag .*os.system' is not taken"),
        ("a: !!binary x", "the tag"),
        ("a: !!bool maybe", "the tag"),
        ("!!map [1]", "the tag"),
        ("a: 2020-13-45", "line 1: '2020-13-45': month must be in"),
        ("a: " + "1" * 5000, "line 1: a number of 5000 characters"),
        ("a: 1" + ":59" * 80_000, "line 1: a number of"),
        ("a: *b", r"\* or &"),
        ("a: 1\n---\nb: 2", "a second document"),
        ("a: \0", "is not YAML: unacceptable character"),
        (b"a: \xff", "is not YAML in UTF-8"),
        ("a: 1".encode("utf-16"), "is not YAML in UTF-8"),
        ("x" * (LARGEST + 1), "is larger than 256 KiB"),
    ],
)
def test_what_is_refused(read, content, message):
    with pytest.raises(UsageError, match=f"x.yaml.*{message}"):
        read(content)


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", "/", "/proc/self/mem", "nowhere"])
def test_what_is_no_file(place, tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_yaml(place)
    link = tmp_path / "link"
    link.symlink_to(place)
    with pytest.raises(UsageError, match="cannot read"):
        read_yaml(str(link))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        read_yaml(str(tmp_path / "pipe"))


CASES = {
    "a:\n\tb: 1\n": ("line 2, column 1", "a tab", "indent with spaces"),
    "a: 'b\n": ("line 1, column 4", "quote .* not closed", "close it"),
    'a: "\\d"\n': ("line 1, column 6", r"no \\d", "single quotes"),
    "a: 1\n b: 2\n": ("line 2, column 3", "a colon", "same column"),
    "a: [1]\n b: 2\n": ("line 2, column 2", "not indented", "same column"),
    "a: b: c\n": ("line 1, column 5", "a colon", "in quotes"),
    "a: 1\nb 2\nc: 3\n": ("line 2, column 1", "no `name: value`", "write a colon"),
    "a: [1, 2\n": ("line 1, column 4", r"bracket \[", r"close it with \]"),
    "a: {b: 1\n": ("line 1, column 4", "bracket {", "close it with }"),
    "a: *.txt\n": ("line 1, column 4", r"\* or &", "in quotes"),
    "a: *b\n": ("line 1, column 4", r"\* or &", "in quotes"),
    "a: @b\n": ("line 1, column 4", "begin with @", "in quotes"),
    "a: 1\n---\nb: 2\n": ("line 2, column 1", "a second document", "leave the line out"),
    "a: \x07\n": ("4th of the file", "unacceptable character U\\+0007", "remove it"),
    "%X\na: 1\n": ("line", "", "correct the line"),
}


@pytest.mark.parametrize("text", CASES)
def test_an_error_says_where_what_and_what_to_do(text):
    with pytest.raises(yaml.YAMLError) as caught:
        yaml.compose(text, yaml.SafeLoader)
    told = explained_yaml(caught.value)
    assert all(re.search(part, told) for part in CASES[text]), told
    assert "\n" not in told
    assert "<unicode string>" not in told
