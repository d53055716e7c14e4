import hashlib
import importlib
import os
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from gensim.models import Word2Vec

from lexbeam.transforms.common.code import loops
from lexbeam.transforms.common.code.loops import padded
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings import trainers
from lexbeam.transforms.embeddings.sgns import SgnsOptions, train
from lexbeam.transforms.embeddings.starts import fill_by_chance
from lexbeam.transforms.embeddings.trainers import (
    TRAINERS,
    compiled,
    draw_tables,
    sigmoid_table,
    train_fast,
    train_space,
)

f32 = np.float32

M64 = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def is_compiled():
    try:
        compiled()
    except UsageError:
        return False
    return True


needs_loops = pytest.mark.skipif(not is_compiled(), reason="the loops of `--trainer fast` are not compiled here")


def corpus(seed=0, sentences=120, vocabulary=40):
    random = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(vocabulary)])
    return [words[np.minimum(vocabulary - 1, random.zipf(1.5, 9) - 1)].tolist() for _ in range(sentences)]


def counted(texts):
    words, counts = np.unique([word for text in texts for word in text], return_counts=True)
    return dict(zip(words.tolist(), counts.tolist(), strict=True))


def arrays(texts, cuts=(50,)):
    """Texts as arrays of lists, the first plain, others of a dictionary of their own."""
    made = []
    for number, (start, end) in enumerate(zip((0, *cuts), (*cuts, len(texts)), strict=True)):
        lists = pa.array(texts[start:end], pa.list_(pa.string()))
        made.append(pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode()) if number else lists)
    return made


def trained(texts, options, seed=7, cuts=(50,), **rest):
    tokens = sum(map(len, texts))
    return train_fast(
        lambda: arrays(texts, cuts), counted(texts), options, seed=seed, sentences=len(texts), tokens=tokens, **rest
    )


