"""The language of the sample corpus: how probable each word is, by topic, by time and by place.

Content words follow P(w | topic, time) = .79 topic + .15 general + .04 any topic + .02 names:
each part is Zipfian, P(rank) ~ 1 / (rank + 1.5), over its own words, the general words with a
liking for some topics. All of it drifts: the logarithm of a word's weight, as that of a topic's
share, moves along a line over time with a slope of its own. A name passes to another bearer
between the slices, and so to another topic: names do change, as in real corpora, where rankings
leave them out.

Function words have habits: each class (see `vocabulary`) is Zipfian, and each word in it likes or
dislikes the beginning, middle and end of a sentence, and some topics, to a degree of its own.

All weights, and which pseudo-words belong to which topic, are drawn from the seed. A step of
time is a decade; the numbers here were chosen so that 300,000 words suffice to learn the topics.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from lexbeam.transforms.sample import vocabulary

SLICES = {"early": 1800, "late": 1950}  # first years
YEARS = 50  # of a slice
STEPS = [first + ten for first in SLICES.values() for ten in range(0, YEARS, 10)]
CLASSES = {
    "opener": vocabulary.OPENERS,
    "joint": vocabulary.JOINTS,
    "determiner": vocabulary.DETERMINERS,
    "closer": vocabulary.CLOSERS,
}
RARE_WORDS = 60  # pseudo-words of a topic

PARTS = {"topic": 0.79, "general": 0.15, "any": 0.04, "names": 0.02}
WORD_DRIFT = 0.4  # standard deviation of the change of a log weight over the whole time
TOPIC_DRIFT = 0.5
LIKING = 2.0  # standard deviation of a general word's log weight over topics
HABIT = 0.6  # standard deviation of a function word's log weight over places
MANNER = 0.6  # and over topics


@dataclass(frozen=True, kw_only=True)
class Language:
    """The words, whose ids are their positions, and the probabilities of most of them.

    `content` is P(content word | step, topic), (steps, topics, words), its columns being
    `content_ids`; `topics` is P(topic | step), (steps, topics); `function` is
    P(function word | topic, class, third of the sentence), (topics, classes, 3, words), its
    columns being `function_ids`. `targets` are the words kept for planting: the last ids, without
    probability.
    """

    words: tuple[str, ...]
    targets: tuple[str, ...]
    content_ids: np.ndarray
    function_ids: np.ndarray
    content: np.ndarray
    topics: np.ndarray
    function: np.ndarray


def _zipf(n: int) -> np.ndarray:
    weights = 1 / (np.arange(n) + 2.5)
    return np.asarray(weights / weights.sum())


def _normalise(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drift(rng: np.random.Generator, n: int, sd: float) -> np.ndarray:
    """Factors on the weights of `n` words or topics, (steps, n): exp of lines with normal slopes."""
    time = (np.array(STEPS) - STEPS[0]) / (STEPS[-1] - STEPS[0]) - 0.5
    return np.exp(time[:, None] * rng.normal(0, sd, n))


def _content(rng: np.random.Generator, rare: int) -> np.ndarray:
    """P(content word), (steps, topics, words): topics' words in turn, then general, then names."""
    steps, topics = len(STEPS), len(vocabulary.TOPICS)
    heads = [len(words) for words in vocabulary.TOPICS.values()]
    general, names = len(vocabulary.GENERAL), len(vocabulary.NAMES)

    base = np.zeros((topics, sum(heads) + topics * rare))
    start = 0
    for topic, head in enumerate(heads):
        # The real words come first, in random order, then the pseudo-words.
        ranks = np.concatenate([rng.permutation(head), np.arange(head, head + rare)])
        base[topic, start : start + head + rare] = _zipf(head + rare)[ranks]
        start += head + rare
    drifting = base * _drift(rng, base.shape[1], WORD_DRIFT)[:, None, :]
    of_topic = _normalise(drifting)
    of_any = _normalise(drifting.sum(axis=1))[:, None, :]

    liking = np.exp(rng.normal(0, LIKING, (topics, general)))
    of_general = _zipf(general)[rng.permutation(general)] * liking
    of_general = _normalise(of_general * _drift(rng, general, WORD_DRIFT)[:, None, :])

    of_names = np.zeros((steps, topics, names))
    weights = _zipf(names)[rng.permutation(names)] * _drift(rng, names, 3 * WORD_DRIFT)
    for slice_steps in np.split(np.arange(steps), len(SLICES)):
        bearers = rng.permutation(names) % topics
        of_names[slice_steps[:, None], bearers, np.arange(names)] = weights[slice_steps]
    of_names = _normalise(of_names)

    return _normalise(
        np.concatenate(
            [
                PARTS["topic"] * of_topic + PARTS["any"] * of_any,
                PARTS["general"] * of_general,
                PARTS["names"] * of_names,
            ],
            axis=2,
        )
    )


def _function(rng: np.random.Generator, columns: list[str]) -> np.ndarray:
    """P(function word), (topics, classes, thirds, words)."""
    topics = len(vocabulary.TOPICS)
    weights = np.zeros((topics, len(CLASSES), 3, len(columns)))
    for row, words in enumerate(CLASSES.values()):
        ids = [columns.index(word) for word in words]
        habits = np.exp(rng.normal(0, HABIT, (3, len(words))))
        manners = np.exp(rng.normal(0, MANNER, (topics, 1, len(words))))
        weights[:, row, :, ids] = np.moveaxis(_zipf(len(words)) * habits * manners, 2, 0)
    return _normalise(weights)


def build_language(rng: np.random.Generator, targets: int) -> Language:
    """Return the language that `rng` draws, with `targets` pseudo-words kept for planting.

    Those have ids after all other words, and no probability of their own.
    """
    pseudo = [str(word) for word in rng.permutation(vocabulary.pseudo_words())]
    planted, rest = pseudo[:targets], iter(pseudo[targets:])
    content = [
        *chain.from_iterable(
            (*heads, *(next(rest) for _ in range(RARE_WORDS))) for heads in vocabulary.TOPICS.values()
        ),
        *vocabulary.GENERAL,
        *vocabulary.NAMES,
    ]
    function = list(vocabulary.FUNCTION_WORDS)
    shares = np.exp(rng.normal(0, 0.3, len(vocabulary.TOPICS)))
    return Language(
        words=(*function, *content, *planted),
        targets=tuple(planted),
        function_ids=np.arange(len(function)),
        content_ids=np.arange(len(function), len(function) + len(content)),
        content=_content(rng, RARE_WORDS),
        topics=_normalise(shares * _drift(rng, len(shares), TOPIC_DRIFT)),
        function=_function(rng, function),
    )
