"""Change for a person: rankings, words, uses in context, warnings; panels of a report.

In: published change tables and their corpora. Out: Arrow tables, lines for `lexbeam show`, panels. Read

    ranking_rows         rows of rankings, from whichever table has them
    rankings             rankings as text, and two snapshots compared
    views, word          questions of `lexbeam show`: the most changed words; one word, its neighbours
    examples             uses of words in context, from the corpora, the most typical first where asked
    verdict              what a pair has shown and could have shown, in sentences
    panels, word_panels  panels of a report: of a run; of the words of each pair
    pictures             panels about single words and about series

Nothing here changes a published byte.
"""
