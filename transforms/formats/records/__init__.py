"""What readers yield: records and rejects, their fields, text and dates, and how these are cleaned.

In: values as a source has them. Out: a `Record` or a `Reject`. Read `base` first. A change to `text_cleaning`
changes the text of every corpus.
"""
