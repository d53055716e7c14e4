"""The typed modules are what the registry says, and mypy finds what is wrong by them."""

import ast
import dataclasses
import functools
import inspect
import os
import subprocess
import sys
import typing
from dataclasses import dataclass
from pathlib import Path

import pytest

import lexbeam
from lexbeam import commands
from lexbeam._annotations import annotation
from lexbeam._generate import MARK, Told, formatted, modules, own_commands
from lexbeam.views import Views
from pipelines.command import Command
from pipelines.common_options import RunnerOptions
from pipelines.registry import load
from schemas.scores import SCORES
from transforms.common.options import option, options_of
from transforms.common.views import View

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "lexbeam"


def test_what_is_committed_is_what_would_be_written():
    made = {name: formatted(text) for name, text in modules(own_commands()).items()}
    found = {path.name: path.read_text("utf-8") for path in PACKAGE.glob("*.py")}
    assert {n: t for n, t in found.items() if t.startswith(MARK)} == made, "run `make api`"


def function_of(words):
    """Return the function of a command, which that of two words has in a module of its first."""
    return functools.reduce(getattr, words.replace("-", "_").split(" "), lexbeam)


@pytest.mark.parametrize("name", own_commands())
def test_options_and_defaults_are_those_of_the_command(name):
    own = dict(options_of(load(name).options))
    own.pop("dry_run", None)
    filled = {entry.fills for entry in own.values()}
    found = inspect.signature(function_of(name)).parameters
    assert {n.rstrip("_") for n in found} - {"beam"} == set(own)
    for option_name, parameter in found.items():
        if option_name == "beam":
            continue
        entry = own[option_name.rstrip("_")]
        by_position = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert by_position == entry.positional
        if entry.name in filled:
            assert parameter.default is None
        elif parameter.default is inspect.Parameter.empty:
            assert entry.default is dataclasses.MISSING
        else:
            assert parameter.default == entry.default


FUNCTIONS = [
    *(name for name in commands.__all__ if callable(getattr(commands, name, None))),
    *(words for words in own_commands() if " " in words),
    *(f"Results.{name}" for name in ("top", "word")),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_name_every_argument_as_python_has_it(name):
    function = getattr(Views, name.removeprefix("Results."), None) or function_of(name)
    text = inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters:
        assert parameter == "self" or f"\n    {parameter}: " in text
    assert "--" not in text
    assert "Returns:" in text
    assert "LexbeamError:" in text


def test_everything_can_be_reached():
    assert set(lexbeam.__all__) >= {"corpus", "change", "run", "open", "vectors", "Results"}
    assert all(hasattr(lexbeam, name) for name in lexbeam.__all__)
    assert not hasattr(lexbeam, "show")


@dataclass(frozen=True, kw_only=True)
class SplitOptions(RunnerOptions):
    """Options of a toy."""

    texts: tuple[str, ...] = option((), help="texts", positional=True, path="input", fills="out")
    lambda_: float = option(0.5, name="lambda", help="a `weight`; see `fold_count`", most=1)
    fold_count: tuple[int, ...] = option((2, 3), help="folds")
    kind: str = option("a", help='kind with \\ and "', choices=("a", "b"))
    open_kind: str = option("a", help="kind", choices="some.module:REGISTRY")
    model: str | None = option(None, help="model", path="place")


@dataclass(frozen=True, kw_only=True)
class FarOptions:
    """Options of a toy's view."""

    far: int = option(3, help="how far")
    slice: str | None = option(None, help="slice")


def _no_action(options, action):
    return None


def toys():
    split = Command(
        options=SplitOptions,
        tables=(SCORES,),
        action=_no_action,
        views={"far": View("how far words are", FarOptions, lambda s, o: None)},
    )
    return {
        "complexity split": Told(split, "texts split into parts"),
        "complexity tell-all": Told(Command(options=FarOptions, action=_no_action), "tell all"),
        "flat": Told(Command(options=FarOptions, action=_no_action, takes_beam=True), "flat"),
    }


def run_module(text, **given):
    """Run a module's own definitions, with other functions in the place of what it imports."""
    tree = ast.parse(formatted(text))
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.ImportFrom) and str(node.module).startswith("lexbeam"))
    ]
    names = dict(given)
    exec(compile(tree, "<made>", "exec"), names)
    return names


