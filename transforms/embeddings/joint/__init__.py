"""Trainings of several slices together, whose spaces need no map between them.

In: slices as training sees them, `JointSlices`. Out: of each slice its words, vectors and contexts. Read `slices`, then
`trainings`, the registry; one module has the functions of each. A change to one trains anew what it has trained.
"""
