"""Parameters of methods, which Beam looks up again and again, are looked up once a process.

For every `DoFn` Beam asks `inspect` for the parameters of each of its methods, some forty: whenever a transform is
applied, checked, translated, and by every worker for every bundle that begins anew.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any

from apache_beam.transforms import core

__all__ = ["signatures_kept"]

_AT_MOST = 4096  # functions of which signatures are kept: more than any graph has methods


@contextmanager
def signatures_kept() -> Iterator[None]:
    """Let Beam look up the parameters of each method once while the block runs."""
    real = core.get_signature
    core.get_signature = functools.partial(_signature, functools.lru_cache(_AT_MOST)(_bound), real)
    try:
        yield
    finally:
        core.get_signature = real


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
