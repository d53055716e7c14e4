"""Every option of every command, at its edges, in each of the three ways to give one.

The options come from the registry: one that is added is tried without a line here.
"""

import functools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from edges_making import (
    OBJECTS,
    TEXTS,
    YAML,
    all_options,
    at_most_seconds,
    is_readable,
    names_it,
    required_of,
)

from lexbeam._given import given
from pipelines.configuration import ASKED, SHARED, read_jobs
from pipelines.options import Parser, add_options, as_flags, flags_of, from_arguments
from pipelines.registry import load, section_of
from transforms.common.errors import UsageError
from transforms.common.options import from_mapping, options_of, plain_options

OPTIONS = [pytest.param(*found, id=f"{found[0]}-{found[1].name}") for found in all_options()]
SECTIONS = [
    param for param in OPTIONS
    if load(param.values[0]).tables and param.values[1].name not in ASKED
]  # fmt: skip


@functools.cache
def parser_of(words):
    parser = Parser(prog=f"lexbeam {words}")
    add_options(parser, load(words).options)
    return parser


def parsed(words, arguments):
    cls = load(words).options
    try:
        return from_arguments(cls, parser_of(words).parse_strictly(arguments))
    except UsageError as error:
        raise UsageError(as_flags(str(error), flags_of([cls]))) from error


def words_of(entry, value):
    if entry.positional:
        return [value]
    return [f"--{entry.shown}={value}"]


def check(make, entry, value):
    """Make options; they are sane, or the error says what is wrong with which option."""
    told = ""
    try:
        with at_most_seconds(20):
            plain_options(make())  # as a manifest has them
    except UsageError as error:
        told = str(error)
    if told:
        assert is_readable(told), (value, told[:300])
        assert names_it(told, entry, value), (value, told[:300])


@pytest.mark.parametrize(("words", "entry"), OPTIONS)
def test_on_the_command_line(words, entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    needed = required_of(words, load(words).options, tmp_path)
    known = options_of(load(words).options)
    needed.pop(entry.name, None)
    others = [word for name, value in needed.items() for word in words_of(known[name], value)]
    for value in TEXTS.values():
        arguments = [*words_of(entry, value), *others]
        check(lambda arguments=arguments: parsed(words, arguments), entry, value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("words", "entry"), SECTIONS)
def test_in_a_configuration_file(words, entry, tmp_path):
    known = required_of(words, load(words).options, tmp_path)
    out = known.pop("out", "x")
    known.pop(entry.name, None)
    own = "".join(f"\n  {name}: '{value}'" for name, value in known.items())
    path = tmp_path / "c.yaml"
    for value in YAML:
        line = f"{entry.shown}: {value}"
        if entry.name in SHARED:
            text = f"out: '{out}'\n" if entry.name != "out" else ""
            text += f"{line}\n{section_of(words)}:\n  {own or '{}'}\n"
        else:
            text = f"out: '{out}'\n{section_of(words)}:\n  {line}{own}\n"
        path.write_text(text, "utf-8")
        check(lambda: read_jobs(str(path), {})[0].options, entry, value)


@pytest.mark.parametrize(("words", "entry"), OPTIONS)
def test_in_python(words, entry, tmp_path):
    cls = load(words).options
    needed = required_of(words, cls, tmp_path)
    for value in [*OBJECTS, *TEXTS.values()]:
        values = {**needed, entry.name: value}
        check(lambda values=values: from_mapping(cls, given(cls, values)), entry, value)
