"""What a pair of slices has shown and could have shown, in sentences: also when nothing is found.

Power was measured elsewhere (`null_evidence.TRIALS`), so that all that is said of it is a range over corpora.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.scores.evidence_rows import LEAST_WORDS, LOW_POWER
from lexbeam.transforms.change.scores.measures import of_usage
from lexbeam.transforms.change.scores.null_deals import LEAST_CLUSTERS, SENTENCE, UNITS
from lexbeam.transforms.change.scores.null_evidence import TRIALS, most_tried, uses_needed
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.common.shown import number

Uses = npt.NDArray[np.int64]


def verdict(facts: Row, rows: pa.Table) -> list[str]:
    """Return sentences without a full stop; none without null pairs, or if these do not deal documents.

    Args:
        facts: the pair's row of table `change/pairs`, empty if there is none.
        rows: its words, see `ranked_rows`.
    """
    dealt = facts.get("null_unit")
    if not facts.get("null_runs") or dealt in (None, SENTENCE) or not of_usage(facts["measure"]):
        return []
    finding = facts.get("finding")
    if finding == "too_few_clusters":
        return [
            f"nothing can be found: the slices have {_dealt(facts)}; {LEAST_CLUSTERS} on either side are needed, and "
            f"{LOW_POWER} are better. Parts of one text are no documents"
        ]
    ranked = rows.filter(pc.and_(rows["ranked"], rows["score"].is_valid()))
    if finding == "too_few_words":
        needed = f"{LEAST_WORDS} are needed{_to_rank(ranked, rows)}"
        return [f"nothing can be found: {len(ranked)} words are ranked, {needed}"]
    if not len(ranked):
        return []
    told = [_found(facts, ranked), *_could(ranked, rows.filter(rows["target"]))]
    if facts.get("low_power"):
        told.append(f"less is found than that with {_dealt(facts)}: trials had {LOW_POWER} and more on either side")
    return told


def _dealt(facts: Row) -> str:
    return f"{facts['clusters_from']} and {facts['clusters_to']} {UNITS[facts['null_unit']].plural}"


def _to_rank(ranked: pa.Table, rows: pa.Table) -> str:
    """Return how much more text ranks enough words: if as many have so many uses as those that are ranked now."""
    uses = _uses(rows)
    if not len(ranked) or len(uses) < LEAST_WORDS or not 0 < uses[LEAST_WORDS - 1] < (least := _uses(ranked)[-1]):
        return ""
    return f"; about {_round(least / uses[LEAST_WORDS - 1])} times as much text in each slice would rank as many"


def _found(facts: Row, ranked: pa.Table) -> str:
    significant = pc.sum(ranked["significant"].cast(pa.int64())).as_py() or 0
    if significant:
        are = "word differs" if significant == 1 else "words differ"
        return (
            f"{significant} of {len(ranked)} ranked {are} in usage by more than chance and the vocabulary at large "
            "allow (both q up to .05): what changed, their uses tell"
        )
    text = f"none of {len(ranked)} ranked words is told from chance and from the vocabulary at large (both q up to .05)"
    if facts.get("share_differs"):
        differ = round(facts["share_differs"] * facts["ranked"])
        return f"{text}; usage of {differ} differs, but of none by more than that of the vocabulary at large"
    least = pc.min(pc.max_element_wise(ranked["q_value"], ranked["q_relative"], skip_nulls=False)).as_py()
    return text if least is None else f"{text}: the least q is {number(least)}"


class _Needed(NamedTuple):
    """The uses that words of a change need for half of them to be found: a range over trials, without end if None."""

    low: int
    high: int | None

    @property
    def text(self) -> str:
        return f"{self.low} uses or more" if self.high is None else f"{_span(self.low, self.high)} uses"

    def held(self, words: pa.Table) -> str:
        uses = _uses(words)
        return _span(0 if self.high is None else int((uses >= self.high).sum()), int((uses >= self.low).sum()))

    def times(self, uses: int) -> str:
        """Return how much more text words with so many uses need."""
        low = max(self.low / uses, 1.0)
        if self.high is None:
            return f"about {_round(low)} times as much text or more"
        high = max(self.high / uses, 1.0)
        if high == 1:
            return "no more text"
        times = f"up to {_round(high)}" if low == 1 else f"about {_span(_round(low), _round(high))}"
        return f"{times} times as much text"


def _could(ranked: pa.Table, targets: pa.Table) -> Iterator[str]:
    """Yield how large a change the uses of words could have shown, and how much more text would show it."""
    middle = max(int(np.median(_uses(ranked))), 1)
    more = []
    for share, what, which in ((1.0, "all", "all uses"), (0.5, "half", "half of them")):
        needed = _needed(share)
        held = f"{needed.held(ranked)} of {len(ranked)} ranked words"
        if len(targets):
            held += f" and {needed.held(targets)} of {len(targets)} targets"
        yield (
            f"of words that changed in {what} of their uses, about half are found if they have {needed.text} in the "
            f"smaller slice; {held} have that many"
        )
        more.append(f"{needed.times(middle)} for a change of {which}")
    corpora = " and ".join(trial.texts for trial in TRIALS)
    yield (
        f"for half of the words to have that many, each slice needs {', '.join(more)}. That is what trials with "
        f"swapped words say of corpora like {corpora}. A word that is not found may have changed all the same"
    )


def _needed(share: float) -> _Needed:
    """Return what trials needed; where none found half of the words, more than the most uses that were tried."""
    uses = [uses_needed(trial, share) for trial in TRIALS]
    known = [least for least in uses if least is not None]
    return _Needed(min(known or [most_tried(share)]), None if None in uses else max(known))


def _uses(words: pa.Table) -> Uses:
    """Return the uses in the slice that has fewer, the most first."""
    return np.sort(np.minimum(words["count_from"].to_numpy(), words["count_to"].to_numpy()))[::-1]


def _span(low: object, high: object) -> str:
    """Return a range as text.

    >>> _span(2, 3), _span(2, 2)
    ('2 to 3', '2')
    """
    return f"{low}" if str(low) == str(high) else f"{low} to {high}"


def _round(times: float) -> str:
    """Return a factor as it can be known: with a decimal below 3.

    >>> _round(1.28), _round(7.6), _round(38.2)
    ('1.3', '8', '38')
    """
    return f"{times:.1f}" if times < 3 else f"{times:.0f}"


LARGE_SHARE = 0.2  # of a slice's tokens, in one document
UNEVEN = 5  # times as many tokens in one slice as in another
MUCH = 0.1  # of a slice's tokens, or twice that of its sentences, in sentences that are too short
FALLING = -0.35  # Spearman's rho with log count
COMPARED = 50  # words of two rankings
# What evidence needs on either side: authors if they were dealt as blocks, else documents.
FEWEST = 10
SAFE = 20
FEWEST_WORDS = 100
# Under random dates 15 % of the words at most had p up to .05, a shift of some .6, and .3 % q up to .05.
SHIFTED = 0.75
DIFFERING = 0.1  # of the ranked words
APART = 0.25  # of the tokens have another genre or source
LONGER = 2  # times as long
OF_BOTH = 0.5  # of the tokens are by authors of both slices
# What was measured where ten random datings went by author and nulls dealt documents (144 speeches).
FALSE_DIFFERS = "2 % of the words on average, and up to 12 %"
FALSE_RELATIVE = "0.05 %"


def slice_warnings(slices: Sequence[Row], outside: int) -> list[str]:
    """Return warnings, a sentence each without a full stop.

    Args:
        slices: rows of table `slices`.
        outside: documents that are in no slice.

    >>> slice_warnings([{"slice": "old", "tokens": 10, "largest_document_share": 0.5}], 2)
    ['slice old: one document has 50 % of the tokens', '2 documents lie outside all slices']
    """
    warnings = [
        f"slice {row['slice']}: one document has {100 * row['largest_document_share']:.0f} % of the tokens"
        for row in slices
        if row["largest_document_share"] > LARGE_SHARE
    ]
    sizes = [row["tokens"] for row in slices]
    if sizes and max(sizes) > UNEVEN * min(sizes):
        warnings.append(
            f"slices differ over fivefold in size ({min(sizes)} to {max(sizes)} tokens): "
            "downsampling to the smallest slice evens them out (`max_tokens`)"
        )
    warnings += [
        f"slice {row['slice']}: {short_text(row)}; lower `min_sentence` keeps them"
        for row in slices
        if row.get("tokens_short") and max(_of_tokens(row), _of_sentences(row) / 2) >= MUCH
    ]
    if outside:
        warnings.append(f"{outside} documents lie outside all slices")
    return warnings


def short_text(row: Row) -> str:
    """Return what short sentences took of a slice, a row of table `slices`; empty for nothing, or if nobody counted.

    >>> short_text({"sentences": 60, "sentences_short": 40, "tokens_before": 1000, "tokens_short": 210})
    'left out as too short, or without words: 40 % of the sentences, 21 % of the tokens'
    """
    if not row.get("tokens_short"):
        return ""
    return (
        f"left out as too short, or without words: {100 * _of_sentences(row):.0f} % of the sentences, "
        f"{100 * _of_tokens(row):.0f} % of the tokens"
    )


def _of_tokens(row: Row) -> float:
    return float(row["tokens_short"] / row["tokens_before"])


def _of_sentences(row: Row) -> float:
    every = row["sentences"] + row["sentences_short"] + row.get("sentences_sampled_out", 0)
    return float(row["sentences_short"] / every)


def frequency_warning(pair: str, what: str, earlier: float, later: float) -> list[str]:
    """Return a warning if rarer words rank higher.

    Args:
        pair: the slices, for a person.
        what: what words are ranked by.
        earlier: Spearman's rho of it and log count in the earlier slice, perhaps nan.
        later: in the later slice.

    >>> frequency_warning("a to b", "score", -0.412, 0.1)
    ['a to b: the score falls with frequency (Spearman with log count -0.41): rare words rank high']
    """
    least = min((rho for rho in (earlier, later) if rho == rho), default=0.0)
    if least >= FALLING:
        return []
    return [f"{pair}: the {what} falls with frequency (Spearman with log count {least:.2f}): rare words rank high"]


def overlap_warnings(pair: str, tops: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a warning for every two alignments whose first words are mostly different.

    Where one ranks some words of the other alone, as targets, these are compared.

    Args:
        pair: the slices, for a person.
        tops: by alignment, its ranking; the first `COMPARED` words count.

    >>> overlap_warnings("a to b", {"op": ["x", "y", "z"], "cca": ["z", "v", "w"]})
    ['a to b: op and cca have 1 of their first 3 words in common: the ranking depends on which']
    """
    warnings = []
    for (name, one), (other_name, other) in combinations(tops.items(), 2):
        first, second = _among(one, other), _among(other, one)
        size = min(COMPARED, len(first), len(second))
        common = len({*first[:size]} & {*second[:size]})
        if 2 * common < size:
            warnings.append(
                f"{pair}: {name} and {other_name} have {common} of their first {size} words in common: "
                "the ranking depends on which"
            )
    return warnings


