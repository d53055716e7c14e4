"""Systems that answer five-way questions, and how well: readers, multiple-choice models, baselines.

In: questions, or files of answers and gold. Out: `cloze/answers`, `cloze/metrics`.
Read in this order:

    five_way            gold, files of answers, and baselines that read nothing
    data                questions for systems, and the same as numbers
    trained_systems     systems trained here, or elsewhere, and asked
    evaluation          accuracy by kind and across kinds

A change to a system asks it anew.
"""
