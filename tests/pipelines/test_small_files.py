"""What many small files take: each as much as the one before, in calls, memory and the shuffle."""

import gc
import pickle
import tracemalloc

import pytest
from nets import calls

from pipelines.commands.corpus.plan import UNIT_FILES, CorpusOptions, plan_corpus

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


@pytest.mark.slow
def test_a_further_file_takes_no_more_than_the_first_thousand(folders):
    def size(number):
        gc.collect()
        tracemalloc.start()
        plan = planned(folders[number])
        pickle.dumps(plan.units)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    planned(folders[FEW])  # what is read and imported once
    times = MANY / FEW
    assert calls(lambda: planned(folders[MANY])) < 1.1 * times * calls(lambda: planned(folders[FEW]))
    assert size(MANY) < 1.25 * times * size(FEW)


def test_what_a_graph_holds_of_a_file_is_little(folders):
    units = planned(folders[MANY]).units
    assert len(pickle.dumps(units)) < 30 * MANY
    assert pickle.loads(pickle.dumps(units)) == units


def test_units_of_small_files_are_dealt_out(folders, tmp_path):
    assert len(planned(folders[MANY]).units) == MANY // UNIT_FILES
    empty = tmp_path / "empty"
    empty.mkdir()
    for index in range(UNIT_FILES + 1):
        (empty / f"{index}.txt").touch()
    assert [len(unit.files) for unit in planned(empty).units] == [UNIT_FILES, 1]


def test_a_unit_that_was_opened_is_sent_as_before(folders):
    (unit, *_) = planned(folders[FEW]).units
    assert len(unit.readings) == len(unit.files)
    assert len(pickle.dumps(unit)) < 30 * len(unit.files)
