"""The identity of code: which definitions a function reaches, and one digest of them.

In: functions and classes. Out: digests that become part of the names of artefacts. Read `fingerprints`,
`source_index`, `walk`, `code_identity`; `registry` is what every registry is, with what other packages add. A change
elsewhere than there may rename every artefact, so that everything is made anew once.
"""
