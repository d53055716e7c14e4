"""Features of instances that have not changed are those of the part that was made before."""

import random
from dataclasses import replace

import pyarrow as pa
from featured import instance, instances, setting_with
from inherited import check_inherited

from lexbeam.schemas.complexity import INSTANCES
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.complexity.features import groups
from lexbeam.transforms.complexity.features.groups import ComputeFeatures, FeatureTask

TOKENS = ("sea", "gene expression", "yard", "umi", "shipyard")


def rows_of(numbers, changed=()):
    """Return an instance for each number; those that are changed are annotated."""
    rows = []
    for number in numbers:
        token = f"{TOKENS[number % 5]}{number}"
        row = instance(token, f"The ships sail over the {token}.", genre=("bible", "biomed", None)[number % 3])
        if number in changed:
            row |= {"lemmas": row["forms"], "upos": ["NOUN"] * len(row["forms"])}
        rows.append(row)
    return rows


def task_of(folder, rows, layer=False):
    """Return the task of a part, with a layer or without."""
    folder.mkdir()
    table = instances(*rows).sort_by("instance_id")
    if layer:
        heads = [[0] * len(forms) for forms in table["forms"].to_pylist()]
        table = table.append_column("heads", pa.array(heads, pa.list_(pa.int32())))
    made = write_part(Artefact(str(folder / "part")), table.schema, [table], sort_keys=INSTANCES.key)
    return FeatureTask(Part.of(INSTANCES.name, 0, made))


def test_a_part_that_follows_another_is_as_one_that_does_not(tmp_path):
    use = ("form", "frequency", "norms", "context", "mwe", "syntax")
    setting = setting_with(tmp_path, use=use, lists={"age": {"sea": 4.0}})
    drawn = random.Random(3)
    tasks, numbers = [], set(range(30))
    for step in range(5):
        changed = {number for number in numbers if drawn.random() < 0.2}
        tasks.append(task_of(tmp_path / str(step), rows_of(numbers, changed), layer=step == 2))
        numbers = {number for number in numbers if drawn.random() < 0.9} | {40 + step} if step < 3 else set()
    check_inherited(ComputeFeatures(setting), tasks, tmp_path)


def test_features_are_computed_of_what_is_new(tmp_path, monkeypatch):
    setting = setting_with(tmp_path, use=("form",))
    asked = []
    plain = groups.GROUPS["form"]

    def of_words(words, setting):
        asked.append(len(words.forms))
        return plain.of_words(words, setting)

    monkeypatch.setitem(groups.GROUPS, "form", replace(plain, of_words=of_words))
    work = Workspace(str(tmp_path / "work"))
    for name, rows in (("a", rows_of(range(200))), ("b", rows_of(range(201), {7}))):
        assert make(work, ComputeFeatures(setting), task_of(tmp_path / name, rows)).part.rows == len(rows)
    assert asked[0] > 100
    assert asked[-1] < 20
