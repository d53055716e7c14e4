"""Static vectors of words: word2vec, GloVe, our own table.

In: a file of vectors, or a folder with table `vectors`. Out: rows, vectors, cosines and neighbours of arrays of words.
Read `static_vectors`, `compiling`, `formats`. A change to one format compiles anew what was read by it.
"""
