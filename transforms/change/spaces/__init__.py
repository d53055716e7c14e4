"""Spaces as artefacts: a slice trained under a seed or counted, pairs aligned, neighbours listed.

In: shuffled sentences of a slice. Out: parts of `vectors`, `alignments`, `neighbours`. Read `training`,
`aligning`, then `shards`, which trains a slice in pieces, and `counting`, which counts one; the formulas are in
`transforms/embeddings`. A change to `training` makes every space anew; one to the others aligns or lists anew.
"""
