"""Learning: scorers with their preparation and stacking, and trained models on disk.

In: matrices of features with labels. Out: predictions, each row independent of the others; models on disk.
Read

    scorer         what a scorer is
    scorers        the reference scorers, by name
    fitting        vectors projected and fits averaged around a scorer
    crossfitting   models fitted to some rows, and asked of the others, as steps
    ptransforms    the graph of both

then the room `models`. A change to a scorer fits anew what it fitted.
"""
