"""Target words: the file that names them, normalised as the corpus is, and near misses.

A target may carry its broad part of speech as the English ones of SemEval-2020 Task 1 do
(Schlechtweg et al. 2020): `attack_nn` is `attack` tagged NOUN, `_vb` VERB, `_jj` ADJ. Only targets
are joined with their tag; every other word stays bare.

>>> targets = load_targets(["Attack_nn", "liber#4", "liber"], ViewOptions())
>>> targets.words, targets.joined, targets.needs_upos
(('attack_nn', 'liber'), (('attack', 'NOUN', 'attack_nn'),), True)
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexbeam.transforms.change.view.words import ViewOptions, is_word, normalise_word
from lexbeam.transforms.common.errors import UsageError, quoted
from lexbeam.transforms.common.texts.characters import broken

UPOS_OF_SUFFIX = {"nn": "NOUN", "vb": "VERB", "jj": "ADJ"}

_SUFFIXED = re.compile(rf"(.+)_({'|'.join(UPOS_OF_SUFFIX)})", re.DOTALL)


@dataclass(frozen=True)
class ViewTargets:
    """The targets as words of the view, sorted, and which of them are joined with a tag.

    `joined` holds (bare word, UPOS tag, word of the view). A bare target has no tag; where a word
    is a target both bare and with a tag, uses with that tag count for the latter only.
    """

    words: tuple[str, ...] = ()
    joined: tuple[tuple[str, str, str], ...] = ()

    @property
    def needs_upos(self) -> bool:
        """Whether some target is known by its part of speech alone."""
        return bool(self.joined)


def suffix_of(text: str) -> str | None:
    """Return the suffix that says a word's part of speech, `nn`, `vb` or `jj`; None without one."""
    match = _SUFFIXED.fullmatch(text)
    return match[2] if match else None


def target_word(text: str, options: ViewOptions) -> str:
    """Return the word of the view that a target is, as `load_targets` has it."""
    match = _SUFFIXED.fullmatch(text) if options.target_pos == "join" else None
    bare = normalise_word(match[1] if match else text, options)
    return f"{bare}_{match[2]}" if match else bare


def load_targets(lines: Iterable[str], options: ViewOptions) -> ViewTargets:
    """Return the targets of a file, of which `word_lines` gives the word of each line.

    Empty lines are skipped; duplicates are merged.

    Raises:
        UsageError: a line has no letter or digit, or the file has no target.
    """
    words: set[str] = set()
    joined: set[tuple[str, str, str]] = set()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        match = _SUFFIXED.fullmatch(text) if options.target_pos == "join" else None
        bare = normalise_word(match[1] if match else text, options)
        if not is_word(bare):
            raise UsageError(f"`targets`, line {number}: {quoted(text)} has no letter or digit; remove it")
        word = f"{bare}_{match[2]}" if match else bare
        words.add(word)
        if match:
            joined.add((bare, UPOS_OF_SUFFIX[match[2]], word))
    if not words:
        raise UsageError("`targets`: the file names no target: one word per line is expected")
    return ViewTargets(tuple(sorted(words)), tuple(sorted(joined)))


def near_matches(missing: Sequence[str], vocabulary: Iterable[str], limit: int = 3) -> dict[str, list[str]]:
    """Return, for each missing target, up to `limit` words that may be meant, likeliest first.

    First come words equal to it but for its part-of-speech suffix, case, diacritics, or u for v
    and i for j; then words alike in spelling (difflib) that share the first or last three letters
    and are at most two letters longer or shorter.
    """
    wanted = {word: _skeleton(_bare(word)) for word in missing}
    index: dict[tuple[str, str], list[str]] = {}
    for target, key in wanted.items():
        for place in _places(key):
            index.setdefault(place, []).append(target)
    same: dict[str, set[str]] = {word: set() for word in missing}
    alike: dict[str, set[str]] = {word: set() for word in missing}
    for word in vocabulary:
        key = _skeleton(_bare(word))
        for place in _places(key):
            for target in index.get(place, ()):
                if key == wanted[target]:
                    same[target].add(word)
                elif abs(len(key) - len(wanted[target])) <= 2:
                    alike[target].add(word)
    return {
        target: (sorted(same[target]) + difflib.get_close_matches(_bare(target), sorted(alike[target]), limit, 0.7))[
            :limit
        ]
        for target in missing
    }


def _bare(word: str) -> str:
    match = _SUFFIXED.fullmatch(word)
    return match[1] if match else word


def _places(key: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("head", key[:3]), ("tail", key[-3:])


def _skeleton(word: str) -> str:
    if not word.isascii():
        decomposed = unicodedata.normalize("NFD", broken(word)[0])
        word = "".join(char for char in decomposed if not unicodedata.combining(char))
    return word.casefold().replace("v", "u").replace("j", "i")
