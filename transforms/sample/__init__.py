"""A corpus with planted sense changes, to try the pipelines on and to measure them by."""
