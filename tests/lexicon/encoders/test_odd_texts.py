"""Whatever a text holds, each span has a result or a reason, and its own vector."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexbeam.transforms.lexicon.encoders.encoder_batches import Spans
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask, word_log_probs
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, span_vectors

PARTS = st.sampled_from(
    [
        "The cat",
        " was ",
        "tired",
        "[MASK]",
        "<mask>",
        "[SEP]",
        "</s>",
        "\n",
        "\u00a0",
        "\u200b",
        "\ufffd",
        "e\u0301",
        "\U0001f431",
        "\x00",
        "日本",
        "'s",
        "ﬁ",
        "İ",
        "##s",
        "Ġ",
        "▁",
        "  ",
    ]
)
TEXTS = st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join)


@st.composite
def spans(draw):
    texts = draw(st.lists(TEXTS, min_size=1, max_size=3))
    starts = [draw(st.integers(0, len(text))) for text in texts]
    ends = [draw(st.integers(start, len(text))) for text, start in zip(texts, starts, strict=True)]
    return Spans(texts, starts, ends)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=spans(), limit=st.integers(8, 40), words=st.lists(TEXTS, min_size=1, max_size=2))
def test_every_span_has_a_result_or_a_reason(encoder, asked, limit, words):
    options = EncoderOptions(max_length=limit, batch_size=2)
    vectors = span_vectors(encoder, *asked, options=options)
    fills = fill_mask(encoder, *asked, 3, first=asked, options=options)
    scores = word_log_probs(encoder, *asked, [words] * len(asked.texts), options=options)
    for found, reasons in (
        (vectors.vectors, vectors.reasons),
        (fills.probabilities, fills.reasons),
        *zip(scores.log_probs, scores.reasons, strict=True),
    ):
        whole = np.isfinite(found).reshape(len(reasons), -1)
        assert whole.all(axis=1).tolist() == [reason is None for reason in reasons]
    blank = [not text[start:end].strip() for text, start, end in zip(*asked, strict=True)]
    assert all(reason == "no_piece" for reason, b in zip(vectors.reasons, blank, strict=True) if b)
