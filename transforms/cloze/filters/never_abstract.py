"""Words that are no abstract answer, however low their concreteness: names, unlisted words, function words.

The authors of ReCAM chose none of them: of the 1,000 targets of the imperceptibility trial file 2 are tagged as proper
nouns, 3 more stand with a capital within a sentence, and 6 are function words. Of a word that a model of concreteness
does not list it knows the letters alone, which say little: its value lies near the mean, and so near the threshold.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.filters.batches import PairBatch
from lexbeam.transforms.cloze.word_resources import tags_of
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.wordnet.stop_words import CLOSED_ADVERBS, STOP_WORDS

# What an option calls them, and what a match does.
NEVER_ABSTRACT = {"names": "name", "unlisted": "unlisted", "function-words": "function word"}

_CAPITAL = r"^\p{Lu}"
_ENGLISH = ("en",)
_NOUNS_HAVE_CAPITALS = ("de", "lb")
_LIGHT = ("be", "do", "have")
_CLOSED = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ")


def names(batch: PairBatch, asked: np.ndarray) -> np.ndarray:
    """Return which words are names, or part of one: proper nouns, and words with a capital within a sentence.

    A capital says nothing behind a mark, in a summary more than half of whose words have one (a headline in title
    case), and in German, where nouns have capitals.
    """
    rows, summary = pa.array(asked), batch.summary
    proper = _flags(pc.equal(summary.upos.take(rows), "PROPN"))
    capital = _flags(pc.match_substring_regex(summary.forms, _CAPITAL))
    within = np.zeros(len(capital), bool)
    within[1:] = summary.words[:-1] & (summary.owners[1:] == summary.owners[:-1])
    pairs = len(summary.bounds) - 1
    words = np.bincount(summary.owners[within & summary.words], minlength=pairs)
    capitals = np.bincount(summary.owners[within & capital], minlength=pairs)
    says_nothing = (2 * capitals > words) | _of_language(batch, _NOUNS_HAVE_CAPITALS)
    part = within & capital & ~says_nothing[summary.owners]
    return np.asarray(proper | part[asked])


def function_words(batch: PairBatch, asked: np.ndarray) -> np.ndarray:
    """Return which words are function words: of a closed class, in any language, or listed ones.

    Of English ones no nouns, and of verbs *be, do* and *have* alone; of other languages adverbs alone, for *solo* and
    *ganz* are adjectives, too.
    """
    rows, summary = pa.array(asked), batch.summary
    upos, lemmas = summary.upos.take(rows), pc.utf8_lower(summary.lemmas.take(rows))
    closed = _flags(pc.is_in(upos, value_set=pa.array(_CLOSED, upos.type)))
    words = pa.array(STOP_WORDS, pa.large_string())
    listed = _flags(pc.is_in(pc.utf8_lower(summary.forms.take(rows)), value_set=words))
    listed |= _flags(pc.is_in(lemmas, value_set=words))
    content = _flags(pc.is_in(upos, value_set=pa.array(["NOUN", "PROPN", "VERB"], upos.type)))
    light = _flags(pc.equal(upos, "VERB")) & _flags(pc.is_in(lemmas, value_set=pa.array(_LIGHT, lemmas.type)))
    english = _of_language(batch, _ENGLISH)[summary.owners[asked]]
    return np.asarray(closed | (listed & ~content | light) & english | _closed_adverbs(batch, rows))


def _closed_adverbs(batch: PairBatch, asked: pa.Array) -> np.ndarray:
    """Return which words are adverbs, or not tagged, and of a closed class in their language."""
    summary = batch.summary
    upos, forms = summary.upos.take(asked), straight_words(pc.utf8_lower(summary.forms.take(asked)))
    adverbs = np.asarray(pc.equal(upos, "ADV").fill_null(True).to_numpy(zero_copy_only=False), bool)
    owners = summary.owners[asked.to_numpy()]
    found = np.zeros(len(forms), bool)
    for language, words in CLOSED_ADVERBS.items():
        if (own := _of_language(batch, (language,))[owners]).any():
            found |= own & _flags(pc.is_in(forms, value_set=pa.array(words, forms.type)))
    return np.asarray(found & adverbs)


def _of_language(batch: PairBatch, tags: tuple[str, ...]) -> np.ndarray:
    languages = tags_of(batch.rows["language"].combine_chunks())
    return _flags(pc.is_in(languages, value_set=pa.array(tags, languages.type)))


def _flags(values: pa.Array) -> np.ndarray:
    return np.asarray(values.fill_null(False).to_numpy(zero_copy_only=False), bool)
