import random

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from lexbeam.transforms.common.draws.by_content import smallest_rows
from lexbeam.transforms.common.draws.ptransforms import KeepSmallest

ITEMS = [(f"group {i % 3}", (f"document {i % 40}", i)) for i in range(400)]


def document_of(item):
    return item[0]


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_pipeline_keeps_what_whole_arrays_do(shuffled):
    items = list(ITEMS)
    if shuffled:
        random.Random(1).shuffle(items)
    keys = [f"{document}" for _, (document, _) in ITEMS]
    rows = smallest_rows(keys, 5, [group for group, _ in ITEMS], seed=3, label="contexts")
    wanted = {group: [] for group, _ in ITEMS}
    for row in rows:
        group, (document, _) = ITEMS[row]
        # Of a document's items that of the least JSON text is kept.
        own = [item for g, item in ITEMS if g == group and item[0] == document]
        wanted[group].append(min(own, key=lambda item: str(item[1]) + "]"))
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        kept = (
            pipeline
            | beam.Create(items)
            | "NamedOtherwise" >> KeepSmallest(5, seed=3, drawn="contexts", key=document_of)
        )
        assert_that(kept, equal_to(list(wanted.items())))
