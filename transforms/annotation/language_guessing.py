"""The language of a text, and an engine for it, without loading a model.

>>> guess_language("The cat sat on the mat, and that was all there was to it.")
'en'

Data from Python that come with no engine have the one that `lexbeam init` would write for such texts (`engine_of`).
"""

import functools
import importlib.metadata
import importlib.util
import logging
import os
import re
import runpy
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lexbeam.transforms.common.errors import UsageError, quoted
from lexbeam.transforms.common.texts.languages import language_of, short_tag
from lexbeam.transforms.formats.records.scripts import is_japanese, letters_by_script, scripts_of

# Those with stop words in spaCy and lemmas in an engine.
_CODES = "bg ca cs da de el en es et fa fi fr ga grc hu hy id is it la lt lv mk nb nl pl pt ro ru sk sl sq sv tr uk"
LANGUAGES = tuple(_CODES.split())
# What Windows wrote before Unicode, by language; in western Europe and America cp1252.
CODE_PAGES = {
    "cp1252": (),
    "cp1250": ("cs", "hu", "pl", "ro", "sk", "sl", "sq"),
    "cp1251": ("bg", "mk", "ru", "uk"),
    "cp1253": ("el",),
    "cp1254": ("tr",),
    "cp1257": ("et", "lt", "lv"),
}
# Where most letters are of a script, that tells the language.
_OF_SCRIPT = {"Han": "zh", "Thai": "th", "Hangul": "ko", "Hebrew": "he", "Georgian": "ka", "Malayalam": "ml"}
LEAST = 0.2  # share of stop words of its language in a text; in most texts it is a half
_WORD = re.compile(r"[^\W\d_]+")


def guess_language(text: str) -> str | None:
    """Return the language whose stop words make up the greatest share of the words of a text, or that its script tells.

    None if that share is below a fifth: too little text, or another language.
    """
    if (told := _by_script(text)) is not None:
        return told
    words = Counter(_WORD.findall(text.lower()))
    shares = {
        language: sum(words[word] for word in _stop_words(language)) / max(words.total(), 1) for language in LANGUAGES
    }
    best = max(sorted(shares), key=lambda language: shares[language])
    return best if shares[best] >= LEAST else None


def _by_script(text: str) -> str | None:
    letters = letters_by_script(text)
    if is_japanese(letters) and 2 * sum(letters[script] for script in scripts_of("ja")) > letters.total():
        return "ja"
    return next((tag for script, tag in _OF_SCRIPT.items() if 2 * letters[script] > letters.total()), None)


def code_page(language: str) -> str:
    """Return the code page of Windows in which texts of a language were written before Unicode.

    >>> code_page("pl"), code_page("fr")
    ('cp1250', 'cp1252')
    """
    return next((page for page, languages in CODE_PAGES.items() if language in languages), "cp1252")


@functools.cache
def _stop_words(language: str) -> frozenset[str]:
    package = importlib.util.find_spec("spacy")
    assert package is not None
    assert package.origin is not None
    # The file alone: the package around it takes seconds to import.
    path = os.path.join(os.path.dirname(package.origin), "lang", language, "stop_words.py")
    words = runpy.run_path(path)["STOP_WORDS"]
    return frozenset(word for word in words if word.isalpha())


def guess_engine(language: str) -> str | None:
    """Return an installed engine for a language; None if there is none.

    That is the smallest model of spaCy, else the builtin engine.
    """
    from lexbeam.transforms.annotation.engines.builtin import languages

    installed = {point.name for point in importlib.metadata.entry_points(group="spacy_models")}
    models = [name for name in installed if name.startswith(f"{language}_")]
    if models:
        sizes = ("_sm", "_md", "_lg", "_trf")
        ranked = {end: place for place, end in enumerate(sizes)}
        best = min(models, key=lambda name: (ranked.get(f"_{name.rpartition('_')[2]}", 9), name))
        return f"spacy:{best}"
    return f"builtin:{language}" if language in languages() else None


log = logging.getLogger("lexbeam")
NO_ENGINE = "none"
LOOKED_AT = 300  # texts, the first ones
_BEGINNING = 5_000  # characters of a text
_SHOWN = 60  # those that an error shows


def engine_of(texts: Sequence[tuple[Any, Any]], stated: str | None) -> str:
    """Return the engine for the language of the texts, and warn that it was found.

    Args:
        texts: texts, each with the language that the data say, None if they do not; what is no text does not count.
        stated: the language that the caller states; None: the texts tell.

    Raises:
        UsageError: the language is not recognised, or no installed engine knows it.
    """
    if stated is not None:
        language: str | None = stated
    elif said := Counter(filter(None, (language_of(said) for _, said in texts if isinstance(said, str)))):
        language = said.most_common(1)[0][0]
    else:
        language = guess_language("\n".join(text[:_BEGINNING] for text, _ in texts if isinstance(text, str)))
    if language is None:
        shown = next((quoted(text[:_SHOWN]) for text, _ in texts if isinstance(text, str)), "none")
        raise UsageError(
            f"`engine` must be given: the language of the texts, such as {shown}, was not recognised; builtin:en, say, "
            "annotates English (docs/reference/annotation.md). If these are paths, nothing is there"
        )
    language = short_tag(language)
    engine = guess_engine(language)
    if engine is None:
        raise UsageError(
            f"`engine` must be given: no installed one knows {language!r}, the language of the texts; spacy:NAME, say, "
            "or stanza:LANG (docs/reference/annotation.md)"
        )
    by = "the texts" if stated is None else "`language`"
    log.warning("engine %s, by %s; name one as `engine` to fix it", engine, by)
    return engine
