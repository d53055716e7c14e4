import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.lexicon.wordnet.wordnet_kind import depths

GRAPHS = st.integers(1, 7).flatmap(
    lambda count: st.tuples(
        st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=12)
    )
)


def found(count, edges):
    children = np.array([child for child, _ in edges], np.int64)
    parents = np.array([parent for _, parent in edges], np.int64)
    return depths(count, children, parents)


def ways_up(node, above):
    """All ways from a node to roots, node by node."""
    if not above[node]:
        yield [node]
    for parent in above[node]:
        for way in ways_up(parent, above):
            yield [node, *way]


def reached(start, edges):
    seen, left = set(), [start]
    while left:
        node = left.pop()
        for child, parent in edges:
            if child == node and parent not in seen:
                seen.add(parent)
                left.append(parent)
    return seen


@given(GRAPHS)
def test_depths_are_those_of_all_ways_with_circles_as_one_node(graph):
    count, edges = graph
    above = {node: reached(node, edges) for node in range(count)}
    circle = {node: frozenset({node} | {o for o in above[node] if node in above[o]}) for node in range(count)}
    outside = {own: {circle[parent] for child, parent in edges if child in own} - {own} for own in circle.values()}
    least, most, circles = found(count, edges)
    for node in range(count):
        lengths = [len(way) - 1 for way in ways_up(circle[node], outside)]
        assert (least[node], most[node]) == (min(lengths), max(lengths))
    assert circles.tolist() == [node for node in range(count) if node in above[node]]


def test_a_long_chain_needs_no_recursion():
    edges = [(node, node - 1) for node in range(1, 3000)]
    least, most, circles = found(3000, edges)
    assert least.tolist() == most.tolist() == list(range(3000))
    assert not len(circles)
