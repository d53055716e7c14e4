"""Features of instances: groups of columns, and what they are counted from. No label is read here.

In: parts of `complexity/instances`, resources. Out: `complexity/features`, `complexity/coverage`. Read `base`,
`groups`, then the group that concerns you.
A change to a group computes the parts that have it anew.
"""
