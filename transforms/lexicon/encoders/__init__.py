"""Encoders: vectors of spans in their context, words for a masked place, log-probabilities.

In: folders of transformer models, and texts. Out: float32 arrays, by text.
Read in this order:

    encoder_batches         what an encoder is; windows, framed sequences, padded batches
    loading_encoders        encoders by specification, copied to this machine and loaded
    running_encoders        texts cut into pieces, batches run through a model
    span_vectors            vectors of spans
    model_heads             words for a masked place, log-probabilities, choices

A change here makes anew what an encoder gave.
"""
