"""Parameters of methods as Beam looks them up, each once."""

import functools
import inspect

import apache_beam as beam
from apache_beam.transforms import core, userstate
from apache_beam.typehints import decorators

from pipelines.runners.configs import load_runner_config
from pipelines.runners.runners import run_pipeline
from pipelines.runners.signatures import signatures_kept


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
