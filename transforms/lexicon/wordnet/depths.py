"""How deep a synset lies: the longest and the shortest way up to a root."""

import numpy as np

__all__ = ["depths"]


def depths(count: int, children: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the steps of the shortest and of the longest way from each node to a root.

    A root is a node without parents and has depth 0. Nodes that lead to one another in a circle
    count as one node: they have one depth, and no way passes a circle twice.

    Args:
        count: how many nodes there are.
        children, parents: the edges; each leads from a child to one of its parents.

    Returns the two depths, int16, shape (count,), and the nodes that lie in circles, sorted.
    """
    least, most, settled = _rounds(count, children, parents)
    if settled.all():
        return least, most, np.empty(0, np.int64)
    standing = _circles(count, children, parents, ~settled)
    child, parent = standing[children], standing[parents]
    least, most, settled = _rounds(count, child[child != parent], parent[child != parent])
    alike = np.bincount(standing, minlength=count)[standing] > 1
    own = children[children == parents]
    return least[standing], most[standing], np.union1d(np.flatnonzero(alike), own)


def _rounds(count: int, children: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Settle, round by round, the nodes whose parents are all settled."""
    least = np.zeros(count, np.int16)
    most = np.zeros(count, np.int16)
    open_parents = np.bincount(children, minlength=count)
    settled = open_parents == 0
    while True:
        ready = settled[parents]
        left = np.bincount(children[~ready], minlength=count)
        new = ~settled & (left == 0)
        if not new.any():
            return least, most, settled
        own = new[children]
        highest = np.zeros(count, np.int16)
        lowest = np.full(count, np.iinfo(np.int16).max - 1, np.int16)
        np.maximum.at(highest, children[own], most[parents[own]])
        np.minimum.at(lowest, children[own], least[parents[own]])
        most[new] = highest[new] + 1
        least[new] = lowest[new] + 1
        settled |= new


def _circles(count: int, children: np.ndarray, parents: np.ndarray, unsettled: np.ndarray) -> np.ndarray:
    """Return for each node the node that stands for its circle: the least one, or itself."""
    above: dict[int, list[int]] = {}
    for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
        if unsettled[child] and unsettled[parent]:
            above.setdefault(child, []).append(parent)
    # What nothing unsettled leads to lies below the circles, not in one.
    waiting = dict.fromkeys(above, 0)
    for found in above.values():
        for parent in found:
            waiting[parent] = waiting.get(parent, 0) + 1
    free = [node for node, below in waiting.items() if not below]
    while free:
        for parent in above.pop(free.pop(), ()):
            waiting[parent] -= 1
            if not waiting[parent]:
                free.append(parent)
    reached = {node: _reached(node, above) for node in above}
    standing = np.arange(count)
    for node, over in reached.items():
        standing[node] = min([node, *(o for o in over if node in reached.get(o, ()))])
    return standing


def _reached(start: int, above: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    left = [start]
    while left:
        for parent in above.get(left.pop(), ()):
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return found
