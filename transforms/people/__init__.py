"""Files that people fill in: what a sheet asks, how it is written, how it is read back."""
