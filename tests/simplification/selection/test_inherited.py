"""Selections of instances whose candidates have not changed are those of the part that was made before."""

from dataclasses import replace

import pytest
from generated import files_of, write_world
from inherited import check_inherited
from instances_made import drawn_parts, numbered, written

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, GenerationTask
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import generation_inputs
from lexbeam.transforms.simplification.records import JoinTask
from lexbeam.transforms.simplification.selection.candidate_filter import SelectionOptions
from lexbeam.transforms.simplification.selection.candidate_selection import (
    SelectCandidates,
    SelectionFiles,
    selection_of,
)
from lexbeam.transforms.simplification.selection.filters import FILTERS


def task_of(folder, rows, world, k=10):
    """Return the task of a part: instances, and their candidates, of each setting at most `k`."""
    part = written(folder, INSTANCES, rows)
    settings = {"a": GenerationOptions(k=k), "b": GenerationOptions(names="replace")}
    step = GenerateCandidates(generation_inputs(settings, files_of(world)))
    made = make(Workspace(str(folder)), step, GenerationTask(part))
    return JoinTask(part, {CANDIDATES.name: Part.of(CANDIDATES.name, 0, made.part)})


def selection(world, *filters):
    files = SelectionFiles(
        inflector=str(world / "es.inflector"),
        vectors=f"vectors_=vectors:{world / 'es.vec'}",
        cache=str(world / "cache"),
    )
    settings = {"a": SelectionOptions(filters=("morphology", *filters)), "b": SelectionOptions()}
    return selection_of(settings, files, None)


def test_a_part_that_follows_another_is_as_one_that_does_not(tmp_path):
    write_world(tmp_path)
    for seed in range(2):
        tasks = [
            task_of(tmp_path / f"{seed}-{step}", rows, tmp_path, k) for step, (rows, k) in enumerate(drawn_parts(seed))
        ]
        select = SelectCandidates(selection(tmp_path, "similarity"))
        receipts = check_inherited(select, tasks, tmp_path / str(seed))
        assert [sum(count.candidates for count in receipt.counts) for receipt in receipts] == [
            receipt.part.rows for receipt in receipts
        ]
        assert [bool(receipt.counts) for receipt in receipts] == [True, True, True, False]


@pytest.mark.parametrize(("name", "wanted"), [("similarity", [30, 2]), ("pos", [30, 32])])
def test_filters_are_asked_for_what_is_new_unless_they_look_at_others(tmp_path, monkeypatch, name, wanted):
    """Every second instance has candidates."""
    write_world(tmp_path)
    asked = []
    plain = FILTERS["similarity"]

    def drop(groups, selecting):
        asked.append(len(groups))
        plain.drop(groups, selecting)

    monkeypatch.setitem(FILTERS, name, replace(plain, drop=drop))
    work = Workspace(str(tmp_path / "work"))
    for folder, rows in (("a", numbered(range(60))), ("b", numbered(range(63), {7}))):
        make(work, SelectCandidates(selection(tmp_path, name)), task_of(tmp_path / folder, rows, tmp_path))
    assert asked == wanted
