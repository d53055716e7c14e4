"""Whatever is changed in a stage's task or options, the artefact has another name, or the same bytes."""

import functools
import os
import pickle
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from identity_runs import RUNS, Case, cases_of
from perturbing import Change, changes, copied, moved

import lexbeam.pipelines.frame.registry as registry
from lexbeam.transforms.cloze.filters import filters_of_kinds as filters
from lexbeam.transforms.cloze.filters.candidates import JudgeWords
from lexbeam.transforms.common.publish.written import WriteTables
from lexbeam.transforms.common.store.artefacts import (
    Artefact,
    Stage,
    Step,
    Unless,
    Workspace,
    as_step,
    files_of,
    make,
    name_of,
)
from lexbeam.transforms.common.store.identity import canonical
from lexbeam.transforms.lexicon.resource_cache import CarryResource, CompileResource

pytestmark = pytest.mark.slow

MOST = 2  # items of a sequence that are changed one by one, where not all of them are


@functools.cache
def stages() -> dict[str, Stage]:
    """Return all stages of all commands by name, and those that commands share."""
    own = [stage for name in registry.COMMANDS for stage in registry.load(name).stages]
    return {stage.name: stage for stage in (*own, CompileResource, CarryResource)}


def stage_of(case: Case) -> Stage:
    section, _, kind = case.stage.partition("/")
    return WriteTables(section) if kind == "tables" else stages()[case.stage]


@pytest.fixture(scope="session")
def cases(made_once):
    """A function that returns the cases of a run, by stage; the run is made once."""

    @functools.cache
    def of(run: str) -> dict[str, list[Case]]:
        def made(folder: Path) -> Path:
            os.environ["LEXBEAM_CACHE"] = str(folder / "lexbeam-cache")
            try:
                (folder / "cases").write_bytes(pickle.dumps(cases_of(run, folder)))
            finally:
                del os.environ["LEXBEAM_CACHE"]
            return folder / "cases"

        found: dict[str, list[Case]] = {}
        for case in pickle.loads(made_once(f"identity-{run}", made).read_bytes()):
            found.setdefault(case.stage, []).append(case)
        return found

    return of


class Perturbed(NamedTuple):
    """A case with something changed."""

    change: Change
    task: Any
    options: Any


def perturbed(case: Case, most: int | None) -> Iterator[Perturbed]:
    for change in changes(case.task, "task", most):
        yield Perturbed(change, change.value, case.options)
    for change in changes(case.options, "options", most):
        yield Perturbed(change, case.task, change.value)


def step_of(stage: Any, options: Any) -> Step:
    return options if isinstance(options, Step) else as_step(stage, options)


def is_declared(stage: Any, one: Perturbed) -> bool:
    """Return whether the stage says that it does not use what was changed."""
    if isinstance(one.options, Step):
        return False
    if one.change.turned and one.change.path in stage.unordered:
        return True
    for path, why in stage.unused.items():
        if one.change.path == path or one.change.path.startswith((f"{path}.", f"{path}[")):
            return not (isinstance(why, Unless) and why.used(one.task, one.options))
    return False


def named(stage: Stage, task: Any, options: Any) -> str | None:
    """Return the name of an artefact; None: what was changed is nothing that a name could be of."""
    try:
        return name_of(step_of(stage, options), task)
    except Exception:  # of whatever kind: what is not there has no attributes, no first item ...
        return None


def bytes_of(stage: Stage, task: Any, options: Any, folder: Path) -> Any:
    """Return what is made of a task: its receipt, but for paths, and the digests of all files."""
    folder.mkdir(parents=True)
    artefact = Artefact(str(folder / "made"))
    step = step_of(stage, options)
    receipt = step.make_together([artefact], [task])[0] if step.together else step.make(artefact, task)
    return canonical(receipt), [(file.path.removeprefix(artefact.stem), file.sha256) for file in files_of(receipt)]


def lies_within(path: str, other: str) -> bool:
    return path.startswith((f"{other}.", f"{other}["))


def levels(paths: Collection[str]) -> list[list[str]]:
    """Deal out paths so that none lies within another one of its level."""
    found: dict[int, list[str]] = {}
    for path in paths:
        found.setdefault(sum(lies_within(path, other) for other in paths), []).append(path)
    return [found[depth] for depth in sorted(found)]


def changed_at(stage: Stage, case: Case, paths: Sequence[str], most: int | None) -> Case | None:
    """Return a case with the first change at each path that keeps the name; None: one has no place beside others."""
    name = name_of(step_of(stage, case.options), case.task)
    for path in paths:
        found = (one for one in perturbed(case, most) if one.change.path == path and not one.change.by_type)
        if (one := next((one for one in found if named(stage, one.task, one.options) == name), None)) is None:
            return None
        case = case._replace(task=one.task, options=one.options)
    return case


