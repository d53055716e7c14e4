"""The baseline of benchmarks/cloze_readers.py against its formula, word by word."""

import math

import numpy as np
import pytest
from reader_tables import lists

from benchmarks.cloze_readers import PLACES, Smoothing, log_priors, naive_bayes
from lexbeam.transforms.cloze.readers.options import PLACEHOLDER, Questions

# Seven numbers of words, 0 to 6: 0 stands for what is beyond a summary's ends.
SUMMARIES = [[3, PLACEHOLDER, 4], [PLACEHOLDER, 4, 4], [5, 3, PLACEHOLDER], [3, PLACEHOLDER, 6]]
PASSAGES = [[3, 4], [4, 5, 5], [6, 3]]
PASSAGE = [0, 1, 2, 2]
ANSWERS = [0, 1, 0, 1]
SOME = Smoothing(uses=2.0, summary=0.5, passage=0.25)


def asked():
    keys = np.arange(4, dtype=np.uint64)
    places = np.array([text.index(PLACEHOLDER) for text in SUMMARIES])
    return Questions(lists(PASSAGES), np.array(PASSAGE), lists(SUMMARIES), places, np.array(ANSWERS), keys, keys)


def words_of(question, view):
    summary = SUMMARIES[question]
    if view in PLACES:
        at = summary.index(PLACEHOLDER) + view
        return [summary[at] if 0 <= at < len(summary) else 0]
    return sorted(set(summary if view == "summary" else PASSAGES[PASSAGE[question]]))


def plainly(question, candidate, others):
    score = math.log(sum(ANSWERS[other] == candidate for other in others))
    views = [(place, 2.0, 1.0) for place in PLACES]
    for view, uses, weight in (*views, ("summary", 10.0, 0.5), ("passage", 100.0, 0.25)):
        all_words = [word for other in others for word in words_of(other, view)]
        mine = [word for other in others if ANSWERS[other] == candidate for word in words_of(other, view)]
        for word in words_of(question, view):
            base = (all_words.count(word) + 0.5) / (len(all_words) + 0.5 * 7)
            chance = (mine.count(word) + uses * base) / (len(mine) + uses)
            score += weight * (math.log(chance) - math.log(base))
    return score


def test_scores_are_those_of_the_formula():
    others = np.array([0, 1, 2])
    scores = naive_bayes(asked(), np.array([3]), others, 3, SOME)
    assert scores.shape == (1, 3)
    assert scores[0, :2] == pytest.approx([plainly(3, c, others) for c in (0, 1)])
    assert scores[0, 2] == -math.inf  # nobody's answer


def test_priors_are_shares_of_answers():
    assert log_priors(np.array([1, 1, 0]), 3).tolist() == [0.0, math.log(2), -math.inf]
