"""What a regressor of complexity learns from: labelled words, without those that are evaluated."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.simplification.evaluation.list_measures import folded

# Languages that capitalise all nouns, so that a capital marks no name.
_CAPITALS = ("de", "lb")


class LabelledWord(NamedTuple):
    """A word that people labelled.

    Attributes:
        word: in lower case, NFC.
        language: ISO 639; empty if nothing says it.
        complexity: mean over its instances, 0 to 1.
        instances: how many have a label.
        lemmas: those that it is annotated with, `folded`.
        name: whether it is written as a name wherever it is labelled; then all its instances count,
            else only those where it is no name.
    """

    word: str
    language: str
    complexity: float
    instances: int
    lemmas: frozenset[str]
    name: bool


class KnownWords(NamedTuple):
    """Words that occur in a folder, and their known lemmas, all `folded`."""

    words: frozenset[str]
    lemmas: frozenset[str]


def labelled_words(instances: Sequence[str], labels: Sequence[str]) -> list[LabelledWord]:
    """Return labelled single words, by language and word.

    Args:
        instances: paths of parts of complexity/instances.
        labels: paths of parts of complexity/labels; the row of all annotators counts.
    """
    complexity = {
        row["instance_id"]: row["complexity"]
        for rows in read_rows(labels, ["instance_id", "group", "complexity"])
        for row in rows.to_pylist()
        if row["group"] == "" and row["complexity"] is not None
    }
    values: dict[tuple[str, str], dict[bool, list[float]]] = {}
    lemmas: dict[tuple[str, str], set[str]] = {}
    columns = ["instance_id", "kind", "token", "language", "lemmas", "upos", "position"]
    for rows in read_rows(instances, columns):
        for row in rows.to_pylist():
            if row["kind"] != "single" or row["instance_id"] not in complexity:
                continue
            key = row["language"] or "", unicodedata.normalize("NFC", row["token"]).lower()
            annotated = {name: _at(row[name], row["position"]) for name in ("lemmas", "upos")}
            name = _is_name(row["token"], annotated["upos"], key[0])
            by_case = values.setdefault(key, {})
            by_case.setdefault(name, []).append(complexity[row["instance_id"]])
            lemmas.setdefault(key, set())
            if annotated["lemmas"]:
                lemmas[key].add(folded(annotated["lemmas"]))
    words = []
    for (language, word), by_case in sorted(values.items()):
        name = False not in by_case
        counted = sorted(by_case[name])
        mean = sum(counted) / len(counted)
        word_lemmas = frozenset(lemmas[language, word])
        words.append(LabelledWord(word, language, mean, len(counted), word_lemmas, name))
    return words


def _at(values: Sequence[str] | None, position: int | None) -> str | None:
    return None if values is None or position is None else values[position]


def _is_name(token: str, upos: str | None, language: str) -> bool:
    """Return whether a word is written as a name; people label those by whether they know them."""
    capital = token != token.lower() and language.partition("-")[0] not in _CAPITALS
    return capital or upos == "PROPN"


def excluded_words(
    instances: Sequence[str], substitutes: Sequence[str], candidates: Sequence[str], labelled: Iterable[LabelledWord]
) -> KnownWords:
    """Return the targets and substitutes of a folder, with the words of phrases, and their lemmas.

    Lemmas are those of instances, of candidates with the same form, and of labelled words with it.

    Args:
        instances: paths of parts of simplification/instances.
        substitutes: of simplification/substitutes; empty: there is no gold.
        candidates: of simplification/candidates.
        labelled: the labelled words.
    """
    words: set[str] = set()
    lemmas: set[str] = set()
    for rows in read_rows(instances, ["target", "lemma"]):
        for row in rows.to_pylist():
            words |= _with_parts(row["target"])
            lemmas |= _with_parts(row["lemma"] or "")
    for rows in read_rows(substitutes, ["substitute"]):
        for text in rows["substitute"].to_pylist():
            words |= _with_parts(text)
    for rows in read_rows(candidates, ["form", "lemma"]):
        for row in rows.to_pylist():
            if row["lemma"] and folded(row["form"]) in words:
                lemmas |= _with_parts(row["lemma"])
    for labelled_word in labelled:
        if folded(labelled_word.word) in words:
            lemmas |= labelled_word.lemmas
    return KnownWords(frozenset(words), frozenset(lemmas))


def _with_parts(text: str) -> set[str]:
    whole = folded(text)
    return {whole, *whole.split()} - {""}


def left_to_learn(
    labelled: Iterable[LabelledWord], excluded: KnownWords, languages: Collection[str]
) -> tuple[list[LabelledWord], Mapping[str, int]]:
    """Return the words to learn from, and how many labelled words are left out for which reason.

    A word is left out if it or one of its lemmas is among the excluded words and their lemmas; if it
    is a name; or if it is of another language, where there are labelled words of `languages`.

    Args:
        labelled: all labelled words.
        excluded: words and lemmas of the folder whose candidates are ranked.
        languages: of that folder.

    Returns:
        The words, and numbers for `excluded`, `name` and `other_language`.
    """
    words = list(labelled)
    wanted = {language.partition("-")[0] for language in languages}
    wanted &= {word.language.partition("-")[0] for word in words}
    barred = excluded.words | excluded.lemmas
    left: Counter[str] = Counter(excluded=0, name=0, other_language=0)
    learnable = []
    for word in words:
        if wanted and word.language.partition("-")[0] not in wanted:
            left["other_language"] += 1
        elif folded(word.word) in barred or not barred.isdisjoint(word.lemmas):
            left["excluded"] += 1
        elif word.name:
            left["name"] += 1
        else:
            learnable.append(word)
    return learnable, left
