"""Functions and views are what the registry says, in Python and in stubs, by which mypy finds what is wrong."""

import ast
import dataclasses
import functools
import inspect
import os
import pickle
import pydoc
import subprocess
import sys
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

import lexbeam
from lexbeam import _functions, _shown
from lexbeam._functions import LEFT_OUT, command_function, groups, names, places
from lexbeam._signatures import annotation
from lexbeam._stubs import check_names, stubs
from lexbeam.pipelines.frame.command import Command, RunnerOptions
from lexbeam.pipelines.frame.registry import COMMANDS, CommandEntry, load
from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.options.fields import option, options_of
from lexbeam.transforms.common.publish.snapshots import View

ROOT = Path(__file__).resolve().parents[2]
OWN = [words for words in COMMANDS if words not in LEFT_OUT]


def function_of(words):
    """Return the function of a command, which that of two words has in a module of its first."""
    return functools.reduce(getattr, words.replace("-", "_").split(" "), lexbeam)


def without_strings(function):
    """Return the signature of a function but for strings that it takes in place of files."""
    return getattr(function, "overloads", [inspect.signature(function)])[-1]


@pytest.mark.parametrize("name", OWN)
def test_options_and_defaults_are_those_of_the_command(name):
    own = dict(options_of(load(name).options))
    own.pop("dry_run", None)  # a function of its own
    own.pop("detach", None)  # a function that returns tables waits for them
    own = {name: entry for name, entry in own.items() if entry.group != "watch"}  # all functions return
    filled = {entry.fills for entry in own.values()}
    if any(entry.positional and entry.data in ("records", "table") for entry in own.values()):
        filled.add("layout")  # which data says by its form
    actual = without_strings(function_of(name)).parameters
    assert {n.rstrip("_") for n in actual} - {"beam"} == set(own)
    for option_name, parameter in actual.items():
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


def all_functions():
    """Return every function by its words, and every method of `Results`."""
    result = {words: function_of(words) for words in OWN}
    result |= {name: getattr(lexbeam, name) for name in ("preview_corpus", "preview_refresh")}
    return result | {f"Results.{name}": getattr(lexbeam.Results, name) for name in _shown.view_methods()}


FUNCTIONS = all_functions()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_name_every_argument_as_python_has_it(name):
    function = FUNCTIONS[name]
    text = inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters:
        assert parameter == "self" or f"\n    {parameter}: " in text
    assert "--" not in text
    assert "Returns:" in text
    assert "LexbeamError:" in text
    assert max(map(len, text.splitlines())) <= 96


def test_everything_can_be_reached():
    assert set(lexbeam.__all__) >= {"corpus", "change", "run", "open", "vectors", "Results", "preview_corpus"}
    assert all(hasattr(lexbeam, name) for name in lexbeam.__all__)
    assert set(dir(lexbeam)) >= set(lexbeam.__all__)
    assert not hasattr(lexbeam, "show")
    assert dir(lexbeam.complexity) == lexbeam.complexity.__all__ == names("complexity")
    assert {"top", "tell_top", "table"} <= set(dir(lexbeam.Results))


def test_a_preview_is_known_without_an_import():
    for words in OWN:
        assert COMMANDS[words].previews == ("dry_run" in options_of(load(words).options))


def test_functions_are_found_and_pickled_by_their_names():
    for name, function in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(function)) is function, name
    for group in groups():
        module = sys.modules[f"lexbeam.{group}"]
        assert module is getattr(lexbeam, group)
        code = f"from lexbeam.{group} import *"
        taken = {}
        exec(code, taken)
        assert set(names(group)) <= set(taken)


def test_help_has_signature_and_arguments():
    text = pydoc.plain(pydoc.render_doc(lexbeam.change))
    assert "change(corpora: str | os.PathLike[str] | " in text
    assert "\n        slices: periods, both ends included" in text
    assert "split(" in pydoc.plain(pydoc.render_doc(lexbeam.complexity))


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: lexbeam.change("x", sedes=3), "'sedes'; did you mean 'seeds'"),
        (lambda: lexbeam.change("x"), r"^change\(\) missing a required argument: 'slices'"),
        (
            lambda: lexbeam.change("x", "y", slices="x"),
            r"^change\(\) too many positional arguments; give them by name: \w+=, ",
        ),
        (lambda: lexbeam.Results.top(None, algnment="op"), "'algnment'; did you mean 'alignment'"),
    ],
)
def test_a_wrong_argument_is_named(ask, hint):
    with pytest.raises(TypeError, match=hint):
        ask()


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: lexbeam.chnage, "module 'lexbeam' has no attribute 'chnage'; did you mean 'change'"),
        (lambda: lexbeam.version, "did you mean '__version__'"),
        (lambda: lexbeam.complexity.splitt, "'lexbeam.complexity' has no attribute 'splitt'; did you mean 'split'"),
        (lambda: lexbeam.show, r"'show'; results answer what it prints: `lexbeam.open\(DIR\)`, then `summary\(\)`"),
        (lambda: lexbeam.stream, "'stream'; a stream does not end: start `lexbeam stream`"),
        (lambda: lexbeam.top, r"'top'; results have it: `lexbeam.open\(DIR\).top`"),
        (lambda: lexbeam.table, r"'table'; results have it: `lexbeam.open\(DIR\).table`"),
        (lambda: lexbeam.select, "'select'; it is `lexbeam.complexity.select` or `lexbeam.simplify.select`"),
        (lambda: lexbeam.cloze.corpus, "'lexbeam.cloze' has no attribute 'corpus'; it is `lexbeam.corpus`"),
        (lambda: lexbeam.cloze.quizzes, "'quizzes'; it has abstractness, annotate, answer, "),
        (lambda: lexbeam.Results.topp, "'Results' object has no attribute 'topp'; did you mean 'top'"),
        (lambda: lexbeam.Results.sumary, "did you mean 'summary'"),
    ],
)
def test_a_wrong_name_is_named(ask, hint):
    with pytest.raises(AttributeError, match=hint) as caught:
        ask()
    assert isinstance(caught.value, lexbeam.LexbeamError)  # so that a notebook shows no traceback


