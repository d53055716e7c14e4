"""Parameters of methods as Beam looks them up, each once."""

import bz2
import functools
import inspect
import pickle
from collections import Counter

import apache_beam as beam
import pytest
from apache_beam.internal import pickler
from apache_beam.options.pipeline_options import DirectOptions, GoogleCloudOptions, PipelineOptions
from apache_beam.runners.worker.bundle_processor import BundleProcessor
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms import core, userstate
from apache_beam.typehints import decorators

from lexbeam.pipelines.runners.configs import load_runner_config
from lexbeam.pipelines.runners.runners import run_pipeline
from lexbeam.pipelines.runners.signatures import signatures_kept
from lexbeam.transforms.common.errors import LexbeamError


def doubled(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


class Odd(beam.DoFn):
    def process(self, element, window=beam.DoFn.WindowParam, *, named=1):
        yield element

    def any_number(*everything):
        pass

    @doubled
    def wrapped(self, one, two=2):
        pass

    @classmethod
    def of_class(cls, one):
        pass


def looked_up(odd):
    names = ("process", "any_number", "wrapped", "of_class", "setup", "default_type_hints")
    functions = [getattr(odd, name) for name in names] + [len, str, functools.partial(odd.process, 1), lambda x, y=1: x]
    return [core.get_function_args_defaults(function) for function in functions]


def test_what_is_kept_is_what_beam_finds():
    odd = Odd()
    found = looked_up(odd)
    with signatures_kept():
        assert looked_up(odd) == looked_up(Odd()) == found
    assert found[0] == (["element", "window"], [beam.DoFn.WindowParam])
    assert found[2] == (["one", "two"], [2])


class Typed(beam.DoFn):
    def process(self, element: int, *more: str, other: float = 1.0) -> list[int]:
        return [element]


def lengths(text: str, *, added: int) -> int:
    return len(text) + added


def test_types_that_are_kept_are_those_that_beam_finds():
    of = decorators.IOTypeHints
    functions = [Typed().process, Typed.process, Typed().process, lengths, lambda x: x, len, str.strip, Odd().wrapped]
    found = [of.from_callable(function) for function in functions]
    with signatures_kept():
        assert [of.from_callable(function) for function in functions * 2] == found * 2
    assert [of.from_callable(function) for function in functions] == found
    assert [kind is None for kind in found] == [False, False, False, False, True, True, False, True]
    assert found[0] != found[1]


STATE = beam.DoFn.StateParam(userstate.ReadModifyWriteStateSpec("state", beam.coders.VarIntCoder()))
FURTHER = beam.DoFn.StateParam(userstate.CombiningValueStateSpec("further", sum))


class Stateful(beam.DoFn):
    def process(self, element, state=STATE):
        yield element

    def further(self, state=FURTHER):
        pass


def test_what_is_kept_of_state_is_what_beam_finds():
    hidden, twice = Stateful(), Stateful()
    hidden.process = print
    twice.own = Stateful().process  # a method by a name that its class lacks
    odd = Odd()
    odd.own = Stateful().process
    dofns = [Stateful(), hidden, Odd(), odd, twice, Stateful(), core.CallableWrapperDoFn(Stateful().process)]
    found = [userstate.get_dofn_specs(dofn) for dofn in dofns]
    with signatures_kept():
        assert [userstate.get_dofn_specs(dofn) for dofn in dofns * 2] == found * 2
    assert [len(state) for state, timers in found] == [2, 1, 0, 1, 2, 2, 1]


def test_a_method_is_looked_up_once(monkeypatch):
    asked, real = [], inspect.signature

    def counted(function, **options):
        asked.append(getattr(function, "__qualname__", ""))
        return real(function, **options)

    def build(pipeline):
        _ = pipeline | beam.Create([1]) | "a" >> beam.ParDo(Odd()) | "b" >> beam.ParDo(Odd())
        return True

    monkeypatch.setattr(inspect, "signature", counted)
    run_pipeline(build, load_runner_config("direct"))
    kept = asked.count("Odd.wrapped")
    asked.clear()
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        build(pipeline)
    assert kept == 1 < asked.count("Odd.wrapped")


def test_parameters_that_are_kept_are_those_that_beam_finds():
    hidden = Odd()
    hidden.process = lambda element: [element]
    dofns = [Odd(), hidden, Typed(), core.CallableWrapperDoFn(lengths), core.CallableWrapperDoFn(len), Odd()]
    found = [core.get_function_arguments(dofn, "process") for dofn in dofns]
    with signatures_kept():
        assert [core.get_function_arguments(dofn, "process") for dofn in dofns * 2] == found * 2
    assert found[0] != found[1]


def test_options_are_those_that_beam_has():
    options = PipelineOptions(["--direct_num_workers=3", "--job_name=x"])
    view = options.view_as(DirectOptions)

    def seen():
        google = options.view_as(GoogleCloudOptions)
        return view.direct_num_workers, google.job_name, hasattr(view, "job_name"), hasattr(options, "nosuch")

    before = seen()
    with signatures_kept():
        assert seen() == before == (3, "x", False, False)
        view.direct_num_workers = 4
        assert options.view_as(DirectOptions).direct_num_workers == 4
        assert pickle.loads(pickle.dumps(view)).direct_num_workers == 4


class Counting(beam.DoFn):
    """Has what it is made with in memory, which a copy of it has for itself."""

    def __init__(self, start):
        self.seen = [start]

    def process(self, element, more=()):
        self.seen.append(element)
        yield len(self.seen), sum(more)


def counted(pipeline):
    numbers = pipeline | "numbers" >> beam.Create([1, 2, 3])
    split = numbers | "tagged" >> beam.FlatMap(
        lambda n: [n, beam.pvalue.TaggedOutput("odd", n)] if n % 2 else [n]
    ).with_outputs("odd", main="all")
    total = split.all | "total" >> beam.CombineGlobally(sum)
    lengths = split.odd | "counting" >> beam.ParDo(Counting(0), more=beam.pvalue.AsIter(total))
    keyed = (lengths, split.odd | "pairs" >> beam.Map(lambda n: (n, n))) | beam.Flatten() | beam.GroupByKey()
    return keyed | "sorted" >> beam.MapTuple(lambda key, values: (key, sorted(values)))


def test_a_graph_of_all_kinds_of_steps_makes_the_same():
    wanted = [(1, [1]), (2, [6]), (3, [3, 6])]
    config = load_runner_config("direct")

    def build(pipeline):
        assert_that(counted(pipeline), equal_to(wanted))
        return True

    for _ in range(2):  # nothing that a function keeps comes from the run before
        run_pipeline(build, config)
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        build(pipeline)


def test_a_class_of_a_function_has_its_own_timers_whenever_it_is_unpickled():
    def build(pipeline):
        pairs = pipeline | beam.Create([(1, n) for n in range(5)])
        batches = pairs | beam.GroupIntoBatches(2) | beam.MapTuple(lambda _, some: len(some))
        assert_that(batches, equal_to([1, 2, 2]))
        return True

    for _ in range(2):
        run_pipeline(build, load_runner_config("direct"))


def test_what_no_process_gets_is_not_pickled(monkeypatch):
    calls, dumps, roundtrip = Counter(), pickler.dumps, pickler.roundtrip
    monkeypatch.setattr(pickler, "dumps", lambda *args, **more: calls.update(dumps=1) or dumps(*args, **more))
    monkeypatch.setattr(pickler, "roundtrip", lambda value: calls.update(roundtrip=1) or roundtrip(value))

    def build(pipeline):
        counted(pipeline)
        return True

    run_pipeline(build, load_runner_config("direct"))
    kept = Counter(calls)
    calls.clear()
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        build(pipeline)
    assert kept["roundtrip"] == 0 < calls["roundtrip"]
    assert kept["dumps"] < calls["dumps"]


def test_what_stays_in_this_process_is_pressed_lightly(monkeypatch):
    found = []
    real = bz2.compress
    monkeypatch.setattr(bz2, "compress", lambda content, compresslevel: found.append(1) or real(content, compresslevel))

    def build(pipeline):
        assert_that(counted(pipeline), equal_to([(1, [1]), (2, [6]), (3, [3, 6])]))
        return True

    run_pipeline(build, load_runner_config("direct"))
    assert found == []
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        build(pipeline)
    assert found


def test_what_cannot_be_pickled_is_told():
    def build(pipeline):
        held = iter(n for n in ())
        _ = pipeline | beam.Create([1]) | beam.Map(lambda n: held)
        return True

    with pytest.raises(LexbeamError, match=r"Unable to translate Map.*: cannot pickle 'generator' object"):
        run_pipeline(build, load_runner_config("direct"))


def test_workers_are_told_of_the_collections_and_coders_of_their_stage(monkeypatch):
    told, real = [], BundleProcessor.__init__

    def noted(self, capabilities, descriptor, *more):
        told.append(descriptor)
        real(self, capabilities, descriptor, *more)

    monkeypatch.setattr(BundleProcessor, "__init__", noted)

    def build(pipeline):
        counted(pipeline)
        return True

    run_pipeline(build, load_runner_config("direct"))
    assert len(told) > 3
    for one in told:
        steps = one.transforms.values()
        assert set(one.pcollections) == {
            name for t in steps for names in (t.inputs, t.outputs) for name in names.values()
        }
        assert {each.coder_id for each in one.pcollections.values()} <= set(one.coders)
    every = set().union(*(one.coders for one in told))
    assert max(len(one.coders) for one in told) < len(every)
