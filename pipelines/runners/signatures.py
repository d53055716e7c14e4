"""What Beam looks up of every transform again and again is looked up once a run.

For every `DoFn` Beam asks `inspect` for the parameters of each of its methods, some forty: whenever a transform is
applied, checked, translated, and by every worker for every bundle that begins anew. It derives types from the same
annotations, with the stack at each step for messages, and reads the source of each for a warning to its author, which
is shown with --verbose alone. For each option that it reads it lists all, and for each that it declares it asks how
wide the terminal is. And before it measures a side input it goes through all that all modules have, which a side input
never holds.

It also pickles what no other process gets: each function and its arguments when a transform is made, to see that it
can, though they are pickled with the graph; and in a worker each function that it has unpickled, to unpickle it again.
So what is done to an argument between the making of a transform and the run counts.
What it does pickle it presses by bzip2, whose tables are larger than most functions are, even where all that is
pickled stays in this process.
"""

import functools
import inspect
import logging
import zlib
from argparse import HelpFormatter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any, NamedTuple

import objsize  # type: ignore[import-untyped]
from apache_beam.internal import cloudpickle_pickler, pickler
from apache_beam.options.pipeline_options import PipelineOptions, _BeamArgumentParser
from apache_beam.runners.worker import bundle_processor, operations
from apache_beam.transforms import core, ptransform, userstate
from apache_beam.typehints import decorators

Replacement = tuple[Any, str, Any]  # a module or class, the name of an attribute, the value in its place

# Functions of which signatures are kept: more than any graph has methods.
_kept = functools.lru_cache(4096)


@contextmanager
def replaced(replacements: Sequence[Replacement]) -> Iterator[None]:
    """Put values in the place of attributes of Beam's while the block runs."""
    before = [(place, name, vars(place).get(name)) for place, name, _ in replacements]
    try:
        for place, name, value in replacements:
            setattr(place, name, value)
        yield
    finally:
        for place, name, value in before:
            if value is None:  # it is inherited
                delattr(place, name)
            else:
                setattr(place, name, value)


@contextmanager
def signatures_kept(one_process: bool = False) -> Iterator[None]:
    """Let Beam look up parameters, types and state of each method once while the block runs.

    Args:
        one_process: whether what is pickled in the block is unpickled in it, by this process.
    """
    hints = decorators.IOTypeHints
    typed, formatter = functools.partial(_hinted, hints.from_callable), HelpFormatter("", width=80)
    replacements: list[Replacement] = [
        (core, "get_function_arguments", functools.partial(_arguments, {}, core.get_function_arguments)),
        (core, "get_signature", functools.partial(_signature, _kept(_bound), core.get_signature)),
        (hints, "from_callable", functools.partial(_hints, _kept(typed), hints.from_callable)),
        (hints, "_make_origin", lambda *_, **__: []),
        (userstate, "get_dofn_specs", functools.partial(_specs, {}, userstate.get_dofn_specs)),
        (_BeamArgumentParser, "_get_formatter", lambda parser: formatter),
        (PipelineOptions, "__getattr__", functools.partialmethod(_option, PipelineOptions.__getattr__)),
        (ptransform, "pickler", _pickler(roundtrip=lambda value: value)),
        (bundle_processor, "pickler", _pickler(dumps=_Handed, loads=_loads)),
        (operations, "pickler", _pickler(loads=_loads)),
        (objsize.default_settings, "exclude_modules_globals", False),
    ]
    if one_process:
        replacements.append((cloudpickle_pickler, "bz2", SimpleNamespace(compress=_press, decompress=zlib.decompress)))
    if not core._LOGGER.isEnabledFor(logging.WARNING):
        replacements.append((core, "_check_fn_use_yield_and_return", lambda function: False))
    with replaced(replacements):
        yield


class _Handed(NamedTuple):
    """What is unpickled already."""

    value: Any


def _loads(content: Any) -> Any:
    return content.value if isinstance(content, _Handed) else pickler.loads(content)


def _press(content: bytes, compresslevel: int) -> bytes:
    return zlib.compress(content, 1)


def _pickler(**functions: Callable[[Any], Any]) -> SimpleNamespace:
    return SimpleNamespace(**vars(pickler) | functions)


def _option(options: PipelineOptions, real: Callable[[Any, str], Any], name: str) -> Any:
    shown = vars(options).get("_visible_options")
    if shown is not None and not name.startswith("_") and name in vars(shown):
        return vars(options)["_all_options"][name]
    return real(options, name)


def _changes(cls: type) -> bool:
    """Return whether a class is pickled by value: whenever that is unpickled, the class has other functions."""
    return "<locals>" in cls.__qualname__ or cls.__module__ == "__main__"


def _arguments(found: dict[object, Any], real: Callable[[Any, str], Any], dofn: Any, name: str) -> Any:
    """Return the parameters of a method of a `DoFn`: its class has it, but for what hides it or stands for its own."""
    key, own = (type(dofn), name), vars(dofn)
    if name in own or f"_inspect_{name}" in own:
        return real(dofn, name)
    if key not in found:
        if hasattr(dofn, f"_inspect_{name}") or _changes(type(dofn)):
            return real(dofn, name)
        found[key] = real(dofn, name)
    return found[key]


def _signature(
    bound: Callable[[FunctionType], inspect.Signature], real: Callable[[Any], inspect.Signature], function: Any
) -> inspect.Signature:
    # Plain functions, such as those of `beam.Map`, may be as many as elements: theirs are not kept.
    if type(function) is MethodType and type(function.__func__) is FunctionType:
        return bound(function.__func__)
    return real(function)


def _bound(function: FunctionType) -> inspect.Signature:
    """Return the signature of a method without what it is bound to."""
    return inspect.signature(MethodType(function, object()))


def _specs(found: dict[object, Any], real: Callable[[Any], Any], dofn: Any) -> Any:
    """Return what state and timers the methods of a `DoFn` ask for: its class says it, but for what hides a method."""
    own = vars(dofn)
    if any(isinstance(value, MethodType) for value in own.values()) or _changes(type(dofn)):
        return real(dofn)
    key = type(dofn), frozenset(name for name in own if hasattr(type(dofn), name))
    if key not in found:
        found[key] = real(dofn)
    return found[key]


def _hints(kept: Callable[[Any, bool], Any], real: Callable[[Any], Any], function: Any) -> Any:
    """Return the types that a function's or method's annotations say, or None."""
    if type(function) is MethodType and type(function.__func__) is FunctionType:
        return kept(function.__func__, True)
    return kept(function, False) if type(function) is FunctionType else real(function)


def _hinted(real: Callable[[Any], Any], function: FunctionType, is_method: bool) -> Any:
    return real(MethodType(function, object()) if is_method else function)
