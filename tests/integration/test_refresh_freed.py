"""What was freed is made again where it is needed, with what it comes from: in one call, and as a run of everything."""

import random
import shutil

import pytest
from refreshed import ANY, begun_world, name_of, rebuilt, refresh, text_of, told
from small_runs import call, published

SCENARIOS = ("added", "changed", "removed", "duplicate added", "duplicate removed")


def night(world, scenario):
    """Do to the texts what a scenario says."""
    random_, texts = random.Random(scenario), world / "texts"
    one = sorted(texts.glob("1800*"))[0]
    if scenario == "added":
        (texts / name_of(random_)).write_text(text_of(random_))
    elif scenario == "changed":
        one.write_text(text_of(random_))
    elif scenario == "removed":
        one.rename(world / "gone.txt")
    elif scenario == "duplicate added":
        shutil.copyfile(sorted(texts.glob("1901*"))[0], texts / "1800_0000000.txt")
    else:
        (texts / "1800_0000000.txt").unlink()


def check_nights(world, mode, scenarios):
    """Refresh after each scenario; every time with everything freed, before the night or at its end."""
    out, keep = world / "out", ("--keep", "published") if mode == "keep" else ()
    for scenario in scenarios:
        if mode == "clean":
            assert call("clean", out) == 0
        night(world, scenario)
        assert refresh(world, *ANY, *keep) == 0, scenario
        assert published(out) == rebuilt(world), scenario


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["clean", "keep"])
@pytest.mark.parametrize("kind", ["change", "series", "select", "cloze", "simplify"])
def test_nights_over_what_was_freed_are_rebuilds(made_once, tmp_path, kind, mode):
    world = shutil.copytree(begun_world(made_once, kind), tmp_path / "world", symlinks=True)
    assert call("clean", world / "out") == 0
    check_nights(world, mode, ("duplicate added", "added", "changed", "duplicate removed", "removed"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["select", "cloze", "simplify"])
def test_a_text_that_comes_after_clean_is_taken_up_in_one_call(made_once, tmp_path, kind, capsys):
    """Of `select`, `find` has some parts freed and one new; what the plan counts is made."""
    world = shutil.copytree(begun_world(made_once, kind), tmp_path / "world", symlinks=True)
    check_nights(world, "clean", ("added",))
    assert "files that were freed are needed: they are made again" in capsys.readouterr().out
    assert told(capsys, "refresh", world / "config.yaml", "--out", world / "out").endswith("nothing is published\n")


@pytest.mark.slow
def test_commands_one_by_one_that_keep_published_parts_alone(made_once, tmp_path):
    """A duplicate goes, which brings back a text in parts of which others have been freed."""
    world = shutil.copytree(begun_world(made_once, "simplify"), tmp_path / "world", symlinks=True)
    steps = ("instances", "generate", "select", "rank", "rewrite")
    call_of = ("run", world / "config.yaml", "--out", world / "out", "--overwrite", "--keep", "published", "--only")
    for scenario in ("duplicate added", "duplicate removed"):
        night(world, scenario)
        for section in ("corpus", *(f"simplify.{step}" for step in steps)):
            assert call(*call_of, section) == 0, (scenario, section)
        assert published(world / "out") == rebuilt(world), scenario
