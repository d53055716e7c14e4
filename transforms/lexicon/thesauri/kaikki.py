"""Extracts of Wiktionary (kaikki.org, wiktextract): JSON lines, a word with one part of speech each.

Taken are `word`, `pos`, and of its `senses`, and beside them, `synonyms` and `hypernyms` (`word`, `tags`, `sense`).
Synonyms beside the senses belong to one sense for each text of `sense`; those without it are one sense together. What
has a tag of `MARKED` is left out: such a word is no simpler one, and such a sense not the one that is meant. A file of
several languages is read for one, by `lang_code`, if the language is named.

    >>> line = b'{"word": "casa", "pos": "noun", "senses": [{"synonyms": [{"word": "hogar"}]}]}'
    >>> for word, sense in read_kaikki(ThesaurusFile("es.jsonl", [line])):
    ...     print(word, sense.id, sense.pos, [member.text for member in sense.members])
    casa casa#1 NOUN ['hogar']
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from lexbeam.transforms.common.texts.characters import seen
from lexbeam.transforms.lexicon.thesauri.senses import Member, ThesaurusFile, ThesaurusSense, WordSense, pos_of, tidy

LINE = 1 << 24  # a word with all of its translations and quotations
MARKED = frozenset({"archaic", "obsolete", "dated", "historical", "misspelling", "nonstandard", "rare", "slang"})
_RELATIONS = ("synonyms", "hypernyms")
_THESAURUS = "Thesaurus:"  # a page of its own, not a word


def read_kaikki(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the senses that have another word, with their words in lower case.

    Counts `other_language` (words), `marked` (senses, and synonyms) and `no_text` (synonyms).

    Raises:
        LexbeamError: a line is no JSON object with a word.
    """
    senses_of: Counter[str] = Counter()
    language = source.options.language
    for number, line in source.texts():
        entry = _parsed(line)
        word = entry.get("word")
        if not isinstance(word, str):
            raise source.wrong(number, 'a JSON object with "word"', line)
        word = _text(word).lower()
        if language and entry.get("lang_code", language) != language:
            source.left_out["other_language"] += 1
            continue
        pos = entry.get("pos")
        for members in _senses(entry, source):
            members.pop(word, None)
            if word and members:
                senses_of[word] += 1
                name = f"{word}#{senses_of[word]}"
                yield word, ThesaurusSense(name, pos_of(pos) if isinstance(pos, str) else None, tuple(members.values()))


def _parsed(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _senses(entry: dict[str, Any], source: ThesaurusFile) -> Iterator[dict[str, Member]]:
    """Yield the members of each sense by their text in lower case: those of `senses`, then those beside them."""
    for sense in _objects(entry, "senses"):
        if _is_marked(sense):
            source.left_out["marked"] += 1
        else:
            yield _members(((key, item) for key in _RELATIONS for item in _objects(sense, key)), source)
    beside: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for key in _RELATIONS:
        for item in _objects(entry, key):
            text = item.get("sense")
            beside.setdefault(text if isinstance(text, str) else "", []).append((key, item))
    for items in beside.values():
        yield _members(items, source)


def _members(items: Iterable[tuple[str, dict[str, Any]]], source: ThesaurusFile) -> dict[str, Member]:
    members: dict[str, Member] = {}
    for key, item in items:
        text = item.get("word")
        shown = _text(text) if isinstance(text, str) else ""
        if not shown or shown.startswith(_THESAURUS):
            source.left_out["no_text"] += 1
        elif _is_marked(item):
            source.left_out["marked"] += 1
        else:
            members.setdefault(shown.lower(), Member(shown, hypernym=key == "hypernyms"))
    return members


def _objects(of: dict[str, Any], key: str) -> list[dict[str, Any]]:
    values = of.get(key)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _is_marked(item: dict[str, Any]) -> bool:
    tags = item.get("tags")
    return isinstance(tags, list) and any(isinstance(tag, str) and tag in MARKED for tag in tags)


def _text(text: str) -> str:
    """Return a text as files should have it: JSON can escape what is no character, or not in NFC."""
    return tidy(unicodedata.normalize("NFC", seen(text.encode("utf-8", "replace").decode("utf-8"))))
