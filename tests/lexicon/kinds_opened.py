"""A resource compiled and opened in memory, as the contract of `lexicon/compiled/resource_kind.py` has it."""

import numpy as np

from lexbeam.transforms.lexicon.compiled.resource_kind import BlockMatrix


def opened(kind, argument):
    """Return the resource that a person's words name."""
    parsed = kind.parse(str(argument))
    made = {}
    for name, content in kind.compile(parsed.paths, parsed.options):
        if isinstance(content, BlockMatrix):
            blocks = [np.asarray(block, np.float32) for block in content.blocks]
            made[name] = np.concatenate(blocks)
            assert made[name].shape == (content.rows, content.columns)
        else:
            made[name] = content.combine_chunks()
    return kind.open(made, parsed.options)
