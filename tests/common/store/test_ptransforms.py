"""What the glue that every pipeline uses does with artefacts, lanes, parts and results."""

import hashlib
import importlib
import json
import random
import typing
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to
from making import BUILT, Joining, WriteText

from lexbeam.pipelines.runners.runners import run_lines
from lexbeam.transforms.common.code import code_identity
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import worker_name
from lexbeam.transforms.common.store.artefacts import Step, Workspace, free_files
from lexbeam.transforms.common.store.ptransforms import (
    Collect,
    MakeArtefact,
    NameParts,
    SpreadOverLanes,
    WriteResult,
    stages_before,
    stages_in,
    stages_waited_for,
)
from lexbeam.transforms.common.store.receipts import ArtefactPath, File
from lexbeam.transforms.common.store.tables import Part, PartFile


@dataclass(frozen=True)
class Made:
    """A receipt of a number."""

    number: int


@dataclass(frozen=True)
class Single(Step[int, Made]):
    times: int = 10

    name = "toy/single"

    def make(self, artefact, task):
        return Made(task * self.times)


@dataclass(frozen=True)
class Together(Single):
    name = "toy/together"
    together = True


@dataclass(frozen=True)
class Counted:
    """A receipt that says how many tokens its artefact has."""

    tokens: int


@dataclass(frozen=True)
class Count(Step[int, Counted]):
    name = "toy/counted"

    def make(self, artefact, task):
        return Counted(task * 10)


def test_a_task_becomes_its_receipt_under_its_key(tmp_path):
    function = MakeArtefact(Workspace(str(tmp_path)), Single())
    assert list(function.process(("a", 3))) == [("a", Made(30))]


def test_tasks_of_a_stage_that_makes_them_together_are_a_list(tmp_path):
    function = MakeArtefact(Workspace(str(tmp_path)), Together())
    assert list(function.process(("a", [3, 1]))) == [("a", [Made(30), Made(10)])]


def test_what_is_made_is_counted_apart_from_what_was_there(tmp_path):
    for made, there in ((3, 0), (1, 3)):  # as many again, of which three are there
        pipeline = beam.Pipeline(runner="FnApiRunner")
        tasks = pipeline | beam.Create([("a", n) for n in range(made + there)], reshuffle=False)
        tasks | beam.ParDo(MakeArtefact(Workspace(str(tmp_path)), Count()))
        result = pipeline.run()
        result.wait_until_finish()
        (line,) = run_lines(result)
        assert (line.stage, line.worker) == ("toy/counted", worker_name())
        assert (line.elements, line.there) == (made, there)
        assert (line.tokens, line.documents) == (sum(range(there, there + made)) * 10, 0)
        assert 0 < line.seconds < 60
        assert line.memory > 10**6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"code": "other"}, "its code is other than the driver's: install the same Lexbeam on both"),
        (
            {"packages": (("numpy", "1.0"),)},
            r"numpy is 1\.0 here and [\w.]+ in the driver.*: install the same lock file",
        ),
    ],
)
def test_a_worker_with_other_code_or_packages_is_refused(change, message, tmp_path, monkeypatch):
    function = MakeArtefact(Workspace(str(tmp_path)), Single())
    code = Single.code()
    monkeypatch.setattr(Single, "code", lambda chosen=None: code._replace(**change))
    with pytest.raises(LexbeamError, match=rf"toy/single: this worker is not as the driver is.*{message}"):
        list(function.process(("a", 3)))
    monkeypatch.undo()
    assert list(function.process(("a", 3))) == [("a", Made(30))]


class Algebra(Single):
    name = "toy/algebra"
    blas = True


def test_kernels_of_blas_count_where_matrices_are_multiplied(tmp_path, monkeypatch):
    functions = [MakeArtefact(Workspace(str(tmp_path)), step) for step in (Single(), Algebra())]
    monkeypatch.setattr(code_identity, "blas_kernels", lambda: ("openblas 9 Elsewhere",))
    assert list(functions[0].process(("a", 3))) == [("a", Made(30))]
    with pytest.raises(LexbeamError, match=r"toy/algebra: .*BLAS computes by openblas 9 Elsewhere here"):
        list(functions[1].process(("a", 3)))


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


class Other(Single):
    name = "toy/other"


def test_steps_with_other_options_make_artefacts_of_their_own(tmp_path):
    space = Workspace(str(tmp_path))
    for step in (Single(1), Single(2), Other(1)):
        list(MakeArtefact(space, step).process(("a", 3)))
    assert len(list((tmp_path / "toy" / "single").glob("*.json"))) == 2
    assert len(list((tmp_path / "toy" / "other").glob("*.json"))) == 1


REGISTRY = "tests.toy:ENTRIES"


