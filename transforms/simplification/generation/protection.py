"""Targets that get no candidates: names, and words that a person protects.

>>> instance = Instance("", "en", "In Rome, Romans roam.", "Romans", 9, 15, None, None, None)
>>> protection(instance, "protect", {"roam"}), protection(instance, "replace", {"romans"})
('name', 'word')
"""

from collections.abc import Collection

from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.simplification.generation.forms import alike
from lexbeam.transforms.simplification.records import Instance

PROTECTED = {
    "name": "names: capitalised within a sentence, and proper nouns where there is annotation",
    "word": "words of `protect`, as form or lemma",
}

# Languages that capitalise all nouns.
_CAPITALS = ("de", "lb")


def protection(instance: Instance, names: str, words: Collection[str], lemmas: Collection[str] = ()) -> str | None:
    """Return why a target gets no candidates, one of `PROTECTED`; None: it may get some.

    Args:
        instance: the target in its sentence.
        names: `protect` or `replace`.
        words: protected words, in the form of `alike`.
        lemmas: those that the target may have, where the annotation has none.
    """
    known_lemmas = [instance.lemma] if instance.lemma else lemmas
    if any(alike(text) in words for text in (instance.target, *known_lemmas)):
        return "word"
    return "name" if names == "protect" and is_name(instance) else None


def is_name(instance: Instance) -> bool:
    """Return whether a target is a name.

    Where a part of speech is known, a name is a proper noun with a capital. Else it is a word with a
    capital within a sentence, except in languages that capitalise all nouns and in sentences in
    capitals.
    """
    if not instance.target[:1].isupper():
        return False
    if instance.upos is not None:
        return instance.upos == "PROPN"
    return names_from(instance.sentence, instance.language) < instance.start


def names_from(sentence: str, language: str) -> int:
    """Return the place behind which a word with a capital is a name, where no part of speech is known.

    >>> names_from("- In Rome", "en"), names_from("IN ROME", "en"), names_from("In Rom", "de")
    (2, 7, 6)
    """
    if language.partition("-")[0] in _CAPITALS or not any(map(str.islower, sentence)):
        return len(sentence)
    return next((place for place, char in enumerate(sentence) if char.isalnum()), len(sentence))


def read_words(path: str | None, name: str) -> tuple[str, ...]:
    """Return the words of a file, one a line, in the form of `alike`, sorted; none without a file.

    Args:
        path: of the file.
        name: the option that names it.

    Raises:
        UsageError: it cannot be read, or is no such text.
    """
    if path is None:
        return ()
    return tuple(sorted({alike(line) for line in word_lines(path, name, phrases=True) if line}))
