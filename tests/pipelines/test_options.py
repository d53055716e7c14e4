from dataclasses import dataclass

import pytest

from pipelines.options import Parser, add_options, from_arguments
from transforms.common.errors import UsageError
from transforms.common.options import from_mapping, option


@dataclass(frozen=True, kw_only=True)
class Options:
    inputs: tuple[str, ...] = option(help="inputs", positional=True)
    slices: str = option(help="slices")
    dim: int = option(100, help="dimension")
    sample: float = option(0.0, help="threshold")
    min_count: tuple[int, ...] = option((5,), help="cuts")
    unit: str = option("lemma", help="unit", choices=("lemma", "form"))
    genre: str | None = option(None, help="genre")
    resume: bool = option(False, help="resume")


@dataclass(frozen=True, kw_only=True)
class Optional:
    folders: tuple[str, ...] = option((), help="folders", positional=True)
    dim: int = option(100, help="dimension")


def parse(*words, cls=Options):
    parser = Parser(prog="x")
    add_options(parser, cls)
    return from_arguments(cls, parser.parse_strictly(list(words)))


def test_the_command_line_gives_typed_options():
    options = parse("a", "b", "--slices", "s", "--min-count", "1,6", "--sample=1e-3", "--resume")
    assert options == Options(
        inputs=("a", "b"), slices="s", min_count=(1, 6), sample=0.001, resume=True
    )


def test_an_option_of_many_values_may_be_given_several_times():
    assert parse("a", "--slices", "s", "--min-count", "1,6", "--min-count=7").min_count == (1, 6, 7)


def test_positional_values_with_a_default_may_be_left_out():
    assert parse(cls=Optional) == Optional()
    assert parse("--dim", "3", cls=Optional) == Optional(dim=3)
    assert parse("a", "b", cls=Optional).folders == ("a", "b")
    with pytest.raises(UsageError, match="inputs"):
        parse("--slices", "s")


@pytest.mark.parametrize(
    ("values", "expected"),
    [({"min-count": [1, 6]}, (1, 6)), ({"min_count": "1, 6"}, (1, 6)), ({"min-count": 3}, (3,))],
)
def test_a_file_may_write_lists_and_dashes(values, expected):
    made = from_mapping(Options, {"inputs": "a", "slices": "s", **values}, "change: ")
    assert made.min_count == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "--slices", "s", "--dmi", "3"], r"unknown option '--dmi'; did you mean '--dim'\?"),
        (["a", "--slices", "s", "--dim", "x"], "--dim must be a whole number, not 'x'"),
        (["a", "--slices", "s", "--unit", "lema"], r"did you mean 'lemma'\?"),
        (["a"], "--slices"),
        (["a", "--slices", "s", "--min-count", "1,x"], "--min-count must be a whole number"),
        (["a", "--slices", "s", "--dim"], "expected one argument"),
    ],
)
def test_bad_usage_names_what_is_wrong_and_what_is_right(words, message):
    with pytest.raises(UsageError, match=message):
        parse(*words)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slicse": "s"}, r"unknown option change: slicse; did you mean 'slices'\?"),
        ({"slices": "s", "dim": 1.5}, "change: dim must be a whole number"),
        ({"slices": "s", "resume": "yes"}, "change: resume must be true or false"),
        ({}, "change: slices must be given"),
        ({"slices": {"a": 1}}, "change: slices must be text"),
    ],
)
def test_a_bad_file_names_the_key(values, message):
    with pytest.raises(UsageError, match=message):
        from_mapping(Options, {"inputs": "a", **values}, "change: ")


def test_options_are_not_abbreviated():
    with pytest.raises(UsageError, match="--slice"):
        parse("a", "--slice", "s")
