"""Puts the modules that these tests share on the path."""
