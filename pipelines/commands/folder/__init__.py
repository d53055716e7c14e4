"""Commands about folders of any section: `run`, `show`, `status`, `report`, `export`, `clean`, `lexicon look`."""
