"""Engine `builtin:LANG`: annotation without downloads.

Tokens are spaCy's rules for the language (those for any language where it has none); sentences
are spaCy's `sentencizer`: a sentence ends after `.`, `!`, `?` and their kin in all scripts, with the punctuation
that follows. Its rules take a full stop off letters of the scripts that they know, here behind combining marks and
small letters of any script, too. Lemmas and parts of speech are HanTa's for English, German and Dutch (its tags mapped
by `segmenters.tag_map`). Other languages, Latin, Spanish and Swedish among them, get simplemma's lemmas, and
no parts of speech: there `upos` is None. Chinese, Japanese and Thai, which are written without spaces, have
words, lemmas and parts of speech of `segmenters`, each with its own extra.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from lexbeam.transforms.annotation.engines import hanta
from lexbeam.transforms.annotation.engines.engine import Annotate, EngineInfo, MapForm, Resolve
from lexbeam.transforms.annotation.engines.segmenters import SEGMENTERS, TAG_MAPS, Segmenter, tag_map
from lexbeam.transforms.annotation.engines.spacy import ReadDoc, annotating, read_docs, sentences_of, versions, zones
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import model_digest
from lexbeam.transforms.common.texts.languages import language_of

# HanTa was trained on plain quotation marks and dashes, and takes others for foreign words.
_PLAIN = str.maketrans("‘’‚‛“”„‟«»‹›–—―", "''''\"\"\"\"\"\"''---")
_WORDLIKE = frozenset("LNM")

Complete = Callable[[list[str]], tuple[list[str] | None, list[str] | None]]


def languages() -> list[str]:
    """Return the codes of all languages that the engine lemmatises, sorted."""
    return sorted({*TAG_MAPS, *SEGMENTERS, *(name.partition(".")[0] for name in os.listdir(_dictionaries()))})


def language_here(text: str) -> str | None:
    """Return the code of the language that a code, tag or name says, if the engine has it: `zh` for `zh-CN`."""
    code = (language_of(text) or "").partition("-")[0]
    return code if code in languages() else None


def _dictionaries() -> str:
    import simplemma

    return os.path.join(os.path.dirname(simplemma.__file__), "strategies", "dictionaries", "data")


def prepare(
    argument: str, resolve: Resolve | None = None, layers: tuple[str, ...] = (), *, lemmas: bool = True
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Return the description of the engine for the language `argument`, and the function that loads it.

    Raises:
        UsageError: there is no such language, or the packages of its extra are not installed.
    """
    if argument not in languages():
        here = language_here(argument)
        # Codes that are near to that of a language are those of others.
        hint = "" if language_of(argument) else nearest(argument, languages())
        if here:
            hint = f"; did you mean {here!r}?"
        raise UsageError(f"builtin has no language {argument!r}{hint} (languages: {' '.join(languages())})")
    if argument in SEGMENTERS:
        return _segmenting(argument, layers, lemmas=lemmas)
    tagged = argument in TAG_MAPS
    library = "HanTa" if tagged else "simplemma"
    model = hanta.model_file(argument) if tagged else os.path.join(_dictionaries(), f"{argument}.plzma")
    info = EngineInfo(
        name=f"builtin:{argument}",
        language=argument,
        fingerprint=f"{versions('spacy', library)} model={model_digest(model)[:32]}",
        has_upos=tagged,
        has_lemmas=lemmas,
    )

    def load() -> Annotate:
        if tagged:
            complete = _with_hanta(argument) if lemmas else _tags_of_hanta(argument)
        else:
            complete = _with_simplemma(argument) if lemmas else lambda _: (None, None)
        return annotating(_splitter(argument), lambda read: _completed(read, complete, layers))

    return info, load


