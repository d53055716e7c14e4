"""Thesauri: senses of words with their members."""