class Choosing(Single):
    name = "toy/choosing"

    def chosen(self, task):
        return {REGISTRY: (f"entry-{self.times}",)}


class ByTask(Single):
    name = "toy/by-task"


def test_a_pipeline_says_which_stages_it_uses_with_which_entries(tmp_path):
    space = Workspace(str(tmp_path))
    pipeline = beam.Pipeline(runner="FnApiRunner")
    tasks = pipeline | beam.Create([("a", 3)])
    assert stages_in(pipeline) == {}
    tasks | "1" >> beam.ParDo(MakeArtefact(space, Single()))
    tasks | "2" >> beam.ParDo(MakeArtefact(space, Choosing(1))) | "3" >> beam.ParDo(MakeArtefact(space, Choosing(2)))
    tasks | "4" >> beam.ParDo(MakeArtefact(space, ByTask(1), {REGISTRY: ["x", "y"]}))
    assert stages_in(pipeline) == {
        "toy/single": {},
        "toy/choosing": {REGISTRY: {"entry-1", "entry-2"}},
        "toy/by-task": {REGISTRY: {"x", "y"}},
    }


@dataclass(frozen=True)
class Words:
    """A resource, which knows whose code counts."""

    kinds: tuple[str, ...]

    def chosen(self) -> dict[str, tuple[str, ...]]:
        return {KINDS: self.kinds}


KINDS = "tests.toy:KINDS"


@pytest.mark.parametrize("options", [{"a": [Words(("x",))], "b": (1, Words(("y", "x")))}, Words(("x", "y"))])
def test_what_options_hold_says_itself_which_entries_count(options):
    @dataclass(frozen=True)
    class LookUp(Step[int, Made]):
        options: Any

        name = "toy/words"

        def chosen(self, task):
            return {REGISTRY: ("own",), KINDS: ("z",)}

    assert LookUp(options).entries(1) == {REGISTRY: {"own"}, KINDS: {"x", "y", "z"}}
    assert Single().entries(1) == {}


def test_a_receipt_is_handed_on_with_its_task(tmp_path):
    function = MakeArtefact(Workspace(str(tmp_path)), Single(), with_task=True)
    assert list(function.process(("a", 3))) == [("a", (3, Made(30)))]


def _file(content: str) -> File:
    return File(ArtefactPath(f"work/{content}"), len(content), hashlib.sha256(content.encode()).hexdigest())


@dataclass(frozen=True)
class Filed:
    """A receipt of a file, and of a part of a table."""

    name: str
    file: File
    part: PartFile | None = None


FILED = {2: Filed("c", _file("c")), 0: Filed("b", _file("b")), 1: Filed("a", _file("a"))}


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0)])
def test_receipts_are_collected_in_one_order(order):
    by_digest = sorted(FILED.values(), key=lambda one: one.file.sha256)
    given = [(key, FILED[key]) for key in order]
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        made = pipeline | beam.Create(given)
        assert_that(made | "1" >> Collect(), equal_to([(0, tuple(by_digest))]), "1")
        assert_that(made | "2" >> Collect("file"), equal_to([(0, tuple(one.file for one in by_digest))]), "2")
        assert_that(made | "3" >> Collect("name", keyed=True), equal_to([(0, ((0, "b"), (1, "a"), (2, "c")))]), "3")
        nothing = pipeline | "Nothing" >> beam.Create([])
        assert_that(nothing | "4" >> Collect(), equal_to([]), "4")


def test_parts_are_numbered_by_key_or_by_the_place_of_the_key():
    part = PartFile(_file("part"), 7)
    receipt = Filed("x", part.file, part)
    expected = [Part.of("toy/table", 1, part)]
    assert list(NameParts("toy/table").process((1, part))) == expected
    assert list(NameParts("toy/table", "part").process((1, receipt))) == expected
    assert list(NameParts("toy/table", "part", ["a", "b"]).process(("b", receipt))) == expected


MODULES = (
    "lexbeam.transforms.common.store.ptransforms",
    "lexbeam.transforms.common.store.merging_ptransforms",
    "lexbeam.transforms.formats.ingest.ptransforms",
    "lexbeam.transforms.change.graph.ptransforms",
    "lexbeam.transforms.change.graph.space_ptransforms",
)


@pytest.mark.parametrize("module", MODULES)
def test_public_transforms_declare_what_they_take_and_give(module):
    found = importlib.import_module(module)
    transforms = [
        value
        for name, value in vars(found).items()
        if isinstance(value, type) and issubclass(value, beam.PTransform)
        if value.__module__ == module and not name.startswith("_")
    ]
    assert transforms
    for transform in transforms:
        hints = typing.get_type_hints(transform.expand)
        taken = [hint for name, hint in hints.items() if name != "return"]
        assert len(taken) == 1, transform
        for hint in {*taken, hints["return"]} - {Any}:  # Beam has no hints for several collections
            assert typing.get_origin(hint) is beam.PCollection, transform


