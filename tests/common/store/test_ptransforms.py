"""What the glue that every pipeline uses does with artefacts, lanes, parts and results."""

import importlib
import json
import typing
from dataclasses import dataclass, replace
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from transforms.common.errors import LexbeamError
from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes, WriteResult


@dataclass(frozen=True)
class Made:
    """A receipt of a number."""

    number: int


def _single(artefact: Any, task: int, options: int) -> Made:
    return Made(task * options)


def _together(artefacts: Any, tasks: list[int], options: int) -> list[Made]:
    return [Made(task * options) for task in tasks]


SINGLE: Stage[int, int, Made] = Stage(name="toy/single", receipt=Made, build=_single)
TOGETHER: Stage[int, int, Made] = Stage(name="toy/together", receipt=Made, build=_together, together=True)


def test_a_task_becomes_its_receipt_under_its_key(tmp_path):
    function = MakeArtefact(Workspace(str(tmp_path)), SINGLE, 10)
    assert list(function.process(("a", 3))) == [("a", Made(30))]


def test_tasks_of_a_stage_that_makes_them_together_are_a_list(tmp_path):
    function = MakeArtefact(Workspace(str(tmp_path)), TOGETHER, 10)
    assert list(function.process(("a", [3, 1]))) == [("a", [Made(30), Made(10)])]


def test_a_worker_with_other_code_is_refused(tmp_path, monkeypatch):
    function = MakeArtefact(Workspace(str(tmp_path)), SINGLE, 10)
    code = Stage.code
    monkeypatch.setattr(Stage, "code", lambda self, chosen=None: code(self, chosen)._replace(code="other"))
    with pytest.raises(LexbeamError, match=r"toy/single: this worker has other code"):
        list(function.process(("a", 3)))
    monkeypatch.undo()
    assert list(function.process(("a", 3))) == [("a", Made(30))]


@pytest.mark.parametrize("lanes", [0, 1, 3])
def test_elements_are_spread_without_loss_and_counted(tmp_path, lanes):
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        spread = (
            pipeline | beam.Create([5, 3, 8, 3]) | SpreadOverLanes(float, lanes, Workspace(str(tmp_path)), "toy/single")
        )
        assert_that(spread, equal_to([3, 3, 5, 8]))
    assert (tmp_path / "plan" / "toy" / "single").read_text() == "4"


def test_a_result_is_in_one_order_whatever_the_order_of_rows(tmp_path):
    rows = [Made(5), Made(30), Made(2)]
    for name, given in (("a", rows), ("b", rows[::-1])):
        with beam.Pipeline(runner="FnApiRunner") as pipeline:
            pipeline | beam.Create(given) | WriteResult(str(tmp_path / name))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    found = json.loads((tmp_path / "a").read_bytes())
    assert sorted(found, key=str) == sorted(({"number": n} for n in (5, 30, 2)), key=str)


def test_stages_with_other_options_make_artefacts_of_their_own(tmp_path):
    space = Workspace(str(tmp_path))
    for options, stage in ((1, SINGLE), (2, SINGLE), (1, replace(SINGLE, name="toy/other"))):
        list(MakeArtefact(space, stage, options).process(("a", 3)))
    assert len(list((tmp_path / "toy" / "single").glob("*.json"))) == 2
    assert len(list((tmp_path / "toy" / "other").glob("*.json"))) == 1


MODULES = (
    "transforms.common.store.ptransforms",
    "transforms.formats.ingest.ptransforms",
    "transforms.annotation.ptransforms",
    "transforms.change.graph.ptransforms",
    "transforms.change.graph.view_ptransforms",
)


@pytest.mark.parametrize("module", MODULES)
def test_public_transforms_declare_what_they_take_and_give(module):
    found = importlib.import_module(module)
    transforms = [
        value
        for name in found.__all__
        if isinstance(value := getattr(found, name), type) and issubclass(value, beam.PTransform)
    ]
    assert transforms
    for transform in transforms:
        hints = typing.get_type_hints(transform.expand)
        taken = [hint for name, hint in hints.items() if name != "return"]
        assert len(taken) == 1, transform
        for hint in (*taken, hints["return"]):
            assert typing.get_origin(hint) is beam.PCollection, transform
