"""Intervals of shares, of few cases, too."""


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the interval of 95 % of a share (Wilson 1927), which few cases make wide, at 0 and 1, too.

    Args:
        hits: cases of the kind.
        of: all cases, at least 1.

    >>> tuple(round(bound, 4) for bound in wilson(81, 263))
    (0.2553, 0.3662)
    """
    z = 1.959964
    middle, half = hits + z * z / 2, z * (hits * (of - hits) / of + z * z / 4) ** 0.5
    return (middle - half) / (of + z * z), (middle + half) / (of + z * z)
