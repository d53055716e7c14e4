"""What Beam looks up of every transform again and again is looked up once a run.

For every `DoFn` Beam asks `inspect` for the parameters of each of its methods, some forty: whenever a transform is
applied, checked, translated, and by every worker for every bundle that begins anew. It derives types from the same
annotations, and reads the source of each for a warning to its author, which is shown with --verbose alone. And
before it measures a side input it goes through all that all modules have, which a side input never holds.
"""

import functools
import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any

import objsize  # type: ignore[import-untyped]
from apache_beam.transforms import core, userstate
from apache_beam.typehints import decorators

__all__ = ["signatures_kept"]

# Functions of which signatures are kept: more than any graph has methods.
_kept = functools.lru_cache(4096)


@contextmanager
def signatures_kept() -> Iterator[None]:
    """Let Beam look up parameters, types and state of each method once while the block runs."""
    hints = decorators.IOTypeHints
    typed = functools.partial(_hinted, hints.from_callable)
    patched: list[tuple[Any, str, Any]] = [
        (core, "get_signature", functools.partial(_signature, _kept(_bound), core.get_signature)),
        (hints, "from_callable", functools.partial(_hints, _kept(typed), hints.from_callable)),
        (userstate, "get_dofn_specs", functools.partial(_specs, {}, userstate.get_dofn_specs)),
        (objsize.default_settings, "exclude_modules_globals", False),
    ]
    if not core._LOGGER.isEnabledFor(logging.WARNING):
        patched.append((core, "_check_fn_use_yield_and_return", lambda function: False))
    before = [(place, name, vars(place)[name]) for place, name, _ in patched]
    try:
        for place, name, value in patched:
            setattr(place, name, value)
        yield
    finally:
        for place, name, value in before:
            setattr(place, name, value)


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
    if any(isinstance(value, MethodType) for value in own.values()):
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
