"""A corpus that comes all the time: what comes is gathered into windows, whose documents land as artefacts.

In: files that appear under inputs; lines and messages, which `landing_folder` first makes files of. Out: for each
window the artefacts of intake and annotation that a corpus run would make, and one of `annotation.landing` that says
which files and texts it has, by which a later run finds all that is annotated. Read `windows`, `polling`, `window`,
then `ptransforms`. A change in `windows` or `polling` makes nothing anew; one in `annotation.landed` annotates anew.
"""
