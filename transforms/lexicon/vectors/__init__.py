"""Static vectors of words: word2vec, GloVe, our own table."""
