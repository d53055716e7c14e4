"""Options as dataclass fields: embedding, paths, checks, and what of them counts as code.

Options that something chosen needs.

Options that entries of a registry use alone, with the options of a command.

Options of a manifest and those of now, of which some are new and some are gone.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from lexbeam.pipelines.commands.change.options import ChangeOptions
from lexbeam.transforms.change.scores.measures import MEASURES, Measure
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import (
    check_given,
    embedded,
    from_mapping,
    noted_paths,
    option,
    option_changes,
    options_of,
    plain_options,
    unused,
    value_of,
)
from lexbeam.transforms.common.options.option import Within

NAMES = ("one", "two")


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: int = option(3, help="depth", least=1)
    kept: int = 7


@dataclass(frozen=True, kw_only=True)
class Middle:
    inner: Inner = embedded(Inner)
    width: int = option(2, name="middle_width", help="width")


def table_path(value):
    if not value.startswith("table:"):
        return None
    path, sign, column = value.removeprefix("table:").rpartition("@")
    return Within("table:", path, sign + column)


def perhaps(value):
    return Within("model:", value.removeprefix("model:"), perhaps=True)


def refuse_odd(value):
    if value % 2:
        raise UsageError(f"`even` {value}: must be even")


@dataclass(frozen=True, kw_only=True)
class Options:
    folders: tuple[str, ...] = option((), help="f", positional=True, path="place", fills="out")
    out: str | None = option(None, help="o", path="place", published=False)
    middle: Middle = embedded(Middle, group="middle")
    table: str | None = option(None, help="t", path="file", within=table_path)
    model: str = option("model:small", help="m", path="place", within=perhaps)
    lists: tuple[str, ...] = option((), help="l", split=False)
    even: int = option(0, help="e", check=refuse_odd)
    choice: str = option("one", help="c", choices=f"{__name__}:NAMES")


def made(base=None, **values):
    return from_mapping(Options, values, base=base)


def test_embedded_options_go_by_their_own_names_however_deep():
    options = made(depth=5, middle_width="4")
    assert (options.middle.inner.depth, options.middle.width) == (5, 4)
    assert options.middle.inner.kept == 7
    assert value_of(options, "depth") == 5
    assert {entry.group for entry in options_of(Middle).values()} == {""}
    assert options_of(Options)["depth"].group == "middle"
    with pytest.raises(UsageError, match="unknown option width"):
        made(width=1)
    with pytest.raises(UsageError, match="depth must be at least 1, not 0"):
        made(depth=0)


def test_the_nearest_name_is_as_the_caller_writes_it():
    for where, shown in (("", "middle_width"), ("--", "middle-width")):
        with pytest.raises(UsageError, match=f"did you mean '{shown}'"):
            from_mapping(Options, {"middle_widht": 1}, where)


def test_two_options_of_one_name_are_a_mistake_of_the_class():
    @dataclass(frozen=True, kw_only=True)
    class Twice:
        depth: int = option(1, help="d")
        inner: Inner = embedded(Inner)

    with pytest.raises(ValueError, match="two options called 'depth'"):
        options_of(Twice)


def test_paths_become_absolute_beside_what_named_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for base, folder in (("/else", "/else"), (None, str(tmp_path))):
        options = made(base, folders=["a", "../b", "/c", "gs://d/e"], table="table:f/g@x")
        assert options.folders == (f"{folder}/a", os.path.normpath(f"{folder}/../b"), "/c", "gs://d/e")
        assert options.table == f"table:{folder}/f/g@x"
        assert noted_paths(options, "file") == {"table": [f"{folder}/f/g"]}
    assert made(folders="~/a").folders == (str(Path("~/a").expanduser()),)
    assert made(table="other").table == "other"


def test_what_may_be_a_path_or_a_name_is_a_path_if_something_is_there(tmp_path):
    assert made(str(tmp_path), model="model:large").model == "model:large"
    (tmp_path / "large").mkdir()
    assert made(str(tmp_path), model="model:large").model == f"model:{tmp_path / 'large'}"


def test_one_folder_is_taken_for_the_output_and_several_are_not():
    assert made(folders="/a").out == "/a"
    assert made(folders="/a", out="/b").out == "/b"
    assert made(folders="/a,/b").out is None
    assert made().out is None


def test_a_manifest_has_no_folder_of_a_machine(tmp_path):
    (tmp_path / "large").mkdir()
    options = made(str(tmp_path), folders=["x/b", "y/a"], model="model:large", depth=4)
    shown = plain_options(options)
    assert shown == {
        "folders": ["a", "b"],
        "depth": 4,
        "middle-width": 2,
        "table": None,
        "model": "model:large",
        "lists": [],
        "even": 0,
        "choice": "one",
    }


def test_values_that_hold_commas_by_their_form_are_not_split():
    assert made(lists="f.csv:word=1,value=2").lists == ("f.csv:word=1,value=2",)
    assert made(lists=["a,b", "c"]).lists == ("a,b", "c")


def test_values_come_from_the_command_line_a_file_or_python():
    numpy = pytest.importorskip("numpy")
    for value in (4, "4", numpy.int64(4)):
        assert made(even=value).even == 4
    assert made(folders=Path("/a")).folders == ("/a",)
    for wrong in (4.0, True, "x", None):
        with pytest.raises(UsageError, match="even must be a whole number"):
            made(even=wrong)


def test_checks_and_choices_from_a_registry_are_asked():
    with pytest.raises(UsageError, match="`even` 3: must be even"):
        made(even=3)
    with pytest.raises(UsageError, match="choice cannot be 'tow'; did you mean 'two'"):
        made(choice="tow")


@dataclass(frozen=True, kw_only=True)
class Files:
    vectors: str | None = option(None, help="static vectors", metavar="FILE")


def test_what_lacks_is_asked_for_by_what_it_means():
    told = (
        r"^`use` names vectors, which needs `vectors` FILE \(static vectors\): give it, or choose otherwise by `use`$"
    )
    with pytest.raises(UsageError, match=told):
        check_given("vectors", Files(), "`use` names vectors", "use")


def test_what_is_given_or_needs_nothing_passes():
    check_given("vectors", Files(vectors="x.vec"), "x", "use")
    check_given("", Files(), "x", "use")


GIVEN = {"corpora": "c", "out": "o", "slices": "1800-1849,1850-1900"}


def asked(**values):
    return from_mapping(ChangeOptions, GIVEN | values)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"gamma": 1}, "`gamma` 1.0: it is used with `representation` svd, not with sgns: leave it out, or"),
        ({"threshold_sd": 2}, "`threshold_sd` 2.0: it is used with `threshold` mean-sd or mean-sd-ranked, not with"),
        ({"whiten": False}, "`whiten`: it is used with `alignment` op+, not with op,cca"),
        ({"reweight": 1, "alignment": "cca,op"}, "`reweight` 1.0: it is used with `alignment` op+, not with cca,op"),
        ({"rcond": 0.1, "representation": "ri"}, "not with none"),
        ({"epochs": 3, "representation": "svd"}, "`epochs` 3: it is used with `representation` sgns, not with svd"),
        ({"trainer": "fast", "representation": "glove"}, "`trainer` fast: it is used with `representation` sgns, not"),
        ({"dim": 50, "representation": "ppmi"}, "`dim` 50: it is used with `representation` sgns or svd or ri or"),
        ({"pivots": 7, "measure": "lnd"}, "`pivots` 7: it is used with `measure` pivots, not with lnd"),
    ],
)
def test_a_value_that_nothing_takes_is_told(values, told):
    ((option, found),) = unused(asked(**values)).items()
    assert option in values
    assert told in found


def test_values_that_something_takes_and_defaults_are_not():
    for values in (
        {"gamma": 1, "representation": "svd", "dim": 50, "window": 3},
        {"dim": 50, "epochs": 3, "negative": 1, "sample": 0.1, "alpha": 0.1, "trainer": "fast"},
        {"threshold_sd": 2, "threshold": "mean,mean-sd"},
        {"neighbourhood": 9, "measure": "ecdf"},
        {name: entry.default for name, entry in options_of(ChangeOptions).items() if entry.of},
    ):
        assert not unused(asked(**values))


def test_an_entry_of_another_package_takes_what_it_uses(monkeypatch):
    own = Measure(len, "0 and up", uses=("pivots",), doc="its own")
    monkeypatch.setitem(MEASURES, "own", own)
    assert not unused(asked(pivots=7, measure="own"))


@dataclass(frozen=True, kw_only=True)
class _Known:
    """Options of a command."""

    least: int = option(3, help="a number")
    kinds: tuple[str, ...] = option(("a",), help="several")
    about: str | None = option(None, help="a text")
    name: str = option(help="must be given")
    aside: int = option(1, help="not published", published=False)


NOW = _Known(name="x")


def test_what_has_another_value_is_told_with_both():
    before = {**plain_options(NOW), "least": 4, "about": "that"}
    changes = option_changes(_Known, before, NOW)
    assert changes == ({"about": ("that", None), "least": (4, 3)}, (), ())


def test_what_is_new_is_a_change_only_where_it_is_not_at_its_default():
    before = {"name": "x"}
    assert option_changes(_Known, before, NOW) == ({}, ("least", "kinds", "about"), ())
    changes = option_changes(_Known, before, _Known(name="x", kinds=("b",), least=3))
    assert changes == ({"kinds": (None, ["b"])}, ("least", "about"), ())
    # What must be given has no default to be at.
    assert option_changes(_Known, {}, NOW).other == {"name": (None, "x")}


def test_what_is_gone_is_no_change():
    before = {**plain_options(NOW), "speed": 7, "age": None}
    assert option_changes(_Known, before, NOW) == ({}, (), ("age", "speed"))


def test_without_options_what_is_known_is_told_alone():
    assert option_changes(_Known, {"least": 9, "old": 1}) == ({}, ("kinds", "about"), ("old",))
