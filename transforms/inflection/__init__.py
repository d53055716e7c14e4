"""Inflection: lemmas in forms with given features, and the features of forms; Spanish, English, learned rules.

In: form dictionaries and treebanks. Out: an inflector, and words placed in a sentence in their form. Read

    inflector      forms from the dictionary, else by rules; features of forms
    features       features of Universal Dependencies, and tags translated into them
    dictionaries   form dictionaries read, and as arrays
    paradigms      rules that are learned, and paradigms completed before
    spanish        Spanish sounds and spelling, clitics
    english        English by lemminflect, spellings, forms in -ed
    placing        a lemma in the place of a word, and what changes beside it
    models         makes and opens the files that commands name

A change here generates candidates, and chooses options of cloze questions, anew.
"""
