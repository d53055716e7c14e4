"""Options of a question: from what readers name to four words beside the answer.

Words are dropped that are the answer or its like; the best four of the rest are the wrong options. The paper takes "the
four most frequent types" of three lists of ten. Its order and ties are decided here: words that more readers name come
first, then those with the greater sum of reciprocal ranks, then by form. Words with one form or lemma are one, named by
its best word. A word without a form like the answer's is none. Where fewer than four are left, longer lists are
considered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from lexbeam.transforms.cloze.options.inflection import cased_as
from lexbeam.transforms.common.draws.by_content import hash_of, number_of
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.characters import straight

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