def _middle(element):
    name, leaf = element
    return name, Joining(f"m{name}", (leaf,))


def _top(element, last):
    _, middles = element
    return 0, Joining(f"top{last}", middles[:2], middles[2:])


def texts(workspace, last):
    """Make three leaves, a middle of each, and a top of these, which reads two; whether all could be made."""
    with beam.Pipeline("FnApiRunner") as pipeline:
        _ = (
            pipeline
            | beam.Create([(name, Joining(name)) for name in "abc"])
            | "Leaf" >> beam.ParDo(MakeArtefact(workspace, WriteText("leaf")))
            | beam.Map(_middle)
            | "Middle" >> beam.ParDo(MakeArtefact(workspace, WriteText("middle")))
            | Collect(keyed=True)
            | beam.Map(lambda element: (0, tuple(made for _, made in element[1])))
            | beam.Map(_top, last)
            | "Top" >> beam.ParDo(MakeArtefact(workspace, WriteText("top")))
        )


@pytest.mark.parametrize("seed", range(6))
def test_what_is_needed_and_freed_is_made_again_with_what_it_comes_from_and_nothing_else(tmp_path, seed):
    """Whatever is freed beside it; what is only named is made again with the others that its task names."""
    work, wanted = tmp_path / "work", tmp_path / "wanted"
    workspace = Workspace(str(work), wanted=str(wanted))
    texts(workspace, "1")
    whole = {path.name: path.read_bytes() for path in work.rglob("*.txt")}
    freed = {name for name in ("a", "b", "c", "ma", "mb", "mc") if random.Random(f"{seed} {name}").random() < 0.6}
    for path in work.rglob("*.txt"):
        if path.read_text()[: 2 if "middle" in str(path) else 1] in freed and "top" not in str(path):
            free_files([File(ArtefactPath(str(path)), 0, "")])
    BUILT.clear()
    texts(workspace, "1")
    assert not BUILT, "all is there that anything is to be made of"
    runs = 0
    while True:
        texts(workspace, "2")
        runs += 1
        if not wanted.exists():
            break
        wanted.unlink()
    middles = freed & {"ma", "mb", "mc"} if freed & {"ma", "mb"} else set()
    leaves = {name for name in freed & {*"abc"} if f"m{name}" in middles}
    assert {*BUILT} == {"top2", *middles, *leaves}
    assert runs == 1 + bool(middles) + bool(leaves)
    made = {path.name: path.read_bytes() for path in work.rglob("*.txt")}
    assert made.items() >= {name: content for name, content in whole.items() if name in made}.items()


def test_a_freed_file_that_is_needed_where_nothing_says_so_is_an_error(tmp_path):
    workspace = Workspace(str(tmp_path))
    texts(workspace, "1")
    for path in tmp_path.rglob("middle/*.txt"):
        free_files([File(ArtefactPath(str(path)), 0, "")])
    with pytest.raises(Exception, match="was freed, and is needed"):
        texts(workspace, "2")


def test_a_stage_waits_for_what_comes_together_before_it_and_for_nothing_else(tmp_path):
    workspace, pipeline = Workspace(str(tmp_path)), beam.Pipeline()

    def made(level, of, label=""):
        return of | f"{level}{label}" >> beam.ParDo(MakeArtefact(workspace, WriteText(level)))

    start = pipeline | beam.Create([(0, Joining("a"))])
    leaf = made("leaf", start)
    passed = made("passed", leaf)  # each of them as soon as its leaf is there
    top = made("top", passed | "Together" >> beam.GroupByKey())
    beside = made("beside", start | beam.Map(lambda element, _: element, beam.pvalue.AsList(top)))
    _ = made("either", (leaf, beside) | beam.Flatten())
    _ = made("top", start, " of the start")  # a second place: the stage has finished once both have
    _ = made("last", beside | "Again" >> beam.GroupByKey())
    before, waited_for = stages_before(pipeline), stages_waited_for(pipeline)
    assert waited_for == {
        "toy/leaf": set(),
        "toy/passed": set(),
        "toy/top": {"toy/leaf", "toy/passed"},
        "toy/beside": {"toy/leaf", "toy/passed"},  # and for one of two places of top
        "toy/either": set(),
        "toy/last": {"toy/leaf", "toy/passed", "toy/beside"},
    }
    assert before["toy/either"] == {"toy/leaf", "toy/passed", "toy/top", "toy/beside"}
    assert before["toy/passed"] == {"toy/leaf"}
