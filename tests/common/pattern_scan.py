"""Every pattern of the code, and texts that are made to slow it down."""

import ast
import importlib
import itertools
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("transforms", "pipelines", "schemas", "lexbeam")
_OF_RE = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_USE = re.compile(rf"\bre\.(?:compile|{'|'.join(_OF_RE)})\(")
_ONE_START = {"match", "fullmatch"}  # they try one place; the others try each


class Found(NamedTuple):
    """A pattern: where it stands, and the methods that it is used by."""

    where: str
    pattern: "re.Pattern[Any]"
    methods: frozenset[str]

    @property
    def everywhere(self) -> bool:
        """Whether it is tried at each place of a text."""
        return not self.methods <= _ONE_START


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text()
            if _USE.search(text):
                yield str(path.relative_to(ROOT)), ast.parse(text)


def _is_re(node: ast.AST, *names: str) -> bool:
    """Whether a node is a call of functions of `re`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in names
    )


def _held(value: object) -> Iterator["re.Pattern[Any]"]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _held(list(value.items()))
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _held(inner)


def _methods(tree: ast.Module, name: str) -> frozenset[str]:
    """Return by which methods a module uses what it calls so; any, if it passes it on."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    methods = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            parent = parents[node]
            if isinstance(parent, ast.Attribute):
                methods.add(parent.attr)
            else:
                backwards = isinstance(parent, ast.Call) and ast.unparse(parent.func) == "match_backwards"
                methods.add("match" if backwards else "finditer")
    return frozenset(methods - {"pattern", "groups", "flags"})


def found_patterns() -> list[Found]:
    """Return the patterns that modules hold, and those written where they are used; each once."""
    every: dict[tuple[str, int], Found] = {}

    def add(where: str, pattern: "re.Pattern[Any]", methods: Iterable[str]) -> None:
        key = (repr(pattern.pattern), pattern.flags)
        before = every.get(key, Found(where, pattern, frozenset()))
        every[key] = before._replace(methods=before.methods | frozenset(methods))

    for where, tree in _trees():
        name = where.removesuffix(".py").removesuffix("/__init__").removeprefix("lexbeam/").replace("/", ".")
        module = importlib.import_module("lexbeam" if name == "lexbeam" else f"lexbeam.{name}")
        for name, value in vars(module).items():
            for pattern in _held(value):
                add(f"{where} {name}", pattern, _methods(tree, name))
        for node in ast.walk(tree):
            if _is_re(node, *_OF_RE) and isinstance(node.args[0], ast.Constant):
                flags = next((eval(ast.unparse(k.value)) for k in node.keywords if k.arg == "flags"), 0)
                add(f"{where}:{node.lineno}", re.compile(node.args[0].value, flags), [node.func.attr])
    return list(every.values())


def made_in_functions() -> list[str]:
    """Return where functions make a pattern of what they are given: `path function`."""
    return [
        f"{where} {function.name}"
        for where, tree in _trees()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(
            _is_re(node, "compile", *_OF_RE) and not isinstance(node.args[0], ast.Constant)
            for node in ast.walk(function)
        )
    ]


def _of_class(items: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Yield characters that a class `[...]` takes, or, of a negated one, that it does not."""
    for kind, value in items:
        if kind is code.LITERAL:
            yield chr(value)
        elif kind is code.RANGE:
            yield chr(value[0])
        elif kind is code.CATEGORY:
            yield _OF_CATEGORY.get(value, "a")


_OF_CATEGORY = {
    code.CATEGORY_DIGIT: "1",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_NOT_WORD: ".",
    code.CATEGORY_NOT_DIGIT: "a",
    code.CATEGORY_NOT_SPACE: "a",
}
_PLAIN = "a1 .\n"


def _samples(parsed: Any) -> Iterator[str]:
    """Yield characters that occur in a parsed pattern, and texts that its first parts take, of each group, too."""
    for kind, value in parsed:
        yield from _of_part(kind, value)
    yield from itertools.accumulate(_one(kind, value) for kind, value in parsed)


def _inner(kind: Any, value: Any) -> list[Any]:
    if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind is code.SUBPATTERN:
        return [value[3]]
    if kind is code.ATOMIC_GROUP:
        return [value]
    if kind is code.BRANCH:
        return list(value[1])
    if kind in (code.ASSERT, code.ASSERT_NOT):
        return [value[1]]
    return []


def _of_part(kind: Any, value: Any) -> Iterator[str]:
    if kind is code.LITERAL or kind is code.NOT_LITERAL:
        yield chr(value)
    elif kind is code.IN:
        yield from itertools.islice(_of_class(value), 4)
    for inner in _inner(kind, value):
        yield from _samples(inner)


def _one(kind: Any, value: Any) -> str:
    """Return a text that a part of a pattern takes, for most parts."""
    if kind is code.LITERAL:
        return chr(value)
    if kind is code.IN:
        characters = [*_of_class(value)]
        if value[0][0] is not code.NEGATE:
            return characters[0]
        return next(c for c in "a1 .é" if c not in characters and not (c == "1" and "1" in characters))
    if kind in (code.ANY, code.NOT_LITERAL):
        return "a"
    if kind in (code.ASSERT, code.ASSERT_NOT, code.AT):
        return ""
    if kind is code.BRANCH:
        return "".join(_one(*part) for part in value[1][0])
    times = max(1, min(value[0], 40)) if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT) else 1
    return times * "".join(_one(*part) for inner in _inner(kind, value)[:1] for part in inner)


class Hostile(NamedTuple):
    """A text that is made to be slow: a beginning, one or two parts in turn, and an end that hardly fits."""

    begin: str
    unit: str
    end: str

    def text(self, length: int, like: "str | bytes") -> Any:
        """Return it at a length, as bytes if the pattern's text is."""
        made = self.begin + (self.unit * (length // len(self.unit) + 1))[:length] + self.end
        return made.encode("latin-1", "replace") if isinstance(like, bytes) else made


def hostile(pattern: "re.Pattern[Any]") -> Iterator[Hostile]:
    """Yield slow texts, of the parts of a pattern and some plain characters."""
    parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else 0)
    parts = [*dict.fromkeys(text for text in (*_samples(parsed), *_PLAIN) if text)]
    units = [*parts, *(one + other for one, other in itertools.permutations(parts[:12], 2))]
    for unit in dict.fromkeys(units):
        for begin, end in itertools.product(("", *parts[:6]), ("", "\x00", "a")):
            yield Hostile(begin, unit, end)


def seconds(found: Found, text: Any, times: int = 3) -> float:
    """Return the processor time that a pattern takes with a text, the least of some times."""
    pattern = found.pattern
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        if found.everywhere:
            for _ in pattern.finditer(text):
                pass
        else:
            pattern.match(text)
        best = min(best, time.process_time() - begin)
    return best
