"""Princeton WordNet's database files as a resource: senses, relations, depths, base forms.

In: a folder of the database, or a tab file over one. Out: synsets and senses as arrays of rows. Read `kind`, `wordnet`,
`queries`; `files`, `synsets`, `senses`, `compiling` make the tables. A change here compiles WordNet anew.
"""
