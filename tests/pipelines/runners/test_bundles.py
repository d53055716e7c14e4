"""Bundles of the direct runner: what a stage needs, and no threads."""

import threading

import apache_beam as beam
import pytest
from apache_beam.metrics import Metrics
from apache_beam.runners.worker.bundle_processor import BundleProcessor
from apache_beam.testing.util import assert_that, equal_to

from lexbeam.pipelines.runners.bundles import small_bundles


class Keyed(beam.DoFn):
    def process(self, number):
        Metrics.counter("seen", "numbers").inc()
        Metrics.distribution("seen", "sizes").update(number)
        yield number % 3, number


def run():
    """Run a pipeline of several stages, whose rows are checked; return what its counters say.

    One reads a file in parts, and one has state and timers.
    """
    pipeline = beam.Pipeline(runner="FnApiRunner")
    numbers = pipeline | beam.Create(range(10))
    least = beam.pvalue.AsSingleton(numbers | "Least" >> beam.CombineGlobally(min))
    found = numbers | beam.ParDo(Keyed()) | beam.GroupByKey() | beam.MapTuple(lambda key, some: (key, sorted(some)))
    rows = found | "Least of all" >> beam.Map(lambda row, least: (*row, least), least=least)
    assert_that(rows, equal_to([(0, [0, 3, 6, 9], 0), (1, [1, 4, 7], 0), (2, [2, 5, 8], 0)]))
    lines = pipeline | beam.io.ReadFromText(__file__) | "First" >> beam.Map(lambda line: (line[:1], 1))
    batches = lines | beam.GroupIntoBatches(10) | "Sizes" >> beam.MapTuple(lambda _, some: len(some) <= 10)
    assert_that(batches | beam.Distinct(), equal_to([True]), label="Batches")
    result = pipeline.run()
    result.wait_until_finish()
    told = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("seen"))
    return [(str(each.key), each.committed) for kind in told.values() for each in kind]


@pytest.fixture
def started(monkeypatch):
    """The names of threads that are started."""
    names, start = [], threading.Thread.start

    def noted(thread):
        names.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    return names


def of_bundles(names):
    """Of threads those that make functions, and those that look which one is at work."""
    return [name for name in names if name.startswith("ExecutionTreeCreator") or name.endswith("(run)")]


def test_rows_and_counters_are_those_of_beam_without_its_threads(started):
    found = run()
    assert len(found) == 2
    assert len(of_bundles(started)) > 5
    started.clear()
    with small_bundles():
        assert run() == found
    assert of_bundles(started) == []


def test_a_function_that_cannot_be_made_fails_the_run(monkeypatch):
    def fail(*_):
        raise ValueError("not to be made")

    monkeypatch.setattr(BundleProcessor, "create_execution_tree", fail)
    with small_bundles(), pytest.raises(ValueError, match="not to be made"):
        run()