def test_commands_of_two_words_are_functions_of_a_module():
    made = modules(toys())
    assert set(made) == {"commands.py", "views.py", "complexity.py"}
    assert "from lexbeam import complexity\n" in made["commands.py"]
    asked = []
    names = run_module(
        made["complexity.py"], _publish=lambda *a: asked.append(a), _act=lambda *a: a, Results=lexbeam.Results
    )
    assert names["__all__"] == ["split", "tell_all"]
    names["split"]("x", lambda_=0.1, kind="b")
    words, values = asked[0]
    assert words == "complexity split"
    assert values["texts"] == "x"
    assert (values["lambda"], values["kind"], values["out"]) == (0.1, "b", None)
    assert values["fold_count"] == (2, 3)
    with pytest.raises(TypeError, match="positional"):
        names["split"]("x", "y")
    text = names["split"].__doc__
    assert "lambda_: a `weight`; see `fold_count` (at most 1)." in text
    assert 'kind with \\ and ".' in text
    assert "if not given, the one of `texts`" in text
    flat = run_module(made["commands.py"], _act=lambda *a: a, complexity=None)
    assert flat["__all__"] == ["complexity", "flat"]
    assert flat["flat"](beam=["--x"]) == ("flat", {"far": 3, "slice": None}, ["--x"])


def test_views_are_methods_whose_first_option_needs_no_name():
    names = run_module(modules(toys())["views.py"], _ask=lambda *a: a)
    views = names["Views"]()
    views.snapshot = "snapshot"
    asked = ("snapshot", "complexity.split", "far", {"far": 7, "slice": "s"})
    assert views.far(7, slice="s") == asked
    with pytest.raises(TypeError, match="positional"):
        views.far(7, "s")


@pytest.mark.parametrize("name", ["open", "results", "complexity"])
def test_a_name_that_is_taken_is_refused(name):
    told = Told(Command(options=FarOptions, action=_no_action), "taken")
    with pytest.raises(ValueError, match=f"another '{name}'"):
        modules({**toys(), name: told})


def test_a_view_that_results_have_already_is_refused():
    view = View("tables", FarOptions, lambda s, o: None)
    told = Told(Command(options=FarOptions, action=_no_action, views={"tables": view}), "x")
    with pytest.raises(ValueError, match="another 'tables'"):
        modules({"x": told})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("texts", "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"),
        ("lambda", "float | str"),
        ("fold_count", "int | str | Sequence[int | str]"),
        ("kind", "Literal['a', 'b']"),
        ("open_kind", "str"),
        ("model", "str | os.PathLike[str] | None"),
        ("resume", "bool"),
    ],
)
def test_types_are_precise(name, expected):
    assert annotation(options_of(SplitOptions)[name]) == expected


def test_engines_and_date_rules_are_no_paths():
    hints = typing.get_type_hints(lexbeam.corpus)
    assert hints["engine"] is str
    assert hints["dates"] == str | None
    assert hints["normalise"] == str | os.PathLike[str] | None
    assert typing.get_type_hints(lexbeam.change)["max_tokens"] == int | str | None


USE = """\
import lexbeam
from pathlib import Path

results = lexbeam.change(["a", Path("b")], out=Path("c"), slices="x", seeds=3, min_count=[1, 2])
again = lexbeam.change(results, slices="x", alignment="op,cca", dim="5", out=None)
results.top(20, alignment="op")
lines: list[str] = lexbeam.status(results)
"""
WRONG = """\
lexbeam.change(["a"], slices="x", sedes=3)
lexbeam.change(["a"], slices="x", unit="lema")
lexbeam.change(["a"])
results.topp(20)
results.top(20, "op")
lexbeam.chnage(["a"], slices="x")
lexbeam.corpus("a")
"""


@pytest.mark.slow
def test_mypy_finds_what_is_misspelt(tmp_path):
    path = tmp_path / "use.py"
    path.write_text(USE + WRONG)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    first = len(USE.splitlines()) + 1
    numbers = [int(line.split(":")[1]) for line in lines]
    assert numbers == list(range(first, first + len(WRONG.splitlines()))), done.stdout
    assert '"sedes"' in lines[0]