def test_a_group_that_is_called_names_its_functions():
    with pytest.raises(TypeError, match=r"lexbeam.simplify is no function, but has some: generate, .*text"):
        lexbeam.simplify("The physician endeavoured.")


@dataclass(frozen=True, kw_only=True)
class SplitOptions(RunnerOptions):
    """Options of a toy."""

    texts: tuple[str, ...] = option((), help="texts", positional=True, path="input", fills="out")
    lambda_: float = option(0.5, name="lambda", help="a `weight`; see `fold_count`", most=1)
    fold_count: tuple[int, ...] = option((2, 3), help="folds")
    kind: str = option("a", help='kind with \\ and "', choices=("a", "b"))
    open_kind: str = option("mean", help="kind", choices="lexbeam.transforms.change.scores.thresholds:THRESHOLDS")
    model: str | None = option(None, help="model", path="place")


@dataclass(frozen=True, kw_only=True)
class FarOptions:
    """Options of a toy's view."""

    far: int = option(3, help="how far")
    slice: str | None = option(None, help="slice")


class Split(Command[SplitOptions, None]):
    options = SplitOptions
    tables = (SCORES,)
    views = Registry(
        {"far": View(FarOptions, lambda s, o: pa.table({"far": [o.far], "slice": [o.slice]}), doc="how far words are")},
        what="view",
    )

    def action(self, options, action):
        return None


class Flat(Command[FarOptions, None]):
    options = FarOptions
    takes_beam = True

    def action(self, options, action):
        return None


SPLIT, FLAT = Split(), Flat()
TOYS = {
    "complexity split": CommandEntry(f"{__name__}:Split", doc="texts split into parts"),
    "complexity tell-all": CommandEntry(f"{__name__}:Flat", doc="tell all"),
    "flat": CommandEntry(f"{__name__}:Flat", doc="flat"),
}


def toy_function(words, monkeypatch):
    """Return the function of a toy command, which returns what it would be called with."""
    commands = {"complexity split": SPLIT, "flat": FLAT}
    monkeypatch.setattr("lexbeam._functions.load", commands.__getitem__)
    monkeypatch.setattr("lexbeam._functions.COMMANDS", TOYS)
    for name in ("act", "publish"):
        monkeypatch.setattr(_functions, name, lambda *asked, name=name: (name, *asked))
    place = next(place for place, known in places(TOYS).items() if known == words)
    return command_function(place, words)


def test_commands_of_two_words_are_functions_of_a_module(monkeypatch):
    assert groups(TOYS) == ["complexity"]
    assert names("", TOYS) == ["complexity", "flat"]
    assert names("complexity", TOYS) == ["split", "tell_all"]
    split = toy_function("complexity split", monkeypatch)
    assert (split.__module__, split.__qualname__) == ("lexbeam.complexity", "split")
    values = {"texts": "x", "lambda": 0.1, "kind": "b"}
    assert split("x", lambda_=0.1, kind="b") == ("publish", "complexity split", values, ())
    signature = inspect.signature(split)
    assert signature.parameters["fold_count"].default == (2, 3)
    assert signature.parameters["out"].default is None
    assert signature.return_annotation is lexbeam.Results
    with pytest.raises(TypeError, match="positional"):
        split("x", "y")
    text = split.__doc__
    assert "lambda_: a `weight`; see `fold_count` (at most 1)." in text
    assert 'kind with \\ and ".' in text
    assert "if not given, the one of `texts`" in text
    assert "open_kind: kind [mean: the mean score over" in text
    flat = toy_function("flat", monkeypatch)
    assert flat(beam=["--x"], far=4) == ("act", "flat", {"far": 4}, ["--x"])
    assert inspect.signature(flat).return_annotation is lexbeam.Lines


def test_an_option_that_beam_has_is_refused(monkeypatch):
    @dataclass(frozen=True, kw_only=True)
    class BeamOptions:
        beam: int = option(3, help="a beam")

    monkeypatch.setattr("lexbeam._functions.COMMANDS", TOYS)
    monkeypatch.setattr(Flat, "options", BeamOptions)
    monkeypatch.setattr("lexbeam._functions.load", lambda words: FLAT)
    with pytest.raises(ValueError, match="an option `beam` beside"):
        command_function(next(iter(places({"flat": TOYS["flat"]}))), "flat")


