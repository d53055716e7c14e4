"""Static word embeddings: SGNS training, vectors from counts, alignment, neighbours, and vectors read back.

In: sentences as words, or table `vectors`. Out: spaces, maps between them, cosines. Read

    representations      how a slice's words become vectors, by name
    sgns                 skip-gram with negative sampling: its options, and gensim's training
    trainers             the trainers by name, and the equations of `_sgns.c`
    starts               what training begins with beside chance; weights averaged
    joint_trainings      slices that are trained together
    counted_vectors      vectors of counts: PPMI, SVD, random indexing, GloVe
    spaces               spaces, and what a linear map does to their vectors
    procrustes_and_cca   how maps are fitted, from rows of the same words
    alignment            alignments by name, and common frames of several slices
    neighbours           nearest neighbours, in one space or for two
    published            vectors and alignments read back

No module knows a task. A change to `sgns` trains every slice anew, one to an alignment aligns anew.
"""
