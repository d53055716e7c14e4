"""Commands `change` and `evaluate change`."""
