"""What a change run compares, and the Beam glue of the whole pipeline.

In: parts of `sentences`. Out: parts of the change tables. Read

    comparisons         slices, pairs, series and seeds of a run, and most tasks; pure functions
    pair_tasks          pairs, real and null, and the deals of their documents, as tasks; pure functions
    space_ptransforms   the glue from sentences to spaces
    ptransforms         the glue from spaces to scores and series

A change here decides what is compared; what a stage makes is named by its own task, and stays.
"""
