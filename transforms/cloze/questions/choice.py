"""The options of a question: from the words that readers name to four beside the answer, in the answer's form.

Words are dropped that are the answer or its like; the best four of the rest are the wrong options. The paper takes "the
four most frequent types" of three lists of ten. Its order and ties are decided here: words that more readers name come
first, then those with the greater sum of reciprocal ranks, then by form. Words with one form or lemma are one, named by
its best word. A word without a form like the answer's is none. Where fewer than four are left, longer lists are
considered.

**Forms by the corpus.** There are no paradigms here. The ending of a form is what stands behind the longest beginning
that it shares with its lemma: `increased` of `increase` ends in `d`, `planned` of `plan` in `ned`. Of the forms that
the corpus has of a lemma with the answer's part of speech, that one is taken whose ending shares the longest end with
the answer's; a form without ending matches only another, and the lemma is one, whether or not the corpus has it so. So
irregular forms (`fell`) match none but those that happen to end alike. That is an approximation of ours: the paper does
not say whether options were inflected.

**Forms by a dictionary** or a library (`transforms/inflection/`, `AnswerForms`). A word has the answer's form if the
dictionary knows it as the answer's part of speech. Where forms have several readings, the likeliest counts; of an
English verb (*let, jailed*) the words before it decide: behind `to`, modals and `do` it is the infinitive, behind `be`,
`have` and `get` the participle, at the beginning of a sentence the imperative, which is the infinitive's form, else the
past. Adverbs between them are passed over. Beside an English participle that is tagged as an adjective (*leading*)
stand such participles alone, and beside another adjective none: taggers take verbs for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from lexbeam.transforms.common.draws.by_content import hash_of, number_of
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.inflection.inflector import Inflecting, lemmas_of
from lexbeam.transforms.inflection.placing import likeliest_features, place


def ending(form: str, lemma: str) -> str:
    """Return what a form has behind the longest beginning that it shares with its lemma.

    >>> ending("increased", "increase"), ending("planned", "plan"), ending("fell", "fall")
    ('d', 'ned', 'ell')
    """
    return form[_shared(form, lemma) :]


def inflected(word: str, lemma: str, forms: Iterable[tuple[str, int]], answer: str, answer_lemma: str) -> str | None:
    """Return a word in the form that matches the answer's; None if the corpus has none.

    Args:
        word: the word as it was named; it stays if its own ending matches as well as any.
        lemma: its lemma.
        forms: the forms of this lemma with the answer's part of speech, and how often there are.
        answer: the answer as it stands.
        answer_lemma: its lemma.

    All but `word` in lower case. Of several forms the most frequent is taken, then the first one.

    >>> forms = [("plan", 4), ("plans", 2), ("planned", 2), ("planning", 1)]
    >>> [inflected("plan", "plan", forms, *of) for of in [("increased", "increase"),
    ...  ("cities", "city"), ("fell", "fall")]]
    ['planned', 'plans', None]
    """
    wanted = ending(answer, answer_lemma)
    found = dict(forms)
    ranked = [
        (-shared, form != word.lower(), -count, form)
        for form, count in ({lemma: 0, **found} if found else {}).items()
        if (shared := _matches(wanted, ending(form, lemma))) >= 0
    ]
    if not ranked:
        return None
    _, other, _, form = min(ranked)
    return form if other else word


def _matches(wanted: str, ending_of_form: str) -> int:
    """Return how many characters two endings share at their end, -1 if they do not match."""
    if not wanted or not ending_of_form:
        return 0 if wanted == ending_of_form else -1
    return _shared(wanted[::-1], ending_of_form[::-1]) or -1


def _shared(first: str, second: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    for at, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return at
    return min(len(first), len(second))


def cased_as(word: str, answer: str) -> str:
    """Return a word with a capital first letter if the answer has one, else as it is.

    >>> cased_as("trust", "Hope"), cased_as("NHS", "hope")
    ('Trust', 'NHS')
    """
    if answer[:1].isupper() and word[:1].islower():
        return word[:1].upper() + word[1:]
    return word


WANTED = 4
IN_PASSAGE = ("allow", "reject")


@dataclass(frozen=True, kw_only=True)
class OptionRules:
    """What may be an option."""

    inflect: bool = option(True, help="inflect options as the answer is, and leave out words without such a form")
    options_in_passage: str = option(
        "allow", help="whether options may stand in the passage, as answers never do", choices=IN_PASSAGE
    )
    similar: float = option(
        0.85,
        help="cosine with the answer or a synonym from which on a word is no option, where there are vectors",
        least=-1,
        most=1,
    )
    list_sizes: tuple[int, ...] = option(
        (10, 20, 50),
        help="lengths of readers' lists that are looked through, one after the other, until there are four options",
        metavar="N",
        least=1,
    )


class RightAnswer(NamedTuple):
    """The answer of a question: its form as it stands, its lemma and its part of speech."""

    form: str
    lemma: str
    upos: str


class WordFacts(NamedTuple):
    """What is known of the words that readers name.

    Attributes:
        lemma: of a word, its lemma in lower case.
        inflect: of a word, its form beside the answer; None: it has none like the answer's.
        similarity: of a word, the greatest cosine with the answer or a synonym; None: unknown.
        synonyms: of the answer in any sense, in lower case.
        passage: forms and lemmas of the passage, in lower case, with straight apostrophes.
    """

    lemma: Callable[[str], str]
    inflect: Callable[[str], str | None]
    similarity: Callable[[str], float | None]
    synonyms: frozenset[str]
    passage: frozenset[str]


@dataclass(frozen=True)
class Considered:
    """A word that was considered, see table cloze/options; `kept` and `reason` exclude another."""

    word: str
    named: str
    readers: tuple[str, ...]
    ranks: tuple[int, ...]
    score: float
    list_size: int
    reason: str | None = None
    exact: Fraction = field(default=Fraction(0), repr=False, compare=False)

    @property
    def kept(self) -> bool:
        """Whether it is an option."""
        return self.reason is None


def choose(
    answer: RightAnswer, lists: Mapping[str, Sequence[str]], facts: WordFacts, rules: OptionRules
) -> list[Considered]:
    """Return the words that were considered: options in their order, then what was dropped.

    Args:
        answer: the answer.
        lists: by reader, words from the first rank on, each once.
        facts: what is known of the words.
        rules: what may be an option.

    Returns:
        At most `WANTED` of them are kept; fewer if all lists have no more. Sums of reciprocal ranks
        are compared as fractions, so that ties are ties.
    """
    considered: list[Considered] = []
    sizes = sorted(set(rules.list_sizes))
    for size in sizes:
        considered = _considered(answer, lists, facts, rules, size, sizes)
        if sum(candidate.kept for candidate in considered) == WANTED:
            break
    return considered


def _considered(
    answer: RightAnswer,
    lists: Mapping[str, Sequence[str]],
    facts: WordFacts,
    rules: OptionRules,
    size: int,
    sizes: Sequence[int],
) -> list[Considered]:
    ranks: dict[str, dict[str, int]] = {}
    for reader in sorted(lists):
        for rank, word in enumerate(lists[reader][:size], 1):
            ranks.setdefault(word, {}).setdefault(reader, rank)
    dropped: list[Considered] = []
    left: list[Considered] = []
    for word, ranks_of_word in ranks.items():
        shown = facts.inflect(word) if rules.inflect else word
        candidate = _made(cased_as(shown or word, answer.form), word, ranks_of_word, sizes)
        reason = _reason(answer, candidate.word, word, facts, rules) or ("form" if shown is None else None)
        (dropped if reason else left).append(_because(candidate, reason))
    chosen: list[Considered] = []
    for group in _groups(sorted(left, key=_order), facts):
        first, *others = group
        best: dict[str, int] = {}
        for candidate in group:
            for reader, rank in zip(candidate.readers, candidate.ranks, strict=True):
                best[reader] = min(rank, best.get(reader, rank))
        chosen.append(_made(first.word, first.named, best, sizes))
        dropped += [_because(candidate, "same") for candidate in others]
    chosen.sort(key=_order)
    dropped += [_because(candidate, "surplus") for candidate in chosen[WANTED:]]
    return chosen[:WANTED] + sorted(dropped, key=_order)


def _made(word: str, named: str, ranks: Mapping[str, int], sizes: Sequence[int]) -> Considered:
    readers = tuple(sorted(ranks))
    exact = sum((Fraction(1, ranks[reader]) for reader in readers), Fraction(0))
    least = min(ranks.values())
    return Considered(
        word,
        named,
        readers,
        tuple(ranks[reader] for reader in readers),
        float(exact),
        next(size for size in sizes if size >= least),
        exact=exact,
    )


def _because(candidate: Considered, reason: str | None) -> Considered:
    return replace(candidate, reason=reason)


def _order(candidate: Considered) -> tuple[int, Fraction, str, str]:
    return -len(candidate.readers), -candidate.exact, candidate.word, candidate.named


def _reason(answer: RightAnswer, shown: str, named: str, facts: WordFacts, rules: OptionRules) -> str | None:
    """Return why a word is no option, an entry of `OPTION_REASONS`; None: it may be one."""
    spellings = {straight(text) for text in (shown.lower(), named.lower(), facts.lemma(named))}
    if spellings & {straight(answer.form.lower()), straight(answer.lemma.lower())}:
        return "answer"
    if not spellings.isdisjoint(map(straight, facts.synonyms)):
        return "synonym"
    cosine = facts.similarity(named)
    if cosine is not None and cosine > rules.similar:
        return "similar"
    if rules.options_in_passage == "reject" and spellings & facts.passage:
        return "in_passage"
    return None


def _groups(ordered: Sequence[Considered], facts: WordFacts) -> list[list[Considered]]:
    """Return words that share a form or a lemma, over others, too; the best first in each."""
    groups: list[tuple[set[str], list[Considered]]] = []
    for candidate in ordered:
        words = candidate.word.lower(), candidate.named.lower(), facts.lemma(candidate.named)
        keys = set(map(straight, words))
        joined = [group for group in groups if group[0] & keys]
        groups = [group for group in groups if not group[0] & keys]
        members = [other for group in joined for other in group[1]] + [candidate]
        groups.append((keys.union(*(group[0] for group in joined)), sorted(members, key=_order)))
    return [members for _, members in groups]


def order_of(question_id: str, kind: str, options: int, *, seed: int) -> list[int]:
    """Return the places of a question's options in the order in which it shows them.

    The answer is 0, others follow as they were chosen. The order is that of what hashes of
    question, kind and place draw.
    """
    drawn = [
        number_of(hash_of((question_id, kind, place)), seed=seed, label="cloze/option order")
        for place in range(options)
    ]
    return sorted(range(options), key=lambda place: (drawn[place], place))


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