def mix64(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def by_the_book(texts, options, seed):
    """The equations of the module, word by word; sums of products are numpy's, in another order."""
    counts = counted(texts)
    words = sorted((w for w in counts if counts[w] >= options.min_count), key=lambda w: (-counts[w], w))
    uses = np.array([counts[w] for w in words], float)
    number = {w: n for n, w in enumerate(words)}
    table = np.cumsum(uses**options.ns_exponent)
    table = np.round(table / table[-1] * (2**31 - 1)).astype(int)
    threshold = options.sample * uses.sum()
    v = (np.random.default_rng(seed).random((len(words), options.dim), np.float32) * 2 - 1) / f32(options.dim)
    u = np.zeros_like(v)
    position = 0
    for epoch in range(options.epochs):
        done = inside = held = 0
        for text in texts:
            if held + len(text) > 10_000:
                done, inside, held = done + inside, 0, 0
            inside, held = inside + 1, held + len(text)
            progress = (epoch + done / len(texts)) / options.epochs
            alpha = f32(options.alpha - (options.alpha - options.min_alpha) * progress)
            kept = []
            for w in (number[word] for word in text if word in number):
                position += 1
                key = mix64(mix64(seed) + position * GOLDEN & M64)
                draw = lambda n, key=key: mix64(key + n * GOLDEN & M64) >> 32  # noqa: E731
                share = 1.0
                if options.sample:
                    share = min(1.0, (np.sqrt(uses[w] / threshold) + 1) * threshold / uses[w])
                if draw(0) <= int(share * (2**32 - 1)):
                    kept.append((w, draw))
            for i, (w, draw) in enumerate(kept):
                reach = options.window - (draw(1) * options.window >> 32)
                near = [j for j in range(i - reach, i + reach + 1) if 0 <= j < len(kept) and j != i]
                for pair, j in enumerate(near):
                    first = 2 + pair * options.negative
                    drawn = [draw(first + d) * (2**31 - 1) >> 32 for d in range(options.negative)]
                    negative = [int(np.searchsorted(table, r)) for r in drawn]
                    error = np.zeros(options.dim, np.float32)
                    for place, target in enumerate([w, *(n for n in negative if n != w)]):
                        f = v[kept[j][0]] @ u[target]
                        if abs(f) < 6:
                            step = int((float(f) + 6.0) * 83)
                            s = 1 / (1 + np.exp(-(step / 1000 * 12 - 6)))
                            g = (f32(place == 0) - f32(s)) * alpha
                            error += g * u[target]
                            u[target] += g * v[kept[j][0]]
                    v[kept[j][0]] += error
    return sorted(words), v[[number[w] for w in sorted(words)]]


@needs_loops
@pytest.mark.parametrize(
    "options",
    [
        SgnsOptions(dim=20, window=3, epochs=2, min_count=2),
        SgnsOptions(dim=16, window=2, epochs=1, min_count=1, negative=1, sample=0.01, alpha=0.2),
    ],
)
def test_computes_what_its_equations_say(options):
    texts = corpus(sentences=25)
    words, vectors, _ = trained(texts, options)
    expected_words, expected = by_the_book(texts, options, 7)
    assert words == expected_words
    assert vectors.dtype == np.float32
    assert np.abs(expected).max() > 0.05
    np.testing.assert_allclose(vectors, expected, atol=2e-6)


@needs_loops
def test_the_learning_rate_falls_at_the_jobs_of_gensim(monkeypatch):
    rates = []
    loops = compiled()

    def spy(*values):
        rates.append((values[9].size - 1, values[12]))
        return loops.train(*values)

    monkeypatch.setattr(trainers, "compiled", lambda: types.SimpleNamespace(train=spy))
    texts = [["a", "b"] * 2_000, ["a"] * 3_000, ["b"] * 4_000, ["a"] * 12_000, ["b"], ["a"]]
    trained(texts, SgnsOptions(dim=2, epochs=2, min_count=1, negative=1, window=1, alpha=0.4, min_alpha=0.1), cuts=(1,))
    # Jobs of sentences 0 and 1; 2; 3, which is longer than a job; 4 and 5. The first is cut between arrays.
    share = [0, 0, 2 / 6, 3 / 6, 4 / 6]
    expected = [0.4 - 0.3 * (epoch + done) / 2 for epoch in range(2) for done in share]
    assert [number for number, _ in rates] == [1, 1, 1, 1, 2] * 2
    assert [rate for _, rate in rates] == pytest.approx(expected)


@needs_loops
def test_tables_are_those_of_gensim():
    counts = {f"w{n}": 5 + 3 * n * n for n in range(80, 0, -1)}
    for sample in (0.001, 0.99):
        model = Word2Vec(sg=1, negative=5, sample=sample, vector_size=3, min_count=1, sorted_vocab=0, seed=9)
        model.build_vocab_from_freq(counts, corpus_count=10)
        tables = draw_tables(counts.values(), counts.values(), SgnsOptions(sample=sample))
        assert np.array_equal(tables.cumulative, model.cum_table)
        keep = [model.wv.get_vecattr(word, "sample_int") for word in counts]
        np.testing.assert_allclose(tables.keep, keep, rtol=1e-9)
    ends = tables.guide[np.arange(1, 2**16)]
    starts = np.arange(1, 2**16, dtype=np.int64) << 15
    assert np.array_equal(ends, np.searchsorted(model.cum_table, starts))
    vectors = padded(80, 3)
    fill_by_chance(vectors[:, :3], 9)
    assert np.array_equal(vectors[:, :3], model.wv.vectors)
    assert not vectors[:, 3:].any()


def test_the_table_of_the_sigmoid_is_that_of_gensim():
    steps = np.exp((np.arange(1000) / 1000 * 2 - 1) * 6)
    np.testing.assert_allclose(sigmoid_table(), steps / (steps + 1), rtol=1e-7)


@needs_loops
def test_the_sigmoid_is_that_of_gensim():
    # Of a sentence of two words one pair learns: its other vector, and its other context, are 0.
    model = Word2Vec(sg=1, vector_size=1, window=1, min_count=1, sample=0, negative=1, workers=1)
    model.build_vocab([["a", "b"]])
    a, b = (model.wv.key_to_index[word] for word in "ab")
    edges = (np.nextafter(f32(6), f32(0)), np.nextafter(f32(-6), f32(0)), f32(6), f32(-6))
    for f in (*np.random.default_rng(2).uniform(-6, 6, 60).astype(f32), *edges, f32(0)):
        model.wv.vectors[[a, b], 0], model.syn1neg[[a, b], 0] = (0, f), (1, 0)
        model.train([["a", "b"]], total_examples=1, epochs=1, start_alpha=0.5, end_alpha=0.5)
        v, u = padded(2, 1), padded(2, 1)
        v[0, 0], u[:, 0] = f, (1, 0)
        targets = np.array([[0, 1]], np.uint32)
        compiled().train_pairs(v, u, sigmoid_table(), 1, np.array([0], np.int32), targets, 0.5, False, "")
        np.testing.assert_allclose(v[0, 0], model.wv.vectors[b, 0], rtol=1e-6)


@needs_loops
@pytest.mark.parametrize("dim", [1, 50, 100, 112, 300, 330])
def test_all_variants_give_the_same_bytes(dim):
    texts = corpus(sentences=30)
    options = SgnsOptions(dim=dim, window=4, epochs=2, min_count=1, sample=0.05, alpha=0.5)
    made = {
        variant: hashlib.sha256(trained(texts, options, variant=variant)[1].tobytes()).hexdigest()
        for variant in compiled().variants()
    }
    assert {"plain"} < made.keys()
    assert len(set(made.values())) == 1, made


@needs_loops
def test_a_pair_is_trained_as_its_formula_says_and_rows_may_be_frozen():
    random = np.random.default_rng(3)
    v, u = padded(4, 20), padded(5, 20)
    v[:, :20], u[:, :20] = random.normal(size=(4, 20)), random.normal(size=(5, 20))
    u[4, :20] = v[2, :20] * 100  # so alike that nothing is learned
    targets = np.array([[1, 0, 1, 4]], np.uint32)
    before_v, before_u = v.copy(), u.copy()
    error = np.zeros(36 - 4)
    for place, target in enumerate(targets[0, :3]):
        f = before_v[2] @ u[target]
        g = ((place == 0) - 1 / (1 + np.exp(-f))) * 0.1
        error += g * u[target]
        u[target] += g * before_v[2]
    for frozen in (False, True):
        v2, u2 = padded(4, 20), padded(5, 20)
        v2[:], u2[:] = before_v, before_u
        compiled().train_pairs(v2, u2, sigmoid_table(), 20, np.array([2], np.int32), targets, 0.1, frozen, "")
        assert np.array_equal(v2[[0, 1, 3]], before_v[[0, 1, 3]])
        assert not v2[:, 20:].any()
        if frozen:
            assert np.array_equal(u2, before_u)
            assert not np.array_equal(v2[2], before_v[2])
        else:
            # Steps of the sigmoid are as wide as 0.003, and shifted by up to 0.006.
            np.testing.assert_allclose(v2[2], before_v[2] + error, atol=4e-3)
            np.testing.assert_allclose(u2, u, atol=4e-3)


@needs_loops
def test_the_seed_decides_and_nothing_else():
    texts = corpus()
    options = SgnsOptions(dim=8, window=3, epochs=2, min_count=2)
    words, once, _ = trained(texts, options)
    assert np.array_equal(once, trained(texts, options)[1])
    assert np.array_equal(once, trained(texts, options, cuts=(3, 4, 90))[1])
    assert not np.array_equal(once, trained(texts, options, seed=8)[1])
    assert words == sorted(w for w, n in counted(texts).items() if n >= 2)


@needs_loops
def test_learns_what_gensim_learns():
    """Two groups of words, each seen in its own company: both trainers find the groups."""
    random = np.random.default_rng(5)
    texts = [[f"{'ab'[n % 2]}{i}" for i in random.integers(0, 8, 10)] for n in range(300)]
    options = SgnsOptions(dim=16, window=5, epochs=5, min_count=1)
    gaps = {}
    for trainer in TRAINERS:
        words, vectors, _ = train_space(
            lambda: arrays(texts), counted(texts), replace(options, trainer=trainer), seed=1, sentences=300, tokens=3000
        )
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        same = np.array([[a[0] == b[0] for a in words] for b in words])
        gaps[trainer] = (unit @ unit.T)[same].mean() - (unit @ unit.T)[~same].mean()
    assert min(gaps.values()) > 0.5
    assert gaps["fast"] == pytest.approx(gaps["gensim"], abs=0.15)


def test_the_dispatch_trains_by_gensim_where_that_is_asked_for():
    texts = corpus()
    options = SgnsOptions(dim=8, epochs=1, min_count=2)
    rest = {"seed": 3, "sentences": len(texts), "tokens": sum(map(len, texts))}
    by_name = train_space(lambda: arrays(texts), counted(texts), options, **rest)
    directly = train(lambda: iter(texts), counted(texts), options, **rest)
    assert by_name[0] == directly[0]
    assert np.array_equal(by_name[1], directly[1])


@pytest.fixture
def loading(monkeypatch):
    """Let the loops be loaded by another function."""
    importing = importlib.import_module
    compiled.cache_clear()
    yield lambda load: monkeypatch.setattr(
        loops.importlib, "import_module", lambda name: (load if name.endswith("_sgns") else importing)(name)
    )
    compiled.cache_clear()


def test_without_a_compiler_lexbeam_is_installed_and_the_message_says_what_to_do(loading, tmp_path):
    command = ["setup.py", "--quiet", "build_ext", "--build-lib", tmp_path / "lib", "--build-temp", tmp_path / "temp"]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "CC": "/nonexistent/cc"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stderr.count("/nonexistent/cc") == 2
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]

    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    loading(missing)
    with pytest.raises(UsageError, match=r"`trainer` fast is not compiled.*C compiler.*`trainer` gensim"):
        TRAINERS["fast"].check_installed("it")


