"""Commands `simplify ...` and `evaluate simplify`."""
