"""Words of the training view: a lemma or form of the corpus as a word to train on, targets, parts of speech.

A word is made in this order: NFC, white space within a token to `_`, homonym marks stripped (`liber#4` is `liber`),
lower case, straight apostrophes (texts of several times and printers are compared). Tokens without a
letter, digit or mark (Unicode categories L, N, M) are punctuation, whatever their tag. The
targets file goes through the same function.

>>> normalise_word("Liber#4", ViewOptions())
'liber'
>>> is_word("o'"), is_word("--"), is_word("1848")
(True, False, True)

Targets are normalised as the corpus is; near misses are told. A target may carry its broad part of speech as the
English ones of SemEval-2020 Task 1 do (Schlechtweg et al. 2020): `attack_nn` is `attack` tagged NOUN, `_vb` VERB, `_jj`
ADJ. Only targets are joined with their tag; every other word stays bare.

>>> targets = load_targets(["Attack_nn", "liber#4", "liber"], ViewOptions())
>>> targets.words, targets.joined, targets.needs_upos
(('attack_nn', 'liber'), (('attack', 'NOUN', 'attack_nn'),), True)

Of parts of speech there are tags as numbers, uses by tag, and the tag that most uses have. A tag's number is its place
in `lexbeam.schemas.corpus_tables.UPOS`; `NO_TAG` stands for no tag, or none of the universal parts of speech. Since
most words have one tag or two, uses of words by tag are held as cells: word * TAGS + tag, with the number of uses
beside it.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.characters import broken, nfc, seen, straight
from lexbeam.transforms.common.texts.languages import short_tag

CHOICES = {
    "unit": ("lemma", "form"),
    "case": ("auto", "lower", "keep"),
    "homonym_marks": ("strip", "keep"),
    "length_counts": ("all", "words"),
    "target_pos": ("join", "keep"),
}

_MARK = re.compile(r"(?<=.)#\d+$", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """How the training view is derived from the sentences.

    Attributes:
        unit: train on `lemma` or `form`.
        case: `lower`, `keep`, or `auto`: as suits the language (`case_of`). A plan replaces `auto`;
            where it still stands, words are lowered.
        homonym_marks: `strip` or `keep` what looks like `#4` at a word's end.
        min_sentence: shorter sentences are dropped.
        length_counts: a sentence's length counts `all` tokens, or `words` (no punctuation).
        target_pos: `join` a target's part of speech to its word (`attack` tagged NOUN becomes
            `attack_nn` if that is a target); `keep` takes targets as they stand, for text whose
            words carry their suffix already.
        seed: of shuffling and downsampling.
    """

    unit: str = option("lemma", help="what is trained on", choices=CHOICES["unit"])
    case: str = option(
        "auto", help="letter case of the words; auto: lower, but keep for German", choices=CHOICES["case"]
    )
    homonym_marks: str = option("strip", help="marks like #4 at a lemma's end", choices=CHOICES["homonym_marks"])
    min_sentence: int = option(10, help="shorter sentences are dropped", metavar="TOKENS")
    length_counts: str = option("all", help="what a sentence's length counts", choices=CHOICES["length_counts"])
    target_pos: str = option(
        "join",
        help="join targets like attack_nn with their part of speech, or keep them as text",
        choices=CHOICES["target_pos"],
    )
    seed: int = option(0, name="view_seed", help="seed of shuffling and downsampling", metavar="SEED")

    def __post_init__(self) -> None:
        for field in fields(self):
            known = CHOICES.get(field.name)
            value = getattr(self, field.name)
            if known and value not in known:
                hint = nearest(value, known)
                raise UsageError(f"`{field.name}` {value!r}{hint} (one of {known})")
        if self.min_sentence < 0:
            raise UsageError(f"`min_sentence` {self.min_sentence}: must be 0 or more")


def normalise_word(text: str, options: ViewOptions) -> str:
    """Return a lemma or form as the view has it; empty if it is empty or all white space."""
    word = nfc("_".join(seen(text).split()))
    if options.homonym_marks == "strip":
        word = _MARK.sub("", word)
    if options.case != "keep":
        # Lower case of composed letters may be decomposed ones.
        word = nfc(word.lower())
    return straight(word)


def case_of(languages: Iterable[str]) -> str:
    """Return what `auto` is for texts in these languages: `keep` for German, else `lower`.

    German nouns differ from other words by their capitals (`Band` and `band`, `Arm` and `arm`), which
    their lemmas have wherever they stand; in other languages a capital marks the beginning of a
    sentence, or a name.

    Args:
        languages: codes, tags or names such as `de`, `de-AT`; empty if none is known.

    Raises:
        UsageError: they disagree.
    """
    keep: list[str] = []
    lower: list[str] = []
    for language in sorted(set(languages)):
        (keep if short_tag(language) == "de" else lower).append(language)
    if keep and lower:
        raise UsageError(
            f"words of {', '.join(keep)} keep their case, those of {', '.join(lower)} do not: give "
            "`case` as keep or lower"
        )
    return "keep" if keep else "lower"


def case_text(view: ViewOptions, case: str) -> str:
    """Return what a run says about letter case, from the view's options and the option `case` as given."""
    if view.case != "keep":
        return "words in lower case"
    return "words keep their case" + (" (German)" if case == "auto" else "")