def makes_the_same(wanted: Any, stage: Stage, case: Case | None, folder: Path) -> bool:
    """Return whether a case makes the bytes that are wanted, and not whether it can be made."""
    try:
        return case is not None and bytes_of(stage, case.task, case.options, folder) == wanted
    except Exception:  # of whatever kind: what is changed by itself is made next
        return False


def check(case: Case, folder: Path, *, most: int | None, each: bool) -> None:
    """Check a case: all names, and the bytes of what keeps its name.

    Args:
        case: the case.
        folder: empty.
        most: items of a sequence that are changed one by one; None: all.
        each: whether the artefact is made anew for each change. If not, it is for the first one at each path, where
            paths that do not lie within each other are changed at once, and one by one only if that makes other bytes.
    """
    stage = stage_of(case)
    name = name_of(step_of(stage, case.options), case.task)
    same: dict[str, list[Perturbed]] = {}
    for one in perturbed(case, most):
        if not one.change.by_type and named(stage, one.task, one.options) == name:
            assert one.change.of or is_declared(stage, one), f"{stage.name}: {one.change.path} changes no name"
            same.setdefault(one.change.path, []).append(one)
    place = copied(folder / "copies")
    elsewhere = [moved(value, place) for value in (case.task, case.options)]
    assert name_of(step_of(stage, elsewhere[1]), elsewhere[0]) == name
    wanted = bytes_of(stage, case.task, case.options, folder / "first")
    assert bytes_of(stage, *elsewhere, folder / "moved") == wanted
    for depth, paths in enumerate([[path] for path in same] if each else levels(same)):
        if len(paths) > 1:
            together = changed_at(stage, case, paths, most)
            if makes_the_same(wanted, stage, together, folder / f"level {depth}"):
                continue
        for path in paths:
            for number, one in enumerate(same[path] if each else same[path][:1]):
                made = bytes_of(stage, one.task, one.options, folder / path / str(number))
                assert made == wanted, f"{stage.name}: {path} names no artefact, and changes what is made"


@pytest.mark.parametrize("run", RUNS)
def test_what_is_changed_changes_the_name_or_nothing(cases, run, tmp_path):
    for name, some in cases(run).items():
        check(some[-1], tmp_path / name, most=MOST, each=False)


@pytest.mark.parametrize("run", RUNS)
def test_where_a_run_lies_is_in_no_name(cases, run, tmp_path_factory):
    here = str(tmp_path_factory.getbasetemp().parent).encode()
    for some in cases(run).values():
        for case in some:
            stage = stage_of(case)
            declared = {} if isinstance(case.options, Step) else stage.unused
            unused = [path for path, why in declared.items() if not isinstance(why, Unless)]
            for name, value in (("task", case.task), ("options", case.options)):
                assert here not in canonical(value, name, unused=unused), f"{stage.name}: {name}"


@pytest.mark.soak
@pytest.mark.parametrize("run", RUNS)
def test_whatever_is_changed_changes_the_name_or_nothing(cases, run, tmp_path):
    for name, some in cases(run).items():
        for number, case in enumerate(some):
            check(case, tmp_path / name / str(number), most=None, each=True)


def test_every_stage_has_a_case(cases):
    """A stage without one is not checked above: let a run in `identity_runs.py` come to it."""
    found = {name for run in RUNS for name in cases(run)}
    assert stages().keys() - found == set()


def test_what_is_declared_unused_is_there(cases):
    """Of every path that stages declare some case has the field, or a mistake would go unnoticed."""
    seen: dict[str, set[str]] = {}
    for run in RUNS:
        for name, some in cases(run).items():
            paths = {one.change.path for case in some for one in perturbed(case, MOST)}
            seen.setdefault(name, set()).update(paths)
    for name, stage in stages().items():
        for path in () if not isinstance(stage, Stage) else (*stage.unused, *stage.unordered):
            assert any(one == path or one.startswith(f"{path}.") for one in seen[name]), f"{name}: {path}"


def test_a_field_that_a_filter_begins_to_read_names_the_artefact(cases, tmp_path, monkeypatch):
    case = cases("cloze")[JudgeWords.name][0]
    setting = case.options.setting
    wider = NamedTuple("Setting", [*((name, Any) for name in setting._fields), ("spares", str)])  # type: ignore[misc]
    lemma = filters.FILTERS["lemma"]

    def reads(batch, asked, given):
        verdicts = lemma.evaluate(batch, asked, given)
        return verdicts._replace(passed=verdicts.passed * 0) if given.spares == "none" else verdicts

    monkeypatch.setitem(filters.FILTERS, "lemma", replace(lemma, evaluate=reads))
    space = Workspace(str(tmp_path))
    made = {
        spares: make(space, replace(case.options, setting=wider(*setting, spares)), case.task).part.file
        for spares in ("all", "none")
    }
    assert made["all"].path != made["none"].path
    assert made["all"].sha256 != made["none"].sha256
