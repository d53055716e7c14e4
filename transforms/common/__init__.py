"""What every domain stands on: files, artefacts, tables, publication."""
