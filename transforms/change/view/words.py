"""Words of the training view: how a lemma or form of the corpus becomes a word to train on.

In order: NFC, white space within a token to `_`, homonym marks stripped (`liber#4` is `liber`),
lower case, straight apostrophes (texts of several times and printers are compared). Tokens without a
letter, digit or mark (Unicode categories L, N, M) are punctuation, whatever their tag. The
targets file goes through the same function.

>>> normalise_word("Liber#4", ViewOptions())
'liber'
>>> is_word("o'"), is_word("--"), is_word("1848")
(True, False, True)
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields

from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.characters import nfc, seen, straight
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
