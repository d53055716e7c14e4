"""Reader `frequency`: who may be drawn, how often, and that draws are the questions' own."""

import numpy as np
import pytest

from lexbeam.transforms.cloze.readers.words import BandOptions, draw_words
from lexbeam.transforms.common.draws.by_content import content_hashes

WORDS = [f"w{n}" for n in range(30)]
UPOS = ["NOUN" if n < 20 else "VERB" for n in range(30)]
COUNTS = np.arange(1.0, 31.0)
KEYS = content_hashes([f"q{n}" for n in range(500)])


def draw(answers, keys=KEYS, seed=1, near=6, k=10, **more):
    answers = np.asarray(answers)
    return draw_words(answers, keys[: len(answers)], UPOS, COUNTS, WORDS, k, BandOptions(near=near), seed=seed, **more)


def test_same_part_of_speech_near_in_frequency_never_the_answer():
    drawn = draw([10] * 20 + [25] * 20)
    assert {n for row in drawn.words[:20] for n in row if n >= 0} == {7, 8, 9, 11, 12, 13}
    assert {n for row in drawn.words[20:] for n in row if n >= 0} == {22, 23, 24, 26, 27, 28}
    assert (drawn.words[:, 6:] == -1).all()
    assert np.isnan(drawn.log_probs[:, 6:]).all()
    assert np.exp(drawn.log_probs[:, :6]).sum(1) == pytest.approx(np.ones(40))


def test_first_words_are_drawn_as_often_as_their_probability():
    drawn = draw([1] * 500)
    share = {n: (drawn.words[:, 0] == n).mean() for n in set(drawn.words[0, :6].tolist())}
    chance = {n: np.exp(drawn.log_probs[0][drawn.words[0] == n][0]) for n in share}
    weights = {n: np.exp(-abs(np.log(COUNTS[n]) - np.log(COUNTS[1]))) for n in share}
    for n in share:
        assert chance[n] == pytest.approx(weights[n] / sum(weights.values()))
        assert share[n] == pytest.approx(chance[n], abs=0.07)


def test_draws_depend_on_the_question_alone():
    whole = draw([10, 12, 25])
    for place, answer in enumerate([10, 12, 25]):
        alone = draw([answer], keys=KEYS[place:])
        assert (alone.words == whole.words[place]).all()
    assert (draw([10] * 50, seed=2).words != draw([10] * 50).words).any()


def test_similarity_bands():
    def cosine(of, others):
        return np.where(others == 9, 0.9, np.where(others == 11, -0.5, np.where(others == 8, np.nan, 0.3)))

    drawn = draw([10] * 5, cosine=cosine)
    assert {n for row in drawn.words for n in row if n >= 0} == {7, 8, 12, 13}


@pytest.mark.parametrize(
    ("band", "expected"),
    [
        (BandOptions(near=6, least_similar=-0.6), {7, 8, 11, 12, 13}),
        (BandOptions(near=6, most_similar=0.95), {7, 8, 9, 12, 13}),
        (BandOptions(near=6, least_similar=0.4, most_similar=0.95), {9}),
    ],
)
def test_the_band_ends_where_options_say(band, expected):
    def cosine(_, others):
        return np.where(others == 9, 0.9, np.where(others == 11, -0.5, 0.3))

    drawn = draw_words(np.array([10]), KEYS[:1], UPOS, COUNTS, WORDS, 10, band, seed=1, cosine=cosine)
    assert {n for n in drawn.words[0] if n >= 0} == expected


def test_nothing_to_draw_from():
    drawn = draw_words(np.array([0]), KEYS[:1], ["NOUN"], np.ones(1), ["w"], 3, BandOptions(), seed=1)
    assert drawn.words.tolist() == [[-1, -1, -1]]
    assert draw([]).words.shape == (0, 10)
