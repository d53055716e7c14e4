"""What is the same for every command: the registry, options as arguments, inputs, runs, publication.

In: a command and its options. Out: a published section. Read `command`, `registry`, `running`, `sections`,
`publishing`. No module here names a task.
"""
