"""Files that people fill in: sheets, how they are written, how they are read back."""
