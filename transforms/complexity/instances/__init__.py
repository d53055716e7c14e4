"""Instances from labelled files: layouts, places of targets, ids; and the task's own file formats.

In: files of labelled rows. Out: `complexity/instances`, `labels`, rejects.
Read in this order:

    labelled_layouts        rows of a file to instances
    labelled_instances      ids; instances staged, merged, annotated, written
    official_files          scores by id, as the shared task has them

A change here reads files anew.
"""
