"""Candidates of instances that have not changed are those of the part that was made before."""

import random
from dataclasses import replace

from generated import files_of, write_world
from inherited import check_inherited
from instances_made import numbered, substitutes, written

from lexbeam.schemas.simplification import INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.simplification.generation import generators as generating
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, GenerationTask
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import generation_inputs


def task_of(folder, rows, gold):
    """Return the task of a part: instances, and substitutes in two parts."""
    halves = [written(folder, SUBSTITUTES, gold[half::2], half) for half in (0, 1)]
    return GenerationTask(written(folder, INSTANCES, rows), tuple(halves))


def gold_of(rows, drawn):
    return [of for row in rows if drawn.random() < 0.7 for of in substitutes(row, can=drawn.randint(1, 2), chucho=1)]


def test_a_part_that_follows_another_is_as_one_that_does_not(tmp_path):
    write_world(tmp_path)
    settings = {
        "a": GenerationOptions(least_share=0.5),
        "b": GenerationOptions(generators=("thesaurus", "gold"), k=2, names="replace"),
        "c": GenerationOptions(generators=("gold",), evidence=("thesaurus",)),
    }
    files = files_of(
        tmp_path,
        protect=str(tmp_path / "protected.txt"),
        wordlist=(f"frequency={tmp_path / 'freq.tsv'}:word=word,value=value",),
    )
    inputs = generation_inputs(settings, files)
    for seed in range(3):
        drawn = random.Random(seed)
        tasks, numbers = [], set(range(20))
        for step in range(4):
            rows = numbered(numbers, {number for number in numbers if drawn.random() < 0.1})
            tasks.append(task_of(tmp_path / f"{seed}-{step}", rows, gold_of(rows, drawn)))
            numbers = {number for number in numbers if drawn.random() < 0.9} | {20 + step} if step < 2 else set()
        check_inherited(GenerateCandidates(inputs), tasks, tmp_path / str(seed))


def test_generators_are_asked_for_what_is_new(tmp_path, monkeypatch):
    write_world(tmp_path)
    inputs = generation_inputs({"x": GenerationOptions()}, files_of(tmp_path))
    asked = []
    plain = generating.GENERATORS["thesaurus"]

    def propose(instances, context):
        asked.append(len(instances))
        return plain.propose(instances, context)

    monkeypatch.setitem(generating.GENERATORS, "thesaurus", replace(plain, propose=propose))
    work = Workspace(str(tmp_path / "work"))
    for name, rows in (("a", numbered(range(600))), ("b", numbered(range(606), {7}))):
        made = make(work, GenerateCandidates(inputs), task_of(tmp_path / name, rows, []))
        assert made.instances == len(rows)
    assert asked == [256, 256, 88, 7]
