"""Words in the form that an answer has, by a form dictionary or a library (`transforms/inflection/`).

A word has such a form if the dictionary knows it as the answer's part of speech. Where forms have several readings, the
likeliest counts; of an English verb (*let, jailed*) the words before it decide: behind `to`, modals and `do` it is the
infinitive, behind `be`, `have` and `get` the participle, at the beginning of a sentence the imperative, which is the
infinitive's form, else the past. Adverbs between them are passed over. Beside an English participle that is tagged as
an adjective (*leading*) stand such participles alone, and beside another adjective none: taggers take verbs for them.
"""

from collections.abc import Mapping, Sequence

from lexbeam.transforms.cloze.options.choice import RightAnswer
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.lemmas import lemmas_of
from lexbeam.transforms.inflection.placing import place
from lexbeam.transforms.inflection.verb_hosts import likeliest_features

_INFINITIVE = (
    "to",
    "will",
    "would",
    "shall",
    "should",
    "can",
    "could",
    "may",
    "might",
    "must",
    "do",
    "does",
    "did",
    "'ll",
    "wo",
    "ca",
)
_PARTICIPLE = (
    "be",
    "am",
    "is",
    "are",
    "was",
    "were",
    "been",
    "being",
    "'s",
    "'re",
    "'m",
    "have",
    "has",
    "had",
    "having",
    "'ve",
    "'d",
    "get",
    "gets",
    "got",
    "getting",
)
_BETWEEN = (
    "not",
    "n't",
    "n’t",
    "never",
    "ever",
    "also",
    "already",
    "now",
    "just",
    "still",
    "even",
    "then",
    "so",
    "yet",
)
_ENDS = (".", "!", "?", ":")
_READ = 4  # words before an answer


class AnswerForms:
    """Words as an answer is inflected.

    Args:
        inflector: of the language.
        answer: the answer; without a part of speech nothing has its form.
        before: the words before it in the summary.
    """

    def __init__(self, inflector: Inflecting, answer: RightAnswer, before: Sequence[str]) -> None:
        self._inflector = inflector
        self._answer = answer
        self._feats = self._features(before) if answer.upos else None
        self._tenses = self._participles(answer.form)

    @property
    def known(self) -> bool:
        """Whether anything is known of the answer's form."""
        return self._feats is not None or bool(self._tenses)

    def of(self, word: str, lemma: str) -> str | None:
        """Return a word in the answer's form; None if it has none, or one of several words (*most recent*).

        Args:
            word: as it was named.
            lemma: that of the annotation; the dictionary's counts where it does not know this one.
        """
        if self._tenses:
            return word if self._participles(word) == self._tenses else None
        lemmas = [*self._lemmas(lemma), *self._lemmas(word.lower())]
        if self._feats is None or not lemmas:
            return None
        known = lemma if lemma in lemmas else lemmas[0]
        answer = self._answer
        form = place(self._inflector, known, answer.upos, answer.form, feats=self._feats).form
        return form if form and " " not in form and not self._participles(form) else None

    def _lemmas(self, form: str) -> list[str]:
        """Return the lemmas that the dictionary has for a form as the answer's part of speech."""
        return lemmas_of(self._inflector, form, _kind(self._answer.upos), others=False)

    def _participles(self, form: str) -> set[str]:
        """Return the tenses of which a form may be a participle beside an English adjective; beside others none."""
        if self._inflector.language != "en" or self._answer.upos != "ADJ":
            return set()
        readings = self._inflector.features(form, "VERB") if self._inflector.has_verb(form.lower()) else []
        return {feats["Tense"] for feats in readings if feats.get("VerbForm") == "Part"}

    def _features(self, before: Sequence[str]) -> Mapping[str, str] | None:
        """Return the features that the answer has in its place; None if nothing is known."""
        form, upos = self._answer.form, self._answer.upos
        # The annotation may be wrong: soaring is no verb.
        lemma = self._answer.lemma if self._answer.lemma in self._lemmas(form.lower()) else None
        if self._inflector.language != "en" or _kind(upos) != "VERB":
            return likeliest_features(self._inflector, form, upos, lemma)
        known = self._inflector.features(form, upos, lemma)
        wanted = _wanted(before)
        return next(iter([*(feats for feats in known if wanted.items() <= feats.items()), *known]), None)


def _kind(upos: str) -> str:
    return {"PROPN": "NOUN", "AUX": "VERB"}.get(upos, upos)


def _wanted(before: Sequence[str]) -> Mapping[str, str]:
    """Return the features that an English verb has behind words, if it can have them."""
    read = [word.lower() for word in before[-_READ:]]
    for word in reversed(read):
        if word in _INFINITIVE:
            return {"VerbForm": "Inf"}
        if word in _PARTICIPLE:
            return {"VerbForm": "Part", "Tense": "Past"}
        if word in _ENDS:
            return {"VerbForm": "Inf"}
        if word not in _BETWEEN and not word.endswith("ly"):
            return {"VerbForm": "Fin", "Tense": "Past"}
    if len(before) <= _READ and not any(word.endswith("ly") for word in read):  # *family* is no adverb
        return {"VerbForm": "Inf"}
    return {"VerbForm": "Fin", "Tense": "Past"}
