"""Modules read as source: what binds which name at the top, and what a statement refers to.

Modules are read without being imported; docstrings, comments and layout are dropped: what is left of
a statement is its syntax tree.
"""

import ast
import builtins
import functools
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError

T = TypeVar("T", bound=ast.AST)

Chain = tuple[str, ...]  # `a.b.c` as ("a", "b", "c")

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
_LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Import(NamedTuple):
    """One name that an import binds.

    Attributes:
        local: the name bound; `*` for all names.
        module: the module bound, or that which `member` is taken from.
        member: the definition or submodule bound; None for the module itself.
        loads: the module that is loaded: for `import a.b`, which binds `a`, it is `a.b`.
    """

    local: str
    module: str
    member: str | None
    loads: str


class References(NamedTuple):
    """What syntax trees refer to.

    Attributes:
        chains: names, with the attributes read off them.
        imports: nested imports.
        calls: what is called with texts, all written out, and these texts.
    """

    chains: frozenset[Chain]
    imports: tuple[Import, ...]
    calls: frozenset[tuple[Chain, tuple[str, ...]]]


class Statement:
    """A statement at the top of a module.

    Attributes:
        node: its syntax tree; of a definition without its body, once there is a digest.
        names: what it binds.
        imports: what it binds, where it is a plain import.
        apart: what is referred to by that of a step's class which makes nothing.
    """

    def __init__(self, node: ast.stmt, package: str) -> None:
        self.node = node
        self.apart = references_of(_apart(node), package).chains
        self.names = tuple(sorted(set(_bound(node))))
        self.imports: tuple[Import, ...] = tuple(_imported(node, package))
        self._package = package

    @functools.cached_property
    def references(self) -> References:
        """What it refers to, anywhere within; nothing for a plain import."""
        if self.imports:
            return References(frozenset(), (), frozenset())
        return references_of([self.node], self._package)

    @functools.cached_property
    def digest(self) -> str:
        """The digest of its syntax tree."""
        made = digest(dump(self.node))
        if isinstance(self.node, _DEFINITIONS):
            _ = self.references  # found while there is a body
            self.node.body = []  # all bodies take tens of MiB, which a process would hold to its end
        return made


class ModuleSource:
    """A module by its source.

    Attributes:
        name: the module's full name.
        bindings: the statements that bind a name, by name.
        statements: all of them but docstrings, `__all__` and what runs in a script alone.
        always: statements that do something when the module is imported, beside binding names;
            also what is decorated by other than the standard library: it may be registered.
        used: names that it refers to.
        effects: imports that may be there for what they do: of all names, and of names not used.
    """

    def __init__(self, name: str, tree: ast.Module, *, is_package: bool) -> None:
        self.name = name
        self.package = name if is_package else name.rpartition(".")[0]
        statements = [Statement(node, self.package) for node in tree.body if not _silent(node)]
        self.statements = tuple(statement for statement in statements if not _exports(statement))
        self.bindings: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for bound in statement.names:
                self.bindings.setdefault(bound, []).append(statement)
        self.always = tuple(s for s in self.statements if _acts(s.node) or self._registers(s.node))
        self.used = {chain[0] for s in self.statements for chain in s.references.chains | s.apart}
        self.effects = tuple(
            entry
            for statement in self.statements
            for entry in statement.imports or _in_block(statement)
            if entry.local == "*" or entry.local not in self.used
        )

    def _registers(self, node: ast.stmt) -> bool:
        decorators = getattr(node, "decorator_list", [])
        names = {chain[0] for chain in references_of(decorators, self.package).chains}
        return any(not self._is_standard(name) for name in names)

    def _is_standard(self, name: str) -> bool:
        if name not in self.bindings:
            return hasattr(builtins, name)
        entries = [entry for s in self.bindings[name] for entry in s.imports if entry.local == name]
        modules = {entry.module.partition(".")[0] for entry in entries}
        return bool(modules) and modules <= sys.stdlib_module_names


class ModulePlace(NamedTuple):
    """Where a module's source is: no path for a folder without `__init__.py`, or if it has none."""

    path: str | None
    folders: tuple[str, ...] | None


