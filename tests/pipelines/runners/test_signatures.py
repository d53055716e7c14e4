"""Parameters of methods as Beam looks them up, each once."""

import functools
import inspect

import apache_beam as beam
from apache_beam.transforms import core

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


def test_a_method_is_looked_up_once(monkeypatch):
    asked, real = [], inspect.signature

    def counted(function, **options):
        asked.append(getattr(function, "__qualname__", ""))
        return real(function, **options)

    def build(pipeline):
        _ = pipeline | beam.Create([1]) | "a" >> beam.ParDo(Odd()) | "b" >> beam.ParDo(Odd())

    monkeypatch.setattr(inspect, "signature", counted)
    run_pipeline(build, load_runner_config("direct"))
    kept = asked.count("Odd.wrapped")
    asked.clear()
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        build(pipeline)
    assert kept == 1 < asked.count("Odd.wrapped")
