"""Readers: the networks against their equations token by token, and that they learn."""

import subprocess
import sys

import numpy as np
import pytest
from outsiders import blocks_of, entry_of
from readers_reference import scores

from lexbeam.transforms.cloze.answers.trained_systems import SYSTEMS
from lexbeam.transforms.cloze.readers.options import (
    PLACEHOLDER,
    READERS,
    RESERVED,
    NumberLists,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
    top_words,
)
from lexbeam.transforms.cloze.readers.training import log_probabilities, sizes_of, train_reader
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.learning.models.formats import read_safetensors, write_safetensors

torch = pytest.importorskip("torch")

KINDS = ("ga", "ar", "ar-gloss")
SMALL = ReaderNetworkOptions(hidden=3, dim=4, hops=3, batch=4, epochs=2)


def network_of(kind):
    return (SYSTEMS if kind in SYSTEMS else READERS)[kind].network().network


def lists(values):
    bounds = np.concatenate([[0], np.cumsum([len(text) for text in values])]).astype(np.int64)
    return NumberLists(bounds, np.array([n for text in values for n in text], np.int32))


def questions(number, words, candidates, seed=0, long=8):
    """Questions whose answer is told by the one marked word of the passage."""
    random = np.random.default_rng(seed)
    answers = random.integers(candidates, size=number)
    passages, summaries, places = [], [], []
    for answer in answers:
        text = random.integers(RESERVED + candidates, words, random.integers(2, long + 1)).tolist()
        text.insert(int(random.integers(len(text) + 1)), RESERVED + int(answer))
        passages.append(text)
        query = random.integers(RESERVED + candidates, words, random.integers(1, long // 2 + 1)).tolist()
        places.append(int(random.integers(len(query) + 1)))
        query.insert(places[-1], PLACEHOLDER)
        summaries.append(query)
    keys = content_hashes([f"question {n}" for n in range(number)])
    return Questions(lists(passages), np.arange(number), lists(summaries), np.array(places), answers, keys, keys)


def data_of(words, candidates):
    glosses = [[1 + n % 3, 4 + n] for n in range(candidates)]
    glosses[0] = [2]
    return TrainingData(words, candidates, glosses=lists(glosses), gloss_words=5 + candidates)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_equations(kind):
    asked, data = questions(7, 20, 5), data_of(20, 5)
    trained = train_reader(network_of(kind), asked, np.arange(7), data, SMALL, seed=1)
    predictions = np.concatenate(
        [arrays for _, arrays in log_probabilities(network_of(kind), trained.weights, asked, np.arange(7), data, SMALL)]
    )
    weights = {name: arrays.astype(np.float64) for name, arrays in trained.weights.items()}
    bounds, values = data.glosses
    glosses = [values[bounds[c] : bounds[c + 1]] for c in range(5)]
    for row in range(7):
        texts = [
            arrays.values[arrays.bounds[row] : arrays.bounds[row + 1]] for arrays in (asked.passages, asked.summaries)
        ]
        wanted = scores(kind, weights, *texts, asked.places[row], glosses, SMALL.hops)
        wanted -= np.log(np.exp(wanted).sum())
        assert predictions[row] == pytest.approx(wanted, abs=1e-5)
    assert np.exp(predictions).sum(1) == pytest.approx(np.ones(7))


# Kernels of BLAS differ by size: the suite has the widest networks of each kind, and the narrowest of one.
@pytest.mark.parametrize(
    ("hidden", "kind"),
    [
        pytest.param(hidden, kind, marks=[pytest.mark.soak] * (hidden == 16 or (hidden == 3 and kind != "ar")))
        for hidden in (3, 16, 48)
        for kind in (*KINDS, "ga5")
    ],
)
def test_what_is_predicted_of_a_question_does_not_depend_on_others(kind, hidden):
    count = 24 if hidden == 3 else 80
    asked, data = questions(count, 60, 37, long=40), data_of(60, 37)
    if kind == "ga5":
        asked = asked._replace(options=np.random.default_rng(4).integers(3, 60, (count, 5)))
        asked = asked._replace(answers=asked.answers % 5)
    options = ReaderNetworkOptions(hidden=hidden, dim=7, hops=2, epochs=0, passage_tokens=35)
    weights = train_reader(network_of(kind), asked, np.arange(count), data, options, seed=1).weights

    def predicted(rows):
        predictions = list(log_probabilities(network_of(kind), weights, asked, rows, data, options))
        assert np.concatenate([chunk for chunk, _ in predictions]).tolist() == rows.tolist()
        return np.concatenate([arrays for _, arrays in predictions])

    whole = predicted(np.arange(count))
    for size in (1, 7, 64, count):
        order = np.random.default_rng(size).permutation(count)
        batches = [order[start : start + size] for start in range(0, count if size > 1 else 9, size)]
        predictions = np.concatenate([predicted(batch) for batch in batches])
        assert (predictions == whole[np.concatenate(batches)]).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ga", *(pytest.param(kind, marks=pytest.mark.soak) for kind in ("ar", "ar-gloss"))])
def test_training_learns_and_repeats(kind):
    asked, data = questions(160, 24, 4), data_of(24, 4)
    rows = np.flatnonzero(np.arange(160) % 4 != 0)
    options = ReaderNetworkOptions(
        hidden=16, dim=8, hops=2, batch=16, epochs=14, patience=14, learning_rate=0.03, dropout=0.1
    )
    trained = train_reader(network_of(kind), asked, rows, data, options, seed=3)
    other = np.flatnonzero(np.arange(160) % 4 == 0)
    predictions = np.concatenate(
        [arrays for _, arrays in log_probabilities(network_of(kind), trained.weights, asked, other, data, options)]
    )
    right = (top_words(predictions, 1)[0][:, 0] == asked.answers[other]).mean()
    assert right > 0.8  # by chance a quarter
    assert trained.losses[trained.best] == min(trained.losses)
    assert trained.questions + trained.held_out == len(rows)


def test_same_weights_whatever_the_order_and_other_runs():
    asked, data = questions(40, 20, 5), data_of(20, 5)
    rows = np.arange(30)
    first = train_reader(network_of("ar-gloss"), asked, rows, data, SMALL, seed=5)
    torch.rand(7)  # what others draw from torch's own generator does not count
    second = train_reader(network_of("ar-gloss"), asked, rows[::-1], data, SMALL, seed=5)
    assert write_safetensors(first.weights) == write_safetensors(second.weights)
    third = train_reader(network_of("ar-gloss"), asked, rows, data, SMALL, seed=6)
    assert write_safetensors(first.weights) != write_safetensors(third.weights)
    loaded = read_safetensors(write_safetensors(first.weights))
    assert {name: arrays.shape for name, arrays in loaded.items()} == {
        name: arrays.shape for name, arrays in first.weights.items()
    }


def test_what_is_held_out_does_not_count():
    asked, data = questions(40, 20, 5), data_of(20, 5)
    changed = asked._replace(answers=np.where(np.arange(40) < 30, asked.answers, 0))
    rows = np.arange(30)
    first = train_reader(network_of("ar"), asked, rows, data, SMALL, seed=5)
    second = train_reader(network_of("ar"), changed, rows, data, SMALL, seed=5)
    assert write_safetensors(first.weights) == write_safetensors(second.weights)


def test_unseen_answers_are_not_trained_on():
    asked, data = questions(40, 20, 5), data_of(20, 5)
    answers = asked.answers.copy()
    answers[::2] = -1
    trained = train_reader(network_of("ar"), asked._replace(answers=answers), np.arange(40), data, SMALL, seed=5)
    assert trained.questions + trained.held_out == 20


def test_vectors_initialise_and_stay():
    asked = questions(20, 20, 5)
    vectors = np.random.default_rng(1).normal(size=(20, 6)).astype(np.float32)
    there = np.arange(20) > 4
    data = TrainingData(20, 5, vectors=(vectors, there), candidate_vectors=(vectors[:5], there[:5]))
    trained = train_reader(network_of("ar"), asked, np.arange(20), data, SMALL, seed=1)
    assert sizes_of(data, SMALL).dim == 6
    assert (trained.weights["embed_words.weight"][there] == vectors[there]).all()
    tuned = train_reader(
        network_of("ar"),
        asked,
        np.arange(20),
        data,
        ReaderNetworkOptions(**{**vars(SMALL), "tune_vectors": True}),
        seed=1,
    )
    assert (tuned.weights["embed_words.weight"][there] != vectors[there]).any()


def test_a_passage_is_cut():
    asked, data = questions(6, 20, 5), data_of(20, 5)
    options = ReaderNetworkOptions(**{**vars(SMALL), "passage_tokens": 2})
    trained = train_reader(network_of("ar"), asked, np.arange(6), data, options, seed=1)
    short = asked._replace(
        passages=lists(
            [
                asked.passages.values[a : min(b, a + 2)]
                for a, b in zip(asked.passages.bounds[:-1], asked.passages.bounds[1:], strict=True)
            ]
        )
    )
    rows = np.arange(6)
    [(_, cut)] = log_probabilities(network_of("ar"), trained.weights, asked, rows[:4], data, options)
    [(_, short_logs)] = log_probabilities(network_of("ar"), trained.weights, short, rows[:4], data, SMALL)
    assert (cut == short_logs).all()


def test_no_questions_leave_the_first_weights():
    asked, data = questions(4, 20, 5), data_of(20, 5)
    trained = train_reader(network_of("ar"), asked, np.arange(0), data, SMALL, seed=1)
    assert trained.best == -1
    assert trained.losses == []


def test_ties_go_to_the_first_word():
    words, logs = top_words(np.log(np.array([[0.2, 0.4, 0.4], [0.5, 0.25, 0.25]])), 2)
    assert words.tolist() == [[1, 2], [0, 1]]
    assert np.exp(logs) == pytest.approx(np.array([[0.4, 0.4], [0.5, 0.25]]))


def test_a_reader_of_another_package_is_trained_as_the_recipe_says(outsider):
    (code,) = blocks_of("Add a reader")
    group, line = entry_of("Add a reader")
    outsider(group, line, toy_bag=code)
    asked, data = questions(12, 24, 4), data_of(24, 4)
    trained = train_reader(network_of("bag"), asked, np.arange(12), data, SMALL, seed=3)
    (predictions,) = [
        arrays for _, arrays in log_probabilities(network_of("bag"), trained.weights, asked, np.arange(12), data, SMALL)
    ]
    assert np.exp(predictions).sum(1) == pytest.approx(np.ones(12))
    assert predictions.std() > 0


def test_entries_name_their_networks_and_import_torch_only_when_asked_for_them():
    code = (
        "import sys\n"
        "import lexbeam.transforms.cloze.answers.trained_systems, lexbeam.transforms.cloze.readers.options\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    made = [entry.network().network for entry in (*READERS.values(), *SYSTEMS.values()) if entry.network]
    assert len({network.scores for network in made}) == len(made) == 4
