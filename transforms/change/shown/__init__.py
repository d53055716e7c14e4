"""Change for a person: rankings, words, uses in context, warnings; panels of a report.

In: published change tables and their corpora. Out: Arrow tables, lines for `lexbeam show`, panels. Read `views`, then
`panels`. Nothing here changes a published byte.
"""
