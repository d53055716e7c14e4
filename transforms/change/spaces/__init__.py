"""Spaces as artefacts: a slice trained under a seed or counted, pairs aligned, neighbours listed.

In: shuffled sentences of a slice. Out: parts of `vectors`, `alignments`, `neighbours`. Read

    training   a slice trained whole, slices trained together, and how a space is written
    aligning   the maps of a pair, neighbours of words, and the row of a slice
    shards     a slice trained in pieces, whose weights are averaged
    counting   a slice whose vectors are made of counts

The formulas are in `transforms/embeddings`. A change to `training` makes every space anew; one to the others aligns or
lists anew.
"""
