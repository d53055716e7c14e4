"""Word frequencies of the package wordfreq (extra `frequency`), and trigrams counted from them.

`wordfreq:LANG` compiles the package's own list, on the Zipf scale. What is looked up gets what
`wordfreq.zipf_frequency` returns, to the last digit, but null where that has nothing: a word that
is not listed, or text without a word. Listed words are found by their keys. Others are cut into
tokens by wordfreq, each distinct one once: capitals, vowel points and other marks are treated by the
rules of the language, digits of a number count as zeros times the share of that number, and the
frequencies of several tokens are added as 1/f = 1/f1 + 1/f2 + ... (0.0: below one in 10^9).

Chinese, Japanese and Korean need tokenisers that wordfreq does not bring: for them listed words are
found, others are null.

`trigrams:LANG` says how probable a character is after the two before it. The words of the same list
count as often as they are used, in lower case, with two marks `_` before each and one behind it. The
value of a trigram abc is log10 of f(abc) / f(ab), the maximum likelihood estimate.
"""

import math
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError, UsageError, missing_package, nearest
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.lexicon.compiled.resource_kind import Opened, ResourceKind
from lexbeam.transforms.lexicon.compiled.word_keys import coded, lowered
from lexbeam.transforms.lexicon.compiled.word_list import LOOKED_UP, ArgumentOptions, WordList, words_from

_FORM = "wordfreq:LANG[,wordlist=best|large|small]"
_WORDLISTS = ("best", "large", "small")
_ARGUMENT = re.compile(r"(\w[\w -]*)(?:[,:]wordlist=(\w+))?")

# Without them a word between spaces is a token; with them, so are parts of it.
_UNSPACED = frozenset({"ja", "ko", "yue", "zh"})
# I is not the capital of i.
_DOTLESS = frozenset({"az", "kk", "tr"})
_LEAST = 1e-9  # the least frequency that wordfreq returns


def _parsed(argument: str) -> tuple[str, str]:
    """Return language, as a code, and list.

    Raises:
        UsageError: the argument is malformed, or there is no such language or list.
    """
    match = _ARGUMENT.fullmatch(argument)
    if match is None:
        raise UsageError(f"wordfreq:{argument} is not of the form {_FORM}")
    language, wordlist = stated_language(match[1]), match[2] or "best"
    if wordlist not in _WORDLISTS:
        known = ", ".join(_WORDLISTS)
        raise UsageError(f"wordlist={wordlist}: there are {known}{nearest(wordlist, _WORDLISTS)}")
    return language, wordlist


def _language(argument: str) -> str:
    return _parsed(argument)[0]


def _missing_package() -> LexbeamError:
    return missing_package("word frequencies need", "wordfreq", "frequency")


def zipf_values(argument: str) -> pa.Table:
    """Return the words of one of wordfreq's lists and their frequencies.

    Args:
        argument: `LANG` or `LANG,wordlist=large`.

    Returns:
        `word` and `value`: the logarithm, to base 10, of uses in 10^9 words.

    Raises:
        LexbeamError: wordfreq is not installed, or has no such list.
    """
    language, wordlist = _parsed(argument)
    try:
        from wordfreq import available_languages, get_frequency_list
    except ImportError as error:
        raise _missing_package() from error
    known = available_languages(wordlist)
    if language not in known:
        raise LexbeamError(
            f"wordfreq has no list {wordlist!r} of language {language!r}; there are {', '.join(sorted(known))}"
        )
    words: list[str] = []
    values: list[float] = []
    # A band is a centibel, the first is frequency 1.
    for centibels, band in enumerate(get_frequency_list(language, wordlist)):
        words += band
        values += [(900 - centibels) / 100] * len(band)
    get_frequency_list.cache_clear()
    return pa.table({"word": words, "value": values})


