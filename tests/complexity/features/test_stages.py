"""The step that makes a part of the features and its coverage."""

import sys

import pyarrow as pa
import pytest
from featured import instance, instances, setting_with

from lexbeam.schemas.complexity import INSTANCES
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, read_table, write_part
from lexbeam.transforms.complexity.features import groups as featuring
from lexbeam.transforms.complexity.features.groups import ComputeFeatures, FeatureOptions, FeatureTask, check_features

ROWS = [
    instance(token, f"The ship sails over the {token}.", genre=genre)
    for token in ("sea", "gene expression", "yard", "umi", "shipyard")
    for genre in ("bible", "biomed", None)
]


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), lists={"age": {"sea": 4.0}})


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("instances") / "part"
    rows = instances(*ROWS).sort_by("instance_id")
    made = write_part(Artefact(str(path)), INSTANCES.schema(), [rows], sort_keys=INSTANCES.key)
    return FeatureTask(Part.of(INSTANCES.name, 0, made))


def test_a_part_of_several_batches(task, setting, tmp_path, monkeypatch):
    whole = make(Workspace(str(tmp_path / "whole")), ComputeFeatures(setting), task)
    monkeypatch.setattr(featuring, "_BATCH", 4)
    batches = make(Workspace(str(tmp_path / "batches")), ComputeFeatures(setting), task)
    assert batches.part.rows == len(ROWS)
    for of in (lambda made: made.part.file, lambda made: made.coverage):
        assert read_table([of(batches).path]).equals(read_table([of(whole).path]))
    covered = read_table([batches.coverage.path]).to_pylist()
    known = {
        (row["genre"], row["known"], row["instances"])
        for row in covered
        if row["feature"] == "age" and row["kind"] == "single"
    }
    assert known == {("bible", 1, 4), ("biomed", 1, 4), (None, 1, 4)}
    assert {row["reason"] for row in covered} == {None}


def test_coverage_says_which_layer_is_lacking(task, tmp_path):
    setting = setting_with(tmp_path, use=("syntax", "context"))
    parsed = read_table([task.part.path])
    parsed = parsed.append_column("heads", pa.array([[0] * len(forms) for forms in parsed["forms"].to_pylist()]))
    made = write_part(Artefact(str(tmp_path / "part")), parsed.schema, [parsed], sort_keys=INSTANCES.key)
    reasons = {}
    for name, of in (("bare", task), ("parsed", FeatureTask(Part.of(INSTANCES.name, 0, made)))):
        covered = make(Workspace(str(tmp_path / name)), ComputeFeatures(setting), of).coverage
        reasons[name] = {row["feature"]: row["reason"] for row in read_table([covered.path]).to_pylist()}
    assert reasons["bare"]["target_depth"] == reasons["bare"]["target_dependents"] == "no_heads"
    assert reasons["bare"]["target_subject"] == reasons["parsed"]["target_subject"] == "no_deprels"
    assert reasons["bare"]["target_entity"] == "no_entities"
    assert reasons["parsed"]["target_depth"] is reasons["bare"]["sentence_nouns"] is None


@pytest.mark.parametrize(
    ("package", "options"),
    [
        ("pyphen", {}),
        ("pyphen", {"use": ("form",)}),
        ("wordfreq", {"use": ("context",)}),
        ("torch", {"encoder": "models/bert"}),
    ],
)
def test_a_missing_package_is_named_before_anything_is_compiled(package, options, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=f"needs? the Python package {package}: "):
        check_features(FeatureOptions(**options))
