from dataclasses import dataclass
from pathlib import Path

import pytest

from lexbeam.pipelines.frame.arguments import Parser, add_options, as_flags, flags_of, from_arguments
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, option


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


@dataclass(frozen=True, kw_only=True)
class Reader:
    path: str = option(help="what `quoting` and `inputs` are for", positional=True, metavar="FILE")
    quoting: bool = option(True, help="off with `path` alone; see `min_count` and `lines`")
    dim: int = option(3, help="as of `dim`, 100 % of it")


def help_of(cls):
    parser = Parser(prog="x")
    add_options(parser, cls)
    return " ".join(parser.format_help().split())


def parse(*words, cls=Options):
    parser = Parser(prog="x")
    add_options(parser, cls)
    return from_arguments(cls, parser.parse_strictly(list(words)))


def test_the_command_line_gives_typed_options():
    options = parse("a", "b", "--slices", "s", "--min-count", "1,6", "--sample=1e-3", "--resume")
    assert options == Options(inputs=("a", "b"), slices="s", min_count=(1, 6), sample=0.001, resume=True)


def test_an_option_of_many_values_may_be_given_several_times():
    assert parse("a", "--slices", "s", "--min-count", "1,6", "--min-count=7").min_count == (1, 6, 7)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--dim", "3", "--dim=4"), "--dim is given twice, as '3' and as '4', and takes one value"),
        (("--unit", "form", "--unit", "lemma"), "--unit is given twice, as 'form' and as 'lemma'"),
        (("--genre", "-a", "--genre", "b"), "--genre is given twice, as '-a' and as 'b'"),
    ],
)
def test_an_option_of_one_value_is_not_given_two(words, message):
    with pytest.raises(UsageError, match=message):
        parse("a", "--slices", "s", *words)


def test_the_same_value_may_be_given_twice_and_on_and_off_may_not():
    assert parse("a", "--slices", "s", "--slices=s", "--resume", "--resume").slices == "s"
    assert not parse("a", "--no-quoting", "--no-quoting", cls=Reader).quoting
    with pytest.raises(UsageError, match="--quoting and --no-quoting are both given: leave out one"):
        parse("a", "--no-quoting", "--quoting", cls=Reader)


def test_positional_values_with_a_default_may_be_left_out():
    assert parse(cls=Optional) == Optional()
    assert parse("--dim", "3", cls=Optional) == Optional(dim=3)
    assert parse("a", "b", cls=Optional).folders == ("a", "b")


def test_what_must_be_given_is_missed_after_unknown_flags():
    with pytest.raises(UsageError, match=r"^inputs must be given"):
        parse("--slices", "s")
    with pytest.raises(UsageError, match=r"^FILE must be given"):
        parse(cls=Reader)
    with pytest.raises(UsageError, match="unknown option '--dmi'; did you mean '--dim'"):
        parse("--dmi", cls=Reader)
    assert "usage: x [-h] [--quoting" in help_of(Reader)
    assert " FILE positional arguments" in help_of(Reader)


@pytest.mark.parametrize("value", ["-x", "-100..-1", "--1", "-", "-x=y"])
def test_a_value_may_begin_with_a_minus(value):
    assert parse("a", "--slices", value).slices == value
    assert parse("a", "--slices", "s", "--min-count", "-1", "--genre", value).genre == value


@pytest.mark.parametrize("flag", ["--resume", "--resum", "-h"])
def test_a_flag_is_no_value(flag):
    with pytest.raises(UsageError, match="--slices needs a value, SLICES: "):
        parse("a", "--slices", flag)


@pytest.mark.parametrize(
    ("values", "expected"), [({"min-count": [1, 6]}, (1, 6)), ({"min_count": "1, 6"}, (1, 6)), ({"min-count": 3}, (3,))]
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
        (["a", "--slices", "s", "--dim"], "--dim needs a value, DIM: "),
    ],
)
def test_bad_usage_names_what_is_wrong_and_what_is_right(words, message):
    with pytest.raises(UsageError, match=message):
        parse(*words)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slicse": "s"}, r"change: unknown option slicse; did you mean 'slices'\?"),
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


def test_names_of_options_become_what_the_command_line_has_for_them():
    flags = flags_of([Options, Reader])
    assert as_flags("lower `min_count` or `dim`", flags) == "lower --min-count or --dim"
    assert as_flags("turn `quoting` off for `path`", flags) == "turn --[no-]quoting off for FILE"
    # Without a metavar a positional option goes by its name, as in the usage.
    assert as_flags("`inputs` must be given", flags) == "inputs must be given"


@pytest.mark.parametrize("value", ["`dim`", "a `dim` b", "don't `dim`", 'a "`dim`"', "`", "'"])
def test_values_that_messages_quote_stay_as_they_are(value):
    message = f"the slices' `dim` isn't {value!r}; see `dim`"
    expected = f"the slices' --dim isn't {value!r}; see --dim"
    assert as_flags(message, flags_of([Options])) == expected


@pytest.mark.parametrize("message", ["dim, 'dim'", "`lexbeam clean dim`", "`lines`", "`dim`"[:-1], "`Dim`", "` dim `"])
def test_what_is_not_an_option_in_backquotes_stays(message):
    assert as_flags(message, flags_of([Options])) == message


def test_of_two_options_of_one_name_the_first_counts():
    @dataclass(frozen=True, kw_only=True)
    class Other:
        inputs: str = option("", help="inputs")

    assert as_flags("`inputs`", flags_of([Options, Other])) == "inputs"
    assert as_flags("`inputs`", flags_of([Other, Options])) == "--inputs"


def test_a_flag_of_a_message_is_one_that_the_parser_takes():
    for cls in (Options, Reader):
        parser = Parser(prog="x")
        add_options(parser, cls)
        taken = set(parser._option_string_actions)
        positional = {action.metavar or action.dest for action in parser._get_positional_actions()}
        for shown in flags_of([cls]).values():
            forms = {shown.replace("[no-]", ""), shown.replace("[no-]", "no-")}
            assert forms <= taken or shown in positional


def test_help_names_flags_of_its_own_options_alone():
    output = help_of(Reader)
    assert "what --[no-]quoting and `inputs` are for" in output
    assert "off with FILE alone; see `min_count` and `lines`" in output
    assert "as of --dim, 100 % of it (default 3)" in output


@dataclass(frozen=True, kw_only=True)
class Files:
    folder: str | None = option(None, help="folder", positional=True)
    judgments: tuple[str, ...] = option((), help="files", path="input")
    cuts: tuple[str, ...] = option((), help="no files")


def files_of(*words):
    parser = Parser(prog="x")
    add_options(parser, Files)
    result = from_arguments(Files, parser.parse_strictly(words))
    return result.folder, [Path(one).name for one in result.judgments], result.cuts


@pytest.mark.parametrize(
    "words",
    [
        "out --judgments a b c --cuts 1",
        "out --judgments a,b --judgments c --cuts 1",
        "out --judgments=a b c --cuts=1",
        "--cuts 1 out --judgments a --judgments b c",
    ],
)
def test_several_files_may_follow_one_flag(words):
    assert files_of(*words.split()) == ("out", ["a", "b", "c"], ("1",))


def test_an_argument_may_stand_behind_an_option_of_files():
    assert files_of("--judgments", "a", "out") == ("out", ["a"], ())


def test_words_after_an_option_of_no_files_are_errors():
    with pytest.raises(UsageError, match="'2' belongs to no option"):
        files_of("out", "--cuts", "1", "2")
    with pytest.raises(UsageError, match="'b' belongs to no option"):
        files_of("out", "--judgments", "a", "--cuts", "1", "b")
