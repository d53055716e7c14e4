"""Static word embeddings: SGNS training, vectors from counts, alignment, neighbours, and vectors read back.

In: sentences as words, or table `vectors`. Out: spaces, maps between them, cosines. Read `sgns`, `trainers`,
`spaces`, `alignment`, `neighbours`, then `published`; `fast_trainer` has the equations of `_sgns.c`,
`starts` what training may begin with beside chance: given vectors, frozen contexts, marks; `averaging` makes one of
what was trained side by side. Vectors that are not trained begin in `representations`, and are made in `counted`;
`rows` is what is done with sparse vectors as with dense ones. No module knows a task. A change to `sgns` trains every
slice anew, one to an alignment aligns anew.
"""
