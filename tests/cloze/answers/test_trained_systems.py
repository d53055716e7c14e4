"""Systems that choose among options: against their equations, that they learn, what they see."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readers_reference import option_scores

from lexbeam.transforms.cloze.answers.trained_systems import SYSTEMS, WHOLE, HeldBy, answer_rows, rows_held_out
from lexbeam.transforms.cloze.readers.options import (
    PLACEHOLDER,
    RESERVED,
    NumberLists,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
)
from lexbeam.transforms.cloze.readers.training import log_probabilities, train_reader
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.learning.models.formats import write_safetensors

GA5 = SYSTEMS["ga5"].network().network
SMALL = ReaderNetworkOptions(hidden=3, dim=4, hops=3, batch=4, epochs=2, prior=0, further_each=0)
KINDS = ("imperceptibility", "nonspecificity", "intersection")
SECRETS = 6


def lists(values):
    bounds = np.concatenate([[0], np.cumsum([len(values_of_text) for values_of_text in values])]).astype(np.int64)
    return NumberLists(bounds, np.array([n for values_of_text in values for n in values_of_text], np.int32))


def planted(number, words=40, seed=0):
    """Questions whose answer is the partner of the one marked word of the passage.

    Numbers from `RESERVED` on mark, the next `SECRETS` are their partners, the others say nothing;
    no option stands in its passage.
    """
    draw = np.random.default_rng(seed)
    partners = RESERVED + SECRETS
    plain = partners + SECRETS
    passages, summaries, places, options, labels = [], [], [], [], []
    for _ in range(number):
        marked = int(draw.integers(SECRETS))
        text = draw.integers(plain, words, draw.integers(3, 9)).tolist()
        text.insert(int(draw.integers(len(text) + 1)), RESERVED + marked)
        passages.append(text)
        query = draw.integers(plain, words, draw.integers(1, 4)).tolist()
        places.append(int(draw.integers(len(query) + 1)))
        query.insert(places[-1], PLACEHOLDER)
        summaries.append(query)
        others = draw.permutation([n for n in range(SECRETS) if n != marked])[:4]
        shown = draw.permutation([marked, *others])
        options.append((partners + shown).tolist())
        labels.append(shown.tolist().index(marked))
    keys = content_hashes([f"question {n}" for n in range(number)])
    return Questions(
        lists(passages),
        np.arange(number),
        lists(summaries),
        np.array(places),
        np.array(labels),
        keys,
        keys,
        np.array(options),
    )


def answered(weights, asked, rows, data, options):
    return np.exp(np.concatenate([logs for _, logs in log_probabilities(GA5, weights, asked, rows, data, options)]))


def texts(asked, row):
    return [side.values[side.bounds[row] : side.bounds[row + 1]] for side in (asked.passages, asked.summaries)]


@pytest.fixture(scope="module")
def trained():
    pytest.importorskip("torch")
    asked, data = planted(9), TrainingData(40, 5)
    return asked, data, train_reader(GA5, asked, np.arange(9), data, SMALL, seed=1)


def test_probabilities_are_those_of_the_equations(trained):
    asked, data, made = trained
    chances = answered(made.weights, asked, np.arange(9), data, SMALL)
    weights = {name: array.astype(np.float64) for name, array in made.weights.items()}
    assert "embed_candidates.weight" not in weights
    for row in range(9):
        wanted = np.exp(option_scores(weights, *texts(asked, row), asked.places[row], asked.options[row], SMALL.hops))
        assert chances[row] == pytest.approx(wanted / wanted.sum(), abs=1e-6)


def test_permuted_options_have_permuted_probabilities(trained):
    asked, data, made = trained
    chances = answered(made.weights, asked, np.arange(9), data, SMALL)
    draw = np.random.default_rng(4)
    orders = np.array([draw.permutation(5) for _ in range(9)])
    turned = asked._replace(options=np.take_along_axis(asked.options, orders, 1))
    other = answered(made.weights, turned, np.arange(9), data, SMALL)
    assert other == pytest.approx(np.take_along_axis(chances, orders, 1), abs=1e-12)


@pytest.mark.slow
def test_a_planted_problem_is_learned():
    pytest.importorskip("torch")
    asked, data = planted(360), TrainingData(40, 5)
    seen, unseen = np.arange(280), np.arange(280, 360)
    options = ReaderNetworkOptions(
        hidden=16, dim=12, hops=2, epochs=30, learning_rate=0.01, dropout=0.1, patience=8, prior=0, further_each=0
    )
    made = train_reader(GA5, asked, seen, data, options, seed=3)
    chosen = answered(made.weights, asked, unseen, data, options).argmax(1)
    assert (chosen == asked.answers[unseen]).mean() > 0.8  # by chance .2


def test_given_rows_decide_when_to_stop():
    pytest.importorskip("torch")
    asked, data = planted(30), TrainingData(40, 5)
    made = train_reader(GA5, asked, np.arange(20), data, SMALL, seed=1, checked_on=np.arange(20, 30))
    assert (made.questions, made.held_out) == (20, 10)
    logs = np.log(answered(made.weights, asked, np.arange(20, 30), data, SMALL))
    loss = -logs[np.arange(10), asked.answers[20:]].mean()
    assert made.losses[made.best] == pytest.approx(loss)


def by(folds=3):
    return HeldBy(folds, () if folds else ("train", "dev", "test"), 1)


ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(KINDS), st.sampled_from(["train", "dev", "test", None])),
    min_size=1,
    max_size=40,
)


def told(rows):
    """Questions of whose texts nothing is asked, and their rows."""
    articles = content_hashes([f"article {article}" for article, _, _ in rows])
    nothing = np.zeros(len(rows), np.int64)
    questions = Questions(lists([[5]]), nothing, lists([[2]] * len(rows)), nothing, nothing, articles, articles)
    table = pa.table(
        {"kind": pa.array([kind for _, kind, _ in rows]), "split": pa.array([split for *_, split in rows], pa.string())}
    )
    return questions, table


@settings(max_examples=40)
@given(ROWS, st.booleans())
def test_no_article_that_is_tested_is_trained_on(rows, cross):
    questions, table = told(rows)
    for kind in KINDS:
        tested = []
        for fold in range(3):
            held = rows_held_out(questions, table, kind, fold, by(), cross=cross)
            assert held.checked is None
            trained = {rows[n][0] for n in held.trained}
            every = rows_held_out(questions, table, kind, fold, by()).tested
            assert not trained & {rows[n][0] for n in every}
            assert {rows[n][1] for n in held.trained} <= {kind}
            tested += held.tested.tolist()
        asked = [n for n, row in enumerate(rows) if cross or row[1] == kind]
        assert sorted(tested) == asked
        # Folds leave out nothing else.
        left = {n for n, row in enumerate(rows) if row[1] == kind}
        for fold in range(3):
            held = rows_held_out(questions, table, kind, fold, by())
            assert left == set(held.trained) | (left & set(held.tested))


@settings(max_examples=40)
@given(ROWS, st.booleans())
def test_articles_of_the_tested_split_are_left_out_of_the_others(rows, cross):
    questions, table = told(rows)
    test = {article for article, _, split in rows if split == "test"}
    for kind in KINDS:
        held = rows_held_out(questions, table, kind, WHOLE, by(0), cross=cross)
        for name, places in (("train", held.trained), ("dev", held.checked)):
            wanted = [n for n, row in enumerate(rows) if row[1:] == (kind, name) and row[0] not in test]
            assert places.tolist() == wanted
        wanted = [n for n, (_, own, split) in enumerate(rows) if split == "test" and (cross or own == kind)]
        assert held.tested.tolist() == wanted


def test_labels_of_the_tested_fold_do_not_count():
    pytest.importorskip("torch")
    asked, data = planted(40), TrainingData(40, 5)
    shared = content_hashes([f"article {n // 2}" for n in range(40)])
    asked = asked._replace(articles=shared)
    table = pa.table({"kind": ["imperceptibility", "nonspecificity"] * 20, "split": pa.array([None] * 40, pa.string())})
    held = rows_held_out(asked, table, "imperceptibility", 0, by())
    assert set(table["kind"].take(pa.array(held.tested)).to_pylist()) == set(KINDS[:2])
    spoilt = asked.answers.copy()
    spoilt[np.isin(shared, shared[held.tested])] = 0
    assert (spoilt != asked.answers).any()
    first, second = (
        train_reader(GA5, own, held.trained, data, SMALL, seed=2) for own in (asked, asked._replace(answers=spoilt))
    )
    assert write_safetensors(first.weights) == write_safetensors(second.weights)


def test_rows_of_answers():
    [first, second] = answer_rows(
        ["a", "b"], ["nonspecificity"] * 2, "ga5", [[0.1, 0.4, 0.4, 0.1, 0.0], None], "intersection", 2
    ).to_pylist()
    assert (first["chosen"], first["trained_on"], first["fold"]) == (1, "intersection", 2)
    assert second["chosen"] is None
    assert second["probabilities"] is None