@functools.cache
def find(module: str) -> ModulePlace | None:
    """Return where a module's source is, without importing it; None if there is no such module."""
    if (loaded := sys.modules.get(module)) is not None:
        folders = getattr(loaded, "__path__", None)
        return ModulePlace(getattr(loaded, "__file__", None), None if folders is None else (*folders,))
    parent, _, _ = module.rpartition(".")
    if not parent:
        spec = importlib.util.find_spec(module)
    else:
        outer = find(parent)
        if outer is None or outer.folders is None:
            return None
        try:
            spec = importlib.machinery.PathFinder.find_spec(module, outer.folders)
        except KeyError:  # a folder without `__init__.py`, in a package that is not imported
            return None
    if spec is None:
        return None
    folders = spec.submodule_search_locations
    path = spec.origin if spec.has_location else None
    return ModulePlace(path, None if folders is None else (*folders,))


@functools.cache
def read_source(module: str) -> ModuleSource | None:
    """Return a module by its source; None if there is no such module.

    Raises:
        LexbeamError: it is there, but its source cannot be read.
    """
    place = find(module)
    if place is None:
        return None
    return ModuleSource(module, _parsed(module, place), is_package=place.folders is not None)


@functools.cache
def members_of(module: str, name: str) -> Mapping[str, list[Statement]]:
    """Return the statements within a class at the top of a module, by the names that they bind."""
    members: dict[str, list[Statement]] = {}
    place, source = find(module), read_source(module)
    if place is None or source is None:
        return members
    for node in _parsed(module, place).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for statement in (Statement(inner, source.package) for inner in node.body):
                for bound in statement.names:
                    members.setdefault(bound, []).append(statement)
    return members


def _parsed(module: str, place: ModulePlace) -> ast.Module:
    """Return the syntax tree of a module without docstrings; it is anew at each call, since its bodies are dropped."""
    if place.path is None and place.folders is not None:
        return ast.Module([], [])
    try:
        if place.path is None or not place.path.endswith(".py"):
            raise OSError(f"it comes from {place.path or 'no file'}")
        with open(place.path, "rb") as stream:
            return _without_docstrings(ast.parse(stream.read(), place.path))
    except (OSError, SyntaxError, ValueError) as error:
        raise LexbeamError(
            f"module {module!r} cannot be read as source ({error}), so nobody can tell whether its "
            "code has changed: put it into a .py file on the import path, not into a notebook, "
            "shell or compiled file"
        ) from error


_WORDS = frozenset({"noun", "splits", "unit"})  # of a step, for people and for plans: they decide no artefact


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """Take out of a step's class what makes nothing, and return it: its words, and which entries it chooses.

    What is chosen names an artefact by itself.
    """
    if not isinstance(node, ast.ClassDef) or not _is_step(node):
        return []
    apart = [line for line in node.body if _is_word(line) or getattr(line, "name", "") == "chosen"]
    node.body = [line for line in node.body if line not in apart]
    return apart


def _is_step(node: ast.ClassDef) -> bool:
    """Return whether a class is a step: by its base, or as it has a name with its section."""
    bases = [ast.unparse(base).startswith(("Step[", "FitModel[", "PredictRows[")) for base in node.bases]
    return any(bases) or any(
        isinstance(line, ast.Assign) and ast.unparse(line).startswith("name = ") and "/" in ast.unparse(line)
        for line in node.body
    )


def _is_word(line: ast.stmt) -> bool:
    return isinstance(line, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id in _WORDS for target in line.targets
    )


def dump(node: ast.AST) -> str:
    """Return the one text of a syntax tree."""
    return ast.dump(node, annotate_fields=True, include_attributes=False)


def references_of(nodes: Iterable[ast.AST], package: str) -> References:
    """Return what syntax trees within `package` refer to; quoted annotations are read."""
    chains: set[Chain] = set()
    imports: list[Import] = []
    calls: set[tuple[Chain, tuple[str, ...]]] = set()
    left: list[ast.AST] = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, ast.Attribute):
            attributes = []
            while isinstance(node, ast.Attribute):
                attributes.append(node.attr)
                node = node.value
            if isinstance(node, ast.Name):
                chains.add((node.id, *reversed(attributes)))
            else:
                left.append(node)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                chains.add((node.id,))
        elif isinstance(node, ast.AST) and not isinstance(node, _LEAVES):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.extend(_imported(node, package))
            elif isinstance(node, ast.Call):
                calls.update(_called_with_texts(node))
            elif isinstance(node, ast.Global):
                chains.update((name,) for name in node.names)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                chains.add((node.target.id,))
            elif isinstance(node, ast.arg | ast.AnnAssign):
                left.extend(_quoted(node.annotation))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                left.extend(_quoted(node.returns))
            for value in vars(node).values():  # a third of the time of ast.iter_child_nodes
                if isinstance(value, list):
                    left.extend(value)
                elif isinstance(value, ast.AST):
                    left.append(value)
    return References(frozenset(chains), tuple(imports), frozenset(calls))


