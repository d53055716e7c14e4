"""Tables of an annotated corpus: `documents` and `sentences`."""
