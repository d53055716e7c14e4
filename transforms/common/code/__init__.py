"""The identity of code: which definitions a function reaches, and one digest of them.

In: functions and classes. Out: digests that become part of the names of artefacts. Read `fingerprints`,
`source_index`, `walk`, `identity`; `entry_points` has what other packages add to registries. A change here may
rename every artefact, so that everything is made anew once.
"""
