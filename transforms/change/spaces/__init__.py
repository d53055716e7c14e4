"""Spaces as artefacts: a slice trained under a seed, pairs aligned, neighbours listed.

In: shuffled sentences of a slice. Out: parts of `vectors`, `alignments`, `neighbours`. Read `training`,
`alignment_stage`, `neighbour_stage`, then `shards` and `shard_stages`, which train a slice in pieces; the formulas are
in `transforms/embeddings`. A change to `training` trains every slice anew; one to the others aligns or lists anew.
"""
