"""Princeton WordNet's database files as a resource: senses, relations, depths, base forms."""