def test_views_are_methods_whose_first_option_needs_no_name(monkeypatch):
    asked = []
    monkeypatch.setattr(_shown, "available", lambda: [("complexity split", SPLIT), ("other", SPLIT)])
    monkeypatch.setattr(_shown, "answer_table", lambda *words: asked.append(words))
    far = _shown.view_methods()["far"]

    class Toy:
        snapshot = "snapshot"

    far(Toy(), 7, slice="s")
    assert asked == [("snapshot", ("complexity.split", "other"), "far", {"far": 7, "slice": "s"})]
    with pytest.raises(TypeError, match="positional"):
        far(Toy(), 7, "s")


def test_two_views_of_a_name_are_refused_unless_they_come_from_outside(monkeypatch):
    far = Registry({"far": View(FarOptions, lambda s, o: None, doc="x")}, what="view")
    other = Flat()
    other.views = far
    monkeypatch.setattr(_shown, "available", lambda: [("complexity split", SPLIT), ("toy lengths", other)])
    assert _shown.views()["far"] == (SPLIT.views["far"], ("complexity.split",), True)
    monkeypatch.setattr(_shown, "available", lambda: [("complexity split", SPLIT), ("corpus", other)])
    with pytest.raises(ValueError, match=r"corpus and complexity\.split have different views 'far'"):
        _shown.views()


def test_a_view_of_another_package_is_one_of_the_command(outsider):
    code = """\
from dataclasses import dataclass
import pyarrow as pa
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import View
@dataclass(frozen=True, kw_only=True)
class Options:
    least: int = option(1, help="shorter words are left out")
LONG, OTHER = (View(Options, lambda snapshot, options: pa.table({}), doc=doc) for doc in ("long words", "clashes"))
"""
    lines = ("long-words = toy_views:LONG", "hardest = toy_views:OTHER")
    outsider("lexbeam.change_views", *lines, toy_views=code)
    known = _shown.views()
    assert known["long-words"].sections == ("change",)
    assert known["hardest"].is_ours
    assert _shown.view_methods()["long_words"].__doc__.startswith("Long words.")
    assert "long-words" in load("change").views
    assert "long-words" not in load("change").views.ours()


@pytest.mark.parametrize("name", ["open", "results", "complexity", "views x"])
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(ValueError, match=f"another '{name.partition(' ')[0]}'"):
        check_names({**TOYS, name: CommandEntry("", doc="taken")}, ())


@pytest.mark.parametrize("name", ["tables", "snapshot", "ask"])
def test_a_view_that_results_have_already_is_refused(name):
    with pytest.raises(ValueError, match=f"another '{name}'"):
        check_names(TOYS, [name])


def test_stubs_say_what_the_functions_say():
    actual = {}
    for name, text in stubs().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                place = "Results" if name == "views.pyi" else name.removesuffix(".pyi")
                words = node.name if place == "__init__" else f"{place}.{node.name}"
                node.decorator_list = []  # the last overload is that of files and tables
                header = ast.unparse(node).partition("\n")[0]
                actual[words] = (header, ast.get_docstring(node))
    expected = {
        words.replace("-", "_").replace(" ", "."): (
            ast.unparse(ast.parse(f"def {function.__name__}{without_strings(function)}: ...")).partition("\n")[0],
            inspect.getdoc(function),
        )
        for words, function in FUNCTIONS.items()
    }
    assert actual == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("texts", str | os.PathLike[str] | Sequence[str | os.PathLike[str]]),
        ("lambda", float | str),
        ("fold_count", int | str | Sequence[int | str]),
        ("kind", typing.Literal["a", "b"]),
        ("open_kind", str),
        ("model", str | os.PathLike[str] | None),
        ("resume", bool),
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package as packaging leaves it, stubs among the modules."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.mark.slow
def test_packaging_leaves_stubs(installed):
    actual = {path.name: path.read_text("utf-8") for path in (installed / "lexbeam").glob("*.pyi")}
    assert actual == stubs()
    assert (installed / "lexbeam" / "py.typed").exists()


@pytest.mark.slow
def test_mypy_finds_what_is_misspelt(tmp_path, installed):
    (tmp_path / "use.py").write_text(USE + WRONG)
    config = (ROOT / "pyproject.toml").read_text("utf-8")
    others = [
        "numpy.*",
        "lexbeam.pipelines.*",
        "lexbeam.schemas.*",
        "lexbeam.transforms.*",
    ]  # what is asked is what lexbeam says
    skipped = f'[[tool.mypy.overrides]]\nmodule = {others}\nfollow_imports = "skip"\n'
    (tmp_path / "pyproject.toml").write_text(f"{config}\n{skipped}", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports", "silent", "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    first = len(USE.splitlines()) + 1
    numbers = [int(line.split(":")[1]) for line in lines]
    assert numbers == list(range(first, first + len(WRONG.splitlines()))), done.stdout
    assert '"sedes"' in lines[0]
