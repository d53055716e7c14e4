"""Static word embeddings: SGNS training, alignment, neighbours, and published vectors read back.

In: sentences as words, or table `vectors`. Out: spaces, maps between them, cosines. Read `sgns`, `alignment`,
`neighbours`, then `published`. No module knows a task. A change to `sgns` trains every slice anew, one to an alignment
aligns anew.
"""
