"""Instances: words to simplify in their sentences, from benchmarks, files and the complexity task, or found in texts.

In: files of benchmarks; corpora and texts. Out: `simplification/instances`, `substitutes`, rejects.
Read in this order:

    benchmark_layouts       rows of benchmarks; ids of instances
    instance_rows           rows of any file as targets in sentences
    instances_read          files and complex words staged
    settled_instances       repeated records put together, annotated, written
    judgments               whether a word can be simplified, as people judge
    content_words           which words of a text may be simplified
    hard_words              which of them are hard
    found_instances         words found in corpora and texts, staged

A change here reads files anew.
"""
