"""Errors of YAML in plain words."""

import re

import pytest
import yaml

from lexbeam.transforms.common.options.yaml_files import explained_yaml

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
