"""Every option of every command, at its edges, in each of the three ways to give one.

The options come from the registry: one that is added is tried without a line here.
"""

import functools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from edges_making import OBJECTS, TEXTS, YAML, all_options, at_most_seconds, is_readable, names_it, required_of

from lexbeam._given import given
from pipelines import configuration
from pipelines.configuration import ASKED, SHARED, read_jobs
from pipelines.options import Parser, add_options, as_flags, flags_of, from_arguments
from pipelines.registry import load, section_of
from transforms.common.errors import UsageError
from transforms.common.options import from_mapping, options_of, plain_options
from transforms.common.yaml_files import read_yaml

pytestmark = pytest.mark.slow

OPTIONS = [pytest.param(*found, id=f"{found[0]}-{found[1].name}") for found in all_options()]
SECTIONS = [param for param in OPTIONS if load(param.values[0]).tables and param.values[1].name not in ASKED]


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
    others = {name for name in needed if known[name].positional and name != entry.name}
    for value in TEXTS.values():
        if value == "--" and entry.positional and others:
            continue  # it ends the flags: the other one is then in its place
        given = {name: needed[name] for name in known if name in needed} | {entry.name: value}
        arguments = [word for name, one in given.items() for word in words_of(known[name], one)]
        check(lambda arguments=arguments: parsed(words, arguments), entry, value)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def yaml_values(tmp_path_factory):
    """What each text stands for in a file: read once, not once for each option."""
    path = tmp_path_factory.mktemp("yaml") / "c.yaml"
    found = []
    for value in YAML:
        path.write_text(f"x: {value}\n", "utf-8")
        found.append(read_yaml(str(path))["x"])
    return found


@pytest.mark.parametrize(("words", "entry"), SECTIONS)
def test_in_a_configuration_file(words, entry, tmp_path, yaml_values, monkeypatch):
    known = required_of(words, load(words).options, tmp_path)
    out = known.pop("out", "x")
    known.pop(entry.name, None)
    path = str(tmp_path / "c.yaml")
    for value, text in zip(yaml_values, YAML, strict=True):
        if entry.name in SHARED:
            content = {"out": out, entry.shown: value, section_of(words): known}
        else:
            content = {"out": out, section_of(words): {entry.shown: value, **known}}
        monkeypatch.setattr(configuration, "read_yaml", {path: content}.get)
        check(lambda: read_jobs(path, {})[0].options, entry, text)


@pytest.mark.parametrize(("words", "entry"), OPTIONS)
def test_in_python(words, entry, tmp_path):
    cls = load(words).options
    needed = required_of(words, cls, tmp_path)
    for value in [*OBJECTS, *TEXTS.values()]:
        values = {**needed, entry.name: value}
        check(lambda values=values: from_mapping(cls, given(cls, values)), entry, value)
