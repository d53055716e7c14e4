"""Tables of an annotated corpus: `documents`, `sentences` and, of what it was made from, `corpus/inputs`."""
