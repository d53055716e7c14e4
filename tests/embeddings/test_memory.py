import numpy as np
import pytest
from scipy.sparse import csr_array

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings import sgns
from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences
from lexbeam.transforms.embeddings.representations import RepresentationOptions, represent
from lexbeam.transforms.embeddings.sgns import SgnsOptions, available_memory, decomposition_memory, training_memory
from lexbeam.transforms.embeddings.trainers import TRAINERS, train_space


def system(folder, **files):
    """Write files of a system, their folders joined by two underscores."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def test_what_is_left_is_the_machines_or_the_containers(tmp_path):
    assert available_memory(str(tmp_path)) is None
    root = system(tmp_path, proc__meminfo="MemTotal:  900 kB\nMemAvailable:   500 kB\n")
    assert available_memory(root) == 500 * 1024
    group = "sys__fs__cgroup__memory_DOT_"
    values = {f"{group}max": "max\n", f"{group}current": "70000\n", f"{group}stat": "anon 5\ninactive_file 9000\n"}
    assert available_memory(system(tmp_path, **values)) == 500 * 1024
    assert available_memory(system(tmp_path, **{f"{group}max": "100000\n"})) == 39_000
    old = "sys__fs__cgroup__memory__memory_DOT_"
    assert available_memory(system(tmp_path, **{f"{old}limit_in_bytes": "9\n", f"{old}usage_in_bytes": "10\n"})) == 0


def test_this_machine_has_some():
    assert (available_memory() or 1 << 40) > 1 << 20


def test_two_matrices_and_what_is_handed_on_count():
    assert training_memory(1_000_000, 100) == pytest.approx(4e6 * (2 * 112 + 100), rel=0.25)
    both = training_memory(1_000_000, 100, keep_contexts=True)
    assert both - training_memory(1_000_000, 100) == 4 * 1_000_000 * 100
    assert training_memory(1000, 16, contexts=3000) - training_memory(1000, 16) == 4 * 2000 * 16
    # Of 400,000 words below the cut gensim took 62 to 85 MiB more, `fast` 8 to 43 (a slice, and a null one).
    assert training_memory(1000, 16, rare=400_000) - training_memory(1000, 16) == pytest.approx(85 * 2**20, rel=0.15)


def test_a_decomposition_that_does_not_fit_is_refused_before_it_begins(monkeypatch):
    """Of 2,400 words to 800 numbers 377 MB were measured, of 6,000 to 400 123 MB."""
    assert decomposition_memory(2_400, 800) == pytest.approx(377e6, rel=0.1)
    assert decomposition_memory(6_000, 400) == pytest.approx(123e6, rel=0.1)
    counts = csr_array(np.ones((30, 30), np.int64) + np.eye(30, dtype=np.int64))
    contexts = Cooccurrences([f"w{n:02}" for n in range(30)], counts)
    svd = RepresentationOptions(representation="svd", dim=10)
    assert represent(contexts, 1, svd).shape == (30, 10)
    monkeypatch.setattr(sgns, "available_memory", lambda: 1_000)
    with pytest.raises(LexbeamError, match=r"30 words to 10 numbers takes 0\.00 GB.*`min_count`, or lower `dim`"):
        represent(contexts, 1, svd)


@pytest.mark.parametrize("trainer", list(TRAINERS))
def test_a_training_that_does_not_fit_is_refused_before_it_begins(trainer, monkeypatch):
    def feed():
        raise AssertionError("it is not read")

    try:
        TRAINERS[trainer].check()
    except UsageError as error:
        pytest.skip(str(error))
    rest = {"seed": 1, "sentences": 1, "tokens": 1, "slice_name": "late"}
    monkeypatch.setattr(sgns, "available_memory", lambda: 1_000)
    with pytest.raises(LexbeamError, match=r"'late'.*2 words of 300.*0\.00 GB are left.*`min_count`.*`dim`"):
        train_space(feed, {"a": 2, "b": 1}, SgnsOptions(trainer=trainer, dim=300, min_count=1), **rest)
    counts = {"a": 2, **{f"rare{number}": 1 for number in range(10_000)}}
    monkeypatch.setattr(sgns, "available_memory", lambda: training_memory(1, 300, rare=9_000))
    with pytest.raises(LexbeamError, match=r"'late'.*1 words of 300"):
        train_space(feed, counts, SgnsOptions(trainer=trainer, dim=300, min_count=2), **rest)
