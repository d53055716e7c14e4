"""Whatever changes in a folder, a refresh publishes what a run of everything would, byte for byte, as planned."""

import shutil

import pytest
from refreshed import KINDS, check_steps, date_by_table, make_world, refresh
from small_runs import published

from transforms.formats.ingest import units

NAMES = list(KINDS)


@pytest.fixture(autouse=True)
def _several_units(monkeypatch):
    """Let files be dealt out into units of three, and duplicates into several."""
    monkeypatch.setattr(units, "UNIT_FILES", 3)


@pytest.fixture(scope="module")
def begun(made_once):
    """A function that gives a world of a kind with what was made of it."""

    def make(folder, kind):
        world = make_world(folder, kind)
        if kind == "change":
            date_by_table(world)
        assert refresh(world) == 0
        return world

    return lambda kind: made_once(f"refreshed {kind}", lambda folder: make(folder, kind))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_step_is_a_rebuild(begun, tmp_path, seed, capsys):
    kind = NAMES[seed % len(NAMES)]
    world = shutil.copytree(begun(kind), tmp_path / "world", symlinks=True)
    check_steps(world, kind, seed, 1, capsys)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 201))
def test_ten_steps_are_rebuilds(tmp_path, seed, capsys):
    """All kinds in turn; of texts, every second time a table tells the dates."""
    kind = NAMES[seed % len(NAMES)]
    world = make_world(tmp_path, kind)
    if KINDS[kind].corpus and seed // len(NAMES) % 2:
        date_by_table(world)
    check_steps(world, kind, seed, 10, capsys)
    made = published(world / "out")
    for table in KINDS[kind].tables:
        assert any(name.startswith(f"{table}/") for name in made)
