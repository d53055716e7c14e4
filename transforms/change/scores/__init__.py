"""Change scores and what they are worth: measures, nulls, evidence, systems by name, series, evaluation.

In: aligned spaces of a pair or of a series, counts, files of gold. Out: `scores`, and the tables `nulls`, `pairs`,
`systems`, `controls`, `summary`, `series`, `points` and `metrics` of `change/`. Read

    measures                 measures of two vectors or frequencies, and the registry of all measures
    neighbourhood_measures   measures of neighbours, pivots, graphs, topics and contexts
    pair_scores              the rows of a pair: under one seed, made of other scores, and over seeds
    thresholds               scores cut into changed and unchanged
    ranking                  which words are ranked, and scores joined by their places
    seed_scores              scores of one seed as an artefact, and the options of all that scores
    null_deals               documents dealt out anew as if their dates meant nothing
    null_evidence            p-values of scores against those of nulls, and what trials have found
    evidence_rows            evidence in the rows of tables
    combined_scores          scores over seeds as artefacts, and the summary of words
    named_systems            systems of SemEval-2020 by name, as options
    system_ensembles         systems side by side, ensembles and controls
    change_points            one space for a series, and where a word's usage turns
    traces, series           a series as artefacts: under one seed, and over all
    gold, evaluation         gold of people, systems to be evaluated; their metrics

A change to a measure scores anew, one to deals deals and scores null pairs anew, one to series traces anew; none trains
anything.
"""
