"""TEI: fields of the header, the text, words that breaks cut, annotation where `<w>` carries it.

In: a source. Out: records and rejects. Read `reading` first, then `body`. A change to it reads TEI anew, and nothing
else.
"""
