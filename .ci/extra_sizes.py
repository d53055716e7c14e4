"""Prints what each extra adds to the core, in MB on disk, of the packages installed here (`make extra-sizes`)."""

from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(name: str, extras: Iterable[str]) -> set[str]:
    """Return the names of the packages that one needs, with what they need in turn."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(name, extra) for extra in ("", *extras)]
    while waiting:
        package, extra = waiting.pop()
        if (package, extra) in seen:
            continue
        seen.add((package, extra))
        found.add(package)
        for line in distribution(package).requires or ():
            asked = Requirement(line)
            if asked.marker is None or asked.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(asked.name), inner) for inner in ("", *sorted(asked.extras))]
    return found - {name}


def megabytes(names: Iterable[str]) -> float:
    """Return the size of packages."""
    return sum(map(_bytes, map(distribution, names))) / 1e6


def _bytes(package: Distribution) -> int:
    paths = (Path(str(path.locate())) for path in package.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


if __name__ == "__main__":
    core = needed("lexbeam", ())
    print(f"| extra | packages | MB |\n|---|---|---|\n| (core) | {len(core)} | {megabytes(core):,.0f} |")
    for extra in sorted(distribution("lexbeam").metadata.get_all("Provides-Extra") or ()):
        if extra != "dev":
            more = needed("lexbeam", [extra]) - core
            print(f"| `{extra}` | {len(more)} | {megabytes(more):,.0f} |")
