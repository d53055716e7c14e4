"""Encoders: vectors of spans in their context, words for a masked place, log-probabilities."""
