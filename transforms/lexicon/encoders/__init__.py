"""Encoders: vectors of spans in their context, words for a masked place, log-probabilities.

In: folders of transformer models, and texts. Out: float32 arrays, by text. Read `encoder_batches`, `loading_encoders`,
`running_encoders`, then the use that concerns you: `span_vectors` or `model_heads`. A change here makes anew what an
encoder gave.
"""
