"""A window lands as the artefacts of a corpus run, and nothing whose text has landed is annotated again."""

from dataclasses import replace

import pytest

from lexbeam.transforms.annotation import annotate as annotating
from lexbeam.transforms.annotation.annotate import AnnotateOptions, AnnotateRecords
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.annotation.landed_texts import landed_texts
from lexbeam.transforms.common.store.artefacts import Workspace, files_of, make, name_of
from lexbeam.transforms.common.store.batches import annotation_schema
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile
from lexbeam.transforms.formats.ingest.input_listing import unit_of
from lexbeam.transforms.stream.landing_windows import Land, WindowSteps, intake_of, land_window
from lexbeam.transforms.stream.polling import LandedFiles

ENGINE = describe_engine("builtin:en").fingerprint
STEPS = WindowSteps(
    IngestOptions(language="en"), AnnotateOptions(engine="builtin:en", name="builtin:en", fingerprint=ENGINE), "reject"
)
TEXTS = {"a": "The cats sat. They slept.", "b": "A dog.", "c": "A dog.", "d": "Every Fool fails.", "e": "."}


@pytest.fixture
def calls(monkeypatch):
    """The texts that an engine annotates from now on; on one of them it fails."""
    made, real = [], annotating.annotate_text

    def spied(text, engine, **options):
        made.append(text)
        if "Fool" in text:
            raise ValueError("no fools")
        return real(text, engine, **options)

    monkeypatch.setattr(annotating, "annotate_text", spied)
    return made


def inputs(folder, texts):
    found = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text)
        found.append(InputFile(path.name, str(path), len(text), "in", 5))
    return found


def annotate(space, files, step):
    """The receipts of all that a corpus run annotates of some files."""
    receipt = make(space, Ingest(STEPS.ingest), unit_of(files))
    return [make(space, step, AnnotateTask(stage, ())) for stage in receipt.stages]


def test_each_text_of_a_window_is_annotated_once(tmp_path, calls):
    space = Workspace(str(tmp_path / "w"))
    landed = land_window(space, inputs(tmp_path, TEXTS), STEPS)
    assert sorted(calls) == sorted(set(TEXTS.values()))
    assert landed.counts == {"files": 5, "records": 5, "documents": 3, "rejects": 2}
    again = land_window(space, inputs(tmp_path, TEXTS), STEPS)
    assert again == landed
    assert len(calls) == 4


def test_a_run_that_deals_files_out_otherwise_annotates_nothing_and_makes_the_same(tmp_path, calls):
    space, other = Workspace(str(tmp_path / "w")), Workspace(str(tmp_path / "other"))
    files = inputs(tmp_path, TEXTS)
    for window in (files[:2], files[2:4], files[4:]):
        land_window(space, window, STEPS)
    calls.clear()
    units = [files[3:], [files[0], files[2]], [files[1]]]
    found = [annotate(space, unit, AnnotateRecords(STEPS.annotate).asking(space)) for unit in units]
    assert calls == []
    plain = [annotate(other, unit, AnnotateRecords(STEPS.annotate)) for unit in units]
    assert sorted(calls) == sorted(TEXTS.values())
    digests = [[file.sha256 for receipt in some for file in files_of(receipt)] for some in (found, plain)]
    assert digests[0] == digests[1], "byte for byte, rejects included"
    assert [r.reasons for some in found for r in some] == [r.reasons for some in plain for r in some]


def test_a_text_that_comes_again_in_another_window_is_not_annotated_again(tmp_path, calls):
    space = Workspace(str(tmp_path / "w"))
    first, second = inputs(tmp_path, {"a": "One dog.", "b": "One dog."})
    land_window(space, [first], STEPS)
    land_window(space, [second], STEPS)
    assert calls == ["One dog."]


def test_another_engine_or_rule_has_texts_of_its_own(tmp_path, calls):
    space = Workspace(str(tmp_path / "w"))
    files = inputs(tmp_path, {"a": "One dog."})
    land_window(space, files, STEPS)
    other = replace(STEPS.annotate, fingerprint="another")
    assert AnnotateRecords(other).place(space) != AnnotateRecords(STEPS.annotate).place(space)
    schema = annotation_schema()
    assert landed_texts(AnnotateRecords(other).place(space)).find(["One dog."], schema) == [None]
    (found,) = landed_texts(AnnotateRecords(STEPS.annotate).place(space)).find(["One dog."], schema)
    assert found.to_pylist()[0]["lemmas"] == ["one", "dog", "."]


def test_what_is_freed_is_annotated_anew(tmp_path, calls):
    space = Workspace(str(tmp_path / "w"))
    files = inputs(tmp_path, {"a": "One dog.", "b": "Two cats."})
    land_window(space, files[:1], STEPS)
    for path in (tmp_path / "w" / "corpus" / "annotate").glob("*-sentences.arrow"):
        path.unlink()
    calls.clear()
    land_window(space, files, STEPS)
    assert sorted(calls) == ["One dog.", "Two cats."]


def test_where_the_texts_lie_decides_no_artefact(tmp_path):
    here, there = (AnnotateRecords(STEPS.annotate).asking(Workspace(str(tmp_path / name))) for name in "ab")
    assert name_of(here, None) == name_of(there, None) == name_of(AnnotateRecords(STEPS.annotate), None)


def test_files_are_known_that_have_landed_as_they_are(tmp_path):
    space = Workspace(str(tmp_path / "w"))
    files = inputs(tmp_path, TEXTS)
    place = AnnotateRecords(STEPS.annotate).place(space)
    known = LandedFiles(space, intake_of(place, STEPS.ingest))
    other = LandedFiles(space, intake_of(place, replace(STEPS.ingest, genre="news")))
    for number in (2, 4):
        land_window(space, files[:number], STEPS)
        known.look()
        assert list(known.missing(files)) == files[number:]
    other.look()
    assert list(other.missing(files)) == files, "they would be other documents"
    assert list(known.missing([files[0]._replace(changed=6)])) == [files[0]._replace(changed=6)]


def test_what_comes_annotated_lands_too(tmp_path, calls):
    path = tmp_path / "a.conllu"
    path.write_text("1\tDogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    given = WindowSteps(
        IngestOptions(format="conllu"), AnnotateOptions(engine="none", name="none", fingerprint="none"), "reject"
    )
    landed = land_window(Workspace(str(tmp_path / "w")), [InputFile("a", str(path), 9, "in", 5)], given)
    assert landed.counts == {"files": 1, "records": 1, "documents": 1, "rejects": 0}
    assert calls == []


def test_the_stage_is_known_by_its_folder(tmp_path):
    land_window(Workspace(str(tmp_path / "w")), inputs(tmp_path, {"a": "A dog."}), STEPS)
    assert [path.suffix for path in sorted((tmp_path / "w" / Land.name).iterdir())] == [".arrow", ".arrow", ".json"]
