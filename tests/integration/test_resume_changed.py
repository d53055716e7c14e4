"""Runs that are cut off, changed and taken up publish what a fresh run of the change publishes.

Every option, every edit and the code of every stage are gone through by the module `changed_runs`
as a script; here are some of each, and that all options are thought of.
"""

import contextlib

import pytest
from changed_runs import BASE, CODE, Case, Grid, changes

from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.common.options.fields import options_of

# Of corpus and of change, after all stages.
SOME = [
    Case("corpus", "genre", {"genre": "letter"}),
    Case("corpus", "an edit", {}, "same size and time"),
    Case("change", "dim", {"dim": "5"}),
]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return Grid(tmp_path_factory.mktemp("grid"))


def test_every_option_of_the_two_commands_is_changed_or_left_out_by_name():
    found = {(case.command, name) for case in changes() for name in case.options}
    for command in BASE:
        for name in options_of(load(command).options):
            assert (command, name) in found or _left_out(name), name


def _left_out(name):
    from changed_runs import VALUES

    return name in VALUES and VALUES[name] is None


@pytest.mark.parametrize("case", SOME, ids=lambda case: f"{case.command} {case.name}")
def test_a_changed_command_takes_up_nothing_of_another(case, grid):
    stages = grid.stages[case.command]
    found = grid.compare(case, [stages[-1]])
    assert found.code == 0
    assert found.wrong == []


@pytest.mark.soak  # in the suite test_adding_a_layer.py runs a command anew after an edit of its code
def test_changed_code_takes_up_nothing_of_other_code(grid):
    edit = next(entry for entry in CODE if entry[0].endswith("annotation/annotated_tables.py"))
    with contextlib.closing(grid.compare_code(*edit)) as compared:
        found = next(compared)  # of the command that annotates
    assert (found.code, found.wrong) == (0, [])
