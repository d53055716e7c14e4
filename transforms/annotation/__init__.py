"""Annotation: text to sentences with lemmas and parts of speech, by several engines."""
