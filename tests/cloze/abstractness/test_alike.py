"""Words spelled alike, against every known word tried."""

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.abstractness.concreteness_inputs import SpelledWords, spelled_alike

WORDS = st.text("ab\U0010ffff", min_size=1, max_size=8)


def common(word, other):
    return next(
        (place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(map(len, (word, other)))
    )


def best(known, word):
    least = min(known, key=lambda other: (-common(word, other), len(other), other), default="")
    return least, common(word, least)


@given(st.sets(WORDS, max_size=30), WORDS)
def test_those_with_the_longest_beginning_and_end_in_common(known, word):
    begins, ends = best(known, word), best({other[::-1] for other in known}, word[::-1])
    expected = [found for found in (begins, (ends[0][::-1], ends[1])) if found[1] >= 3]
    assert spelled_alike(SpelledWords(known), word) == expected
