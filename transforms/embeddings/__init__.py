"""Static word embeddings: SGNS training, vectors from counts, alignment, neighbours, and vectors read back.

In: sentences as words, or table `vectors`. Out: spaces, maps between them, cosines. Read `sgns`, `trainers` (which has
the equations of `_sgns.c`), `spaces`, `alignment`, `neighbours`, then `published`; `starts` has what training may begin
with beside chance, and what is averaged of trainings side by side, `joint_trainings` slices that are trained together.
Vectors that are not trained begin in `representations`, and are made in `counted_vectors`, of counts of contexts. No
module knows a task. A change to `sgns` trains every slice anew, one to an alignment aligns anew.
"""
