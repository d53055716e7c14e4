"""Princeton WordNet's database files as a resource: senses, relations, depths, base forms.

In: a folder of the database, or a tab file over one. Out: synsets and senses as arrays of rows. Read `wordnet`,
`ragged`; `wordnet_files` and `wordnet_kind` make the tables. A change here compiles WordNet anew.
"""
