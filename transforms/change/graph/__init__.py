"""What a change run compares, and the Beam glue of the whole pipeline.

In: parts of `sentences`. Out: parts of the change tables. Read `comparisons`, then the glue in the order of the
data: `space_ptransforms`, `ptransforms`; pure functions make the tasks.
A change here decides what is compared; what a stage makes is named by its own task, and stays.
"""