def _called_with_texts(call: ast.Call) -> Iterator[tuple[Chain, tuple[str, ...]]]:
    values = [getattr(argument, "value", None) for argument in call.args]
    texts = tuple(value for value in values if isinstance(value, str))
    if texts and len(texts) == len(values) and not call.keywords:
        yield tuple(ast.unparse(call.func).split(".")), texts


def _quoted(annotation: ast.expr | None) -> Iterator[ast.AST]:
    for text in _texts(annotation) if annotation else ():
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            continue  # a text of its own, in Literal or Annotated
        yield tree
        yield from _quoted(tree)


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _imported(node: ast.AST, package: str) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield Import(alias.asname, alias.name, None, alias.name)
            else:
                top = alias.name.partition(".")[0]
                yield Import(top, top, None, alias.name)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1])
            module = f"{base}.{module}" if module else base
        for alias in node.names:
            yield Import(alias.asname or alias.name, module, alias.name, module)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds in its own scope."""
    if isinstance(node, _DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (entry.local for entry in _imported(node, ""))
    elif isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif not isinstance(node, _SCOPES):
        for inner in ast.iter_child_nodes(node):
            yield from _bound(inner)


def _acts(node: ast.stmt) -> bool:
    """Return whether a statement does something at import, beside binding names or failing."""
    if isinstance(node, _BLOCKS):
        return any(isinstance(inner, ast.stmt) and _acts(inner) for inner in _inner(node))
    if isinstance(node, ast.Assign):
        names = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store)
        targets = (inner for target in node.targets for inner in ast.walk(target))
        return not all(isinstance(target, names) for target in targets)
    if isinstance(node, ast.AnnAssign):
        return not isinstance(node.target, ast.Name)
    binds = (*_DEFINITIONS, ast.Import, ast.ImportFrom, ast.Pass, ast.Raise)
    return not isinstance(node, binds) and type(node).__name__ != "TypeAlias"


def _inner(block: ast.stmt) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.ExceptHandler):
            yield from node.body
        else:
            yield node


def _in_block(statement: Statement) -> tuple[Import, ...]:
    return statement.references.imports if isinstance(statement.node, _BLOCKS) else ()


def _silent(node: ast.stmt) -> bool:
    """Return whether a statement does nothing when its module is imported."""
    if isinstance(node, ast.If) and not node.orelse:
        return dump(node.test) == _IS_SCRIPT
    return isinstance(node, ast.Pass)


_IS_SCRIPT = dump(ast.parse("__name__ == '__main__'", mode="eval").body)


def _exports(statement: Statement) -> bool:
    """Return whether a statement sets `__all__` or adds to it."""
    node = statement.node
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return statement.names == ("__all__",)
    changes = isinstance(node, ast.AugAssign | ast.Expr)
    return changes and any(chain[0] == "__all__" for chain in statement.references.chains)


def _without_docstrings(node: T) -> T:
    # Any text that stands by itself: attributes are documented so too, and no such text does anything.
    body = getattr(node, "body", None)
    if isinstance(node, ast.AnnAssign) and _is_option(node.value):
        # The description of an option is for people; what counts is its value.
        node.value = node.value.args[0] if node.value.args else None  # type: ignore[union-attr]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        _without_docs(node.value)
    if isinstance(body, list):
        body[:] = [inner for inner in body if not _is_text(inner)]
        if not body and not isinstance(node, ast.Module):
            body.append(ast.Pass())
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            for inner in getattr(node, part, ()):
                _without_docstrings(inner)
    return node


def _without_docs(value: ast.expr | None) -> None:
    """Forget the doc lines of an entry of a registry, or of all in a registry's literal."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id[:1].isupper():
        value.keywords[:] = [keyword for keyword in value.keywords if keyword.arg != "doc"]
        for entry in getattr(literal_of(value), "values", ()):
            _without_docs(entry)


def literal_of(value: ast.AST | None) -> ast.Dict | None:
    """Return the dictionary that a registry is made of: it stands alone, or in `Registry(...)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Registry" and value.args:
        value = value.args[0]
    return value if isinstance(value, ast.Dict) else None


def _is_option(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "option"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
