"""Every option of every command, at its edges, in each of the three ways to give one.

The options come from the registry: one that is added is tried without a line here. On the command line and in
Python the suite tries every eighth value with an option, each others than the other one; a soak tries all.
"""

from functools import cache, partial

import pytest
from edges_making import OBJECTS, TEXTS, YAML, all_options, is_readable, names_it, required_of
from nets import ends

from lexbeam._signatures import option_values
from lexbeam.pipelines.frame import configuration
from lexbeam.pipelines.frame.arguments import Parser, add_options, as_flags, flags_of, from_arguments
from lexbeam.pipelines.frame.configuration import COMMAND_LINE, SHARED, read_jobs
from lexbeam.pipelines.frame.registry import load, section_of
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, options_of, plain_options
from lexbeam.transforms.common.options.yaml_files import read_yaml

pytestmark = pytest.mark.slow

each_option = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])


@cache
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


def some_of(values, every, number):
    """Return all values, or of an option by its number every eighth one."""
    return values if every else values[number % 8 :: 8]


def words_of(entry, value):
    if entry.positional:
        return [value]
    return [f"--{entry.shown}={value}"]


def fault_of(make, entry, value):
    """Make options; return what is wrong with them, or with the message that says what is."""
    try:
        with ends():
            plain_options(make())  # as a manifest has them
    except UsageError as error:
        told = str(error)
        if not is_readable(told):
            return f"not readable: {told[:300]!r}"
        return "" if names_it(told, entry, value) else f"names neither option nor value: {told[:300]!r}"
    except Exception as error:
        return repr(error)[:300]
    return ""


def shown(words, entry, value, fault):
    try:
        return f"{words} {entry.name} {repr(value)[:60]}: {fault}"
    except Exception:
        return f"{words} {entry.name} {type(value).__name__}: {fault}"


@each_option
def test_on_the_command_line(every, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    faults = []
    for number, (words, entry) in enumerate(all_options(every)):
        needed = required_of(words, load(words).options, tmp_path)
        known = options_of(load(words).options)
        others = {name for name in needed if known[name].positional and name != entry.name}
        for value in some_of([*TEXTS.values()], every, number):
            if value == "--" and entry.positional and others:
                continue  # it ends the flags: the other one is then in its place
            values = {name: needed[name] for name in known if name in needed} | {entry.name: value}
            arguments = [word for name, item in values.items() for word in words_of(known[name], item)]
            if fault := fault_of(partial(parsed, words, arguments), entry, value):
                faults.append(shown(words, entry, value, fault))
    assert not faults
    assert not list(tmp_path.iterdir())


@each_option
def test_in_a_configuration_file(every, tmp_path, monkeypatch):
    values = {}
    path = tmp_path / "c.yaml"
    for text in YAML:
        path.write_text(f"x: {text}\n", "utf-8")
        values[text] = read_yaml(str(path))["x"]
    faults = []
    for number, (words, entry) in enumerate(all_options(every)):
        if not load(words).tables or entry.name in COMMAND_LINE:
            continue
        known = required_of(words, load(words).options, tmp_path)
        out = known.pop("out", "x")
        known.pop(entry.name, None)
        for text, value in [*values.items()] if every else [*values.items()][number % 2 :: 2]:
            if entry.name in SHARED:
                content = {"out": out, entry.shown: value, section_of(words): known}
            else:
                content = {"out": out, section_of(words): {entry.shown: value, **known}}
            monkeypatch.setattr(configuration, "read_yaml", {str(path): content}.get)
            if fault := fault_of(lambda: read_jobs(str(path), {})[0].options, entry, text):
                faults.append(shown(words, entry, text, fault))
    assert not faults


@each_option
def test_in_python(every, tmp_path):
    faults = []
    for number, (words, entry) in enumerate(all_options(every)):
        cls = load(words).options
        needed = required_of(words, cls, tmp_path)
        # Of texts others than on the command line; every other object, which has no other way in.
        objects = OBJECTS if every else OBJECTS[number % 2 :: 2]
        for value in [*objects, *some_of([*TEXTS.values()], every, number + 4)]:
            values = {**needed, entry.name: value}
            if fault := fault_of(
                lambda cls=cls, values=values: from_mapping(cls, option_values(cls, values)), entry, value
            ):
                faults.append(shown(words, entry, value, fault))
    assert not faults
