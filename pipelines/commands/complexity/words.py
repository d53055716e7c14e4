"""Words given from Python, scored at once: what `lexbeam.complexity.score(words=...)` returns."""

from dataclasses import dataclass

import pyarrow as pa

from lexbeam.pipelines.frame.command import StringCall
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.texts.languages import short_tag, stated_language
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.scorers.word_scorer import LANGUAGE, scored_words


@dataclass(frozen=True, kw_only=True)
class ScoreWordsOptions:
    """Options of words that are scored by themselves."""

    words: tuple[str, ...] = option(
        help="words, in place of a folder: nothing is published, and their frequency and complexity are returned",
        split=False,
    )
    language: str = option(LANGUAGE, help="language of `words`", metavar="L", stands_for=stated_language)
    model: str | None = option(
        None, help="of `words`: a scorer that `save` kept; without one, frequency alone", metavar="MODEL", path="place"
    )
    lists: FeatureLists = embedded(FeatureLists)


def _score(options: ScoreWordsOptions) -> pa.Table:
    """Return a row for each word.

    Raises:
        UsageError: one is empty.
    """
    words = [" ".join(word.split()) for word in options.words]
    if "" in words or not words:
        raise UsageError("`words`: there is an empty one, or none: give at least one word, and no empty texts")
    return scored_words(words, short_tag(options.language), options.lists, options.model)


WORDS_SCORED = StringCall(
    ScoreWordsOptions,
    "A row for each of `words`: word, zipf, complexity (0: very easy, 1: very hard), and its value in each `wordlist`.",
    _score,
)
