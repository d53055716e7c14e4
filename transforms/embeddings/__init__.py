"""Static word embeddings: SGNS training, alignment, neighbours, and published vectors read back.

In: sentences as words, or table `vectors`. Out: spaces, maps between them, cosines. No module knows a task.
"""
