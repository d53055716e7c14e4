"""Commands and views from outside, found when they are asked for.

What is written by `make api` are Lexbeam's own; those of other packages are known only where these
are installed. They take the same values, and check them, but editors cannot complete them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lexbeam._asking import ask
from lexbeam._calling import act, publish
from pipelines.common_options import PublishOptions
from pipelines.registry import COMMANDS, available, commands, load, section_of
from transforms.common.errors import nearest
from transforms.common.options import options_of
from transforms.common.snapshots import Snapshot

__all__ = ["outside_command", "outside_view"]


def outside_command(name: str) -> Any:
    """Return the function of a command of this word, or those of its two words by the second.

    Raises:
        AttributeError: there is none.
    """
    inner: dict[str, Any] = {}
    for words in (words for words in commands() if words not in COMMANDS):
        first, _, second = words.replace("-", "_").partition(" ")
        if first == name and not second:
            return _function(words)
        if first == name:
            inner[second] = _function(words)
    if not inner:
        raise AttributeError(f"module 'lexbeam' has no attribute {name!r}")
    return _Group(name, inner)


class _Group:
    """The functions of commands of two words, by the second."""

    def __init__(self, name: str, functions: Mapping[str, Any]) -> None:
        self.__dict__.update(functions)
        self._name = name

    def __getattr__(self, name: str) -> Any:
        known = [other for other in vars(self) if not other.startswith("_")]
        raise AttributeError(f"'lexbeam.{self._name}' has no {name!r}{nearest(name, known)}")


def _function(words: str) -> Callable[..., Any]:
    command = load(words)
    publishes = bool(command.tables) or issubclass(command.options, PublishOptions)

    def function(*by_position: Any, beam: Sequence[str] = (), **options: Any) -> Any:
        named = {name.removesuffix("_"): value for name, value in options.items()}
        run = publish if publishes and not named.get("dry_run") else act
        return run(words, {**_named(command.options, by_position), **named}, beam)

    function.__doc__ = f"Run `lexbeam {words}`; see its `--help` for the options."
    return function


def outside_view(snapshot: Snapshot, name: str) -> Callable[..., Any]:
    """Return the method of a view of this name, of a section that is published if there is one.

    Raises:
        AttributeError: there is none.
    """
    answer = [w for w, command in available() if w not in COMMANDS and name in command.views]
    if not answer:
        raise AttributeError(f"no view is called {name!r}")
    there = [words for words in answer if section_of(words) in snapshot.sections]
    return _method(snapshot, (there or answer)[0], name)


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
