"""Entries that were read, one by one."""


def by_entry(found):
    """Yield key and rows of each entry."""
    for some in found:
        for place, key in enumerate(some.keys.to_pylist()):
            yield key, some.slice(place, place + 1).rows.to_pylist()
