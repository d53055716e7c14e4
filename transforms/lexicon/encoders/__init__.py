"""Encoders: vectors of spans in their context, words for a masked place, log-probabilities.

In: folders of transformer models, and texts. Out: float32 arrays, by text. Read `base`, `transformers`, `running`, then
the use that concerns you: `vectors`, `filling`, `scoring`, `choosing`. A change here makes anew what an encoder gave.
"""
