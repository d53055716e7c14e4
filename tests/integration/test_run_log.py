"""What a run says its stages took, against what lies in its folder."""

from lexbeam.transforms.common.publish.run_log import DRIVER, read_run_log
from lexbeam.transforms.common.publish.snapshots import open_snapshot


def test_every_artefact_of_a_run_is_in_its_log(sample_run):
    lines = read_run_log(str(sample_run))
    sections = open_snapshot(str(sample_run)).sections
    made = {}
    for line in lines:
        if line.worker != DRIVER:
            made[line.stage] = made.get(line.stage, 0) + line.elements
    stages = [stage for section in sections.values() for stage in section["stages"]]
    there = {stage: len(list((sample_run / "_artefacts" / stage).glob("*.json"))) for stage in stages}
    assert made == {stage: number for stage, number in there.items() if number}
    assert {line.stage for line in lines if line.worker == DRIVER} == set(sections)
    annotated = [line for line in lines if line.stage == "corpus/annotate"]
    assert sum(line.documents for line in annotated) == sections["corpus"]["documents"]
    assert sum(line.tokens for line in annotated) == sections["corpus"]["tokens"]
    assert all(line.seconds > 0 and line.memory > 0 and line.at.endswith("Z") for line in lines)
