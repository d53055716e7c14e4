"""Which language a text is in, and which engine is there for it, without loading a model.

>>> guess_language("The cat sat on the mat, and that was all there was to it.")
'en'
"""

import functools
import importlib
import re
from collections import Counter

__all__ = ["LANGUAGES", "guess_engine", "guess_language"]

# Those that spaCy has stop words of, and an engine lemmas.
LANGUAGES = (
    "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "ga", "grc", "hu", "hy",
    "id", "is", "it", "la", "lt", "lv", "mk", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sq",
    "sv", "tr", "uk",
)  # fmt: skip
LEAST = 0.2  # of the words of a text are stop words of its language; of most texts, a half
_WORD = re.compile(r"[^\W\d_]+")


def guess_language(text: str) -> str | None:
    """Return the language whose stop words make up the greatest share of the words of a text.

    None where that share is below a fifth: too little text, or another language.
    """
    words = Counter(_WORD.findall(text.lower()))
    shares = {
        language: sum(words[word] for word in _stop_words(language)) / max(words.total(), 1)
        for language in LANGUAGES
    }
    best = max(sorted(shares), key=lambda language: shares[language])
    return best if shares[best] >= LEAST else None


@functools.cache
def _stop_words(language: str) -> frozenset[str]:
    module = importlib.import_module(f"spacy.lang.{language}.stop_words")
    return frozenset(word for word in module.STOP_WORDS if word.isalpha())


def guess_engine(language: str) -> str | None:
    """Return an engine that is installed for a language; None if there is none.

    That is the smallest model of spaCy, else the builtin one.
    """
    from spacy.util import get_installed_models

    from transforms.annotation.builtin import languages

    models = sorted(name for name in get_installed_models() if name.startswith(f"{language}_"))
    if models:
        sizes = ("_sm", "_md", "_lg", "_trf")
        ranked = {end: place for place, end in enumerate(sizes)}
        best = min(models, key=lambda name: (ranked.get(f"_{name.rpartition('_')[2]}", 9), name))
        return f"spacy:{best}"
    return f"builtin:{language}" if language in languages() else None