def _segmenting(language: str, layers: tuple[str, ...], *, lemmas: bool) -> tuple[EngineInfo, Callable[[], Annotate]]:
    entry = SEGMENTERS[language]
    entry.check_installed(f"engine 'builtin:{language}'")
    info = EngineInfo(
        name=f"builtin:{language}",
        language=language,
        fingerprint=versions("spacy", *entry.distributions),
        has_upos=True,
        has_lemmas=lemmas,
    )

    def load() -> Annotate:
        nlp = _splitter(language)
        zone = zones(nlp)

        def annotate(paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
            with zone():
                return [
                    [
                        _mapped(sentence, map_form)
                        for sentence in sentences_of(read, lemmas=lemmas, upos=True, kind="builtin", layers=layers)
                    ]
                    for read in read_docs(nlp, paragraphs, None)
                ]

        return annotate

    return info, load


def _mapped(sentence: Sentence, map_form: MapForm | None) -> Sentence:
    """Return a sentence with the parts of speech of marks, its forms mapped: they were tagged as they were cut."""
    forms = sentence.forms or []
    upos = [_upos(form, upos) for form, upos in zip(forms, sentence.upos or [], strict=True)]
    if map_form is None:
        return sentence._replace(upos=upos)
    mapped = [map_form(form) for form in forms]
    lemmas = sentence.lemmas and [
        new if lemma == form else lemma for lemma, form, new in zip(sentence.lemmas, forms, mapped, strict=True)
    ]
    return sentence._replace(forms=mapped, lemmas=lemmas, upos=upos)


def splitting(language: str | None) -> Annotate:
    """Load an engine that splits paragraphs into sentences and word forms, and does nothing else.

    Args:
        language: the language of the rules; None, or a language without rules here: rules for any.
    """
    return annotating(_splitter(language or "xx"), partial(sentences_of, lemmas=False, upos=False, kind="builtin"))


def _splitter(language: str) -> Any:
    import spacy

    segmenter = SEGMENTERS.get(language)
    try:
        nlp = spacy.blank("xx" if segmenter else language)
    except ImportError:  # no such language in spaCy, or its tokeniser needs a package of its own
        nlp = spacy.blank("xx")
    if segmenter is not None and segmenter.is_installed:
        nlp.tokenizer = _tokenizer(nlp.vocab, segmenter)
    elif hasattr(nlp.tokenizer, "suffix_search"):
        suffixes = [*nlp.Defaults.suffixes, *_final_suffixes()]
        nlp.tokenizer.suffix_search = spacy.util.compile_suffix_regex(suffixes).search
    # It leaves the borders of sentences that are there.
    nlp.add_pipe("sentencizer", config={"punct_chars": _finals()})
    return nlp


@lru_cache(1)
def _finals() -> list[str]:
    """Return the signs that end a sentence: spaCy's, and those of Khmer."""
    from spacy.pipeline import Sentencizer

    return [*Sentencizer.default_punct_chars, "\u17d4", "\u17d5"]


@lru_cache(1)
def _final_suffixes() -> tuple[str, ...]:
    """Return patterns of what ends a sentence and is taken off a word, beyond spaCy's.

    A full stop is so behind a combining mark on something, behind two letters without case or small ones, since one
    alone may be an initial, and behind digits and what closes a bracket or a quotation. Letters of Latin script and
    digits of ASCII are left to spaCy; with Armenian letters it is no full stop but a pause.
    """
    by_kind: dict[str, list[int]] = {"M": [], "L": []}
    for point in range(_FIRST, _LAST):
        category = unicodedata.category(chr(point))
        if category[0] == "M":
            by_kind["M"].append(point)
        elif category in ("Ll", "Lo") and point >= _FIRST_LETTER and point not in _ARMENIAN:
            by_kind["L"].append(point)
    marks, letters = map(_class, by_kind.values())
    finals = "".join(sorted(map(re.escape, set(_finals()) - {"."})))
    # What precedes is looked at last: most words do not end so.
    behind = (rf"\w[{marks}]", f"[{letters}{marks}]{{2}}", f"[{_CLOSING}]", r"(?![0-9])\d")
    stops = "|".join(rf"(?<={kind}\.)" for kind in behind)
    return rf"\.(?:{stops})", f"[{finals}]"


# Combining marks begin at U+0300, letters beyond Latin ones at U+0370; behind U+1FFFF there are ideographs alone.
_FIRST, _FIRST_LETTER, _LAST = 0x300, 0x370, 0x20000
_ARMENIAN = range(0x530, 0x590)
_CLOSING = r"\])}»›”’\"'"


def _class(points: list[int]) -> str:
    """Return characters, in their order, as ranges of a class of a pattern."""
    ranges: list[list[int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def _tokenizer(vocab: Any, segmenter: Segmenter) -> Callable[[str], Any]:
    from spacy.tokens import Doc

    segment = segmenter.load()

    def tokenize(text: str) -> Any:
        found = segment(text)
        none = [False] * len(found.words)
        return Doc(vocab, words=found.words, spaces=none, lemmas=found.lemmas, pos=found.upos, sent_starts=found.begins)

    return tokenize


def _completed(read: ReadDoc, complete: Complete, layers: tuple[str, ...]) -> list[Sentence]:
    completed = []
    for sentence in sentences_of(read, lemmas=False, upos=False, kind="builtin", layers=layers):
        lemmas, upos = complete(sentence.forms or [])
        completed.append(sentence._replace(lemmas=lemmas, upos=upos))
    return completed


def _with_hanta(language: str) -> Complete:
    tag = hanta.load_tagger(language).tag
    upos_of = tag_map(language)

    def complete(forms: list[str]) -> tuple[list[str], list[str]]:
        lemmas, upos = [], []
        pairs = tag([form.translate(_PLAIN) for form in forms])
        for form, (lemma, tag_name) in zip(forms, pairs, strict=True):
            lemmas.append(lemma if _is_word(form) else form)
            upos.append(_upos(form, upos_of(tag_name)))
        return lemmas, upos

    return complete


def _tags_of_hanta(language: str) -> Complete:
    tags = hanta.load_tagger(language).tags
    upos_of = tag_map(language)

    def complete(forms: list[str]) -> tuple[None, list[str]]:
        names = tags([form.translate(_PLAIN) for form in forms])
        return None, [_upos(form, upos_of(name)) for form, name in zip(forms, names, strict=True)]

    return complete


def _upos(form: str, upos: str) -> str:
    return upos if _is_word(form) else _upos_of_mark(form, upos)


@lru_cache(1 << 12)
def _is_word(form: str) -> bool:
    return any(unicodedata.category(char)[0] in _WORDLIKE for char in form)


def _upos_of_mark(form: str, upos: str) -> str:
    """Return the UPOS of a token without letter or digit, which HanTa may take for a noun."""
    if upos in ("PUNCT", "SYM", "PART", "CCONJ"):
        return upos
    symbol = all(unicodedata.category(char) in ("Sc", "Sm", "So") or char in "%&§" for char in form)
    return "SYM" if symbol else "PUNCT"


class _Lines:
    """A tokeniser for simplemma that takes each line for a word."""

    def split_text(self, text: str) -> Any:
        return iter(text.split("\n"))


def _with_simplemma(language: str) -> Complete:
    from simplemma import Lemmatizer

    lemmatizer = Lemmatizer(tokenizer=_Lines())

    def complete(forms: list[str]) -> tuple[list[str], None]:
        # A text's lemmas, not a word's: simplemma sees to the capital at the sentence's start.
        return list(lemmatizer.get_lemmas_in_text("\n".join(forms), language)), None

    return complete
