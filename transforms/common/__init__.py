"""What every domain stands on: code's identity, the store of artefacts, options, publication, draws.

In: nothing of a task. Out: what all of them call. Read

    errors           what a person is told, and which packages are missing
    names, patterns  names of files as they are published; patterns that people write
    shown            lines, grids and words in context, before they are printed
    portions         batches, lanes, the number of parts
    arithmetic       sums and products that have one order
    machine          heaps, locks, what work takes, work that can be ended
    spared_imports   packages that our processes do without

then the rooms in this order: `code`, `store`, `texts`, `options`, `publish`, `draws`. A change here
touches every task; no module knows one.
"""