def is_word(text: str) -> bool:
    """Return whether `text` has a letter, a digit or a mark; all else is punctuation."""
    return text.isalnum() or any(unicodedata.category(char)[0] in "LNM" for char in text)


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


Ints = npt.NDArray[np.int64]
Tags = npt.NDArray[np.uint8]

TAGS = len(UPOS)
NO_TAG = TAGS
USES = pa.map_(pa.uint8(), pa.int64())  # of a word, by tag; null without tags

_CODES = {tag: code for code, tag in enumerate(UPOS)}


class TagUses(NamedTuple):
    """Uses by word and tag: cells, each once, and the uses of each, above 0."""

    cells: Ints
    uses: Ints


def tag_codes(tags: pa.Array) -> Tags:
    """Return the numbers of tags, strings or a dictionary of them; NO_TAG for null."""
    encoded = tags if pa.types.is_dictionary(tags.type) else tags.dictionary_encode()
    known = encoded.dictionary.to_pylist()
    codes = np.array([*(_CODES.get(tag, NO_TAG) for tag in known), NO_TAG], np.uint8)
    return np.asarray(codes[encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)])


def count_cells(words: Ints, tags: Tags, places: Ints) -> TagUses:
    """Return the uses by word and tag of tokens.

    Args:
        words: of each token, numbered as in `places`.
        tags: of each token.
        places: the word that each number stands for, none twice.
    """
    uses = np.bincount(words * (TAGS + 1) + tags)
    used = np.flatnonzero(uses)
    word, tag = np.divmod(used, TAGS + 1)
    tagged = tag < TAGS
    return TagUses(places[word[tagged]] * TAGS + tag[tagged], uses[used[tagged]])


def total_cells(several: Sequence[TagUses]) -> TagUses:
    """Return the sums of several counts, by cell in order."""
    if not several:
        return TagUses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    cells, place = np.unique(np.concatenate([counts.cells for counts in several]), return_inverse=True)
    uses = np.zeros(len(cells), np.int64)
    np.add.at(uses, place, np.concatenate([counts.uses for counts in several]))
    return TagUses(cells, uses)


def as_lists(counts: TagUses, words: int) -> pa.MapArray:
    """Return uses by tag, of type `USES`, for each of a number of words; cells are in order."""
    offsets = np.searchsorted(counts.cells, np.arange(words + 1) * TAGS)
    return pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(counts.cells % TAGS, pa.uint8()), pa.array(counts.uses, pa.int64())
    )


def as_cells(lists: pa.MapArray, places: Ints) -> TagUses:
    """Return uses by tag as cells, each entry of `lists` under its word in `places`."""
    offsets = lists.offsets.to_numpy()
    tags, uses = (values.to_numpy()[offsets[0] : offsets[-1]].astype(np.int64) for values in (lists.keys, lists.items))
    return TagUses(np.repeat(places, np.diff(offsets)) * TAGS + tags, uses)


class Majority(NamedTuple):
    """The tag that most tagged uses of a word have, and its share; null if none is tagged."""

    upos: pa.Array
    share: pa.Array


def majority(uses: Ints | None, words: int) -> Majority:
    """Return the majority tags of a number of words, ties by the order of `UPOS`.

    Args:
        uses: of each word by tag, a row for each word; None without tags.
        words: how many words there are.
    """
    if uses is None:
        return Majority(pa.nulls(words, pa.string()), pa.nulls(words, pa.float64()))
    total = uses.sum(axis=1)
    untagged = total == 0
    share = uses.max(axis=1) / np.maximum(total, 1)
    upos = pa.array(uses.argmax(axis=1), mask=untagged)
    return Majority(pa.array(UPOS, pa.string()).take(upos), pa.array(share, mask=untagged))
