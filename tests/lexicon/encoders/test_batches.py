from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.lexicon.encoders.encoder_batches import Pieces, located, shares, window


@st.composite
def targets(draw):
    length = draw(st.integers(1, 60))
    start = draw(st.integers(0, length - 1))
    end = draw(st.integers(start + 1, length))
    return length, start, end, draw(st.integers(1, 70))


@given(targets())
def test_a_window_is_maximal_and_holds_its_target(case):
    length, start, end, limit = case
    found = window(length, start, end, limit)
    if end - start > limit:
        assert found is None
        return
    first, after = found
    assert 0 <= first <= start < end <= after <= length
    assert after - first == min(length, limit)


@given(targets())
def test_a_window_is_as_centred_as_the_text_lets_it_be(case):
    length, start, end, limit = case
    if (found := window(length, start, end, limit)) is None:
        return
    size = found[1] - found[0]

    def lopsided(first):
        left, right = start - first, first + size - end
        return abs(left - right), left > right

    possible = [n for n in range(length - size + 1) if n <= start and end <= n + size]
    assert found[0] == min(possible, key=lopsided)


@given(st.integers(0, 50), st.integers(1, 50), st.integers(2, 60))
def test_two_segments_share_all_of_the_room(first, second, limit):
    of_first, of_second = shares(first, second, limit)
    assert 0 <= of_first <= first
    assert of_first + of_second >= min(first + second, limit)
    assert of_first + min(of_second, second) <= limit
    # Neither is cut below its half unless it is shorter.
    assert of_first >= min(first, limit // 2)
    assert of_second >= min(second, limit - limit // 2)


@st.composite
def cut_texts(draw):
    """A text, its pieces as a tokenizer may cut it, and a span."""
    text = draw(st.text(st.sampled_from("ab  é"), min_size=1, max_size=25))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)) | {0, len(text)})
    pieces = list(pairwise(borders))
    if draw(st.booleans()):  # those that drop spaces
        pieces = [(s, e) for s, e in pieces if text[s:e].strip()]
    if draw(st.booleans()):  # a character of several bytes is several pieces
        pieces = [piece for piece in pieces for _ in range(1 + (text[slice(*piece)] == "é"))]
    start = draw(st.integers(0, len(text)))
    return text, pieces, start, draw(st.integers(start, len(text)))


@given(cut_texts())
def test_the_pieces_of_a_span_share_a_letter_with_it(case):
    text, pieces, start, end = case
    wanted = {n for n in range(start, end) if not text[n].isspace()}
    sharing = [n for n, (s, e) in enumerate(pieces) if wanted & set(range(s, e))]
    found = located(Pieces([0] * len(pieces), [s for s, _ in pieces], [e for _, e in pieces]), text, start, end)
    assert found == ((sharing[0], sharing[-1] + 1) if sharing else None)
