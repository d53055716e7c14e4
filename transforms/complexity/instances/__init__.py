"""Instances from labelled files: layouts, places of targets, ids; and the task's own file formats.

In: files of labelled rows. Out: `complexity/instances`, `labels`, rejects. Read `labelled_layouts`,
`labelled_instances`.
A change here reads files anew.
"""
