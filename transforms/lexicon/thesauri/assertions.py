"""Lines that relate two words: assertions of ConceptNet, paraphrases of PPDB. Each word has a sense a part of speech.

**ConceptNet** (`conceptnet-assertions-5.7.0.csv.gz`): `uri<TAB>relation<TAB>start<TAB>end<TAB>JSON`, where start and
end are `/c/LANGUAGE/word/pos/...`, with `_` for spaces. Taken are `/r/Synonym` and `/r/SimilarTo`, both ways, and
`/r/IsA`, whose end is a hypernym, between two words of the language that is named; the JSON has a `weight`.

**PPDB**: `[LHS] ||| word ||| paraphrase ||| features ||| alignment ||| entailment`, the last two not in all files.
Taken are single words (the lexical part) that neither exclude nor merely go with the other (`Exclusion`,
`Independent`, `OtherRelated`); the score is `PPDB2.0Score`, which files before version 2 lack.
"""

import json
import re
from collections.abc import Iterator

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.thesauri.senses import Member, ThesaurusFile, ThesaurusSense, WordSense, tidy

_SYMMETRIC = ("/r/Synonym", "/r/SimilarTo")
_WIDER = "/r/IsA"
_LETTERS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_PENN = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
_UNLIKE = ("Exclusion", "Independent", "OtherRelated")
_SCORE = re.compile(r"(?:^|\s)PPDB2\.0Score=(-?\d{1,6}(?:\.\d{1,20})?)(?=\s|$)")

# By word in lower case and part of speech, its members by their text in lower case.
_Gathered = dict[tuple[str, str | None], dict[str, Member]]


def _add(gathered: _Gathered, word: str, pos: str | None, member: Member) -> None:
    """Add a member; one that is a synonym by any line is no hypernym."""
    if word.lower() == member.text.lower():
        return
    members = gathered.setdefault((word.lower(), pos), {})
    held = members.get(member.text.lower())
    if held is None or (held.hypernym and not member.hypernym):
        members[member.text.lower()] = member


def _senses(gathered: _Gathered) -> Iterator[WordSense]:
    for (word, pos), members in gathered.items():
        yield word, ThesaurusSense(f"{word}#{(pos or 'any').lower()}", pos, tuple(members.values()))


def read_conceptnet(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the words of a language with those that mean the same, or are wider.

    Counts `other_relation`, `other_language` and `below_least` (lines).

    Raises:
        LexbeamError: no language is named, or a line is wrong.
    """
    language = source.options.language
    if not language:
        raise LexbeamError(f"{source.path}: ConceptNet has many languages: name one, FILE:language=CODE")
    gathered: _Gathered = {}
    for number, line in source.texts():
        cells = line.split("\t")
        if len(cells) < 5 or not cells[1].startswith("/r/"):
            raise source.wrong(number, "URI, RELATION, START, END and JSON with tabs", line)
        relation = cells[1]
        if relation not in _SYMMETRIC and relation != _WIDER:
            source.left_out["other_relation"] += 1
            continue
        start, end = (_term(cell, language) for cell in cells[2:4])
        if start is None or end is None:
            source.left_out["other_language"] += 1
            continue
        least = source.options.least
        if least is not None and _weight(cells[4], source, number) < least:
            source.left_out["below_least"] += 1
            continue
        _add(gathered, *start, Member(end[0], hypernym=relation == _WIDER))
        if relation != _WIDER:
            _add(gathered, *end, Member(start[0]))
    yield from _senses(gathered)


def _term(uri: str, language: str) -> tuple[str, str | None] | None:
    """Return the word and part of speech of `/c/LANGUAGE/word/pos`; None: it is of another language, or empty."""
    parts = uri.split("/", 5)
    if len(parts) < 4 or parts[:3] != ["", "c", language]:
        return None
    word = tidy(parts[3].replace("_", " "))
    return (word, _LETTERS.get(parts[4]) if len(parts) > 4 else None) if word else None


def _weight(text: str, source: ThesaurusFile, number: int) -> float:
    try:
        return float(json.loads(text)["weight"])
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise source.wrong(number, 'URI, RELATION, START, END and JSON with "weight"', text) from None


def read_ppdb(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield words with their paraphrases.

    Counts `phrase`, `not_equivalent` and `below_least` (lines; the last also has those without a score).

    Raises:
        LexbeamError: a line is wrong.
    """
    gathered: _Gathered = {}
    for number, line in source.texts():
        cells = [cell.strip() for cell in line.split("|||")]
        if len(cells) < 4 or not (cells[1] and cells[2]):
            raise source.wrong(number, "[LHS] ||| WORD ||| PARAPHRASE ||| FEATURES", line)
        label, word, paraphrase, features = cells[:4]
        if len(word.split()) > 1 or len(paraphrase.split()) > 1:
            source.left_out["phrase"] += 1
        elif cells[-1] in _UNLIKE:
            source.left_out["not_equivalent"] += 1
        elif not _reaches(features, source.options.least):
            source.left_out["below_least"] += 1
        else:
            _add(gathered, word, _PENN.get(label.strip("[]")[:2]), Member(paraphrase))
    yield from _senses(gathered)


def _reaches(features: str, least: float | None) -> bool:
    if least is None:
        return True
    found = _SCORE.search(features)
    return found is not None and float(found[1]) >= least
