"""Commands and views from outside, found when they are asked for.

What is written by `make api` are Lexbeam's own; those of other packages are known only where these
are installed. They take the same values, and check them, but editors cannot complete them.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from lexbeam._asking import ask
from lexbeam._calling import act, publish
from pipelines.registry import COMMANDS, commands, load, section_of
from transforms.common.options import options_of
from transforms.common.snapshots import Snapshot

__all__ = ["outside_command", "outside_view"]


def outside_command(name: str) -> Any:
    """Return the function of a command of this word, or those of its two words by the second.

    Raises:
        AttributeError: there is none.
    """
    inner = {}
    for words in commands().keys() - COMMANDS.keys():
        first, _, second = words.replace("-", "_").partition(" ")
        if first == name and not second:
            return _function(words)
        if first == name:
            inner[second] = _function(words)
    if not inner:
        raise AttributeError(f"module 'lexbeam' has no attribute {name!r}")
    return SimpleNamespace(**inner)


def _function(words: str) -> Callable[..., Any]:
    command = load(words)
    run = publish if command.tables else act

    def function(*by_position: Any, beam: Sequence[str] = (), **options: Any) -> Any:
        return run(words, {**_named(command.options, by_position), **options}, beam)

    function.__doc__ = f"Run `lexbeam {words}`; see its `--help` for the options."
    return function


def outside_view(snapshot: Snapshot, name: str) -> Callable[..., Any]:
    """Return the method of a view of this name.

    Raises:
        AttributeError: there is none.
    """
    for words in commands().keys() - COMMANDS.keys():
        if name in load(words).views:
            return _method(snapshot, words, name)
    raise AttributeError(f"no view is called {name!r}")


def _method(snapshot: Snapshot, words: str, name: str) -> Callable[..., Any]:
    known = list(options_of(load(words).views[name].options))

    def method(*by_position: Any, **options: Any) -> Any:
        values = {**dict(zip(known, by_position, strict=False)), **options}
        return ask(snapshot, section_of(words), name, values)

    return method


def _named(cls: type, by_position: Sequence[Any]) -> dict[str, Any]:
    names = [name for name, entry in options_of(cls).items() if entry.positional]
    if len(by_position) > len(names):
        raise TypeError(f"at most {len(names)} options go by position")
    return dict(zip(names, by_position, strict=False))
