import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.encoders.span_vectors import POOLINGS, EncoderOptions, span_vectors

TEXTS = [
    "The cat was tired.",
    "Many birds slept in the garden, and a horse was hungry.",
    "Two kitchens, dogs; élan, «cats» xyzzy.",
    "The  cat\twas \n tired .",
]
WORDS = ["cat", "birds", "horse was", "kitchens", "dogs", "élan", "cats", "xyzzy", "tired", "Two"]


def spans_of(texts=TEXTS, words=WORDS):
    """Return every word's every occurrence: texts, starts, ends."""
    found = [
        (text, start, start + len(word))
        for text in texts
        for word in words
        for start in range(len(text))
        if text.startswith(word, start)
    ]
    return tuple(map(list, zip(*found, strict=True)))


def reference(bare, text, start, end, layers):
    """Return the vectors of the pieces that share a letter with a span, one text at a time."""
    _, offsets, states, _ = bare.run(text)
    chosen = [
        index
        for index, (first, after) in enumerate(offsets)
        if any(not text[n].isspace() for n in range(max(first, start), min(after, end)))
    ]
    return np.array([[states[layer][0, n].numpy() for n in chosen] for layer in layers]).mean(0)


@pytest.mark.parametrize(("layers", "numbers"), [("-1", [2]), ("-2..-1", [1, 2]), ("0", [0]), ("0,2", [0, 2])])
def test_vectors_are_those_of_bare_transformers(encoder, bare, layers, numbers):
    texts, starts, ends = spans_of()
    options = EncoderOptions(layers=layers, batch_size=3)
    found = span_vectors(encoder, texts, starts, ends, options=options)
    assert found.reasons == [None] * len(texts)
    assert found.vectors.dtype == np.float32
    expected = [reference(bare, *span, numbers).mean(0) for span in zip(texts, starts, ends, strict=True)]
    np.testing.assert_allclose(found.vectors, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("pooling", "pool"), [("first", lambda v: v[0]), ("last", lambda v: v[-1]), ("max", lambda v: v.max(0))]
)
def test_poolings(encoder, bare, pooling, pool):
    texts, starts, ends = spans_of()
    found = span_vectors(encoder, texts, starts, ends, options=EncoderOptions(pooling=pooling))
    spans = zip(texts, starts, ends, strict=True)
    expected = [pool(reference(bare, *span, [2])) for span in spans]
    np.testing.assert_allclose(found.vectors, expected, atol=1e-5)


@pytest.mark.parametrize("limit", [8, 13, 20, 40])
def test_of_a_long_text_the_window_around_the_target_is_seen(encoder, bare, limit):
    text = " ".join(f"The {word} was tired." for word in ["cat", "dog", "bird", "horse"] * 5)
    ids = bare.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    offsets, pieces = ids["offset_mapping"], ids["input_ids"]
    starts = [n for n in range(len(text)) if text[n:].startswith(("cat", "dog", "bird", "horse"))]
    ends = [text.index(" ", start) for start in starts]
    options = EncoderOptions(max_length=limit)
    found = span_vectors(encoder, [text] * len(starts), starts, ends, options=options)
    before, after = pieces_around(bare)
    for vector, start in zip(found.vectors, starts, strict=True):
        target = next(n for n, (first, end) in enumerate(offsets) if first <= start < end)
        begin = max(0, min(target - (limit - 3) // 2, len(pieces) - limit + 2))
        whole = before + pieces[begin : begin + limit - 2] + after
        with bare.torch.no_grad():
            states = bare.model.base_model(bare.torch.tensor([whole])).last_hidden_state[0]
        np.testing.assert_allclose(vector, states[target - begin + 1], atol=1e-5)


def pieces_around(bare):
    return [bare.tokenizer.cls_token_id], [bare.tokenizer.sep_token_id]


def test_a_span_that_has_no_vector_has_a_reason(encoder):
    text = "The cat was tired. " * 9
    texts, starts, ends = [text, text, " \t ", "", text], [0, 3, 0, 0, 4], [150, 4, 3, 0, 7]
    found = span_vectors(encoder, texts, starts, ends, options=EncoderOptions(max_length=10))
    assert found.reasons == ["too_long", "no_piece", "no_piece", "no_piece", None]
    assert np.isnan(found.vectors).all(axis=1).tolist() == [True, True, True, True, False]


def test_no_spans_have_no_vectors(encoder):
    found = span_vectors(encoder, [], [], [])
    assert found.vectors.shape == (0, 32)
    assert found.reasons == []


def test_what_looks_like_a_special_piece_is_text(encoder, bare):
    special = [bare.tokenizer.mask_token, bare.tokenizer.sep_token, bare.tokenizer.pad_token]
    texts = [f"The cat {text} was tired." for text in special]
    assert not {piece for one in encoder.split(texts) for piece in one.ids} & {
        bare.tokenizer.convert_tokens_to_ids(text) for text in special
    }
    plain = span_vectors(encoder, texts, [4] * 3, [7] * 3)
    assert np.isfinite(plain.vectors).all()


@pytest.mark.parametrize("span", [(-1, 3), (3, 19), (5, 4)])
def test_a_span_outside_its_text_is_an_error(encoder, span):
    with pytest.raises(LexbeamError, match=r"of text 1 .* is not within its 18 characters"):
        span_vectors(encoder, TEXTS[:1] * 2, [0, span[0]], [1, span[1]])


def test_options_that_do_not_fit_the_encoder_are_errors(encoder):
    with pytest.raises(LexbeamError, match="takes at most 40 pieces, not `encoder_length` 41"):
        span_vectors(encoder, TEXTS[:1], [0], [1], options=EncoderOptions(max_length=41))
    with pytest.raises(UsageError, match="0 \\(embeddings\\) to 2"):
        span_vectors(encoder, TEXTS[:1], [0], [1], options=EncoderOptions(layers="3"))
    with pytest.raises(LexbeamError, match="as many of each"):
        span_vectors(encoder, TEXTS[:1], [0, 1], [1])


def test_a_text_goes_through_once_and_batches_are_sorted_by_length(encoder):
    seen = []

    def states(batch, layers, rows, columns):
        seen.append(batch.attention.sum(1).tolist())
        return encoder.states(batch, layers, rows, columns)

    texts, starts, ends = spans_of()
    assert len(texts) > 2 * len(TEXTS)
    watched = dataclasses.replace(encoder, states=states)
    span_vectors(watched, texts, starts, ends, options=EncoderOptions(batch_size=3))
    lengths = sorted(len(one.ids) + 2 for one in encoder.split(TEXTS))
    assert seen == [lengths[:3], lengths[3:]]


REFERENCES = {
    "mean": lambda rows: np.array(rows, float).sum(axis=0) / len(rows),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
    "max": lambda rows: [max(column) for column in zip(*rows, strict=True)],
}


@pytest.mark.parametrize("name", POOLINGS)
@given(lengths=st.lists(st.integers(1, 4), min_size=1, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_each_span_is_pooled_by_itself(name, lengths, seed):
    vectors = np.random.default_rng(seed).normal(size=(sum(lengths), 3)).astype(np.float32)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    found = POOLINGS[name].pool(vectors, bounds)
    assert found.dtype == np.float32
    expected = [REFERENCES[name](vectors[start:end].tolist()) for start, end in pairwise(bounds)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
