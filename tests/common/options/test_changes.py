"""Options of a manifest and those of now, of which some are new and some are gone."""

from dataclasses import dataclass

from lexbeam.transforms.common.options.fields import option, option_changes, plain_options


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a command."""

    least: int = option(3, help="a number")
    kinds: tuple[str, ...] = option(("a",), help="several")
    about: str | None = option(None, help="a text")
    name: str = option(help="must be given")
    aside: int = option(1, help="not published", published=False)


NOW = Options(name="x")


def test_what_has_another_value_is_told_with_both():
    before = {**plain_options(NOW), "least": 4, "about": "that"}
    changes = option_changes(Options, before, NOW)
    assert changes == ({"about": ("that", None), "least": (4, 3)}, (), ())


def test_what_is_new_is_a_change_only_where_it_is_not_at_its_default():
    before = {"name": "x"}
    assert option_changes(Options, before, NOW) == ({}, ("least", "kinds", "about"), ())
    changes = option_changes(Options, before, Options(name="x", kinds=("b",), least=3))
    assert changes == ({"kinds": (None, ["b"])}, ("least", "about"), ())
    # What must be given has no default to be at.
    assert option_changes(Options, {}, NOW).other == {"name": (None, "x")}


def test_what_is_gone_is_no_change():
    before = {**plain_options(NOW), "speed": 7, "age": None}
    assert option_changes(Options, before, NOW) == ({}, (), ("age", "speed"))


def test_without_options_what_is_known_is_told_alone():
    assert option_changes(Options, {"least": 9, "old": 1}) == ({}, ("kinds", "about"), ("old",))
