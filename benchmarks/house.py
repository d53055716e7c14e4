"""What the house measures: `python -m benchmarks.house [FOLDER]` counts a checkout's source.

Source is every `.py` file of git outside tests/ and examples/. A folder's size is its own modules, with `__init__`;
a class is public if its name has no underscore, and counts twice if two modules define that name. A circle is a set
of modules of `schemas`, `transforms`, `pipelines` and `lexbeam` that import one another at run time.
"""

import ast
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

__all__ = ["figures", "main"]

LONG = 50


def figures(folder: Path) -> Iterator[tuple[str, object]]:
    """Yield what is counted of a checkout, each with its name."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=folder, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if not name.startswith(("tests/", "examples/"))]
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
    yield "`fmt: skip`", sum(text.count("# fmt: skip") for name, text in texts.items() if name != "benchmarks/house.py")


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
