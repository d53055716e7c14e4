"""What every domain stands on: code's identity, the store of artefacts, options, publication, draws.

In: nothing of a task. Out: what all of them call.
Read `errors`, then the rooms in this order: `code`, `store`, `texts`, `options`, `publish`, `draws`. A change here
touches every task; no module knows one.
"""
