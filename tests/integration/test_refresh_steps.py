"""Whatever changes in a folder, a refresh publishes what a run of everything would, byte for byte, as planned."""

import shutil

import pytest
from refreshed import KINDS, begun_world, check_steps, date_by_table, make_world
from small_runs import published

from lexbeam.transforms.formats.ingest import input_listing

NAMES = list(KINDS)


@pytest.fixture(autouse=True)
def _several_units(monkeypatch):
    """Let files be dealt out into units of three, and duplicates into several."""
    monkeypatch.setattr(input_listing, "UNIT_FILES", 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_step_is_a_rebuild(made_once, tmp_path, seed, capsys, monkeypatch):
    kind = NAMES[seed % len(NAMES)]
    world = shutil.copytree(begun_world(made_once, kind), tmp_path / "world", symlinks=True)
    check_steps(world, kind, seed, 1, capsys, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 201))
def test_ten_steps_are_rebuilds(tmp_path, seed, capsys, monkeypatch):
    """All kinds in turn; of texts, every second time a table tells the dates."""
    kind = NAMES[seed % len(NAMES)]
    world = make_world(tmp_path, kind)
    if KINDS[kind].corpus and seed // len(NAMES) % 2:
        date_by_table(world)
    check_steps(world, kind, seed, 10, capsys, monkeypatch)
    made = published(world / "out")
    for table in KINDS[kind].tables:
        assert any(name.startswith(f"{table}/") for name in made)
