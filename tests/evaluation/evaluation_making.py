"""Orders of tied items, and repeated instances: what expectations and resamples are checked by."""

from itertools import groupby, permutations, product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

# References of whole libraries are slow to call.
FEW = settings(max_examples=40)

# Few values, so that there are ties.
NUMBERS = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 2.0])


def orders(scores):
    """Yield every order of places by falling score, as often as it is likely."""
    places = sorted(range(len(scores)), key=lambda i: -scores[i])
    groups = [list(tied) for _, tied in groupby(places, key=lambda i: scores[i])]
    for parts in product(*(permutations(group) for group in groups)):
        yield [place for part in parts for place in part]


def expected(scores, value):
    """Return the mean of a function of an order over all orders of ties."""
    found = [value(order) for order in orders(scores)]
    return sum(found) / len(found)


def repeated(times, *columns):
    """Return columns in which each instance stands so many times."""
    index = np.repeat(np.arange(len(times)), times)
    return tuple(np.asarray(column)[index] for column in columns)


def two_columns(first=NUMBERS, second=NUMBERS, least=0, most=8):
    """Two lists of one length, as arrays."""
    rows = st.lists(st.tuples(first, second), min_size=least, max_size=most)
    return rows.map(lambda r: (np.array([a for a, _ in r]), np.array([b for _, b in r])))
