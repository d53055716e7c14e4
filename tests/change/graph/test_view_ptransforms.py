"""Counts of a slice are the same however the parts fall into groups."""

import json

import apache_beam as beam
from view_making import SPEC, corpus, prepare, spec_of

from lexbeam.transforms.change.graph.space_ptransforms import MergeSlices
from lexbeam.transforms.change.view import counts as module
from lexbeam.transforms.change.view.counts import count_groups
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import WriteResult


def merged(folder, viewed, parts):
    """Return sizes and digests of counts of each slice, as the glue makes them."""
    views = [(place, view) for part in viewed for place, view in enumerate(part)]
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        ready = pipeline | beam.Create(views) | MergeSlices(Workspace(str(folder)), parts)
        ready | beam.Map(lambda ready: ready.counts) | WriteResult(str(folder / "counts.json"))
    found = json.loads((folder / "counts.json").read_bytes())
    for counts in found:
        del counts["counts"]["path"]
    return sorted(found, key=str)


def test_groups_of_parts_change_no_count(tmp_path, monkeypatch):
    slices, _, viewed = prepare(tmp_path / "a", corpus(), parts=7, spec=spec_of(ranges=2))
    monkeypatch.setattr(module, "MOST_COUNTED", 2)
    assert [count_groups(parts) for parts in (1, 4, 5, 7)] == [0, 0, 3, 4]
    found = []
    for parts in (1, 7):  # whether there are groups
        (tmp_path / str(parts)).mkdir()
        found.append(merged(tmp_path / str(parts), viewed, parts))
    assert found[0] == found[1]
    assert {counts["counts"]["sha256"] for counts in found[1]} == {counts.counts.sha256 for counts in slices}
    assert len(found[1]) == len(SPEC.slices)
