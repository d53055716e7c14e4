"""What readers yield: records and rejects, their fields, text and dates, and how these are cleaned.

In: values as a source has them. Out: a `Record` or a `Reject`.
Read `base` first:

    base                what every reader takes and yields; paths into nested values
    fields              which field of an object or a row means what; records within records
    text_cleaning       one Unicode form, one kind of line end
    hyphens             words that line ends cut in two
    date_parsing        dates as sources write them, as years
    layers              optional columns of sentences, and how each kind of engine gives them
    vertical_layout     columns and tag sets of vertical text
    scripts             scripts of a text, and whether an engine is made for them

A change to `text_cleaning` changes the text of every corpus.
"""