class Frequencies:
    """Zipf frequencies of words of a language.

    Attributes:
        facts: as for a word list.
        scale: the least and the greatest value that a word can have.
    """

    def __init__(self, opened: Opened, language: str) -> None:
        self._list = WordList(opened, "keep")
        self._language = language
        self.facts = self._list.facts
        self.scale = self._list.scale

    def look_up(self, words: pa.Array | pa.ChunkedArray, pos: pa.Array | pa.ChunkedArray | None = None) -> pa.Table:
        """Return `value`, with null as `sd` and `n`, as a word list does; `pos` is not used."""
        distinct, places = coded(words)
        values = self._list.values(distinct)
        self._add_lowered(distinct, values)
        self._add_tokens(distinct, values)
        values = np.append(values, np.nan)[places]
        null = pa.nulls(len(values), pa.float64())
        return pa.table([pa.array(values, mask=np.isnan(values)), null, null], schema=LOOKED_UP)

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the list says of a word, for a person."""
        value = self.look_up(pa.array([word]))["value"][0].as_py()
        if value is not None:
            yield "Zipf frequency", f"{value:g} (log10 of uses in 10^9 words, {self._language})"

    def _add_lowered(self, words: pa.Array, values: np.ndarray) -> None:
        """Look up words of nothing but ASCII letters in lower case: they are one token."""
        if self._base in _UNSPACED | _DOTLESS:
            return
        left = np.flatnonzero(np.isnan(values))
        taken = words.take(pa.array(left))
        plain = pc.match_substring_regex(taken, "^[A-Za-z]*[A-Z][A-Za-z]*$")
        left = left[plain.to_numpy(zero_copy_only=False).astype(bool)]
        if len(left):
            values[left] = self._list.values(lowered(words.take(pa.array(left))))

    def _add_tokens(self, words: pa.Array, values: np.ndarray) -> None:
        """Cut the remaining words into tokens, and look these up."""
        if self._base in _UNSPACED:
            return
        left = np.flatnonzero(np.isnan(values))
        taken = words.take(pa.array(left))
        single = "^[a-z]*$" if self._base in _DOTLESS else "^[A-Za-z]*$"
        done = pc.match_substring_regex(taken, single).to_numpy(zero_copy_only=False)
        left = left[~done.astype(bool)]
        if not len(left):
            return
        try:
            from wordfreq.numbers import digit_freq, smash_numbers
            from wordfreq.tokens import lossy_tokenize
        except ImportError as error:
            raise _missing_package() from error
        texts = words.take(pa.array(left)).to_pylist()
        tokens = [lossy_tokenize(text, self._language) for text in texts]
        flat = [token for parts in tokens for token in parts]
        smashed = [smash_numbers(token) for token in flat]
        listed, places = coded(pa.array(smashed, pa.large_string()))
        zipf = self._list.values(listed)[places]
        start = 0
        for place, parts in zip(left, tokens, strict=True):
            numbers = range(start, start + len(parts))
            start += len(parts)
            if not parts or np.isnan(zipf[numbers.start : numbers.stop]).any():
                continue
            inverse = 0.0
            for number in numbers:
                frequency = 10 ** (round(zipf[number] * 100 - 900) / 100)
                if smashed[number] != flat[number]:
                    frequency *= digit_freq(flat[number])
                inverse += 1.0 / frequency
            values[place] = _rounded(1.0 / inverse)

    @property
    def _base(self) -> str:
        return re.split("[-_]", self._language)[0].lower()


def _rounded(frequency: float) -> float:
    """Return a frequency on the Zipf scale, rounded as wordfreq does: 3 digits, then 2 decimals."""
    frequency = max(frequency, _LEAST)
    frequency = round(frequency, math.floor(-math.log(frequency, 10)) + 3)
    return round(math.log(frequency, 10) + 9, 2)


def _open(opened: Opened, options: ArgumentOptions) -> Frequencies:
    return Frequencies(opened, _language(options.argument))


WORDFREQ: ResourceKind = words_from(
    zipf_values, help=_FORM, language=_language, case="keep", scale=(0.0, 9.0)
)._replace(open=_open, modules=("wordfreq",))


def trigram_values(argument: str) -> pa.Table:
    """Return trigrams and the probability of their last character after the others.

    Args:
        argument: a language.

    Returns:
        `word`, a trigram, and `value`, log10 of a probability.

    Raises:
        LexbeamError: wordfreq is not installed, or lacks the language.
    """
    listed = zipf_values(argument)
    totals: dict[str, float] = {}
    for text, zipf in zip(listed["word"].to_pylist(), listed["value"].to_pylist(), strict=True):
        frequency = 10.0 ** (zipf - 9)
        for trigram in _trigrams(f"__{text.lower()}_"):
            totals[trigram] = totals.get(trigram, 0.0) + frequency
    before: dict[str, float] = {}
    for trigram, frequency in totals.items():
        before[trigram[:2]] = before.get(trigram[:2], 0.0) + frequency
    # A trigram with white space or a character that is not printed is no word that a list can hold.
    trigrams = sorted(trigram for trigram in totals if trigram.isprintable() and " " not in trigram)
    values = [float(np.log10(totals[trigram] / before[trigram[:2]])) for trigram in trigrams]
    return pa.table({"word": pa.array(trigrams, pa.large_string()), "value": values})


def _trigrams(text: str) -> Iterator[str]:
    return (text[at : at + 3] for at in range(len(text) - 2))


TRIGRAMS: ResourceKind = words_from(
    trigram_values, help="trigrams:LANG", language=_language, case="keep", duplicates="first"
)._replace(modules=("wordfreq",))
