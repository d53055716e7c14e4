"""Publication: sections of a folder, snapshots made visible by one small write, and what may be removed.

In: parts of tables and what a manifest says of them. Out: an immutable snapshot that readers follow. Read `layout`,
`sections`, `publication`, `snapshots`, `removing`. A change here decides what survives a killed run.
"""
