"""Words with both q-values up to .05, whatever their rank and part of speech, and which of them a ranking shows."""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.scores.ranking import by_change, of_pos
from lexbeam.transforms.change.shown.ranking_rows import ranked_words


def flagged_words(rows: pa.Table, pos: Sequence[str] = (), *, significant: bool = True) -> pa.Table:
    """Return the words with both q-values up to .05, ranked ones and targets, in the order of rankings.

    Their `rank` is that among the ranked words of any part of speech.

    Args:
        rows: see `ranked_rows`.
        pos: see `ranked_words`; empty for words of any.
        significant: False for the other words that are tested.
    """
    words = ranked_words(rows)
    flagged = of_pos(by_change(rows.filter(pc.fill_null(pc.equal(rows["significant"], significant), False))), pos)
    place = pc.index_in(flagged["word"], value_set=words["word"].combine_chunks())
    return flagged.append_column("rank", words["rank"].combine_chunks().take(place.combine_chunks()))


def left_out(rows: pa.Table, words: Iterable[str], most: int) -> Iterator[str]:
    """Yield a line on the words with both q-values up to .05 that a ranking does not show, if there are any.

    Args:
        rows: see `ranked_rows`.
        words: the words of the ranking, of which the first are shown; targets are shown anyway.
        most: how many are shown.
    """
    place = {word: number for number, word in enumerate(words)}
    flagged = flagged_words(rows)
    others = flagged.filter(pc.invert(flagged["target"]))["word"].to_pylist()
    by_pos = sum(word not in place for word in others)
    by_rank = sum(place.get(word, 0) >= most for word in others)
    reasons = [f"{number} by {what}" for number, what in ((by_pos, "part of speech"), (by_rank, "rank")) if number]
    if reasons:
        number = by_pos + by_rank
        words_are = "word is" if number == 1 else "words are"
        yield (
            f"{number} flagged {words_are} not among these: {', '.join(reasons)} "
            "(both q at most .05; option `significant` shows all)"
        )
