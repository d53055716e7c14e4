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
from lexbeam.transforms.cloze.filters import cloze_filters as filters
from lexbeam.transforms.cloze.filters.candidates import JudgeWords
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Workspace, files_of, make, name_of
from lexbeam.transforms.common.store.identity import canonical
from lexbeam.transforms.lexicon.resource_cache import CarryResource, CompileResource

pytestmark = pytest.mark.slow

MOST = 2  # items of a sequence that are changed one by one, where not all of them are


def stages() -> set[str]:
    """Return the names of all steps of all commands, and of those that commands share."""
    own = [stage for name in registry.COMMANDS for stage in registry.load(name).stages]
    return {stage.name for stage in (*own, CompileResource, CarryResource)}


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
            found.setdefault(case.step.name, []).append(case)
        return found

    return of


class Perturbed(NamedTuple):
    """A case with something changed."""

    change: Change
    task: Any
    step: Any


def perturbed(case: Case, most: int | None) -> Iterator[Perturbed]:
    for change in changes(case.task, "task", most):
        yield Perturbed(change, change.value, case.step)
    for change in changes(case.step, "options", most):
        yield Perturbed(change, case.task, change.value)


def named(step: Any, task: Any) -> str | None:
    """Return the name of an artefact; None: what was changed is nothing that a name could be of."""
    try:
        return name_of(step, task)
    except Exception:  # of whatever kind: what is not there has no attributes, no first item ...
        return None


def bytes_of(step: Step, task: Any, folder: Path) -> Any:
    """Return what is made of a task: its receipt, but for paths, and the digests of all files."""
    folder.mkdir(parents=True)
    artefact = Artefact(str(folder / "made"))
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


def changed_at(case: Case, paths: Sequence[str], most: int | None) -> Case | None:
    """Return a case with the first change at each path that keeps the name; None: one has no place beside others."""
    name = name_of(case.step, case.task)
    for path in paths:
        found = (one for one in perturbed(case, most) if one.change.path == path and not one.change.by_type)
        if (one := next((one for one in found if named(one.step, one.task) == name), None)) is None:
            return None
        case = Case(one.task, one.step)
    return case


def makes_the_same(wanted: Any, case: Case | None, folder: Path) -> bool:
    """Return whether a case makes the bytes that are wanted, and not whether it can be made."""
    try:
        return case is not None and bytes_of(case.step, case.task, folder) == wanted
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
    name = name_of(case.step, case.task)
    same: dict[str, list[Perturbed]] = {}
    for one in perturbed(case, most):
        if not one.change.by_type and named(one.step, one.task) == name:
            assert one.change.of, f"{case.step.name}: {one.change.path} changes no name"
            same.setdefault(one.change.path, []).append(one)
    place = copied(folder / "copies")
    step, task = moved(case.step, place), moved(case.task, place)
    assert name_of(step, task) == name
    wanted = bytes_of(case.step, case.task, folder / "first")
    assert bytes_of(step, task, folder / "moved") == wanted
    for depth, paths in enumerate([[path] for path in same] if each else levels(same)):
        if len(paths) > 1:
            together = changed_at(case, paths, most)
            if makes_the_same(wanted, together, folder / f"level {depth}"):
                continue
        for path in paths:
            for number, one in enumerate(same[path] if each else same[path][:1]):
                made = bytes_of(one.step, one.task, folder / path / str(number))
                assert made == wanted, f"{case.step.name}: {path} names no artefact, and changes what is made"


@pytest.mark.parametrize("run", RUNS)
def test_what_is_changed_changes_the_name_or_nothing(cases, run, tmp_path):
    for name, some in cases(run).items():
        check(some[-1], tmp_path / name, most=MOST, each=False)


@pytest.mark.parametrize("run", RUNS)
def test_where_a_run_lies_is_in_no_name(cases, run, tmp_path_factory):
    here = str(tmp_path_factory.getbasetemp().parent).encode()
    for some in cases(run).values():
        for case in some:
            for name, value in (("task", case.task), ("options", case.step)):
                assert here not in canonical(value, name), f"{case.step.name}: {name}"


@pytest.mark.soak
@pytest.mark.parametrize("run", RUNS)
def test_whatever_is_changed_changes_the_name_or_nothing(cases, run, tmp_path):
    for name, some in cases(run).items():
        for number, case in enumerate(some):
            check(case, tmp_path / name / str(number), most=None, each=True)


def test_every_stage_has_a_case(cases):
    """A stage without one is not checked above: let a run in `identity_runs.py` come to it."""
    found = {name for run in RUNS for name in cases(run)}
    assert stages() - found == set()


def test_a_field_that_a_filter_begins_to_read_names_the_artefact(cases, tmp_path, monkeypatch):
    case = cases("cloze")[JudgeWords.name][0]
    setting = case.step.setting
    wider = NamedTuple("Setting", [*((name, Any) for name in setting._fields), ("spares", str)])  # type: ignore[misc]
    lemma = filters.FILTERS["lemma"]

    def reads(batch, asked, given):
        verdicts = lemma.evaluate(batch, asked, given)
        return verdicts._replace(passed=verdicts.passed * 0) if given.spares == "none" else verdicts

    monkeypatch.setitem(filters.FILTERS, "lemma", replace(lemma, evaluate=reads))
    space = Workspace(str(tmp_path))
    made = {
        spares: make(space, replace(case.step, setting=wider(*setting, spares)), case.task).part.file
        for spares in ("all", "none")
    }
    assert made["all"].path != made["none"].path
    assert made["all"].sha256 != made["none"].sha256
