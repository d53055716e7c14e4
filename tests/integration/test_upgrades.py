"""Folders that earlier releases made, as whoever upgrades has them: read, told of, refreshed, rolled back.

They have been moved, too: an archive of each kind of task, see `tests/releases/`.
"""

import json
import os
import re

import pyarrow.parquet as pq
import pytest
from refreshed import KINDS, errors, rebuilt, refresh, told
from release_folders import RELEASES, kinds_of, unpacked
from small_runs import call, published

import lexbeam
from lexbeam.pipelines.frame.registry import command_of
from lexbeam.pipelines.frame.staleness import section_logs
from lexbeam.transforms.common.code.fingerprints import blas_kernels
from lexbeam.transforms.common.code.version import VERSION, own_build
from lexbeam.transforms.common.options.fields import option_changes
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.receipts import read_envelope

SAMPLE = ("change", "load")
FOLDERS = [
    pytest.param(release, kind, marks=() if kind in SAMPLE else pytest.mark.soak)
    for release in RELEASES
    if release != VERSION
    for kind in kinds_of(release)
]


def test_each_kind_of_task_is_there():
    assert FOLDERS
    assert {kind for release in RELEASES for kind in kinds_of(release)} == set(KINDS)


@pytest.mark.parametrize(("release", "kind"), FOLDERS)
def test_a_folder_of_an_earlier_release_is_read_refreshed_and_rolled_back(release, kind, tmp_path, capsys):
    world = unpacked(release, kind, tmp_path)
    out, before = world / "out", snapshot_name(str(world / "out"))
    made, receipts = published(out), _builds(out)
    _check_read(out, release)
    whole = f"made by {release}, this is {own_build()}: "
    _check_status(out, whole, capsys)
    plan = _sections(told(capsys, "refresh", world / "config.yaml", "--out", out, "--dry-run"))
    assert plan.keys() == open_snapshot(str(out)).sections.keys()
    for section, reasons in plan.items():
        for reason in re.split("; (?=follows )", reasons):
            assert reason == "stays as it is" or reason.startswith((whole, "follows ")), (section, reason)
    assert published(out) == made
    assert refresh(world) == 0
    assert errors(capsys) == ""
    after = snapshot_name(str(out))
    assert (after != before) == any(reasons != "stays as it is" for reasons in plan.values())
    kernels = {tuple(each["blas"]) for each in open_snapshot(str(out)).manifest["environments"].values()}
    if after != before or kernels == {blas_kernels()}:  # else what stays was made by other kernels
        _check_equal(out, rebuilt(world), world / "full")
    assert all(_builds(out)[name] == build for name, build in receipts.items() if name in _builds(out))
    assert {*_builds(out).values()} - {""} <= {str(own_build())}
    assert not re.search(r"\boption ", told(capsys, "history", out, "--last", "1"))
    # Back to what the release published, and on again.
    earlier = read_history(str(out)).publications[0].snapshot
    if after != before:
        assert call("rollback", out, before) == 0
        assert published(out) == made
    else:
        assert call("rollback", out, earlier) == 0
    _check_read(out, release)
    assert refresh(world) == 0
    assert snapshot_name(str(out)) == after


def _builds(out):
    """Return which Lexbeam made each artefact, by the path of its receipt; empty for those of 0.1.0."""
    return {str(path): read_envelope(str(path)).lexbeam for path in out.glob("_artefacts/*/*/*.json")}


def _check_read(out, release):
    """Check that all that the release published is read, as Python reads it, and who made it."""
    results, snapshot = lexbeam.open(out), open_snapshot(str(out))
    for table, entry in snapshot.tables.items():
        rows = results.table(table)
        assert rows.num_rows == entry["rows"] == sum(pq.read_metadata(path).num_rows for path in snapshot.paths(table))
    assert {snapshot.made_by(section).version for section in snapshot.sections} == {release}
    assert snapshot.damaged() == []


def _check_status(out, whole, capsys):
    """Check that status tells of code that is another as an upgrade, and of no option."""
    sections = json.loads(told(capsys, "status", out, "--json"))["published"]["sections"]
    (place,) = {os.path.dirname(noted["config"]) for noted in section_logs(open_snapshot(str(out))).values()}
    for section, entry in sections.items():
        assert f"{entry['made_by']['version']}, " in whole
        reasons = [reason for reason in entry["stale"] if place not in reason]  # else the folder has been moved
        assert len(reasons) >= bool(entry["stages_of_other_code"])
        assert all(reason.startswith(whole) for reason in reasons), (section, reasons)


def _sections(text):
    """Return what a plan says of each section."""
    lines = [line.partition(": ") for line in text.splitlines() if re.match(r"[a-z.]+: ", line)]
    return {name: reasons for name, _, reasons in lines if command_of(name) is not None}


def _check_equal(out, full, elsewhere):
    """Check that what is published is what a run of everything publishes, but for what made sections that stay."""
    mine = published(out)
    assert mine.keys() == full.keys()
    assert {name for name in mine if mine[name] != full[name]} <= {"manifest.json"}
    sections, others = (open_snapshot(str(folder)).sections for folder in (out, elsewhere))
    assert sections.keys() == others.keys()
    for name, section in sections.items():
        options = option_changes(command_of(name).options, section.pop("options"))
        assert options.other == {}
        assert {*others[name].pop("options")} >= {*options.new}
        for entry in (section, others[name]):
            entry.pop("environment")
        assert section == others[name], name