def _among(ranking: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    """Return the words of a ranking, and if another one has some of these alone, those."""
    words = set(other)
    return [word for word in ranking if word in words] if words < set(ranking) else ranking


def size_warnings(pair: str, facts: Row) -> list[str]:
    """Return a warning if a pair is too small for any finding, or for most.

    That there are no nulls says nothing about its size.

    Args:
        pair: the slices, for a person.
        facts: the pair's row of table `change/pairs`, empty if there is none.

    >>> size_warnings("a to b", {"finding": "too_few_words", "ranked": 40})
    ['a to b: no finding possible at this size: 40 words are ranked, 100 are needed']
    """
    unit = UNITS[facts.get("null_unit") or "document"].plural
    sizes = [facts.get(name) for name in ("clusters_from", "clusters_to")]
    size_text = " and ".join(f"{size}" for size in sizes if size is not None)
    finding = facts.get("finding")
    if finding == "too_few_words":
        reason = f"{facts.get('ranked')} words are ranked, {FEWEST_WORDS} are needed"
    elif finding == "too_few_clusters":
        reason = f"the slices have {size_text} {unit}, {FEWEST} on either side are needed"
    elif finding and finding != "no_null":
        reason = str(finding).replace("_", " ")
    elif facts.get("low_power"):
        return [
            f"{pair}: low power: with {size_text} {unit} in the slices, most changes are not found "
            f"({SAFE} on either side are better)"
        ]
    else:
        return []
    return [f"{pair}: no finding possible at this size: {reason}"]


def shift_warnings(ranking: str, facts: Row) -> list[str]:
    """Return a warning if the vocabulary at large has moved; frequencies are no usage, and say nothing of that.

    Args:
        ranking: slices, and perhaps the alignment, for a person.
        facts: the row of table `change/pairs`, empty if there is none.

    >>> shift_warnings("a to b", {"share_differs": 0.02, "shift": 0.3})
    []
    """
    shift, share = facts.get("shift"), facts.get("share_differs")
    if not of_usage(facts.get("measure") or "") or ((shift or 0.0) < SHIFTED and (share or 0.0) < DIFFERING):
        return []
    moved = "" if shift is None else f"the vocabulary at large has moved by {shift:.2f} standard deviations of chance"
    words = "" if share is None else f"usage of {100 * share:.0f} % of the ranked words differs"
    figures = ", and ".join(text for text in (words, moved) if text)
    return [
        f"{ranking}: the slices differ as wholes: {figures}; genre, topics or sources may differ between them more "
        "than time has changed words, so that only words flagged by both q-values stand out"
    ]


# Metadata by which slices may differ, in words of a person: nobody has called anything a source.
_CALLED = {"genre": "genre", "source": "source (the folder or file of the texts, # for digits)"}


def comparability_warnings(pair: str, facts: Row) -> list[str]:
    """Return warnings on what metadata say of two slices: genre, source, authors, length, authors not dealt.

    Args:
        pair: the slices, for a person.
        facts: a row of table `change/pairs` about them, empty if there is none.

    >>> comparability_warnings("a to b", {"length_from": 300.0, "length_to": 900.0})
    ['a to b: documents of the later slice are 3.0 times as long (medians of 300 and 900 tokens)']
    """
    warnings = [
        f"{pair}: {100 * facts[f'{name}_distance']:.0f} % of the tokens are of another {_CALLED[name]}, above all "
        f"{_quoted(facts.get(name), name)}: {_percents(facts, name)}"
        for name in _CALLED
        if (facts.get(f"{name}_distance") or 0.0) >= APART
    ]
    for side, which in (("from", "earlier"), ("to", "later")):
        if (share := facts.get(f"author_share_{side}") or 0.0) > LARGE_SHARE:
            warnings.append(f"{pair}: one author has {100 * share:.0f} % of the tokens of the {which} slice")
    lengths = {which: facts.get(f"length_{side}") or 0.0 for side, which in (("from", "earlier"), ("to", "later"))}
    longer = max(lengths, key=lambda which: lengths[which])
    shortest = min(lengths.values())
    if shortest and lengths[longer] >= LONGER * shortest:
        warnings.append(
            f"{pair}: documents of the {longer} slice are {lengths[longer] / shortest:.1f} times as long "
            f"(medians of {lengths['earlier']:.0f} and {lengths['later']:.0f} tokens)"
        )
    return [*warnings, *_authors_differ(pair, facts), *_documents_dealt(pair, facts), *_sentences_dealt(pair, facts)]


def _quoted(value: str | None, name: str) -> str:
    return repr(value) if value else f"documents without a {name}"


def _percents(facts: Row, name: str) -> str:
    earlier, later = (100 * (facts.get(f"{name}_{side}") or 0.0) for side in ("from", "to"))
    return f"{earlier:.0f} % of the earlier slice, {later:.0f} % of the later one"


def _authors_differ(pair: str, facts: Row) -> list[str]:
    """Return a warning if most of a slice is by authors of that slice alone, and nulls do not deal authors."""
    known = [share for side in ("from", "to") if (share := facts.get(f"author_both_{side}")) is not None]
    if facts.get("null_unit") == "author" or len(known) < 2 or min(known) >= OF_BOTH:
        return []
    authors = " and ".join(str(facts.get(f"authors_{side}")) for side in ("from", "to"))
    return [
        f"{pair}: the authors differ: of {authors}, {facts.get('authors_both')} wrote in both slices: "
        f"{_percents(facts, 'author_both')}"
    ]


def _documents_dealt(pair: str, facts: Row) -> list[str]:
    """Return a warning if nulls deal documents although authors are known, and time may go by author."""
    authors = [facts.get(f"authors_{side}") or 0 for side in ("from", "to")]
    if facts.get("null_unit") != "document" or not any(authors):
        return []
    if facts.get("unsigned"):
        why = f"{facts['unsigned']} documents have no author"
    elif facts.get("authors_both"):
        why = f"{facts['authors_both']} authors wrote in both slices"
    else:
        why = f"{authors[0]} and {authors[1]} authors are too few ({FEWEST} on either side are needed)"
    return [
        f"{pair}: null pairs deal single documents and not authors, since {why}; where dates go by author and nothing "
        f"changed, such nulls gave q_value up to .05 to {FALSE_DIFFERS}, and q_relative to {FALSE_RELATIVE}"
    ]


def _sentences_dealt(pair: str, facts: Row) -> list[str]:
    """Return a warning if nulls deal sentences: what clusters in documents then counts as change."""
    if facts.get("null_unit") != SENTENCE:
        return []
    return [
        f"{pair}: null pairs deal single sentences: words that cluster in few documents differ by them whatever the "
        "dates are, so that p and q are too small (`null_by` document deals documents)"
    ]
