"""What training starts from, asked of every trainer: the same properties, and the same results."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Start, averaged, context_rows, fill_by_chance
from lexbeam.transforms.embeddings.trainers import TRAINERS, train_space

DIM = 12
NOTHING_KNOWN = [["unseen"]]


def grouped(seed=0, sentences=200, first="a", second="b"):
    """Sentences of words of two groups, each in its own company."""
    random = np.random.default_rng(seed)
    return [[f"{(first, second)[n % 2]}{i}" for i in random.integers(0, 6, 8)] for n in range(sentences)]


@pytest.fixture(params=list(TRAINERS))
def trained(request):
    """Train with one of the trainers; contexts are kept."""
    try:
        TRAINERS[request.param].check()
    except UsageError as error:
        pytest.skip(str(error))

    def train(texts, *, known=None, keep_untaught=True, said=None, **start):
        words, counts = np.unique([word for text in known or texts for word in text], return_counts=True)
        return train_space(
            lambda: [pa.array(texts, pa.list_(pa.string()))],
            dict(zip(words.tolist(), counts.tolist(), strict=True)),
            SgnsOptions(dim=DIM, window=4, epochs=3, min_count=2, alpha=0.05, trainer=request.param),
            seed=5,
            sentences=said or len(texts),
            tokens=sum(map(len, texts)),
            slice_name="late",
            start=Start(**start),
            keep_contexts=True,
            keep_untaught=keep_untaught,
        )

    return train


def some(words, seed):
    return np.random.default_rng(seed).normal(size=(len(words), DIM)).astype(np.float32)


def cosines(a, b):
    a, b = (m / np.linalg.norm(m, axis=-1, keepdims=True) for m in (a, b))
    return a @ b.T


def test_where_nothing_is_read_what_was_given_comes_out(trained):
    texts = grouped()
    given = ["b3", "nowhere", "a0"]
    vectors, contexts = some(given, 1), some(given, 2)
    plain = trained(NOTHING_KNOWN, known=texts)
    made = trained(NOTHING_KNOWN, known=texts, words=given, vectors=vectors, contexts=contexts)
    rows = [made.words.index(word) for word in ("b3", "a0")]
    others = np.delete(np.arange(len(made.words)), rows)
    assert made.words == sorted(made.words) == plain.words
    assert np.array_equal(made.vectors[rows], vectors[[0, 2]])
    assert np.array_equal(made.contexts[rows], contexts[[0, 2]])
    assert np.array_equal(made.vectors[others], plain.vectors[others])
    assert np.abs(plain.vectors).max() <= 1 / DIM
    assert not made.contexts[others].any()
    assert not plain.contexts.any()


@pytest.mark.parametrize("start", ["chance", "a seed", "given"])
def test_words_without_company_have_zeros_and_others_what_they_have_learnt(trained, start):
    """A word alone in its sentences, one beside rare words, one beside itself."""
    texts = [*grouped(), ["lone"], ["lone"], ["beside", "rare"], ["beside"], ["twice", "twice"]]
    given = {"words": ["b3", "lone", "a0"], "vectors": some("bla", 1), "contexts": some("bla", 2)}
    options = {"chance": {}, "a seed": {"seed": 9}, "given": given}[start]
    plain, made = (trained(texts, keep_untaught=keep, **options) for keep in (True, False))
    assert [word for word, row in zip(made.words, made.vectors, strict=True) if not row.any()] == ["beside", "lone"]
    others = made.vectors.any(axis=1)
    assert np.array_equal(made.vectors[others], plain.vectors[others])
    assert np.array_equal(made.contexts, plain.contexts)
    assert plain.vectors.any(axis=1).all()


def test_a_feed_of_another_length_is_refused(trained):
    with pytest.raises(LexbeamError, match=r"'late': 200 sentences were read, not 190: `sentences` must be"):
        trained(grouped(), said=190)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("given", ["vectors", "contexts"])
def test_numbers_that_no_training_gives_are_refused(given, number, trained):
    rows = some(["a1", "b3"], 1)
    rows[1, 4] = number
    with pytest.raises(LexbeamError, match=r"numbers from .* to .*: they must be finite, and at most 1,000,000"):
        trained(grouped(), words=["a1", "b3"], **{given: rows})


def test_a_vector_of_zeros_is_none_to_start_from(trained):
    texts = grouped()
    vectors = some(["a1", "b3"], 1)
    made, without = (
        trained(texts, words=words, vectors=vectors[: len(words)] * keep)
        for words, keep in ((["a1", "b3"], np.float32([[1], [0]])), (["a1"], np.float32([[1]])))
    )
    assert np.array_equal(made.vectors, without.vectors)


def test_chance_may_have_a_seed_of_its_own(trained):
    texts = grouped()
    plain, made = (trained(NOTHING_KNOWN, known=texts, seed=seed) for seed in (5, 6))
    assert np.array_equal(plain.vectors, trained(NOTHING_KNOWN, known=texts).vectors)
    expected = np.empty_like(made.vectors)
    fill_by_chance(expected, 6)
    assert sorted(made.vectors.tolist()) == sorted(expected.tolist()) != sorted(plain.vectors.tolist())


def test_training_goes_on_from_what_was_given(trained):
    texts = grouped()
    first = trained(texts)
    on = trained(texts, words=first.words, vectors=first.vectors, contexts=first.contexts)
    assert np.diag(cosines(first.vectors, on.vectors)).min() > 0.7
    other = trained(texts, words=first.words, vectors=some(first.words, 3), contexts=first.contexts)
    assert np.diag(cosines(first.vectors, other.vectors)).mean() < 0.7


def test_frozen_contexts_stay_bit_by_bit_and_vectors_are_trained(trained):
    texts = grouped()
    compass = trained(texts)
    made = trained(grouped(1), words=compass.words, contexts=compass.contexts, freeze_contexts=True)
    assert np.array_equal(made.contexts, compass.contexts)
    start = trained(NOTHING_KNOWN, known=texts)
    assert np.abs(made.vectors - start.vectors).max() > 0.1
    # Each word is near itself in the space of the compass, though it has been trained on other sentences.
    groups = np.array([[a[0] == b[0] for a in made.words] for b in made.words])
    found = cosines(made.vectors, compass.vectors)
    assert found[groups].mean() > found[~groups].mean() + 0.6


def test_contexts_that_are_not_given_move_no_vector_when_frozen(trained):
    texts = grouped()
    made = trained(texts, freeze_contexts=True)
    start = trained(NOTHING_KNOWN, known=texts)
    np.testing.assert_allclose(made.vectors, start.vectors, atol=1e-7)
    assert not made.contexts.any()


def test_words_with_marks_have_vectors_of_their_own_and_one_context(trained):
    """`x` goes with group a in one period and with b in the other; `c` shows that its context is shared."""
    texts = [[*text, "x@1" if text[0][0] == "a" else "x@2"] for text in grouped(2, 400)]
    marks = {"x@1": "x", "x@2": "x"}
    made = trained(texts, marks=marks)
    places = {word: place for place, word in enumerate(made.words)}
    assert "x" not in places
    assert np.array_equal(made.contexts[places["x@1"]], made.contexts[places["x@2"]])
    assert made.contexts[places["x@1"]].any()
    of = {group: made.vectors[[p for w, p in places.items() if w[0] == group]].mean(0) for group in "ab"}
    for word, near, far in (("x@1", "a", "b"), ("x@2", "b", "a")):
        vector = made.vectors[places[word]]
        assert cosines(vector, of[near]) > cosines(vector, of[far]) + 0.3
    # Without marks the two words have contexts of their own, each with its group.
    apart = trained(texts)
    assert not np.array_equal(apart.contexts[places["x@1"]], apart.contexts[places["x@2"]])


def test_all_trainers_teach_a_context_that_marks_share_as_much(trained):
    """Of two words with marks, among eight topics, what they share is as long by each trainer, and so are they."""
    random = np.random.default_rng(0)
    common = random.zipf(1.3, 120_000)
    common = common[common < 300][:30_000].reshape(3_000, 10)
    texts = []
    for number, row in enumerate(common):
        texts.append([*(f"o{i}" for i in row), *(f"{number % 8}:{i}" for i in random.integers(0, 30, 10))])
        if number % 25 < 2:
            texts[-1][random.integers(20)] = f"x@{1 + number % 25}"
    made = trained(texts, marks={"x@1": "x", "x@2": "x"})
    places = [made.words.index(word) for word in ("x@1", "x@2")]
    assert np.linalg.norm(made.contexts[places[0]]) == pytest.approx(1.2, rel=0.1)
    assert np.linalg.norm(made.vectors[places], axis=1) == pytest.approx(1.0, rel=0.15)


MARKS = {"x@1": "x", "x@2": "x"}


@pytest.mark.parametrize(("marks", "freeze"), [({}, True), (MARKS, True), ({}, False)])
def test_all_trainers_find_the_same_space_from_what_is_given(marks, freeze):
    """From contexts that are frozen, by words or by what marks share, or from vectors and contexts."""
    texts = grouped()
    if marks:
        texts = [[*text, "x@1" if text[0][0] == "a" else "x@2"] for text in texts]
    words, counts = np.unique([word for text in texts for word in text], return_counts=True)
    given = sorted({marks.get(word, word) for word in words.tolist()})
    vectors = None if freeze else some(given, 3) / DIM
    start = Start(words=given, vectors=vectors, contexts=some(given, 4), freeze_contexts=freeze, marks=marks)
    made = []
    for name, trainer in TRAINERS.items():
        try:
            trainer.check()
        except UsageError as error:
            pytest.skip(str(error))
        found = train_space(
            lambda: [pa.array(texts)],
            dict(zip(words.tolist(), counts.tolist(), strict=True)),
            SgnsOptions(dim=DIM, window=4, epochs=5, min_count=1, trainer=name),
            seed=5,
            sentences=len(texts),
            tokens=sum(map(len, texts)),
            start=start,
            keep_contexts=True,
        )
        made.append([found.vectors] if freeze else [found.vectors - vectors, found.contexts - start.contexts])
    for one, other in zip(*made, strict=True):
        assert np.diag(cosines(one, other)).min() > 0.9


def test_rows_of_contexts():
    rows = context_rows({"a": 5, "x@1": 3, "x@2": 2, "y": 2, "y@1": 1}, {"x@1": "x", "x@2": "x", "y@1": "y"})
    assert rows.words == ["a", "x@1", "x@2", "y", "y@1", "x"]
    assert rows.uses == [5, 0, 0, 3, 0, 5]
    assert rows.row_of.tolist() == [0, 5, 5, 3, 3]


def test_vectors_of_another_shape_are_refused(trained):
    with pytest.raises(LexbeamError, match=r"shape \(1, 3\).*2 words of 12"):
        trained(grouped(), words=["a0", "a1"], vectors=np.zeros((1, 3), np.float32))


WORDS, WIDTH = 4, 2
floats = st.floats(-8, 8, width=32)
matrices = arrays(np.float32, (WORDS, 2, WIDTH), elements=floats)
shards = st.lists(st.tuples(arrays(np.int64, WORDS, elements=st.integers(0, 10**9)), matrices), min_size=1, max_size=5)


def by_word(common, trained):
    """The average number by number, in Python's floats."""
    result = []
    for word, before in enumerate(common.tolist()):
        total = sum(int(uses[word]) for uses, _ in trained)
        sums = [[0.0] * WIDTH for _ in range(2)]
        for uses, weights in trained:
            for which in range(2):
                for place in range(WIDTH):
                    sums[which][place] += int(uses[word]) * float(weights[word, which, place])
        result.append([[number / total for number in row] for row in sums] if total else before)
    return np.array(result, np.float32)


@given(matrices, shards)
def test_weights_are_averaged_word_by_word_by_uses(common, trained):
    held = [weights[uses > 0] for uses, weights in trained]
    found = averaged(common, [uses for uses, _ in trained], held)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, by_word(common, trained))


def test_what_no_shard_has_stays_and_what_one_has_is_that_shards():
    common = np.array([[1], [2], [3]], np.float32)
    found = averaged(common, [np.array([0, 2, 0]), np.array([0, 1, 9])], [np.array([[5]]), np.array([[8], [0.1]])])
    np.testing.assert_array_equal(found, np.array([[1], [6], [0.1]], np.float32))
    assert common.tolist() == [[1], [2], [3]]


def test_weights_that_are_mapped_from_a_file_may_not_be_written_to():
    common = np.frombuffer(np.ones(2, np.float32).tobytes(), np.float32).reshape(2, 1)
    assert averaged(common, [np.array([3, 0])], [np.array([[4]])]).tolist() == [[4], [1]]
