"""What a pair of slices has shown and could have shown, in sentences: also when nothing is found.

Power was measured elsewhere (`lexbeam.transforms.change.nulls.power`), so that all that is said of it is a range
over corpora.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.nulls.deals import LEAST_CLUSTERS, SENTENCE, UNITS
from lexbeam.transforms.change.nulls.power import TRIALS, most_tried, uses_needed
from lexbeam.transforms.change.scores.evidence_rows import LEAST_WORDS, LOW_POWER
from lexbeam.transforms.change.scores.measures import of_usage
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
    """Return how many words are told from chance."""
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
        """The uses, for a person."""
        return f"{self.low} uses or more" if self.high is None else f"{_span(self.low, self.high)} uses"

    def held(self, words: pa.Table) -> str:
        """Return how many words have them."""
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
