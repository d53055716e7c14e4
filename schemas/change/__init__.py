"""Tables of lexical semantic change: from `slices` and `vectors` to `scores`, `summary` and `series`."""
