"""Numbers of parts and rows of slices."""

from itertools import product

from transforms.change.graph.comparisons import Comparisons
from transforms.change.graph.slice_rows import map_number, slice_row, space_number
from transforms.change.view.slice_merges import SliceCounts
from transforms.change.view.slices import Slice
from transforms.common.store.receipts import ArtefactPath, File

COMPARED = Comparisons(("a", "b", "c"), (1, 1, 1), ((0, 1), (1, 2)), (2, 5, 7))


def test_parts_of_spaces_are_numbered_by_slice_then_seed():
    keys = list(product(range(3), COMPARED.seeds))
    assert [space_number(COMPARED, key) for key in keys] == list(range(9))


def test_parts_of_alignments_are_numbered_by_pair_seed_and_name_and_none_has_no_part():
    alignments = ("op", "none", "cca", "op")
    keys = list(product(range(2), COMPARED.seeds, ("cca", "op")))
    found = [map_number(COMPARED, alignments, (pair, seed), name) for pair, seed, name in keys]
    assert found == list(range(12))
    assert map_number(COMPARED, alignments, (0, 2), "none") is None


def test_a_row_tells_the_share_of_the_largest_document_even_of_an_empty_slice():
    def row(tokens):
        counts = SliceCounts(
            counts=File(ArtefactPath("c"), 1, "ab"),
            documents=2,
            sentences=3,
            tokens=tokens,
            largest_document=tokens // 4,
            types=6,
            tokens_before=9,
            short=1,
            split=2,
            sampled_out=3,
        )
        return slice_row(Slice("early", 1800, None), counts, vocabulary=4, min_count=5)

    assert row(8)["largest_document_share"] == 0.25
    assert row(0)["largest_document_share"] == 0
    assert (row(8)["from"], row(8)["to"], row(8)["vocabulary"], row(8)["min_count"]) == (1800, None, 4, 5)
