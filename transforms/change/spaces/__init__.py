"""Spaces as artefacts: a slice trained under a seed or counted, pairs aligned, neighbours listed.

In: shuffled sentences of a slice. Out: parts of `vectors`, `alignments`, `neighbours`. Read `training`,
`alignment_stage`, `neighbour_stage`, then `shards` and `shard_stages`, which train a slice in pieces, and
`context_stages`, which count one; the formulas are in `transforms/embeddings`. A change to `training` makes every space
anew; one to the others aligns or lists anew.
"""
