"""Engines of annotation: builtin, spaCy, Stanza; normalisation, words and tag sets.

In: texts. Out: sentences with lemmas and universal parts of speech.
Read in this order:

    engine                  what an engine is, and how documents and texts are annotated by one
    known_engines           the engines by name, described and loaded once a process
    builtin                 annotation without downloads
    segmenters              words of Chinese, Japanese and Thai; tag sets mapped to UPOS
    hanta                   HanTa's tagger and lemmatizer, made faster
    spacy, stanza           pipelines of these libraries
    normalise               old spellings mapped to forms that a model knows

A change to an engine makes anew what it annotated.
"""
