"""What docs/inside/recipes.md says to write, and folders as installed packages leave them."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "inside" / "recipes.md"


def section_of(heading):
    """Return what stands below a heading of the page."""
    return PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]


def blocks_of(heading):
    """Return the Python blocks below a heading."""
    return re.findall(r"```python\n(.*?)```", section_of(heading), re.DOTALL)


def entry_of(heading):
    """Return the group, and the line of an entry point, that are told below a heading."""
    found = re.findall(r'entry_points={"([\w.]+)": \["(.*)"\]}', section_of(heading))
    assert len(found) == 1
    return found[0]


def install(folder, group, *lines, package="toy", **modules):
    """Write modules into a folder, and what says the entry points of their package."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
