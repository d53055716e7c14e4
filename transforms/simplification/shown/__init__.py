"""Simplification for a person: candidates stage by stage, metrics, panels.

In: published tables. Out: Arrow tables, lines, panels.
Read in this order:

    candidate_views         candidates through all stages
    metric_panels           metrics, the funnel, and sentences
    shown_texts             words in their sentences, and whole texts

Nothing here changes a published byte.
"""
