"""What many small files take: each as much as the one before, in calls, memory and the shuffle."""

import gc
import pickle
import tracemalloc

import pytest
from nets import calls

from lexbeam.pipelines.commands.cloze.pairs import ClozePairs
from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, plan_corpus
from lexbeam.pipelines.frame.command import Inputs
from lexbeam.pipelines.frame.inputs import LOOK
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.formats.ingest import input_listing
from lexbeam.transforms.formats.ingest.input_listing import ListingWriter, find_files, listed_units, units_of

FEW, MANY = 1000, 4000


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {}
    for number in (FEW, MANY):
        folder = found[number] = tmp_path_factory.mktemp("texts")
        for index in range(number):
            place = folder / f"{index // 500:02d}"
            place.mkdir(exist_ok=True)
            (place / f"{1800 + index % 200}-{index:06d}.txt").write_text("A ship.")
    return found


def planned(folder, out=None):
    return plan_corpus(CorpusOptions(inputs=(str(folder),), out=str(out or folder.parent / "out")))


def peak(work):
    gc.collect()
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_the_driver_takes_no_more_for_more_files(folders):
    planned(folders[FEW])  # what is read and imported once
    few, many = (planned(folders[number]) for number in (FEW, MANY))
    assert len(pickle.dumps(many.patterns)) == len(pickle.dumps(few.patterns))
    assert len(few.look) == len(many.look) == LOOK
    assert calls(lambda: planned(folders[MANY])) < 1.1 * calls(lambda: planned(folders[FEW]))
    assert peak(lambda: planned(folders[MANY])) < 1.1 * peak(lambda: planned(folders[FEW]))


def test_what_a_task_plans_has_no_file(folders):
    def task(number):
        options = ClozePairs.options(
            inputs=(str(folders[number]),), layout="documents", out=str(folders[number].parent / "out")
        )
        return ClozePairs().plan(options, Inputs(()))

    few = pickle.dumps(task(FEW))
    assert len(pickle.dumps(task(MANY))) == len(few)
    assert b".txt" not in few


def test_a_listing_takes_the_memory_of_a_run(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(input_listing, "RUN_ROWS", FEW // 2)
    listings = {}

    def write(number):
        artefact = Artefact(str(tmp_path / str(number)))
        with artefact.writing("-listed.arrow") as stream, ListingWriter(stream) as writer:
            for file in find_files(planned(folders[number]).patterns):
                writer.add(file)
        listings[number] = writer.listing(artefact.file("-listed.arrow"))

    write(FEW)
    assert peak(lambda: write(MANY)) < 1.2 * peak(lambda: write(FEW))
    assert len(pickle.dumps(listings[MANY])) < len(pickle.dumps(listings[FEW])) + 20 * MANY // FEW * 8
    # What is dealt out of a unit has no name of a file.
    units = list(listed_units([listings[MANY]], 2))
    assert len(pickle.dumps(units)) < 300 * len(units)


def test_a_unit_that_was_opened_is_sent_as_before(folders):
    (unit,) = units_of(planned(folders[FEW]).look)
    sent = len(pickle.dumps(unit))
    assert sent < 40 * len(unit.files)
    assert len(unit.readings) == len(unit.files)
    assert len(pickle.dumps(unit)) == sent
    assert pickle.loads(pickle.dumps(unit)) == unit
