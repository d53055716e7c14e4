import subprocess
import sys
import threading
from queue import Queue

import numpy as np
import pyarrow as pa
import pytest
from gensim.models import Word2Vec
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings import sgns
from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences
from lexbeam.transforms.embeddings.representations import RepresentationOptions, represent
from lexbeam.transforms.embeddings.sgns import (
    Jobs,
    SgnsOptions,
    available_memory,
    decomposition_memory,
    derive_seed,
    sentences_of,
    train,
    training_memory,
)
from lexbeam.transforms.embeddings.trainers import TRAINERS, train_space

OPTIONS = SgnsOptions(dim=8, window=3, epochs=2, min_count=2)


def corpus(seed=0, sentences=200):
    generator = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(40)])
    return [words[np.minimum(39, generator.zipf(1.5, 12) - 1)].tolist() for _ in range(sentences)]


def counted(texts):
    counts = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    return counts


def trained(texts, counts=None, options=OPTIONS, seed=7):
    return train(
        lambda: iter(texts),
        counts or counted(texts),
        options,
        seed=seed,
        sentences=len(texts),
        tokens=sum(map(len, texts)),
        slice_name="early",
    )


def test_gives_the_vectors_of_plain_gensim():
    from gensim.models import Word2Vec

    texts = corpus()
    words, vectors, _ = trained(texts)
    counts = counted(texts)
    model = Word2Vec(
        vector_size=8,
        window=3,
        epochs=2,
        min_count=2,
        negative=5,
        sample=0,
        sg=1,
        hs=0,
        workers=1,
        seed=7,
        sorted_vocab=0,
    )
    # gensim orders ties by first appearance, so the words are brought in our order first
    order = sorted(counts, key=lambda word: (-counts[word], word))
    model.build_vocab_from_freq({word: counts[word] for word in order})
    model.train(texts, total_examples=len(texts), epochs=2)
    assert words == sorted(model.wv.index_to_key)
    assert np.array_equal(vectors, np.stack([model.wv[word] for word in words]))
    assert vectors.dtype == np.float32


def test_order_of_counts_does_not_matter_but_the_seed_does():
    texts = corpus()
    counts = counted(texts)
    once = trained(texts, counts)
    again = trained(texts, dict(reversed(counts.items())))
    assert once[0] == again[0]
    assert np.array_equal(once[1], again[1])
    assert not np.array_equal(once[1], trained(texts, seed=8)[1])


def test_rare_words_have_no_vector():
    words, *_ = trained([["a", "a", "b"], ["a", "a", "c"]])
    assert words == ["a"]


def test_an_empty_vocabulary_names_slice_cut_and_remedy():
    with pytest.raises(LexbeamError, match=r"'early'.*2 uses.*has 1.*`min_count`"):
        trained([["a", "b"]])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_feed_that_breaks_raises_and_does_not_hang():
    def broken():
        yield ["a", "b"]
        raise OSError("gone")

    errors = []

    def run():
        try:
            train(broken, {"a": 2, "b": 2}, OPTIONS, seed=1, sentences=9, tokens=9)
        except OSError as error:
            errors.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(120)
    assert errors == ["gone"]


def test_seeds_differ_by_slice_and_seed_and_stay_what_they_are():
    seeds = [derive_seed(name, seed) for name in ("a", "b") for seed in (1, 2)]
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**32 for seed in seeds)
    import hashlib

    digest = hashlib.blake2b(b"2:..-1", digest_size=4).digest()
    assert derive_seed("..-1", 2) == int.from_bytes(digest, "little")


def test_sentences_come_from_plain_and_dictionary_lists_in_slices_and_chunks():
    texts = [["a", "b"], [], ["b"], ["c", "a", "a"]]
    plain = pa.array(texts, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(plain.offsets, plain.values.dictionary_encode())
    assert list(sentences_of([plain])) == texts
    assert list(sentences_of([coded.slice(0, 1), coded.slice(1)])) == texts
    assert list(sentences_of([pa.chunked_array([coded, coded])])) == texts * 2
    other = pa.array([["z"], ["a"]], pa.list_(pa.string()))
    assert list(sentences_of([coded, other])) == [*texts, ["z"], ["a"]]


def test_bad_options_are_usage_errors():
    for field, value in (("dim", 0), ("sample", -1.0), ("sample", 1.0), ("alpha", 0.0), ("min_count", 0)):
        with pytest.raises(UsageError, match=f"`{field}`"):
            SgnsOptions(**{field: value})


@pytest.mark.slow
def test_same_bytes_whatever_the_hash_seed(capsys):
    program = """
import hashlib
import numpy as np
import pyarrow as pa
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import TRAINERS, train_space
g = np.random.default_rng(1)
texts = [[f"w{i}" for i in g.integers(0, 30, 12)] for _ in range(100)]
counts = {w: sum(t.count(w) for t in texts) for w in {w for t in texts for w in t}}
for trainer in TRAINERS:
    options = SgnsOptions(dim=8, trainer=trainer)
    try:
        _, v, _ = train_space(lambda: [pa.array(texts)], counts, options, seed=3, sentences=100, tokens=1200)
        print(hashlib.sha256(v.tobytes()).hexdigest())
    except UsageError as error:
        print(error)  # not compiled
"""
    exec(program, {})  # in this process, whose seed is drawn
    here = capsys.readouterr().out
    assert here
    there = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout == here


EPOCHS = 3
LENGTHS = st.one_of(st.integers(0, 4_000), st.sampled_from([1, 5_000, 9_999, 10_000, 10_001, 15_000, 25_000]))


def of_gensim(model, lengths, epoch):
    """The learning rate of each sentence of an epoch."""
    queue = Queue()
    model._job_producer((["w"] * length for length in lengths), queue, cur_epoch=epoch, total_examples=len(lengths))
    return [rate for job in iter(queue.get, None) for rate in [job[1]] * len(job[0])]


@settings(max_examples=40)
@given(lengths=st.lists(LENGTHS, min_size=1, max_size=12), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_each_sentence_has_the_learning_rate_of_gensim(lengths, cuts):
    model = Word2Vec(alpha=0.4, min_alpha=0.1, epochs=EPOCHS, workers=1)
    jobs = Jobs(alpha=0.4, min_alpha=0.1, epochs=EPOCHS, sentences=len(lengths))
    for epoch in range(EPOCHS):
        jobs.begin(epoch)
        rates = []
        for some in np.split(np.array(lengths), sorted(min(cut, len(lengths)) for cut in cuts)):
            found = list(jobs.cut(some))
            assert [first for first, _, _ in found] + [len(some)] == [0] + [last for _, last, _ in found]
            rates += [rate for first, last, rate in found for _ in range(first, last)]
        assert rates == pytest.approx(of_gensim(model, lengths, epoch), rel=1e-12)
        assert jobs.sentences_done() == len(lengths)


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
