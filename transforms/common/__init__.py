"""What every domain stands on: code's identity, the store of artefacts, options, publication, draws.

Read `errors`, then the rooms in this order: `code`, `store`, `options`, `publish`, `draws`. A change here touches
every task; no module knows one.
"""