def test_loops_of_another_source_are_refused(loading):
    loading(lambda name: types.SimpleNamespace(SOURCE="0" * 64))
    with pytest.raises(UsageError, match=r"another version of its source.*make install"):
        compiled()


@needs_loops
def test_loops_that_give_other_bytes_are_refused(loading):
    real = compiled()
    compiled.cache_clear()

    def fused(vectors, *values):
        real.train(vectors, *values)
        vectors[3, 7] = np.nextafter(vectors[3, 7], f32(9))

    loading(lambda name: types.SimpleNamespace(SOURCE=real.SOURCE, train=fused))
    with pytest.raises(UsageError, match=r"rounded otherwise.*`trainer` gensim"):
        compiled()


@needs_loops
def test_the_loops_check_what_they_are_given():
    loops = compiled()
    v, u = padded(3, 2), padded(3, 2)
    tables = draw_tables([3, 2, 1], [3, 2, 1], SgnsOptions())
    words, bounds = np.array([0, 1, 2], np.int32), np.array([0, 3])
    none, own = np.zeros(0, np.uint32), np.arange(3, dtype=np.int32)

    def run(**changed):
        values = {
            "v": v, "u": u, "s": sigmoid_table(), "dim": 2, "of": own, "keep": none,
            "table": tables.cumulative,
            "guide": tables.guide, "words": words, "bounds": bounds, "window": 1, "negative": 2, "alpha": 0.1,
            "seed": 1, "position": 0, "frozen": False, "variant": "",
        }  # fmt: skip
        return loops.train(*{**values, **changed}.values())

    assert run() == 4
    for changed, message in (
        ({"words": np.array([0, 1, 3], np.int32)}, "word is not there"),
        ({"words": np.array([0, -1, 2], np.int32)}, "word is not there"),
        ({"bounds": np.array([0, 4])}, "bounds"),
        ({"bounds": np.array([2, 0, 3])}, "bounds"),
        ({"bounds": np.zeros(0, np.int64)}, "bounds"),
        ({"table": tables.cumulative[:2].copy()}, "negative table"),
        ({"table": np.array([1, 2, 3], np.uint32)}, "does not end"),
        ({"guide": tables.guide[:3].copy()}, "power of two"),
        ({"guide": tables.guide + np.uint32(9)}, "leads out"),
        ({"of": np.array([0, 1, 3], np.int32)}, "context row"),
        ({"keep": np.ones(2, np.uint32)}, "subsampling"),
        ({"of": np.arange(2, dtype=np.int32)}, "all words"),
        ({"u": padded(2, 2)}, "number of words"),
        ({"dim": 20}, "padded"),
        ({"negative": 1001}, "1000"),
        ({"window": 0}, "window"),
        ({"variant": "v1"}, "no variant"),
    ):
        with pytest.raises(ValueError, match=message):
            run(**changed)
