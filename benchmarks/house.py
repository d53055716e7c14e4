"""What the house measures: `python -m benchmarks.house [FOLDER]` counts a checkout's source.

Source is every `.py` file of git outside tests/, examples/ and benchmarks/. A folder's size is its own modules, with
`__init__`; a class is public if its name has no underscore, and counts twice if two modules define that name. A circle
is a set of modules of `schemas`, `transforms`, `pipelines` and `lexbeam` that import one another at run time. A record
is a dataclass or a named tuple. A function is used once if its name is read at one place of all source.

Lines are counted by purpose, definition by definition, so that a merge of modules moves none: imports, `__all__` and
docstrings of modules; presentation (`shown`, `report`); infrastructure (`common`, all of `pipelines` but commands,
`lexbeam`); formats (`formats`, `intake`, `people`); language (`annotation`, `lexicon`, `inflection`); glue
(commands, and elsewhere what names Beam, artefacts or steps); and what Lexbeam exists for, the rest.
"""

import ast
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

LONG = 50


def figures(folder: Path) -> Iterator[tuple[str, object]]:
    """Yield what is counted of a checkout, each with its name."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=folder, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if not name.startswith(("tests/", "examples/", "benchmarks/"))]
    texts = {name: (folder / name).read_text("utf-8") for name in names}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    modules = [size for name, size in lines.items() if not name.endswith("__init__.py")]
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    folders = Counter(name.rpartition("/")[0] for name in names)
    yield "source files", len(names)
    yield "modules", len(modules)
    yield "lines", sum(lines.values())
    yield "largest folder, files", max(folders.items(), key=lambda item: (item[1], item[0]))
    yield "median module, lines", statistics.median(modules)
    yield "largest module, lines", max(modules)
    yield f"functions over {LONG} lines", sum((node.end_lineno or 0) - node.lineno + 1 > LONG for node in functions)
    yield "public class names twice", sum(times > 1 for times in classes.values())
    yield "circles of modules", len(list(_circles(trees)))
    yield (
        "`Any`",
        sum(isinstance(node, ast.Name) and node.id == "Any" for tree in trees.values() for node in ast.walk(tree)),
    )
    yield "records", sum(map(_is_record, (node for tree in trees.values() for node in ast.walk(tree))))
    stems = Counter(Path(name).name for name in names if not name.endswith("__init__.py"))
    yield "basenames that stand more than once", sum(times > 1 for times in stems.values())
    read = Counter(name for tree in trees.values() for name in _names_read(tree))
    yield "functions", len(functions)
    yield "functions used once", sum(read[node.name] == 1 for node in functions)
    purposes: Counter[str] = Counter()
    for name, tree in trees.items():
        end = 0
        for node in tree.body:
            purposes[_purpose(name, node)] += (node.end_lineno or 0) - end
            end = node.end_lineno or 0
    for purpose, size in sorted(purposes.items()):
        yield f"lines, {purpose}", size
    yield "`fmt: skip`", sum(text.count("# fmt: skip") for name, text in texts.items())


ROOMS = {
    "presentation": ("transforms/report/", "pipelines/shown/", "/shown/", "transforms/change/report/"),
    "commands": ("pipelines/commands/",),
    "infrastructure": ("transforms/common/", "pipelines/", "lexbeam/", "setup.py"),
    "formats": ("transforms/formats/", "transforms/intake/", "transforms/people/"),
    "language": ("transforms/annotation/", "transforms/lexicon/", "transforms/inflection/"),
}
GLUE = {"beam", "Artefact", "By", "Each", "MakeArtefact", "Once", "Stage", "Step", "Workspace", "make", "name_of"}


def _purpose(name: str, node: ast.stmt) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr) or _sets_all(node):
        return "imports and heads of modules"
    for purpose, rooms in ROOMS.items():
        if any(name.startswith(room) or (room.startswith("/") and room in name) for room in rooms):
            return "glue" if purpose == "commands" else purpose
    return "glue" if GLUE.intersection(_names_read(node)) else "what Lexbeam exists for"


def _sets_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _names_read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _is_record(node: ast.AST) -> bool:
    if not isinstance(node, ast.ClassDef):
        return False
    marks = [ast.unparse(mark) for mark in (*node.bases, *node.decorator_list)]
    return any(mark.startswith(("NamedTuple", "dataclass")) for mark in marks)


def _circles(trees: dict[str, ast.Module]) -> Iterator[set[str]]:
    modules = {name.removesuffix(".py").replace("/", "."): tree for name, tree in trees.items()}
    edges: dict[str, set[str]] = defaultdict(set)
    for module, tree in modules.items():
        typed = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typed:
                imported = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                edges[module] |= {name for name in imported if name in modules} - {module}
    reached = {module: _reach(module, edges) for module in modules}
    seen: set[str] = set()
    for module in modules:
        circle = {other for other in reached[module] if module in reached[other]}
        if circle and module not in seen:
            seen |= circle
            yield circle


def _reach(start: str, edges: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    todo = list(edges[start])
    while todo:
        module = todo.pop()
        if module not in reached:
            reached.add(module)
            todo += edges[module]
    return reached


def main(folder: str = ".") -> None:
    """Print the figures of a checkout."""
    for name, figure in figures(Path(folder)):
        print(f"{name}: {figure}")


if __name__ == "__main__":
    main(*sys.argv[1:])
