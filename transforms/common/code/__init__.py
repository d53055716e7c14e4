"""The identity of code: which definitions a function reaches, and one digest of them.

In: functions and classes. Out: digests that become part of the names of artefacts. Read

    fingerprints    JSON in one form, digests, the environment
    source_index    modules read as source: what binds a name, what a statement refers to
    walk            references followed through all modules
    code_identity   the digest of all that a function reaches; what workers share with the driver
    registry        what every registry is, with what other packages add
    version         the version, and the commit where it is known

A change elsewhere than in `registry` may rename every artefact, so that everything is made anew once.
"""
