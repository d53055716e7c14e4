"""An engine for data from Python that come with none: the one that `lexbeam init` would write for such texts."""

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lexbeam.transforms.annotation.guessing import guess_engine, guess_language
from lexbeam.transforms.common.errors import UsageError, quoted
from lexbeam.transforms.common.texts.languages import language_of, short_tag

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
