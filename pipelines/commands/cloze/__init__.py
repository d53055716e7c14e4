"""Commands `cloze ...` and `evaluate cloze`."""
