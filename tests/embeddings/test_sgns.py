import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings.sgns import SgnsOptions, derive_seed, sentences_of, train

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
