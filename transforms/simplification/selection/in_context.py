"""Filter context: candidates that an encoder finds unlike the target, each read in the sentence.

The target's vector is that of its pieces in its sentence, a candidate's that of its own with the candidate in place
(`lexicon/encoders/span_vectors.py`), capitals and the word before as they would be. Of a long sentence the `WINDOW`
words to either side are read. All texts of an instance go through the model together, so that no value depends on
others.
"""

from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.common.rowwise import dots
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.span_vectors import span_vectors
from lexbeam.transforms.simplification.selection.filter import InstanceCandidates, Selecting, TaggedPlace, replaced
from lexbeam.transforms.simplification.selection.pos import WINDOW, within_reach


def filter_context(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_context`: the cosine of target and candidate, each in the sentence, is below the threshold.

    What has no vector, such as a form of which the tokenizer knows no piece, goes on.
    """
    encoding = selecting.encoder
    assert encoding is not None  # `check_selection` has seen to it
    encoder = load_encoder(str(encoding.options.encoder), device=encoding.options.device, digest=encoding.info.digest)
    for instance, states in groups:
        remaining = [state for state in states if state.reason is None]
        if not remaining:
            continue
        places = [TaggedPlace(instance.sentence, instance.start, instance.end, False)]
        for state in remaining:
            sentence, start = replaced(instance, state.shown, state.before)
            places.append(TaggedPlace(sentence, start, start + len(state.shown), False))
        seen = [within_reach(place, WINDOW) for place in places]
        texts, starts, ends, _ = map(list, zip(*seen, strict=True))
        vectors = span_vectors(encoder, texts, starts, ends, options=encoding.options).vectors.astype(np.float64)
        lengths = np.sqrt(dots(vectors, vectors))
        known = (lengths > 0) & (lengths[0] > 0)  # not where they are NaN
        cosines = np.divide(
            dots(vectors, vectors[0]), lengths * lengths[0], where=known, out=np.full(len(known), np.nan)
        )
        for state, cosine in zip(remaining, np.clip(cosines[1:], -1, 1).tolist(), strict=True):
            if not np.isnan(cosine):
                state.context = cosine
                if cosine < selecting.options.least_context:
                    state.reason = "below_context"
