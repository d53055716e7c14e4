"""Change for a person: rankings, words, uses in context, warnings.

In: published change tables and their corpora. Out: Arrow tables, and lines for `lexbeam show`. Read `views`. Nothing
here changes a published byte.
"""
