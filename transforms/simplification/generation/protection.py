"""Targets that get no candidates: names, and words that a person protects.

>>> one = Instance("", "en", "In Rome, Romans roam.", "Romans", 9, 15, None, None, None)
>>> protection(one, "protect", {"roam"}), protection(one, "replace", {"romans"})
('name', 'word')
"""

from collections.abc import Collection

from transforms.simplification.generation.forms import key_of
from transforms.simplification.records import Instance

__all__ = ["PROTECTED", "is_name", "protection"]

PROTECTED = {
    "name": "names: capitalised within a sentence, and proper nouns where there is annotation",
    "word": "words of `protect`, as form or lemma",
}

# Languages that capitalise what is no name.
_CAPITALS = ("de", "lb")


def protection(instance: Instance, names: str, words: Collection[str], lemmas: Collection[str] = ()) -> str | None:
    """Return why a target gets no candidates, one of `PROTECTED`; None: it may get some.

    Args:
        instance: the target in its sentence.
        names: `protect` or `replace`.
        words: that are protected, as `key_of` has them.
        lemmas: those that it may be of, where the annotation does not say.
    """
    own = [instance.lemma] if instance.lemma else lemmas
    if any(key_of(text) in words for text in (instance.target, *own)):
        return "word"
    return "name" if names == "protect" and is_name(instance) else None


def is_name(instance: Instance) -> bool:
    """Return whether a target is a name.

    A part of speech decides where there is one: a proper noun with a capital. Else a capital does,
    where the sentence does not begin with it, but not in languages in which nouns have them, nor in
    a sentence of capitals alone.
    """
    if not instance.target[:1].isupper():
        return False
    if instance.upos is not None:
        return instance.upos == "PROPN"
    begins = not any(c.isalnum() for c in instance.sentence[: instance.start])
    told = any(c.islower() for c in instance.sentence)
    return told and not begins and instance.language.partition("-")[0] not in _CAPITALS
