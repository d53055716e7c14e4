"""Commands `complexity ...` and `evaluate complexity`."""
