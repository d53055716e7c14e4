"""Word lists: values of words, from files or from packages."""
