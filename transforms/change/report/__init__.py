"""What a report shows of change: panels of slices, rankings, words, pictures, series.

In: published change tables. Out: panels. Read `panels`. Nothing here changes a published byte.
"""
